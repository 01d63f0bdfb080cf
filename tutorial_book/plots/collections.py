"""Figures of the chapter on two collections of texts. Source: L 4.4.3 (Figures 25 and 26)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array
from tutorial_book.plots.parts import LINES, draw_curve, draw_outlines, legend_below, panel_grid


def cosine_outlines(panels):
    """Outlines of histograms of cosines, a panel for each entry (title -> {label: cosines}).

    All panels have the same axis, from the lowest of all cosines to 1, so that they can be compared.

    >>> [ax] = cosine_outlines({"[CLS]": {"posts": [0.5, 0.6]}})
    >>> ax.get_title(), ax.get_xlabel()
    ('[CLS]', 'cosine of a pair')
    """
    labels = {"xlabel": "cosine of a pair", "ylabel": "density"}
    _, axes = panel_grid(len(panels), size=(0, 2.9), each=(2.6, 0), sharey=True, **labels)
    lowest = min(as_array(values).min() for groups in panels.values() for values in groups.values())
    for ax, (title, groups) in zip(axes, panels.items()):
        draw_outlines(ax, groups, np.linspace(lowest, 1, 61))
        ax.axvline(0, color="black", linewidth=0.6)
        ax.set_title(title)
    legend_below(axes[0], ncols=len(groups))
    return axes


def curves_by_layer(curves, ylabel, bands=None):
    """A quantity after each layer, one curve for each entry (label -> values from layer 0 on).

    bands: label -> (low, high) arrays, drawn as a shade around that curve. "mean without 223" has the color of "mean".

    >>> ax = curves_by_layer({"posts": [0.1, 0.3]}, ylabel="average cosine")
    >>> ax.get_xlabel(), ax.lines[0].get_ydata().tolist()
    ('layer', [0.1, 0.3])
    """
    _, ax = plt.subplots(figsize=(5.6, 3.2))
    whole = {label: label.partition(" without ")[0] for label in curves}
    colors = dict(zip(dict.fromkeys(whole.values()), COLORS, strict=False)) | {"[CLS]": ROLES["[CLS]"]}
    for line, marker, (label, values) in zip(LINES, "osD^", curves.items()):
        look = {"color": colors[whole[label]], "linestyle": line, "marker": marker, "markersize": 5}
        band = tuple((bands or {}).get(label, ()))
        draw_curve(ax, (values, *band), shade=0.15, label=label, **look)
    ax.set(xlabel="layer", ylabel=ylabel, xticks=range(len(values)))
    ax.legend()
    return ax


def histogram_outlines(clouds):
    """Outlines of histograms that are counted already, a row for each cloud.

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
    for row, (title, cloud) in zip(axes, clouds.items()):
        for ax, (kind, name) in zip(row, kinds.items()):
            for color, line, (label, counts) in zip(COLORS, LINES, cloud[kind]["counts"].items()):
                edges, counts = np.linspace(*cloud[kind]["edges"], len(counts) + 1), as_array(counts)
                density = counts / counts.sum() / np.diff(edges)
                ax.stairs(density, edges, color=color, linestyle=line, linewidth=1.6, label=label)
            ax.set(xlabel=name, yticks=[])
        row[0].set(ylabel="density", title=title)
    legend_below(axes[0, 3], ncols=len(cloud["cosines"]["counts"]))  # pairs of one from each have cosines only
    return axes
