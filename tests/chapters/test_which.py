"""Findings of the chapter on a word in two senses: with other sets of sentences, words left out, and words drawn."""

import numpy as np
import pytest

from tutorial_book.experiments.which import HOMONYMS, interval, words


@pytest.fixture
def sets(page):
    return page.kept["sets"]


def by_word(values, kind, *numbers):
    """The mean of each word's sentences, (7,)."""
    counts = [len(words()[word].pick(kind, *numbers)) for word in HOMONYMS]
    assert sum(counts) == len(values)
    return np.array([part.mean() for part in np.split(np.asarray(values, float), np.cumsum(counts)[:-1])])


def kept_side(one):
    return one["first"] * np.sign(one["first"][:, -1:]) > 0  # if the word listens in the first 0, 1, ... layers only


def test_most_sentences_are_right_without_any_one_word(page):
    shares = by_word(page.correct["plain, set 2"] > 0, "plain", 2)
    assert all(np.delete(shares, i).mean() > 0.88 for i in range(7))
    hard = by_word(page.correct["hard"] > 0, "hard")
    assert interval(shares - hard)[0] > 0.15  # words drawn, in place of sentences


def test_hard_sentences_of_both_sets_are_near_chance(page):
    of_set = np.array([use.set for word in HOMONYMS for use in words()[word].pick("hard")])
    for number in (1, 2):
        assert 0.35 < (page.correct["hard"][of_set == number] > 0).mean() < 0.65


def test_stored_positions_are_those_of_the_page(page, sets):
    for name, kind in (("set 1", "plain, set 1"), ("set 2", "plain, set 2"), ("hard", "hard")):
        x, _ = page.placed[kind]
        assert abs(sets[name]["first"][:, -1] / 100 - x).max() < 0.02


@pytest.mark.parametrize("name", ["set 1", "set 2", "stored"])
def test_first_look_decides_most_sentences_of_each_set(page, sets, name):
    of_topics = page.stays(sets["topics"], "first")[:, 1].mean()
    assert page.stays(sets[name], "first")[:, 1].mean() > of_topics + 0.25
    never, once, *_, always = kept_side(sets[name]).mean(0)
    assert never < 0.7 and once > 0.87 and always == 1


def test_first_look_decides_when_words_are_drawn(sets):
    kept = kept_side(sets["set 2"])
    assert interval(by_word(kept[:, 1], "plain", 2) - by_word(kept[:, 0], "plain", 2))[0] > 0.15


@pytest.mark.parametrize("name", ["set 1", "set 2", "hard"])
def test_word_turns_more_sentences_than_head(sets, name):
    one = sets[name]
    word, head = (one[f"{measure} sides"][:, 0] > 0 for measure in ("hidden", "muted"))
    assert word.mean() > 1.8 * head.mean()
    assert one["muted"][:, 0].mean() < 1.6 * one["muted"][:, 1].mean()  # about as far the other way
    assert one["hidden"][:, 0].mean() > 2 * one["hidden"][:, 1].mean()
    assert np.bincount(one["top head"][:, 0]).max() / len(word) < 0.3


@pytest.mark.parametrize("name", ["set 1", "set 2", "hard"])
def test_edge_beats_weight_at_finding_strongest_word(sets, name):
    _, by_edge, by_weight, _ = sets[name]["top word"].T
    assert by_edge.mean() > by_weight.mean() > (1 / sets[name]["hidden sides"][:, 1]).mean()
