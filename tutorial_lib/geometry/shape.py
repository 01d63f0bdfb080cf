"""The shape of a cloud of vectors: how its variance is spread over directions.

Sources: A 2.3 (anisotropy); L 2.3.2 (PCA dimension); G 2 (Shannon entropy).
How many dimensions a cloud fills locally: `two_nn`.
"""

import math

import numpy as np

from tutorial_lib.arguments import real_number, whole_number
from tutorial_lib.geometry.arrays import as_cloud, as_numbers, as_vectors
from tutorial_lib.geometry.streaming import Cloud

ROWS = 1024  # of a block


def spectrum(X):
    """Return the share of the variance along each principal direction, largest first: min(n, d) numbers that sum to 1.

    With the singular values s_i of the centered matrix Xc, share i is s_i^2 over the sum of all s_j^2. The s_i^2 are
    the eigenvalues of Xc^T Xc and of Xc Xc^T; using the smaller of the two is faster than the singular values
    themselves. X: (n, d), or a `Cloud` that has read them, as for all functions based on it. Raises ValueError if all
    vectors are the same. See also `jackknife_interval`: the repeated rows of a bootstrap shift a spectrum, and
    everything based on it. Source: A 2.3.

    >>> spectrum([[3, 0], [-3, 0], [0, 1], [0, -1]])
    array([0.9, 0.1])
    """
    squares = np.linalg.eigvalsh(_products(X))[::-1][: len(X)].clip(min=0)
    return squares / squares.sum()


def anisotropy(X):
    """Return the largest share of the variance along one direction: from 1 / min(n - 1, d) (a ball) to 1 (a line).

    X: (n, d). The vectors are centered first, so the position of the cloud does not count; `average_cosine` is the
    measure that sees it. Raises ValueError if all vectors are the same. Its interval: see `jackknife_interval`; a
    bootstrap shifts it. Source: A 2.3.

    >>> round(anisotropy([[3, 0], [-3, 0], [0, 1], [0, -1]]), 3)
    0.9
    """
    return float(spectrum(X)[0])


def pca_dimension(X, share=0.9):
    """Return the least number of principal directions that contain this share of the variance. Source: L 2.3.2.

    X: (n, d). share: above 0, at most 1. Raises ValueError if all vectors are the same.

    >>> pca_dimension([[3, 0], [-3, 0], [0, 1], [0, -1]]), pca_dimension([[3, 0], [-3, 0], [0, 1], [0, -1]], 0.95)
    (1, 2)
    """
    share = real_number("share", share, "above 0 and at most 1", math.ulp(0.0), 1)
    missing = 1 - spectrum(X).cumsum()  # the share left by the first 1, 2, ... directions
    return int((missing > 1 - share + 1e-12).sum()) + 1


def participation_ratio(X):
    """Measure over how many directions the variance is spread: (sum of variances)^2 / sum of squared variances, 1 to d.

    1 for a line, d if all d directions have the same variance. Raises ValueError if all vectors are the same.
    Its interval: see `jackknife_interval`; a bootstrap shifts it.

    >>> participation_ratio([[1, 0], [-1, 0], [0, 1], [0, -1]])
    2.0
    """
    return float(1 / np.square(spectrum(X)).sum())


def outlier_coordinates(X, times=5):
    """Return the numbers of coordinates at least `times` as large as the median one, largest first.

    The size of a coordinate is the root of its mean square over the vectors. times: above 1. X: (n, d), or a `Cloud`.

    >>> outlier_coordinates([[1, 9, 1, -2], [1, -8, 2, 1]]).tolist()
    [1]
    """
    real_number("times", times, "a number above 1", math.nextafter(1, 2))
    if isinstance(X, Cloud):
        sizes = np.sqrt(X.mean**2 + X.scatter.diagonal() / max(len(X), 1))  # (d,)
    else:
        X = as_vectors("X", X)
        sizes = np.linalg.norm(X, axis=0) / len(X) ** 0.5
    order = (-sizes).argsort(kind="stable")
    return order[(sizes > 0)[order] & (sizes >= times * np.median(sizes))[order]]


def entropy(shares):
    """Return the Shannon entropy of shares, in nats: minus the sum of p log p over the last axis, (..., m) -> (...).

    0 if one share is everything, log m if all m are equal. shares: none below 0, summing to 1 along the last axis, such
    as rows of attention weights or a `spectrum`. Raises ValueError otherwise. Source: Shannon 1948.

    >>> entropy([[1.0, 0.0], [0.5, 0.5]]).round(3)
    array([0.   , 0.693])
    """
    p = as_numbers("shares", shares)
    if not p.ndim or not p.size or p.min() < 0 or np.abs(p.sum(-1) - 1).max() > 1e-3:
        raise ValueError("shares must be 0 or more, and sum to 1 along the last axis")
    return (p * -np.log(np.where(p > 0, p, 1))).sum(-1) + 0.0  # no -0.0


def effective_number(shares):
    """Return how many equal shares would have this entropy: exp(entropy), from 1 to m; (..., m) -> (...).

    For a row of attention weights: how many tokens it looks at. For a `spectrum`: how many directions it spreads over.
    Its interval: see `jackknife_interval`.

    >>> effective_number([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    array([1., 2.])
    """
    return np.exp(entropy(shares))


def value_entropy(A, bins=20):
    """Return the Shannon entropy of a matrix's entries, in nats, over bins of equal width; 0 to log(bins).

    The bins cut the range from the smallest entry to the largest; with p the share of the entries in a bin, it is minus
    the sum of p log p. It depends on which weights there are, not on where they are. A: (..., n, m) -> (...); 0 if all
    entries are equal. Source: the program of G's authors, who compute it for a head's scores.

    >>> maps = [[[0.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]]]
    >>> value_entropy(maps).round(3)
    array([0.693, 0.693, 0.   ])
    """
    A = as_numbers("A", A)
    if A.ndim < 2 or not A.size:
        raise ValueError(f"A must be matrices (..., n, m), got shape {A.shape}")
    bins = whole_number("bins", bins, 1, "a number of bins (an int, 1 or more)")
    entries = A.reshape(*A.shape[:-2], -1)
    low = entries.min(-1, keepdims=True)
    width = entries.max(-1, keepdims=True) - low
    places = ((entries - low) / np.where(width > 0, width, 1) * bins).astype(int).clip(max=bins - 1)
    return entropy(np.stack([(places == i).mean(-1) for i in range(bins)], axis=-1))


def _products(X):
    """Return Xc^T Xc or Xc Xc^T, whichever is smaller, up to a factor."""
    if isinstance(X, Cloud):
        if not X.scatter.any():
            raise ValueError(f"X must contain at least two different vectors, got {X.n} times the same")
        return X.scatter
    X = as_cloud("X", X, copy=False)
    mean = X.mean(0)
    if len(X) <= X.shape[1]:
        Xc = X - mean
        return Xc @ Xc.T
    # Block by block, so that a block of Xc stays in the processor's caches.
    S = np.zeros((X.shape[1], X.shape[1]))
    space = np.empty((min(ROWS, len(X)), X.shape[1]))
    for start in range(0, len(X), ROWS):
        block = X[start : start + ROWS]
        Xc = np.subtract(block, mean, out=space[: len(block)])
        S += Xc.T @ Xc
    return S
