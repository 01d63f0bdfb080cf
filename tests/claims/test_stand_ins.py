"""What contradicts a document on another model than its own is not called wrong: it differs on another model."""

import re

import pytest

from tests.claims.test_mutations import forget
from tutorial_book.claims import DIFFERS, FAILS, HOLDS, Claim, Result, can_be_checked, check, claims
from tutorial_book.claims.claim import recompute
from tutorial_lib.weights import checkpoints

STAND_IN = re.compile("default model|the book's (de|en)coder|book-gpt|book-bert|small (de|en)coder|the book's four")
CHECKED = [claim for claim in claims() if can_be_checked(claim)]


@pytest.fixture
def loaded(monkeypatch):
    """The names of the trained models that are read meanwhile."""
    names, read = [], checkpoints.read

    def noted(name):
        names.append(name)
        return read(name)

    monkeypatch.setattr(checkpoints, "read", noted)
    forget(loading=True)
    yield names
    forget(loading=True)


@pytest.mark.parametrize("claim", [claim for claim in CHECKED if claim.verdict == FAILS], ids=lambda claim: claim.id)
def test_what_does_not_hold_rests_on_no_model_that_stands_in(claim, loaded):
    recompute(claim)
    assert not loaded and not STAND_IN.search(claim.statement), "of another model: `DIFFERS`"


@pytest.mark.parametrize("claim", [claim for claim in CHECKED if claim.verdict == DIFFERS], ids=lambda claim: claim.id)
def test_what_differs_says_on_which_model_and_why(claim):
    measured_on = claim.statement.partition("(here")[2]
    assert STAND_IN.search(measured_on) or "names none" in measured_on, "the statement names what it was measured on"
    assert len(claim.note) > 20


@pytest.mark.parametrize("value, verdict", [(1, HOLDS), (2, DIFFERS)])
def test_another_value_on_another_model_differs_and_does_not_refute(value, verdict):
    claim = Claim("A-1.1-x", "bert", "One (here: in the default model).", 1, lambda: value, verdict=DIFFERS)
    assert check(claim) == Result(claim, value, verdict)
