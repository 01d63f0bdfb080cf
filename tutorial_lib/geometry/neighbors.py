"""The nearest neighbors of every vector among all others, exact and fast.

The definition takes two lines, and the chapter on shape shows them: all distances, sorted. With n vectors that is an
n x n matrix and n sorts. What stands here gives the same answer without that matrix; read it only if you want to know
how.
"""

from itertools import combinations_with_replacement, product

import numpy as np

from tutorial_lib.arguments import whole_number
from tutorial_lib.geometry.arrays import as_vectors

SPARE = 4  # candidates beyond the k nearest, so that rounding in the fast pass seldom leaves a doubt
TILE = 2560  # rows and columns of one tile of the distance matrix: 25 MB in float32, which the processor's cache holds
GROUP = 16  # columns of a tile whose minimum is taken before any are sorted


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
        if len(doubtful) == 0:
            break
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
    none = low.new_zeros(len(low), -(d + 2) % GROUP)  # products of whole vector registers are quicker
    left = torch.cat([-2 * centered, low, one, none], dim=1)  # (n, d + 2 or some more)
    right = torch.cat([centered, one, low, none], dim=1)
    bounds, candidates = torch.full((n + fill, m), torch.inf, dtype=dtype), torch.zeros(n + fill, m, dtype=torch.long)

    def keep(rows, columns, D, minima):
        """Merge the smallest of a tile D (b, c) into what is kept for its rows."""
        D, where = _smallest(D, minima, m)
        bounds[rows], order = torch.cat([bounds[rows], D], dim=1).topk(m, largest=False)  # (b, m), smallest first
        candidates[rows] = torch.cat([candidates[rows], columns[where]], dim=1).gather(1, order)

    blocks, all_rows = torch.arange(n + fill).split(TILE), len(searched) == n
    space = torch.empty(min(n + fill, TILE) ** 2, dtype=dtype)  # new memory for each tile costs a fifth of the time
    for I, J in combinations_with_replacement(blocks, 2) if all_rows else product(searched.split(TILE), blocks):
        D = space[: len(I) * len(J)].view(len(I), len(J))
        torch.mm(left[I], right[J].T, out=D)  # (b, c): -2 x y + |x|^2 + |y|^2
        if I is J:
            D.fill_diagonal_(torch.inf)  # not its own neighbor
        elif not all_rows:
            D[I[:, None] == J] = torch.inf
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
