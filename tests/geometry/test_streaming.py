"""A cloud that is read in one pass: it measures the same as its vectors in memory, in any chunks."""

import io
import threading

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import Cloud, shape, similarity, streaming
from tutorial_lib.geometry.streaming import NORM_EDGES, VALUE_EDGES

MEASURES = (shape.anisotropy, shape.participation_ratio, similarity.average_cosine, similarity.cone_index)
TYPES = (np.float16, np.float32, np.float64)


def vectors(n, seed=0, place=1.0, loud=()):
    """A cloud of unequal variances beside the origin."""
    X = gaussian(n, 24, seed=seed) * np.linspace(0.5, 2, 24) + place
    X[:, list(loud)] *= 30
    return X


def same(cloud, X, rel=1e-6):
    """All results of the cloud, against the vectors themselves."""
    X = np.asarray(X, np.float64)
    norms, spreads = np.linalg.norm(X, axis=1), X.std(0)
    assert len(cloud) == cloud.n == len(X)
    np.testing.assert_allclose(cloud.mean, X.mean(0), rtol=rel, atol=rel * spreads.max())
    expected = np.cov(X, rowvar=False)
    np.testing.assert_allclose(cloud.covariance, expected, rtol=0, atol=rel * np.diag(expected).max())
    np.testing.assert_allclose(shape.spectrum(cloud), shape.spectrum(X), rtol=0, atol=rel * shape.anisotropy(X))
    for measure in MEASURES:
        assert measure(cloud) == pytest.approx(measure(X), rel=rel, abs=rel)
    assert cloud.norm_mean == pytest.approx(norms.mean(), rel=rel)
    assert cloud.norm_std == pytest.approx(norms.std(), rel=rel, abs=1e-7 * norms.mean())
    assert shape.pca_dimension(cloud, 0.8) == shape.pca_dimension(X, 0.8)
    np.testing.assert_array_equal(shape.outlier_coordinates(cloud), shape.outlier_coordinates(X))


def assert_equal(cloud, other, rel=0):
    """Two clouds contain the same: equal counts, and sums up to a share of the largest."""
    for name, value in other.arrays().items():
        found = cloud.arrays()[name]
        atol = 0 if value.dtype.kind == "i" else rel * np.abs(value).max(initial=0)
        np.testing.assert_allclose(found, value, rtol=0 if value.dtype.kind == "i" else rel, atol=atol, err_msg=name)


@pytest.mark.parametrize("place", [0, 1, 1e4])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_it_equals_measures_in_memory(dtype, place):
    place = min(place, 1) if dtype == torch.bfloat16 else place  # bfloat16 has only two digits
    X = vectors(4000, place=place, loud=[5, 9]).clip(-6e4, 6e4)  # the largest float16 is 65,504
    X = torch.tensor(X, dtype=dtype, requires_grad=True)
    cloud = Cloud(24, without=[9, 5]).add(X)
    X = X.detach().double().numpy()
    same(cloud, X, 1e-6 if dtype != torch.float64 else 1e-9)
    same(cloud.rest, np.delete(X, [5, 9], axis=1), 1e-6)
    assert Cloud(24).add(X).rest.n == 4000


def test_spread_1_far_from_0_keeps_its_digits():
    X = (gaussian(20_000, 32) + 1e4).astype(np.float32)
    cloud, long = Cloud(32).add(X), X.astype(np.float64)
    np.testing.assert_allclose(cloud.covariance.diagonal(), long.var(0, ddof=1), rtol=1e-6)
    assert cloud.norm_std == pytest.approx(np.linalg.norm(long, axis=1).std(), rel=1e-6)
    assert 1 - similarity.average_cosine(cloud) == pytest.approx(1 - similarity.average_cosine(long), abs=1e-6)


def test_short_vectors_between_long_ones_keep_their_direction():
    X = vectors(3000, place=3).astype(np.float32)
    X[::2] = 1e-4 * gaussian(1500, 24, seed=1)
    same(Cloud(24).add(X), X)


@pytest.mark.parametrize("size", [1e-90, 1e-30, 1e-12, 1e12, 1e30, 1e90])
def test_tiny_and_huge_vectors_keep_their_shape(size):
    X = vectors(2000, loud=[3])
    for dtype in (np.float32, np.float64)[0 if 1e-35 < size < 1e35 else 1 :]:
        scaled = (X * size).astype(dtype)
        cloud = Cloud(24).add(scaled)
        for measure in MEASURES:
            assert measure(cloud) == pytest.approx(measure(scaled), rel=1e-6)
        assert cloud.norm_std == pytest.approx(np.linalg.norm(scaled.astype(float), axis=1).std(), rel=1e-6)


def test_loud_coordinates_are_found_beside_dead_ones():
    X = vectors(3000, loud=[5]).astype(np.float32)
    X[:, 9] = 100
    X[:, 7] = np.linspace(3e-33, -3e-33, 3000)  # as in the default model's last layer: squares are 0 in float32
    cloud = Cloud(24).add(X)
    assert (cloud.covariance.diagonal() >= 0).all()
    assert shape.outlier_coordinates(cloud).tolist() == shape.outlier_coordinates(X).tolist() == [9, 5]


@pytest.mark.parametrize("dtype", TYPES)
def test_histograms_count_all_vectors_and_coordinates(dtype):
    X = np.concatenate([vectors(500) * size for size in (1e-5, 1, 1e3, 3e4)])
    X[0, :8] = [0, -0.0, 1024, -1024, 2**-10, -(2**-10), 1.25, -1.25]
    X = X.clip(-6e4, 6e4).astype(dtype)
    cloud, norms = Cloud(24, without=[2]).add(X), np.linalg.norm(X.astype(float), axis=1)
    for part, rows in ((cloud, X), (cloud.rest, np.delete(X, 2, axis=1))):
        up, down = (np.searchsorted(VALUE_EDGES, rows.astype(float), side) for side in ("right", "left"))
        places = np.where(np.signbit(rows), down, up)
        np.testing.assert_array_equal(part.value_counts, np.bincount(places.ravel(), minlength=len(VALUE_EDGES) + 1))
    expected = np.histogram(norms, np.concatenate([[0], NORM_EDGES, [np.inf]]))[0]
    assert cloud.norm_counts.sum() == len(X) and np.abs(np.cumsum(cloud.norm_counts - expected)).max() <= 1
    assert Cloud(2).add([[3.0, 4.0]]).norm_counts[1 + np.flatnonzero(NORM_EDGES == 5)[0]] == 1  # at an edge
    assert cloud.norm_counts[0] > 0 and cloud.value_counts[0] > 0 and cloud.value_counts[-1] > 0
    assert NORM_EDGES[[0, 1, 33, -2, -1]].tolist() == [2**-10, 33 / 2**15, 33 / 2**14, 2**19 * 63 / 32, 2**20]
    assert VALUE_EDGES[-81:][[0, 1, 5, -2, -1]].tolist() == [2**-10, 5 / 2**12, 5 / 2**11, 2**9 * 7 / 4, 2**10]


@settings(max_examples=10)
@given(st.lists(st.integers(0, 300), max_size=8), st.sampled_from(TYPES), st.randoms())
def test_chunks_and_the_order_of_merging_change_nothing(cuts, dtype, random):
    X = vectors(300, loud=[4]).astype(dtype)
    clouds, one, merged = [], Cloud(24, without=[4]), Cloud(24, without=[4])
    for part in np.split(X, sorted(cuts)):  # some are empty
        clouds.append(Cloud(24, without=[4]).add(part))
        assert_equal(merged.merge(clouds[-1]), one.add(part))  # to the last bit
    while len(clouds) > 1:  # any two, in any order
        random.shuffle(clouds)
        clouds.append(clouds.pop() + clouds.pop())
    same(clouds[0], X)
    assert_equal(clouds[0], Cloud(24, without=[4]).add(X), rel=1e-6)
    assert_equal(merged, one)  # their sum has not changed them


def test_threads_and_parts_count_each_row_once(monkeypatch):
    X = vectors(2050).astype(np.float32)
    whole = Cloud(24).add(X)
    monkeypatch.setattr(streaming, "BLOCK", 64)
    monkeypatch.setattr(streaming, "PART", 256)
    names = set()
    real = streaming._part

    def seen(*arguments):
        names.add(threading.current_thread().name)
        return real(*arguments)

    monkeypatch.setattr(streaming, "_part", seen)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    cloud = Cloud(24).add(X)
    assert len(names) > 1
    same(cloud, X)
    assert_equal(cloud, whole, rel=1e-5)


def test_it_comes_back_out_of_a_file():
    cloud, file = Cloud(24, without=[1, 3]).add(vectors(50)), io.BytesIO()
    np.savez(file, **cloud.arrays())
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        again = Cloud.of(arrays)
    assert repr(again) == repr(cloud) == "Cloud(d=24, n=50, without=(1, 3))"
    kept = again.arrays()
    assert again.add(vectors(5)).n == 55
    assert_equal(Cloud.of(kept), cloud)  # which the rest has not changed


def test_clouds_of_few_vectors_are_known():
    assert (Cloud(2).norm_mean, Cloud(2).norm_std) == (0, 0)
    one = Cloud(2).add([[3.0, 4.0]])
    assert (one.norm_mean, one.norm_std, one.mean.tolist(), similarity.cone_index(one)) == (5, 0, [3, 4], 1)
    two = one.merge(Cloud(2).add([[4.0, 3.0]]))
    assert similarity.average_cosine(two) == pytest.approx(0.96)
    np.testing.assert_allclose(two.covariance, [[0.5, -0.5], [-0.5, 0.5]])
    np.testing.assert_allclose(Cloud(2).add([[3.0, 4.0], [0.0, 0.0]]).covariance, [[4.5, 6], [6, 8]])
    assert Cloud(1).add([[0.99e150], [1.0]]).norm_mean == pytest.approx(0.495e150)  # nearly the longest


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_equal_vectors_have_no_shape(dtype):
    draw = np.random.default_rng(0)
    for n in draw.integers(2, 1500, 20):  # whatever their rounded mean is
        X = np.tile(draw.normal(size=3).astype(dtype), (n, 1))
        with pytest.raises(ValueError, match=f"two different vectors, got {2 * n} times the same"):
            shape.anisotropy(Cloud(3).add(X).add(X[: n // 3]).merge(Cloud(3).add(X[n // 3 :])))


@pytest.mark.parametrize(
    "value, shown", [(np.nan, "nan"), (-np.inf, "-inf"), (1e200, "1e\\+200"), (1.1e150, "1.1e\\+150")]
)
def test_a_row_that_is_not_finite_is_rejected(value, shown, monkeypatch):
    monkeypatch.setattr(streaming, "PART", 2000)
    X = vectors(3000)
    X[2345, 11] = value
    cloud = Cloud(24).add(vectors(5))
    for dtype in (np.float32, np.float64) if not 1e38 < value < np.inf else (np.float64,):
        with pytest.raises(ValueError, match=f"^X must be finite.*got {shown} in row 2345$"):
            cloud.add(X.astype(dtype))
    assert_equal(cloud, Cloud(24).add(vectors(5)))  # nothing is counted
