"""L 2.1: cosine similarity, recomputed."""

from tutorial_lib.claims.claim import FAILS, claim
from tutorial_lib.claims.tools import cosine


@claim("L-2.1-orthogonal", "attention", "Orthogonal vectors have cosine similarity 0.", 0, tolerance=1e-12)
def _():
    return cosine([3, 4], [-8, 6])


@claim(
    "L-2.1-self",
    "attention",
    "The cosine similarity of a vector with itself is always 1; so that of (0, 0) too.",
    1,
    verdict=FAILS,
    note="True of every vector but zero: there the formula divides 0 by 0. Code has to decide what to "
    "answer.",
)
def _():
    return cosine([0, 0], [0, 0])


@claim(
    "L-2.1-scaling",
    "attention",
    "Scaling by a non-zero number has no effect: v and −2v have cosine similarity 1, as v and v.",
    1,
    verdict=FAILS,
    note="A positive factor has no effect; a negative one flips the sign.",
)
def _():
    return cosine([3, 4], [-6, -8])


@claim(
    "L-2.1-no-metric",
    "attention",
    "Cosine similarity is not a metric.",
    True,
    note="1 − cos breaks the triangle inequality: going from 0° to 90° by way of 45° would cost less than "
    "going straight.",
)
def _():
    a, b, c = [1, 0], [1, 1], [0, 1]
    return 1 - cosine(a, c) > (1 - cosine(a, b)) + (1 - cosine(b, c))


@claim(
    "L-2.1-cosine-rule",
    "attention",
    "It is the cosine of the cosine rule: |v − w|² = |v|² + |w|² − 2 |v| |w| cos θ.",
    True,
)
def _():
    from math import hypot, isclose

    v, w = (1, 2, 3), (-2, 5, 1)
    difference = hypot(*(a - b for a, b in zip(v, w, strict=True)))
    return isclose(difference**2, hypot(*v) ** 2 + hypot(*w) ** 2 - 2 * hypot(*v) * hypot(*w) * cosine(v, w))


@claim("L-2.1-plane", "attention", "Two vectors span a plane, which maps to R² and keeps their cosine.", True)
def _():
    import torch

    pair = torch.tensor([[1.0, 2, 3, 4], [-2, 5, 1, 0]], dtype=torch.float64).T  # (4, 2)
    _, in_the_plane = torch.linalg.qr(pair)  # (2, 2): the same two vectors in coordinates of their plane
    return abs(cosine(*pair.T) - cosine(*in_the_plane.T)) < 1e-12
