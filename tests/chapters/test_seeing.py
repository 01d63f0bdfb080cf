"""What the chapter on seeing high dimensions tells, on its own examples and on the default model."""

import numpy as np
import pytest

from tutorial_lib.geometry import crossings, nearest_neighbors, pca, projection_quality


def test_pca_has_no_reason_to_prefer_one_shadow_of_the_link(page):
    np.testing.assert_allclose(pca(page.points, n=3).shares, [0.6, 0.2, 0.2])


def test_each_shadow_of_the_link_has_two_crossings_or_four(page, prose):
    assert (page.counts.count(2), page.counts.count(4), len(page.counts)) == (798, 202, 1000)
    assert "In 798 of 1,000 random shadows the circles cross twice, in 202 four times" in prose
    assert list(page.kinds) == ["2 crossings", "4 crossings"]


def test_four_points_by_hand(page):
    np.testing.assert_allclose(np.cov(page.four.T), [[5 / 3, 4 / 3], [4 / 3, 5 / 3]])
    np.testing.assert_allclose(pca(page.four).shares, [0.9, 0.1])


def test_the_bars_say_what_the_caption_says(page):
    recall, trust, ranks, crossed, steps = zip(*page.of_link.values(), strict=True)
    assert round(recall[0], 2) == 0.72 and min(recall[1:]) > 0.88  # UMAP's neighbors differ between processors
    assert round(trust[0], 2) == 0.88 < 0.965 < min(trust[1:])
    assert sorted(page.of_link, key=lambda name: page.of_link[name][2])[-2:] == ["PCA", "t-SNE, perplexity 90"]
    assert [bool(number) for number in crossed] == [name in ("PCA", "t-SNE, perplexity 90") for name in page.of_link]
    assert 5 < dict(zip(page.of_link, steps))["t-SNE, perplexity 90"] < 6  # UMAP may tear a ring open, too


def test_tsne_takes_the_link_apart_unless_its_neighborhoods_are_large(page):
    points, circle = page.points, page.circle
    small, large = (page.maps[f"t-SNE, perplexity {perplexity}"] for perplexity in (30, 90))
    assert crossings(small[circle == 0], small[circle == 1]) == 0
    assert crossings(large[circle == 0], large[circle == 1]) >= 2
    assert projection_quality(points, small).recall > 0.99
    shadow = page.shadows["second direction at 0°"]
    of_shadow, of_small = (projection_quality(points, Y).rank_correlation for Y in (shadow, small))
    assert of_shadow > 0.85 > of_small


def test_tsne_forgets_how_far_and_how_wide_groups_are(page):
    for seed in (1, 2):
        *_, ratio = page.gaps[f"t-SNE, seed {seed}"]
        assert ratio < 2  # in truth 6 times as far
    true_width, _, of_tsne, _ = page.widths
    assert of_tsne < 2 < 9 < true_width


def test_the_whole_dataset_hides_the_cubes_dimensions(page):
    points, cube = page.cloud, page.cube
    assert pca(points).shares[0] > 0.9
    away = points[cube == 0].mean(0) - points[cube != 0].mean(0)
    assert pca(points).components[0] @ away / np.linalg.norm(away) > 0.999
    for i, k in enumerate((7, 8, 9)):
        shares = pca(points[cube == i], n=10).shares
        assert shares[k - 1] > 0.08 and np.all(shares[k:] < 1e-12)
        np.testing.assert_allclose(shares[:k], 1 / k, atol=0.025)  # no direction is longer than the others


def test_a_plane_holds_little_of_the_default_models_tokens(page):
    assert page.of_tokens[:2].sum() == pytest.approx(0.037, abs=0.001)
    assert (page.of_tokens.cumsum() < 0.9).sum() + 1 == 264
    of_pca, of_tsne, *_ = page.recall["tokens"]
    assert of_pca < 0.1 and of_tsne < 0.15


def test_short_tokens_are_the_neighbors_of_nearly_all_until_all_are_equally_long(page):
    assert [title.split(":\n")[1] for title in page.panels] == [
        "6 % preserved, a hub of 240",
        "20 % preserved, a hub of 126",
        "35 % preserved, a hub of 31",
    ]
    (_, tokens, _, often), (_, noise, _, often_of_noise), (_, equal, _, often_of_equal) = page.recall.values()
    assert often > 200 > 150 > often_of_noise > 50 > often_of_equal
    assert tokens < noise < equal  # what t-SNE keeps of the neighbors
    lengths = np.linalg.norm(page.sample, axis=1, keepdims=True)
    neighbor_of = np.bincount(nearest_neighbors(page.sample, k=10)[1].ravel())
    assert lengths[neighbor_of.argmax()] < np.quantile(lengths, 0.05)
    as_long = page.random / np.linalg.norm(page.random, axis=1, keepdims=True) * lengths
    assert np.bincount(nearest_neighbors(as_long, k=10)[1].ravel()).max() > 150  # the lengths alone do most of it
