"""TwoNN: how many dimensions a cloud fills, from each point's two nearest neighbors.

Sources: A 2.4 (intrinsic dimension); Facco et al. 2017, Scientific Reports 7:12140.
"""

import warnings

import numpy as np

from tutorial_lib.geometry.arrays import as_vectors
from tutorial_lib.geometry.neighbors import nearest_neighbors

METHODS = ("linear", "mle")


def distinct(X):
    """The rows of X without exact copies, in the order of their first appearance: (n_distinct, d), float64.

    >>> distinct([[1, 2], [3, 4], [1, 2]])
    array([[1., 2.],
           [3., 4.]])
    """
    X = as_vectors("X", X) + 0.0  # -0.0 becomes 0.0
    first = np.unique(X, axis=0, return_index=True)[1]
    return X[np.sort(first)]


def neighbor_ratios(X):
    """TwoNN's mu of each distinct row: the distance to its second neighbor over that to its first, ascending.

    Copies of a row are removed first: one warning says how many. A copy at distance 0 would make mu infinite, and
    it tells nothing about the cloud's dimension, only that a vector was counted twice.
    Raises ValueError for fewer than 3 distinct rows. Source: A 2.4.

    >>> neighbor_ratios([[0.0], [1.0], [3.0], [7.0]])
    array([1.5, 1.5, 2. , 3. ])
    """
    rows = distinct(X)
    if len(rows) < 3:
        raise ValueError(f"X must hold at least 3 distinct vectors, got {len(rows)}")
    copies = len(X) - len(rows)
    if copies:
        warnings.warn(f"X holds {copies} exact copies among {len(X)} vectors; they are left out", stacklevel=3)
    first, second = nearest_neighbors(rows, k=2)[0].T
    apart = first > 0  # distances below the smallest float come out as 0
    return np.sort(second[apart] / first[apart])


def intrinsic_dimension(X, method="linear", discard=0.1):
    """How many dimensions a cloud fills, seen from each point's two nearest neighbors (TwoNN).

    If points lie evenly in d dimensions, the ratio mu = r2 / r1 of the distances to the second and the first neighbor
    follows F(mu) = 1 - mu^-d for mu >= 1, whatever the density. So -log(1 - F(mu)) = d log(mu), a line through the
    origin of slope d, and log(mu) is exponential with rate d. With the N ratios in order and k = N (1 - discard) kept:

    method "linear"  least squares through the origin, x_i = log(mu_i), y_i = -log(1 - i / N), i = 1, ..., k
    method "mle"     (k - 1) / (sum of the k kept log(mu_i) + (N - k) log(mu_k)): the unbiased form of maximum
                     likelihood, where of the discarded ratios it counts only that they are larger
    discard          the share of largest ratios left out, from 0 (none) up to 1: there, two points that
                     happen to be very close weigh most

    Exact copies are left out with one warning (`neighbor_ratios` says why). The result is a statement about the scale
    of neighbor distances: noise, clusters of near copies and too few points in many dimensions all change it.
    X: (n, d). Raises ValueError for fewer than 3 distinct vectors, or where all ratios are 1 (a perfect grid).
    Source: A 2.4; Facco et al. 2017, Scientific Reports 7:12140.

    >>> round(intrinsic_dimension(np.random.default_rng(0).random((2000, 2)) @ [[1, 2, 3], [0, 1, -1]]), 1)
    2.0
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    if not 0 <= discard < 1:
        raise ValueError(f"discard must be from 0 up to 1, got {discard!r:.60}")
    log_mu = np.log(neighbor_ratios(X))
    N = len(log_mu)
    k = int(N * (1 - discard))
    if method == "linear":
        k = min(k, N - 1)  # at i = N the logarithm would be infinite
    if k < 2:
        raise ValueError(f"discard must leave at least 2 of {N} ratios, got {discard}")
    x = log_mu[:k]
    if x[-1] == 0:
        raise ValueError("X must not be a perfect grid, where each vector's two nearest neighbors are equally far")
    if method == "mle":
        return float((k - 1) / (x.sum() + (N - k) * x[-1]))
    y = -np.log(1 - np.arange(1, k + 1) / N)
    return float(x @ y / (x @ x))
