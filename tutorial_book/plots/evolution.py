"""Figures of the chapter on the way through the layers: paths, their steps, and when groups of them part.

Sources: L 4.3 (Figs. 20-22).
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from tutorial_book.plots.base import COLORS, ROLES, as_array
from tutorial_lib.geometry import pca


def layer_paths(panels, columns=2):
    """Paths through the layers in the plane of their own two principal components, one panel for each entry.

    panels: title -> paths (n_layers + 1, n, d), with their own PCA each. An open circle is the start; the title says
    how much of the variance the plane holds. Returns the axes. Source: L Fig. 21.

    >>> [ax] = layer_paths({"a turn": [[[0.0, 0.0]], [[3.0, 0.0]], [[3.0, 1.0]]]})
    >>> ax.get_title()
    'a turn (100 %)'
    """
    rows = -(-len(panels) // columns)
    side = min(3.7, 7.8 / columns)
    fig, axes = plt.subplots(rows, columns, figsize=(side * columns, 0.85 * side * rows), squeeze=False)
    for unused in axes.flat[len(panels) :]:
        unused.axis("off")
    axes = list(axes.flat[: len(panels)])
    for ax, (title, paths) in zip(axes, panels.items(), strict=True):
        paths = _as_paths(paths)
        picture = pca(paths.reshape(-1, paths.shape[-1]))
        Y = picture.coordinates.reshape(*paths.shape[:2], 2)  # (n_layers + 1, n, 2)
        for j in range(Y.shape[1]):
            color = COLORS[j % len(COLORS)]
            ax.plot(*Y[:, j].T, color=color, linewidth=1.3, marker="o", markersize=3)
            ax.plot(*Y[0, j], "o", color=color, markerfacecolor="white", markersize=7)
        ax.set(xlabel="PC 1", ylabel="PC 2", title=f"{title} ({100 * picture.shares.sum():.0f} %)")
        ax.margins(0.12)
    return axes


def last_jump(paths, tokens, together=(), ax=None):
    """Paths (n_layers + 1, n, d) in the plane of their two principal components: lines, and the last step an arrow.

    tokens: n names, each written where its path ends, once for tokens of one name. together: the names that are drawn
    in a second color. An open circle is the start. Returns the axes. Source: L Fig. 20.

    >>> ax = last_jump([[[0.0, 0.0]], [[3.0, 0.0]], [[3.0, 1.0]]], ["mouse"])
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['mouse']
    """
    paths = _as_paths(paths)
    picture = pca(paths.reshape(-1, paths.shape[-1]))
    Y = picture.coordinates.reshape(*paths.shape[:2], 2)  # (n_layers + 1, n, 2)
    if ax is None:
        _, ax = plt.subplots(figsize=(7.4, 4.0))
    ax.figure.phone = {"panel_height": 3.4}  # room between the names
    ends = {}
    for j, name in enumerate(tokens):
        color = COLORS[1] if name in together else COLORS[0]
        ax.plot(*Y[:-1, j].T, color=color, linewidth=1, alpha=0.7)
        ax.plot(*Y[0, j], "o", color=color, markerfacecolor="none", markersize=5)
        arrow = dict(arrowstyle="->", color=color, linewidth=1.4, shrinkA=0, shrinkB=0)
        ax.annotate("", xy=Y[-1, j], xytext=Y[-2, j], arrowprops=arrow)
        ends.setdefault(name, (j, color))
    ax.margins(0.1)
    first = [j for j, _ in ends.values()]
    aside = np.sign(Y[-1, first, 0] - Y[:-1, first, 0].mean(0))  # a label stands away from its path
    width, height = np.ptp(Y, axis=(0, 1))
    beside = Y[-1, first] + np.outer(aside, [0.015 * width, 0])
    places = _spread(beside, 0.12 * width, 0.06 * height)
    for (name, (_, color)), place, side in zip(ends.items(), places, aside, strict=True):
        said = name if any(map(str.isalnum, name)) else f"“{name}”"  # a lone full stop looks like a speck
        ax.text(*place, said, fontsize=9, color=color, va="center", ha="right" if side < 0 else "left")
    ax.set(xlabel="PC 1", ylabel="PC 2", title=f"{100 * picture.shares.sum():.0f} % of the variance")
    return ax


def _spread(points, width, height):
    """Places for labels at points (n, 2): where two of this size would overlap, the upper one moves up."""
    places, done = points.copy(), []
    for i in np.argsort(points[:, 1]):
        while any(abs(places[i, 0] - x) < width and abs(places[i, 1] - y) < height for x, y in done):
            places[i, 1] += height / 4
        done.append(places[i])
    return places


def step_curves(steps, tokens, mark="[CLS]"):
    """Length, cosine and norm along each token's path, one line for each token; tokens called `mark` stand out.

    steps: a `geometry.Steps`, with arrays (n_layers, n). Returns the three axes. Source: L Fig. 22.

    >>> from tutorial_lib.geometry import steps
    >>> axes = step_curves(steps([[[3.0, 0.0]], [[0.0, 4.0]]]), ["mouse"])
    >>> [ax.lines[0].get_ydata().tolist() for ax in axes]
    [[5.0], [0.0], [3.0, 4.0]]
    """
    fig, axes = plt.subplots(1, 3, figsize=(7.6, 2.8))
    drawn = ((steps.lengths, "length of the step"), (steps.cosines, "cosine, before to after"), (steps.norms, "norm"))
    for ax, (values, name) in zip(axes, drawn, strict=True):
        for j, token in enumerate(tokens):
            x = np.arange(len(values)) + (len(values) < len(steps.norms))  # a step is named by the layer that makes it
            style = dict(color=ROLES["[CLS]"], linewidth=2.2) if token == mark else dict(color=COLORS[0], alpha=0.55)
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
    fig, ax = plt.subplots(figsize=(7.0, 3.4))
    for color, marker, (name, values) in zip(COLORS, "os^vDPX", curves.items(), strict=False):
        color = ROLES.get(name, color)
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
