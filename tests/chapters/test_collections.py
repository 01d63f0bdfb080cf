"""What the chapter on two collections tells about the default model, pinned."""

import numpy as np
import pytest

from tutorial_book.experiments.collections import stored
from tutorial_lib.geometry import bootstrap_interval, mean_interval


def test_the_means_separate_the_collections_and_cls_hardly_does(page):
    mean, cls = ({name: page.measured[f"{pooling}, {name}"][0] for name in ("neighbor purity", "silhouette")}
                 for pooling in ("mean", "cls"))  # fmt: skip
    assert mean["neighbor purity"] == pytest.approx(0.90, abs=0.03)
    assert cls["neighbor purity"] == pytest.approx(0.61, abs=0.04)
    assert page.measured["mean, linear accuracy"][0] > 0.95
    assert 0 < cls["silhouette"] < mean["silhouette"] < 0.06


def test_cosines_of_cls_are_all_positive_and_those_of_means_are_not(page):
    for name, lowest in (("encyclopedia", 0.35), ("posts", 0.39)):
        assert page.cosines["[CLS]"][name].min() == pytest.approx(lowest, abs=0.02)
        assert page.cosines["mean"][name].min() < 0 and page.cosines["mean"][name].mean() < 0.15


def test_one_coordinate_makes_the_cosines_of_cls_large_in_the_last_layer_only(page):
    for name, with_it, without in (("encyclopedia", 0.57, 0.14), ("posts", 0.63, 0.20)):
        assert page.cosines["[CLS]"][name].mean() == pytest.approx(with_it, abs=0.02)
        assert page.cosines["[CLS] without 99"][name].mean() == pytest.approx(without, abs=0.02)
    after = {name: values[3] for name, values in page.after_layer.items()}  # layer 4
    assert after["share of 99 in the squared length"] > 0.9 and after["lowest cosine, [CLS] without 99"] > 0.95


def test_another_coordinate_makes_nearly_a_third_of_the_cosines_of_means_after_layer_5(page):
    assert page.curves["mean"][5] == pytest.approx(0.66, abs=0.02)
    assert page.curves["mean without 223"][5] == pytest.approx(0.46, abs=0.02)


def test_the_collections_are_far_apart_in_one_direction_and_close_in_distance(page):
    shift, spread, distance, r = page.shifts["mean"]
    assert r == pytest.approx(0.90, abs=0.02)
    assert shift / spread == pytest.approx(4.2, abs=0.3) and shift < distance / 3


def test_cosines_near_1_hide_differences_that_neighbors_see(page):
    assert page.after_layer["lowest cosine, [CLS]"][3] > 0.995
    assert page.after_layer["neighbor purity, [CLS]"][3] > 0.9


def test_length_alone_tells_much_and_texts_of_equal_length_still_differ(page):
    assert page.alone > 0.8
    n_pairs = len(page.pairs)
    assert n_pairs > 40 and (page.lengths[:n_pairs] == page.lengths[n_pairs:]).all()
    purity, *_, accuracy = page.of_equal_length["mean"]
    assert purity > 0.8 and accuracy > 0.85


def test_more_words_make_the_means_vary_less(page):
    three, six, twelve = (page.by_words[n] for n in (3, 6, 12))
    for spread in (-3, -2):  # of the encyclopedia, of posts
        assert three[spread] > six[spread] > twelve[spread]


def test_the_encyclopedia_varies_less_than_posts_on_whole_texts_and_more_at_equal_length(page):
    for words, less in ((6, False), ("all", True)):
        *_, encyclopedia, posts, interval = page.by_words[words]
        assert (encyclopedia < posts) == less and abs(encyclopedia - posts) > 0.3
        low, high = map(float, interval.strip("[]").split(","))
        assert low > 0 if less else high < 0


@pytest.mark.parametrize("pooling, least", [("cls", 0.9), ("mean", 0.78)])
def test_the_opposite_is_closer_than_the_paraphrase(page, pooling, least):
    cosine, above = page.opposites[pooling]
    paraphrase = page.near[f"{pooling}: There was no light at all."][-1]
    assert cosine > least and cosine > paraphrase + 0.1 and above > 0.99


def test_the_last_layer_takes_purity_from_cls(page):
    for seed in range(2):
        assert bootstrap_interval(np.mean, page.lost, seed=seed)[0] > 15


def test_at_equal_length_as_pure_as_as_many_texts_of_any_length(page):
    purity, _, _, as_many, _ = page.of_equal_length["mean"]
    low, high = map(float, as_many.split(" to "))
    assert low <= round(purity, 2) <= high


def test_ten_draws_of_real_texts_say_what_one_said(page):
    less = [page.drawn[f"{one}, less {other}"][0] for one, other in page.asked]
    by_distance, by_cosine, by_length = map(mean_interval, less)
    assert by_distance == pytest.approx((-0.07, -0.09, -0.05), abs=0.005) and by_cosine[1] > 0.1
    assert by_length == pytest.approx((0.05, 0.04, 0.06), abs=0.005)
    assert page.drawn["accuracy, length"][0].mean() == pytest.approx(0.93, abs=0.005)


def test_on_real_texts_cls_is_as_above_and_the_means_need_the_cosine():
    """What the page says below the stored numbers; tests/experiments/test_collections.py holds these to the texts."""
    clouds, tokens = stored()["clouds"], stored()["tokens"]
    cls, without, mean, cut = clouds.values()
    assert min(cls["cosines"]["lowest"].values()) > 0.3 and min(cls["cosines"]["average"].values()) > 0.6
    assert max(without["cosines"]["average"].values()) < 0.25 and max(mean["cosines"]["average"].values()) < 0.15
    assert mean["purity"] < cls["purity"] - 0.05 and mean["norms"]["average"]["Wikipedia"] < 3
    assert mean["norms"]["average"]["tweets"] > 3.5
    assert mean["distances"]["average"]["Wikipedia"] < mean["distances"]["average"]["tweets"] - 1
    assert mean["purity by cosine"] > 0.95 and mean["purity by cosine"] == max(
        cloud[kind] for cloud in clouds.values() for kind in ("purity", "purity by cosine")
    )
    assert cut["accuracy"] > mean["accuracy"] - 0.02 and cut["norms"]["average"]["Wikipedia"] > 4.5
    accuracies = [cloud["accuracy"] for cloud in clouds.values()]
    assert min(accuracies) > 0.93 and 0.9 < tokens["length"] > max(accuracies) - 0.05
