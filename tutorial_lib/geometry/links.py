"""Are two closed curves linked? Gauss's integral in space, and crossings in a shadow. Source: L 2.3.1 (footnote 5)."""

import numpy as np

from tutorial_lib.geometry.arrays import as_vectors


def linking_number(first, second):
    """Return how often two closed curves in space wind around each other; 0 if they can be pulled apart.

    Gauss's double integral over both curves, (1 / 4 pi) of (r - s) . (dr x ds) / |r - s|^3, as a sum over the two
    polygons' edges, each edge taken at its middle. The true value is an integer; the sum comes close to it if edges are
    short compared with the distance of the curves. Its sign depends on the directions in which the curves run.

    first: (n, 3), second: (m, 3), each the points of a closed curve in order. Raises ValueError or TypeError, by name.

    >>> from tutorial_lib.geometry import hopf_link
    >>> points, circle = hopf_link(100)
    >>> round(abs(linking_number(points[circle == 0], points[circle == 1])), 2)
    1.0
    """
    (r, dr), (s, ds) = (_edges(name, curve, 3) for name, curve in (("first", first), ("second", second)))
    apart = r[:, None] - s[None]  # (n, m, 3)
    distance = np.linalg.norm(apart, axis=-1)
    if not distance.all():
        raise ValueError("first and second must not meet, got a point on both curves")
    triple = (apart * np.cross(dr[:, None], ds[None])).sum(-1)  # (n, m)
    return float((triple / distance**3).sum() / (4 * np.pi))


def crossings(first, second):
    """Count how many times two closed curves in the plane cross each other: the pairs of edges that intersect.

    first: (n, 2), second: (m, 2), each the points of a closed curve in order. The number is always even.
    A crossing on a corner counts once; curves that only touch may count as crossing twice.

    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    >>> crossings(square, square + 0.5), crossings(square, square + 2)
    (2, 0)
    """
    (r, dr), (s, ds) = (_edges(name, curve, 2) for name, curve in (("first", first), ("second", second)))
    r, s = r - dr / 2, s - ds / 2  # where the edges begin

    def side(points, begin, direction):  # of each point with respect to each line: (points, lines)
        x, y = np.moveaxis(points[:, None] - begin[None], -1, 0)
        return direction[:, 0] * y - direction[:, 1] * x >= 0

    parted = side(s, r, dr) != side(s + ds, r, dr)  # (m, n): the ends of an edge of `second` on two sides
    return int((parted & (side(r, s, ds) != side(r + dr, s, ds)).T).sum())


def _edges(name, curve, dimensions):
    """Return the midpoints of a closed curve's edges, and the edges as vectors."""
    curve = as_vectors(name, curve, least=3)
    if curve.shape[1] != dimensions:
        raise ValueError(f"{name} must have {dimensions} coordinates for each point, got {curve.shape[1]}")
    following = np.roll(curve, -1, axis=0)
    return (curve + following) / 2, following - curve
