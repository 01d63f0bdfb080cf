"""The most similar, most orthogonal and most opposed pairs among all pairs of vectors, exact. Source: L 4.2.2, Table 2.

`pairs_by_definition` defines them; `pair_blocks` finds them among half a billion cosines.
"""

from typing import NamedTuple

import numpy as np

from tutorial_lib.arguments import check_has, whole_number
from tutorial_lib.geometry.arrays import as_vectors
from tutorial_lib.geometry.similarity import unit

ROWS = 512  # rows that are checked at once

# What each list maximizes; "orthogonal" is last, because it removes the signs from a block
KEYS = {"similar": lambda cosine: cosine, "opposed": lambda cosine: -cosine, "orthogonal": lambda cosine: -abs(cosine)}


class ExtremePairs(NamedTuple):
    """The result of `extreme_pairs`: three lists of (i, j, cosine) with i < j, the most extreme pair first."""

    similar: list[tuple[int, int, float]]
    orthogonal: list[tuple[int, int, float]]
    opposed: list[tuple[int, int, float]]


def extreme_pairs(X, k, exclude=None, progress=False) -> ExtremePairs:
    """Find the k most similar, most orthogonal (smallest |cosine|) and most opposed pairs of different rows of X.

    X: (n, d), NumPy's or torch's; the blocks are computed on its device. k: at most the number of pairs. exclude: rows
    to leave out, by index or as a mask of n booleans. progress: show a bar.

    Exact: the lists are those of cosines in float64, and equal cosines are in the order of their indices. Needs memory
    for X in float64, in float32, and about 60 MB. If very many pairs are equally extreme, as among copies of one
    vector, each is computed again, which takes long. Raises ValueError for NaN, infinity or a row of zeros (it has no
    cosine) among the rows that are not excluded, and if they have fewer than k pairs.

    >>> for pairs in extreme_pairs([[1.0, 0.0], [0.0, 3.0], [2.0, 0.1], [-1.0, 0.0]], 1):
    ...     print([(i, j, round(cosine, 4)) for i, j, cosine in pairs])
    [(0, 2, 0.9988)]
    [(0, 1, 0.0)]
    [(0, 3, -1.0)]
    """
    from tutorial_lib.geometry.pair_blocks import pairs_from_blocks

    X = X.detach() if hasattr(X, "detach") else X
    X = X if getattr(X, "ndim", None) == 2 else as_vectors("X", X)
    kept = _kept(len(X), exclude)
    n_pairs = len(kept) * (len(kept) - 1) // 2
    k = whole_number("k", k, 1, f"a number of pairs, from 1 to {n_pairs} for {len(kept)} rows", n_pairs)
    U = _units(X, kept)  # (n, d), float64
    best = pairs_from_blocks(U, k, KEYS, getattr(X, "device", "cpu"), progress)  # like pairs_by_definition, but faster
    lists = {name: zip(kept[i].tolist(), kept[j].tolist(), cosine.tolist()) for name, (i, j, cosine) in best.items()}
    return ExtremePairs(**{name: list(triples) for name, triples in lists.items()})


def pairs_by_definition(U, k, keys=KEYS):
    """Sort all cosines of unit vectors U (n, d) by each key: name -> (i, j, cosine), three arrays of the k best.

    >>> best = pairs_by_definition(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), k=1)
    >>> {name: (int(i[0]), int(j[0])) for name, (i, j, _) in best.items()}
    {'similar': (0, 1), 'opposed': (0, 2), 'orthogonal': (0, 1)}
    """
    U = as_vectors("U", U)
    check_has("keys", keys, "a dictionary of functions", "items")
    k = whole_number("k", k, 1, "a number of neighbors, 1 or more")
    i, j = np.triu_indices(len(U), 1)
    cosine = np.clip((U[i] * U[j]).sum(axis=1), -1, 1)
    best = {}
    for name, key in keys.items():
        order = np.lexsort((j, i, -key(cosine)))[:k]  # of equal values, the first
        best[name] = i[order], j[order], cosine[order]
    return best


def _units(X, kept):
    """Return the kept rows at length 1, in float64."""
    V = np.empty((len(kept), X.shape[1]))
    for at in range(0, len(kept), ROWS):
        rows = as_vectors("X", X[kept[at : at + ROWS]])
        if not rows.any(axis=1).all():
            zero = kept[at + np.flatnonzero(~rows.any(axis=1))[0]]
            raise ValueError(f"X must have no row of zeros (it has no cosine) that is not excluded, got row {zero}")
        V[at : at + ROWS] = unit(rows)
    return V


def _kept(n, exclude):
    """Return the indices of the rows that are not excluded."""
    mask = np.ones(n, dtype=bool)
    if exclude is not None:
        check_has("exclude", exclude, "numbers of rows, or a mask", "__iter__")
        exclude = np.asarray(list(exclude.detach().cpu() if hasattr(exclude, "detach") else exclude))
        if exclude.dtype.kind == "b" and exclude.shape != (n,):
            raise ValueError(f"exclude must be a mask of {n} booleans, one for each row, got shape {exclude.shape}")
        if exclude.dtype.kind != "b" and any(not 0 <= i < n for i in exclude):
            raise ValueError(f"exclude must contain indices from 0 to {n - 1}, got {min(exclude)} to {max(exclude)}")
        mask[exclude if exclude.size else []] = False
    return np.flatnonzero(mask)
