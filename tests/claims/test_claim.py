"""A claim is well formed, agrees or not as its digits say, and is checked where its model is."""

import ast
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.claims import CHAPTERS, DIFFERS, FAILS, HOLDS, OPEN, Claim, Result, Table, check, claims
from tutorial_book.claims import claim as module
from tutorial_book.claims.claim import ROUND, add, agree, recompute
from tutorial_lib.weights.catalog import ModelNotAvailable

DIGITS = st.integers(0, 6)


def example(**changes):
    fields = dict(id="R-1.1-x", chapter="bert", statement="One.", printed=1, compute=lambda: 1)
    return Claim(**{**fields, **changes})


@given(st.floats(-1e3, 1e3), st.integers(1, 6))
def test_a_rounded_number_agrees_with_its_origin(x, digits):
    printed = round(x, digits)
    tolerance = 0.5 * 10.0**-digits
    assert agree(printed, x, tolerance)
    assert not agree(printed + 3 * tolerance, x, tolerance)


@given(st.integers(), st.integers())
def test_whole_numbers_agree_only_when_equal(a, b):
    assert agree(a, b) == (a == b)


def test_the_most_digits_of_a_list_count_for_all_of_it():
    assert not agree([1.5, 1.38], [1.52, 1.38])  # 1.5 stands for 1.50 here
    assert agree([1.5, 1.38], [1.504, 1.384])


def test_a_tie_may_round_either_way():
    assert agree(4.373, 4.3725) and agree(4.372, 4.3725)


@pytest.mark.parametrize(
    ("printed", "computed"),
    [([1, 2], [1, 2, 3]), ([1], 1), (1, [1]), ("the", "The"), (True, 1), (1, True), (1, None), (1, math.nan), (1, "1")],
)
def test_other_things_never_agree(printed, computed):
    assert not agree(printed, computed)


@pytest.mark.parametrize(
    "changes",
    [
        {"id": "X-1-a"}, {"id": "R-1"}, {"id": "R-5.4-q-painted"}, {"chapter": "gpt"}, {"verdict": "perhaps"},
        {"kind": "guessed"},
    ],  # fmt: skip
)
def test_a_malformed_claim_is_refused(changes):
    claims("attention")  # R-5.4-q-painted is one of them
    with pytest.raises(ValueError, match="(id|chapter|verdict|kind) must be"):
        add(example(**changes))


@pytest.mark.parametrize("wrong", [{"chapter": "gpt"}, {"source": "Q"}])
def test_unknown_chapters_and_sources_are_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be one of"):
        claims(**wrong)


def test_claims_can_be_chosen_and_come_in_reading_order():
    attention = claims("attention", source="R")
    assert {claim.chapter for claim in attention} == {"attention"} and {claim.source for claim in attention} == {"R"}
    sections = [[int(part) for part in claim.section.split(".")] for claim in claims(source="L")]
    assert sections == sorted(sections)


def test_a_chapter_s_claims_are_imported_without_those_of_another():
    code = "import sys; from tutorial_book.claims import claims; claims('shape'); print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[-1] for name in run.stdout.split() if name.startswith("tutorial_book.claims.")}
    assert loaded == {"claim", "inventory", "quotes", "shape", "table", "tools"}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_claim_stands_in_its_chapter_s_module_which_knows_no_other_chapter(chapter):
    file = Path(module.__file__).with_name(f"{chapter.replace('-', '_')}.py")
    tree = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    calls = [node for node in tree if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    assert [call.args[0].value for call in calls if call.func.id == "claims_of"] == [chapter]
    imports = [node for node in tree if isinstance(node, ast.ImportFrom)]
    names = {f"{node.module}.{alias.name}" for node in imports for alias in node.names}
    from_claims = {name.split(".")[2] for name in names if name.startswith("tutorial_book.claims.")}
    assert from_claims <= {"claim", "quotes", "tools"}


def test_a_recomputation_is_an_argument_or_a_decorated_function(monkeypatch):
    monkeypatch.setattr(module, "REGISTRY", {})
    claim = module.claims_of("bert")
    claim("R-1.1-a", "One.", 1, lambda: 1)

    @claim("R-1.1-b", "Two.", 2, kind=module.ARITHMETIC)
    def _():
        return 1

    claim("R-1.1-c", "Three.", 3, lambda: 3, needs="a model")
    assert [check(claim).verdict for claim in module.REGISTRY.values()] == [HOLDS, FAILS, "needs a model"]
    assert [claim.verdict for claim in module.REGISTRY.values()] == [HOLDS, HOLDS, OPEN]


def test_the_value_is_compared_with_what_is_expected_where_that_is_not_what_is_printed():
    assert check(example(printed=True, expected=[1, 1], compute=lambda: [1, 1])).verdict == HOLDS
    assert check(example(printed=1, expected=2)).verdict == FAILS


@given(st.integers(1, 9999), st.integers(0, 6))
def test_a_round_number_stands_for_what_is_nearer_to_it_than_to_the_next(n, zeros):
    assert agree(n * 10**zeros, (n + 0.49) * 10**zeros, ROUND) or not n % 10
    assert not agree(n * 10**zeros, (n + 0.51) * 10**zeros, ROUND) or not n % 10


@pytest.mark.parametrize(("value", "verdict"), [(1, HOLDS), (2, FAILS)])
def test_the_verdict_compares_the_computed_value(value, verdict):
    assert check(example(compute=lambda: value)).verdict == verdict


@pytest.mark.parametrize(("value", "verdict"), [(1, HOLDS), (2, DIFFERS)])
def test_where_texts_stand_in_too_another_value_does_not_refute(value, verdict):
    result = check(example(compute=lambda: value, stands_in=True, verdict=OPEN))
    assert (result.verdict, result.as_recorded) == (verdict, True)


def test_a_value_is_computed_when_first_asked_for_and_then_kept():
    times = []
    claim = example(compute=lambda: times.append("once more") or len(times))
    assert times == []
    assert [check(claim).computed, check(claim).computed] == [1, 1]
    assert recompute(claim) == 2


def test_what_is_missing_is_looked_for_again():
    def compute():
        if there:
            return 1
        raise ModelNotAvailable("it is not here")

    there, claim = False, example(compute=compute)
    assert check(claim).verdict == "needs all-MiniLM-L6-v2"
    there = True
    assert check(claim).verdict == HOLDS


def test_without_its_model_a_claim_says_what_it_needs(monkeypatch):
    monkeypatch.setattr(module, "_on_this_machine", lambda name: False)
    result = check(example(needs="bert-base-cased", compute=lambda: 1 / 0))
    assert (result.verdict, result.computed, result.as_recorded) == ("needs bert-base-cased", None, True)


def test_with_its_model_a_claim_is_computed(monkeypatch):
    monkeypatch.setattr(module, "_on_this_machine", lambda name: True)
    assert check(example(needs="bert-base-cased")).verdict == HOLDS


@pytest.mark.parametrize(
    ("recorded", "now", "same"),
    [(HOLDS, HOLDS, True), (HOLDS, FAILS, False), (FAILS, HOLDS, False), (FAILS, "needs x", True), (OPEN, FAILS, True)],
)
def test_a_verdict_differs_only_where_there_is_another_one(recorded, now, same):
    assert Result(example(verdict=recorded), 1, now).as_recorded is same


@pytest.mark.parametrize("thing", [None, "R-5.4-q-painted", Claim])
def test_only_claims_can_be_checked(thing):
    with pytest.raises(TypeError, match="claim must be a Claim, one of claims"):
        check(thing)


def test_a_table_shows_only_checked_claims_and_what_is_read():
    with pytest.raises(TypeError, match="entries must be what check"):
        Table(claims("heads"))
