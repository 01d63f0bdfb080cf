"""Bad arguments are told: each public function, called as in its doctest, with one argument at a time gone wrong."""

import pytest

from tests.bad_calls import BAD, MORE, bad_calls, modules, shares

# What is called with values that were checked already, or takes anything: nobody hands these an argument of theirs.
INNER = {
    "tutorial_lib.arguments": "the checks themselves",
    "tutorial_lib.geometry.arrays": "the checks of arrays",
    "tutorial_lib.vectors.batches": "called by embed, which has checked",
    "tutorial_lib.vectors.fast": "called by embed, which has checked",
    "tutorial_lib.views.base": "called by the views",
    "tutorial_lib.views.live": "called by the build of the pages",
    "tutorial_lib.views.neurons.bars": "draws what a view computed",
    "tutorial_lib.views.neurons.number": "draws what a view computed",
    "tutorial_lib.views.heads.line_paths": "draws what a view computed",
    "tutorial_lib.views.models.png": "draws what a view computed",
    "tutorial_lib.views.cloud.project": "draws what a view computed",
    "tutorial_lib.views.story.spoken": "draws what a view computed",
    "tutorial_lib.views.traces": "called by the views",
    "tutorial_lib.weights.files": "called by what loads and saves",
    "tutorial_lib.measure.sums": "called by measure, which has checked",
    "tutorial_lib.tokenization.merges.merge": "the inner loop of training: a check would take longer than it does",
    "tutorial_lib.tokenization.merges.wordpiece_score": "the same",
}
FRONT = "attention bert gpt llama modernbert generation positions tokenization geometry vectors views weights".split()
FRONT += ["measure.corpus"]


def inner(function):
    return any(f"{function}.".startswith(f"{name}.") for name in INNER)


def rooms():
    """Each room with the usual bad values, and, among the long tests, with the rarer ones."""
    for room in sorted({name.split(".")[1] for name in modules()} - {"arguments"}):
        yield pytest.param(room, BAD, id=room)
        yield pytest.param(room, MORE, id=f"{room} more", marks=pytest.mark.long)


@pytest.mark.parametrize("room, values", list(rooms()))
def test_errors_name_the_argument_and_are_of_the_intended_kind(room, values, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a folder of any name is one in which a model is saved
    found = []
    for module in modules():
        if f"{module}.".startswith(f"tutorial_lib.{room}."):
            found += [one for one in bad_calls(module, values) if not inner(one.function)]
    bad = [one for one in found if one.outcome not in ("result", "named")]
    assert not found or shares(found) <= (0.03 if room in FRONT else 0.10), bad[:10]


def test_the_fuzzer_finds_what_names_no_argument(monkeypatch):
    from tutorial_lib import attention

    monkeypatch.setattr(attention.arguments, "check_tensors", lambda **tensors: None)
    assert shares(list(bad_calls("tutorial_lib.attention"))) > 0.2
