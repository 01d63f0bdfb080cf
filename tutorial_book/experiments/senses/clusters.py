"""The vectors of a homonym in eight texts, and all ways to halve them: are the two senses the best halves?

Source: Reif et al. 2019, who see clusters. Here each homonym has its control, a noun of one sense in the same texts.
"""

from itertools import combinations

import numpy as np

from tutorial_lib.arguments import even_width
from tutorial_lib.geometry import cosine_matrix


def halves(n) -> np.ndarray:
    """Return all ways to halve n things, an even number: 0 or 1 for each, (ways, n). The first one is in order.

    >>> halves(4).tolist()
    [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]
    """
    n = even_width("n", n)
    ways = np.ones((0, n), int)
    for others in combinations(range(1, n), n // 2 - 1):
        way = np.ones((1, n), int)
        way[0, [0, *others]] = 0
        ways = np.concatenate([ways, way])
    return ways


def place_of_halves(X) -> int:
    """Rank the cut of X (n, d) into its first and second half among all cuts into halves, counted from 1.

    The best cut maximizes the sum of the cosines within the halves: for vectors of length 1 that is the cut of k-means.
    Cuts that are equally good count before this one.

    >>> place_of_halves([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.1, 1.0]])
    1
    """
    C = cosine_matrix(X)
    ways = halves(len(C))
    same = ways[:, :, None] == ways[:, None, :]  # (ways, n, n)
    within = (C * same).sum((1, 2))
    return int((within >= within[0] - 1e-9).sum())
