"""The shape of a cloud of vectors: how its variance is spread over directions, and how many dimensions it fills.

Sources: A 2.3 (anisotropy), A 2.4 (intrinsic dimension); L 2.3.2 (PCA dimension); Facco et al. 2017 (TwoNN).
"""

from __future__ import annotations

import warnings
from itertools import combinations_with_replacement, product
from numbers import Real

import numpy as np

from tutorial_lib.arguments import whole_number
from tutorial_lib.geometry.arrays import as_vectors

METHODS = ("linear", "mle")
SPARE = 4  # candidates beyond the k nearest, so that rounding in the fast pass seldom leaves a doubt
TILE = 4096  # rows and columns of one tile of the distance matrix: 64 MB in float32
GROUP = 16  # columns of a tile whose minimum is taken before any are sorted


def spectrum(X):
    """The share of the variance along each principal direction, largest first: min(n, d) numbers that sum to 1.

    With the singular values s_i of the centered matrix Xc, share i is s_i^2 over the sum of all s_j^2. The s_i^2 are
    the eigenvalues of Xc^T Xc and of Xc Xc^T; the smaller of the two is quicker than the singular values themselves.
    X: (n, d). Raises ValueError where all vectors are the same. Source: A 2.3.

    >>> spectrum([[3, 0], [-3, 0], [0, 1], [0, -1]])
    array([0.9, 0.1])
    """
    X = as_vectors("X", X, least=2)
    if (X == X[0]).all():
        raise ValueError(f"X must hold at least two different vectors, got {len(X)} times the same")
    Xc = X - X.mean(0)
    Xc /= np.abs(Xc).max()  # so that squares stay in range
    G = Xc.T @ Xc if len(X) > X.shape[1] else Xc @ Xc.T
    squares = np.linalg.eigvalsh(G)[::-1].clip(min=0)
    return squares / squares.sum()


def anisotropy(X):
    """The share of the variance along one direction, the largest: from 1 / min(n - 1, d) (a ball) to 1 (a line).

    X: (n, d). The vectors are centered first, so where the cloud lies does not count; `average_cosine` is the
    measure that sees it. Raises ValueError where all vectors are the same. Source: A 2.3.

    >>> round(anisotropy([[3, 0], [-3, 0], [0, 1], [0, -1]]), 3)
    0.9
    """
    return float(spectrum(X)[0])


def pca_dimension(X, share=0.9):
    """The least number of principal directions that hold this share of the variance. Source: L 2.3.2.

    X: (n, d). share: above 0, at most 1. Raises ValueError where all vectors are the same.

    >>> pca_dimension([[3, 0], [-3, 0], [0, 1], [0, -1]]), pca_dimension([[3, 0], [-3, 0], [0, 1], [0, -1]], 0.95)
    (1, 2)
    """
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < share <= 1:
        raise ValueError(f"share must be above 0 and at most 1, got {share!r:.60}")
    missing = 1 - spectrum(X).cumsum()  # what the first 1, 2, ... directions leave
    return int((missing > 1 - share + 1e-12).sum()) + 1


def distinct(X):
    """The rows of X without exact copies, in the order of their first appearance: (n_distinct, d), float64.

    >>> distinct([[1, 2], [3, 4], [1, 2]])
    array([[1., 2.],
           [3., 4.]])
    """
    X = as_vectors("X", X) + 0.0  # -0.0 becomes 0.0
    first = {}
    for i, row in enumerate(X):
        first.setdefault(row.tobytes(), i)
    return X[list(first.values())]


def nearest_neighbors(X, k=2):
    """The k nearest other rows of each row: (distances (n, k), indices (n, k)), Euclidean, nearest first.

    Exact, and without the n x n matrix. A tile of squared distances is one matrix product, |x|^2 + |y|^2 - 2 x y, and
    serves the rows x and the rows y. Where x and y nearly agree, it subtracts nearly equal numbers and loses digits.
    So it only picks candidates; their distances are then taken from the differences x - y. The product's rounding is
    bounded: rows for which the bound leaves a doubt pass again in float64, and those still in doubt are compared with
    all others by differences.

    Raises ValueError for fewer than k + 1 rows.

    >>> distances, indices = nearest_neighbors([[0.0], [1.0], [3.0], [7.0]])
    >>> distances.tolist()
    [[1.0, 3.0], [1.0, 2.0], [2.0, 3.0], [4.0, 6.0]]
    >>> indices.tolist()
    [[1, 2], [0, 2], [1, 0], [2, 1]]
    """
    import torch

    k = whole_number("k", k, 1, "a number of neighbors (an int, 1 or more)")
    X = as_vectors("X", X, least=k + 1)
    exponent = int(np.frexp(np.abs(X).max())[1])
    X = torch.from_numpy(np.ldexp(X, -exponent))  # a power of two: squares stay in range, no digit changes
    distances, indices = torch.empty(len(X), k, dtype=X.dtype), torch.empty(len(X), k, dtype=torch.long)
    doubtful = torch.arange(len(X))
    for dtype in (torch.float32, torch.float64):
        searched, doubtful = doubtful, []
        candidates, others = _candidates(X, searched, k, dtype)
        for rows in searched.split(1024):
            distances[rows], indices[rows] = _nearest_of(X, rows, candidates[rows], k)
            doubtful.append(rows[others[rows] < (1 - 1e-9) * distances[rows, -1].square()])
        doubtful = torch.cat(doubtful)
    for row in doubtful.tolist():
        everyone = torch.tensor([i for i in range(len(X)) if i != row])
        distances[row], indices[row] = (found[0] for found in _nearest_of(X, [row], everyone[None], k))
    return np.ldexp(distances.numpy(), exponent), indices.numpy()


def _candidates(X, searched, k, dtype):
    """Candidates (n, m) for the searched rows' neighbors, and what no other row's squared distance can be below (n,).

    m: k and some to spare. The bound is inf where all other rows are candidates.
    """
    import torch
    from torch.nn.functional import pad

    n, d = X.shape
    m = min(k + SPARE, n - 1)
    centered = (X - X.mean(0)).to(dtype)
    squares = centered.square().sum(1, keepdim=True)  # (n, 1)
    rounding = 4 * (d + 8) * torch.finfo(dtype).eps  # of |x|^2 + |y|^2: so much may a squared distance be off
    low = (1 - rounding) * squares - torch.finfo(dtype).tiny  # so that no distance comes out too large
    fill = -n % GROUP  # rows at infinite distance, so that groups are full
    centered, low = pad(centered, (0, 0, 0, fill)), pad(low, (0, 0, 0, fill), value=torch.inf)
    one = torch.ones_like(low)
    left, right = torch.cat([-2 * centered, low, one], dim=1), torch.cat([centered, one, low], dim=1)  # (n, d + 2)
    bounds, candidates = torch.full((n + fill, m), torch.inf, dtype=dtype), torch.zeros(n + fill, m, dtype=torch.long)

    def keep(rows, columns, D, minima):
        """Merge the smallest of a tile D (b, c) into what is kept for its rows."""
        D, where = _smallest(D, minima, m)
        bounds[rows], order = torch.cat([bounds[rows], D], dim=1).topk(m, largest=False)  # (b, m), smallest first
        candidates[rows] = torch.cat([candidates[rows], columns[where]], dim=1).gather(1, order)

    blocks, all_rows = torch.arange(n + fill).split(TILE), len(searched) == n
    for I, J in combinations_with_replacement(blocks, 2) if all_rows else product(searched.split(TILE), blocks):
        D = left[I] @ right[J].T  # (b, c): -2 x y + |x|^2 + |y|^2
        if I is J or not all_rows:
            D[I[:, None] == J] = torch.inf  # not its own neighbor
        keep(I, J, D, D.unflatten(1, (GROUP, -1)).amin(1))
        if all_rows and I is not J:
            keep(J, I, D.T, D.unflatten(0, (GROUP, -1)).amin(0).T)
    return candidates[:n], bounds[:n, -1].double() if m < n - 1 else torch.full((n,), torch.inf)


def _smallest(D, minima, m):
    """The m smallest of each row of D (b, c), and their columns (fewer where c is less).

    minima: (b, c / GROUP), of the groups of columns j, j + c / GROUP, and so on. The m smallest entries lie in the m
    groups with the smallest minima, and minima are quicker to take than an order.
    """
    import torch

    width = minima.shape[1]
    groups = minima.topk(min(m, width), largest=False).indices  # (b, m)
    columns = (groups[:, None] + width * torch.arange(GROUP)[:, None]).flatten(1)  # (b, GROUP * m)
    values, order = D.gather(1, columns).topk(min(m, columns.shape[1]), largest=False)
    return values, columns.gather(1, order)


def _nearest_of(X, rows, candidates, k):
    """The k nearest of each row's candidates, (b, m), by differences: (distances (b, k), indices (b, k))."""
    differences = X[candidates].sub_(X[rows, None]).norm(dim=-1)  # (b, m)
    distances, order = differences.sort(dim=1, stable=True)
    return distances[:, :k], candidates.gather(1, order[:, :k])


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
    _check_fit(method, discard)
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


def _check_fit(method, discard):
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    if isinstance(discard, bool) or not isinstance(discard, Real) or not 0 <= discard < 1:
        raise ValueError(f"discard must be from 0 up to 1, got {discard!r:.60}")
