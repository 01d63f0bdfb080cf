"""Subspaces: the input and output of a product of two factors, angles, and a subspace's share of a cloud."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import spectrum, subspaces


@pytest.mark.parametrize("d, k, m", [(9, 3, 7), (7, 3, 9), (4, 4, 4), (5, 1, 6)])
def test_factors_have_the_decomposition_of_their_product(d, k, m):
    down, up = gaussian(d, k), gaussian(k, m, seed=1)
    U, s, V = subspaces.product_svd(down, up)
    np.testing.assert_allclose(U @ np.diag(s) @ V.T, down @ up, atol=1e-12)
    np.testing.assert_allclose(s, np.linalg.svd(down @ up, compute_uv=False)[:k], atol=1e-12)
    np.testing.assert_allclose(U.T @ U, np.eye(k), atol=1e-12)
    np.testing.assert_allclose(V.T @ V, np.eye(k), atol=1e-12)


def test_effective_ranks_of_known_values():
    assert subspaces.effective_rank(np.ones(5)) == pytest.approx(5)
    assert subspaces.effective_rank([3, 0, 0]) == pytest.approx(1)
    p = np.array([4, 1]) / 5
    for s in ([2, 1], [2e5, 1e5], [1, -2]):
        assert subspaces.effective_rank(s) == pytest.approx(np.exp(-(p * np.log(p)).sum()))


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
@settings(max_examples=30)
def test_angles_are_scipys(seed, k, m):
    U, V = gaussian(6, k, seed=seed), gaussian(6, m, seed=seed + 1)
    angles = subspaces.principal_angles(U, V)
    assert len(angles) == min(k, m)
    np.testing.assert_allclose(angles, subspace_angles(U, V)[::-1], atol=1e-7)
    assert subspaces.subspace_overlap(U, V) == pytest.approx(np.square(np.cos(subspace_angles(U, V))).mean())


def test_known_subspaces_have_known_angles():
    e = np.eye(4)
    turned = np.cos(0.3) * e[:, [1]] + np.sin(0.3) * e[:, [2]]
    angles = subspaces.principal_angles(
        e[:, :2], np.hstack([5 * e[:, [0]], turned])
    )  # a shared direction, and one turned by 0.3
    np.testing.assert_allclose(angles, [0, 0.3], atol=1e-7)
    assert subspaces.subspace_overlap(e[:, :2], e[:, 2:]) == pytest.approx(0, abs=1e-12)
    assert subspaces.subspace_overlap(e[:, :1], e[:, :3]) == pytest.approx(1)
    nearly = np.array([[1.0, 1.0], [0.0, 1e-9]])  # they differ by little: still two directions
    assert subspaces.subspace_overlap(nearly, np.eye(2)) == pytest.approx(1)


def test_random_subspaces_overlap_as_expected():
    d, k = 48, 6
    drawn = [subspaces.random_subspace(d, k, seed) for seed in range(400)]
    overlaps = [subspaces.subspace_overlap(U, V) for U, V in zip(drawn[::2], drawn[1::2], strict=True)]
    assert np.mean(overlaps) == pytest.approx(k / d, rel=0.05)


def test_a_subspace_sees_the_variance_in_it():
    X = gaussian(400, 10) * np.arange(1, 11) + 7
    principal = np.linalg.svd(X - X.mean(0), full_matrices=False)[2].T  # (10, 10)
    assert subspaces.variance_seen(X, principal[:, :3]) == pytest.approx(spectrum(X)[:3].sum())
    assert subspaces.variance_seen(X, np.eye(10)) == pytest.approx(1)
    assert subspaces.variance_seen(X, 5 * principal[:, :1]) == pytest.approx(spectrum(X)[0])
    seen = [subspaces.variance_seen(X, subspaces.random_subspace(10, 3, seed)) for seed in range(300)]
    assert np.mean(seen) == pytest.approx(0.3, abs=0.02)
