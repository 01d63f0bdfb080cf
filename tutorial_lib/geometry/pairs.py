"""The most similar, most orthogonal and most opposed pairs among all pairs of vectors, exact. Source: L 4.2.2, Table 2.

Half a billion cosines fit into no memory, and in float32 the smallest of them drown in rounding. So matrix products,
block by block in float32, say which pairs could be among the best, given how large their rounding can be; only those
pairs, a few in a million, are computed again in float64.
"""

from contextlib import contextmanager
from math import isqrt
from typing import NamedTuple

import numpy as np

from tutorial_lib.arguments import whole_number
from tutorial_lib.geometry.arrays import as_vectors
from tutorial_lib.geometry.similarity import unit

BLOCK = 3072  # rows and columns of a block of cosines: 36 MiB
SEGMENT = 64  # neighbors in a block; only segments whose best cosine is good enough are searched
CHUNK = 512  # vectors that are worked on at once in float64
SOME = 512  # rows whose pairs say, before the first block, how good a pair must be

# What each list wants as much of as possible; "orthogonal" is last, since it takes the signs off a block
KEYS = {"similar": lambda cosine: cosine, "opposed": lambda cosine: -cosine, "orthogonal": lambda cosine: -abs(cosine)}


class ExtremePairs(NamedTuple):
    """What `extreme_pairs` finds: three lists of (i, j, cosine) with i < j, the most extreme pair first."""

    similar: list[tuple[int, int, float]]
    orthogonal: list[tuple[int, int, float]]
    opposed: list[tuple[int, int, float]]


def extreme_pairs(X, k, exclude=None, progress=False) -> ExtremePairs:
    """The k most similar, most orthogonal (smallest |cosine|) and most opposed of all pairs of different rows of X.

    X: (n, d), NumPy's or torch's; the blocks are computed on its device. k: at most the number of pairs. exclude: rows
    to leave out, by index or as a mask of n booleans. progress: show a bar.

    Exact: the lists are those of cosines in float64, and equal cosines stand in the order of their indices. Needs room
    for X in float64, in float32, and for about 60 MB. Where very many pairs are equally extreme, as among copies of
    one vector, each is computed again: that takes long. Raises ValueError for NaN, infinity or a row of zeros (it has
    no cosine) among the rows that are not excluded, and where they have fewer than k pairs.

    >>> for pairs in extreme_pairs([[1.0, 0.0], [0.0, 3.0], [2.0, 0.1], [-1.0, 0.0]], 1):
    ...     print([(i, j, round(cosine, 4)) for i, j, cosine in pairs])
    [(0, 2, 0.9988)]
    [(0, 1, 0.0)]
    [(0, 3, -1.0)]
    """
    import torch
    from tqdm.auto import tqdm

    X = X.detach() if torch.is_tensor(X) else X
    X = X if getattr(X, "ndim", None) == 2 else as_vectors("X", X)
    kept = _kept(len(X), exclude)
    n, d = len(kept), X.shape[1]
    n_pairs = n * (n - 1) // 2
    k = whole_number("k", k, 1, f"a number of pairs, from 1 to {n_pairs} for {n} rows", n_pairs)
    V = _units(X, kept)  # (n, d), float64
    # The last row is repeated until whole segments are full; `above` drops what the copies bring.
    device = X.device if torch.is_tensor(X) else "cpu"
    U = torch.empty(-(-n // SEGMENT) * SEGMENT, d, dtype=torch.float32, device=device)
    U[:n] = torch.from_numpy(V)
    U[n:] = U[n - 1]
    best = _start(V, k)
    # A cosine in float32 is off by less than this: two rounded vectors, and a sum of d products in whatever order.
    margin = (d + 4) * 2.0**-24 / (1 - d * 2.0**-24)
    look = dict(desc="all pairs", unit="pair", unit_scale=True, leave=False, disable=not progress)
    with _full_precision(), tqdm(total=len(U) * (len(U) + 1) // 2, **look) as bar:
        for i, j, block in _blocks(U):
            for name, rows, columns, keys in _candidates(block, best, margin):
                above = (i + rows < j + columns) & (j + columns < n)  # blocks on the diagonal hold pairs twice
                rows, columns, keys = (part[above].cpu().numpy() for part in (i + rows, j + columns, keys))
                best[name].offer(V, rows, columns, keys, margin)
            bar.update(block.numel() if i < j else len(block) * (len(block) + 1) // 2)
    return ExtremePairs(**{name: found.pairs(kept) for name, found in best.items()})


def _blocks(U):
    """The blocks of U Uᵀ on and above the diagonal: (first row, first column, block). All live in the same memory."""
    import torch

    space = torch.empty(min(len(U), BLOCK) ** 2, dtype=U.dtype, device=U.device)
    for i in range(0, len(U), BLOCK):
        for j in range(i, len(U), BLOCK):
            rows, columns = U[i : i + BLOCK], U[j : j + BLOCK]
            block = space[: len(rows) * len(columns)].view(len(rows), len(columns))
            yield i, j, torch.mm(rows, columns.T, out=block)


def _candidates(block, best, margin):
    """For each list, the places in a block that can be among its best: (name, rows, columns, keys). Spoils the block.

    The best of each segment is found first, which is quick, and few segments are good enough to be searched.
    """
    segments = block.view(-1, SEGMENT)
    for name, key in KEYS.items():
        if name == "orthogonal":
            segments.abs_()
        tops = segments.amax(dim=1) if name == "similar" else segments.amin(dim=1).neg_()
        cut = best[name].bar - margin
        near = (tops >= cut).nonzero()[:, 0]
        if len(near):
            keys = key(segments[near])
            which, at = (keys >= cut).nonzero(as_tuple=True)
            flat = near[which] * SEGMENT + at
            yield name, flat // block.shape[1], flat % block.shape[1], keys[which, at]


class _Best:
    """The k best pairs so far by one key, and the bar: a pair below it is not among the k best of all."""

    def __init__(self, key, k, bar):
        self.key, self.k, self.bar = key, k, bar
        self.i = self.j = np.empty(0, dtype=np.int64)
        self.cosine = np.empty(0)

    def offer(self, V, i, j, keys, margin):
        """Pairs whose keys are off by less than the margin: those that can be among the best are computed exactly."""
        if len(keys) > self.k:
            self.bar = max(self.bar, -float(np.partition(-keys, self.k - 1)[self.k - 1]) - margin)
        good = np.flatnonzero(keys >= self.bar - margin)
        for at in range(0, len(good), CHUNK):
            some = good[at : at + CHUNK]
            self._keep(V, i[some], j[some])

    def _keep(self, V, i, j):
        cosine = np.clip((V[i] * V[j]).sum(axis=1), -1, 1)
        i, j, cosine = (np.concatenate(pair) for pair in ((self.i, i), (self.j, j), (self.cosine, cosine)))
        order = np.lexsort((j, i, -self.key(cosine)))[: self.k]
        self.i, self.j, self.cosine = i[order], j[order], cosine[order]
        if len(order) == self.k:
            self.bar = max(self.bar, self.key(self.cosine[-1]))

    def pairs(self, kept):
        return list(zip(kept[self.i].tolist(), kept[self.j].tolist(), self.cosine.tolist()))


def _start(V, k):
    """Three empty lists whose bars are the k-th best pair of some rows, so that few pairs of the first block pass."""
    m, n = min(len(V), max(SOME, isqrt(2 * k) + 2)), len(V)
    some = V[np.arange(m) * n // m]  # spread evenly, since neighbors can be alike
    cosines = (some @ some.T)[np.triu_indices(len(some), 1)]
    return {name: _Best(key, k, -np.partition(-key(cosines), k - 1)[k - 1]) for name, key in KEYS.items()}


def _units(X, kept):
    """The kept rows at length 1, in float64."""
    V = np.empty((len(kept), X.shape[1]))
    for at in range(0, len(kept), CHUNK):
        rows = as_vectors("X", X[kept[at : at + CHUNK]])
        if not rows.any(axis=1).all():
            zero = kept[at + np.flatnonzero(~rows.any(axis=1))[0]]
            raise ValueError(f"X must have no row of zeros (it has no cosine) that is not excluded, got row {zero}")
        V[at : at + CHUNK] = unit(rows)
    return V


def _kept(n, exclude):
    """The indices of the rows that are not excluded."""
    mask = np.ones(n, dtype=bool)
    if exclude is not None:
        exclude = np.asarray(list(exclude.detach().cpu() if hasattr(exclude, "detach") else exclude))
        if exclude.dtype.kind == "b" and exclude.shape != (n,):
            raise ValueError(f"exclude must be a mask of {n} booleans, one for each row, got shape {exclude.shape}")
        if exclude.dtype.kind != "b" and any(not 0 <= i < n for i in exclude):
            raise ValueError(f"exclude must hold indices from 0 to {n - 1}, got {min(exclude)} to {max(exclude)}")
        mask[exclude if exclude.size else []] = False
    return np.flatnonzero(mask)


@contextmanager
def _full_precision():
    """Products of float32 in float32: some devices round them to 10 bits if they are allowed to."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
