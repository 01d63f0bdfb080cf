"""Checks of assignment 4: cosines, the shape of a cloud, a loud coordinate, contrasts and their two tests, in NumPy."""

from __future__ import annotations

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise


def random_signs(rng, n_permutations, n_pairs):
    """Return signs, (n_permutations, n_pairs), 1 or -1; a row of equal signs would tie with the observed value."""
    signs = rng.choice([-1.0, 1.0], size=(n_permutations, n_pairs))
    signs[np.abs(signs.sum(axis=1)) == n_pairs, 0] *= -1
    return signs


def exact_contrasts(rng, n_a=8, n_b=8, d=3):
    """Return two contrasts of small whole numbers. Their averages are exact, so that equal inner products are equal."""
    while True:
        a, b = (rng.integers(-3, 4, size=(n, d)).astype(float) for n in (n_a, n_b))
        if a.mean(axis=0) @ b.mean(axis=0):
            return a, b


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


COSINE_MATRIX = Exercise(
    "geometry.cosine_matrix",
    (
        Case("two vectors", (np.array([[3.0, 4.0], [1.0, 2.0]]),)),
        Case("four vectors in three dimensions", (_numbers(4, 3),)),
        Case("a row of zeros has the cosine 0", (np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [4.0, 0.0, 3.0]]),)),
    ),
)


AVERAGE_COSINE = Exercise(
    "geometry.average_cosine",
    (
        Case("three vectors in the plane", (np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 3.0]]),)),
        Case("many vectors around one direction", (_numbers(20, 5) + 1,)),
        Case("two rows that point the same way", (np.array([[1.0, 2.0], [2.0, 4.0], [3.0, -1.0], [-1.0, 1.0]]),)),
    ),
)


ANISOTROPY = Exercise(
    "geometry.anisotropy",
    (
        Case("a cross around the origin", (np.array([[3.0, 1.0], [-3.0, -1.0], [1.0, -2.0], [-1.0, 2.0]]),)),
        Case("a cross along the axes", (np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 3.0], [0.0, -3.0]]),)),
        Case("a cloud away from the origin", (_numbers(12, 4) * [1, 2, 3, 4] + [5, 0, -2, 1],)),
        Case("fewer vectors than dimensions", (_numbers(4, 9, seed=1) + 1,)),
    ),
)


TWO_NN = Exercise(
    "geometry.two_nn",
    (
        Case("four points on a line", (np.array([[0.0], [1.0], [3.0], [7.0]]),)),
        Case("points in the plane", (_numbers(30, 2),)),
        Case("a plane in five dimensions", (_numbers(40, 2, seed=1) @ _numbers(2, 5, seed=2) + 3,)),
    ),
)


_SMALL = np.array(  # all usual mistakes give something wrong here
    [[1.0, 0, -2, 4, 0, -3], [4, 4, 4, 1, -1, 2], [-2, -2, -2, 2, -1, -2], [4, 0, -4, -4, -2, 2]]
)
_BELOW = np.array([[3.0, 1, -2, 2, -4, 2], [-3, -4, 2, 0, -2, 4], [-3, 3, -4, 1, 3, -2]])
WITHOUT_LOUDEST = Exercise(
    "geometry.without_loudest",
    (
        Case("three vectors, one coordinate that they share", (np.array([[3.0, 1, 0], [4.0, 0, -2], [2.0, -1, 1]]),)),
        Case("the largest numbers are not the ones that count", (_SMALL,)),
        Case("a coordinate that adds a number below 0", (_BELOW,)),
        Case("many vectors, of unequal lengths", (_numbers(30, 6, seed=62) * np.exp(_numbers(30, 1, seed=63)),)),
    ),
)


CONTRAST_COSINE = Exercise(
    "geometry.contrast_cosine",
    (
        Case("three pairs each", tuple(_numbers(4, 3, 5, seed=3))),
        Case("contrasts with unequal numbers of pairs", (*_numbers(2, 6, 4, seed=4), *_numbers(2, 3, 4, seed=5))),
    ),
)


_ALIKE = np.vstack([np.ones((1, 8)), -np.ones((1, 8))])  # ties: equal signs give the observed value, or its negative
_EXACT = (
    *exact_contrasts(np.random.default_rng(143)),  # a seed whose inputs distinguish all mistakes below
    np.vstack([_ALIKE, random_signs(np.random.default_rng(0), 37, 8)]),
)
SIGN_FLIP_P = Exercise(
    "geometry.sign_flip_p",
    (
        Case("39 rows of signs", _EXACT),
        Case(
            "unequal numbers of pairs",
            (_numbers(12, 5), _numbers(9, 5), random_signs(np.random.default_rng(0), 99, 12)),
        ),
    ),
)


_WORDS = np.array([[1.0, 1], [2, 3], [5, 0], [0, 4]])  # the second minus the first is (1, 2)
SWAP_P = Exercise(
    "geometry.swap_p",
    (
        Case("six words", (np.array([1.0, 1.0]), np.array([1.0, 0.3]), _numbers(6, 2))),
        Case("against the direction", (np.array([1.0, 1.0]), np.array([-1.0, -0.3]), _numbers(6, 2))),
        Case(
            "a swap of two words that is just what you observed", (np.array([0.0, 2.0]), np.array([1.0, 2.0]), _WORDS)
        ),
        Case("many words", (_numbers(5, seed=1), _numbers(5, seed=2), _numbers(20, 5))),
    ),
)
