"""The nearest neighbors of every vector among all others: the definition, and a fast exact version from tiles."""

import numpy as np

from tutorial_lib.arguments import whole_number
from tutorial_lib.geometry.arrays import as_vectors


def nearest_neighbors(X, k=2):
    """Return the k nearest other rows of each row: (distances (n, k), indices (n, k)), Euclidean, nearest first.

    Exact: the same result as `nearest_by_definition`, but faster and without the n x n matrix; see `tiles`. Raises
    ValueError for fewer than k + 1 rows.

    >>> distances, indices = nearest_neighbors([[0.0], [1.0], [3.0], [7.0]])
    >>> distances.tolist()
    [[1.0, 3.0], [1.0, 2.0], [2.0, 3.0], [4.0, 6.0]]
    >>> indices.tolist()
    [[1, 2], [0, 2], [1, 0], [2, 1]]
    """
    from tutorial_lib.geometry.tiles import nearest

    k = whole_number("k", k, 1, "a number of neighbors (an int, 1 or more)")
    return nearest(as_vectors("X", X, least=k + 1), k)


def nearest_by_definition(X, k=2):
    """Return the same as `nearest_neighbors`, computed plainly: all n x n distances, each row sorted.

    >>> nearest_by_definition([[0.0], [1.0], [3.0], [7.0]])[1].tolist()
    [[1, 2], [0, 2], [1, 0], [2, 1]]
    """
    k = whole_number("k", k, 1, "a number of neighbors (an int, 1 or more)")
    X = as_vectors("X", X, least=k + 1)
    D = np.linalg.norm(X[:, None] - X, axis=-1)  # (n, n)
    np.fill_diagonal(D, np.inf)  # a row is not its own neighbor
    indices = D.argsort(axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, indices, axis=1), indices
