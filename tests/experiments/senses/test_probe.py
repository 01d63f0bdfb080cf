"""The structural probe: equal to gradient descent by hand, scored as SciPy scores."""

import numpy as np
import pytest
import torch
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
TREES = [tree_of(rng.random(n)) for n in (4, 5, 7, 9, 4, 6)]
STEPS = [steps(heads) for heads in TREES]


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


def test_probe_is_gradient_descent_on_the_papers_loss():
    """Written a second time, in float64 and with loops, from the same start."""
    X = [rng.normal(size=(len(heads), 5)) for heads in TREES[:4]]
    rows = np.concatenate(X)
    X = [(x - rows.mean(0)) / rows.std(0).mean() for x in X]  # so that the probe has nothing to scale
    start = 0.1 * (torch.rand(5, 3, generator=torch.Generator().manual_seed(7)) - 0.5).numpy().astype(float)
    ours = fit_probe(X, STEPS[:4], rank=3, seed=7, epochs=12, dtype=torch.float64)
    np.testing.assert_allclose(ours, adam(start, X, STEPS[:4], 12, 0.02), atol=1e-6)


def test_lengths_and_means_of_vectors_do_not_matter():
    X = [rng.normal(size=(len(heads), 5)) for heads in TREES[:6]]
    one, other = (fit_probe([scale * x + 3 for x in X], STEPS[:6], rank=3, epochs=30) for scale in (1, 50))
    np.testing.assert_allclose(probe_distances(one, X[0]), probe_distances(50 * other, X[0]), rtol=1e-3)


def test_edges_are_scipys_minimum_spanning_tree():
    for _ in range(20):
        D = rng.random((7, 7))
        D = D + D.T
        np.fill_diagonal(D, 0)
        assert edges(D) == {tuple(sorted(map(int, pair))) for pair in np.argwhere(minimum_spanning_tree(D).toarray())}


def test_scores_of_known_distances():
    heads = np.array([1, -1, 1, 2])
    assert right_edges(steps(heads), heads).tolist() == [3, 3]
    assert right_edges(steps(np.array([-1, 0, 0, 0])), heads).tolist() == [1, 3]  # a star
    D = rng.random((6, 6))
    theirs = np.mean([spearmanr(D[i], steps(chain(6))[i])[0] for i in range(6)])
    assert spearman(D, steps(chain(6))) == pytest.approx(theirs, abs=1e-12)
