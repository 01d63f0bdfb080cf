"""All ways to halve are listed once, the best is k-means', and each vector is the word's in its own text."""

from math import comb

import numpy as np
import pytest
from sklearn.cluster import KMeans

from tutorial_book.experiments.evolution import nearest_of_sense
from tutorial_book.experiments.senses import halves, place_of_halves, slot_vectors
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.tokenization import WordPiece

rng = np.random.default_rng(0)


@pytest.mark.parametrize("n", [2, 4, 8])
def test_each_way_to_halve_is_there_once(n):
    ways = halves(n)
    assert len({tuple(way) for way in ways}) == len(ways) == comb(n, n // 2) // 2
    assert (ways.sum(1) == n // 2).all() and (ways[:, 0] == 0).all() and (np.diff(ways[0]) >= 0).all()
    with pytest.raises(ValueError, match="n must be an even number"):
        halves(5)


def test_two_tight_groups_are_the_best_cut_and_a_mixed_order_is_not():
    X = np.repeat(np.eye(6)[:2], 4, axis=0) + 0.1 * rng.normal(size=(8, 6))
    assert place_of_halves(X) == 1 and place_of_halves(X[[0, 4, 1, 5, 2, 6, 3, 7]]) > 30
    assert place_of_halves(np.ones((8, 3))) == 35  # all alike: nothing is found


def test_without_groups_every_place_is_as_likely():
    places = [place_of_halves(rng.normal(size=(8, 20))) for _ in range(700)]
    counts = np.bincount(places, minlength=36)[1:]
    assert len(counts) == 35 and 5 <= counts.min() and counts.max() <= 40


def test_the_best_cut_is_the_one_of_k_means_where_that_halves():
    for _ in range(10):
        X = np.repeat(rng.normal(size=(2, 6)), 4, axis=0) + 0.3 * rng.normal(size=(8, 6))
        U = X / np.linalg.norm(X, axis=1, keepdims=True)
        labels = KMeans(2, n_init=20, random_state=0).fit_predict(U)
        if labels.sum() == 4:
            order = np.argsort(labels != labels[0], kind="stable")
            assert place_of_halves(X[order]) == 1


def test_a_vector_is_the_one_of_its_word_and_sense():
    """Nearest neighbors by it are those of the chapter on evolution."""
    model, tok = Bert.from_pretrained(device="cpu"), WordPiece.from_pretrained()
    words, X = slot_vectors(model, tok)
    assert len(words) == 12 and X.shape == (2, 12, 8, 7, 384)
    shares = nearest_of_sense(model, tok)
    half = np.repeat([0, 1], 4)
    for side in (0, 1):
        for word in (0, 5, 11):
            C = cosine_matrix(X[side, word, :, 3]) - 2 * np.eye(8)
            assert np.mean(half[C.argmax(1)] == half) == shares[side, word, 3]
