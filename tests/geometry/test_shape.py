"""Shape of a cloud: spectrum, anisotropy, PCA dimension; and what all measures share."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.geometry import (
    anisotropy,
    average_cosine,
    effective_number,
    entropy,
    intrinsic_dimension,
    nearest_neighbors,
    participation_ratio,
    pca_dimension,
    spectrum,
    value_entropy,
)


def gaussian(n, d, seed=0, scale=1.0):
    return np.random.default_rng(seed).normal(size=(n, d)) * scale


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


def test_entropy_is_scipy_s_and_counts_equal_shares():
    from scipy import stats

    p = np.random.default_rng(0).dirichlet(np.ones(6), (3, 4))
    np.testing.assert_allclose(entropy(p), stats.entropy(p, axis=-1))
    np.testing.assert_allclose(effective_number(p), np.exp(stats.entropy(p, axis=-1)))
    assert effective_number(np.full(9, 1 / 9)) == pytest.approx(9)
    assert effective_number([1, 0, 0]) == 1 and entropy([0.5, 0.5, 0]) == pytest.approx(np.log(2))


@pytest.mark.parametrize("shares", [[0.5, 0.4], [1.5, -0.5], [], 1.0])
def test_what_is_no_shares_has_no_entropy(shares):
    with pytest.raises(ValueError, match="shares must be"):
        entropy(shares)


def test_the_entropy_of_entries_is_that_of_a_histogram_of_numpy_and_does_not_see_where_they_stand():
    rng = np.random.default_rng(0)
    A = rng.dirichlet(np.ones(9), (2, 3, 9))
    for matrix, ours in zip(A.reshape(-1, 9, 9), value_entropy(A).ravel(), strict=True):
        counts, _ = np.histogram(matrix, 20)
        p = counts[counts > 0] / matrix.size
        assert ours == pytest.approx(-(p * np.log(p)).sum())
    shuffled = rng.permutation(A[0, 0].ravel()).reshape(9, 9)
    assert value_entropy(shuffled) == pytest.approx(value_entropy(A[0, 0]))
    assert value_entropy(7 * A[0, 0] - 3) == pytest.approx(value_entropy(A[0, 0]))  # nor how large they are
    assert value_entropy(np.full((4, 4), 0.25)) == 0
    assert value_entropy(np.arange(400.0).reshape(20, 20)) == pytest.approx(np.log(20))
    assert value_entropy(np.eye(4), bins=2) == pytest.approx(entropy([1 / 4, 3 / 4]))


@pytest.mark.parametrize("A, bins, message", [([0.5, 0.5], 20, "A must be matrices"), (np.eye(3), 0, "bins must be")])
def test_what_is_no_matrix_or_no_number_of_bins_has_no_entropy_of_entries(A, bins, message):
    with pytest.raises(ValueError, match=message):
        value_entropy(A, bins)


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


@pytest.mark.parametrize("share", [0, -0.1, 1.1, float("nan")])
def test_a_share_is_above_0_and_at_most_1(share):
    with pytest.raises(ValueError, match="^share must"):
        pca_dimension([[1, 2], [3, 5]], share)


# Participation ratio


def test_the_participation_ratio_counts_directions_of_equal_variance():
    assert participation_ratio(np.concatenate([np.eye(5), -np.eye(5)])) == pytest.approx(5)
    assert participation_ratio(np.outer(np.arange(9.0), [1, 2])) == pytest.approx(1)
    X = gaussian(60, 4, scale=[3, 2, 1, 0.5])
    variances = np.linalg.eigvalsh(np.cov(X, rowvar=False))
    assert participation_ratio(X) == pytest.approx(variances.sum() ** 2 / np.square(variances).sum())
