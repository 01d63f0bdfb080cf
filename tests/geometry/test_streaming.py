"""A cloud that is read in one pass: it measures what the same vectors in memory measure, however they come."""

import io
import threading

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.geometry import (
    NORM_EDGES,
    VALUE_EDGES,
    Cloud,
    anisotropy,
    average_cosine,
    cone_index,
    effective_number,
    outlier_coordinates,
    participation_ratio,
    pca_dimension,
    spectrum,
    streaming,
)

MEASURES = (anisotropy, participation_ratio, lambda X: effective_number(spectrum(X)), average_cosine, cone_index)
TYPES = (np.float16, np.float32, np.float64)


def vectors(n, d=24, seed=0, place=1.0, loud=()):
    """A cloud of unequal variances beside the origin."""
    X = np.random.default_rng(seed).normal(size=(n, d)) * np.linspace(0.5, 2, d) + place
    X[:, list(loud)] *= 30
    return X


def same(cloud, X, rel=1e-6):
    """All that the cloud tells, against the vectors themselves."""
    X = np.asarray(X, np.float64)
    norms, spreads = np.linalg.norm(X, axis=1), X.std(0)
    assert len(cloud) == cloud.n == len(X)
    np.testing.assert_allclose(cloud.mean, X.mean(0), rtol=rel, atol=rel * spreads.max())
    expected = np.cov(X, rowvar=False)
    np.testing.assert_allclose(cloud.covariance, expected, rtol=0, atol=rel * np.diag(expected).max())
    np.testing.assert_allclose(spectrum(cloud), spectrum(X), rtol=0, atol=rel * anisotropy(X))
    for measure in MEASURES:
        assert measure(cloud) == pytest.approx(measure(X), rel=rel, abs=rel)
    assert cloud.norm_mean == pytest.approx(norms.mean(), rel=rel)
    assert cloud.norm_std == pytest.approx(norms.std(), rel=rel, abs=1e-7 * norms.mean())
    assert pca_dimension(cloud, 0.8) == pca_dimension(X, 0.8)
    np.testing.assert_array_equal(outlier_coordinates(cloud), outlier_coordinates(X))


# Equal to the measures in memory


@pytest.mark.parametrize("place", [0, 1, 1e4])
@pytest.mark.parametrize("dtype", TYPES)
def test_it_measures_what_the_vectors_in_memory_measure(dtype, place):
    X = vectors(4000, place=place, loud=[5, 9]).clip(-6e4, 6e4).astype(dtype)  # the largest float16 is 65,504
    cloud = Cloud(24, without=[9, 5]).add(X)
    same(cloud, X, 1e-6 if dtype != np.float64 else 1e-9)
    same(cloud.rest, np.delete(X, [5, 9], axis=1), 1e-6)


def test_spread_1_far_from_0_keeps_its_digits():
    X = (np.random.default_rng(0).normal(size=(20_000, 32)) + 1e4).astype(np.float32)
    cloud, long = Cloud(32).add(X), X.astype(np.float64)
    np.testing.assert_allclose(cloud.covariance.diagonal(), long.var(0, ddof=1), rtol=1e-6)
    assert cloud.norm_std == pytest.approx(np.linalg.norm(long, axis=1).std(), rel=1e-6)
    assert 1 - average_cosine(cloud) == pytest.approx(1 - average_cosine(long), abs=1e-6)


def test_short_vectors_between_long_ones_keep_their_direction():
    X = vectors(3000, place=3).astype(np.float32)
    X[::2] = 1e-4 * np.random.default_rng(1).normal(size=(1500, 24))
    same(Cloud(24).add(X), X)


@pytest.mark.parametrize("size", [1e-100, 1e-30, 1e-12, 1e12, 1e30, 1e100])
def test_tiny_and_huge_vectors_keep_their_shape(size):
    X = vectors(2000, loud=[3])
    for dtype in (np.float32, np.float64)[0 if 1e-35 < size < 1e35 else 1 :]:
        scaled = (X * size).astype(dtype)
        cloud = Cloud(24).add(scaled)
        for measure in MEASURES:
            assert measure(cloud) == pytest.approx(measure(scaled), rel=1e-6)
        assert cloud.norm_std == pytest.approx(np.linalg.norm(scaled.astype(float), axis=1).std(), rel=1e-6)


@pytest.mark.parametrize("dtype", TYPES)
def test_histograms_count_every_vector_and_every_coordinate(dtype):
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


# In parts


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 300), max_size=8), st.sampled_from(TYPES), st.randoms())
def test_chunks_and_the_order_of_merging_change_nothing(cuts, dtype, random):
    X = vectors(300, loud=[4]).astype(dtype)
    whole = Cloud(24, without=[4]).add(X)
    clouds = [Cloud(24, without=[4]).add(part) for part in np.split(X, sorted(cuts))]
    while len(clouds) > 1:  # any two, in any order
        random.shuffle(clouds)
        clouds.append(clouds.pop() + clouds.pop())
    same(clouds[0], X)
    for name, value in whole.arrays().items():
        found = clouds[0].arrays()[name]
        if value.dtype.kind == "i":
            np.testing.assert_array_equal(found, value)
        else:
            np.testing.assert_allclose(found, value, rtol=1e-6, atol=1e-6 * np.abs(value).max(initial=0))


def test_adding_chunk_by_chunk_is_merging_their_clouds_to_the_last_bit():
    parts = np.split(vectors(900).astype(np.float32), [100, 100, 650])
    one, merged = Cloud(24), Cloud(24)
    for part in parts:
        one.add(part)
        merged.merge(Cloud(24).add(part))
    for name, value in one.arrays().items():
        np.testing.assert_array_equal(merged.arrays()[name], value)


def test_several_threads_and_parts_count_each_row_once(monkeypatch):
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
    np.testing.assert_array_equal(cloud.value_counts, whole.value_counts)


def test_plus_leaves_its_clouds_alone():
    a, b = Cloud(24).add(vectors(10)), Cloud(24).add(vectors(20, seed=1))
    both = a + b
    assert (a.n, b.n, both.n) == (10, 20, 30)
    same(both, np.concatenate([vectors(10), vectors(20, seed=1)]))
    same(a, vectors(10))


def test_an_empty_chunk_changes_nothing():
    cloud = Cloud(24).add(vectors(7))
    before = cloud.arrays()
    cloud.add(np.empty((0, 24))).merge(Cloud(24))
    assert all(np.array_equal(before[name], value) for name, value in cloud.arrays().items())


def test_it_comes_back_out_of_a_file():
    cloud, file = Cloud(24, without=[1, 3]).add(vectors(50)), io.BytesIO()
    np.savez(file, **cloud.arrays())
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        again = Cloud.of(arrays)
    assert repr(again) == repr(cloud) == "Cloud(d=24, n=50, without=(1, 3))"
    assert all(np.array_equal(again.arrays()[name], value) for name, value in cloud.arrays().items())
    before = cloud.arrays()
    cloud.add(vectors(5))  # neither the arrays nor what is made of them
    assert cloud.n == 55 and all(np.array_equal(again.arrays()[name], value) for name, value in before.items())
    with pytest.raises(ValueError, match=r"arrays must hold scatter of shape \(24, 24\), got \(2, 2\)"):
        Cloud.of({**cloud.arrays(), "scatter": np.eye(2)})


# What has no answer


def test_one_vector_has_lengths_and_no_spread():
    cloud = Cloud(2).add([[3.0, 4.0]])
    assert (cloud.norm_mean, cloud.norm_std, cloud.mean.tolist()) == (5, 0, [3, 4]) and cone_index(cloud) == 1
    for measure, message in (
        (anisotropy, "X must hold at least two different vectors, got 1 times the same"),
        (average_cosine, "X must be a cloud of 2 or more vectors, got 1"),
        (lambda c: c.covariance, "a covariance takes 2 or more vectors, got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            measure(cloud)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_equal_vectors_have_no_shape(dtype):
    draw = np.random.default_rng(0)
    for n in draw.integers(2, 1500, 40):  # whatever their mean is rounded to
        X = np.tile(draw.normal(size=3).astype(dtype), (n, 1))
        with pytest.raises(ValueError, match=f"two different vectors, got {2 * n} times the same"):
            anisotropy(Cloud(3).add(X).add(X[: n // 3]).merge(Cloud(3).add(X[n // 3 :])))


def test_a_vector_of_zeros_has_a_place_and_no_cosine():
    X = vectors(40, d=3)
    X[7], X[9, :2] = 0, 0
    cloud = Cloud(3, without=[2]).add(X)
    np.testing.assert_allclose(spectrum(cloud), spectrum(X), atol=1e-12)
    for measure in (average_cosine, cone_index):
        for view, n in ((cloud, 1), (cloud.rest, 2)):
            with pytest.raises(ValueError, match=f"X must have no row of zeros, which has no cosine, got {n}"):
                measure(view)
        with pytest.raises(ValueError, match="X must have no row of zeros, which has no cosine, got 1"):
            measure(X)  # says the same in memory


@pytest.mark.parametrize("value, shown", [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf"), (1e200, "1e\\+200")])
def test_what_is_not_finite_is_refused_by_its_row_and_nothing_is_counted(value, shown, monkeypatch):
    monkeypatch.setattr(streaming, "PART", 2000)
    X = vectors(3000)
    X[2345, 11] = value
    cloud = Cloud(24).add(vectors(5))
    before = cloud.arrays()
    for rows in (X, X.astype(np.float32)) if abs(value) != 1e200 else (X,):
        with pytest.raises(ValueError, match=f"^X must be finite.*got {shown} in row 2345$"):
            cloud.add(rows)
    assert all(np.array_equal(before[name], value) for name, value in cloud.arrays().items())


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: Cloud(0), ValueError, "^d must be a number of coordinates"),
        (lambda: Cloud(3, without=[3]), ValueError, "^without must be numbers of coordinates, from 0 to 2, got 3"),
        (lambda: Cloud(2, without=[0, 1]), ValueError, "^without must leave a coordinate"),
        (lambda: Cloud(3).add(np.ones((2, 4))), ValueError, r"^X must be .* of 3 coordinates.* \(2, 4\)"),
        (lambda: Cloud(3).add(np.ones(3)), ValueError, "^X must be a matrix"),
        (lambda: Cloud(1).add([["a"]]), TypeError, "^X must be an array of real numbers"),
        (lambda: Cloud(1).add([[1j]]), TypeError, "^X must be an array of real numbers"),
        (lambda: Cloud(3).merge(Cloud(4)), ValueError, "^other must be a cloud like this one"),
        (lambda: Cloud(3) + Cloud(3, without=[1]), ValueError, "^other must be a cloud like this one"),
        (lambda: outlier_coordinates(np.eye(2), 1), ValueError, "^times must be above 1"),
    ],
)
def test_bad_arguments_are_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_torch_s_types_are_taken(dtype):
    X = torch.tensor(vectors(300), dtype=dtype)
    same(Cloud(24).add(X), X.double().numpy())


def test_a_dead_coordinate_hides_no_loud_one():
    """In the default model's last layer one coordinate is around 1e-33: its squares are 0 in float32."""
    X = vectors(3000, loud=[5]).astype(np.float32)
    X[:, 7] = np.linspace(3e-33, -3e-33, 3000)
    cloud = Cloud(24).add(X)
    assert (cloud.covariance.diagonal() >= 0).all() and outlier_coordinates(cloud).tolist() == [5]


def test_loud_coordinates_are_named_largest_first():
    X = vectors(500, loud=[5])
    X[:, 9] = 100
    for found in (outlier_coordinates(X), outlier_coordinates(Cloud(24).add(X)), outlier_coordinates(torch.tensor(X))):
        assert found.tolist() == [9, 5]
    assert outlier_coordinates(np.zeros((4, 3))).tolist() == outlier_coordinates(np.eye(4)).tolist() == []
