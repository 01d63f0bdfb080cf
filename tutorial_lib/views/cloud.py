"""A cloud of points that turns: positions on their helix, embeddings after a projection. Sources: L 4.2.3, 4.3, 4.4."""

import base64
from collections.abc import Iterable
from html import escape

import numpy as np

from tutorial_lib.arguments import Numbers, check_has, check_text
from tutorial_lib.views.base import View

MOST_POINTS = 5000
SHAPES = ("circle", "square", "triangle", "diamond", "plus", "cross")
COLOR_STEPS = 7  # colors between the lowest and the highest value
ROWS = 50  # of the table
WIDTH, HEIGHT = 420, 340  # of the picture without JavaScript; small enough for letters of a readable size on a phone
TURN, TILT = 25, 15  # degrees at the start


def point_cloud(
    points: Numbers, labels: Iterable | None = None, groups: Iterable | None = None, colors: Numbers | None = None,
    path: bool = False, axes: Iterable[str] = ("x", "y", "z"), color_name: str = "value",
    label: str = "Cloud of points", alt: str = "",
) -> View:
    """Points in space that the reader turns by dragging, with the arrow keys or with sliders, and asks for their names.

    points: (n, 3) or (n, 2) finite numbers, at most 5,000 points; array or tensor. labels: n texts, shown for the point
    under the mouse or chosen by slider. groups: n names, at most 6 different ones, told apart by shape and color.
    colors: n numbers instead, from blue (lowest) to orange; color_name says what they are. path: join each point to
    the next. axes: their names. label: what the points are; alt: what there is to see, in a sentence.

    Each coordinate travels in 16 bits: the picture and the values beside it are right to 1 part in 30,000 of the
    cloud's extent. Nothing moves until the reader says so. Raises ValueError or TypeError, by name, for what does
    not fit.

    >>> point_cloud([[0, 0, 0], [1, 2, 3]], labels=["a", "b"], groups=["x", "y"]).say
    '2 points in 3 dimensions; x: 1 (circles), y: 1 (squares).'
    """
    points = _check_points(points)
    n, dimensions = points.shape
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
    shown = {"turn": TURN if dimensions == 3 else 0, "tilt": TILT if dimensions == 3 else 0}
    data = shown | {
        "points": base64.b64encode(np.rint((unit + 1) / 2 * 65535).astype("<u2").tobytes()).decode(),
        "center": center.tolist(),
        "radius": radius,
        "axes": axes,
        "path": bool(path),
        "labels": None if labels == [f"point {i}" for i in range(n)] else labels,
        "of": base64.b64encode(of.astype(np.uint8).tobytes()).decode(),
        "steps": 0 if colors is None else COLOR_STEPS,
        "kinds": COLOR_STEPS if colors is not None else max(len(names), 1),
        "alt": alt or label,
        "digits": digits,
    }
    legend, in_words = _legend(names, of, colors, color_name)
    say = f"{n:,} point{'s' if n > 1 else ''} in {dimensions} dimensions; {in_words}"
    say = say.removesuffix("; ") + ("; a line joins each point to the next." if path else ".")
    svg = _picture(unit, of, data, axes, shown["turn"], shown["tilt"])
    default = f'<div class="tl-stage">{svg}</div>{legend}{_table(points, labels, axes, digits)}'
    return View("point_cloud", data, default, label, say=say)


def _check_points(points):
    if hasattr(points, "detach"):
        points = points.detach().cpu().float().numpy()
    try:
        points = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"points must be an array of numbers, got {type(points).__name__}") from None
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(f"points must have shape (n, 3) or (n, 2), got {points.shape}")
    if not 1 <= len(points) <= MOST_POINTS:
        raise ValueError(f"points must be from 1 to {MOST_POINTS:,}, got {len(points):,}")
    if not np.isfinite(points).all():
        raise ValueError(f"points must be finite numbers, got {points[~np.isfinite(points)][0]}")
    return points


def _check_texts(name, texts, n):
    if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
        raise TypeError(f"{name} must be a list of texts, got {texts!r}")
    texts = [str(text) for text in texts]
    if len(texts) != n:
        raise ValueError(f"{name} must hold {n} texts, got {len(texts)}")
    return texts


def _check_groups(groups, colors, n):
    """The names of the groups, and for each point the number of its group or of its step of color."""
    if groups is not None and colors is not None:
        raise ValueError("groups and colors cannot both be given: a point has one color")
    if groups is not None:
        groups = _check_texts("groups", groups, n)
        names = list(dict.fromkeys(groups))
        if len(names) > len(SHAPES):
            raise ValueError(f"groups must have at most {len(SHAPES)} different names, got {len(names)}")
        return names, np.array([names.index(group) for group in groups])
    if colors is None:
        return [], np.zeros(n, dtype=int)
    values = np.asarray(colors.detach().cpu() if hasattr(colors, "detach") else colors, dtype=np.float64)
    if values.shape != (n,) or not np.isfinite(values).all():
        raise ValueError(f"colors must be {n} finite numbers, got shape {values.shape}")
    share = (values - values.min()) / (np.ptp(values) or 1.0)
    return [], np.minimum(share * COLOR_STEPS, COLOR_STEPS - 1).astype(int)


def project(unit: np.ndarray, turn: float, tilt: float, width: float, height: float) -> np.ndarray:
    """Where points of the unit ball stand in the picture, and how near they are (-1 to 1): (n, 3) -> (n, 3).

    >>> project(np.array([[0.0, 0.0, 0.0]]), 30, 20, 400, 300).tolist()
    [[200.0, 150.0, 0.0]]
    """
    a, t = np.radians([turn, tilt])
    x, y, z = unit.T
    right = x * np.cos(a) + z * np.sin(a)
    back = z * np.cos(a) - x * np.sin(a)
    up = y * np.cos(t) - back * np.sin(t)
    near = y * np.sin(t) + back * np.cos(t)
    scale = 0.44 * min(width, height) * 3 / (3 - near)  # seen from 3 radii away
    return np.stack([width / 2 + scale * right, height / 2 - scale * up, near], axis=1)


def _picture(unit, of, data, axes, turn, tilt):
    places = project(unit, turn, tilt, WIDTH, HEIGHT)
    size = 1 if len(unit) <= 600 else 0.75 if len(unit) <= 2000 else 0.55
    lines, axis_names = _axes(axes, turn, tilt)
    parts = [lines]
    if data["path"]:
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
        parts.append(f'<polyline class="tl-path" points="{line}"/>')
    depth = np.minimum(((places[:, 2] + 1) * 1.5).astype(int), 2)  # far, middle, near
    for layer in range(3):
        r = size * (2.4 + 0.8 * layer)
        for kind in range(data["kinds"]):
            chosen = places[(depth == layer) & (of == kind)]
            if len(chosen):
                parts.append(_marks(chosen, kind, data["steps"], r, layer))
    parts.append(axis_names)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(data["alt"])}">{"".join(parts)}</svg>'
    )


def _marks(places, kind, steps, r, layer):
    """All points of one kind and one depth as a single path, so that thousands of them stay fast."""
    shape = "circle" if steps else SHAPES[kind]
    d = "".join(_mark(shape, x, y, r) for x, y, _ in places)
    color = f"tl-step{kind}" if steps else f"tl-kind{kind}"
    width = f' stroke-width="{2 * r:.1f}"' if shape == "circle" else ""
    return f'<path class="tl-{shape} {color} tl-layer{layer}" d="{d}"{width}/>'


def _mark(shape, x, y, r):
    if shape == "circle":  # a line of no length with round ends
        return f"M{x:.1f} {y:.1f}h0"
    if shape == "square":
        return f"M{x - r:.1f} {y - r:.1f}h{2 * r:.1f}v{2 * r:.1f}h{-2 * r:.1f}z"
    if shape == "triangle":
        return f"M{x:.1f} {y - 1.2 * r:.1f}l{1.2 * r:.1f} {2.1 * r:.1f}h{-2.4 * r:.1f}z"
    if shape == "diamond":
        side = f"{1.4 * r:.1f}"
        return f"M{x:.1f} {y - 1.4 * r:.1f}l{side} {side}l-{side} {side}l-{side} -{side}z"
    if shape == "plus":
        return f"M{x - 1.2 * r:.1f} {y:.1f}h{2.4 * r:.1f}M{x:.1f} {y - 1.2 * r:.1f}v{2.4 * r:.1f}"
    return f"M{x - r:.1f} {y - r:.1f}l{2 * r:.1f} {2 * r:.1f}m{-2 * r:.1f} 0l{2 * r:.1f} {-2 * r:.1f}"


def _axes(axes, turn, tilt):
    """Three edges of a cube inside the ball, from its far corner, with their names at the ends."""
    corner = np.full(3, -(3**-0.5)) * [1, 1, 1 if len(axes) == 3 else 0]
    lines = texts = ""
    for i, name in enumerate(axes):
        end = corner.copy()
        end[i] = -corner[i]
        (x1, y1, _), (x2, y2, _) = project(np.array([corner, end]), turn, tilt, WIDTH, HEIGHT)
        name = name if len(name) <= 40 else name[:39] + "…"
        lines += f'<line class="tl-axis" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        texts += f'<text class="tl-name" x="{x2:.1f}" y="{y2 - 5:.1f}" text-anchor="middle">{escape(name)}</text>'
    return lines, texts


def _legend(names, of, colors, color_name):
    """The legend as HTML, and in words."""
    def swatch(kind, steps):
        mark = _marks([(7, 7, 0)], kind, steps, 4, 2)
        return f'<svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">{mark}</svg>'

    if colors is not None:
        low, high = (f"{float(value):g}" for value in (min(colors), max(colors)))
        dots = "".join(swatch(step, COLOR_STEPS) for step in range(COLOR_STEPS))
        text = f"{escape(color_name)}: {escape(low)} {dots} {escape(high)}"
        return f'<p class="tl-legend"><span>{text}</span></p>', f"color tells {color_name}, from {low} to {high}"
    if not names:
        return "", ""
    items = "".join(f"<span>{swatch(i, 0)} {escape(name)}</span> " for i, name in enumerate(names))
    plural = [shape + ("es" if shape.endswith("s") else "s") for shape in SHAPES]
    counts = ", ".join(f"{name}: {int((of == i).sum())} ({plural[i]})" for i, name in enumerate(names))
    return f'<p class="tl-legend">{items}</p>', counts


def _table(points, labels, axes, digits):
    """The numbers themselves, folded: the first points' coordinates."""
    first = min(ROWS, len(points))
    which = "all" if first == len(points) else f"the first {first} of"
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in axes)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>' + "".join(f"<td>{value:.{digits}f}</td>" for value in row) + "</tr>"
        for name, row in zip(labels[:first], points[:first].tolist())
    )
    return (
        f'<details class="tl-numbers"><summary>Table of {which} {len(points):,} points</summary>'
        f'<table><thead><tr><th scope="col">point</th>{head}</tr></thead><tbody>{rows}</tbody></table></details>'
    )
