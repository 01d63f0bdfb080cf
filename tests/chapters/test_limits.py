"""Statements of the chapter on single vectors, with the other profiles, on LIMIT itself, and with other draws."""

import numpy as np
import pytest

from tutorial_book.experiments import stored
from tutorial_book.experiments.limits import profiles, recall
from tutorial_lib.geometry import bootstrap_interval


def test_one_vector_finds_other_profiles_as_badly(page):
    for seed in (0, 1):
        assert page.found["mean", seed].mean() == pytest.approx(1 / 7, abs=0.02)
        less = page.found["mean, centered", seed] - page.found["mean", seed]
        low, high = bootstrap_interval(np.mean, less, seed=seed)
        assert -0.02 < low and high < 0.05  # subtracting the mean helps little


def test_on_limit_itself_it_is_the_same_story():
    small = stored("limits")["limit-small"]
    assert (small["texts"], small["questions"], small["k"]) == (46, 1000, [2, 10, 20])
    assert small["recall"]["mean of the last layer"][0] < 0.25 < 0.9 < small["recall"]["words (BM25)"][0]
    assert small["recall"]["late interaction"][0] > 0.9


def test_rounding_takes_texts_from_the_curve(page):
    assert page.largest["float16"] < 46 < page.largest["float32"] <= page.largest["float64"]


def test_questions_about_fewer_things_come_first():
    every, few = profiles(), profiles(5)
    assert every.questions[: len(few.questions)] == few.questions
    assert every.pairs[: len(few.pairs)].tolist() == few.pairs.tolist()


def test_hybrid_gains_on_profiles_and_loses_on_questions(page):
    by_ranks, vector = (recall(page.of_profiles[name], page.pairs, 2) for name in ("both, by ranks", "one vector"))
    for seed in (0, 1):
        assert bootstrap_interval(np.mean, by_ranks - vector, seed=seed)[0] > 0.3
        assert bootstrap_interval(np.mean, page.gain["both, by ranks"], seed=seed)[1] < -0.1
