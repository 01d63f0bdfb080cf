"""What the chapter on the way through the layers (row 34) tells about the default model, pinned."""

import numpy as np
import pytest

from tutorial_lib.geometry import bootstrap_interval, pca, random_walks, step_alignment

MOUSE, STOP = 2, 5  # places of tokens


def test_each_word_is_one_token(page):
    """That the paths are Hugging Face's hidden states, the page checks itself."""
    assert page.tokens == "[CLS] the mouse was gone . the cat sat useless . [SEP]".split()
    assert page.mouse == MOUSE and page.A.shape == (7, 12, 384)


def test_steps_have_like_lengths_but_the_last_and_norms_do_not_grow(page):
    norms, lengths, cosines, radial = page.S
    means = lengths.mean(1)
    assert means[:-1] == pytest.approx(5.2, abs=0.6) and means[-1] == pytest.approx(7.98, abs=0.05)
    assert np.median(cosines) == pytest.approx(0.87, abs=0.01) and cosines[-1].mean() == pytest.approx(0.63, abs=0.01)
    growth = np.diff(norms.mean(1))
    assert growth[0] == pytest.approx(2.05, abs=0.05) and np.abs(growth[1:3]).max() < 0.2 and (growth[-2:] < -1.5).all()
    assert radial.mean() < 0.1


def test_norms_come_from_gamma_and_beta_alone(page, bert):
    for X, norm in zip(page.A, [bert.embeddings.norm, *(layer.norm for layer in bert.layer)], strict=True):
        z = (X - norm.bias.detach().numpy()) / norm.weight.detach().numpy()
        np.testing.assert_allclose(np.linalg.norm(z, axis=1), 384**0.5, rtol=1e-3)


def test_the_picture_of_one_token_is_that_of_a_random_walk(page):
    mouse = page.A[:, MOUSE]
    walks = [pca(random_walks(mouse, seed=seed)).shares.sum() for seed in range(30)]
    assert pca(mouse).shares.sum() == pytest.approx(0.835, abs=0.005)
    assert np.mean(walks) == pytest.approx(0.80, abs=0.02)


def test_a_fifth_in_common_looks_like_nearly_everything(page):
    start = page.A[:-1]
    for seed in range(3):
        walks = random_walks(start, shared=0.2, seed=seed)
        assert step_alignment(walks).mean() == pytest.approx(0.2, abs=0.01)
        assert step_alignment(page.in_picture(walks)).mean() > 0.9
        assert abs(step_alignment(page.in_picture(random_walks(start, seed=seed))).mean()) < 0.15


def test_the_model_s_tokens_share_more_of_a_step_than_their_picture_shows(page):
    before_last, flat = page.in_common["this model, last step left out"]
    assert before_last == pytest.approx(0.26, abs=0.01) and flat < 0.2
    assert step_alignment(page.A)[-1] == pytest.approx(0.60, abs=0.01)


def test_without_skip_connections_a_layer_s_output_has_nothing_of_its_input_s_direction(page):
    with_skips, without = np.transpose(page.skips)
    assert (with_skips[:5] > 0.85).all() and with_skips[5] > 0.6 and (np.abs(without) < 0.2).all()


def test_the_two_mice_part_in_the_first_layer_and_by_little(page):
    distances = page.distances
    assert distances[0, MOUSE] == 0 and distances[1, MOUSE] > 2 * distances[1, [0, 1, 3, 4, 5]].max()
    assert page.cosines[:, MOUSE].min() > 0.96
    assert distances[5, STOP] > distances[5, MOUSE]


def test_homonyms_follow_their_sense_from_the_first_layer_on_and_more_than_other_tokens(page):
    homonym = page.gaps["the homonym"]
    assert (homonym[:, :, 0] == 0).all()  # equal before the first layer
    low, _ = bootstrap_interval(page.ratio, homonym, n=300)
    assert page.ratio(homonym)[:5] == pytest.approx(2.4, abs=0.3) and (low > 1.4).all()
    for name in ("full stop", "[CLS]"):
        _, high = bootstrap_interval(page.ratio, page.gaps[name], n=300)
        assert (high[:5] < low[:5]).all()


def test_a_noun_with_one_sense_in_the_same_place_follows_the_topic_far_less(page):
    _, low, _ = page.curves["the homonym"]
    control, _, high = page.curves["a word with one sense"]
    assert (low > high).all() and control == pytest.approx(1.4, abs=0.15)
    assert page.number == 1 and (page.low > 0).all()  # of the difference


def test_cls_hardly_turns_only_because_of_one_coordinate(page):
    with_it, without = page.S.cosines, page.less
    assert with_it[:-1, 0].mean() > 0.97 and without[:-1, 0].mean() < 0.65
    assert np.abs(with_it[:-1, 1:].mean() - without[:-1, 1:].mean()) < 0.03


def test_the_steps_of_mouse_are_far_from_parallel_and_no_chance_directions_either(page):
    cosines = np.abs(page.T[0][:-1])  # without the last step
    assert 0.1 < cosines.min() and cosines.max() < 0.3  # chance spreads by 0.05


def test_mouse_fetches_its_sense_itself(page):
    assert 0 < page.mice_apart["mouse cut off"][-1] < 0.1 * page.mice_apart["free"][-1]


def test_gradients_do_not_fade_on_their_way_down(page):
    assert max(page.sizes) < 1.3 * min(page.sizes)
