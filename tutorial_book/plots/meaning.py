"""Figures of the chapter on meaning: groups of sentences, difference vectors, swaps, and numbers layer by layer.

Sources: L 4.4.1 (Figure 23), L 4.4.2 (Figure 24).
"""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, GROUP_MARKERS, GROUPS, as_array
from tutorial_book.plots.parts import arrow, dotted, legend_below, panel_grid, plate, rows

MARKERS = GROUP_MARKERS + "v*"


def sentence_groups(points, labels, shares=None):
    """Draw points in the plane, (n, 2), each group with a color and a marker of its own.

    labels: n names of groups. shares: the two axes' shares of the variance, written at the axes. Source: L Figure 23.

    >>> ax = sentence_groups([[0, 0], [1, 1], [2, 0]], ["a", "a", "b"], shares=[0.5, 0.2])
    >>> [text.get_text() for text in ax.get_legend().get_texts()], ax.get_xlabel()
    (['a (2)', 'b (1)'], 'PC 1 (50 % of the variance)')
    """
    points = _plane(points)
    if len(labels) != len(points):
        raise ValueError(f"labels must be one for each of the {len(points)} points, got {len(labels)}")
    _, ax = plt.subplots(figsize=(7.0, 3.6))
    _draw_groups(ax, points, labels)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    notes = ["", ""] if shares is None else [f" ({100 * share:.0f} % of the variance)" for share in shares]
    ax.set(xlabel="PC 1" + notes[0], ylabel="PC 2" + notes[1])
    return ax


def two_sides(points, labels, shares):
    """Points in space, (n, 3), from two sides: components 1 and 2, and 1 and 3. Groups and shares as `sentence_groups`.

    >>> axes = two_sides([[0, 0, 0], [1, 1, 2]], ["a", "b"], shares=[0.5, 0.2, 0.1])
    >>> [ax.get_ylabel() for ax in axes]
    ['PC 2 (20 %)', 'PC 3 (10 %)']
    """
    points = as_array(points)
    figure, axes = panel_grid(2, size=(9.2, 4.0), xlabel=f"PC 1 ({100 * shares[0]:.0f} % of the variance)")
    for axis, ax in zip((1, 2), axes):
        _draw_groups(ax, points[:, [0, axis]], labels)
        ax.set_ylabel(f"PC {axis + 1} ({100 * shares[axis]:.0f} %)")
    legend_below(axes[0], ncols=3)
    return axes


def difference_arrows(points, labels, origin, shares=None):
    """Draw difference vectors as points in the plane, and their averages as arrows from `origin`.

    points: (n, 2); labels: n names of contrasts; origin: where the zero vector falls, (2,). Source: L Figure 24.

    >>> ax = difference_arrows([[1, 0], [3, 0], [0, 2]], ["a", "a", "b"], origin=[0, 0])
    >>> [tuple(map(float, arrow.xy)) for arrow in ax.texts]
    [(2.0, 0.0), (0.0, 2.0)]
    """
    points, origin = _plane(points), as_array(origin)
    ax = sentence_groups(points, labels, shares)
    for group in ax.lines:
        group.set_alpha(0.35)  # so that the arrows' tips stand out
    for number, name in enumerate(dict.fromkeys(labels)):
        tip = points[[label == name for label in labels]].mean(axis=0)
        arrow(ax, origin, tip, _color(number), linewidth=2.2, mutation_scale=18)
    ax.plot(*origin, "+", color="black", markersize=9)
    ax.set_aspect("equal", adjustable="datalim")
    return ax


def curves_by_layer(curves, ylabel, first=0, level=None, level_name="", bands=None, band_name=""):
    """One panel for each entry of `curves` (title -> {name: (values, low, high)}): values by layer, with intervals.

    The arrays are (n_layers,); layer numbers start at `first`. level: a horizontal line, and what it is. bands:
    title -> (low, high), a gray band by layer, such as where 95 % of a null distribution lies.

    >>> [ax] = curves_by_layer({"mean": {"x": ([1, 2], [0, 1], [2, 3])}}, "value", level=0.5, level_name="chance")
    >>> [text.get_text() for text in ax.figure.legends[0].get_texts()]
    ['x', 'chance']
    """
    width = 7.4 if len(curves) > 1 else 5.4
    fig, axes = panel_grid(len(curves), size=(width, 3.0), xlabel="layer", ylabel=ylabel, sharey=True)
    for ax, (title, named) in zip(axes, curves.items()):
        for number, (name, values) in enumerate(named.items()):
            values, low, high = map(as_array, values)
            layers = np.arange(first, first + len(values))
            ax.plot(layers, values, "-" + MARKERS[number], color=COLORS[number], label=name, markersize=5)
            ax.vlines(layers, low, high, color=COLORS[number], linewidth=1.5, alpha=0.6)
        if bands is not None:
            ax.fill_between(layers, *map(as_array, bands[title]), color="0.85", label=band_name, zorder=0)
        if level is not None:
            dotted(ax, level, color="0.4", linewidth=1.5, label=level_name or None, zorder=0)
        ax.set(title=title, xticks=layers if len(layers) < 10 else layers[::2])
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper right", ncols=2)
    return axes


def group_panels(panels, labels):
    """The same sentences in several planes, a panel for each entry of `panels` (title -> (n, 2)), one legend for all.

    >>> axes = group_panels({"word counts": [[0, 0], [1, 1]], "last layer": [[0, 1], [1, 0]]}, ["a", "b"])
    >>> [ax.get_title() for ax in axes]
    ['word counts', 'last layer']
    """
    figure, axes = panel_grid(len(panels), size=(0, 3.5), each=(3.05, 0))
    figure.phone = {"columns": 1, "panel_height": 2.4}
    for ax, (title, points) in zip(axes, panels.items()):
        _draw_groups(ax, _plane(points), labels)
        ax.set(title=title, xticks=[], yticks=[])
    legend_below(axes[0], ncols=4)
    return axes


def pair_cosines(names, looks, spans):
    """A row for each pair, with a mark for each entry of `looks` (label -> a cosine for each pair).

    spans: the interval (low, high) of each of the first entry's cosines.

    >>> ax = pair_cosines(["a, b"], {"ours": [0.5], "theirs": [0.4]}, [(0.3, 0.6)])
    >>> [line.get_label() for line in ax.lines][1:]
    ['ours', 'theirs']
    """
    figure, ax = plt.subplots(figsize=(7.6, 0.9 + 0.24 * len(names)))
    figure.phone = {"panel_height": 0.9 + 0.23 * len(names)}
    figure.slide = {"size": (5.7, 3.9)}
    at, (low, high) = np.arange(len(names)), np.transpose(spans)
    dotted(ax, x=0)
    ax.hlines(at, low, high, color=COLORS[0], linewidth=2, alpha=0.6)
    for number, (label, values) in enumerate(looks.items()):
        fill = "none" if number else COLORS[0]
        marker = "osDx"[number % 4]
        ax.plot(as_array(values), at, marker, ms=6, mfc=fill, mew=1.4, color=COLORS[number], label=label)
    rows(ax, names)
    ax.set(xlim=(-1, 1), xlabel="cosine")
    legend_below(ax)
    return ax


def swap_histogram(null, marks, xlabel):
    """Histogram of the cosines of arbitrary swaps, and named marks (name -> cosine) where single swaps stand.

    >>> ax = swap_histogram([-0.1, 0.0, 0.1], {"doctor to nurse": -0.4}, "cosine")
    >>> [text.get_text() for text in ax.texts]
    ['doctor to nurse']
    """
    _, ax = plt.subplots(figsize=(6.8, 2.8))
    null = as_array(null)
    heights, _, _ = ax.hist(null, bins=40, color="0.55")
    for number, (name, value) in enumerate(marks.items()):
        height = heights.max() * (0.75 - 0.3 * (number % 3))
        ax.plot([value, value], [0, height], color=COLORS[number], linewidth=2)
        side = "left" if value < null.mean() else "right"
        ax.text(value, height * 1.04, name, color=COLORS[number], va="bottom", ha=side, bbox=plate())
    ax.set(xlabel=xlabel, ylabel="swaps")
    ax.margins(x=0.12)
    return ax


def _draw_groups(ax, points, labels):
    for number, name in enumerate(dict.fromkeys(labels)):
        chosen = points[[label == name for label in labels]]
        look = {"marker": MARKERS[number % len(MARKERS)], "color": _color(number), "markersize": 5, "alpha": 0.7}
        ax.plot(*chosen.T, linestyle="", label=f"{name} ({len(chosen)})", **look)


def _plane(points):
    points = as_array(points)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"points must have shape (n, 2), got {points.shape}")
    return points



def _color(number):
    colors = [*GROUPS, *COLORS[4:6]]
    return colors[number % len(colors)]
