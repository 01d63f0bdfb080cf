"""Bad arguments are reported: `bad_calls.py` calls each public function with one bad argument at a time."""

import pytest

from tests.bad_calls import RARE, USUAL, bad_calls, modules

INNER = {  # functions that take already checked values, or anything
    "are the checks": ["arguments", "geometry.arrays"],
    "are called by embed and measure, which have checked": ["vectors.batches", "measure.sums"],
    "are called by the views or the build of the pages": ["views.base", "views.engine", "views.still", "views.traces"],
    "draw what a view computed": ["views.models.png"],
    "are called by what loads and saves": ["atomic", "weights.files"],
    "are the inner loop of training": ["tokenization.merges.merge", "tokenization.wordpiece.wordpiece_score"],
    "are called by BPE, with words that it cut and parts of a file that it names": ["tokenization.merges.glue",
                                                                                   "tokenization.steps"],
}  # fmt: skip
MOST = 0.04  # of a module's errors may name no argument


def is_inner(function):
    return any(f"{function}.".startswith(f"tutorial_lib.{name}.") for names in INNER.values() for name in names)


def share_told_badly(calls):
    """Among calls that raise: the share whose error names no argument, or is not of the intended kind."""
    errors = [call for call in calls if call.outcome != "result"]
    return sum(not call.is_answered_well for call in errors) / max(len(errors), 1)


def rooms():
    """Each module with the usual bad values, and, among the long tests, with the rarer ones."""
    for room in sorted({name.split(".")[1] for name in modules()}):
        yield pytest.param(room, USUAL, id=room)
        yield pytest.param(room, RARE, id=f"{room} rare", marks=pytest.mark.long)


@pytest.mark.parametrize("room, values", list(rooms()))
def test_errors_name_the_bad_argument(room, values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a folder of any name is one in which a model is saved
    names = [name for name in modules() if f"{name}.".startswith(f"tutorial_lib.{room}.")]
    calls = [call for name in names for call in bad_calls(name, values, skip=is_inner)]
    bad = [call for call in calls if not call.is_answered_well]
    assert share_told_badly(calls) <= MOST, bad[:10]


def test_an_error_that_names_no_argument_is_found(monkeypatch):
    from tutorial_lib import attention

    monkeypatch.setattr(attention.arguments, "check_tensors", lambda **tensors: None)
    assert share_told_badly(bad_calls("tutorial_lib.attention")) > 0.2
