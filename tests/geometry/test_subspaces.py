"""Subspaces: what a product of two factors reads and writes, angles, and what a subspace sees of a cloud."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles

from tutorial_lib.geometry import (
    effective_rank,
    principal_angles,
    product_svd,
    random_subspace,
    spectrum,
    subspace_overlap,
    variance_seen,
)


def gaussian(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("shape", [(9, 3, 7), (7, 3, 9), (4, 4, 4), (5, 1, 6)])
def test_the_factors_have_the_singular_values_and_subspaces_of_their_product(shape):
    d, k, m = shape
    down, up = gaussian(d, k), gaussian(k, m, seed=1)
    U, s, V = product_svd(down, up)
    np.testing.assert_allclose(U @ np.diag(s) @ V.T, down @ up, atol=1e-12)
    np.testing.assert_allclose(s, np.linalg.svd(down @ up, compute_uv=False)[:k], atol=1e-12)
    np.testing.assert_allclose(U.T @ U, np.eye(k), atol=1e-12)
    np.testing.assert_allclose(V.T @ V, np.eye(k), atol=1e-12)


def test_a_product_reads_only_its_subspace_and_writes_only_there():
    down, up = gaussian(8, 2), gaussian(2, 8, seed=1)
    U, _, V = product_svd(down, up)
    x = gaussian(8, seed=2)
    np.testing.assert_allclose(x @ down @ up, (x @ U) @ U.T @ down @ up, atol=1e-12)
    np.testing.assert_allclose((x @ down @ up) @ V @ V.T, x @ down @ up, atol=1e-12)


def test_the_effective_rank_of_known_values():
    assert effective_rank(np.ones(5)) == pytest.approx(5)
    assert effective_rank([3, 0, 0]) == pytest.approx(1)
    p = np.array([4, 1]) / 5
    assert effective_rank([2, 1]) == pytest.approx(np.exp(-(p * np.log(p)).sum()))
    assert effective_rank([2e5, 1e5]) == pytest.approx(effective_rank([2, 1]))


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_angles_are_scipy_s(seed, k, m):
    U, V = gaussian(6, k, seed=seed), gaussian(6, m, seed=seed + 1)
    angles = principal_angles(U, V)
    assert len(angles) == min(k, m)
    np.testing.assert_allclose(angles, subspace_angles(U, V)[::-1], atol=1e-7)
    assert subspace_overlap(U, V) == pytest.approx(np.square(np.cos(subspace_angles(U, V))).mean())


def test_known_angles():
    e = np.eye(4)
    turned = np.cos(0.3) * e[:, [1]] + np.sin(0.3) * e[:, [2]]
    angles = principal_angles(e[:, :2], np.hstack([5 * e[:, [0]], turned]))  # a shared direction, and one turned by 0.3
    np.testing.assert_allclose(angles, [0, 0.3], atol=1e-7)
    assert subspace_overlap(e[:, :2], e[:, 2:]) == pytest.approx(0, abs=1e-12)
    assert subspace_overlap(e[:, :1], e[:, :3]) == pytest.approx(1)


def test_random_subspaces_overlap_as_much_as_expected():
    d, k = 48, 6
    drawn = [random_subspace(d, k, seed) for seed in range(400)]
    overlaps = [subspace_overlap(U, V) for U, V in zip(drawn[::2], drawn[1::2], strict=True)]
    assert np.mean(overlaps) == pytest.approx(k / d, rel=0.05)


def test_what_a_subspace_sees():
    X = gaussian(400, 10) * np.arange(1, 11) + 7
    principal = np.linalg.svd(X - X.mean(0), full_matrices=False)[2].T  # (10, 10)
    assert variance_seen(X, principal[:, :3]) == pytest.approx(spectrum(X)[:3].sum())
    assert variance_seen(X, np.eye(10)) == pytest.approx(1)
    assert variance_seen(X, 5 * principal[:, :1]) == pytest.approx(spectrum(X)[0])
    seen = [variance_seen(X, random_subspace(10, 3, seed)) for seed in range(300)]
    assert np.mean(seen) == pytest.approx(0.3, abs=0.02) and max(seen) < spectrum(X)[:3].sum()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: product_svd(np.ones((4, 2)), np.ones((3, 4))), "down and up must be"),
        (lambda: product_svd(np.ones((2, 3)), np.ones((3, 4))), "down and up must be"),
        (lambda: effective_rank([0.0, 0.0]), "s must have a value"),
        (lambda: principal_angles(np.ones((4, 2)), np.eye(4)), "U must have independent columns"),
        (lambda: principal_angles(np.eye(4), gaussian(4, 5)), "V must have independent columns"),
        (lambda: variance_seen(gaussian(5, 3), np.eye(4)), "U must have a row for each of the 3 coordinates"),
        (lambda: random_subspace(3, 4), "k must be a number of dimensions from 1 to 3"),
    ],
)
def test_wrong_arguments_are_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()
