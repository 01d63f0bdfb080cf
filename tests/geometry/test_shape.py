"""Shape of a cloud: spectrum, anisotropy, PCA dimension, nearest neighbors, TwoNN."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.geometry import (
    anisotropy,
    average_cosine,
    distinct,
    intrinsic_dimension,
    nearest_neighbors,
    neighbor_ratios,
    pca_dimension,
    shape,
    spectrum,
)


def gaussian(n, d, seed=0, scale=1.0):
    return np.random.default_rng(seed).normal(size=(n, d)) * scale


def all_distances(X):
    """By a double loop's arithmetic: every difference, no products."""
    D = np.linalg.norm(X[:, None] - X[None], axis=-1)
    np.fill_diagonal(D, np.inf)
    return D


# Anisotropy


@pytest.mark.parametrize("shape", [(50, 8), (8, 50), (4000, 30)])
def test_the_spectrum_is_that_of_the_singular_values_and_of_the_covariance_s_eigenvalues(shape):
    X = gaussian(*shape) @ np.diag(np.linspace(0.1, 3, shape[1])) + 5
    s = np.linalg.svd(X - X.mean(0), compute_uv=False)
    np.testing.assert_allclose(spectrum(X), s**2 / (s**2).sum(), atol=1e-12)
    eigenvalues = np.linalg.eigvalsh(np.cov(X, rowvar=False))[::-1]
    assert anisotropy(X) == pytest.approx(eigenvalues[0] / eigenvalues.sum(), rel=1e-9)
    np.testing.assert_allclose(spectrum(X), (eigenvalues / eigenvalues.sum())[: min(shape)], atol=1e-12)


def test_the_spectrum_is_scikit_learn_s():
    PCA = pytest.importorskip("sklearn.decomposition").PCA
    X = gaussian(300, 12, scale=np.arange(1, 13))
    np.testing.assert_allclose(spectrum(X), PCA(svd_solver="full").fit(X).explained_variance_ratio_, atol=1e-12)


def test_a_cross_of_known_lengths_has_the_shares_that_were_put_in():
    lengths = np.array([3.0, 2.0, 1.0])
    X = np.concatenate([np.diag(lengths), -np.diag(lengths)])
    np.testing.assert_allclose(spectrum(X), lengths**2 / (lengths**2).sum(), atol=1e-12)
    assert anisotropy(X) == pytest.approx(9 / 14)


def test_a_line_has_anisotropy_1_and_a_round_cloud_what_chance_gives():
    line = np.outer(np.arange(10.0), [1, -2, 0.5]) + 4
    assert anisotropy(line) == pytest.approx(1, abs=1e-12)
    n, d = 4096, 384
    assert anisotropy(gaussian(n, d)) == pytest.approx((1 + np.sqrt(d / n)) ** 2 / d, rel=0.05)


@given(st.integers(0, 10**6), st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
@settings(max_examples=25, deadline=None)
def test_place_scale_and_turn_change_neither_spectrum_nor_dimension(seed, shift, scale):
    X = gaussian(60, 4, seed, [3, 2, 1, 0.5])
    turn = np.linalg.qr(gaussian(4, 4, seed + 1))[0]
    moved = scale * (X @ turn) + shift * scale
    np.testing.assert_allclose(spectrum(moved), spectrum(X), atol=1e-6)
    assert intrinsic_dimension(moved) == pytest.approx(intrinsic_dimension(X), rel=1e-4)


def test_the_cone_is_seen_by_the_average_cosine_alone():
    ball, far = gaussian(500, 20), gaussian(500, 20) + 10
    assert anisotropy(ball) == pytest.approx(anisotropy(far), rel=1e-9)
    assert abs(average_cosine(ball)) < 0.01 and average_cosine(far) > 0.9
    cigar = gaussian(500, 20, scale=np.r_[30, np.ones(19)])
    assert anisotropy(cigar) > 0.9 and abs(average_cosine(cigar)) < 0.05


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_tiny_and_huge_vectors_keep_their_shape(size):
    X = gaussian(50, 5)
    assert anisotropy(size * X) == pytest.approx(anisotropy(X), rel=1e-9)
    assert intrinsic_dimension(size * X) == pytest.approx(intrinsic_dimension(X), rel=1e-9)


def test_torch_lists_and_float32_are_taken_and_plain_values_come_out():
    X = gaussian(40, 3)
    assert type(anisotropy(torch.tensor(X))) is float and anisotropy(torch.tensor(X)) == anisotropy(X.tolist())
    assert type(intrinsic_dimension(torch.tensor(X))) is float and type(pca_dimension(X)) is int
    assert isinstance(spectrum(torch.tensor(X)), np.ndarray)
    assert intrinsic_dimension(X.astype(np.float32)) == pytest.approx(intrinsic_dimension(X), rel=1e-4)


@pytest.mark.parametrize("measure", [spectrum, anisotropy, pca_dimension, intrinsic_dimension, nearest_neighbors])
@pytest.mark.parametrize("X", [np.ones(4), np.empty((0, 3)), np.ones((1, 3)), [[1.0, np.nan]] * 4, [[np.inf, 1.0]] * 4])
def test_what_is_no_cloud_is_refused_by_name(measure, X):
    with pytest.raises(ValueError, match="^X must"):
        measure(X)


def test_equal_vectors_have_no_shape():
    X = np.full((10, 3), 0.1)
    for measure in (spectrum, anisotropy, pca_dimension, intrinsic_dimension):
        with pytest.raises(ValueError, match="^X must hold at least"):
            measure(X)
    with pytest.raises(TypeError, match="^X must be an array of real numbers"):
        anisotropy([["a", "b"]] * 3)


# PCA dimension


def test_the_pca_dimension_is_the_least_number_of_directions_that_hold_the_share():
    X = np.concatenate([np.diag([3.0, 1.0, 1.0]), -np.diag([3.0, 1.0, 1.0])])  # shares 9/11, 1/11, 1/11
    assert [pca_dimension(X, share) for share in (0.5, 9 / 11, 0.9, 10 / 11, 0.95, 1)] == [1, 1, 2, 2, 3, 3]
    low_rank = gaussian(100, 3) @ gaussian(3, 40, 1)
    assert pca_dimension(low_rank, 1) == pca_dimension(low_rank, 0.9999) == 3


@pytest.mark.parametrize("share", [0, -0.1, 1.1, True, "0.9", float("nan")])
def test_a_share_is_above_0_and_at_most_1(share):
    with pytest.raises(ValueError, match="^share must"):
        pca_dimension([[1, 2], [3, 5]], share)


# Nearest neighbors


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
    monkeypatch.setattr(shape, "TILE", 32)
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


# TwoNN


def linear(d, n=4000, width=30, seed=0):
    return gaussian(n, d, seed) @ np.linalg.qr(gaussian(width, d, seed + 1))[0].T


@pytest.mark.parametrize("method", ["linear", "mle"])
@pytest.mark.parametrize("d", [1, 2, 5, 10])
def test_a_linear_manifold_has_its_dimension(d, method):
    assert intrinsic_dimension(linear(d), method) == pytest.approx(d, rel=0.05)


@pytest.mark.parametrize("method", ["linear", "mle"])
@pytest.mark.parametrize("discard", [0.1, 0.3])
def test_twonn_is_scikit_dimension_s(method, discard):
    skdim = pytest.importorskip("skdim")
    for X in (linear(3, 500), linear(8, 500), gaussian(300, 60, 2)):
        theirs = skdim.id.TwoNN(discard_fraction=discard, method=method).fit(X).dimension_
        assert intrinsic_dimension(X, method, discard) == pytest.approx(theirs, rel=1e-6)


def test_curved_manifolds_have_fewer_dimensions_than_pca_says():
    t = np.random.default_rng(0).random(3000)
    helix = np.stack([np.cos(25 * t), np.sin(25 * t), 5 * t], axis=1)
    assert intrinsic_dimension(helix) == pytest.approx(1, rel=0.05) and pca_dimension(helix, 0.99) == 3
    ball = gaussian(3000, 6)
    sphere = ball / np.linalg.norm(ball, axis=1, keepdims=True)
    assert intrinsic_dimension(sphere) == pytest.approx(5, rel=0.05) and pca_dimension(sphere, 0.99) == 6


def test_noise_beyond_the_spacing_makes_a_thread_a_cloud():
    t = np.random.default_rng(1).random(2000)  # at random: evenly spaced points have ratios near 1, like a grid
    thread, noise = np.pad(np.stack([np.cos(t), np.sin(t), t], axis=1), ((0, 0), (0, 7))), gaussian(2000, 10)
    small, large = (intrinsic_dimension(thread + size / 2000 * noise) for size in (0.01, 100))
    assert small < 1.5 and large > 8


def test_the_mle_without_discarding_is_the_mean_s_inverse():
    x = np.log(neighbor_ratios(linear(4, 300)))
    assert intrinsic_dimension(linear(4, 300), "mle", discard=0) == pytest.approx(299 / x.sum())


def test_copies_are_left_out_with_one_warning_that_counts_them():
    X = linear(3, 400)
    doubled = np.concatenate([X, X[:100], X[:50]])
    with pytest.warns(UserWarning, match="150 exact copies among 550") as caught:
        assert intrinsic_dimension(doubled) == intrinsic_dimension(X)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert intrinsic_dimension(distinct(doubled)) == intrinsic_dimension(X)


def test_distinct_keeps_the_first_of_each_and_the_order():
    rows = distinct([[2, 1], [0.0, 1], [2, 1], [-0.0, 1], [1, 1]])
    np.testing.assert_array_equal(rows, [[2, 1], [0, 1], [1, 1]])
    X = np.random.default_rng(0).integers(0, 3, (200, 3))
    np.testing.assert_array_equal(np.unique(X, axis=0), np.sort(distinct(X).view("f8,f8,f8"), axis=0).view(float))


def test_three_distinct_points_are_the_least():
    assert intrinsic_dimension([[0.0], [1.0], [3.0]]) > 0
    with pytest.raises(ValueError, match="3 distinct vectors, got 2"):
        intrinsic_dimension([[0.0], [1.0], [1.0]])


@pytest.mark.parametrize("options, name", [({"method": "ml"}, "method"), ({"discard": 1}, "discard"),
                                           ({"discard": -0.1}, "discard"), ({"discard": 0.9}, "discard"),
                                           ({"discard": True}, "discard")])  # fmt: skip
def test_bad_options_are_refused_by_name(options, name):
    with pytest.raises(ValueError, match=f"^{name} must"):
        intrinsic_dimension(gaussian(5, 2), **options)
