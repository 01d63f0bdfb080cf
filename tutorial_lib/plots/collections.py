"""Figures of the chapter on two collections of texts. Source: L 4.4.3 (Figure 26)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from tutorial_lib.plots.base import COLORS, ROLES, as_array

LINES = ("-", "--", ":", "-.")


def cosine_outlines(panels):
    """Outlines of histograms of cosines, a panel for each entry (title -> {label: cosines}). Returns the axes.

    All panels have the same axis, from the lowest of all cosines to 1, so that they can be compared.

    >>> [ax] = cosine_outlines({"[CLS]": {"posts": [0.5, 0.6]}})
    >>> ax.get_title(), ax.get_xlabel()
    ('[CLS]', 'cosine of a pair')
    """
    fig, axes = plt.subplots(1, len(panels), figsize=(2.6 * len(panels), 2.9), sharey=True, squeeze=False)
    lowest = min(as_array(values).min() for groups in panels.values() for values in groups.values())
    for ax, (title, groups) in zip(axes[0], panels.items(), strict=True):
        for color, line, (label, values) in zip(COLORS, LINES, groups.items(), strict=False):
            style = dict(histtype="step", density=True, linewidth=1.6, color=color, linestyle=line, label=label)
            ax.hist(as_array(values), bins=np.linspace(lowest, 1, 61), **style)
        ax.axvline(0, color="black", linewidth=0.6)
        ax.set(title=title, xlabel="cosine of a pair")
    axes[0, 0].set(ylabel="density")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(groups))
    return list(axes[0])


def curves_by_layer(curves, ylabel, bands=None):
    """A quantity after each layer, one curve for each entry (label -> values from layer 0 on). Returns the axes.

    bands: label -> (low, high) arrays, drawn as a shade around that curve.

    >>> ax = curves_by_layer({"posts": [0.1, 0.3]}, ylabel="average cosine")
    >>> ax.get_xlabel(), ax.lines[0].get_ydata().tolist()
    ('layer', [0.1, 0.3])
    """
    _, ax = plt.subplots(figsize=(5.6, 3.2))
    for color, line, marker, (label, values) in zip(COLORS, LINES, "osD^", curves.items(), strict=False):
        color, values = ROLES["[CLS]"] if label.startswith("[CLS]") else color, as_array(values)
        ax.plot(values, color=color, linestyle=line, marker=marker, markersize=5, label=label)
        if bands and label in bands:
            ax.fill_between(range(len(values)), *bands[label], color=color, alpha=0.15, linewidth=0)
    ax.set(xlabel="layer", ylabel=ylabel, xticks=range(len(values)))
    ax.legend()
    return ax
