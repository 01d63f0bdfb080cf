"""Fast: `pairs.extreme_pairs` from blocks of the table of cosines; `pairs.pairs_by_definition` defines the result.

Half a billion cosines do not fit into memory, and in float32 the smallest of them vanish in rounding. So matrix
products, block by block in float32, find the pairs that could be among the best, given how large their rounding error
can be; only those pairs, a few in a million, are computed again in float64.
"""

from contextlib import contextmanager
from math import isqrt

import numpy as np
import torch

BLOCK = 3072  # rows and columns of a block of cosines: 36 MiB
SEGMENT = 64  # neighbors in a block; only segments whose best cosine is good enough are searched
CHUNK = 512  # pairs that are computed at once in float64
SOME = 512  # rows whose pairs decide, before the first block, how good a pair must be


def pairs_from_blocks(V, k, keys, device, progress):
    """Return the k best pairs of unit vectors V (n, d) by each key, like `pairs.pairs_by_definition`."""
    from tqdm.auto import tqdm

    n, d = V.shape
    # The last row is repeated to fill whole segments; `above` drops the pairs of these copies.
    U = torch.empty(-(-n // SEGMENT) * SEGMENT, d, dtype=torch.float32, device=device)
    U[:n] = torch.from_numpy(V)
    U[n:] = U[n - 1]
    best = _start(V, k, keys)
    # A cosine in float32 has a smaller error than this: two rounded vectors, and a sum of d products in any order.
    margin = (d + 4) * 2.0**-24 / (1 - d * 2.0**-24)
    look = dict(desc="all pairs", unit="pair", unit_scale=True, leave=False, disable=not progress)
    with _full_precision(), tqdm(total=len(U) * (len(U) + 1) // 2, **look) as bar:
        for i, j, block in _blocks(U):
            for name, rows, columns, scores in _candidates(block, best, margin):
                above = (i + rows < j + columns) & (j + columns < n)  # blocks on the diagonal contain pairs twice
                rows, columns, scores = (part[above].cpu().numpy() for part in (i + rows, j + columns, scores))
                best[name].offer(V, rows, columns, scores, margin)
            bar.update(block.numel() if i < j else len(block) * (len(block) + 1) // 2)
    return {name: (pairs.i, pairs.j, pairs.cosine) for name, pairs in best.items()}


def _blocks(U):
    """Yield the blocks of U Uᵀ on and above the diagonal: (first row, first column, block), in the same memory."""
    space = torch.empty(min(len(U), BLOCK) ** 2, dtype=U.dtype, device=U.device)
    for i in range(0, len(U), BLOCK):
        for j in range(i, len(U), BLOCK):
            rows = U[i : i + BLOCK]
            columns = U[j : j + BLOCK]
            block = space[: len(rows) * len(columns)].view(len(rows), len(columns))
            yield i, j, torch.mm(rows, columns.T, out=block)


def _candidates(block, best, margin):
    """Yield each list's candidates in a block: (name, rows, columns, scores). Changes the block.

    The best of each segment is found first, which is fast, and few segments are good enough to be searched.
    """
    segments = block.view(-1, SEGMENT)
    for name, pairs in best.items():
        if name == "orthogonal":
            segments.abs_()
        tops = segments.amax(dim=1) if name == "similar" else segments.amin(dim=1).neg_()
        cut = pairs.bar - margin
        near = (tops >= cut).nonzero()[:, 0]
        if len(near):
            scores = pairs.key(segments[near])
            which, at = (scores >= cut).nonzero(as_tuple=True)
            flat = near[which] * SEGMENT + at
            yield name, flat // block.shape[1], flat % block.shape[1], scores[which, at]


class _Best:
    """The k best pairs so far by one key, and a threshold: a pair below it is not among the k best of all."""

    def __init__(self, key, k, bar):
        self.key = key
        self.k = k
        self.bar = bar
        self.i = self.j = np.empty(0, dtype=np.int64)
        self.cosine = np.empty(0)

    def offer(self, V, i, j, scores, margin):
        """Add pairs whose scores may be off by the margin; those that can be among the best are computed exactly."""
        if len(scores) > self.k:
            self.bar = max(self.bar, -float(np.partition(-scores, self.k - 1)[self.k - 1]) - margin)
        good = np.flatnonzero(scores >= self.bar - margin)
        for at in range(0, len(good), CHUNK):
            some = good[at : at + CHUNK]
            self._keep(V, i[some], j[some])

    def _keep(self, V, i, j):
        cosine = np.clip((V[i] * V[j]).sum(axis=1), -1, 1)
        i, j, cosine = (np.concatenate(pair) for pair in ((self.i, i), (self.j, j), (self.cosine, cosine)))
        order = np.lexsort((j, i, -self.key(cosine)))[: self.k]
        self.i = i[order]
        self.j = j[order]
        self.cosine = cosine[order]
        if len(order) == self.k:
            self.bar = max(self.bar, self.key(self.cosine[-1]))


def _start(V, k, keys):
    """Return an empty list for each key, with the k-th best pair of some rows as threshold: few pairs then pass."""
    m = min(len(V), max(SOME, isqrt(2 * k) + 2))
    some = V[np.arange(m) * len(V) // m]  # spread evenly, because neighbors can be similar
    cosines = (some @ some.T)[np.triu_indices(len(some), 1)]
    return {name: _Best(key, k, -np.partition(-key(cosines), k - 1)[k - 1]) for name, key in keys.items()}


@contextmanager
def _full_precision():
    """Multiply float32 in float32: some devices round it to 10 bits if they are allowed to."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
