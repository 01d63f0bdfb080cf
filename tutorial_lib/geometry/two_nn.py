"""TwoNN: how many dimensions a cloud fills, from each point's two nearest neighbors.

`intrinsic_dimension` takes a cloud in memory, `ratio_dimension(sampled_ratios(X))` one on disk. Sources: A 2.4
(intrinsic dimension); Facco et al. 2017, Scientific Reports 7:12140.
"""

import math
import warnings

import numpy as np

from tutorial_lib.arguments import check_seed, one_of, real_number, whole_number
from tutorial_lib.geometry.arrays import as_numbers, as_vectors
from tutorial_lib.geometry.neighbors import nearest_neighbors

METHODS = ("linear", "mle")
TILE = 2048, 4096  # query rows and candidate rows of a block: 32 MB of distances in float32


def distinct(X):
    """Return the rows of X without exact copies, in the order of their first appearance: (n_distinct, d), float64.

    >>> distinct([[1, 2], [3, 4], [1, 2]])
    array([[1., 2.],
           [3., 4.]])
    """
    X = as_vectors("X", X)
    if len(np.unique(X[:, 0])) == len(X):  # faster to see than that whole rows differ
        return X
    first = np.unique(X, axis=0, return_index=True)[1]
    return X[np.sort(first)]


def neighbor_ratios(X):
    """TwoNN's mu of each distinct row: the distance to its second neighbor over that to its first, ascending.

    Copies of a row are removed first, with one warning that says how many. A copy at distance 0 would make mu infinite,
    and it says nothing about the cloud's dimension, only that a vector was counted twice.
    Raises ValueError for fewer than 3 distinct rows. Source: A 2.4.

    >>> neighbor_ratios([[0.0], [1.0], [3.0], [7.0]])
    array([1.5, 1.5, 2. , 3. ])
    """
    rows = distinct(X)
    if len(rows) < 3:
        raise ValueError(f"X must contain at least 3 distinct vectors, got {len(rows)}")
    _warn_of_copies(len(X), len(rows), stacklevel=4)
    first, second = nearest_neighbors(rows, k=2)[0].T
    apart = first > 0  # distances below the smallest float come out as 0
    return np.sort(second[apart] / first[apart])


def intrinsic_dimension(X, method="linear", discard=0.1):
    """Estimate how many dimensions a cloud fills from each point's two nearest neighbors (TwoNN).

    If points lie evenly in d dimensions, the ratio mu = r2 / r1 of the distances to the second and the first neighbor
    follows F(mu) = 1 - mu^-d for mu >= 1, whatever the density. So -log(1 - F(mu)) = d log(mu), a line through the
    origin of slope d, and log(mu) is exponential with rate d. With the N ratios in order and k = N (1 - discard) kept:

    method "linear"  least squares through the origin, x_i = log(mu_i), y_i = -log(1 - i / N), i = 1, ..., k
    method "mle"     (k - 1) / (sum of the k kept log(mu_i) + (N - k) log(mu_k)): the unbiased form of maximum
                     likelihood, which uses about the discarded ratios only that they are larger
    discard          the share of largest ratios left out, from 0 (none) up to 1: there, two points that
    happen to be very close count most

    Exact copies are left out with one warning (`neighbor_ratios` says why). The result describes the scale of neighbor
    distances: noise, clusters of near copies and too few points in many dimensions all change it.
    Its interval: `jackknife_interval` (its example is this one), not a bootstrap, whose copies are left out.
    X: (n, d). Raises ValueError for fewer than 3 distinct vectors, or if all ratios are 1 (a perfect grid).
    Source: A 2.4; Facco et al. 2017, Scientific Reports 7:12140.

    >>> round(intrinsic_dimension(np.random.default_rng(0).random((2000, 2)) @ [[1, 2, 3], [0, 1, -1]]), 1)
    2.0
    """
    _check_fit(method, discard)
    return ratio_dimension(neighbor_ratios(X), method, discard)


def ratio_dimension(ratios, method="linear", discard=0.1):
    """Estimate the dimension from TwoNN's ratios mu (n,), as in `intrinsic_dimension`; of all points or of a sample.

    For n ratios drawn at random, its standard error is about 1 / sqrt(n (1 - discard)) of it: 1 % for 10,000. Raises
    ValueError for a ratio below 1, if fewer than 2 are kept, or if all that are kept are 1.

    >>> round(ratio_dimension(np.linspace(0, 1, 1000, endpoint=False)[1:] ** -0.5), 2)  # the quantiles of d = 2
    2.0
    """
    _check_fit(method, discard)
    mu = np.sort(as_numbers("ratios", ratios).ravel())
    if mu.size and mu[0] < 1:
        raise ValueError(f"ratios must be 1 or more, got {mu[0]:g}")
    log_mu = np.log(mu)
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


def sampled_ratios(X, n=10_000, seed=0):
    """Return `neighbor_ratios` of n random rows, with their neighbors among all rows, at the scale of the whole cloud.

    (Neighbors within a sample would lie farther apart, and the dimension there may differ.) X: (rows, d), an array or a
    np.memmap larger than memory: it is read twice, in blocks, and about 50 bytes per row are kept. Exact: with n at
    least the number of rows, the ratios are those of `neighbor_ratios`. Copies are also left out, recognized by a
    64-bit hash of each row. Raises ValueError for fewer than 3 distinct rows, or rows that are not finite.

    >>> sampled_ratios(np.array([[0.0], [1.0], [3.0], [7.0]]))
    array([1.5, 1.5, 2. , 3. ])
    """
    n = whole_number("n", n, 2, "a number of rows (an int, 2 or more)")
    if getattr(X, "ndim", 0) != 2:
        raise ValueError(f"X must be an array of vectors, one per row, got {getattr(X, 'shape', type(X).__name__)}")
    codes = np.fromiter((hash(row.tobytes()) for _, rows in _blocks(X) for row in rows), np.int64, len(X))
    kept = np.zeros(len(X), bool)
    kept[np.unique(codes, return_index=True)[1]] = True
    some = np.flatnonzero(kept)
    if len(some) < 3:
        raise ValueError(f"X must contain at least 3 distinct vectors, got {len(some)}")
    _warn_of_copies(len(X), len(some), stacklevel=3)
    if n < len(some):
        some = np.sort(np.random.default_rng(check_seed("seed", seed)).choice(some, n, replace=False))
    squares = _two_nearest_of(X, some, kept)
    squares = squares[squares[:, 0] > 0]
    return np.sort(np.sqrt(squares[:, 1] / squares[:, 0]))


def _two_nearest_of(X, some, kept):
    """Return the squared distances, up to a factor, of some rows' two nearest kept rows: (len(some), 2)."""
    from tutorial_lib.geometry.tiles import two_nearest

    Q = np.asarray(X[some], np.float64)  # (n, d)
    size = np.ldexp(1.0, -int(np.frexp(np.abs(Q).max())[1]))  # a power of two: squares stay in range
    Q = Q * size
    center = Q.mean(0)
    squares = np.full((len(some), 2), np.inf)
    for start, rows in _blocks(X):
        here = np.flatnonzero(kept[start : start + len(rows)])
        Y = rows[here].astype(np.float64) * size
        for first in range(0, len(some), TILE[0]):
            tile = slice(first, first + TILE[0])
            squares[tile] = two_nearest(squares[tile], Q[tile], some[tile], Y, start + here, center)
    return squares


def _blocks(X):
    """Yield the rows of X in memory, block by block, with the number of the first; finite, and -0.0 as 0.0."""
    for start in range(0, len(X), TILE[1]):
        rows = np.asarray(X[start : start + TILE[1]]) + 0
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(bad):
            raise ValueError(f"X must be finite, got NaN or infinity in row {start + bad[0]}")
        yield start, rows


def _warn_of_copies(n, n_distinct, stacklevel):
    if n_distinct < n:
        message = f"X contains {n - n_distinct} exact copies among {n} vectors; they are left out"
        warnings.warn(message, stacklevel=stacklevel)


def _check_fit(method, discard):
    one_of("method", method, METHODS)
    real_number("discard", discard, "from 0 up to 1", 0, math.nextafter(1, 0))
