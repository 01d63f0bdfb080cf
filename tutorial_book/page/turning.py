"""Rotary positions to play with: a query and a key, turned by where they stand, and the score that comes of it.

Source: Su et al. (2021), section 3.2.
"""

from __future__ import annotations

from pathlib import Path

import torch

from tutorial_lib.arguments import check_tensors, even_width, whole_number
from tutorial_lib.positions import Rope, rotary
from tutorial_lib.views.base import View

FOLDER = Path(__file__).parent / "js"
RADIUS = 40  # of a clock, which the longest hand reaches
WIDTH, HEIGHT = 440, 150  # of the curve
LEFT, RIGHT, TOP, BOTTOM = 46, 430, 10, 112  # its frame's edges
MOST = 512  # positions


def turning_view(q, k, at=(6, 2), most=40) -> View:
    """A query and a key of one head as clock hands, a clock for each pair of coordinates, and their score by distance.

    q, k: (d_k,), d_k even. at: the positions of the query and of the key at first. most: the last position, up to 512.
    The reader moves both along the text, which changes no score, or one of them. Raises ValueError where these do not
    fit each other.

    >>> turning_view(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 0.0]), at=(5, 5)).say
    'Query at 5, key at 5: 0 places apart. Score 0.71.'
    """
    check_tensors(q=q, k=k)
    if q.ndim != 1 or q.shape != k.shape:
        raise ValueError(f"q and k must be two vectors of one width, got {tuple(q.shape)} and {tuple(k.shape)}")
    even_width("d_k", len(q))
    most = whole_number("most", most, 1, f"a position, 1 to {MOST}", MOST)
    m, j = (whole_number("at", place, 0, f"positions, 0 to {most}", most) for place in at)
    frequencies = Rope().frequencies(len(q)).double()
    pairs = [torch.stack(x.double().chunk(2), -1) for x in (q, k)]  # (d_k / 2, 2) each
    data = {
        "pairs": [pair.tolist() for pair in pairs],
        "frequencies": frequencies.tolist(),
        "at": [m, j],
        "most": most,
        "unit": RADIUS / max(pair.norm(dim=-1).max().item() for pair in pairs),
    }
    distances = torch.arange(-most, most + 0.25, 0.25, dtype=torch.float64)
    scores = _shares(q.double(), k.double(), distances[:, None], torch.zeros(1, 1)).sum(-1)
    shares = _shares(q.double(), k.double(), torch.tensor([[m]]), torch.tensor([[j]]))[0]
    data["low"], data["high"] = scores.min().item(), scores.max().item()
    hands = [_turned(x, torch.tensor([[place]])) for x, place in ((q, m), (k, j))]
    clocks = "".join(
        _clock(i, [hand[i].tolist() for hand in hands], data["unit"], share) for i, share in enumerate(shares.tolist())
    )
    total = shares.sum().item()
    default = f'<div class="tl-turning">{clocks}</div>{_curve(distances, scores, m - j, total, data)}'
    places = "place" if abs(m - j) == 1 else "places"
    say = f"Query at {m}, key at {j}: {abs(m - j)} {places} apart. Score {_two(total)}."
    return View("turning", data, default, "A query and a key, turned by their positions", say, folder=FOLDER)


def _turned(x, place):
    """A vector (d_k,) turned to its place: (d_k / 2, 2)."""
    angles = place * Rope().frequencies(len(x)).double()  # (1, d_k / 2)
    return torch.stack(rotary(x.double()[None], angles)[0].chunk(2), -1)


def _shares(q, k, places, others):
    """What each pair adds to the score of q at places (n, 1) and k at others (1, 1): (n, d_k / 2)."""
    frequencies = Rope().frequencies(len(q)).double()
    Q, K = rotary(q.expand(len(places), -1), places * frequencies), rotary(k[None], others * frequencies)
    return torch.stack((Q * K).chunk(2, -1)).sum(0) / len(q) ** 0.5


def _clock(i, hands, unit, share):
    lines = "".join(
        f'<line class="tl-{name}" x2="{unit * x:.2f}" y2="{-unit * y:.2f}"/>'
        for name, (x, y) in zip(("query", "key"), hands, strict=True)
    )
    return (
        '<div class="tl-pair"><svg viewBox="-44 -44 88 88" role="img" '
        f'aria-label="Pair {i}: the hands of query and key"><circle r="{RADIUS}"/>{lines}</svg>'
        f'<div>pair {i}<br><b data-value="{share!r}">{_two(share)}</b></div></div>'
    )


def _curve(distances, scores, distance, total, data):
    """The score by distance, which does not change, and a dot where the two tokens are."""
    most, low, high = data["most"], data["low"], data["high"]

    def at(x, y):
        return LEFT + (RIGHT - LEFT) * (x + most) / (2 * most), BOTTOM - (BOTTOM - TOP) * (y - low) / (high - low or 1)

    path = "L".join("{:.1f} {:.1f}".format(*at(x, y)) for x, y in zip(distances.tolist(), scores.tolist(), strict=True))
    texts = "".join(
        f'<text x="{at(x, 0)[0]:.1f}" y="{BOTTOM + 16}" text-anchor="middle">{_whole(x)}</text>'
        for x in (-most, -(most // 2), 0, most // 2, most)
    )
    texts += "".join(
        f'<text x="{LEFT - 6}" y="{at(0, y)[1] + 4:.1f}" text-anchor="end">{_two(y)}</text>' for y in (low, high)
    )
    x, y = at(distance, total)
    return (
        f'<svg class="tl-distance" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Score by distance, '
        f'with a dot at the distance of the two tokens">{texts}<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 34}" '
        f'text-anchor="middle">how many places the query stands behind the key</text>'
        f'<path d="M{path}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="6"/></svg>'
    )


def _two(value):
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _whole(value):
    return f"{value}".replace("-", "−")
