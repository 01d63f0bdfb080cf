"""The shape of a cloud: spectrum, anisotropy, PCA dimension, participation ratio; entropies."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.decomposition import PCA

from tests.geometry.clouds import gaussian, turn
from tutorial_lib.geometry import intrinsic_dimension, shape

CIGAR = gaussian(60, 4) * [3, 2, 1, 0.5]
CROSS = np.concatenate([np.diag([3.0, 1.0, 1.0]), -np.diag([3.0, 1.0, 1.0])])  # shares 9/11, 1/11, 1/11
LINE = np.outer(np.arange(10.0), [1, -2, 0.5]) + 4


@pytest.mark.parametrize("size", [(50, 8), (8, 50), (9, 8), (8, 8), (2500, 30)])
def test_the_spectrum_is_scikit_learns(size):
    X = gaussian(*size) * np.linspace(0.1, 3, size[1]) + 5
    expected = PCA(svd_solver="full").fit(X).explained_variance_ratio_
    np.testing.assert_allclose(shape.spectrum(X), expected, atol=1e-12)
    assert shape.anisotropy(X) == pytest.approx(expected[0])
    assert shape.participation_ratio(X) == pytest.approx(1 / np.square(expected).sum())


def test_shapes_of_known_clouds():
    np.testing.assert_allclose(shape.spectrum(CROSS), [9 / 11, 1 / 11, 1 / 11], atol=1e-12)
    assert [shape.pca_dimension(CROSS, share) for share in (0.5, 9 / 11, 0.9, 10 / 11, 0.95, 1)] == [1, 1, 2, 2, 3, 3]
    low_rank = gaussian(100, 3) @ gaussian(3, 40, seed=1)
    assert shape.pca_dimension(low_rank, 1) == shape.pca_dimension(low_rank, 0.9999) == 3
    assert shape.anisotropy(LINE) == pytest.approx(1)
    assert shape.participation_ratio(LINE) == pytest.approx(1)
    assert shape.participation_ratio(np.concatenate([np.eye(5), -np.eye(5)])) == pytest.approx(5)
    n, d = 4096, 384
    assert shape.anisotropy(gaussian(n, d)) == pytest.approx((1 + np.sqrt(d / n)) ** 2 / d, rel=0.05)  # by chance


@given(st.integers(0, 10**6), st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
@settings(max_examples=10)
def test_place_scale_and_turn_change_no_shape(seed, shift, scale):
    moved = scale * (CIGAR @ turn(4, seed)) + shift * scale
    np.testing.assert_allclose(shape.spectrum(moved), shape.spectrum(CIGAR), atol=1e-6)
    assert intrinsic_dimension(moved) == pytest.approx(intrinsic_dimension(CIGAR), rel=1e-4)


@pytest.mark.parametrize("size", [1e-90, 1e90])
@pytest.mark.parametrize("n", [3, 60])
def test_tiny_and_huge_vectors_keep_their_shape(size, n):
    np.testing.assert_allclose(shape.spectrum(size * CIGAR[:n]), shape.spectrum(CIGAR[:n]), atol=1e-9)
    assert intrinsic_dimension(size * CIGAR) == pytest.approx(intrinsic_dimension(CIGAR), rel=1e-9)


def test_tensors_come_in_and_plain_numbers_come_out():
    X = torch.tensor(CIGAR, requires_grad=True)
    for measure in (shape.anisotropy, shape.participation_ratio, intrinsic_dimension):
        assert type(measure(X)) is float and measure(X) == measure(CIGAR.tolist())
    assert type(shape.pca_dimension(X)) is int
    before = CIGAR.copy()
    shape.spectrum(CIGAR[:3])
    shape.spectrum(CIGAR)
    np.testing.assert_array_equal(CIGAR, before)  # which was not copied


def test_loud_coordinates_have_a_large_mean_square():
    X = np.ones((2, 7)) * [1, 1, 1, 1, 5, -8, 4.99]
    assert shape.outlier_coordinates(X).tolist() == [5, 4]
    assert shape.outlier_coordinates(X, 4).tolist() == [5, 4, 6]
    assert shape.outlier_coordinates([[3.0, 1, 1], [4.0, -1, 1]], times=3.5).tolist() == [0]  # the root of 12.5
    assert shape.outlier_coordinates([[3.0, 1, 1], [4.0, -1, 1]], times=3.6).tolist() == []
    assert shape.outlier_coordinates(np.zeros((4, 3))).tolist() == []


def test_entropy_is_scipys():
    p = np.random.default_rng(0).dirichlet(np.ones(6), (3, 4))
    np.testing.assert_allclose(shape.entropy(p), stats.entropy(p, axis=-1))
    np.testing.assert_allclose(shape.effective_number(p), np.exp(stats.entropy(p, axis=-1)))
    assert shape.effective_number(np.full(9, 1 / 9)) == pytest.approx(9)
    assert shape.entropy([0.5, 0.5, 0]) == pytest.approx(np.log(2))
    assert str(shape.entropy([1, 0, 0])) == "0.0"  # no -0.0


def test_the_entropy_of_entries_is_a_histograms():
    A = np.random.default_rng(0).dirichlet(np.ones(9), (2, 3, 9))
    for matrix, ours in zip(A.reshape(-1, 9, 9), shape.value_entropy(A).ravel(), strict=True):
        counts, _ = np.histogram(matrix, 20)
        assert ours == pytest.approx(stats.entropy(counts))
    matrix = A[0, 0]
    assert shape.value_entropy(matrix.T[::-1]) == pytest.approx(shape.value_entropy(matrix))  # in any order
    assert shape.value_entropy(7 * matrix - 3) == pytest.approx(shape.value_entropy(matrix))  # of any size
    assert shape.value_entropy(np.full((4, 4), 0.25)) == 0
    assert shape.value_entropy(np.arange(400.0).reshape(20, 20)) == pytest.approx(np.log(20))
    assert shape.value_entropy(np.eye(4), bins=2) == pytest.approx(shape.entropy([1 / 4, 3 / 4]))
