"""What the chapter on one word's many vectors tells about the default model, pinned."""

import numpy as np
import pytest
import torch

from tutorial_lib.geometry import bootstrap_interval, pca


def test_a_word_is_static_before_the_layers_and_contextual_after(page):
    for name in ("the: the cat / the hat", "love: mathematics / physics"):
        one, other = page.states[name].unbind(1)
        assert torch.equal(one[0], other[0])
        assert all((a - b).abs().max() > 1e-2 for a, b in zip(one[1:], other[1:], strict=True))
    assert page.curves["love: mathematics / physics"][-1].item() == pytest.approx(0.931, abs=0.002)


def test_the_cosines_do_not_rest_on_the_two_large_coordinates(page):
    assert 0 <= torch.stack(page.moved).max() < 0.025


def test_leaving_out_cls_spoils_the_first_vector_only(page):
    first, *others = page.cosines["without both"]
    assert first < 0.4 and min(others) > 0.9


def test_one_layer_parts_the_animal_from_the_verb(page):
    assert page.right["bear"][1:] == [20] * 6


def test_with_topics_swapped_the_word_still_knows_and_cls_does_not(page):
    bear, cls = (hits.sum(1) for hits in page.hits.values())
    assert bear.min() >= 7 and 2 <= cls.min() and cls.max() <= 5  # of eight: guessing gets four
    for seed in range(2):
        low, _ = bootstrap_interval(lambda some: some.sum(0), page.by_text, seed=seed)
        assert low.max() <= 1  # "begin at 1 or lower"


def test_one_direction_sorts_28_bears_by_their_sense_all_but_one(page):
    found = pca(page.both.cpu(), n=1)
    is_verb = np.array([*page.senses, *page.new_senses]) == 1
    left = found.coordinates[:, 0] < 0
    assert found.shares[0] > 0.5
    assert min((left != is_verb).sum(), (left == is_verb).sum()) == 1
