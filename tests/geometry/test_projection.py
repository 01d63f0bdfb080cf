"""Pictures of clouds: PCA against scikit-learn's, the two example clouds, and how much a picture keeps."""

import warnings
from functools import partial

import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.neighbors import NearestNeighbors

from tests.geometry.clouds import gaussian, turn
from tutorial_lib.geometry import cubes, hopf_link, pca, projection_quality, tsne, umap

CLOUD = gaussian(80, 6) * [5, 4, 3, 2, 1, 0.5] + 7


@pytest.mark.parametrize("X, n", [(CLOUD, 1), (CLOUD, 4), (CLOUD, 6), (CLOUD[:5], 3)])
def test_pca_is_scikit_learns(X, n):
    theirs, ours = PCA(n).fit(X), pca(X, n)
    signs = np.sign((theirs.components_ * ours.components).sum(1))  # theirs depend on the version
    np.testing.assert_allclose(ours.components, theirs.components_ * signs[:, None], atol=1e-10)
    np.testing.assert_allclose(ours.coordinates, theirs.transform(X) * signs, atol=1e-10)
    np.testing.assert_allclose(ours.shares, theirs.explained_variance_ratio_, atol=1e-12)
    np.testing.assert_allclose(ours.mean, theirs.mean_)


def test_each_directions_largest_entry_is_positive():
    for X in (CLOUD, -CLOUD):
        for direction in pca(X, n=6).components:
            assert direction[np.abs(direction).argmax()] > 0
    for seed in range(20):  # two entries are equally large but for rounding: the first counts
        line = gaussian(9, 1, seed=seed) * [1.0, -1.0, 0.1] + gaussian(1, 3, seed=seed)
        np.testing.assert_allclose(pca(line, n=1).components[0] * 2.01**0.5, [1, -1, 0.1])


@pytest.mark.parametrize(
    "picture, others",
    [
        (partial(tsne, start="random"), [{"seed": 1}, {"perplexity": 5}, {"start": "pca"}]),
        (umap, [{"seed": 1}, {"n_neighbors": 5}, {"min_dist": 0.9}]),
    ],
    ids=["tsne", "umap"],
)
def test_a_picture_is_quiet_and_its_arguments(picture, others, capfd):
    two = np.concatenate([gaussian(30, 5), gaussian(30, 5, seed=1) + 20])
    state = np.random.get_state()[1].copy()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Y, *others = (picture(two, **changed) for changed in ({}, *others))
        np.testing.assert_array_equal(picture(two), Y)
    assert capfd.readouterr() == ("", "")
    assert torch.get_num_threads() == 1  # numba, in UMAP, sets it for everyone
    torch.set_num_threads(threads)
    assert Y.shape == (60, 2) and Y.dtype == np.float64
    assert not any(np.allclose(Y, other) for other in others)
    assert (np.random.get_state()[1] == state).all()
    assert projection_quality(two, Y, k=10).recall > 0.4  # chance: 0.17


def test_tsne_from_pca_leaves_nothing_to_chance():
    np.testing.assert_array_equal(tsne(CLOUD), tsne(CLOUD, seed=1))
    assert tsne(CLOUD[:, :1], perplexity=5, start="random").shape == (80, 2)


def test_the_hopf_link_is_two_linked_unit_circles():
    points, circle = hopf_link(100)
    for number, center in enumerate([[0, 0, 0], [1, 0, 0]]):
        np.testing.assert_allclose(np.linalg.norm(points[circle == number] - center, axis=1), 1)
        assert np.linalg.norm(points[circle != number] - center, axis=1).min() < 1e-12  # through each other's center
        assert np.linalg.matrix_rank(points[circle == number] - center, tol=1e-9) == 2


def test_each_cube_has_its_dimension_and_unit_sides():
    points, cube = cubes(400, seed=3)
    assert points.shape == (1200, 10) and np.bincount(cube).tolist() == [400] * 3
    for number, k in enumerate((7, 8, 9)):
        own = points[cube == number]
        assert np.linalg.matrix_rank(own - own.mean(0), tol=1e-9) == k
        np.testing.assert_allclose(own.var(0).sum(), k / 12, rtol=0.1)  # a uniform side has variance 1/12
    assert (points[cube == 0].min(0) >= 2).all() and (points[cube == 2].min(0) >= 0).all()
    assert np.linalg.norm(points[cube == 1], axis=1).min() < 1  # the corner stays at 0
    assert not np.array_equal(points, cubes(400, seed=4)[0])


@pytest.mark.parametrize(
    "X, Y, k",
    [
        (CLOUD, CLOUD[:, :2], 5),
        (CLOUD, CLOUD[:, 3:], 10),
        (CLOUD, gaussian(80, 2, seed=1), 39),
        (gaussian(40, 3).round(), gaussian(40, 2, seed=1).round(), 3),  # equal distances
    ],
    ids=["few", "ten", "chance", "ties"],
)
def test_quality_is_scikit_learns_and_scipys(X, Y, k):
    ours = projection_quality(X, Y, k)
    assert ours.trustworthiness == pytest.approx(trustworthiness(X, Y, n_neighbors=k), abs=1e-12)
    assert ours.rank_correlation == pytest.approx(spearmanr(pdist(X), pdist(Y)).statistic, abs=1e-12)
    if X is CLOUD:  # otherwise it is undefined which neighbors are the nearest
        nearest = [NearestNeighbors(n_neighbors=k).fit(Z).kneighbors(return_distance=False) for Z in (X, Y)]
        shared = [len(set(a) & set(b)) for a, b in zip(*nearest, strict=True)]
        assert ours.recall == pytest.approx(np.mean(shared) / k)


def test_a_turned_and_scaled_copy_keeps_everything():
    X = gaussian(30, 4)
    result = projection_quality(X, 7 * X @ turn(4) + 3, k=5)
    assert result.trustworthiness == result.recall == 1
    assert result.rank_correlation == pytest.approx(1)
    assert np.isnan(projection_quality(np.eye(30), X, k=2).rank_correlation)  # all distances are equal
    assert np.isnan(projection_quality(X, np.eye(30), k=2).rank_correlation)
