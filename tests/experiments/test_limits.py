"""Each pair of profiles has one question; searches and scores equal their definitions; four numbers are enough."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.experiments import limits
from tutorial_book.experiments.limits import every_pair, profiles, reached, search_words, words
from tutorial_book.experiments.uses import Index
from tutorial_lib.texts import load_texts

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("n_likes", [1, 2, 7, 45])
def test_two_profiles_share_each_thing(n_likes):
    texts, questions, pairs = profiles(n_likes)
    assert len(texts) == len(set(limits.NAMES)) == 46 and len(questions) == len(pairs) == 23 * n_likes
    assert len(set(map(tuple, pairs.tolist()))) == len(pairs) and (pairs[:, 0] < pairs[:, 1]).all()
    told = [words(text) for text in texts]
    assert {len(one) for one in told} == {n_likes + 2 + (n_likes > 1)}  # the name, "likes", "and"
    who = {}
    for i, one in enumerate(told):
        for word in one:
            who.setdefault(word, []).append(i)
    assert [who[words(question)[-1]] for question in questions] == pairs.tolist()
    if n_likes == 45:
        assert sorted(map(tuple, pairs.tolist())) == list(combinations(range(46), 2))
    assert profiles(n_likes).texts == texts != profiles(n_likes, seed=1).texts
    with pytest.raises(ValueError, match="n_likes must be a number of things, 1 to 45, got 46"):
        profiles(46)


@pytest.mark.parametrize("which", ["profiles", "book"])
def test_bm25_is_what_sqlite_computes(which):
    if which == "profiles":
        texts, questions, _ = profiles(20)
    else:
        texts = load_texts("encyclopedia") + load_texts("posts")
        questions = list(load_texts("queries"))
    scores, index = limits.bm25(texts, questions), Index(texts, np.eye(len(texts)))
    limits.add_words(index)
    for question, row in zip(questions[::7], scores[::7], strict=True):
        theirs = dict(search_words(index, question, len(texts)))
        np.testing.assert_allclose(row, [theirs.get(text, 0) for text in texts], atol=1e-6)


def test_search_by_words_asks_for_words_alone():
    index = Index(["Ada likes owls.", "Bao likes bees.", "Cem sleeps."], np.eye(3))
    limits.add_words(index)
    assert [text for text, _ in search_words(index, "who likes bees")] == ["Bao likes bees.", "Ada likes owls."]
    assert [text for text, _ in search_words(index, "who likes bees", k=1)] == ["Bao likes bees."]
    assert search_words(index, "unicorns") == search_words(index, "?!") == search_words(index, "NOT") == []
    assert len(search_words(index, "bees AND owls NOT: bees?")) == 2


@given(st.lists(st.permutations(range(5)), min_size=2, max_size=3), st.integers(1, 60))
def test_fusion_adds_shares_of_places(orders, c):
    total = Counter()
    for order in orders:
        for place, text in enumerate(order, 1):
            total[text] += 1 / (c + place)
    scores = [[[-order.index(text) for text in range(5)]] for order in orders]
    np.testing.assert_allclose(limits.fuse(*scores, c=c)[0], [total[text] for text in range(5)], atol=1e-12)


def test_late_interaction_is_a_loop_over_tokens():
    rng = np.random.default_rng(0)
    questions, texts = ([rng.normal(size=(n, 6)) for n in lengths] for lengths in ((2, 5, 3), (4, 1, 7, 2)))
    for question, row in zip(questions, limits.late_interaction(questions, texts), strict=True):
        for text, score in zip(texts, row, strict=True):
            cosines = [[q @ x / np.linalg.norm(q) / np.linalg.norm(x) for x in text] for q in question]
            assert score == pytest.approx(sum(map(max, cosines)), abs=1e-12)


@given(st.permutations(range(6)), st.sampled_from(every_pair(6).tolist()))
def test_pair_is_reached_as_the_first_two(row, pair):
    assert reached([row], [pair]).tolist() == [set(np.argsort(row)[-2:].tolist()) == set(pair)]
    assert not reached(np.zeros((1, 6)), [pair]).any()  # a tie reaches nothing


@pytest.mark.parametrize("n", [4, 5, 46])
def test_four_numbers_tell_every_pair(n):
    X, Q = limits.curve(n)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, atol=1e-12)
    assert reached(Q @ X.T, every_pair(n)).all()
    t = 2 * np.pi * np.arange(n) / n
    a, b = t[every_pair(n)].T[..., None]
    S = Q @ X.T * np.sqrt(2)
    np.testing.assert_allclose(S.max(1, keepdims=True) - S, (1 - np.cos(t - a)) * (1 - np.cos(t - b)), atol=1e-12)


def test_optimized_vectors_have_length_1():
    X, Q = limits.optimize(5, 4)
    assert X.shape == (5, 4) and Q.shape == (10, 4) and reached(Q @ X.T, every_pair(5)).all()
    np.testing.assert_allclose(np.linalg.norm(np.concatenate([X, Q]), axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(X, limits.optimize(5, 4)[0])
    assert not np.array_equal(X, limits.optimize(5, 4, seed=1)[0])


def test_climb_stops_below_the_first_failure(monkeypatch):
    seen = []

    def reaches(n, d, seed):
        seen.append((n, seed))
        return n <= 5 and seed == 7

    monkeypatch.setattr("tutorial_book.experiments.limits._reaches", reaches)
    assert limits.critical(4, seed=2, start=4) == 5
    assert seen == [(5, 6), (5, 7), (6, 6), (6, 7), (6, 8)]
