"""Fast: nearest neighbors from tiles of the distance matrix. `neighbors` defines the result; a test compares the two.

Read this only if you want to know how. A tile of squared distances is one matrix product, |x|^2 + |y|^2 - 2 x y, and
serves the rows x and the rows y. If x and y nearly agree, it subtracts nearly equal numbers and loses digits. So it
only selects candidates; their distances are then computed from the differences x - y. The product's rounding error is
bounded: rows that the bound does not decide are processed again in float64, and those still undecided are compared with
all others.
"""

from itertools import combinations_with_replacement, product

import numpy as np
import torch
from torch.nn.functional import pad

SPARE = 4  # candidates beyond the k nearest, so that rounding in the fast pass is seldom a problem
TILE = 2560  # rows and columns of one tile of the distance matrix: 25 MB in float32, which the processor's cache holds
GROUP = 16  # columns of a tile whose minimum is taken before any are sorted
PIECE = 2048  # pairs whose differences are computed at once


def nearest(X, k):
    """`nearest_neighbors` of the rows of X (n, d), float64 and finite, n above k: distances and indices (n, k)."""
    exponent = int(np.frexp(np.abs(X).max())[1])
    X = torch.from_numpy(np.ldexp(X, -exponent))  # a power of two keeps squares in range and changes no digit
    distances = torch.empty(len(X), k, dtype=X.dtype)
    indices = torch.empty(len(X), k, dtype=torch.long)
    doubtful = torch.arange(len(X))
    for dtype in (torch.float32, torch.float64):
        if len(doubtful) == 0:
            break
        candidates, others = _candidates(X, doubtful, k, dtype)
        left = []
        for rows in doubtful.split(1024):
            distances[rows], indices[rows] = _nearest_of(X, rows, candidates[rows], k)
            left.append(rows[others[rows] < (1 - 1e-9) * distances[rows, -1].square()])
        doubtful = torch.cat(left)
    for row in doubtful.tolist():
        everyone = torch.tensor([i for i in range(len(X)) if i != row])
        near, which = _nearest_of(X, [row], everyone[None], k)
        distances[row] = near[0]
        indices[row] = which[0]
    return np.ldexp(distances.numpy(), exponent), indices.numpy()


def _candidates(X, searched, k, dtype):
    """Return candidates (n, m) for the rows' neighbors, and a lower bound of any other row's squared distance (n,).

    m: k and some to spare. The bound is inf where all other rows are candidates.
    """
    n = len(X)
    m = min(k + SPARE, n - 1)
    left, right = _factors(X, dtype)
    bounds = torch.full((len(left), m), torch.inf, dtype=dtype)
    candidates = torch.zeros(len(left), m, dtype=torch.long)

    def keep(rows, columns, D, minima):
        """Merge the smallest of a tile D (b, c) into what is kept for its rows."""
        D, where = _smallest(D, minima, m)
        bounds[rows], order = torch.cat([bounds[rows], D], dim=1).topk(m, largest=False)  # (b, m), smallest first
        candidates[rows] = torch.cat([candidates[rows], columns[where]], dim=1).gather(1, order)

    blocks = torch.arange(len(left)).split(TILE)
    all_rows = len(searched) == n
    space = torch.empty(min(len(left), TILE) ** 2, dtype=dtype)  # new memory for each tile costs a fifth of the time
    for I, J in combinations_with_replacement(blocks, 2) if all_rows else product(searched.split(TILE), blocks):
        D = space[: len(I) * len(J)].view(len(I), len(J))
        torch.mm(left[I], right[J].T, out=D)  # (b, c): squared distances
        if I is J:
            D.fill_diagonal_(torch.inf)  # a row is not its own neighbor
        elif not all_rows:
            D[I[:, None] == J] = torch.inf
        keep(I, J, D, D.unflatten(1, (GROUP, -1)).amin(1))
        if all_rows and I is not J:
            keep(J, I, D.T, D.unflatten(0, (GROUP, -1)).amin(0).T)
    return candidates[:n], bounds[:n, -1].double() if m < n - 1 else torch.full((n,), torch.inf)


def _factors(X, dtype):
    """Return two matrices (n or some more, d + 2 or some more) whose product, left @ right.T, is |x|^2 + |y|^2 - 2 x y.

    Reduced by the largest rounding error, so that no distance is too large. Rows at infinite distance fill the last
    group.
    """
    n, d = X.shape
    centered = (X - X.mean(0)).to(dtype)
    squares = centered.square().sum(1, keepdim=True)  # (n, 1)
    rounding = 4 * (d + 8) * torch.finfo(dtype).eps  # of |x|^2 + |y|^2: the largest error of a squared distance
    low = (1 - rounding) * squares - torch.finfo(dtype).tiny
    fill = -n % GROUP
    centered = pad(centered, (0, 0, 0, fill))
    low = pad(low, (0, 0, 0, fill), value=torch.inf)
    one = torch.ones_like(low)
    none = low.new_zeros(len(low), -(d + 2) % GROUP)  # products of whole vector registers are faster
    return torch.cat([-2 * centered, low, one, none], dim=1), torch.cat([centered, one, low, none], dim=1)


def _smallest(D, minima, m):
    """Return the m smallest of each row of D (b, c), and their columns (fewer if c is less).

    minima: (b, c / GROUP), of the groups of columns j, j + c / GROUP, and so on. The m smallest entries lie in the m
    groups with the smallest minima, and minima are faster to compute than an order.
    """
    width = minima.shape[1]
    groups = minima.topk(min(m, width), largest=False).indices  # (b, m)
    columns = (groups[:, None] + width * torch.arange(GROUP)[:, None]).flatten(1)  # (b, GROUP * m)
    values, order = D.gather(1, columns).topk(min(m, columns.shape[1]), largest=False)
    return values, columns.gather(1, order)


def _nearest_of(X, rows, candidates, k):
    """Return the k nearest of each row's candidates, (b, m), by differences: (distances (b, k), indices (b, k))."""
    differences = X[candidates].sub_(X[rows, None]).norm(dim=-1)  # (b, m)
    distances, order = differences.sort(dim=1, stable=True)
    return distances[:, :k], candidates.gather(1, order[:, :k])


def two_nearest(squares, Q, numbers, Y, others, center):
    """Return the two smallest squared distances (q, 2) of the rows Q (q, d): those known so far, and those to Y.

    numbers, others: of the rows, because no row is its own neighbor. A product in float32 finds all that may be nearer
    than the known ones, with its rounding error; these few are then computed from differences in float64.
    """
    i, j = _may_be_nearer(squares[:, 1], Q - center, numbers, Y - center, others)
    n_pieces = len(i) // PIECE + 1
    pieces = zip(np.array_split(i, n_pieces), np.array_split(j, n_pieces))
    new = [np.square(Q[a] - Y[b]).sum(1) for a, b in pieces]
    values = np.concatenate([squares.ravel(), *new])
    owners = np.concatenate([np.arange(len(Q)).repeat(2), i])
    values = values[np.lexsort([values, owners])]
    at = np.searchsorted(np.sort(owners), np.arange(len(Q)))
    return np.stack([values[at], values[at + 1]], axis=1)


def _may_be_nearer(limit, Q, numbers, Y, others):
    """Return two arrays: which rows of Q and Y may have a squared distance below Q's limit (q,)."""
    q = Q.astype(np.float32)
    y = Y.astype(np.float32)
    rounding = 4 * (q.shape[1] + 8) * np.finfo(np.float32).eps
    q2, y2 = ((1 - rounding) * np.square(rows).sum(1, keepdims=True) for rows in (q, y))
    low = np.hstack([-2 * q, q2, np.ones_like(q2)]) @ np.hstack([y, np.ones_like(y2), y2]).T  # no distance is less
    low[numbers[:, None] == others] = np.nan  # a row is not its own neighbor: below no limit
    if np.isinf(limit).any() and len(Y) > 1:  # nothing known yet
        limit = np.fmin(limit, np.partition(low, 1)[:, 1] + 3 * rounding * (q2[:, 0] + y2.max()))
    return np.nonzero(low <= limit[:, None])
