"""What the chapter on single vectors tells about the default model, pinned."""

import numpy as np
import pytest

from tutorial_book.experiments.limits import every_pair, profiles, recall, stored
from tutorial_lib.geometry import bootstrap_interval


def test_the_search_by_meaning_misses_the_quokkas_and_words_do_not(page):
    vector, words = (np.argsort(-page.scores[name][page.first])[:2] for name in ("one vector", "words"))
    assert page.questions[page.first] == "Who likes quokkas?"
    assert not set(vector.tolist()) & set(page.pairs[page.first].tolist())
    assert sorted(words.tolist()) == page.pairs[page.first].tolist()


def test_one_vector_finds_a_seventh_and_words_all_with_both_seeds(page):
    for seed in (0, 1):
        assert page.found["mean", seed].mean() == pytest.approx(1 / 7, abs=0.01)
        assert page.found["[CLS]", seed].mean() == pytest.approx(0.19, abs=0.01)
        assert page.found["words (BM25)", seed].min() == 1
        assert page.found["chance", seed].mean() == pytest.approx(2 / 46, abs=0.01)
        low, high = bootstrap_interval(
            np.mean, page.found["mean, centered", seed] - page.found["mean", seed], seed=seed
        )
        assert -0.01 < low and high < 0.04  # taking the mean off helps little


def test_on_limit_itself_it_is_the_same_story():
    small = stored()["limit-small"]
    assert (small["texts"], small["questions"], small["k"]) == (46, 1000, [2, 10, 20])
    assert small["recall"]["mean of the last layer"] == pytest.approx([0.162, 0.481, 0.695], abs=0.001)
    assert small["recall"]["cls of the last layer"][0] == pytest.approx(0.213, abs=0.001)
    assert small["recall"]["words (BM25)"][0] > 0.98 and small["recall"]["late interaction"][0] > 0.9


def test_four_numbers_are_enough_and_optimization_needs_more(page):
    assert page.everyone.all() and len(page.everyone) == 1035 and page.X_curve.shape == (46, 4)
    critical = stored()["critical"]
    assert critical["dimensions"][:3] == [2, 3, 4]
    for seed in ("seed 0", "seed 1"):
        assert critical[seed][:2] == [3, 4] and 7 <= critical[seed][2] <= 12
        assert (np.diff(critical[seed]) >= 0).all()


def test_the_picture_shows_the_pair_that_its_words_name(page, prose):
    row = every_pair(46).tolist().index(list(page.pair))
    assert set(np.argsort(page.X_curve @ page.Q_curve[row])[-2:].tolist()) == set(page.pair)
    one, other = (round(page.angles[i]) for i in page.pair)
    assert f"at {one} and {other} degrees" in prose
    assert round(page.angles[(page.X_curve @ page.Q_curve[row]).argmin()]) == pytest.approx(305, abs=5)


def test_rounding_takes_texts_from_the_curve(page):
    assert page.largest["float16"] < 46 < page.largest["float32"] <= page.largest["float64"]


def test_the_profiles_vectors_can_tell_every_pair(page):
    assert page.by_free.all()


def test_one_vector_loses_a_thing_among_many_and_late_interaction_does_not(page):
    means = {name: [each.mean() for each in column] for name, column in page.by_likes.items()}
    assert means["one vector"][0] == 1 and (np.diff(means["one vector"]) < 0).all()
    assert means["one vector"][2] == pytest.approx(0.68, abs=0.02)
    assert min(means["late interaction"]) > 0.95 and min(means["words"]) == 1


def test_the_questions_of_fewer_things_are_the_first_of_all():
    every, few = profiles(), profiles(5)
    assert every.questions[: len(few.questions)] == few.questions
    assert every.pairs[: len(few.pairs)].tolist() == few.pairs.tolist()


def test_no_hybrid_beats_both_halves_on_both_collections(page):
    by_ranks = recall(page.of_profiles["both, by ranks"], page.pairs, 2)
    vector = recall(page.of_profiles["one vector"], page.pairs, 2)
    for seed in (0, 1):
        assert bootstrap_interval(np.mean, by_ranks - vector, seed=seed)[0] > 0.3
        assert bootstrap_interval(np.mean, page.gain["both, by ranks"], seed=seed)[1] < -0.2
        low, high = bootstrap_interval(np.mean, page.gain["late interaction"], seed=seed)
        assert low < 0 < high
    assert recall(page.of_profiles["late interaction"], page.pairs, 2).mean() > 0.95
    assert by_ranks.mean() < 0.6  # not what the words alone find


def test_no_weight_serves_both(page):
    of_profiles, of_book = page.by_weight.values()
    assert (np.diff(of_profiles) >= 0).all() and of_profiles[-1] == 1
    assert all(book < of_book[0] - 0.1 for profile, book in zip(of_profiles, of_book, strict=True) if profile > 0.9)
