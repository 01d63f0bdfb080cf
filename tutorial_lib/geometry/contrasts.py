"""Do differences of vectors have a direction, and what do two directions have to do with each other?

A contrast is a set of pairs that differ in one respect. Source: L 4.4.2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tutorial_lib.arguments import whole_number
from tutorial_lib.geometry.arrays import as_vectors
from tutorial_lib.geometry.statistics import permutation_p


def difference_vectors(first, second):
    """E2 - E1 for each pair, (n, d): the way from the first vectors to the second.

    Raises ValueError where the two have different shapes. Source: L 4.4.2.

    >>> difference_vectors([[1.0, 1.0]], [[3.0, 0.0]])
    array([[ 2., -1.]])
    """
    first, second = as_vectors("first", first), as_vectors("second", second)
    if first.shape != second.shape:
        shapes = f"{first.shape} and {second.shape}"
        raise ValueError(f"first and second must have one shape, got {shapes}")
    return second - first


def contrast_cosines(differences):
    """The cosines between the average difference vectors of contrasts, (n, n).

    `differences` maps each contrast's name to its difference vectors (n_pairs, d); rows and columns are in its order.
    Raises ValueError for differing widths, or for a contrast whose differences cancel (it has no direction).
    Source: L 4.4.2.

    >>> contrast_cosines({"east": [[1.0, 0.0], [3.0, 0.0]], "north-east": [[1.0, 1.0]]}).round(3)
    array([[1.   , 0.707],
           [0.707, 1.   ]])
    """
    means = np.array([X.mean(axis=0) for X in _contrasts(differences).values()])
    directions = means / np.linalg.norm(means, axis=1, keepdims=True)
    return np.clip(directions @ directions.T, -1, 1)


def consistency(differences):
    """How much the differences of one contrast agree: their average cosine over distinct pairs, -1 to 1.

    1: all point the same way; 0: they have no direction in common. Raises ValueError for fewer than two differences,
    or for one of length zero.

    >>> round(consistency([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), 3)
    0.471
    """
    differences = as_vectors("differences", differences, least=2)
    lengths = np.linalg.norm(differences, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(f"differences must not be zero, got zero at {int(lengths.argmin())}")
    unit = differences / lengths
    n = len(unit)
    return float((np.square(unit.sum(axis=0)).sum() - n) / (n * (n - 1)))


def sign_flip_test(first, second, n_permutations=4999, seed=0):
    """Two-sided p-value for the inner product of two contrasts' averages.

    Null hypothesis: which sentence of a pair stands first is arbitrary in at least one of the contrasts. Then
    swapping the sentences of some pairs, which flips the signs of their differences, changes nothing. The signs of
    one contrast are flipped at random while the other stays, then the other way round, and the larger p-value counts.
    The statistic is the inner product, not the cosine: if a contrast's differences are all alike, flipped signs make
    their average shorter but do not turn it, and a cosine sees no more than its sign change.

    Both: (n_pairs, d). With n pairs there are no more than 2^(n-1) different outcomes, so 5 pairs cannot give
    p < 1/16. Raises ValueError for differing widths.

    >>> north = [[0.1, 1.0], [-0.2, 1.0], [0.1, 1.2], [0.0, 0.9], [0.2, 1.0], [-0.1, 1.1], [0.1, 0.8]]
    >>> sign_flip_test(north, north, n_permutations=999) < 0.05
    True
    """
    n = whole_number("n_permutations", n_permutations, 1, "an int, 1 or more")
    first, second = _contrasts({"first": first, "second": second}).values()
    rng = np.random.default_rng(seed)
    p_values = []
    for flipped, other in ((first, second), (second, first)):
        along = flipped @ other.mean(axis=0)  # (n_pairs,)
        signs = rng.choice([-1.0, 1.0], size=(n, len(along)))
        p_values.append(permutation_p(abs(along.sum()), np.abs(signs @ along)))
    return max(p_values)


class SwapTest(NamedTuple):
    """What `swap_test` finds: the cosine, its p-value, and the cosines of all other swaps."""

    observed: float
    p: float
    null: np.ndarray

    def __repr__(self):
        return f"SwapTest(observed={self.observed:.3f}, p={self.p:.3g}, {len(self.null)} swaps)"


def swap_test(direction, difference, words):
    """Is a difference more aligned with a direction than the swap of any two other words would be? Two-sided.

    `words`: (n_words, d), one vector for each word, made just as the two vectors behind `difference` were (averages
    over the same sentence frames). The null is the cosine of `direction` (d,) with every difference of two words,
    n (n - 1) / 2 of them. They share words, so they are not independent: p says how rare the observed cosine is among
    swaps, no more. Raises ValueError for differing widths or fewer than two words.

    >>> swap_test([1.0, 0.0], [3.0, 0.1], [[0.0, 0.0], [0.1, 1.0], [0.0, 2.0], [0.3, 3.0]])
    SwapTest(observed=0.999, p=0.143, 6 swaps)
    """
    words = as_vectors("words", words, least=2)
    direction, difference = as_vectors("direction", [direction]), as_vectors("difference", [difference])
    widths = [direction.shape[1], difference.shape[1], words.shape[1]]
    if len(set(widths)) > 1:
        raise ValueError(f"direction, difference and words must have one width, got {widths}")
    i, j = np.triu_indices(len(words), k=1)
    swaps = words[j] - words[i]  # (n_swaps, d)
    observed, null = _cosines(difference, direction), _cosines(swaps, direction)
    return SwapTest(float(observed[0]), permutation_p(abs(observed[0]), np.abs(null)), null)


def _cosines(X, direction):
    """The cosine of each row with the direction, (n,); a row of zeros points nowhere and is an error."""
    lengths = np.linalg.norm(X, axis=1) * np.linalg.norm(direction)
    if not lengths.all():
        raise ValueError("direction, difference and swaps must not be zero, got zero (two words with one vector?)")
    return (X @ direction[0]) / lengths


def _contrasts(differences):
    """The contrasts as arrays: of one width, and none without a direction."""
    arrays = {name: as_vectors(name, vectors) for name, vectors in differences.items()}
    if not arrays:
        raise ValueError("differences must hold at least one contrast, got none")
    widths = {array.shape[1] for array in arrays.values()}
    if len(widths) > 1:
        raise ValueError(f"{' and '.join(arrays)} must have vectors of one width, got {sorted(widths)}")
    for name, array in arrays.items():
        if not array.mean(axis=0).any():
            raise ValueError(f"{name} must have a direction, but its average difference is zero")
    return arrays
