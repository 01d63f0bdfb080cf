"""Statements of the chapter "One word, many vectors" beyond the page's own run: another sentence, other draws."""

import pytest
import torch

from tutorial_lib.geometry import bootstrap_interval


@torch.no_grad()
def test_omitting_cls_changes_the_first_vector_most(bert, tok):
    ids = tok.encode("We met a large bear near the camp.").ids
    full, bare = bert([ids])[0, 1:-1], bert([ids[1:-1]])[0]
    cosines = torch.cosine_similarity(full, bare, dim=-1)
    assert cosines.argmin() == 0 and cosines[0] < 0.5


@pytest.mark.parametrize("seed", [1, 2])
def test_some_intervals_reach_0_in_other_draws(page, seed):
    low, _ = bootstrap_interval(lambda some: some.sum(0), page.by_text, seed=seed)
    assert low.min() <= 0 and low.max() <= 1
