"""Statements of the chapter on L's open questions (L 5.2) that its page cannot check."""

import numpy as np
import pytest

from tutorial_book.experiments.questions import round_to_grid
from tutorial_lib import geometry


@pytest.mark.parametrize("seed", range(3))
def test_mutual_projections_flip_the_sign_of_the_cosine(seed):
    """Exercise 7."""
    a, b = np.random.default_rng(seed).normal(size=(2, 384)) + 1
    less = a - a @ b / (b @ b) * b, b - a @ b / (a @ a) * a
    assert geometry.cosine(*less) == pytest.approx(-geometry.cosine(a, b)) and geometry.cosine(a, b) > 0.3


def test_average_cosine_of_n_centered_vectors_is_known():
    for n in (3, 5, 20):
        X = np.random.default_rng(n).normal(size=(n, 384)) + 1
        assert geometry.average_cosine(X - X.mean(0)) == pytest.approx(-1 / (n - 1), abs=0.01)


def test_random_walks_need_two_to_three_dimensions(page):
    for seed in range(1, 4):
        walk = np.random.default_rng(seed).normal(size=page.learned.shape).cumsum(0)
        needed = [geometry.local_dimension(walk, window) for window in page.windows[2:]]
        assert 2 < min(needed) and max(needed) < 3


def test_rounding_to_bits_gives_the_expected_values(bert):
    for bits, most in ((8, 255), (4, 15)):
        row = round_to_grid(bert.layer[0].attention.W_Q.weight.detach(), bits)[0]
        assert len(row.unique()) <= most == 2**bits - 1
