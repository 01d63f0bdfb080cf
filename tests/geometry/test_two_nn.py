"""TwoNN on clouds of known dimension, and against scikit-dimension."""

import warnings

import numpy as np
import pytest

from tutorial_lib.geometry import (
    distinct,
    intrinsic_dimension,
    neighbor_ratios,
    pca_dimension,
    ratio_dimension,
    sampled_ratios,
    two_nn,
)


def gaussian(n, d, seed=0, scale=1.0):
    return np.random.default_rng(seed).normal(size=(n, d)) * scale


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
                                           ({"discard": -0.1}, "discard"), ({"discard": 0.9}, "discard")])  # fmt: skip
def test_bad_options_are_refused_by_name(options, name):
    with pytest.raises(ValueError, match=f"^{name} must"):
        intrinsic_dimension(gaussian(5, 2), **options)


# Past memory


@pytest.mark.parametrize("place", [0, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ratios_of_all_rows_from_the_disk_are_those_in_memory(dtype, place, tmp_path, monkeypatch):
    monkeypatch.setattr(two_nn, "TILE", (70, 90))
    X = (linear(3, 500) + place).astype(dtype)
    np.save(tmp_path / "X.npy", X)
    found = sampled_ratios(np.load(tmp_path / "X.npy", mmap_mode="r"))
    np.testing.assert_allclose(found, neighbor_ratios(X), rtol=1e-12)
    assert ratio_dimension(found, "mle", 0.2) == pytest.approx(intrinsic_dimension(X, "mle", 0.2), rel=1e-12)


@pytest.mark.parametrize(
    "X",
    [
        gaussian(400, 30),
        np.round(3 * gaussian(600, 2)),
        gaussian(300, 3) / 1e3 + 100,
        1e200 * gaussian(99, 4),
        np.eye(99),
    ],
    ids=["round", "grid", "far", "huge", "equal"],
)
@pytest.mark.parametrize("tile", [(16, 1), (30, 2), (50, 64), (1000, 1000)])
def test_blocks_of_any_size_find_the_same_two_neighbors(X, tile, monkeypatch):
    monkeypatch.setattr(two_nn, "TILE", tile)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of copies, on the grid
        np.testing.assert_allclose(sampled_ratios(X), neighbor_ratios(X), rtol=1e-12)


def test_a_sample_s_ratios_are_those_of_its_rows_in_the_whole_cloud():
    X = linear(4, 3000)
    all_ratios, some = neighbor_ratios(X), sampled_ratios(X, n=300)
    assert len(some) == 300 and np.isclose(some[:, None], all_ratios, rtol=1e-12, atol=0).any(1).all()
    np.testing.assert_array_equal(some, sampled_ratios(X, n=300, seed=0))
    assert not np.array_equal(some, sampled_ratios(X, n=300, seed=1))


def test_the_stated_error_of_a_sample_is_the_one_that_is_found():
    X = linear(5, 3000)
    whole = intrinsic_dimension(X, "mle")
    errors = [ratio_dimension(sampled_ratios(X, 200, seed), "mle") / whole - 1 for seed in range(40)]
    stated = 1 / np.sqrt(200 * 0.9)
    assert 0.7 * stated < np.std(errors) < 1.3 * stated and abs(np.mean(errors)) < stated / 2


def test_copies_on_the_disk_are_left_out_with_one_warning():
    X = linear(3, 400)
    doubled = np.concatenate([X, X[:100], X[:50]])
    doubled[70, 3], doubled[470, 3] = 0.0, -0.0
    with pytest.warns(UserWarning, match="150 exact copies among 550") as caught:
        found = sampled_ratios(doubled)
    assert len(caught) == 1 and caught[0].filename == __file__
    np.testing.assert_allclose(found, neighbor_ratios(distinct(doubled)), rtol=1e-12)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: sampled_ratios(np.ones((5, 2))), "^X must hold at least 3 distinct vectors, got 1"),
        (lambda: sampled_ratios(np.ones(5)), r"^X must be an array of vectors, one a row, got \(5,\)"),
        (lambda: sampled_ratios([[1.0]]), "^X must be an array of vectors, one a row, got list"),
        (lambda: sampled_ratios(np.vstack([np.eye(9), np.full(9, np.nan)])), "^X must be finite.* row 9"),
        (lambda: sampled_ratios(np.eye(9), n=1), "^n must be a number of rows"),
        (lambda: ratio_dimension([0.5, 2, 3]), "^ratios must be 1 or more, got 0.5"),
        (lambda: ratio_dimension([1, 1, 1, 1]), "perfect grid"),
        (lambda: ratio_dimension([2.0]), "^discard must leave"),
        (lambda: ratio_dimension([2.0, 3.0], "ml"), "^method must"),
    ],
)
def test_what_has_no_ratios_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
