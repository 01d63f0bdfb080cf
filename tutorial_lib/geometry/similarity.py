"""How similar vectors are: cosines, distances and dot products of many pairs, and the extreme pairs among all of them.

Sources: L 4.2 (Figure 10), L 4.2.2 (Tables 2 and 3, Figure 12); the cone index: G 2.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import pdist, squareform

from tutorial_lib.arguments import as_flag, check_seed, one_of, whole_number
from tutorial_lib.geometry.arrays import as_cloud, as_numbers, as_vectors
from tutorial_lib.geometry.streaming import Cloud

CHUNK = 4096  # pairs or rows that are computed at once in float64


class Distributions(NamedTuple):
    """The result of `distributions`: one norm for each vector, the three others for each pair; float64 arrays."""

    norms: np.ndarray
    distances: np.ndarray
    dots: np.ndarray
    cosines: np.ndarray


class ToMean(NamedTuple):
    """The result of `to_mean`: five float64 arrays of length n, and the mean vector (d,) itself.

    L's Table 3 has six measures; its two columns of absolute values are `abs(cosines)` and `abs(dots)`.
    """

    distances: np.ndarray
    cosines: np.ndarray
    dots: np.ndarray
    norms: np.ndarray
    mean: np.ndarray


def cosine(X, Y):
    """Return the cosine of each vector of X with the vector of Y at the same position: (..., d) twice -> (...).

    Raises ValueError for a vector of zeros, which has no direction.

    >>> cosine([[3.0, 4.0], [0.0, 2.0]], [1.0, 0.0])
    array([0.6, 0. ])
    """
    return np.clip((unit(as_numbers("X", X)) * unit(as_numbers("Y", Y), "Y")).sum(axis=-1), -1, 1)


def cosine_matrix(X, Y=None):
    """Return the cosine of every row of X with every row of Y (without Y: with every row of X), a float64 array (n, m).

    Raises ValueError for a row of zeros, which has no direction, and if rows have different lengths.

    >>> cosine_matrix([[3.0, 4.0], [0.0, 2.0]]).round(2)
    array([[1. , 0.8],
           [0.8, 1. ]])
    """
    U = unit(as_vectors("X", X))  # (n, d)
    V = U if Y is None else unit(as_vectors("Y", Y), "Y")  # (m, d)
    if V.shape[1] != U.shape[1]:
        raise ValueError(f"Y must have rows of the same length as X, {U.shape[1]}, got {V.shape[1]}")
    return np.clip(U @ V.T, -1, 1)  # (n, m)


def distance_matrix(X, metric="euclidean"):
    """Return the distance of every two rows of X, (n, n): "euclidean", or "cosine" (1 - cosine); or X, "precomputed".

    Raises ValueError for another metric, for a row of zeros (it has no cosine), or for a table of distances that is not
    square and symmetric with zeros on the diagonal and no negative entries.

    >>> distance_matrix([[0.0, 0.0], [3.0, 4.0]])
    array([[0., 5.],
           [5., 0.]])
    """
    X = as_vectors("X", X)
    if one_of("metric", metric, ("euclidean", "cosine", "precomputed")) == "euclidean":
        return squareform(pdist(X))
    if metric == "cosine":
        return (1 - cosine_matrix(X)).round(12)  # equal directions have distance 0, not a rounding error
    if X.shape[0] != X.shape[1] or not np.array_equal(X, X.T) or X.min() < 0 or X.diagonal().any():
        raise ValueError(f"X must be a symmetric table of distances with a zero diagonal, got shape {X.shape}")
    return X


def average_cosine(X):
    """Return the mean cosine over all pairs of different rows, exactly, without computing any single pair.

    With unit vectors u_i, the squared length of their sum is the sum of all n² cosines; without the n cosines of a
    vector with itself, n (n - 1) remain. Many papers call this the anisotropy; A's, the largest share of variance, is
    `shape.anisotropy`. X: (n, d), or a `Cloud` that has read them. Raises ValueError for fewer than two rows and for a
    row of zeros. Its interval: see `jackknife_interval`; a bootstrap counts pairs of a row with itself. Source: A.

    >>> average_cosine([[1.0, 0.0], [0.0, 2.0], [-1.0, 0.0]])
    -0.3333333333333333
    """
    n, total = unit_sum(X, least=2)  # total: of the unit vectors, (d,)
    return float((total @ total - n) / (n * (n - 1)))


def cone_index(X, share=False):
    """Return the length of the sum of the n unit vectors: 0 if they cancel, n if all have one direction.

    share=True divides it by n. Random directions give sqrt(n), because the squared length is the sum of all n² cosines,
    and those of different vectors are 0 on average: with `average_cosine` c, it is exactly n + n (n - 1) c.
    X: (n, d), or a `Cloud` that has read them. Raises ValueError for a row of zeros. Source: G 2.

    >>> cone_index([[3.0, 0.0], [0.0, 4.0]]), cone_index([[3.0, 0.0], [9.0, 0.0]], share=True)
    (1.4142135623730951, 1.0)
    """
    n, total = unit_sum(X)  # total: of the unit vectors, (d,)
    return float(np.linalg.norm(total) / (n if share else 1))


def cka(X, Y, unbiased=False):
    """Measure how similarly two clouds of the same n things lie, whatever their axes (linear CKA): 0 to 1.

    X (n, d) and Y (n, e) contain the same things in the same order, say one text's tokens after two layers. It is 1 if
    one cloud is the other turned, scaled and moved. If there are fewer things than coordinates, any two clouds look
    similar: 20 random vectors with 384 coordinates score .95 with 20 others. unbiased=True has an expected value of 0
    there, and may be negative; it takes a matrix (n, n), and 4 rows. Raises ValueError if rows do not fit or are all
    the same. Source: Kornblith et al. 2019, "Similarity of neural network representations revisited" (centered kernel
    alignment); unbiased: Song et al. 2012.

    >>> X = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 0.0], [3.0, 3.0]])
    >>> float(cka(X, 5 * X @ [[0.0, 1.0], [-1.0, 0.0]] + 7).round(9))
    1.0
    """
    unbiased = as_flag("unbiased", unbiased)
    X, Y = as_cloud("X", X, 4 if unbiased else 2), as_cloud("Y", Y, 4 if unbiased else 2)
    if len(X) != len(Y):
        raise ValueError(f"Y must have one row per row of X, {len(X)}, got {len(Y)}")
    X, Y = (C - C.mean(axis=0) for C in (X, Y))
    X, Y = (C / np.abs(C).max() for C in (X, Y))  # so that the squares of squares stay in range
    dependence = _unbiased_dependence if unbiased else lambda X, Y: np.square(X.T @ Y).sum()
    return np.float64(dependence(X, Y) / np.sqrt(dependence(X, X) * dependence(Y, Y)))


def _unbiased_dependence(X, Y):
    """Return the Hilbert-Schmidt independence criterion without pairs of a thing with itself (Song 2012)."""
    K, L = X @ X.T, Y @ Y.T  # (n, n)
    np.fill_diagonal(K, 0)
    np.fill_diagonal(L, 0)
    n = len(K)
    rest = K.sum() * L.sum() / ((n - 1) * (n - 2)) - 2 / (n - 2) * (K.sum(0) @ L.sum(0))
    return ((K * L).sum() + rest) / (n * (n - 3))


def distributions(X, n_pairs=200_000, seed=0):
    """Return norms of the rows, and Euclidean distances, dot products and cosines of pairs of different rows.

    All n (n - 1) / 2 pairs if those are at most n_pairs, otherwise n_pairs of them, drawn with the seed: each pair with
    equal probability, independently, so a pair can occur twice. Source: L 4.2, Figure 10.

    >>> distributions([[3.0, 4.0], [0.0, 2.0]])
    Distributions(norms=array([5., 2.]), distances=array([3.60555128]), dots=array([8.]), cosines=array([0.8]))
    """
    X = as_vectors("X", X, least=2)
    n_pairs = whole_number("n_pairs", n_pairs, 1, "a number of pairs (an int, 1 or more)")
    U = unit(X)
    first, second = _pairs(len(X), n_pairs, seed)
    distances, dots, cosines = np.empty((3, len(first)))
    for at in range(0, len(first), CHUNK):
        some = slice(at, at + CHUNK)
        i = first[some]
        j = second[some]
        distances[some] = np.linalg.norm(X[i] - X[j], axis=1)
        dots[some] = (X[i] * X[j]).sum(axis=1)
        cosines[some] = np.clip((U[i] * U[j]).sum(axis=1), -1, 1)
    return Distributions(np.linalg.norm(X, axis=1), distances, dots, cosines)


def to_mean(X):
    """Return each row's distance, cosine and dot product with the mean of all rows, and its norm: L's Table 3.

    Raises ValueError for a row of zeros and if the mean is zero: neither has a direction. Source: L 4.2.2.

    >>> to_mean([[3.0, 4.0], [3.0, -4.0]]).cosines
    array([0.6, 0.6])
    """
    X = as_vectors("X", X)
    mean = X.mean(axis=0)  # (d,)
    norms = np.linalg.norm(X, axis=1)  # (n,)
    if np.linalg.norm(mean) <= 1e-14 * norms.max():
        raise ValueError("X must have a nonzero mean, got rows that cancel out")
    return ToMean(np.linalg.norm(X - mean, axis=1), cosine(X, mean), X @ mean, norms, mean)


def _pairs(n, n_pairs, seed):
    """Return all pairs i < j of n rows if at most n_pairs, else that many random ones: two arrays of indices."""
    if n * (n - 1) // 2 <= n_pairs:
        return np.triu_indices(n, 1)
    generator = np.random.default_rng(check_seed("seed", seed))
    first = generator.integers(n, size=n_pairs)
    return first, (first + generator.integers(1, n, size=n_pairs)) % n  # never the same row twice


def unit_sum(X, least=1):
    """Return how many vectors there are, and the sum of their unit vectors: n, (d,). X: (n, d), or a `Cloud`.

    >>> unit_sum([[3.0, 0.0], [0.0, 4.0]])
    (2, array([1., 1.]))
    """
    least = whole_number("least", least, 0, "a number of vectors, 0 or more")
    if not isinstance(X, Cloud):
        U = unit(as_vectors("X", X, least))
        return len(U), U.sum(axis=0)
    if X.n < least:
        raise ValueError(f"X must be a cloud of {least} or more vectors, got {X.n}")
    if X.zeros[0]:
        raise ValueError(f"X must have no row of zeros, which has no cosine, got {X.zeros[0]}")
    return X.n, X.units[0]


def unit(X, name="X"):
    """Return vectors (..., d) at length 1. They are scaled first, so that squares neither overflow nor vanish."""
    if not X.ndim:
        raise ValueError(f"{name} must contain vectors, got the number {X}")
    zeros = np.argwhere(~X.any(axis=-1))
    if len(zeros):
        where = f", at row {zeros[0][-1]}" if X.ndim > 1 else ""
        raise ValueError(f"{name} must have no row of zeros, which has no cosine, got {len(zeros)}{where}")
    X = X / np.abs(X).max(axis=-1, keepdims=True)
    return X / np.linalg.norm(X, axis=-1, keepdims=True)
