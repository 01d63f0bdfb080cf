"""What the chapter on where heads rest tells of the default model, of the book's own, and of the stored small ones."""

import numpy as np
import pytest

from tutorial_book.experiments import sinks
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import mean_interval
from tutorial_lib.tokenization import WordPiece

KINDS = ["encyclopedia", "posts"]
KEPT = sinks.stored()["kinds"]


def mean(values):
    return float(np.mean(np.asarray(values)))


# a key and a value


def test_half_of_the_weight_goes_to_cls_and_its_values_are_short(page):
    for name in KINDS:
        to_first = np.asarray(page.to_first[name])
        assert to_first[1:5].min() > 0.44 and to_first[0] < 0.2 and to_first[5] < 0.4
    assert max(float(share) for share in page.even) < 0.06


def test_in_one_layer_only_the_key_of_cls_is_missed(page):
    for name in KINDS:
        lost = {what: np.asarray(curve) for what, curve in page.lost_by_layer[name].items()}
        key, others = lost.pop("[CLS], key"), lost
        assert 0.015 < key[0, 1:5].min() < key[0, 1:5].max() < 0.06 and key[0].argmax() == 4
        for value in others.values():
            assert value[0].max() < 0.004
            assert (value[2, 1:] < key[1, 1:]).all()  # intervals apart, in all layers but the first


def test_in_all_layers_the_key_costs_a_quarter_and_the_value_nothing(page, prose):
    for name in KINDS:
        worth = page.worth[name]
        assert worth["[CLS], value"][3] < 0.01 and worth["[SEP], key"][3] < 0.01
        assert worth["[CLS], key"][1] == pytest.approx(0.27, abs=0.015)
        assert worth["[CLS], key"][0] == worth["[CLS], value"][0] > 0.35
        rising = [worth[what][1] for what in ("1 word", "2 words", "4 words")]
        assert rising == sorted(rising) and rising[0] > 0.005
        slopes = [worth[what][1] / worth[what][0] for what in ("4 words", "[CLS], key")]
        assert slopes[1] > 0.9 * slopes[0]  # for its weight, no less than words
    assert "keep a cosine above 0.99" in prose and "With its key gone they keep 0.73" in prose


def test_questions_lose_four_tenths_with_the_key_and_nothing_with_the_value(page, prose):
    change = {what: mean_interval(after - page.as_it_is) for what, after in page.answered.items()}
    assert change["[CLS], key"][2] < -0.15
    for what in ("[CLS], value", "a word, key"):
        assert change[what][1] < 0 < change[what][2], what
        assert change["[CLS], key"][2] < change[what][1]
    left = page.answered["[CLS], key"].mean() / page.as_it_is.mean()
    assert left == pytest.approx(0.61, abs=0.02) and "the mean reciprocal rank falls by four tenths" in prose


# one coordinate


def test_the_loud_coordinates_are_99_and_223(page):
    assert (page.loudest, page.everywhere) == (99, 223)
    assert not {99, 223} & set(page.random.tolist())


def test_without_coordinate_99_nobody_rests_at_cls_and_without_another_all_do(page):
    for name in KINDS:
        share = {what: np.asarray(weights)[1:5].mean() for what, weights in page.to_cls[name].items()}
        usual, without = share["as it is"], share["without 99"]
        assert usual > 0.47 and without < 0.05 and np.asarray(page.to_cls[name]["without 99"]).mean(1).max() < 0.1
        for i in page.random:
            assert share[f"without {i}"] == pytest.approx(usual, abs=0.01)
            assert mean(page.alike[name][f"without {i}"]) > 0.99
        assert usual < share["without 223"] < usual + 0.07
        assert share["no neurons at [CLS]"] == pytest.approx(usual, abs=0.04)
        assert mean(page.alike[name]["without 99"]) == pytest.approx(0.73, abs=0.02)  # as without the key
        for what in ("without 223", "no neurons at [CLS]"):
            assert mean(page.alike[name][what]) > 0.985


def test_a_word_that_is_given_it_takes_the_place_of_cls(page):
    for name in KINDS:
        usual = np.asarray(page.to_cls[name]["as it is"]).mean(1)
        word = np.asarray(page.to_word[name]["99 given to a word"]).mean(1)
        np.testing.assert_allclose(word[1:], usual[1:], atol=0.08)
        assert word[0] < usual[0]
        assert np.asarray(page.to_cls[name]["99 given to a word"]).mean(1).max() < 0.1
        assert mean(page.alike[name]["99 given to a word"]) > 0.94


def test_in_the_opening_the_heads_follow_to_each_token(page):
    for i, weights in enumerate(page.moved):
        assert (np.asarray(weights)[1:5].argmax(1) == i).all(), page.tokens[i]


def test_other_models_have_no_sink_at_their_first_token(page):
    for name, (weight, even) in page.shares.items():
        assert (weight > 5 * even) == (name == "default model"), name
        assert name == "default model" or weight < 1.5 * even, name


def test_book_gpt_can_do_without_its_first_key(page):
    rises = {place: mean_interval(np.asarray(rise)) for place, rise in page.rises.items()}
    assert 0 < rises[0][0] < 0.02
    assert all(rises[0][0] < rises[place][0] for place in (1, 2, 4, 6))


# trained here


def test_with_a_plain_softmax_a_head_rests_in_all_seeds_and_not_at_signals():
    untrained = max(KEPT[kind]["of others, untrained"].mean(1).max() for kind in KEPT)
    for kind in ("pre-norm, plain", "post-norm, plain"):
        others, signals = sinks.resting(KEPT[kind])
        assert others.min() > 0.1 > 1.5 * untrained and signals.max() < 0.01, kind
        assert mean_interval(KEPT[kind]["loss"][:, 0])[2] < 0.05  # it has learned to copy


def test_a_way_out_is_not_taken_with_pre_norm_by_the_head_that_copies():
    usual = sinks.resting(KEPT["pre-norm, plain"])[0]
    for softmax in ("off by one", "clipped"):
        others, signals = sinks.resting(KEPT[f"pre-norm, {softmax}"])
        assert others.min() > 0.15 and others.mean() > 0.65 * usual.mean() and signals.max() < 0.02
    assert sinks.resting(KEPT["pre-norm, off by one"])[0].mean() > 0.8 * usual.mean()  # "nearly as before"
    for kind in ("pre-norm, off by one", "pre-norm, clipped"):
        assert (KEPT[kind]["to nothing"].max(1) > 0.5).mean() >= 0.8


def test_with_post_norm_it_is_taken_if_off_by_one_and_not_if_clipped():
    assert sinks.resting(KEPT["post-norm, off by one"])[0].max() < 0.06
    clipped, usual = (sinks.resting(KEPT[f"post-norm, {softmax}"])[0] for softmax in ("clipped", "plain"))
    assert (clipped > 0.1).mean() >= 0.8 and (clipped > usual.max()).any()


def test_the_key_of_the_first_place_is_worth_a_thousandth_and_more_than_another():
    for kind in ("pre-norm, plain", "post-norm, plain"):
        one = KEPT[kind]
        away, another = (one[what][:, 1] - one["loss"][:, 1] for what in ("without 0", "without another"))
        assert 0.0008 < away.mean() < 0.002 and mean_interval(away - another)[1] > 0


def test_nothing_is_massive():
    assert max(one["peak"].max() for one in KEPT.values()) < 20
    for kind in KEPT:  # more than before training, in all seeds
        assert (KEPT[kind]["peak"].max(1) > KEPT[kind]["peak, untrained"].max(1)).all()


# eight bits


def test_eight_bits_are_too_few_until_one_coordinate_is_spared(page):
    for i in range(2):
        bits = {what: float(values[i]) for what, values in page.in_bits.items()}
        assert bits["none"] == pytest.approx(0.43, abs=0.03)
        assert bits["99"] > 0.8 and bits["99 and 223"] > bits["99"] and bits["223"] < 0.6
        assert max(map(float, page.by_chance[i])) < 0.6
    assert float(page.story_texts.alike(page.exact, page.rough).mean()) > 0.99


def test_eight_bits_do_no_harm_to_the_small_decoders():
    for kind, one in KEPT.items():
        assert np.abs(one["rounded"][:, 0, 1] - one["loss"][:, 1]).max() < 0.003, kind


def test_a_window_is_mended_by_one_key(chapter):
    page = chapter(bert=Bert.from_pretrained(device="cpu"), tok=WordPiece.from_pretrained())
    cosines = [np.mean([page.in_window(text, 4, first) for text in page.sample[:4]]) for first in (False, True)]
    assert cosines[0] == pytest.approx(0.53, abs=0.06) and cosines[1] == pytest.approx(0.78, abs=0.06)


def test_coordinate_99_comes_from_the_first_place_and_from_cls():
    bert, tok = Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained()
    assert bert.embeddings.positions.weight[:, 99].abs().argmax() == 0
    assert bert.embeddings.tokens.weight[:, 99].abs().argmax() == tok.vocab["[CLS]"]
