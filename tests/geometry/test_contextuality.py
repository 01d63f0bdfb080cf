"""How contextual vectors are: against the definitions, the paper's calls of SciPy and scikit-learn, known figures."""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cosine as cosine_distance
from sklearn.decomposition import PCA

from tutorial_lib.geometry import average_cosine
from tutorial_lib.geometry.contextuality import (
    center_groups,
    explainable_variance,
    self_similarity,
    sentence_similarity,
)  # fmt: skip

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 5)) + 1
words = rng.permutation(np.repeat(list("abcd"), [4, 6, 12, 18]))


def rows(word):
    return X[words == word]


def test_self_similarity_is_the_mean_over_pairs_of_occurrences():
    """As the authors' analyze.py has it: 1 - scipy's cosine, for all ordered pairs i != j."""
    theirs = [np.mean([1 - cosine_distance(x, y) for x, y in combinations(rows(word), 2)]) for word in "abcd"]
    np.testing.assert_allclose(self_similarity(X, words), theirs, atol=1e-6)


def test_sentence_similarity_is_the_mean_cosine_with_the_mean():
    theirs = [np.mean([1 - cosine_distance(x, rows(word).mean(0)) for x in rows(word)]) for word in "abcd"]
    np.testing.assert_allclose(sentence_similarity(X, words), theirs, atol=1e-6)


def test_explainable_variance_is_the_papers_formula_or_the_codes_pca():
    formula = [s[0] ** 2 / (s**2).sum() for s in (np.linalg.svd(rows(word))[1] for word in "abcd")]
    np.testing.assert_allclose(explainable_variance(X, words), formula, atol=1e-6)
    code = [PCA(n_components=1).fit(rows(word)).explained_variance_ratio_[0] for word in "abcd"]
    np.testing.assert_allclose(explainable_variance(X, words, centered=True), code, atol=1e-6)
    assert (explainable_variance(X, words) > explainable_variance(X, words, centered=True)).all()


def test_words_that_do_not_hear_their_text_have_1_everywhere():
    static = np.array([[1.0, 2.0], [1.0, 2.0], [-3.0, 1.0], [-3.0, 1.0]])
    of = ["a", "a", "b", "b"]
    for measure in (self_similarity, sentence_similarity, explainable_variance):
        np.testing.assert_allclose(measure(static, of), 1)
    assert explainable_variance(static, of, centered=True).tolist() == [1, 1]  # nothing is left to explain


def test_occurrences_in_random_directions_have_no_likeness_and_share_no_direction():
    wide = rng.normal(size=(400, 2000))
    of = np.repeat(np.arange(10), 40)
    assert np.abs(self_similarity(wide, of)).max() < 0.01
    assert explainable_variance(wide, of).max() < 0.04  # 1 / 40, and a little for the best of directions
    np.testing.assert_allclose(sentence_similarity(wide, of), 40**-0.5, atol=0.01)


def test_orthogonal_occurrences_exactly():
    assert self_similarity(np.eye(4), [0, 0, 0, 0]) == 0 and explainable_variance(np.eye(4), [0] * 4) == 0.25


def test_centered_groups_have_mean_zero_and_stay_in_their_place():
    centered = center_groups(X, words)
    for word in "abcd":
        np.testing.assert_allclose(centered[words == word], rows(word) - rows(word).mean(0), atol=1e-12)


def test_two_cones_are_isotropic_one_by_one():
    """Cai et al.'s point: clusters far from zero make a cosine that is gone once each has its own zero."""
    cones = rng.normal(size=(600, 30)) + np.repeat([[6.0] * 30, [6.0] * 15 + [-6.0] * 15], 300, axis=0)
    of = np.repeat([0, 1], 300)
    assert average_cosine(cones) > 0.45 and average_cosine(cones - cones.mean(0)) == pytest.approx(0, abs=0.01)
    assert average_cosine(cones[of == 0]) > 0.9
    assert abs(average_cosine(center_groups(cones, of)[of == 0])) < 0.01


def test_a_word_that_occurs_once_and_labels_of_another_length_are_refused():
    with pytest.raises(ValueError, match="each word must occur 2 times or more, got 'b' once"):
        self_similarity(X[:3], ["a", "a", "b"])
    with pytest.raises(ValueError, match="labels must be one for each of the 40 vectors"):
        sentence_similarity(X, words[:-1])
