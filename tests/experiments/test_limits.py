"""Every pair of profiles is asked for once; searches and scores equal their definitions; four numbers are enough."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tutorial_book.experiments.limits import (
    NAMES,
    add_words,
    bm25,
    critical,
    curve,
    every_pair,
    fuse,
    late_interaction,
    optimize,
    profiles,
    reached,
    recall,
    search_words,
    words,
)
from tutorial_book.experiments.uses import Index, recall_at_k
from tutorial_lib.texts import load_texts

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("n_likes", [1, 2, 7, 45])
def test_two_profiles_share_each_thing_and_no_two_pairs_are_the_same(n_likes, seed):
    texts, questions, pairs = profiles(n_likes, seed)
    assert len(texts) == 46 and len(questions) == len(pairs) == 23 * n_likes
    assert len({tuple(pair) for pair in pairs.tolist()}) == len(pairs) and (pairs[:, 0] < pairs[:, 1]).all()
    for question, pair in zip(questions, pairs.tolist(), strict=True):
        (thing,) = set(words(question)) - {"who", "likes"}
        assert [i for i, text in enumerate(texts) if thing in words(text)] == pair
    assert {len(words(text)) for text in texts} == {n_likes + 2 + (n_likes > 1)}  # the name, "likes", "and"


def test_with_45_things_every_pair_is_asked_for():
    assert sorted(map(tuple, profiles().pairs.tolist())) == list(combinations(range(46), 2))
    assert len(set(NAMES)) == 46


def test_seeds_make_other_profiles_and_the_same_seed_the_same():
    assert profiles(3, 0).texts == profiles(3, 0).texts != profiles(3, 1).texts
    with pytest.raises(ValueError, match="n_likes must be a number of things, 1 to 45, got 46"):
        profiles(46)


@pytest.mark.parametrize("which", ["profiles", "book"])
def test_bm25_is_what_sqlite_computes(which):
    if which == "profiles":
        texts, questions, _ = profiles(20)
    else:
        texts = load_texts("encyclopedia") + load_texts("posts")
        questions = list(load_texts("queries"))
    scores, index = bm25(texts, questions), Index(texts, np.eye(len(texts)))
    add_words(index)
    place = {text: i for i, text in enumerate(texts)}
    for question, row in zip(questions[::7], scores[::7], strict=True):
        theirs = np.zeros(len(texts))
        for text, score in search_words(index, question, len(texts)):
            theirs[place[text]] = score
        np.testing.assert_allclose(row, theirs, atol=1e-6)


def test_bm25_on_a_case_that_is_worked_out_by_hand():
    scores = bm25(["owl owl bee", "bee", "bee elk", "fox"], ["Owl!", "fox", "gnu"])
    long = 1.2 * (0.25 + 0.75 * 3 / 1.75)
    assert scores[0].tolist() == pytest.approx([np.log(3.5 / 1.5) * 2 * 2.2 / (2 + long), 0, 0, 0])
    assert scores[1].argmax() == 3 and not scores[2].any()


def test_a_search_by_words_leaves_out_what_has_none():
    index = Index(["Ada likes owls.", "Bao likes bees.", "Cem sleeps."], np.eye(3))
    add_words(index)
    assert [text for text, _ in search_words(index, "who likes bees")] == ["Bao likes bees.", "Ada likes owls."]
    assert [text for text, _ in search_words(index, "who likes bees", k=1)] == ["Bao likes bees."]
    assert search_words(index, "unicorns") == search_words(index, "?!") == search_words(index, "NOT") == []
    assert [text for text, _ in search_words(index, "bees AND owls NOT: bees?")] == [
        "Bao likes bees.", "Ada likes owls."]  # fmt: skip


@given(st.lists(st.permutations(range(5)), min_size=2, max_size=3), st.integers(1, 60))
def test_fusion_adds_the_shares_of_places(orders, c):
    total = Counter()
    for order in orders:
        for place, text in enumerate(order, 1):
            total[text] += 1 / (c + place)
    scores = [[[-order.index(text) for text in range(5)]] for order in orders]
    np.testing.assert_allclose(fuse(*scores, c=c)[0], [total[text] for text in range(5)], atol=1e-12)


def test_what_a_search_has_not_found_gets_nothing_from_it():
    assert fuse([[0.5, -np.inf]], [[-np.inf, -np.inf]], c=1).tolist() == [[0.5, 0]]
    alone = [[3.0, 1.0, 2.0]]
    assert fuse(alone).argsort().tolist() == fuse(alone, [[-np.inf] * 3]).argsort().tolist()


def test_late_interaction_is_a_loop_over_tokens():
    rng = np.random.default_rng(0)
    questions, texts = ([rng.normal(size=(n, 6)) for n in lengths] for lengths in ((2, 5, 3), (4, 1, 7, 2)))
    for question, row in zip(questions, late_interaction(questions, texts), strict=True):
        for text, score in zip(texts, row, strict=True):
            cosines = [[q @ x / np.linalg.norm(q) / np.linalg.norm(x) for x in text] for q in question]
            assert score == pytest.approx(sum(map(max, cosines)), abs=1e-12)
    assert late_interaction(questions, questions).diagonal() == pytest.approx([2, 5, 3])  # each token finds itself


@given(st.integers(1, 6), st.data())
def test_recall_is_that_of_the_chapter_on_uses(k, data):
    scores = np.array([data.draw(st.permutations(range(6))) for _ in range(3)])
    relevant = [data.draw(st.sets(st.integers(0, 5), min_size=1).map(sorted)) for _ in range(3)]
    rankings = [sorted(range(6), key=lambda text: -row[text]) for row in scores]
    assert recall(scores, relevant, k).tolist() == recall_at_k(rankings, relevant, k).tolist()


@given(st.permutations(range(6)), st.data())
def test_a_pair_is_reached_if_it_is_the_first_two(row, data):
    pair = data.draw(st.sampled_from(every_pair(6).tolist()))
    first = set(np.argsort(row)[-2:].tolist())
    assert reached([row], [pair]).tolist() == [first == set(pair)]


def test_a_tie_reaches_nothing():
    assert not reached(np.zeros((1, 3)), [[0, 1]]).any()


@pytest.mark.parametrize("n", [4, 5, 46, 150])
def test_four_numbers_tell_every_pair(n):
    X, Q = curve(n)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, atol=1e-12)
    cosines = Q @ X.T / np.linalg.norm(Q, axis=1, keepdims=True)
    assert reached(cosines, every_pair(n)).all()
    for (i, j), row in zip(every_pair(n), Q @ X.T * np.sqrt(2), strict=True):
        t = 2 * np.pi * np.arange(n) / n
        drop = (1 - np.cos(t - t[i])) * (1 - np.cos(t - t[j]))
        np.testing.assert_allclose(row - row[i], -drop, atol=1e-12)
        if n == 150 and j > 3:
            break


def can_be_first(X, pair):
    """Whether any query makes these two score higher than all others: a linear program says so."""
    others = np.delete(X, pair, axis=0)
    rows = np.concatenate([others - X[one] for one in pair])  # (x - x_i) q <= -1
    return linprog(np.zeros(X.shape[1]), rows, -np.ones(len(rows)), bounds=(None, None)).status == 0


def test_a_linear_program_finds_the_same_pairs():
    X, _ = curve(9)
    assert all(can_be_first(X, pair) for pair in every_pair(9))
    assert not all(can_be_first(X[:, :2], pair) for pair in every_pair(9))


@pytest.mark.parametrize("d, most", [(2, 3), (3, 4)])
def test_two_and_three_numbers_reach_every_pair_of_three_and_four_unit_vectors_and_no_more(d, most):
    simplex = np.eye(most) - 1 / most
    X = simplex @ np.linalg.svd(simplex)[2][:d].T
    assert all(can_be_first(X, pair) for pair in every_pair(most))
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(most + 1, d))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        assert not all(can_be_first(X, pair) for pair in every_pair(most + 1))


def test_what_is_optimized_is_of_length_1_and_the_same_each_time():
    X, Q = optimize(5, 4)
    assert X.shape == (5, 4) and Q.shape == (10, 4) and reached(Q @ X.T, every_pair(5)).all()
    np.testing.assert_allclose(np.linalg.norm(np.concatenate([X, Q]), axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(X, optimize(5, 4)[0])
    assert not np.array_equal(X, optimize(5, 4, seed=1)[0])


def test_the_climb_stops_below_the_first_failure(monkeypatch):
    seen = []

    def reaches(n, d, seed):
        seen.append((n, seed))
        return n <= 5 and seed == 7

    monkeypatch.setattr("tutorial_book.experiments.limits._reaches", reaches)
    assert critical(4, seed=2, start=4) == 5
    assert seen == [(5, 6), (5, 7), (6, 6), (6, 7), (6, 8)]


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 100))
def test_two_numbers_are_never_enough_for_four_texts(seed):
    X, Q = optimize(4, 2, seed, n_steps=300)
    assert not reached(Q @ X.T, every_pair(4)).all()
