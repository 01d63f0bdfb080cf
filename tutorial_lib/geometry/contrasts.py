"""Do differences of vectors have a direction, and how are two such directions related?

A contrast is a set of pairs that differ in one respect. `average_cosine` measures how much its differences agree.
Source: L 4.4.2.
"""

import numpy as np

from tutorial_lib.arguments import check_has
from tutorial_lib.geometry.arrays import as_vectors
from tutorial_lib.geometry.similarity import cosine_matrix


def difference_vectors(first, second):
    """Return E2 - E1 for each pair, (n, d): the step from the first vectors to the second.

    Raises ValueError if the two have different shapes. Source: L 4.4.2.

    >>> difference_vectors([[1.0, 1.0]], [[3.0, 0.0]])
    array([[ 2., -1.]])
    """
    first, second = as_vectors("first", first), as_vectors("second", second)
    if first.shape != second.shape:
        raise ValueError(f"first and second must have the same shape, got {first.shape} and {second.shape}")
    return second - first


def contrast_cosines(differences):
    """Return the cosines between the average difference vectors of contrasts, (n, n).

    `differences` maps each contrast's name to its difference vectors (n_pairs, d); rows and columns are in the same
    order. Raises ValueError if widths differ, or if a contrast's differences cancel (it has no direction).
    Source: L 4.4.2.

    >>> contrast_cosines({"east": [[1.0, 0.0], [3.0, 0.0]], "north-east": [[1.0, 1.0]]}).round(3)
    array([[1.   , 0.707],
           [0.707, 1.   ]])
    """
    check_has("differences", differences, "a dictionary of arrays", "items")
    return cosine_matrix([X.mean(axis=0) for X in as_contrasts(differences).values()])


def as_contrasts(differences):
    """Return the contrasts as arrays, after checking that their widths agree and each has a direction."""
    arrays = {name: as_vectors(f"differences[{name!r}]", vectors) for name, vectors in differences.items()}
    if not arrays:
        raise ValueError("differences must contain at least one contrast, got none")
    widths = {array.shape[1] for array in arrays.values()}
    if len(widths) > 1:
        raise ValueError(f"{' and '.join(arrays)} must have vectors of the same width, got {sorted(widths)}")
    for name, array in arrays.items():
        longest = np.linalg.norm(array, axis=1).max()
        if np.linalg.norm(array.mean(axis=0)) <= 1e-12 * longest:  # they cancel, up to rounding
            raise ValueError(f"{name} must have a direction, but its average difference is zero")
    return arrays
