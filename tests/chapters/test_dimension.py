"""What the chapter on dimension tells, pinned; on both halves, at each scale, and with another draw of the tokens."""

import numpy as np
import pytest

from tutorial_book.experiments.dimension import shuffled
from tutorial_book.experiments.loud import token_vectors
from tutorial_lib.bert import Bert
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece

SCALES = 2, 4, 8  # of the curves by layer
MODELS = "book-gpt", "book-bert"


@pytest.fixture(scope="module")
def read():
    """The vectors of the texts as they are, and in an order that the chapter has not."""
    texts = load_texts("encyclopedia") + load_texts("posts")
    model = Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained()
    return [token_vectors(which, *model) for which in (texts, shuffled(texts, seed=1))]


# the estimator, and what moves it


def test_the_thread_has_two_dimensions_then_one_then_more(page, prose):
    by_k = {one.k: one.dimension for one in page.of_thread}
    assert by_k[1] > 1.8 and all(0.95 < by_k[k] < 1.1 for k in (16, 32, 64)) and by_k[128] > 2.3
    assert "nearly two dimensions from near" in prose and "It has one from farther away" in prose


def test_in_ten_dimensions_a_ball_grows_by_a_fourteenth(page):
    assert page.half - 1 == pytest.approx(0.078, abs=0.003) and 2**0.1 - 1 == pytest.approx(0.072, abs=0.001)


def test_five_dimensions_and_fewer_come_out_and_fifty_do_not(page):
    for name, scales in page.of_known.items():
        truth = int(name.split(", ")[1])
        measured = [one.dimension for one in scales]
        if truth <= 5:
            assert measured == pytest.approx([truth] * 4, rel=0.07), name
        else:
            assert measured[0] > measured[1] > measured[2] > measured[3], name  # the rim
    assert measured[0] < 35 and truth == 50


def test_at_one_distance_the_three_crowds_agree_and_at_one_k_they_do_not(page):
    at_radius = [np.interp(np.log(0.12), np.log([one.radius for one in scales]), [one.dimension for one in scales])
                 for scales in page.crowds.values()]  # fmt: skip
    at_k = [scales[2].dimension for scales in page.crowds.values()]
    assert np.ptp(at_radius) < 0.15 < 0.4 < np.ptp(at_k)


def test_near_copies_hide_the_dimension_at_the_scale_that_leaves_them(page):
    once, twice, eight = ([one.dimension for one in scales] for scales in page.groups.values())
    assert all(7.5 < value < 10 for value in once)
    assert twice[0] < 0.4 and all(7.5 < value < 10 for value in twice[1:])
    assert eight[2] < 0.4 and all(5 < value < 7.5 for value in eight[:2] + eight[3:])


def test_most_nearest_neighbors_are_of_the_same_type(page, prose):
    assert len(page.once) == 2186 and page.same_type == pytest.approx(0.76, abs=0.005)
    first, *_, last = page.same["same type"]
    assert (first, last) == pytest.approx((0.63, 0.28), abs=0.01) and "0.63 of the nearest neighbors" in prose
    lot, once = ([one.dimension for one in page.crowd[name]] for name in ("tokens by lot", "each type once"))
    assert (lot[0], lot[-1], once[0], once[-1]) == pytest.approx((8.5, 14, 11.2, 23), abs=0.5)


def test_the_layer_has_far_fewer_dimensions_than_its_covariance(page):
    layer, gaussian, whole = ([one.dimension for one in scales] for scales in page.flat.values())
    assert (np.array(layer) < 0.6 * np.array(gaussian)).all() and whole[0] == pytest.approx(109, abs=3)


# one vector per type


def valley(curve):
    """Whether all inner layers lie below both ends."""
    return max(curve[1:-1]) < min(curve[0], curve[-1])


def test_no_inner_layer_is_a_peak_in_order_or_not(page, prose):
    for i, k in enumerate(SCALES):
        for name in ("as it is", "words shuffled"):
            assert valley(page.of_types[name][:, i]), (name, k)
        untrained = page.of_types["untrained"][:, i]
        assert not valley(untrained) and untrained.min() > page.of_types["as it is"][:, i].max()
        assert untrained.min() > 0.85 * untrained.max()
    inner = page.of_types["as it is"][:, 2]
    assert all(20 < value < 24 for value in inner[1:5]) and inner[[0, 5, 6]] == pytest.approx([30, 26, 40], abs=0.5)
    assert "the inner layers but one lie between 20 and 24, layer 0 at 30, and the last at 40" in prose


def test_the_order_of_the_words_moves_an_inner_layer_by_less_than_a_tenth(page):
    ratios = page.of_types["words shuffled"] / page.of_types["as it is"]
    assert np.abs(ratios[1:-1] - 1).max() < 0.1


def test_both_halves_of_the_types_have_the_valley(page):
    for half in page.of_halves:
        for i in range(3):
            inner = half[1:5, i]
            assert inner.max() <= half[-1, i] and inner[-1] < half[0, i]
    assert abs(page.of_halves[0] / page.of_halves[1] - 1)[1:5].max() < 0.1


@pytest.mark.long
def test_another_draw_and_another_shuffle_have_it_too(page, read):
    for states in read:
        dims = page.by_layers(states.vectors[:, page.one_per_type(states.tokens, seed=1)])
        assert all(valley(dims[:, i]) for i in range(3))


def test_neighbors_share_a_text_three_times_of_ten_at_the_end(page, prose):
    assert page.in_text[6] == pytest.approx(0.31, abs=0.01) and page.in_text[3] == pytest.approx(0.09, abs=0.01)
    assert "in three of ten cases, after the middle layer in one of ten" in prose


def test_in_the_small_models_no_inner_layer_is_a_peak_and_shuffling_differs(page):
    for name in MODELS:
        as_it_is = page.of_book[name]["as it is"]
        assert (as_it_is[1:, [0, 2]].max(0) < as_it_is[0, [0, 2]]).all(), name  # at k = 2 and 8, as the table has
    shuffled_gpt, shuffled_bert = (page.of_book[name]["words shuffled"] / page.of_book[name]["as it is"]
                                   for name in MODELS)  # fmt: skip
    assert shuffled_bert[1:, [0, 2]].min() > 1.35
    assert shuffled_gpt[1:, 0].min() > 1.1 and shuffled_gpt[1:, 2].max() < 0.6


# one vector per text


def test_the_last_tokens_are_few_types(page):
    assert page.of_begun[0][0] == 263 and page.begun.shape == (1700, 24)
    shares = [int(row[1].rstrip("%")) for row in page.of_begun[1:]]
    assert shares[0] == pytest.approx(76, abs=1) and min(shares) > 65


@pytest.mark.parametrize("name", MODELS)
def test_no_inner_layer_is_a_peak_of_the_full_stops(page, name):
    for half in page.of_ends[name]["as it is"]:
        assert (np.diff(half[:, :2], axis=0) > 0).all()  # at k = 1 and 4 they rise to the end
        assert half[1:-1].max() <= half[[0, -1]].max() + 1e-9
    if name == "book-gpt":
        assert np.ptp(page.of_ends[name]["as it is"][..., 2], axis=1).max() < 1.2  # level at k = 16


@pytest.mark.parametrize("name", MODELS)
def test_shuffled_stops_have_more_dimensions_and_untrained_models_most(page, name):
    as_it_is, mixed, raw, raw_mixed = page.of_ends[name].values()
    assert (mixed[:, 1:] > as_it_is[:, 1:]).all()
    assert (mixed[:, -1, 0] / as_it_is[:, -1, 0] > 1.6).all() and (mixed[..., 0] / as_it_is[..., 0] < 2.6).all()
    assert (raw[..., 1] > mixed[..., 1]).all() and (raw.max(1) / raw.min(1) < 1.15).all()
    rise = raw_mixed / raw
    assert (rise < mixed / as_it_is)[:, :, 0].all()
    assert rise[:, 1:].min() > 1.05 if name == "book-gpt" else abs(rise - 1).max() < 0.08


# IsoScore


def test_each_measure_sees_one_thing(page):
    assert page.seen["a ball"] == pytest.approx([1, 0, 3], abs=0.05)
    assert page.seen["a ball, off center"] == pytest.approx([1, 0.98, 3], abs=0.05)
    assert page.seen["a sheet"] == pytest.approx([0.5, 0, 2], abs=0.08)
    assert page.seen["a thread around a ball"] == pytest.approx([1, 0, 1], abs=0.05)


def test_isoscore_has_a_valley_and_the_untrained_one_less_of_it_with_more_dimensions(page):
    curves = page.three["IsoScore"]
    assert valley(curves["as it is"]) and max(curves["untrained"]) < min(curves["as it is"]) < 0.21
    assert curves["as it is"][0] == pytest.approx(0.46, abs=0.01)


def test_without_their_positions_untrained_vectors_are_as_round_as_chance_allows(page):
    assert page.round_one == pytest.approx(0.85, abs=0.005) == pytest.approx(1 / (1 + 384 / 2186), abs=0.005)
    (before, after), *_ = page.without["untrained"]
    assert before == pytest.approx(0.19, abs=0.005) and after == pytest.approx(page.round_one, abs=0.01)
    assert all(abs(after - before) < 0.01 for before, after in page.without["as it is"])
