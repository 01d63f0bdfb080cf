"""Figures of "What embeddings are for": values with their intervals, one under the other. Source: L 4.5."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array


def intervals(names, values, lows, highs, sides=("", ""), label=""):
    """One row for each name: a dot at its value and a line from low to high, sorted by value.

    An interval that leaves 0 out is drawn in color, blue below and orange above. sides: what lies on the left and on
    the right of 0. label: what is measured, with its unit.

    >>> ax = intervals(["a", "b"], [0.2, -0.1], [0.1, -0.3], [0.3, 0.1], label="difference")
    >>> [t.get_text() for t in ax.get_yticklabels()]
    ['b', 'a']
    """
    values, lows, highs = as_array(values), as_array(lows), as_array(highs)
    if not len(names) == len(values) == len(lows) == len(highs):
        counts = f"{len(names)}, {len(values)}, {len(lows)} and {len(highs)}"
        raise ValueError(f"names, values, lows and highs must be as many, got {counts}")
    _, ax = plt.subplots(figsize=(6.5, 1.3 + 0.3 * len(names)))
    ax.axvline(0, color="0.6", lw=0.8)
    order = np.argsort(values, kind="stable")
    for row, i in enumerate(order):
        color = COLORS[0] if highs[i] < 0 else COLORS[1] if lows[i] > 0 else "0.45"
        ax.plot([lows[i], highs[i]], [row, row], color=color, lw=2.5, solid_capstyle="round")
        ax.plot(values[i], row, "o", color=color, ms=6)
    ax.set_yticks(range(len(names)), [names[i] for i in order])
    ax.tick_params(axis="y", length=0)
    reach = 1.15 * max(np.abs(lows).max(), np.abs(highs).max())
    ax.set(xlabel=label, xlim=(-reach, reach), ylim=(-0.7, len(names) - 0.3))
    for side, place, align in ((sides[0], 0.0, "left"), (sides[1], 1.0, "right")):
        ax.text(place, 1.01, side, transform=ax.transAxes, ha=align, va="bottom", fontsize=9, color="0.3")
    return ax
