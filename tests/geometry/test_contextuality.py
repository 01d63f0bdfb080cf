"""How contextual vectors are: the paper's calls of SciPy and scikit-learn, and known figures."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cosine as cosine_distance
from sklearn.decomposition import PCA

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import contextuality

X = gaussian(40, 5) + 1
WORDS = np.random.default_rng(0).permutation(np.repeat(list("abcd"), [4, 6, 12, 18]))


def first_share(rows):
    squares = np.linalg.svd(rows, compute_uv=False) ** 2
    return squares[0] / squares.sum()


MEASURES = {  # and what each is for the rows of one word
    contextuality.self_similarity: lambda rows: np.mean([1 - cosine_distance(x, y) for x, y in combinations(rows, 2)]),
    contextuality.sentence_similarity: lambda rows: np.mean([1 - cosine_distance(x, rows.mean(0)) for x in rows]),
    contextuality.explainable_variance: first_share,
    partial(contextuality.explainable_variance, centered=True): lambda rows: (
        PCA(1).fit(rows).explained_variance_ratio_[0]
    ),
}


@pytest.mark.parametrize("measure, of_a_word", MEASURES.items(), ids=["self", "sentence", "explained", "centered"])
def test_measures_of_each_word_are_the_papers(measure, of_a_word):
    expected = [of_a_word(X[WORDS == word]) for word in "abcd"]
    np.testing.assert_allclose(measure(X, WORDS), expected, atol=1e-6)


@pytest.mark.parametrize("measure", MEASURES)
def test_words_that_never_change_have_1(measure):
    static = [[1.0, 2.0], [1.0, 2.0], [-3.0, 1.0], [-3.0, 1.0]]
    np.testing.assert_allclose(measure(static, list("aabb")), 1)


def test_occurrences_at_right_angles_share_nothing():
    labels = [0, 0, 0, 0]
    assert contextuality.self_similarity(np.eye(4), labels) == 0
    assert contextuality.explainable_variance(np.eye(4), labels) == pytest.approx(1 / 4)
    assert contextuality.sentence_similarity(np.eye(4), labels) == pytest.approx(1 / 2)


def test_centered_groups_have_mean_zero_in_their_place():
    words = np.append(WORDS[:-1], "once")
    centered = contextuality.center_groups(X, words)
    for word in (*"abcd", "once"):
        rows = X[words == word]
        np.testing.assert_allclose(centered[words == word], rows - rows.mean(0), atol=1e-12)
