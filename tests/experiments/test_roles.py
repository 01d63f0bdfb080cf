"""Roles of heads: chosen on one set, judged on another, on cases whose answer is known."""

import numpy as np
import pytest

from tutorial_book.experiments.roles import OFFSETS, ROLES, Cases, choose_heads, confirm, role_cases, selectivity
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


def test_a_head_that_is_right_is_chosen_and_confirmed_and_luck_is_not():
    chosen = choose_heads(made(0))
    assert chosen["subject to verb"][:2] == (1, 2) and chosen["subject to verb"].p < 0.001
    assert chosen["verb to object"].p == 1
    found = confirm(chosen, made(1))
    assert found["subject to verb"].p < 0.001 and found["verb to object"].p > 0.5
    assert found["subject to verb"].low < found["subject to verb"].share < found["subject to verb"].high


def test_p_is_corrected_for_all_heads_and_roles_at_first_and_for_the_roles_again():
    first, second = made(0, good=0.6), made(1, good=0.6)
    chosen = choose_heads(first)
    found = confirm(chosen, second)
    name, heads = "subject to verb", 2 * 4
    for cases, one, looks in ((first, chosen[name], 2 * heads), (second, found[name], 2)):
        raw = sign_test(cases[name].right[1, 2], cases[name].of_offset(chosen[name].offset))
        assert one.p == pytest.approx(looks * raw) and 0 < one.p < 1  # the smallest of all


def test_the_best_offset_is_the_rival_and_a_head_that_is_that_offset_wins_nothing():
    offsets = np.array([1] * 50 + [2] * 10)
    right = np.zeros((1, 1, 60), dtype=bool)
    right[0, 0, :50] = True  # it looks at the next word
    [choice] = choose_heads({"object to verb": Cases(right, offsets)}).values()
    assert choice.offset == 1 and choice.share == choice.offset_share == pytest.approx(50 / 60) and choice.p == 1


def test_of_many_heads_of_pure_chance_hardly_any_passes():
    passed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        cases = {name: Cases(rng.random((6, 12, 60)) < 0.35, rng.choice([1, 2, 3], 60)) for name in ROLES}
        passed += any(choice.p < 0.05 for choice in choose_heads(cases).values())
    assert passed <= 4


def test_the_cases_are_those_of_the_sentences(bert, tok):
    told = marked("first")[:6]
    cases = role_cases(bert, tok, told)
    assert list(cases) == list(ROLES)
    for forward, backward in zip(list(ROLES)[::2], list(ROLES)[1::2], strict=True):
        np.testing.assert_array_equal(cases[forward].offsets, -cases[backward].offsets)
    assert cases["determiner to noun"].offsets.tolist() == [3, 3, 1, 1, 3, 1]
    assert set(np.concatenate([one.offsets for one in cases.values()])) <= set(OFFSETS)


def test_a_right_case_is_the_largest_weight_between_words(bert, tok):
    import torch

    story = read("The/D bear/NS opened/V the door/O.")
    found = role_cases(bert, tok, [story])["subject to verb"].right[..., 0]
    with torch.no_grad():
        trace = bert.trace([tok.encode(story.text).ids])
    for layer in range(6):
        A = trace[f"layer.{layer}.attention.weights"][0, :, 2, 1:-1].clone()  # every word is one token
        A[:, 1] = -1
        np.testing.assert_array_equal(found[layer], (A.argmax(-1) == 2).numpy())


def test_selectivity_counts_the_word_of_the_role_and_the_others(bert, tok):
    own, others = selectivity(bert, tok, marked("first")[:10], "subject to verb", 2, 3)
    cases = role_cases(bert, tok, marked("first")[:10])["subject to verb"]
    assert own == pytest.approx(cases.right[2, 3].mean()) and 0 < others < own
