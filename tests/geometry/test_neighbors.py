"""Nearest neighbors: the fast engine against the definition."""

import numpy as np
import pytest

from tutorial_lib.geometry import intrinsic_dimension, nearest_neighbors, neighbors, tiles


def gaussian(n, d, seed=0, scale=1.0):
    return np.random.default_rng(seed).normal(size=(n, d)) * scale


def all_distances(X):
    """By a double loop's arithmetic: every difference, no products."""
    D = np.linalg.norm(X[:, None] - X[None], axis=-1)
    np.fill_diagonal(D, np.inf)
    return D


@pytest.mark.parametrize("shape", [(4, 1), (30, 3), (300, 20)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_neighbors_are_those_of_a_double_loop(shape, k):
    X = gaussian(*shape)
    D = all_distances(X)
    distances, indices = nearest_neighbors(X, k)
    np.testing.assert_allclose(distances, np.sort(D, axis=1)[:, :k], rtol=1e-12)
    np.testing.assert_array_equal(indices, D.argsort(axis=1)[:, :k])


def test_tiles_give_what_one_block_gives(monkeypatch):
    X = gaussian(257, 12)
    whole = nearest_neighbors(X, 3)
    monkeypatch.setattr(tiles, "TILE", 32)
    for ours, theirs in zip(nearest_neighbors(X, 3), whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_near_copies_far_from_the_origin_keep_their_digits():
    """Their distances are below the rounding of |x|^2 + |y|^2 - 2 x y, so the fast pass cannot tell them apart."""
    centers = np.repeat(1000 * gaussian(6, 40), 20, axis=0)  # 6 clusters of 20
    X = centers + 1e-9 * gaussian(120, 40, 1)
    D = all_distances(X)
    distances, indices = nearest_neighbors(X)
    np.testing.assert_allclose(distances, np.sort(D, axis=1)[:, :2], rtol=1e-12)
    np.testing.assert_array_equal(indices, D.argsort(axis=1)[:, :2])
    products = (X**2).sum(1)[:, None] + (X**2).sum(1) - 2 * X @ X.T
    np.fill_diagonal(products, np.inf)
    assert (products.argmin(1) != indices[:, 0]).any()  # what goes wrong without the second look


def test_points_that_lie_well_apart_are_searched_once(monkeypatch):
    searches, search = [], tiles._candidates
    monkeypatch.setattr(tiles, "_candidates", lambda *args: searches.append(args) or search(*args))
    nearest_neighbors(gaussian(300, 20))
    assert len(searches) == 1


def test_one_outlier_does_not_blur_the_others():
    X = gaussian(400, 10)
    X[7] = 1e9
    np.testing.assert_allclose(nearest_neighbors(X)[0], np.sort(all_distances(X), axis=1)[:, :2], rtol=1e-9)


def test_points_that_underflow_beside_a_large_one_are_still_told_apart():
    X = np.r_[np.arange(1.0, 20.0) ** 2 * 1e-30, 1.0][:, None]
    np.testing.assert_allclose(nearest_neighbors(X)[0], np.sort(all_distances(X), axis=1)[:, :2], rtol=1e-9)


def test_a_grid_with_all_its_ties_has_neighbors_at_1():
    grid = np.stack(np.meshgrid(*[np.arange(7.0)] * 3), axis=-1).reshape(-1, 3)
    assert (nearest_neighbors(grid)[0] == 1).all()
    with pytest.raises(ValueError, match="perfect grid"):
        intrinsic_dimension(grid)


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_k_is_a_positive_number(k):
    with pytest.raises(ValueError, match="^k must"):
        nearest_neighbors(gaussian(5, 2), k)


def test_more_neighbors_than_others_are_refused():
    assert nearest_neighbors(gaussian(3, 2), 2)[0].shape == (3, 2)
    with pytest.raises(ValueError, match="^X must be a matrix of 4 or more"):
        nearest_neighbors(gaussian(3, 2), 3)


@pytest.mark.parametrize("n", [5, 40, 700])
def test_the_tiles_find_what_the_definition_says(n, monkeypatch):
    monkeypatch.setattr(tiles, "TILE", 256)
    X = gaussian(n, 7)
    fast, plain = nearest_neighbors(X, 4), neighbors.nearest_by_definition(X, 4)
    np.testing.assert_allclose(fast[0], plain[0], rtol=1e-12)
    np.testing.assert_array_equal(fast[1], plain[1])
