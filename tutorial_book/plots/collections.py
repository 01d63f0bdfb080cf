"""Figures of the chapter on two collections of texts. Source: L 4.4.3 (Figures 25 and 26)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array

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

    bands: label -> (low, high) arrays, drawn as a shade around that curve. "mean without 223" has the color of "mean".

    >>> ax = curves_by_layer({"posts": [0.1, 0.3]}, ylabel="average cosine")
    >>> ax.get_xlabel(), ax.lines[0].get_ydata().tolist()
    ('layer', [0.1, 0.3])
    """
    _, ax = plt.subplots(figsize=(5.6, 3.2))
    whole = {label: label.partition(" without ")[0] for label in curves}
    colors = dict(zip(dict.fromkeys(whole.values()), COLORS, strict=False)) | {"[CLS]": ROLES["[CLS]"]}
    for line, marker, (label, values) in zip(LINES, "osD^", curves.items(), strict=False):
        color, values = colors[whole[label]], as_array(values)
        ax.plot(values, color=color, linestyle=line, marker=marker, markersize=5, label=label)
        if bands and label in bands:
            ax.fill_between(range(len(values)), *bands[label], color=color, alpha=0.15, linewidth=0)
    ax.set(xlabel="layer", ylabel=ylabel, xticks=range(len(values)))
    ax.legend()
    return ax


def histogram_outlines(clouds):
    """Outlines of histograms that are counted already. Returns the axes, a row for each cloud.

    clouds: title -> what `experiments.collections.describe` says of it. Four panels each: the lengths of the vectors,
    and the distances, dot products and cosines of pairs.

    >>> counted = {"edges": [0, 1], "counts": {"tweets": [3, 1]}}
    >>> axes = histogram_outlines({"mean": dict.fromkeys(("norms", "distances", "dots", "cosines"), counted)})
    >>> [ax.get_xlabel() for ax in axes[0]]
    ['length', 'distance', 'dot product', 'cosine']
    """
    kinds = {"norms": "length", "distances": "distance", "dots": "dot product", "cosines": "cosine"}
    fig, axes = plt.subplots(len(clouds), 4, figsize=(7.8, 0.5 + 1.9 * len(clouds)), squeeze=False)
    fig.phone = {"columns": 2}
    for row, (title, cloud) in zip(axes, clouds.items(), strict=True):
        for ax, (kind, name) in zip(row, kinds.items(), strict=True):
            for color, line, (label, counts) in zip(COLORS, LINES, cloud[kind]["counts"].items(), strict=False):
                edges, counts = np.linspace(*cloud[kind]["edges"], len(counts) + 1), as_array(counts)
                density = counts / counts.sum() / np.diff(edges)
                ax.stairs(density, edges, color=color, linestyle=line, linewidth=1.6, label=label)
            ax.set(xlabel=name, yticks=[])
        row[0].set(ylabel="density", title=title)
    legend = axes[0, 3].get_legend_handles_labels()  # pairs of one from each have cosines only
    fig.legend(*legend, loc="outside lower center", ncols=len(legend[0]))
    return axes
