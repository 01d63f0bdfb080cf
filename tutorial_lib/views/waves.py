"""Sinusoidal positions to play with: the waves of one pair, and a shift as a rotation of clock hands.

Sources: R 3.4-3.5, L 3.2.4.
"""

import math

import numpy as np
import torch

from tutorial_lib.positions import shift_matrix, sinusoidal, wavelengths
from tutorial_lib.views.base import View

POSITIONS = range(8, 513)
CLOCKS = 4
START = {"i": 1, "p": 5, "k": 3}  # the pair, the position and the shift to start with


def sinusoid_explorer(d_model: int = 16, n: int = 64) -> View:
    """The sine and cosine of a pair over n positions, and what a shift by k does to each pair: it turns it.

    A pair (sin, cos) at position p is the hand of a clock. M_k, the matrix with PE(p + k) = M_k PE(p), turns the hand
    of each pair by its own angle. The clocks are up to four pairs, spread over those that move visibly in n positions.
    d_model: even, 2 or more; n: from 8 to 512. Raises ValueError otherwise. Source: R 3.4-3.5 (theorem 3.1).

    >>> sinusoid_explorer().say
    'Pair 1 turns once in 19.87 positions. From position 5 to 8 it turns by 54.4°.'
    """
    lengths = wavelengths(d_model)
    if not isinstance(n, int) or n not in POSITIONS:
        raise ValueError(f"n must be a number of positions from {POSITIONS[0]} to {POSITIONS[-1]}, got {n!r}")
    half = (n - 1) // 2
    i = min(START["i"], d_model // 2 - 1)
    p = min(START["p"], half)
    k = START["k"]
    clocks = _clock_pairs(lengths, n)
    data = {"d_model": d_model, "n": n, "i": i, "p": p, "k": k, "clocks": clocks}
    PE = sinusoidal(n, d_model)
    M = shift_matrix(k, d_model)
    cards = "".join(_clock(j, PE[p], PE[p + k], M, k * 2 * math.pi / lengths[j].item(), j == i) for j in clocks)
    default = f'{_waves(i, n, p, k, lengths[i].item())}<div class="tl-clocks">{cards}</div>'
    turn = math.degrees(k * 2 * math.pi / lengths[i].item())
    say = f"Pair {i} turns once in {lengths[i]:.2f} positions. From position {p} to {p + k} it turns by {turn:.1f}°."
    return View("sinusoid_explorer", data, default, "Sinusoid explorer: waves, and a shift that turns clock hands", say)


def _clock_pairs(lengths, n):
    """Up to four pairs, spread over those that turn by a quarter or more within n positions, the fastest first."""
    moving = max(int((lengths <= 4 * n).sum()), min(CLOCKS, len(lengths)))
    return sorted({round(j) for j in np.linspace(0, moving - 1, CLOCKS)})


def _waves(i, n, p, k, wavelength):
    """Both curves of pair i in the units of the data: x is the position, y the value (upside down, as SVG counts)."""
    fine = torch.arange(4 * (n - 1) + 1) / 4
    curves = ""
    for name, wave in (("sine", torch.sin), ("cosine", torch.cos)):
        y = -wave(2 * math.pi * fine.double() / wavelength)
        line = "M" + "L".join(f"{x:g} {v:.4f}" for x, v in zip(fine.tolist(), y.tolist()))
        dots = "".join(f"M{pos} {v:.4f}h0" for pos, v in enumerate(y[::4].tolist()))
        curves += f'<path class="tl-{name}" d="{line}"/><path class="tl-{name} tl-dots" d="{dots}"/>'
    return (
        f'<svg class="tl-waves" viewBox="-0.5 -1.15 {n} 2.55" preserveAspectRatio="none" role="img" '
        f'aria-label="Sine and cosine of the chosen pair at positions 0 to {n - 1}">'
        f'<path class="tl-zero" d="M-0.5 0H{n - 0.5}"/>'
        f'<path class="tl-p" d="M{p} -1.1V1.1"/><path class="tl-q" d="M{p + k} -1.1V1.1"/>{curves}'
        f'<path class="tl-wavelength" d="{_bracket(wavelength, n)}"/></svg>'
        f'<div class="tl-scale"><span>0</span><span>position</span><span>{n - 1}</span></div>'
        '<p class="tl-key">Solid: sine. Dashed: cosine. Bar: one wavelength. Thin line and hand: p. Thick: p + k.</p>'
    )


def _bracket(wavelength, n):
    """A line as long as one wavelength, open at the end where the wave is longer than the picture."""
    end = f"H{wavelength:.4f}M{wavelength:.4f} 1.2V1.35" if wavelength <= n - 1 else f"H{n - 0.5}"
    return f"M0 1.2V1.35M0 1.275{end}"


def _clock(j, before, after, M, angle, chosen):
    """One pair as a clock: its hand at p and at p + k, and the 2 x 2 block of M_k that takes one to the other."""
    pair = slice(2 * j, 2 * j + 2)
    hands = "".join(
        f'<line class="tl-{name}" x2="{40 * hand[0]:.2f}" y2="{-40 * hand[1]:.2f}"/>'
        for name, hand in (("p", before[pair].tolist()), ("q", after[pair].tolist()))
    )
    mark = ' aria-current="true"' if chosen else ""
    equation = (
        f'{_matrix("block", M[pair, pair])}{_matrix("before", before[pair][:, None])}<span>=</span>'
        f'{_matrix("after", after[pair][:, None])}'
    )
    return (
        f'<div class="tl-clock" data-pair="{j}"{mark}><svg viewBox="-44 -44 88 88" role="img" '
        f'aria-label="Clock of pair {j}: its hand at p and at p + k"><circle r="40"/>{hands}</svg>'
        f'<div><b>pair {j}</b>: by <span class="tl-turn">{math.degrees(angle):.1f}°</span>'
        f'<div class="tl-equation">{equation}</div></div></div>'
    )


def _matrix(name, M):
    rows = "".join(
        "<tr>" + "".join(f'<td data-value="{value!r}">{_number(value)}</td>' for value in row) + "</tr>"
        for row in M.tolist()
    )
    return f'<table class="tl-block" data-matrix="{name}"><tbody>{rows}</tbody></table>'


def _number(value):
    text = f"{value:.2f}"
    return (text.lstrip("-") if float(text) == 0 else text).replace("-", "−")
