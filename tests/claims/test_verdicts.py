"""Every claim of the documents: its verdict is the recorded one, and it could have been the other."""

import re

import pytest

from tests.claims.test_mutations import forget
from tutorial_book.claims import DIFFERS, FAILS, HOLDS, OPEN, can_be_checked, check, claims, report
from tutorial_book.claims.claim import RECOMPUTED, ROUND, VOCABULARY
from tutorial_book.claims.verdicts import agree, last_unit, recompute
from tutorial_lib.texts import published
from tutorial_lib.weights import checkpoints
from tutorial_lib.weights.catalog import KNOWN

ALL = claims()
CHECKED = [claim for claim in ALL if can_be_checked(claim)]
STAND_IN = re.compile("default model|the book's (de|en)coder|book-gpt|book-bert|small (de|en)coder|the book's four")


def name(claim):
    """Return the name of a claim's test: -k meaning/ selects those of a chapter, -k R-5.4 those of a section."""
    return f"{claim.chapter}/{claim.id}"


@pytest.mark.parametrize("claim", ALL, ids=name)
def test_verdict_is_the_recorded_one(claim):
    result = check(claim)
    assert result.as_recorded, f"computed {result.computed!r}"


def test_report_counts_verdicts_that_differ(capsys):
    assert report() == 0
    assert "0 verdicts differ from the recorded ones" in capsys.readouterr().out


def changed(value, step):
    """The same value with one small thing wrong: the last digit, an element, the sign of a statement."""
    if isinstance(value, list):
        return [changed(value[0], step), *value[1:]] if value else [0]
    if isinstance(value, (bool, str)):
        return not value if isinstance(value, bool) else value + "x"
    digits = 0 if isinstance(value, int) else len(repr(value).partition(".")[2])
    return value + 3 * (step or 10.0**-digits)


def test_changed_numbers_do_not_hold():
    for claim in CHECKED:
        if claim.verdict == HOLDS:
            step = last_unit(claim.wanted) / 2 if claim.tolerance == ROUND else claim.tolerance
            assert not agree(changed(claim.wanted, step), check(claim).computed, step), claim.id


def test_arithmetic_gives_the_same_value_twice():
    """Recomputed values: see test_mutations."""
    for claim in CHECKED:
        if claim.kind != RECOMPUTED:
            assert repr(recompute(claim)) == repr(check(claim).computed), claim.id


def test_claims_say_what_their_verdict_asks_for():
    for claim in ALL:
        printed = claim.printed if isinstance(claim.printed, list) else [claim.printed]
        said = [value for value in printed if isinstance(value, bool)]
        assert all(said) and len(said) in (0, len(printed)), f"{claim.id}: what the check wants is `expected`"
        assert claim.verdict not in (FAILS, DIFFERS) or len(claim.note) > 20, f"{claim.id} says why"
        assert claim.needs or claim.verdict != OPEN, claim.id
        needs = {need.removeprefix(VOCABULARY) for need in (claim.needs or "").split(" and ")} - {""}
        assert needs <= {*KNOWN, *published.SOURCES}, claim.id
        measured_on = claim.statement.partition("(here")[2]
        if claim.verdict == DIFFERS:
            assert STAND_IN.search(measured_on) or "names no vocabulary" in measured_on, f"{claim.id} names its model"
        assert claim.verdict != FAILS or not STAND_IN.search(claim.statement), f"{claim.id} is `DIFFERS`"


def test_no_stand_in_refutes_a_claim(monkeypatch):
    """No claim that does not hold reads a trained model."""
    read = []
    monkeypatch.setattr(checkpoints, "read", read.append)
    forget(loading=True)
    for claim in CHECKED:
        if claim.verdict == FAILS:
            recompute(claim)
            assert not read, claim.id
    forget(loading=True)
