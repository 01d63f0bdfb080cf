"""The structural probe: exact on vectors that are a tree, equal to gradient descent by hand, scored as SciPy scores."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import spearmanr

from tutorial_book.experiments.senses import (
    chain,
    edges,
    fit_probe,
    probe_distances,
    right_edges,
    spearman,
    steps,
    tree_of,
)

pytestmark = pytest.mark.usefixtures("one_thread")
rng = np.random.default_rng(0)
EDGES = np.linalg.qr(rng.normal(size=(12, 12)))[0]  # a direction for each edge, at right angles


def embedded(heads):
    """Vectors whose squared distances are the steps: each word stands one edge away from its head."""
    x = np.zeros((len(heads), 12))
    order = np.argsort([steps(heads)[i, np.flatnonzero(heads < 0)[0]] for i in range(len(heads))], kind="stable")
    for i in order:
        x[i] = x[heads[i]] + EDGES[i] if heads[i] >= 0 else 0
    return x


TREES = [tree_of(rng.random(n)) for n in rng.integers(4, 10, size=120)]
STEPS = [steps(heads) for heads in TREES]


def test_a_tree_can_stand_in_squared_distances_exactly():
    for heads, D in zip(TREES, STEPS):
        np.testing.assert_allclose(probe_distances(np.eye(12), embedded(heads)), D, atol=1e-12)


def test_the_probe_finds_the_tree_among_other_things_that_vectors_hold():
    """The embedded trees in 12 of 40 coordinates, turned, with larger numbers in the others; and sentences not seen."""
    turn = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    X = [np.hstack([embedded(heads), 3 * rng.normal(size=(len(heads), 28))]) @ turn for heads in TREES]
    W = fit_probe(X[:90], STEPS[:90], rank=12, epochs=600, lr=0.05)
    before = sum(right_edges(probe_distances(np.eye(40), x), heads) for x, heads in zip(X[90:], TREES[90:]))
    after = sum(right_edges(probe_distances(W, x), heads) for x, heads in zip(X[90:], TREES[90:]))
    assert before[0] / before[1] < 0.6 and after[0] / after[1] > 0.9


def loss_and_slope(W, X, D):
    """The paper's loss with two loops over words, and its gradient, in NumPy."""
    loss, slope = 0.0, np.zeros_like(W)
    for x, steps_of in zip(X, D):
        for i in range(len(x)):
            for j in range(len(x)):
                y = (x[i] - x[j]) @ W
                gap = y @ y - steps_of[i, j]
                share = 1 / len(x) ** 2 / len(X)
                loss += share * abs(gap)
                slope += share * np.sign(gap) * 2 * np.outer(x[i] - x[j], y)
    return loss, slope


def adam(W, X, D, epochs, lr):
    """Kingma and Ba's algorithm 1, with the rate that the probe has: from lr to a hundredth of it."""
    m, v = np.zeros_like(W), np.zeros_like(W)
    for t in range(1, epochs + 1):
        slope = loss_and_slope(W, X, D)[1]
        m, v = 0.9 * m + 0.1 * slope, 0.999 * v + 0.001 * slope**2
        rate = lr * (1 - 0.99 * (t - 1) / epochs)
        W = W - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return W


def test_it_is_gradient_descent_on_the_papers_loss():
    """Written a second time, in float64 and with loops, from the same start."""
    import torch

    X = [rng.normal(size=(len(heads), 5)) for heads in TREES[:6]]
    rows = np.concatenate(X)
    X = [(x - rows.mean(0)) / rows.std(0).mean() for x in X]  # so that the probe has nothing to scale
    start = 0.1 * (torch.rand(5, 3, generator=torch.Generator().manual_seed(7)) - 0.5).numpy().astype(float)
    ours = fit_probe(X, STEPS[:6], rank=3, seed=7, epochs=20, dtype=torch.float64)
    np.testing.assert_allclose(ours, adam(start, X, STEPS[:6], 20, 0.02), atol=1e-6)
    assert loss_and_slope(ours, X, STEPS[:6])[0] < loss_and_slope(start, X, STEPS[:6])[0]


def test_lengths_and_means_of_the_vectors_do_not_matter():
    X = [rng.normal(size=(len(heads), 5)) for heads in TREES[:6]]
    one, other = (fit_probe([scale * x + 3 for x in X], STEPS[:6], rank=3, epochs=30) for scale in (1, 50))
    np.testing.assert_allclose(probe_distances(one, X[0]), probe_distances(50 * other, X[0]), rtol=1e-3)


def test_the_edges_are_scipys_minimum_spanning_tree():
    for _ in range(20):
        D = rng.random((7, 7))
        D = D + D.T
        np.fill_diagonal(D, 0)
        theirs = {tuple(sorted(map(int, pair))) for pair in np.argwhere(minimum_spanning_tree(D).toarray())}
        assert edges(D) == theirs


def test_right_edges_and_rank_correlations_of_known_distances():
    heads = np.array([1, -1, 1, 2])
    assert right_edges(steps(heads), heads).tolist() == [3, 3]
    star = steps(np.array([-1, 0, 0, 0]))
    assert right_edges(star, heads).tolist() == [1, 3]
    assert spearman(steps(heads), steps(heads)) == pytest.approx(1)
    D = rng.random((6, 6))
    theirs = np.mean([spearmanr(D[i], steps(chain(6))[i])[0] for i in range(6)])
    assert spearman(D, steps(chain(6))) == pytest.approx(theirs, abs=1e-12)
