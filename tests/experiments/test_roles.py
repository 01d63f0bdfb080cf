"""Roles of heads: chosen on one set, judged on another, on cases with known answers."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments.roles import ROLES, Cases, choose_heads, confirm, role_cases, selectivity
from tutorial_lib.geometry.heads import sign_test
from tutorial_lib.texts.marked import marked, read


def made(seed, n=60, good=0.9):
    """Cases of two roles: in the first, head (1, 2) is right with this share; all others by chance."""
    rng = np.random.default_rng(seed)
    found = {}
    for name in ("subject to verb", "verb to object"):
        right = rng.random((2, 4, n)) < 0.2
        if name == "subject to verb":
            right[1, 2] = rng.random(n) < good
        found[name] = Cases(right, rng.choice([1, 2, 3], n))
    return found


def test_only_heads_that_are_right_are_confirmed():
    chosen = choose_heads(made(0))
    assert chosen["subject to verb"][:2] == (1, 2) and chosen["subject to verb"].p < 0.001
    assert chosen["verb to object"].p == 1
    found = confirm(chosen, made(1))
    assert found["subject to verb"].p < 0.001 and found["verb to object"].p > 0.5
    assert found["subject to verb"].low < found["subject to verb"].share < found["subject to verb"].high


def test_p_is_corrected_for_all_looks():
    """At first for all heads and roles, then for the roles."""
    first, second = made(0, good=0.6), made(1, good=0.6)
    chosen = choose_heads(first)
    found = confirm(chosen, second)
    name, heads = "subject to verb", 2 * 4
    for cases, one, looks in ((first, chosen[name], 2 * heads), (second, found[name], 2)):
        raw = sign_test(cases[name].right[1, 2], cases[name].of_offset(chosen[name].offset))
        assert one.p == pytest.approx(looks * raw) and 0 < one.p < 1  # the smallest of all


def test_head_that_is_an_offset_wins_nothing():
    offsets = np.array([1] * 50 + [2] * 10)
    right = np.zeros((1, 1, 60), dtype=bool)
    right[0, 0, :50] = True  # it looks at the next word
    [choice] = choose_heads({"object to verb": Cases(right, offsets)}).values()
    assert choice.offset == 1 and choice.share == choice.offset_share == pytest.approx(50 / 60) and choice.p == 1


def test_cases_are_those_of_the_sentences(bert, tok):
    told = marked("first")[:6]
    cases = role_cases(bert, tok, told)
    assert list(cases) == list(ROLES)
    for forward, backward in zip(list(ROLES)[::2], list(ROLES)[1::2], strict=True):
        np.testing.assert_array_equal(cases[forward].offsets, -cases[backward].offsets)
    assert cases["determiner to noun"].offsets.tolist() == [3, 3, 1, 1, 3, 1]
    own, others = selectivity(bert, tok, told, "subject to verb", 2, 3)
    assert own == pytest.approx(cases["subject to verb"].right[2, 3].mean()) and 0 < others < own


def test_right_case_has_the_largest_weight_between_words(bert, tok):
    story = read("The/D bear/NS opened/V the door/O.")
    found = role_cases(bert, tok, [story])["subject to verb"].right[..., 0]
    with torch.no_grad():
        trace = bert.trace([tok.encode(story.text).ids])
    for layer in range(6):
        A = trace[f"layer.{layer}.attention.weights"][0, :, 2, 1:-1].clone()  # every word is one token
        A[:, 1] = -1
        np.testing.assert_array_equal(found[layer], (A.argmax(-1) == 2).numpy())
