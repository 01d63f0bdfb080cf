"""Shares of coordinates and the controls: against the definition, loop by loop, scikit-learn's, and known figures."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from tutorial_lib.geometry import average_cosine
from tutorial_lib.geometry.controls import (
    center,
    cosine_parts,
    distance_shares,
    leave_out,
    norm_shares,
    remove_main,
    standardize,
    whiten,
)  # fmt: skip

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 6)) * [1, 2, 3, 1, 1, 1] + [0, 0, 1, 8, 0, 0]
Y = rng.normal(size=(5, 6))
vectors = arrays(np.float64, st.tuples(st.integers(2, 9), st.integers(1, 4)), elements=st.integers(-4, 4)).filter(
    lambda X: X.any(axis=1).all()
)


@given(vectors)
def test_the_parts_of_a_cosine_are_the_mean_products_of_unit_vectors_and_add_up_to_it(X):
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    parts = cosine_parts(X)
    np.testing.assert_allclose(parts, np.mean([u * v for u, v in combinations(U, 2)], axis=0), atol=1e-12)
    assert parts.sum() == pytest.approx(average_cosine(X), abs=1e-12)


def test_shares_of_lengths_and_distances_are_those_of_a_loop_and_add_up_to_1():
    np.testing.assert_allclose(norm_shares(X), np.mean([x**2 / (x @ x) for x in X], axis=0), atol=1e-12)
    squares = np.sum([(x - y) ** 2 for x, y in combinations(X, 2)], axis=0)
    np.testing.assert_allclose(distance_shares(X), squares / squares.sum(), atol=1e-12)
    assert norm_shares(X).sum() == pytest.approx(1) == distance_shares(X).sum()


def test_a_large_number_that_all_rows_share_makes_cosines_and_no_distances():
    alike = np.hstack([rng.normal(size=(500, 8)), np.full((500, 1), 20.0)])
    assert cosine_parts(alike)[-1] / cosine_parts(alike).sum() > 0.99 and distance_shares(alike)[-1] == 0
    assert norm_shares(alike)[-1] > 0.95
    round_cloud = rng.normal(size=(2000, 8))
    np.testing.assert_allclose(norm_shares(round_cloud), 1 / 8, atol=0.02)
    np.testing.assert_allclose(distance_shares(round_cloud), 1 / 8, atol=0.02)


def test_standardizing_is_scikit_learns():
    np.testing.assert_allclose(standardize(X)(Y), StandardScaler().fit(X).transform(Y), atol=1e-6)
    flat = np.hstack([X, np.full((60, 1), 3.0)])
    assert (standardize(flat)(flat)[:, -1] == 0).all()


@pytest.mark.parametrize("n", [1, 3, 6])
def test_whitening_is_scikit_learns_but_for_signs_and_its_divisor(n):
    theirs = PCA(n, whiten=True).fit(X)
    ours = whiten(X, n)(Y) * np.sqrt(59 / 60)  # scikit-learn divides by n - 1
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs.transform(Y)), atol=1e-6)


def test_a_whitened_cloud_varies_alike_in_all_directions():
    np.testing.assert_allclose(np.cov(whiten(X)(X), rowvar=False, bias=True), np.eye(6), atol=1e-9)
    few = rng.normal(size=(4, 6))
    assert whiten(few)(few).shape == (4, 3)
    with pytest.raises(ValueError, match="n must be a number of directions from 1 to 3, got 4"):
        whiten(few, 4)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_without_main_directions_is_what_scikit_learns_pca_leaves(n):
    pca = PCA().fit(X)
    top = pca.components_[:n]
    theirs = (Y - pca.mean_) - (Y - pca.mean_) @ top.T @ top
    np.testing.assert_allclose(remove_main(X, n)(Y), theirs, atol=1e-6)
    assert np.linalg.matrix_rank(remove_main(X, n)(X)) == 6 - n


def test_the_mean_and_coordinates_go():
    np.testing.assert_allclose(center(X)(X).mean(axis=0), 0, atol=1e-12)
    np.testing.assert_array_equal(leave_out(X, [0, 4])(Y), np.delete(Y, [0, 4], axis=1))
    np.testing.assert_array_equal(leave_out(X, [])(Y), Y)


def test_elsewhere_a_control_does_the_same_to_shuffled_coordinates():
    control = whiten(X, 4)
    order = np.random.default_rng(3).permutation(6)
    moved = np.empty_like(Y)
    moved[:, order] = Y  # coordinate i has become coordinate order[i]
    np.testing.assert_allclose(control.elsewhere(3)(Y), control(moved), atol=1e-12)
    assert not np.allclose(control.elsewhere(3)(Y), control(Y))


def test_stacks_of_vectors_keep_their_shape():
    assert center(X)(np.stack([Y, Y])).shape == (2, 5, 6) and whiten(X, 2)(np.stack([Y, Y])).shape == (2, 5, 2)


def test_what_is_no_cloud_is_refused():
    for fit in (standardize, whiten, lambda X: remove_main(X, 1), distance_shares):
        with pytest.raises(ValueError, match="at least two different vectors"):
            fit([[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="no row of zeros"):
        norm_shares([[0.0, 0.0]])
