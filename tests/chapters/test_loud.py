"""What the chapter on loud coordinates tells about the default model, pinned; with other seeds where chance decides."""

import numpy as np
import pytest

from tutorial_book.experiments.loud import token_vectors
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import bootstrap_interval
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece

ENCYCLOPEDIA, POSTS = COLLECTIONS = ["encyclopedia", "posts"]
MEANS, CLS = "means, layer 5", "[CLS], layer 6"


@pytest.fixture(scope="module")
def posts():
    return token_vectors(load_texts(POSTS), Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained())


# which coordinates


def test_number_223_adds_most_from_layer_2_on_and_more_than_half_after_layer_5(page, prose):
    for name in COLLECTIONS:
        assert [row[0] for row in page.by_layer[name][2:6]] == [223] * 4
        shares = [row[1] for row in page.by_layer[name]]
        assert shares[5] > 0.54 > max(shares[:5]) and shares[6] < 0.06
    assert "coordinate, 223, adds most from layer 2 on, and more than half after layer 5" in prose
    assert page.by_layer[ENCYCLOPEDIA][5][1] == pytest.approx(0.63, abs=0.005) and "makes 63 %" in prose


def test_it_has_a_fifth_of_the_lengths_and_nothing_of_the_distances(page):
    for name in COLLECTIONS:
        _, _, length, distance, steady, _ = page.by_layer[name][5]
        assert 0.15 < length < 0.25 and distance < 0.02 and steady > 2
    _, _, length, distance, *_ = page.by_layer[ENCYCLOPEDIA][5]
    assert (length, distance) == pytest.approx((0.225, 0.018), abs=0.003)


def test_no_coordinate_of_the_small_models_adds_more_than_an_eighth(page):
    for name in ("book-bert, stories", "book-gpt, stories"):
        assert max(row[1] for row in page.by_layer[name]) < 0.13


def test_the_parts_of_each_layer_add_up_to_its_average_cosine(page):
    for name in COLLECTIONS:
        np.testing.assert_allclose(page.parts[name].sum(1), [row[5] for row in page.by_layer[name]], atol=1e-9)


# five controls


def test_the_average_cosine_goes_and_the_scores_stay(page, prose):
    as_it_is, loudest, *others = page.cosines[MEANS]
    assert (as_it_is, loudest) == pytest.approx((0.63, 0.41), abs=0.005) and np.abs(others).max() < 0.005
    assert "from 0.63 to 0.41 and to 0" in prose
    for task, by_change in page.changed[MEANS].items():
        for name in ("the loudest out", "the mean out"):
            value, low, high, *_ = by_change[name]
            assert low <= 1e-9 and high >= -1e-9 and abs(value) < 0.01, (task, name)


def test_whitening_moves_two_scores_in_two_directions_beyond_its_null(page, prose):
    contrasts, groups = (page.changed[MEANS][task]["whitened"] for task in ("contrasts", "groups"))
    assert contrasts[0] == pytest.approx(0.026, abs=0.003) and contrasts[1] > 0 and contrasts[1] > contrasts[4]
    assert groups[0] == pytest.approx(-0.032, abs=0.003) and groups[2] < min(0, groups[3])
    assert "the contrasts up by 0.03 and the groups down by 0.03" in prose
    down = page.changed[MEANS]["contrasts"]["standardized"]
    assert down[0] == pytest.approx(-0.02, abs=0.003) and down[2] < down[3] and "contrasts down by 0.02" in prose


def test_without_its_loudest_coordinate_cls_answers_more_questions(page):
    for name in ("the loudest out", "the mean out", "standardized"):
        value, low, _, _, highest = page.changed[CLS]["questions"][name]
        assert value == pytest.approx(0.1, abs=0.02) and low > 0.03 > highest
    assert page.before[CLS]["questions"] == pytest.approx(0.48, abs=0.01)


@pytest.mark.parametrize("seed", [1, 2])
def test_with_other_resamples_it_is_the_same(page, seed):
    """And the means lose nothing that an interval could show."""
    cosine, _, _, angle = page.ways[CLS]
    assert bootstrap_interval(np.mean, angle - cosine, seed=seed)[0] > 0.03
    cosine, _, _, angle = page.ways[MEANS]
    low, high = bootstrap_interval(np.mean, angle - cosine, seed=seed)
    assert low < 0 < high


def test_with_a_constant_coordinate_the_cosine_lies_between_distance_and_angle(page):
    cosine, constant, distance, angle = (ranks.mean() for ranks in page.ways[CLS])
    assert (cosine, constant, distance, angle) == pytest.approx((0.480, 0.518, 0.404, 0.568), abs=0.005)
    _, constant, distance, angle = page.ways[CLS]
    for more in (angle - constant, constant - distance):
        assert bootstrap_interval(np.mean, more)[0] > 0
    _, _, distance, angle = (ranks.mean() for ranks in page.ways[MEANS])
    assert abs(distance - angle) < 0.005


def test_whitening_with_every_direction_costs_a_third_of_the_questions(page, prose):
    most = max(page.whitened)
    left = page.whitened[most]["questions"] / page.before[MEANS]["questions"]
    assert most == 383 and left == pytest.approx(0.65, abs=0.02)
    assert "698 texts tell little about the smallest of 383" in prose


# how contextual


def test_nine_tenths_of_the_sentence_similarity_is_the_strangers_too(page, prose):
    for name in COLLECTIONS:
        words, strangers, *_ = page.context[name]["sentence similarity"].mean(-1)
        assert strangers[5] / words[5] == pytest.approx(0.9, abs=0.01)
        assert max(words[:6] - strangers[:6]) < 0.07 < 0.28 < words[6] - strangers[6]
    assert page.gaps[ENCYCLOPEDIA, "sentence similarity"][0][5].mean() == pytest.approx(0.06, abs=0.003)
    assert "the gap is 0.06" in prose and "nine tenths" in prose


def test_the_loudest_coordinate_bends_the_curves_at_layer_5(page, prose):
    for name, raw, without in ((ENCYCLOPEDIA, 0.045, 0.015), (POSTS, 0.033, 0.016)):
        words, _, quiet, _ = page.context[name]["self-similarity"]
        assert (words[5] - words[4]).mean() == pytest.approx(raw, abs=5e-4)
        assert (quiet[5] - quiet[4]).mean() == pytest.approx(without, abs=5e-4)
        for seed in (0, 1):
            less = (words[5] - words[4]) - (quiet[5] - quiet[4])
            assert bootstrap_interval(np.mean, less, seed=seed)[0] > 0
            with_it, without_it = page.steps[name, "sentence similarity"]
            assert bootstrap_interval(np.mean, without_it, seed=seed)[0] > 0
            assert bootstrap_interval(np.mean, with_it, seed=seed)[0] < 0
    assert "by 0.045 in the encyclopedia and 0.033 in posts" in prose and "by 0.015 and 0.016" in prose


def test_a_words_own_vectors_are_far_more_alike_than_strangers_and_least_in_the_last_layer(page):
    for name in COLLECTIONS:
        gap = page.gaps[name, "self-similarity"][0].mean(-1)
        assert gap.argmin() == 6 and gap.min() > 0.4 and gap[0] > 0.85


@pytest.mark.long
def test_other_strangers_give_the_same_gap(page, posts):
    gap = page.gaps[POSTS, "sentence similarity"][0][5].mean()
    for seed in (3, 4):
        words, strangers, *_ = page.measured(posts, [seed])["sentence similarity"][:, 5].mean(-1)
        assert words - strangers == pytest.approx(gap, abs=0.01) == pytest.approx(0.06, abs=0.004)


def test_by_the_papers_adjustment_sentences_look_alike_and_strangers_nearly_so(page):
    adjusted = page.sentences - page.cone
    assert adjusted[1:].min() > 0.3
    strangers = page.context[ENCYCLOPEDIA]["sentence similarity"][1].mean(-1) - page.cone
    assert (strangers[1:6] > 0.8 * adjusted[1:6]).all() and strangers[6] < 0.4 * adjusted[6]


# clusters


def test_any_cloud_has_no_average_cosine_in_its_own_zero_and_clusters_are_less_round_than_a_gaussians(page):
    for name in COLLECTIONS:
        for cloud in (name, f"{name}, Gaussian"):
            _, mean_out, inside, own_zero, _ = page.local[cloud]
            assert abs(mean_out) < 0.03 and abs(own_zero) < 0.004 and inside > 0.25
        assert page.local[name][4] / page.local[f"{name}, Gaussian"][4] == pytest.approx(0.5, abs=0.06)


def test_so_they_are_with_another_start_of_k_means(page, posts):
    X = posts.vectors[5]
    assert page.clustered(X, seed=1)[4] < 0.65 * page.clustered(page.gaussian(X, seed=1), seed=1)[4]
