"""Shares of coordinates and the controls: against loops, scikit-learn, and known figures."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from tests.geometry.clouds import WHOLE, gaussian
from tutorial_lib.geometry import average_cosine, controls

X = gaussian(60, 6) * [1, 2, 3, 1, 1, 1] + [0, 0, 1, 8, 0, 0]
Y = gaussian(5, 6, seed=1)


@given(WHOLE)
def test_parts_of_the_average_cosine_add_up(X):
    U = X / np.linalg.norm(X, axis=1, keepdims=True)
    parts = controls.cosine_parts(X)
    np.testing.assert_allclose(parts, np.mean([u * v for u, v in combinations(U, 2)], axis=0), atol=1e-12)
    assert parts.sum() == pytest.approx(average_cosine(X), abs=1e-12)


def test_shares_are_those_of_a_loop():
    np.testing.assert_allclose(controls.norm_shares(X), np.mean([x**2 / (x @ x) for x in X], axis=0), atol=1e-12)
    squares = np.sum([(x - y) ** 2 for x, y in combinations(X, 2)], axis=0)
    np.testing.assert_allclose(controls.distance_shares(X), squares / squares.sum(), atol=1e-12)


def test_standardizing_is_scikit_learns():
    np.testing.assert_allclose(controls.standardize(X)(Y), StandardScaler().fit(X).transform(Y), atol=1e-6)
    flat = np.hstack([X, np.full((60, 1), 0.7)])  # whose deviation from its mean is rounding
    np.testing.assert_allclose(controls.standardize(flat)(flat).std(0), [1, 1, 1, 1, 1, 1, 0])


@pytest.mark.parametrize("n", [1, 3, 6, None])
def test_whitening_is_scikit_learns(n):
    theirs = PCA(n, whiten=True).fit(X).transform(Y) * np.sqrt(60 / 59)  # it divides by n - 1
    control = controls.whiten(X, n)
    np.testing.assert_allclose(np.abs(control(Y)), np.abs(theirs), atol=1e-6)
    largest = np.abs(control.matrix).argmax(0)
    assert (control.matrix[largest, range(len(largest))] > 0).all()  # signs are not random


def test_whitening_few_vectors_keeps_the_directions_that_vary():
    few = gaussian(4, 6)
    np.testing.assert_allclose(np.cov(controls.whiten(few)(few), rowvar=False, bias=True), np.eye(3), atol=1e-9)
    line = np.arange(5.0)[:, None]
    np.testing.assert_allclose(controls.whiten(line)(line).std(0), 1)


@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_removing_main_directions_leaves_what_pca_leaves(n):
    pca = PCA().fit(X)
    top = pca.components_[:n]
    theirs = (Y - pca.mean_) - (Y - pca.mean_) @ top.T @ top
    np.testing.assert_allclose(controls.remove_main(X, n)(Y), theirs, atol=1e-6)


def test_center_and_leave_out_do_as_they_say():
    np.testing.assert_allclose(controls.center(X)(Y), Y - X.mean(0), atol=1e-12)
    np.testing.assert_array_equal(controls.leave_out(X, [0, 4])(Y), np.delete(Y, [0, 4], axis=1))
    np.testing.assert_array_equal(controls.leave_out(X, [])(Y), Y)
    stack = np.stack([Y, 2 * Y])
    np.testing.assert_allclose(controls.center(X)(stack)[1], controls.center(X)(2 * Y))


def test_elsewhere_a_control_hits_shuffled_coordinates():
    control = controls.whiten(X, 4)
    moved = np.empty_like(Y)
    moved[:, np.random.default_rng(3).permutation(6)] = Y
    np.testing.assert_allclose(control.elsewhere(3)(Y), control(moved), atol=1e-12)
