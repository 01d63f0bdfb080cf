"""Two small pictures to play with: the softmax of some scores, and the dot product of two vectors in the plane.

Sources: R 6 and 8, L 2.1; temperature: N 3.3.
"""

import math
from collections.abc import Iterable
from html import escape

import torch

from tutorial_lib.arguments import Numbers, check_texts
from tutorial_lib.attention import softmax
from tutorial_lib.geometry.arrays import as_numbers
from tutorial_lib.views.base import View

LARGEST_SCORE = 1_000
REACH = 3.0  # the plane goes from -3 to 3
SIZE = 300  # of its picture


def softmax_explorer(scores: Numbers, labels: Iterable[str]) -> View:
    """Scores, their softmax as bars, and its entropy: edit a score, turn the temperature, add 1 to all.

    scores: numbers from -1000 to 1000; labels: a name for each. Raises ValueError where they do not fit.
    Source: R 8.1, N 3.3.

    >>> softmax_explorer([1.0, 2.0, 3.0], ["a", "b", "c"]).say
    'T = 1: c gets most of the weight (0.67). Entropy 0.83 nats; even weights would have 1.10.'
    """
    labels = check_texts("labels", labels)
    z = torch.tensor(as_numbers("scores", scores))
    if z.shape != (len(labels),):
        raise ValueError(f"scores must be one number for each of the {len(labels)} labels, got shape {tuple(z.shape)}")
    if not (z.abs() <= LARGEST_SCORE).all():
        raise ValueError(f"scores must be numbers from {-LARGEST_SCORE} to {LARGEST_SCORE}, got {z.tolist()}")
    weights = softmax(z)
    entropy = torch.special.entr(weights).sum().item()
    rows = "".join(
        f'<tr><th scope="row">{escape(label)}</th><td>{score}</td><td>{_power(score)}</td>'
        f'<td class="tl-bar">{_bar(weight)}</td><td data-value="{weight!r}">{weight:.3f}</td></tr>'
        for label, score, weight in zip(labels, z.tolist(), weights.tolist())
    )
    default = (
        '<table class="tl-softmax"><thead><tr><th scope="col">name</th><th scope="col">score</th>'
        '<th scope="col"><i>e</i><sup>score/<i>T</i></sup></th>'
        '<th scope="col" colspan="2">its share: the weight</th></tr></thead>'
        f'<tbody>{rows}</tbody><tfoot><tr><th scope="row">sum</th><td></td>'
        f"<td>{_power(z.logsumexp(0).item())}</td><td></td><td>1</td></tr></tfoot></table>"
    )
    most = max(range(len(labels)), key=lambda i: weights[i].item())
    say = (
        f"T = 1: {labels[most]} gets most of the weight ({weights[most]:.2f}). Entropy {entropy:.2f} nats; "
        f"even weights would have {math.log(len(labels)):.2f}."
    )
    data = {"labels": labels, "scores": z.tolist()}
    label = "Softmax explorer: scores, a temperature, and the weights that they give"
    return View("softmax_explorer", data, default, label, say, parts=["number"])


def _power(x):
    """e to the power x in three digits, as softmax_explorer.js writes it.

    >>> _power(1.0), _power(3.4), _power(-30.0), _power(1000.0)
    ('2.72', '30.0', '9.36·10⁻¹⁴', '1.97·10⁴³⁴')
    """
    exponent = math.floor(x / math.log(10))
    if -3 <= exponent <= 3:
        return f"{math.exp(x):.{max(0, 2 - exponent)}f}"
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{math.exp(x - exponent * math.log(10)):.2f}·10{raised}"


def _bar(weight):
    """A bar of this share of the cell's width."""
    return (
        '<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{100 * weight:.2f}" height="10"/></svg>'
    )


def dot_product_explorer(a: Numbers = (2.0, 1.0), b: Numbers = (1.0, 2.0)) -> View:
    """Two vectors in the plane that can be moved: their lengths, their angle, their dot product and their cosine.

    a, b: two coordinates each, from -3 to 3. Raises ValueError otherwise. Source: R 6.1 (eq. 18), L 2.1.1.

    >>> dot_product_explorer((2, 1), (2, 0)).say
    'a · b = 2.0 × 2.0 + 1.0 × 0.0 = 4.00. The angle is 26.6°, below 90°, so the dot product is positive.'
    """
    vectors = {"a": a, "b": b}
    for name, vector in vectors.items():
        if len(vector) != 2 or not all(abs(x) <= REACH for x in vector):
            raise ValueError(f"{name} must be two numbers from -{REACH:g} to {REACH:g}, got {vector!r}")
    vectors = {name: [float(x) for x in vector] for name, vector in vectors.items()}
    measures = _measures(*vectors.values())
    rows = "".join(
        f'<tr><th scope="row">{name}</th><td data-name="{name}" data-value="{value!r}">{_told(name, value)}</td></tr>'
        for name, value in measures.items()
    )
    default = (
        f'<div class="tl-dot">{_plane(vectors)}<div><p class="tl-vectors">'
        + "<br>".join(f"<b>{name}</b> = ({x}, {y})" for name, (x, y) in vectors.items())
        + f'</p><table class="tl-measures"><tbody>{rows}</tbody></table></div></div>'
    )
    label = "Dot product explorer: two vectors in the plane, their angle and their dot product"
    return View("dot_product_explorer", vectors, default, label, _relation(*vectors.values(), measures), ["number"])


def _measures(a, b):
    """All numbers of the table; None where a zero vector leaves them undefined."""
    cross = abs(a[0] * b[1] - a[1] * b[0])  # for atan2, which is exact where acos is not: near 0 and 180 degrees
    length_a = math.hypot(*a)
    length_b = math.hypot(*b)
    dot = a[0] * b[0] + a[1] * b[1]
    cosine = max(-1.0, min(1.0, dot / (length_a * length_b))) if length_a and length_b else None
    return {
        "length of a": length_a,
        "length of b": length_b,
        "angle": None if cosine is None else math.degrees(math.atan2(cross, dot)),
        "cosine": cosine,
        "dot product": dot,
        "projection of b on a": dot / length_a if length_a else None,
    }


def _told(name, value):
    if value is None:
        return "not defined"
    digits = 1 if name == "angle" else 2
    text = f"{value:.{digits}f}"
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−") + ("°" if name == "angle" else "")


def _relation(a, b, measures):
    """The dot product written out, and its sign explained."""
    dot = measures["dot product"]
    angle = measures["angle"]
    sums = f"a · b = {a[0]} × {b[0]} + {a[1]} × {b[1]} = {_told('dot', dot)}.".replace("-", "−")
    if angle is None:
        return f"{sums} A zero vector has no direction, so there is no angle and no cosine."
    if abs(dot) < 1e-9:
        return f"{sums} The vectors are perpendicular."
    side, sign = ("below", "positive") if dot > 0 else ("above", "negative")
    return f"{sums} The angle is {_told('angle', angle)}, {side} 90°, so the dot product is {sign}."


def _plane(vectors):
    """The picture: a grid, both arrows, and b's shadow on the line of a."""
    grid = "".join(
        f'<path class="{"tl-axis" if i == 0 else "tl-grid"}" d="M{_x(i)} 0V{SIZE}M0 {_y(i)}H{SIZE}"/>'
        for i in range(int(-REACH) + 1, int(REACH))
    )
    a, b = vectors["a"], vectors["b"]
    squared = a[0] ** 2 + a[1] ** 2
    share = (a[0] * b[0] + a[1] * b[1]) / squared if squared else 0
    foot = share * a[0], share * a[1]
    arrows = "".join(
        f'<g class="tl-{name}"><line x1="{_x(0)}" y1="{_y(0)}" x2="{_x(x):.1f}" y2="{_y(y):.1f}"/>'
        f'<circle cx="{_x(x):.1f}" cy="{_y(y):.1f}" r="6"/>'
        f'<text x="{_x(x) + 10:.1f}" y="{_y(y) - 8:.1f}">{name}</text></g>'
        for name, (x, y) in vectors.items()
    )
    return (
        f'<svg class="tl-plane" viewBox="0 0 {SIZE} {SIZE}" role="group" aria-label="The plane with a and b">{grid}'
        f'<line class="tl-shadow" x1="{_x(0)}" y1="{_y(0)}" x2="{_x(foot[0]):.1f}" y2="{_y(foot[1]):.1f}"/>'
        f'<line class="tl-drop" x1="{_x(b[0]):.1f}" y1="{_y(b[1]):.1f}" x2="{_x(foot[0]):.1f}" y2="{_y(foot[1]):.1f}"/>'
        f'<path class="tl-arc" d="{_arc(a, b)}"/>'
        f'<text class="tl-unit" x="{_x(1) - 3}" y="{_y(0) + 14}">1</text>'
        f'<text class="tl-unit" x="{_x(0) - 12}" y="{_y(1) + 4}">1</text>{arrows}</svg>'
    )


def _arc(a, b):
    """The path of the angle between a and b; empty where one of them has no direction."""
    if not any(a) or not any(b):
        return ""
    ends = [(_x(0) + 28 * x / math.hypot(x, y), _y(0) - 28 * y / math.hypot(x, y)) for x, y in (a, b)]
    sweep = int(a[0] * b[1] < a[1] * b[0])  # 1: clockwise, when b is to the right of a
    return f"M{ends[0][0]:.1f} {ends[0][1]:.1f}A28 28 0 0 {sweep} {ends[1][0]:.1f} {ends[1][1]:.1f}"


def _x(value):
    return SIZE / 2 + value * SIZE / (2 * REACH)


def _y(value):
    return SIZE / 2 - value * SIZE / (2 * REACH)
