"""How similar vectors are: against loops, SciPy and scikit-learn, and with known answers."""

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics.pairwise import cosine_similarity

from tests.geometry.clouds import WHOLE, gaussian
from tutorial_lib.geometry import similarity

X = gaussian(40, 7) + 0.5
Y = gaussian(9, 7, seed=1)


@given(WHOLE)
def test_cosines_are_scikit_learns(X):
    expected = cosine_similarity(X)
    np.testing.assert_allclose(similarity.cosine_matrix(X), expected, atol=1e-12)
    np.testing.assert_allclose(similarity.cosine(X, X[:1]), expected[0], atol=1e-12)
    first, second = np.triu_indices(len(X), 1)
    assert similarity.average_cosine(X) == pytest.approx(expected[first, second].mean(), abs=1e-12)


def test_distances_and_cosines_are_scipys():
    np.testing.assert_allclose(similarity.cosine_matrix(X, Y), 1 - cdist(X, Y, "cosine"), atol=1e-12)
    stack = np.stack([X, 2 * X])
    np.testing.assert_allclose(similarity.cosine(stack, X[0])[1], 1 - cdist(X, X[:1], "cosine")[:, 0], atol=1e-12)
    for metric in ("euclidean", "cosine"):
        np.testing.assert_allclose(similarity.distance_matrix(X, metric), cdist(X, X, metric), atol=1e-12)


def test_lengths_change_no_cosine():
    lengths = 10.0 ** np.random.default_rng(0).integers(-90, 90, size=(40, 1))
    np.testing.assert_allclose(similarity.cosine_matrix(X * lengths), similarity.cosine_matrix(X), atol=1e-12)


def test_no_cosine_leaves_its_range():
    many = gaussian(1000, 7)  # some of whose squared lengths come out above 1
    for found in (similarity.cosine(many, many), similarity.cosine_matrix(many), similarity.cosine_matrix(many, many)):
        assert found.max() == 1
    for found in (similarity.cosine(many, -many), similarity.cosine_matrix(many, -many)):
        assert found.min() == -1
    equal = gaussian(1, 384).repeat(9, axis=0)
    assert not similarity.distance_matrix(equal * np.arange(1, 10)[:, None], "cosine").any()
    assert not similarity.distance_matrix(equal + 1e4).any()


TILT = 0.4  # of the vectors of a cone to its axis
AROUND = np.arange(12) * np.pi / 6
FIGURES = {
    "equal": (np.ones((5, 3)), 1),
    "orthogonal": (np.eye(6), 0),
    "cross": (np.vstack([np.eye(4), -np.eye(4)]), -1 / 7),
    "opposite": (np.array([[2.0, 0.0], [-5.0, 0.0]]), -1),
    "simplex": (np.eye(6) - 1 / 6, -1 / 5),  # as far apart as six directions can be
    "cone": (np.stack([np.cos(AROUND), np.sin(AROUND), np.full(12, 1 / np.tan(TILT))], axis=1),
             (12 * np.cos(TILT) ** 2 - 1) / 11),
}  # fmt: skip


@pytest.mark.parametrize("X, expected", FIGURES.values(), ids=FIGURES)
def test_the_average_cosine_of_known_figures(X, expected):
    n = len(X)
    assert similarity.average_cosine(X) == pytest.approx(expected, abs=1e-14)
    assert similarity.cone_index(X) ** 2 == pytest.approx(n + n * (n - 1) * expected, abs=1e-12)
    assert similarity.cone_index(X, share=True) == pytest.approx(similarity.cone_index(X) / n)


def test_few_rows_give_the_distributions_of_all_pairs(monkeypatch):
    monkeypatch.setattr(similarity, "CHUNK", 100)
    for n_pairs in (780, 200_000):
        found = similarity.distributions(X, n_pairs)
        np.testing.assert_allclose(found.distances, pdist(X))
        np.testing.assert_allclose(found.cosines, 1 - pdist(X, "cosine"), atol=1e-12)
        np.testing.assert_allclose(found.dots, (X @ X.T)[np.triu_indices(40, 1)])
        np.testing.assert_allclose(found.norms, np.linalg.norm(X, axis=1))


def test_many_rows_give_a_sample_by_seed():
    first, again, other = (similarity.distributions(X, 779, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first.dots, other.dots)
    assert [len(part) for part in first] == [40, 779, 779, 779]
    i, j = similarity._pairs(40, 779, seed=0)
    np.testing.assert_allclose(first.dots, (X[i] * X[j]).sum(1))
    np.testing.assert_allclose(first.distances, np.linalg.norm(X[i] - X[j], axis=1))


def test_a_sample_holds_all_pairs_equally_often():
    first, second = np.sort(similarity._pairs(500, 100_000, seed=3), axis=0)
    assert (first != second).all()
    counts = np.bincount(first, minlength=500) + np.bincount(second, minlength=500)
    assert abs(counts - 400).max() < 5 * 20  # five standard deviations
    small = np.sort(similarity._pairs(201, 20_000, seed=0), axis=0)  # of 20,100 pairs
    assert len(np.unique(small, axis=1).T) == pytest.approx(20_100 * (1 - np.exp(-20_000 / 20_100)), rel=0.02)


@given(WHOLE)
def test_measures_to_the_mean_are_a_loops(X):
    mean = sum(X) / len(X)
    if np.linalg.norm(mean) < 1e-9:
        return
    found = similarity.to_mean(X)
    np.testing.assert_allclose(found.mean, mean, atol=1e-12)
    for i, x in enumerate(X):
        length = np.linalg.norm(x)
        expected = [np.linalg.norm(x - mean), x @ mean / length / np.linalg.norm(mean), x @ mean, length]
        assert [part[i] for part in found[:4]] == pytest.approx(expected, abs=1e-12)


def centered_grams(X, Y):
    H = np.eye(len(X)) - 1 / len(X)
    return H @ X @ X.T @ H, H @ Y @ Y.T @ H


def test_cka_is_the_cosine_of_centered_gram_matrices():
    Z = gaussian(40, 12, seed=2)
    K, L = centered_grams(X, Z)
    expected = (K * L).sum() / np.linalg.norm(K) / np.linalg.norm(L)
    assert similarity.cka(X, Z) == pytest.approx(expected, rel=1e-12)
    turned = 1e90 * X @ np.linalg.qr(gaussian(7, 7))[0]
    assert similarity.cka(X, turned) == pytest.approx(1) and similarity.cka(1e-90 * X, Z) == pytest.approx(expected)
    assert similarity.cka(X + 1e6, Z) == pytest.approx(expected, rel=1e-6)


def test_unbiased_cka_sums_over_four_different_things():
    """By its definition, a mean over all ordered fours (Song et al. 2012, section 2.2)."""
    from itertools import permutations

    A, B = gaussian(6, 3), gaussian(6, 2, seed=1)

    def dependence(A, B):
        K, L = A @ A.T, B @ B.T
        return np.mean([K[i, j] * (L[i, j] + L[q, r] - 2 * L[i, q]) for i, j, q, r in permutations(range(6), 4)])

    expected = dependence(A, B) / np.sqrt(dependence(A, A) * dependence(B, B))
    assert similarity.cka(A, B, unbiased=True) == pytest.approx(expected)


def test_unbiased_cka_of_random_clouds_is_near_zero():
    pairs = [(gaussian(20, 100, seed=i), gaussian(20, 100, seed=1000 + i)) for i in range(40)]
    assert np.mean([similarity.cka(*pair) for pair in pairs]) > 0.8
    assert abs(np.mean([similarity.cka(*pair, unbiased=True) for pair in pairs])) < 0.03


def test_cka_rejects_clouds_that_do_not_fit():
    for bad, name in ((Y, "Y must have one row per row"), (np.ones((40, 2)), "Y must contain at least two different")):
        with pytest.raises(ValueError, match=name):
            similarity.cka(X, bad)
    with pytest.raises(ValueError, match="X must be a matrix of 4"):
        similarity.cka(X[:3], Y[:3], unbiased=True)
