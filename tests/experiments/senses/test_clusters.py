"""All ways to halve are listed once, and the best is k-means'."""

from math import comb

import numpy as np
import pytest
from sklearn.cluster import KMeans

from tutorial_book.experiments.senses import halves, place_of_halves

rng = np.random.default_rng(0)


@pytest.mark.parametrize("n", [2, 4, 8])
def test_each_way_to_halve_is_there_once(n):
    ways = halves(n)
    assert len({tuple(way) for way in ways}) == len(ways) == comb(n, n // 2) // 2
    assert (ways.sum(1) == n // 2).all() and (ways[:, 0] == 0).all() and (np.diff(ways[0]) >= 0).all()
    with pytest.raises(ValueError, match="n must be an even number"):
        halves(n + 1)


def test_tight_groups_are_the_best_cut():
    X = np.repeat(np.eye(6)[:2], 4, axis=0) + 0.1 * rng.normal(size=(8, 6))
    assert place_of_halves(X) == 1 and place_of_halves(X[[0, 4, 1, 5, 2, 6, 3, 7]]) > 30
    assert place_of_halves(np.ones((8, 3))) == 35  # all equal: nothing is found


def test_best_cut_is_that_of_k_means():
    """Only for draws that k-means cuts into halves."""
    halved = 0
    for _ in range(10):
        X = np.repeat(rng.normal(size=(2, 6)), 4, axis=0) + 0.3 * rng.normal(size=(8, 6))
        labels = KMeans(2, n_init=20, random_state=0).fit_predict(X / np.linalg.norm(X, axis=1, keepdims=True))
        if labels.sum() == 4:
            halved += 1
            assert place_of_halves(X[np.argsort(labels != labels[0], kind="stable")]) == 1
    assert halved > 3
