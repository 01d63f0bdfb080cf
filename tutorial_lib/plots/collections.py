"""Figures of the chapter on two collections of texts. Source: L 4.4.3 (Figure 26)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from tutorial_lib.plots.base import COLORS, as_array

MEASURES = {"norms": "length", "distances": "distance of a pair", "dots": "dot product", "cosines": "cosine"}
LINES = ("-", "--", ":", "-.")


def four_distributions(measured, bins=50):
    """Outlines of lengths, distances, dot products and cosines, one for each entry (label -> `Distributions`).

    bins: for the pairs; lengths, which are fewer, get half as many. Each outline has area 1, so that collections of
    different sizes compare. An empty array is left out: pairs between two collections have no lengths of their own.
    Returns four axes.

    >>> from tutorial_lib.geometry import distributions
    >>> axes = four_distributions({"axes": distributions(np.eye(3) + 1)})
    >>> [ax.get_xlabel() for ax in axes]
    ['length', 'distance of a pair', 'dot product', 'cosine']
    """
    _, grid = plt.subplots(2, 2, figsize=(7.4, 5))
    for ax, (measure, name) in zip(grid.flat, MEASURES.items(), strict=True):
        every = np.concatenate([as_array(getattr(one, measure)) for one in measured.values()])
        edges = np.linspace(every.min(), every.max() + 1e-9, (bins // 2 if measure == "norms" else bins) + 1)
        for color, line, (label, one) in zip(COLORS, LINES, measured.items(), strict=False):
            values = as_array(getattr(one, measure))
            style = dict(histtype="step", density=True, linewidth=1.6, color=color, linestyle=line, label=label)
            if len(values):
                ax.hist(values, bins=edges, **style)
        ax.set(xlabel=name, ylabel="density")
        if measure == "cosines" and every.min() < 0 < every.max():
            ax.axvline(0, color="black", linewidth=0.6)
    last = grid.flat[-1]
    last.figure.legend(*last.get_legend_handles_labels(), loc="outside lower center", ncols=len(measured))
    return list(grid.flat)


def by_layer(curves, ylabel, bands=None):
    """A quantity after each layer, one curve for each entry (label -> values from layer 0 on). Returns the axes.

    bands: label -> (low, high) arrays, drawn as a shade around that curve.

    >>> ax = by_layer({"posts": [0.1, 0.3]}, ylabel="average cosine")
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
