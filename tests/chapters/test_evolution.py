"""Checks that the page on the way through the layers cannot do: other seeds, and LayerNorm's algebra."""

import numpy as np
import pytest

from tutorial_lib.geometry import bootstrap_interval, pca, random_walks, step_alignment


def test_each_word_is_one_token(page):
    assert page.tokens == "[CLS] the mouse was gone . the cat sat useless . [SEP]".split()


def test_norms_come_from_gamma_and_beta_only(page, bert):
    for X, norm in zip(page.A, [bert.embeddings.norm, *(layer.norm for layer in bert.layer)], strict=True):
        z = (X - norm.bias.detach().numpy()) / norm.weight.detach().numpy()
        np.testing.assert_allclose(np.linalg.norm(z, axis=1), 384**0.5, rtol=1e-3)


def test_path_of_one_token_resembles_a_random_walk(page):
    mouse = page.A[:, page.mouse]
    walks = [pca(random_walks(mouse, seed=seed)).shares.sum() for seed in range(30)]
    assert np.mean(walks) == pytest.approx(pca(mouse).shares.sum(), abs=0.06)


def test_a_fifth_in_common_looks_like_nearly_everything(page):
    start = page.A[:-1]
    for seed in range(3):
        walks = random_walks(start, shared=0.2, seed=seed)
        assert step_alignment(walks).mean() == pytest.approx(0.2, abs=0.01)
        assert step_alignment(page.in_picture(walks)).mean() > 0.9
        assert abs(step_alignment(page.in_picture(random_walks(start, seed=seed))).mean()) < 0.15


def test_homonyms_part_more_than_controls_when_resampled(page):
    homonym, control = page.both[:, 0], page.both[:, 1]
    assert (homonym[:, :, 0] == 0).all()  # equal before the first layer
    for seed in (1, 2):
        low, _ = bootstrap_interval(lambda two: page.ratio(two[:, 0]) - page.ratio(two[:, 1]), page.both, seed=seed)
        assert (low > 0).all() and (page.ratio(homonym) > page.ratio(control)).all()
