"""Figures of the chapter on two collections of texts. Source: L 4.4.3 (Figure 26)."""

from __future__ import annotations

import matplotlib.pyplot as plt

from tutorial_lib.plots.base import COLORS, as_array

LINES = ("-", "--", ":", "-.")


def curves_by_layer(curves, ylabel, bands=None):
    """A quantity after each layer, one curve for each entry (label -> values from layer 0 on). Returns the axes.

    bands: label -> (low, high) arrays, drawn as a shade around that curve.

    >>> ax = curves_by_layer({"posts": [0.1, 0.3]}, ylabel="average cosine")
    >>> ax.get_xlabel(), ax.lines[0].get_ydata().tolist()
    ('layer', [0.1, 0.3])
    """
    _, ax = plt.subplots(figsize=(5.6, 3.2))
    for color, line, marker, (label, values) in zip(COLORS, LINES, "osD^", curves.items(), strict=False):
        values = as_array(values)
        ax.plot(values, color=color, linestyle=line, marker=marker, markersize=5, label=label)
        if bands and label in bands:
            ax.fill_between(range(len(values)), *bands[label], color=color, alpha=0.15, linewidth=0)
    ax.set(xlabel="layer", ylabel=ylabel, xticks=range(len(values)))
    ax.legend()
    return ax
