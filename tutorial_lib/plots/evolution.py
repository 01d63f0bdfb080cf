"""Figures of the chapter on the way through the layers: paths, their steps, and when groups of them part.

Sources: L 4.3 (Figs. 20-22).
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from tutorial_lib.geometry import pca
from tutorial_lib.plots.base import COLORS, as_array


def layer_paths(panels, tokens=None, columns=2):
    """Paths through the layers in the plane of their own two principal components, one panel for each entry.

    panels: title -> paths (n_layers + 1, n, d), with their own PCA each. tokens: n names; paths of one name have one
    color, and the name stands at the end of the first. A red dot marks the start; the title says how much variance
    the plane holds. Returns the axes. Source: L Figs. 20 and 21.

    >>> [ax] = layer_paths({"a turn": [[[0.0, 0.0]], [[3.0, 0.0]], [[3.0, 1.0]]]}, ["mouse"])
    >>> ax.get_title()
    'a turn (100 %)'
    """
    rows = -(-len(panels) // columns)
    side = min(3.7, 7.8 / columns)
    fig, axes = plt.subplots(rows, columns, figsize=(side * columns, side * rows), squeeze=False)
    for unused in axes.flat[len(panels) :]:
        unused.axis("off")
    axes = list(axes.flat[: len(panels)])
    for ax, (title, paths) in zip(axes, panels.items(), strict=True):
        paths = _as_paths(paths)
        picture = pca(paths.reshape(-1, paths.shape[-1]))
        Y = picture.coordinates.reshape(*paths.shape[:2], 2)  # (n_layers + 1, n, 2)
        names = list(range(Y.shape[1]) if tokens is None else tokens)
        kinds = list(dict.fromkeys(names))
        for j, name in enumerate(names):
            color = COLORS[kinds.index(name) % len(COLORS)]
            ax.plot(*Y[:, j].T, color=color, linewidth=1.3, marker="o", markersize=3)
            ax.plot(*Y[0, j], "o", color="red", markersize=6, markeredgecolor="white")
            if tokens is not None and names.index(name) == j:
                ax.annotate(name, Y[-1, j], (4, 2), textcoords="offset points", fontsize=8, color=color)
        ax.set(xlabel="PC 1", ylabel="PC 2", title=f"{title} ({100 * picture.shares.sum():.0f} %)")
        ax.margins(0.12)
    return axes


def step_curves(steps, tokens, mark="[CLS]"):
    """Length, cosine and norm along each token's path, one line for each token; tokens called `mark` stand out.

    steps: a `geometry.Steps`, with arrays (n_layers, n). Returns the three axes. Source: L Fig. 22.

    >>> from tutorial_lib.geometry import steps
    >>> axes = step_curves(steps([[[3.0, 0.0]], [[0.0, 4.0]]]), ["mouse"])
    >>> [ax.lines[0].get_ydata().tolist() for ax in axes]
    [[5.0], [0.0], [3.0, 4.0]]
    """
    fig, axes = plt.subplots(1, 3, figsize=(7.6, 3.0))
    drawn = ((steps.lengths, "length of the step"), (steps.cosines, "cosine, before to after"), (steps.norms, "norm"))
    for ax, (values, name) in zip(axes, drawn, strict=True):
        for j, token in enumerate(tokens):
            x = np.arange(len(values)) + (len(values) < len(steps.norms))  # a step is named by the layer that makes it
            style = dict(color=COLORS[1], linewidth=2.2) if token == mark else dict(color=COLORS[0], alpha=0.55)
            name_of = token if token == mark else "other tokens"
            ax.plot(x, values[:, j], marker="o", markersize=3, **style, label=name_of)
        ax.set(xlabel="layer", title=name)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_ylim(0, 1.03 if name.startswith("cosine") else None)
    handles = dict(zip(*axes[0].get_legend_handles_labels()[::-1], strict=True))
    fig.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)
    return list(axes)


def parting_curves(curves, ylabel, level=None, first=0):
    """One curve for each entry of `curves`, name -> values or (values, low, high), against the layer. Returns the axes.

    low and high are drawn as a band. level: a dotted line, such as chance. first: the layer of the first value.

    >>> ax = parting_curves({"mouse": ([1.0, 2.0], [0.5, 1.5], [1.5, 2.5])}, "ratio", level=1)
    >>> ax.lines[0].get_ydata().tolist(), ax.get_ylabel()
    ([1.0, 2.0], 'ratio')
    """
    fig, ax = plt.subplots(figsize=(6.4, 3.8))
    for color, marker, (name, values) in zip(COLORS, "os^vDPX", curves.items(), strict=False):
        values, *band = values if isinstance(values, tuple) else (values,)
        layers = np.arange(len(values)) + first
        if band:
            ax.fill_between(layers, as_array(band[0]), as_array(band[1]), color=color, alpha=0.15, linewidth=0)
        ax.plot(layers, as_array(values), color=color, marker=marker, markersize=5, label=name)
    if level is not None:
        ax.axhline(level, color="black", linestyle=":", linewidth=1)
    ax.set(xlabel="layer", ylabel=ylabel)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    fig.legend(loc="outside lower center", ncols=min(4, len(curves)))
    return ax


def _as_paths(paths):
    paths = as_array(paths)
    if paths.ndim != 3:
        raise ValueError(f"paths must have shape (n_layers + 1, n, d), got {paths.shape}")
    return paths
