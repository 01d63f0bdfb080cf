"""A claim is well formed, agrees or not as its digits say, and is checked where its model is."""

import ast
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.claims import CHAPTERS, DIFFERS, FAILS, HOLDS, OPEN, Claim, Result, Table, check, claims, verdicts
from tutorial_book.claims import claim as module
from tutorial_book.claims.claim import ROUND, add
from tutorial_book.claims.verdicts import agree, recompute
from tutorial_lib.weights.catalog import ModelNotAvailable


def example(**changes):
    fields = dict(id="R-1.1-x", chapter="bert", statement="One.", printed=1, compute=lambda: 1)
    return Claim(**{**fields, **changes})


# --- When values agree ------------------------------------------------------------------------------------------------


@given(st.floats(-1e3, 1e3), st.integers(1, 6))
def test_rounded_numbers_agree_with_their_origin(x, digits):
    printed = round(x, digits)
    tolerance = 0.5 * 10.0**-digits
    assert agree(printed, x, tolerance)
    assert not agree(printed + 3 * tolerance, x, tolerance)


@given(st.integers(1, 9999), st.integers(0, 6))
def test_round_numbers_mean_the_nearest_values(n, zeros):
    assert agree(n * 10**zeros, (n + 0.49) * 10**zeros, ROUND) or not n % 10
    assert not agree(n * 10**zeros, (n + 0.51) * 10**zeros, ROUND) or not n % 10


@pytest.mark.parametrize("printed, computed, expected", [
    ([1.5, 1.38], [1.52, 1.38], False),  # the most digits of a list count for all of it: 1.5 means 1.50
    ([1.5, 1.38], [1.504, 1.384], True),
    (4.373, 4.3725, True),  # a tie may round either way
    (4.372, 4.3725, True),
    (108_310_272, 108_310_273, False),
    *((*pair, False) for pair in (
        ([1, 2], [1, 2, 3]), ([1], 1), (1, [1]), ("a", "A"), (True, 1), (1, True), (1, None), (1, math.nan), (1, "1"),
    )),
])  # fmt: skip
def test_values_agree_as_their_digits_say(printed, computed, expected):
    assert agree(printed, computed) is expected


# --- What a claim is --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [
    {"id": "X-1-a"}, {"id": "R-1"}, {"id": "R-5.4-q-painted"}, {"chapter": "gpt"}, {"verdict": "?"}, {"kind": "?"},
])  # fmt: skip
def test_malformed_claims_are_rejected(changes):
    claims("attention")  # R-5.4-q-painted is one of them
    with pytest.raises(ValueError, match="(id|chapter|verdict|kind) must be"):
        add(example(**changes))


@pytest.mark.parametrize("call, error, says", [
    (lambda: claims(chapter="gpt"), ValueError, "chapter must be one of"),
    (lambda: claims(source="Q"), ValueError, "source must be one of"),
    (lambda: check("R-5.4-q-painted"), TypeError, "claim must be a Claim, one of claims"),
    (lambda: Table(claims("heads")), TypeError, "entries must come from check"),
])  # fmt: skip
def test_other_things_are_rejected(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_claims_come_in_reading_order():
    chosen = claims("attention", source="R")
    assert {(claim.chapter, claim.source) for claim in chosen} == {("attention", "R")}
    sections = [[int(part) for part in claim.section.split(".")] for claim in claims(source="L")]
    assert sections == sorted(sections)


def test_chapters_know_no_other_chapters_claims():
    """The modules shared by all load none either, so that a page loads only its own claims."""
    folder, shared = Path(module.__file__).parent, ("claim", "quotes", "tools", "verdicts")
    for name in (*CHAPTERS, *shared):
        tree = list(ast.walk(ast.parse((folder / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8"))))
        calls = [node for node in tree if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        assert [call.args[0].value for call in calls if call.func.id == "claims_of"] == [name] * (name in CHAPTERS)
        imports = [node for node in tree if isinstance(node, ast.ImportFrom)]
        imported = [f"{node.module}.{alias.name}".split(".") for node in imports for alias in node.names]
        assert {path[2] for path in imported if path[:2] == ["tutorial_book", "claims"]} <= set(shared), name


# --- How it is checked ------------------------------------------------------------------------------------------------


def test_recomputation_is_an_argument_or_a_decorated_function(monkeypatch):
    monkeypatch.setattr(module, "REGISTRY", {})
    claim = module.claims_of("bert")
    claim("R-1.1-a", "One.", 1, lambda: 1)

    @claim("R-1.1-b", "Two.", 2, kind=module.ARITHMETIC)
    def _():
        return 1

    claim("R-1.1-c", "Three.", 3, lambda: 3, needs="a model")
    assert [check(claim).verdict for claim in module.REGISTRY.values()] == [HOLDS, FAILS, "needs a model"]
    assert [claim.verdict for claim in module.REGISTRY.values()] == [HOLDS, HOLDS, OPEN]


@pytest.mark.parametrize("changes, verdict, as_recorded", [
    ({}, HOLDS, True),
    ({"printed": 2}, FAILS, False),
    ({"printed": True, "expected": 1}, HOLDS, True),  # what is expected counts
    ({"expected": 2}, FAILS, False),
    ({"verdict": FAILS}, HOLDS, False),
    ({"printed": 2, "verdict": OPEN}, FAILS, True),
    ({"printed": 2, "stands_in": True}, DIFFERS, False),  # another model refutes nothing
    ({"printed": 2, "verdict": DIFFERS}, DIFFERS, True),
    ({"verdict": DIFFERS}, HOLDS, False),
    ({"needs": "the moon", "verdict": FAILS}, "needs the moon", True),
])  # fmt: skip
def test_verdict_compares_what_is_computed(changes, verdict, as_recorded):
    claim = example(**changes)
    assert check(claim) == Result(claim, None if claim.needs else 1, verdict)
    assert check(claim).as_recorded is as_recorded


def test_values_are_computed_once():
    times = []
    claim = example(compute=lambda: times.append("once more") or len(times))
    assert times == []
    assert [check(claim).computed, check(claim).computed] == [1, 1]
    assert recompute(claim) == 2


def test_missing_models_are_searched_again(monkeypatch):
    def compute():
        if there:
            return 1
        raise ModelNotAvailable("it is not here")

    there, claim = False, example(compute=compute)
    assert check(claim).verdict == "needs all-MiniLM-L6-v2"
    there = True
    assert check(claim).verdict == HOLDS
    monkeypatch.setattr(verdicts, "_on_this_machine", lambda name: name == "here")
    assert check(example(needs="here")).verdict == HOLDS
    assert check(example(needs="here and there")).verdict == "needs here and there"


def test_callers_random_numbers_are_left_alone():
    import torch

    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    first, again = (recompute(example(compute=lambda: [torch.tensor(3), torch.rand(1)])) for _ in range(2))
    assert first == again and first[0] == 3 and torch.equal(torch.rand(2), expected)
