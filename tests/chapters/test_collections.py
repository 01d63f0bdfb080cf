"""Statements of the chapter on two collections about the default model that its page cannot check."""

import numpy as np

from tutorial_book.experiments import stored
from tutorial_lib.geometry import bootstrap_interval


def test_last_layer_lowers_cls_purity_in_other_draws(page):
    for seed in (1, 2):
        assert bootstrap_interval(np.mean, page.lost, seed=seed)[0] > 15


def test_pairs_have_equal_lengths(page):
    n_pairs = len(page.pairs)
    assert n_pairs > 40 and (page.lengths[:n_pairs] == page.lengths[n_pairs:]).all()


def test_texts_of_equal_length_are_as_pure(page):
    purity, _, _, as_many, _ = page.of_equal_length["mean"]
    low, high = map(float, as_many.split(" to "))
    assert low - 0.02 <= purity <= high + 0.02


def test_spreads_differ_beyond_their_intervals(page):
    for words, less in ((6, False), ("all", True)):
        low, high = map(float, page.by_words[words][-1].strip("[]").split(","))
        assert low > 0 if less else high < 0


def test_short_texts_have_long_stored_means():
    """tests/experiments/test_collections.py compares the stored numbers with the texts."""
    *_, mean, cut = stored("real-texts")["clouds"].values()
    assert cut["norms"]["average"]["Wikipedia"] > 4.5 > 3 > mean["norms"]["average"]["Wikipedia"]
