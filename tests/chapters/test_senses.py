"""Statements of the chapter on senses and trees, with other draws of its intervals, and known mathematics."""

import numpy as np

from tutorial_book.experiments.senses import probe_distances, steps
from tutorial_lib.geometry import bootstrap_interval

BY_HAND = "by hand"


def test_tree_fits_into_squared_distances(page):
    assert np.array_equal(probe_distances(np.eye(page.n), page.x), steps(page.bears.heads))


def test_sentences_asked_about_are_new(page):
    learned = {tree.story.text for tree in page.known}
    for trees in page.asked.values():
        assert not learned & {tree.story.text for tree in trees}


def test_senses_are_tighter_than_topics_in_other_draws(page):
    for seed in (1, 2):
        assert min(bootstrap_interval(lambda some: some.mean(0), page.more, seed=seed)[0]) > 0.03


def test_probe_beats_the_chain_in_other_draws(page):
    for start in (0, 1):
        for seed in (1, 2):
            assert bootstrap_interval(page.gap, page.gaps["the chain", BY_HAND, start], seed=seed)[0] > 0


def test_probe_ranks_no_better_than_the_chain(page):
    middle, chain = (page.ranked[name][BY_HAND] for name in ("after the middle layer", "the chain"))
    low, high = bootstrap_interval(np.mean, middle - chain)
    assert low < 0 < high


def test_training_on_their_kind_beats_the_chain(page):
    both = np.hstack([page.with_some[3], page.flat["chain"][BY_HAND]])
    assert bootstrap_interval(page.gap, both)[0] > 0.05
