"""Pictures of clouds: PCA against scikit-learn's, the two example clouds, and what a picture keeps."""

import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.geometry import cubes, hopf_link, pca, projection_quality, tsne, umap

RNG = np.random.default_rng(5)
CLOUD = RNG.normal(size=(80, 6)) * [5, 4, 3, 2, 1, 0.5] + 7


# --- PCA -----------------------------------------------------------------------------------------------------------


def test_pca_is_scikit_learns():
    from sklearn.decomposition import PCA

    theirs, ours = PCA(4).fit(CLOUD), pca(CLOUD, n=4)
    signs = np.sign((theirs.components_ * ours.components).sum(1))  # theirs depend on the version
    np.testing.assert_allclose(ours.components, theirs.components_ * signs[:, None], atol=1e-10)
    np.testing.assert_allclose(ours.coordinates, theirs.transform(CLOUD) * signs, atol=1e-10)
    np.testing.assert_allclose(ours.shares, theirs.explained_variance_ratio_, atol=1e-12)
    np.testing.assert_allclose(ours.mean, theirs.mean_)


def test_the_directions_are_eigenvectors_of_the_covariance():
    ours, covariance = pca(CLOUD, n=6), np.cov(CLOUD.T)
    np.testing.assert_allclose(covariance @ ours.components.T, ours.components.T * (ours.shares * np.trace(covariance)))


@given(st.integers(2, 30), st.integers(1, 8), st.integers(0, 1000))
def test_all_directions_together_give_the_cloud_back(N, d, seed):
    X = np.random.default_rng(seed).normal(size=(N, d)) + 3
    ours = pca(X, n=min(N, d))
    np.testing.assert_allclose(ours.coordinates @ ours.components + ours.mean, X, atol=1e-8)
    assert ours.shares.sum() == pytest.approx(1)


def test_signs_do_not_depend_on_the_clouds_own():
    np.testing.assert_allclose(pca(-CLOUD).components, pca(CLOUD).components, atol=1e-12)
    for direction in pca(CLOUD, n=6).components:
        assert direction[np.abs(direction).argmax()] > 0


def test_no_plane_keeps_more_variance_than_pcas():
    best = pca(CLOUD).coordinates.var(0).sum()
    for _ in range(200):
        plane, _ = np.linalg.qr(RNG.normal(size=(6, 2)))
        assert (CLOUD @ plane).var(0).sum() < best


def test_tensors_and_lists_come_in_too():
    expected = pca(CLOUD).coordinates
    np.testing.assert_array_equal(pca(torch.tensor(CLOUD, requires_grad=True)).coordinates, expected)
    np.testing.assert_array_equal(pca(CLOUD.tolist()).coordinates, expected)


# --- t-SNE and UMAP ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("picture", [partial(tsne, start="random"), umap], ids=["tsne", "umap"])
def test_a_picture_is_quiet_and_a_seed_gives_it_again(picture, capfd):
    two = np.concatenate([RNG.normal(size=(30, 5)), RNG.normal(size=(30, 5)) + 20])
    state = np.random.get_state()[1].copy()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Y, again, other = picture(two), picture(two), picture(two, seed=1)
    assert capfd.readouterr() == ("", "")
    assert torch.get_num_threads() == 1  # numba, in UMAP, sets it for everyone
    torch.set_num_threads(threads)
    assert Y.shape == (60, 2) and np.isfinite(Y).all()
    np.testing.assert_array_equal(Y, again)
    assert not np.allclose(Y, other)
    assert (np.random.get_state()[1] == state).all()
    assert projection_quality(two, Y, k=10).recall > 0.4  # chance: 0.17


def test_tsne_from_pca_leaves_nothing_to_chance():
    np.testing.assert_array_equal(tsne(CLOUD), tsne(CLOUD, seed=1))


def test_tsne_needs_fewer_neighbors_than_points():
    with pytest.raises(ValueError, match="perplexity must be above 0 and below the number of points 20, got 20"):
        tsne(CLOUD[:20], perplexity=20)
    with pytest.raises(ValueError, match="perplexity"):
        tsne(CLOUD, perplexity=float("nan"))
    with pytest.raises(ValueError, match="X must have at least 2 columns"):
        tsne(CLOUD[:, :1], perplexity=5)
    assert tsne(CLOUD[:, :1], perplexity=5, start="random").shape == (80, 2)
    with pytest.raises(ValueError, match="start must be"):
        tsne(CLOUD, start="umap")


@pytest.mark.long
def test_what_umap_compiles_is_kept_on_disk():
    """Another process finds it there, the ten seconds too that umap-learn itself does not keep."""
    umap(CLOUD)
    code = """if True:
        from numba.core import event
        from tutorial_lib.geometry import umap
        with event.install_recorder("numba:compile") as compiled:
            umap([[k, k % 7] for k in range(50)])
        print(*{record.data["dispatcher"].py_func.__name__ for _, record in compiled.buffer})"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    kept = {"fast_knn_indices", "smooth_knn_dist", "compute_membership_strengths"}
    assert run.stdout and not kept & set(run.stdout.split())


def test_umap_needs_fewer_neighbors_than_points():
    with pytest.raises(ValueError, match="n_neighbors must be from 2 to 14, for 15 points, got 15"):
        umap(CLOUD[:15])
    with pytest.raises(ValueError, match="n_neighbors must be from 2"):
        umap(CLOUD, n_neighbors=1)
    with pytest.raises(ValueError, match="min_dist must be from 0 to 1, got 2"):
        umap(CLOUD, min_dist=2)


@pytest.mark.parametrize(
    "function",
    [pca, tsne, umap, lambda X: projection_quality(X, CLOUD), lambda X: projection_quality(CLOUD, X)],
)
def test_clouds_that_make_no_picture_are_refused_by_name(function):
    for cloud in (np.full((80, 6), 3.0), np.full((80, 6), np.nan), CLOUD[0], CLOUD[:1], np.zeros((0, 6))):
        with pytest.raises(ValueError, match="^[XY] must"):
            function(cloud)
    with pytest.raises(TypeError, match="^[XY] must be an array"):
        function("a text")


@pytest.mark.parametrize("n", [0, 7, 1.5, True])
def test_pca_has_at_most_as_many_directions_as_coordinates(n):
    with pytest.raises(ValueError, match="n must be"):
        pca(CLOUD, n=n)


# --- Two clouds ----------------------------------------------------------------------------------------------------


def test_the_hopf_link_is_two_unit_circles_through_each_others_centers():
    points, circle = hopf_link(100)
    for number, center in enumerate([[0, 0, 0], [1, 0, 0]]):
        np.testing.assert_allclose(np.linalg.norm(points[circle == number] - center, axis=1), 1)
        assert np.linalg.norm(points[circle != number] - center, axis=1).min() < 1e-12
        assert np.linalg.matrix_rank(points[circle == number] - center, tol=1e-9) == 2


def test_each_cube_has_its_dimension_and_unit_sides():
    points, cube = cubes(400, seed=3)
    assert points.shape == (1200, 10) and np.bincount(cube).tolist() == [400] * 3
    for number, k in enumerate((7, 8, 9)):
        own = points[cube == number]
        assert np.linalg.matrix_rank(own - own.mean(0), tol=1e-9) == k
        np.testing.assert_allclose(own.var(0).sum(), k / 12, rtol=0.1)  # a uniform side has variance 1/12
    assert (points[cube == 0].min(0) >= 2).all() and (points[cube == 2].min(0) >= 0).all()
    np.testing.assert_array_equal(points, cubes(400, seed=3)[0])
    assert not np.array_equal(points, cubes(400, seed=4)[0])


# --- What a picture keeps ------------------------------------------------------------------------------------------


def test_the_quality_of_a_picture_agrees_with_scikit_learn_and_scipy():
    from scipy.spatial.distance import pdist
    from scipy.stats import spearmanr
    from sklearn.manifold import trustworthiness
    from sklearn.neighbors import NearestNeighbors

    for k, Y in [(5, CLOUD[:, :2]), (10, CLOUD[:, 3:]), (39, RNG.normal(size=(80, 2)))]:
        ours = projection_quality(CLOUD, Y, k=k)
        assert ours.trustworthiness == pytest.approx(trustworthiness(CLOUD, Y, n_neighbors=k), abs=1e-12)
        assert ours.rank_correlation == pytest.approx(spearmanr(pdist(CLOUD), pdist(Y)).statistic, abs=1e-12)
        nearest = [NearestNeighbors(n_neighbors=k).fit(Z).kneighbors(return_distance=False) for Z in (CLOUD, Y)]
        shared = [len(set(a) & set(b)) for a, b in zip(*nearest)]
        assert ours.recall == pytest.approx(np.mean(shared) / k)


def test_rank_correlation_with_ties_is_scipys():
    from scipy.spatial.distance import pdist
    from scipy.stats import spearmanr

    X, Y = RNG.integers(0, 3, size=(40, 3)), RNG.integers(0, 3, size=(40, 2))
    expected = spearmanr(pdist(X), pdist(Y)).statistic
    assert projection_quality(X, Y, k=3).rank_correlation == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 1000), st.floats(0.1, 10))
def test_a_turned_shifted_and_scaled_copy_keeps_everything(seed, scale):
    rng = np.random.default_rng(seed)
    X, turn = rng.normal(size=(30, 4)), np.linalg.qr(rng.normal(size=(4, 4)))[0]
    result = projection_quality(X, scale * X @ turn + 3, k=5)
    assert result.trustworthiness == result.recall == 1
    assert result.rank_correlation == pytest.approx(1)


def test_a_random_picture_keeps_what_chance_keeps():
    X, Y = RNG.normal(size=(2, 600, 3))
    result = projection_quality(X, Y, k=12)
    assert result.recall == pytest.approx(12 / 599, abs=0.008)
    assert result.trustworthiness == pytest.approx(0.5, abs=0.03)
    assert result.rank_correlation == pytest.approx(0, abs=0.05)


def test_rank_correlation_needs_distances_that_differ():
    assert np.isnan(projection_quality(np.eye(6), CLOUD[:6], k=2).rank_correlation)


def test_the_quality_compares_point_by_point():
    with pytest.raises(ValueError, match="Y must hold one point for each of X's 80, got 79"):
        projection_quality(CLOUD, CLOUD[1:])
    with pytest.raises(ValueError, match="k must be .* below half the number of points, 40, got 40"):
        projection_quality(CLOUD, CLOUD, k=40)
