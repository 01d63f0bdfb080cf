"""Checks that the chapter on gates, cones and subspaces cannot do: other texts, and other ways to a value."""

import numpy as np
import pytest
import torch

from tutorial_book.experiments.gates import read
from tutorial_lib.geometry import (
    GATES,
    bootstrap_interval,
    gate_example,
    gate_of,
    gate_scores,
    random_subspace,
    variance_seen,
    without_tokens,
)
from tutorial_lib.texts import load_texts


@pytest.fixture(scope="module")
def other_maps(page, bert):
    """The maps of the texts that were not used when the chapter was written."""
    return read(bert, page.other_ids).maps


def scores_of(maps):
    return np.stack([gate_scores(A) for A in maps])  # (texts, layers, heads, 7)


@pytest.mark.long
def test_other_stories_keep_each_count_in_its_interval(page, bert, tok):
    """The other texts come from the same stories as the first ones; these do not."""
    far = read(bert, [tok.encode(text).ids for text in load_texts("stories")[160::5][:40]]).maps
    low, high = bootstrap_interval(page.census, page.scores, n=500)
    counts = page.census(np.concatenate([scores_of(far), page.cases["other texts"][40:]]))
    assert ((low <= counts) & (counts <= high)).all()


def test_directional_gate_is_cls_in_other_texts(page, other_maps):
    place = np.stack([A.sum(-2).argmax(-1) for A in other_maps])
    assert (place[gate_of(page.cases["other texts"]) == "directional"] == 0).mean() > 0.95
    inner = scores_of([without_tokens(A, [0, A.shape[-1] - 1]) for A in other_maps])
    assert page.census(inner)[GATES.index("directional")] == 0


def test_variance_seen_by_chance_matches_the_library(page, bert):
    pool = np.concatenate([X[2] for X in read(bert, page.ids).vectors])
    assert page.by_chance[2][0] == pytest.approx(variance_seen(pool, random_subspace(384, 32, 0)), rel=1e-3)


def test_rows_of_the_matrix_give_the_models_queries(page, bert):
    queries = bert.trace(page.ids[0])["layer.2.attention.queries"][0, 1]
    assert torch.allclose(torch.as_tensor(page.queries), queries, atol=1e-4)
    assert page.strangers.shape == queries.shape
    assert not torch.allclose(torch.as_tensor(page.strangers), queries, atol=0.5)


def test_exercise_2(page):
    blocks = gate_scores(page.blocks)
    assert blocks == pytest.approx([1 / 3, 0, -1 / 9, -1 / 9, 1, 1 / 6, 1 / 3]) and gate_of(blocks) == "cluster"


def test_two_pure_gates_meet_half_way():
    column, even = gate_example("directional", 12, seed=1), gate_example("open", 12)
    names = [gate_of(gate_scores((1 - share) * column + share * even)) for share in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    assert names == ["directional"] * 3 + ["open"] * 3
