"""How alike vectors are: against loops, SciPy and scikit-learn, and where the answer is known."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics.pairwise import cosine_similarity

from tutorial_lib.geometry import average_cosine, cone_index, cosine_matrix, distributions, to_mean

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 7)) + 0.5
vectors = arrays(np.float64, st.tuples(st.integers(2, 12), st.integers(1, 5)), elements=st.integers(-4, 4)).filter(
    lambda X: X.any(axis=1).all()
)


@given(vectors)
def test_cosines_are_those_of_scikit_learn(X):
    np.testing.assert_allclose(cosine_matrix(X), cosine_similarity(X), atol=1e-12)


def test_cosines_with_another_matrix_are_those_of_scipy():
    Y = rng.normal(size=(9, 7))
    np.testing.assert_allclose(cosine_matrix(X, Y), 1 - cdist(X, Y, "cosine"), atol=1e-12)


def test_cosines_do_not_care_for_lengths_however_large_or_small():
    lengths = 10.0 ** rng.integers(-300, 300, size=(40, 1))
    np.testing.assert_allclose(cosine_matrix(X * lengths), cosine_matrix(X), atol=1e-12)


def test_no_cosine_leaves_its_range():
    Y = np.repeat(rng.normal(size=(1, 300)), 50, axis=0) * rng.random((50, 1))
    assert cosine_matrix(Y).max() == 1


@given(vectors)
def test_the_average_cosine_is_the_mean_over_all_pairs_of_different_rows(X):
    first, second = np.triu_indices(len(X), 1)
    assert average_cosine(X) == pytest.approx(cosine_similarity(X)[first, second].mean(), abs=1e-12)


@pytest.mark.parametrize(
    "X, expected",
    [
        (np.ones((5, 3)), 1.0),
        (np.eye(6), 0.0),
        (np.vstack([np.eye(4), -np.eye(4)]), -1 / 7),
        (np.eye(6) - 1 / 6, -1 / 5),  # a simplex: as far apart as six directions can be
    ],
    ids=["constant", "orthogonal", "cross", "simplex"],
)
def test_the_average_cosine_of_known_figures(X, expected):
    assert average_cosine(X) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(("n", "d"), [(2, 2), (30, 5), (7, 200)])
def test_the_squared_cone_index_is_n_and_all_cosines_of_pairs(n, d):
    X = np.random.default_rng(n).normal(size=(n, d)) + 0.3
    assert cone_index(X) ** 2 == pytest.approx(n + n * (n - 1) * average_cosine(X))
    assert cone_index(X, share=True) == pytest.approx(cone_index(X) / n)
    assert cone_index(X * np.arange(1, n + 1)[:, None]) == pytest.approx(cone_index(X))  # lengths do not count


def test_the_cone_index_of_known_figures():
    assert cone_index([[2.0, 0.0], [-5.0, 0.0]]) == 0
    assert cone_index(np.ones((8, 3))) == pytest.approx(8)
    assert cone_index(np.eye(9)) == pytest.approx(3)  # at right angles: the root of n
    tilt = 0.4  # every vector at this angle to one axis, spread evenly around it
    turn = np.arange(12) * np.pi / 6
    cone = np.stack([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.full(12, np.cos(tilt))], axis=1)
    assert cone_index(cone, share=True) == pytest.approx(np.cos(tilt))


def test_random_directions_have_a_cone_index_of_the_root_of_n():
    rng = np.random.default_rng(0)
    squares = [cone_index(rng.normal(size=(25, 40))) ** 2 for _ in range(400)]
    assert np.mean(squares) == pytest.approx(25, rel=0.05)


def test_uniform_directions_have_an_average_cosine_near_zero():
    sphere = np.random.default_rng(1).normal(size=(20_000, 50))
    assert abs(average_cosine(sphere)) < 5 / np.sqrt(50) / len(sphere)  # its standard deviation is √2/(n √d)


def test_few_rows_give_the_distributions_of_all_pairs():
    found = distributions(X)
    np.testing.assert_allclose(found.distances, pdist(X))
    np.testing.assert_allclose(found.cosines, 1 - pdist(X, "cosine"), atol=1e-12)
    np.testing.assert_allclose(found.dots, [X[i] @ X[j] for i in range(40) for j in range(i + 1, 40)])
    np.testing.assert_allclose(found.norms, [np.sqrt((row**2).sum()) for row in X])


def test_many_rows_give_a_sample_that_the_seed_decides():
    first, again, other = distributions(X, 500), distributions(X, 500), distributions(X, 500, seed=1)
    assert all(np.array_equal(a, b) for a, b in zip(first, again))
    assert not np.array_equal(first.dots, other.dots)
    assert len(first.norms) == 40 and len(first.dots) == len(first.cosines) == len(first.distances) == 500


def test_a_sample_holds_pairs_of_different_rows_each_as_often_as_the_others():
    from tutorial_lib.geometry.similarity import _pairs

    first, second = _pairs(5, 9, seed=0)
    assert len(first) == 9 and (first != second).all()
    first, second = np.sort(_pairs(500, 100_000, seed=3), axis=0)
    assert (first != second).all()
    counts = np.bincount(first, minlength=500) + np.bincount(second, minlength=500)
    assert abs(counts - 400).max() < 5 * 20  # five standard deviations
    small = np.sort(_pairs(201, 20_000, seed=0), axis=0)  # 20,100 pairs
    assert len(np.unique(small, axis=1).T) == pytest.approx(20_100 * (1 - np.exp(-20_000 / 20_100)), rel=0.02)


def test_the_measures_of_a_sample_belong_to_one_pair():
    found = distributions(X, 300)
    lengths = found.dots / found.cosines
    squares = [a * a + b * b for a in found.norms for b in found.norms]
    for dot, distance, product in zip(found.dots[:50], found.distances, lengths):
        assert min(abs(square - 2 * dot - distance**2) for square in squares) < 1e-9
        assert min(abs(a * b - product) for a in found.norms for b in found.norms) < 1e-9


@given(vectors)
def test_measures_to_the_mean_are_those_of_a_loop(X):
    mean = sum(X) / len(X)
    if np.linalg.norm(mean) < 1e-9:
        with pytest.raises(ValueError, match="X must have a mean that is not zero"):
            to_mean(X)
        return
    found = to_mean(X)
    np.testing.assert_allclose(found.mean, mean, atol=1e-12)
    for i, x in enumerate(X):
        assert found.distances[i] == pytest.approx(np.sqrt(sum((x - mean) ** 2)), abs=1e-12)
        assert found.dots[i] == pytest.approx(sum(x * mean), abs=1e-12)
        assert found.norms[i] == pytest.approx(np.sqrt(sum(x * x)))
        assert found.cosines[i] == pytest.approx(sum(x * mean) / np.sqrt(sum(x * x) * sum(mean * mean)), abs=1e-12)


def test_the_columns_of_the_table_fit_together():
    found = to_mean(X)
    length = np.linalg.norm(found.mean)
    np.testing.assert_allclose(found.dots, found.cosines * found.norms * length)
    np.testing.assert_allclose(found.distances**2, found.norms**2 + length**2 - 2 * found.dots)


@pytest.mark.parametrize("measure", [cosine_matrix, average_cosine, distributions, to_mean])
def test_numpy_torch_and_lists_give_the_same(measure):
    def flat(result):
        return np.concatenate([np.ravel(part) for part in result]) if isinstance(result, tuple) else np.ravel(result)

    expected = flat(measure(X))
    for other in (torch.tensor(X, requires_grad=True), X.tolist(), np.asfortranarray(X)):
        np.testing.assert_allclose(flat(measure(other)), expected, atol=1e-12)
    np.testing.assert_allclose(flat(measure(torch.tensor(X).float())), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("measure", [cosine_matrix, average_cosine, distributions, to_mean])
@pytest.mark.parametrize(
    "bad, error, says",
    [
        (np.ones(3), ValueError, "X must be a matrix"),
        (np.ones((0, 3)), ValueError, "X must be a matrix of . or more"),
        (np.ones((3, 0)), ValueError, "X must be a matrix"),
        ([[1.0, np.nan], [1.0, 2.0]], ValueError, "X must be finite"),
        ([[1.0, np.inf], [1.0, 2.0]], ValueError, "X must be finite"),
        ([[1.0, 2.0], [0.0, 0.0]], ValueError, "X must have no row of zeros.*at row 1"),
        ([["a", "b"]], TypeError, "X must be an array of real numbers"),
    ],
)
def test_what_has_no_similarity_is_refused_by_name(measure, bad, error, says):
    with pytest.raises(error, match=says):
        measure(bad)


def test_one_row_has_no_pair():
    for measure in (average_cosine, distributions):
        with pytest.raises(ValueError, match="X must be a matrix of 2 or more"):
            measure([[1.0, 2.0]])
    assert cosine_matrix([[1.0, 2.0]]) == pytest.approx(1.0)


def test_other_arguments_are_checked():
    with pytest.raises(ValueError, match="Y must have rows as long as those of X, 7, got 2"):
        cosine_matrix(X, np.ones((3, 2)))
    with pytest.raises(ValueError, match="Y must have no row of zeros"):
        cosine_matrix(X, np.zeros((3, 7)))
    with pytest.raises(ValueError, match="n_pairs must be a number of pairs"):
        distributions(X, 0)
