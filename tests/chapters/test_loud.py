"""Checks that the page on loud coordinates cannot do: other resamples, other strangers, another start of k-means."""

import numpy as np
import pytest

from tutorial_book.experiments.loud import token_vectors
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import bootstrap_interval
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece

COLLECTIONS = ["encyclopedia", "posts"]
MEANS, CLS = "means, layer 5", "[CLS], layer 6"


@pytest.fixture(scope="module")
def posts():
    return token_vectors(load_texts("posts"), Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained())


def test_parts_of_each_layer_sum_to_average_cosine(page):
    for name in COLLECTIONS:
        np.testing.assert_allclose(page.parts[name].sum(1), [row[5] for row in page.by_layer[name]], atol=1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_other_resamples_show_the_same_order_of_measures(page, seed):
    cosine, constant, distance, angle = page.ways[CLS]
    for more in (angle - cosine, angle - constant, constant - distance):
        assert bootstrap_interval(np.mean, more, seed=seed)[0] > 0
    cosine, _, _, angle = page.ways[MEANS]
    low, high = bootstrap_interval(np.mean, angle - cosine, seed=seed)
    assert low < 0 < high


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", COLLECTIONS)
def test_one_coordinate_bends_the_curves_in_other_resamples(page, name, seed):
    words, _, quiet, _ = page.context[name]["self-similarity"]
    less = (words[5] - words[4]) - (quiet[5] - quiet[4])
    assert bootstrap_interval(np.mean, less, seed=seed)[0] > 0
    with_it, without_it = page.steps[name, "sentence similarity"]
    assert bootstrap_interval(np.mean, without_it, seed=seed)[0] > 0
    assert bootstrap_interval(np.mean, with_it, seed=seed)[0] < 0.002


@pytest.mark.long
@pytest.mark.parametrize("seed", [3, 4])
def test_other_strangers_give_the_same_gap(page, posts, seed):
    words, strangers, *_ = page.measured(posts, [seed])["sentence similarity"][:, 5].mean(-1)
    gap = page.gaps["posts", "sentence similarity"][0][5].mean()
    assert words - strangers == pytest.approx(gap, abs=0.01)  # as the solution of exercise 2 says


def test_clusters_are_less_round_than_those_of_noise(page, posts):
    X = posts.vectors[5]
    assert page.clustered(X, seed=1)[4] < 0.7 * page.clustered(page.gaussian(X, seed=1), seed=1)[4]
