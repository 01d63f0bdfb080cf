"""A rotating cloud of points: positions on their helix, embeddings after a projection. Sources: L 4.2.3, 4.3, 4.4."""

import base64
from collections.abc import Iterable

import numpy as np

from tutorial_lib.arguments import Numbers, check_has, check_text
from tutorial_lib.geometry.arrays import as_numbers, as_vectors
from tutorial_lib.views.base import View

MOST_POINTS = 5000
MOST_GROUPS = 6  # each with its own shape
COLOR_STEPS = 7  # colors between the lowest and the highest value
TURN, TILT = 25, 15  # degrees at the start


def point_cloud(
    points: Numbers, labels: Iterable | None = None, groups: Iterable | None = None, colors: Numbers | None = None,
    path: bool = False, axes: Iterable[str] = ("x", "y", "z"), color_name: str = "value",
    label: str = "Cloud of points", alt: str = "",
) -> View:
    """Show points in space: turn them by dragging, arrow keys or sliders, and ask for their names.

    Each coordinate is sent in 16 bits: the picture and the displayed values are correct to 1 part in 30,000 of the
    cloud's extent. Nothing moves until the reader acts.

    Args:
        points: (n, 3) or (n, 2) finite numbers, at most 5,000 points; array or tensor.
        labels: n texts, shown for the point under the mouse or selected by slider.
        groups: n names, at most 6 different ones, distinguished by shape and color.
        colors: n numbers instead, from blue (lowest) to orange; color_name says what they are.
        path: join each point to the next.
        axes: their names.
        label: what the points are.
        alt: a description of the picture, in a sentence.

    Raises:
        ValueError or TypeError, by name, for invalid arguments.

    >>> point_cloud([[0, 0, 0], [1, 2, 3]], labels=["a", "b"], groups=["x", "y"])
    Cloud of points (an interactive view: it needs a notebook or a page)
    """
    points = as_vectors("points", points)
    n, dimensions = points.shape
    if dimensions not in (2, 3):
        raise ValueError(f"points must have shape (n, 3) or (n, 2), got {points.shape}")
    if n > MOST_POINTS:
        raise ValueError(f"points must have from 1 to {MOST_POINTS:,} rows, got {n:,}")
    labels = _check_texts("labels", [f"point {i}" for i in range(n)] if labels is None else labels, n)
    names, of = _check_groups(groups, colors, n)
    check_has("axes", axes, "names", "__iter__")
    for name, text in (("label", label), ("alt", alt)):
        check_text(name, text)
    axes = _check_texts("axes", list(axes)[:dimensions], dimensions)
    center = (points.min(0) + points.max(0)) / 2
    radius = float(np.linalg.norm(points - center, axis=1).max()) or 1.0
    unit = np.zeros((n, 3))
    unit[:, :dimensions] = (points - center) / radius  # (n, 3) inside the unit ball
    digits = int(np.clip(3 - np.ceil(np.log10(radius)), 0, 20))  # a thousandth of the cloud's extent
    data = {
        "turn": TURN if dimensions == 3 else 0,
        "tilt": TILT if dimensions == 3 else 0,
        "points": base64.b64encode(np.rint((unit + 1) / 2 * 65535).astype("<u2").tobytes()).decode(),
        "center": center.tolist(),
        "radius": radius,
        "axes": axes,
        "path": bool(path),
        "labels": None if labels == [f"point {i}" for i in range(n)] else labels,
        "of": base64.b64encode(of.astype(np.uint8).tobytes()).decode(),
        "steps": 0 if colors is None else COLOR_STEPS,
        "kinds": COLOR_STEPS if colors is not None else max(len(names), 1),
        "groups": names,
        "color": color_name,
        "range": None if colors is None else [f"{float(value):g}" for value in (min(colors), max(colors))],
        "alt": alt or label,
        "digits": digits,
    }
    return View("point_cloud", data, label)


def _check_texts(name, texts, n):
    if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
        raise TypeError(f"{name} must be a list of texts, got {texts!r}")
    texts = [str(text) for text in texts]
    if len(texts) != n:
        raise ValueError(f"{name} must contain {n} texts, got {len(texts)}")
    return texts


def _check_groups(groups, colors, n):
    """Return the names of the groups, and for each point the number of its group or of its color step."""
    if groups is not None and colors is not None:
        raise ValueError("groups and colors must not both be given, because a point has only one color")
    if groups is not None:
        groups = _check_texts("groups", groups, n)
        names = list(dict.fromkeys(groups))
        if len(names) > MOST_GROUPS:
            raise ValueError(f"groups must have at most {MOST_GROUPS} different names, got {len(names)}")
        return names, np.array([names.index(group) for group in groups])
    if colors is None:
        return [], np.zeros(n, dtype=int)
    values = as_numbers("colors", colors)
    if values.shape != (n,):
        raise ValueError(f"colors must be {n} numbers, got shape {values.shape}")
    share = (values - values.min()) / (np.ptp(values) or 1.0)
    return [], np.minimum(share * COLOR_STEPS, COLOR_STEPS - 1).astype(int)
