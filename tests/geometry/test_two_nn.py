"""TwoNN on clouds of known dimension, and against scikit-dimension."""

import warnings

import numpy as np
import pytest

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import pca_dimension, two_nn


def linear(d, n=4000, width=30, seed=0):
    """A cloud that fills d of its dimensions."""
    return gaussian(n, d, seed=seed) @ np.linalg.qr(gaussian(width, d, seed=seed + 1))[0].T


def with_copies():
    """400 rows, and 150 copies of them."""
    X = linear(3, 400)
    X[70, 3] = 0.0
    X = np.concatenate([X, X[:100], X[:50]])
    X[470, 3] = -0.0
    return X


@pytest.mark.parametrize("method", ["linear", "mle"])
@pytest.mark.parametrize("d", [1, 2, 5, 10])
def test_a_linear_manifold_has_its_dimension(d, method):
    assert two_nn.intrinsic_dimension(linear(d), method) == pytest.approx(d, rel=0.05)


@pytest.mark.parametrize("method", ["linear", "mle"])
@pytest.mark.parametrize("discard", [0.1, 0.3])
@pytest.mark.parametrize("X", [linear(3, 500), gaussian(300, 60)], ids=["flat", "round"])
def test_twonn_is_scikit_dimensions(X, method, discard):
    skdim = pytest.importorskip("skdim")
    theirs = skdim.id.TwoNN(discard_fraction=discard, method=method).fit(X).dimension_
    assert two_nn.intrinsic_dimension(X, method, discard) == pytest.approx(theirs, rel=1e-6)


def test_curved_manifolds_have_fewer_dimensions_than_pca_says():
    t = np.random.default_rng(0).random(3000)
    helix = np.stack([np.cos(25 * t), np.sin(25 * t), 5 * t], axis=1)
    assert two_nn.intrinsic_dimension(helix) == pytest.approx(1, rel=0.05) and pca_dimension(helix, 0.99) == 3


def test_the_mle_without_discarding_is_the_means_inverse():
    x = np.log(two_nn.neighbor_ratios(linear(4, 300)))
    assert two_nn.intrinsic_dimension(linear(4, 300), "mle", discard=0) == pytest.approx(299 / x.sum())
    assert two_nn.ratio_dimension([2.0, 2.0, 2.0], discard=0) == two_nn.ratio_dimension([2.0, 2.0, 2.0], discard=0.3)


def test_distinct_keeps_the_first_of_each_in_order():
    rows = two_nn.distinct([[2, 1], [0.0, 1], [2, 1], [-0.0, 1], [1, 1]])
    np.testing.assert_array_equal(rows, [[2, 1], [0, 1], [1, 1]])
    X = np.random.default_rng(0).integers(0, 3, (200, 3))
    found = two_nn.distinct(X)
    assert sorted(found.tolist()) == np.unique(X, axis=0).tolist()


@pytest.mark.parametrize("measure", [two_nn.intrinsic_dimension, two_nn.sampled_ratios])
def test_copies_are_left_out_with_one_warning(measure):
    with pytest.warns(UserWarning, match="150 exact copies among 550") as caught:
        found = measure(with_copies())
    assert [warning.filename for warning in caught] == [__file__]
    np.testing.assert_allclose(found, measure(two_nn.distinct(with_copies())), rtol=1e-12)


@pytest.mark.parametrize("place", [0, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ratios_from_the_disk_are_those_in_memory(dtype, place, tmp_path, monkeypatch):
    monkeypatch.setattr(two_nn, "TILE", (70, 90))
    X = (linear(3, 500) + place).astype(dtype)
    np.save(tmp_path / "X.npy", X)
    found = two_nn.sampled_ratios(np.load(tmp_path / "X.npy", mmap_mode="r"))
    np.testing.assert_allclose(found, two_nn.neighbor_ratios(X), rtol=1e-12)


CLOUDS = {
    "round": gaussian(400, 30),
    "grid": np.round(3 * gaussian(600, 2)),
    "far": gaussian(300, 3) / 1e3 + 100,
    "huge": 1e90 * gaussian(99, 4),
    "equal": np.eye(99),
}


@pytest.mark.parametrize("X", CLOUDS.values(), ids=CLOUDS)
@pytest.mark.parametrize("tile", [(80, 1), (30, 2), (50, 64), (1000, 1000)])
def test_blocks_of_any_size_find_the_same_neighbors(X, tile, monkeypatch):
    monkeypatch.setattr(two_nn, "TILE", tile)
    X = X[:120]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of copies, on the grid
        np.testing.assert_allclose(two_nn.sampled_ratios(X), two_nn.neighbor_ratios(X), rtol=1e-12)


def test_a_sample_has_the_whole_clouds_ratios():
    X = linear(4, 3000)
    all_ratios, some = two_nn.neighbor_ratios(X), two_nn.sampled_ratios(X, n=300)
    assert len(some) == 300 and np.isclose(some[:, None], all_ratios, rtol=1e-12, atol=0).any(1).all()
    np.testing.assert_array_equal(some, two_nn.sampled_ratios(X, n=300, seed=0))
    assert not np.array_equal(some, two_nn.sampled_ratios(X, n=300, seed=1))
