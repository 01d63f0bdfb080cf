"""Figures of the chapter on the way through the layers: paths, their steps, and where groups of them part.

Sources: L 4.3 (Figs. 20-22).
"""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array
from tutorial_book.plots.parts import MARKERS, arrow, legend_below, note, panel_grid
from tutorial_lib.geometry import pca


def drifting(distances, texts):
    """For each word two dots after each layer, as far apart as its vectors in two texts.

    distances: word -> (n_layers + 1,). texts: a name for each of the two.

    >>> axes = drifting({"mouse": [0.0, 1.5]}, ["cat", "computer"])
    >>> [text.get_text() for text in axes[0].texts]
    ['0.0', '1.5']
    """
    most = max(map(max, distances.values()))
    figure, axes = panel_grid(len(distances), size=(0.4, 3.1), each=(3.6, 0), sharey=True)
    figure.phone = {"columns": 1, "panel_height": 2.6}
    for ax, (word, apart) in zip(axes, distances.items()):
        layers, half = range(len(apart)), as_array(apart) / 2
        ax.hlines(layers, -half, half, color="#AAAAAA", lw=1)
        for sign, name, marker in zip((-1, 1), texts, MARKERS):
            color = ROLES["first text" if sign < 0 else "second text"]
            ax.plot(sign * half, layers, color=color, marker=marker, markersize=7, lw=1.2, label=name)
        for layer, d in zip(layers, apart):
            note(ax, f"{d:.1f}", (half[layer], layer), (9, 0), fontsize=10)
        ax.set(title=f"“{word}”", xlim=(-0.62 * most, 0.75 * most), xticks=[], yticks=layers)
        ax.spines["bottom"].set_visible(False)
    axes[0].set_ylabel("layers passed")
    legend_below(axes[0])
    return axes


def layer_paths(panels, columns=2):
    """Draw paths through the layers in the plane of their two principal components, one panel for each entry.

    panels: title -> paths (n_layers + 1, n, d), with their own PCA each. An open circle is the start; the title gives
    the plane's share of the variance. Source: L Fig. 21.

    >>> [ax] = layer_paths({"a turn": [[[0.0, 0.0]], [[3.0, 0.0]], [[3.0, 1.0]]]})
    >>> ax.get_title()
    'a turn (100 %)'
    """
    side = min(3.7, 7.8 / columns)
    _, axes = panel_grid(len(panels), columns, size=(0, 0), each=(side, 0.85 * side))
    for ax, (title, paths) in zip(axes, panels.items()):
        Y, share = _in_a_plane(paths)
        for j in range(Y.shape[1]):
            color = COLORS[j % len(COLORS)]
            ax.plot(*Y[:, j].T, color=color, linewidth=1.3, marker="o", markersize=3)
            ax.plot(*Y[0, j], "o", color=color, markerfacecolor="white", markersize=7)
        ax.set(xlabel="PC 1", ylabel="PC 2", title=f"{title} ({share:.0f} %)")
        ax.margins(0.12)
    return axes


def last_jump(paths, tokens, together=()):
    """Draw paths (n_layers + 1, n, d) in the plane of their two principal components, the last step as an arrow.

    tokens: n names, each written at the end of its path, once for tokens with the same name. together: the names that
    are drawn in a second color. An open circle is the start. Source: L Fig. 20.

    >>> ax = last_jump([[[0.0, 0.0]], [[3.0, 0.0]], [[3.0, 1.0]]], ["mouse"])
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['mouse']
    """
    Y, share = _in_a_plane(paths)
    _, ax = plt.subplots(figsize=(7.4, 4.0))
    ax.figure.phone = {"panel_height": 3.4}  # space between the names
    ends = {}
    for j, name in enumerate(tokens):
        color = COLORS[1] if name in together else COLORS[0]
        ax.plot(*Y[:-1, j].T, color=color, linewidth=1, alpha=0.7)
        ax.plot(*Y[0, j], "o", color=color, markerfacecolor="none", markersize=5)
        arrow(ax, Y[-2, j], Y[-1, j], color, style="->", linewidth=1.4)
        ends[name] = (j, color)
    ax.margins(0.1)
    first = [j for j, _ in ends.values()]
    aside = np.sign(Y[-1, first, 0] - Y[:-1, first, 0].mean(0))  # a label is at a distance from its path
    width, height = np.ptp(Y, axis=(0, 1))
    places = Y[-1, first] + np.outer(aside, [0.015 * width, 0])
    places[:, 1] = _spread(places + np.outer(aside, [0.05 * width, 0]), 0.12 * width, 0.08 * height)[:, 1]
    for (name, (_, color)), place, side in zip(ends.items(), places, aside, strict=True):
        label = name if any(map(str.isalnum, name)) else f"“{name}”"  # a single full stop looks like a speck
        ax.text(*place, label, fontsize=9, color=color, va="center", ha="right" if side < 0 else "left")
    ax.set(xlabel="PC 1", ylabel="PC 2", title=f"{share:.0f} % of the variance")
    return ax


def _spread(points, width, height):
    """Place labels around points (n, 2): if two of this size would overlap, the upper one moves up."""
    places, done = points.copy(), []
    for i in np.argsort(points[:, 1]):
        while any(abs(places[i, 0] - x) < width and abs(places[i, 1] - y) < height for x, y in done):
            places[i, 1] += height / 8
        done.append(places[i])
    return places


def _in_a_plane(paths):
    """Return paths in the plane of their two principal components, and its share of the variance, in %.
    """
    paths = as_array(paths)
    if paths.ndim != 3:
        raise ValueError(f"paths must have shape (n_layers + 1, n, d), got {paths.shape}")
    picture = pca(paths.reshape(-1, paths.shape[-1]))
    return picture.coordinates.reshape(*paths.shape[:2], 2), 100 * picture.shares.sum()
