"""Two small pictures to play with: the softmax of some scores, and the dot product of two vectors in the plane.

Sources: R 6 and 8, L 2.1; temperature: N 3.3.
"""

from collections.abc import Iterable

from tutorial_lib.arguments import Numbers, check_texts
from tutorial_lib.geometry.arrays import as_numbers
from tutorial_lib.views.base import View

LARGEST_SCORE = 1_000
REACH = 3.0  # the plane goes from -3 to 3


def softmax_explorer(scores: Numbers, labels: Iterable[str]) -> View:
    """Show scores, their softmax as bars, and its entropy: edit a score, turn the temperature, add 1 to all.

    scores: numbers from -1000 to 1000; labels: a name for each. Raises ValueError if they do not fit.
    Source: R 8.1, N 3.3.

    >>> softmax_explorer([1.0, 2.0, 3.0], ["a", "b", "c"])
    Softmax explorer: scores, a temperature, and the weights that they give (an interactive view: ...)
    """
    labels = check_texts("labels", labels)
    z = as_numbers("scores", scores)
    if z.shape != (len(labels),):
        raise ValueError(f"scores must have one number per label, {len(labels)}, got shape {z.shape}")
    if not (abs(z) <= LARGEST_SCORE).all():
        raise ValueError(f"scores must be numbers from {-LARGEST_SCORE} to {LARGEST_SCORE}, got {z.tolist()}")
    data = {"labels": labels, "scores": z.tolist()}
    label = "Softmax explorer: scores, a temperature, and the weights that they give"
    return View("softmax_explorer", data, label, ["number"])


def dot_product_explorer(a: Numbers = (2.0, 1.0), b: Numbers = (1.0, 2.0)) -> View:
    """Show two movable vectors in the plane: their lengths, their angle, their dot product and their cosine.

    a, b: two coordinates each, from -3 to 3. Raises ValueError otherwise. Source: R 6.1 (eq. 18), L 2.1.1.

    >>> dot_product_explorer((2, 1), (2, 0))
    Dot product explorer: two vectors in the plane, their angle and their dot product (an interactive view: ...)
    """
    vectors = {"a": as_numbers("a", a).tolist(), "b": as_numbers("b", b).tolist()}
    for name, vector in vectors.items():
        if len(vector) != 2 or not all(abs(x) <= REACH for x in vector):
            raise ValueError(f"{name} must be two numbers from -{REACH:g} to {REACH:g}, got {vector!r}")
    label = "Dot product explorer: two vectors in the plane, their angle and their dot product"
    return View("dot_product_explorer", vectors, label, ["number"])
