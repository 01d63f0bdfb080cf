"""Every claim of the documents: its verdict is the recorded one, and it could have been the other."""

import pytest

from tutorial_book.claims import FAILS, HOLDS, OPEN, check, claims, report
from tutorial_book.claims.claim import RECOMPUTED, ROUND, VOCABULARY, agree, can_be_checked, last_unit, plain, recompute
from tutorial_lib.texts import published
from tutorial_lib.weights.catalog import KNOWN

ALL = claims()
CHECKED = [claim for claim in ALL if can_be_checked(claim)]


def name(claim):
    """What a test of a claim is called: -k meaning/ takes those of a chapter, -k R-5.4 those of a section."""
    return f"{claim.chapter}/{claim.id}"


@pytest.mark.parametrize("claim", ALL, ids=name)
def test_the_verdict_is_the_recorded_one(claim):
    result = check(claim)
    assert result.as_recorded, f"computed {result.computed!r}"


def test_report_counts_the_verdicts_that_differ(capsys):
    assert report() == 0
    assert "0 verdicts differ from the recorded ones" in capsys.readouterr().out


def changed(printed):
    """The same value with one small thing wrong: the last digit, an element, the sign of a statement."""
    if isinstance(printed, bool):
        return not printed
    if isinstance(printed, str):
        return printed + "x"
    if isinstance(printed, list):
        return [changed(printed[0]), *printed[1:]] if printed else [0]
    return printed + 1 if isinstance(printed, int) else printed + 3 * 10.0 ** -len(repr(printed).partition(".")[2])


@pytest.mark.parametrize("claim", CHECKED, ids=name)
def test_a_changed_number_does_not_hold(claim):
    computed = check(claim).computed
    if claim.verdict == HOLDS:
        step = last_unit(claim.wanted) / 2 if claim.tolerance == ROUND else claim.tolerance
        wrong = shifted(claim.wanted, 3 * step) if step else changed(claim.wanted)
        assert not agree(wrong, computed, step)
    else:
        assert agree(computed, computed, claim.tolerance) or "nan" in repr(computed)  # nan agrees with nothing


def shifted(printed, by):
    if isinstance(printed, list):
        return [shifted(printed[0], by), *printed[1:]]
    return changed(printed) if isinstance(printed, (bool, str)) else printed + by


@pytest.mark.parametrize("claim", [claim for claim in CHECKED if claim.kind != RECOMPUTED], ids=name)
def test_computing_twice_gives_the_same_value(claim):  # what is recomputed: see test_mutations
    first, second = check(claim).computed, recompute(claim)
    assert first == second or first != first


@pytest.mark.parametrize("claim", ALL, ids=name)
def test_printed_is_what_a_document_says_and_not_what_we_make_of_it(claim):
    printed = claim.printed if isinstance(claim.printed, list) else [claim.printed]
    said = [value for value in printed if isinstance(value, bool)]
    assert all(said) and len(said) in (0, len(printed)), "a sentence is True; what the check wants is `expected`"


@pytest.mark.parametrize("claim", [claim for claim in ALL if claim.verdict == FAILS], ids=name)
def test_what_does_not_hold_is_explained(claim):
    assert len(claim.note) > 20 and claim.note.endswith((".", ")"))


@pytest.mark.parametrize("claim", [claim for claim in ALL if claim.needs], ids=name)
def test_what_is_needed_is_a_known_model_or_text(claim):
    assert {need.removeprefix(VOCABULARY) for need in claim.needs.split(" and ")} <= {*KNOWN, *published.SOURCES}


def test_only_what_needs_something_may_stay_unchecked():
    assert [claim.id for claim in ALL if claim.verdict == OPEN and not claim.needs] == []


def test_the_caller_s_random_numbers_are_left_alone():
    import torch

    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    recompute(claims(source="R", section="3.1")[0])
    assert torch.equal(torch.rand(2), expected)


def test_tensors_become_plain_numbers():
    import torch

    assert plain([torch.tensor(3), torch.tensor([1.5])]) == [3, [1.5]]
