"""Sinusoidal positions to play with: the waves of one pair, and a shift as a rotation of clock hands.

Sources: R 3.4-3.5, L 3.2.4.
"""

import numpy as np

from tutorial_lib.arguments import whole_number
from tutorial_lib.positions import wavelengths
from tutorial_lib.views.base import View

CLOCKS = 4
START = {"i": 1, "p": 5, "k": 3}  # the pair, the position and the shift to start with


def sinusoid_explorer(d_model: int = 16, n: int = 64) -> View:
    """Show the sine and cosine of a pair over n positions, and how a shift by k rotates each pair.

    A pair (sin, cos) at position p is the hand of a clock. M_k, the matrix with PE(p + k) = M_k PE(p), turns the hand
    of each pair by its own angle. The clocks are up to four pairs, spread over those that move visibly in n positions.
    d_model: even, 2 or more; n: from 8 to 512. Raises ValueError otherwise. Source: R 3.4-3.5 (theorem 3.1).

    >>> sinusoid_explorer()
    Sinusoid explorer: waves, and a shift that turns clock hands (an interactive view: it needs a notebook or a page)
    """
    lengths = wavelengths(d_model)
    n = whole_number("n", n, 8, "a number of positions from 8 to 512", 512)
    half = (n - 1) // 2
    i = min(START["i"], d_model // 2 - 1)
    p = min(START["p"], half)
    k = START["k"]
    clocks = _clock_pairs(lengths, n)
    data = {"d_model": d_model, "n": n, "i": i, "p": p, "k": k, "clocks": clocks}
    return View("sinusoid_explorer", data, "Sinusoid explorer: waves, and a shift that turns clock hands")


def _clock_pairs(lengths, n):
    """Return up to four pairs that turn by a quarter or more within n positions, evenly spread, the fastest first."""
    moving = max(int((lengths <= 4 * n).sum()), min(CLOCKS, len(lengths)))
    return sorted({round(j) for j in np.linspace(0, moving - 1, CLOCKS)})
