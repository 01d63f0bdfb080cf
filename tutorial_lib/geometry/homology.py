"""Persistent homology: how the pieces of a cloud join, and how its loops close, as a distance grows. Source: L 5.2."""

from tutorial_lib.arguments import needed
from tutorial_lib.geometry.arrays import as_cloud, check_float32
from tutorial_lib.geometry.similarity import distance_matrix


def persistence(X):
    """Pieces and loops of the points X, (N, d): two arrays (m, 2) of birth and death, the longest first.

    Join all points at most r apart, and fill each triangle of joined points (Vietoris-Rips). At r = 0 each point is a
    piece; when two join, one dies, and the last never does (inf). A loop is born with its last edge and dies when
    triangles fill it. Both numbers are in the unit of X, rounded to float32. Pieces and loops that die at once have no
    row.

    On a circle of radius 1, n even steps make one loop, from 2 sin(pi / n) to 2 sin(pi ceil(n / 3) / n), about 1.73.
    Loops count modulo 2. Raises ModuleNotFoundError without the package ripser, ValueError or TypeError by name.
    Source: Bauer 2021, Tralie et al. 2018.

    >>> pieces, loops = persistence([[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> pieces[:, 1].tolist(), loops.round(2).tolist()
    ([inf, 1.0, 1.0, 1.0], [[1.0, 1.41]])
    """
    X = as_cloud("X", X)
    with needed("ripser", "persistence"):
        from ripser import ripser
    check_float32("X", X)
    bars = ripser(distance_matrix(X), maxdim=1, distance_matrix=True)["dgms"]
    return [bar[(bar[:, 0] - bar[:, 1]).argsort(kind="stable")] for bar in bars]
