"""What the chapter on seeing high dimensions tells, on its own examples and on the default model."""

import numpy as np
import pytest

from tutorial_lib.geometry import crossings, cubes, hopf_link, nearest_neighbors, pca, projection_quality, tsne

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def link():
    return hopf_link(100)


def halves(points, circle):
    return points[circle == 0], points[circle == 1]


def test_pca_has_no_reason_to_prefer_one_shadow_of_the_link(link):
    shares = pca(link[0], n=3).shares
    np.testing.assert_allclose(shares, [0.6, 0.2, 0.2])


def test_tsne_takes_the_link_apart_unless_its_neighborhoods_are_large(link):
    points, circle = link
    small, large = tsne(points, perplexity=30), tsne(points, perplexity=90)
    assert crossings(*halves(small, circle)) == 0
    assert crossings(*halves(large, circle)) >= 2
    assert projection_quality(points, small).recall > 0.99
    shadow = (points - points.mean(0))[:, :2]
    correlations = [projection_quality(points, Y).rank_correlation for Y in (shadow, small)]
    assert correlations[0] > 0.85 > correlations[1]


def test_tsne_forgets_how_far_and_how_wide_groups_are():
    centers = np.zeros((3, 10))
    centers[1, 0], centers[2, 0] = 10, 60
    Y = tsne(np.concatenate([center + RNG.normal(size=(50, 10)) for center in centers]))
    a, b, c = Y[:50].mean(0), Y[50:100].mean(0), Y[100:].mean(0)
    assert np.linalg.norm(a - c) < 2 * np.linalg.norm(a - b)  # in truth 6 times as far
    Y = tsne(np.concatenate([0.2 * RNG.normal(size=(100, 10)), 2 * RNG.normal(size=(100, 10)) + 20]))
    assert Y[100:].std(0).mean() < 2 * Y[:100].std(0).mean()  # in truth 10 times as wide


def test_the_whole_dataset_hides_the_cubes_dimensions():
    points, cube = cubes()
    assert pca(points).shares[0] > 0.9
    away = points[cube == 0].mean(0) - points[cube != 0].mean(0)
    assert pca(points).components[0] @ away / np.linalg.norm(away) > 0.999
    for i, k in enumerate((7, 8, 9)):
        shares = pca(points[cube == i], n=10).shares
        assert shares[k - 1] > 0.08 and np.all(shares[k:] < 1e-12)
        np.testing.assert_allclose(shares[:k], 1 / k, atol=0.025)  # no direction is longer than the others


def test_a_plane_holds_little_of_the_default_models_tokens(bert):
    E = bert.embeddings.tokens.weight.detach().numpy()
    covariance = np.linalg.eigvalsh(np.cov(E.T.astype(float)))[::-1]  # on a way of its own
    shares = covariance / covariance.sum()
    assert shares[:2].sum() == pytest.approx(0.037, abs=0.001)
    assert (shares.cumsum() < 0.9).sum() + 1 == 264
    sample = E[RNG.choice(len(E), 300, replace=False)]
    assert projection_quality(sample, pca(sample).coordinates).recall < 0.1
    assert projection_quality(sample, tsne(sample)).recall < 0.15


def test_short_tokens_are_the_neighbors_of_nearly_all_until_all_are_equally_long(bert):
    E = bert.embeddings.tokens.weight.detach().double().numpy()
    rng = np.random.default_rng(1)
    sample = E[rng.choice(len(E), 300, replace=False)]
    lengths = np.linalg.norm(sample, axis=1, keepdims=True)
    noise = rng.normal(size=sample.shape)
    as_long = noise / np.linalg.norm(noise, axis=1, keepdims=True) * lengths

    def most_frequent_neighbor(X):
        count = np.bincount(nearest_neighbors(X, k=10)[1].ravel(), minlength=len(X))
        return count.max(), count.argmax()

    often, which = most_frequent_neighbor(sample)
    assert often > 200 and lengths[which] < np.quantile(lengths, 0.05)
    assert most_frequent_neighbor(as_long)[0] > 200 > 150 > most_frequent_neighbor(noise)[0]
    assert most_frequent_neighbor(sample / lengths)[0] < 50
    kept = [projection_quality(X, tsne(X)).recall for X in (sample, noise, sample / lengths)]
    assert kept[0] < kept[1] < kept[2]
