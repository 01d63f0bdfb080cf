"""Figures of the chapter on open questions: opposites, curves, kinds of tokens, rounding and pruning. L 5.2, 2.2."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import GROUPS, as_array
from tutorial_book.plots.parts import by_layer, dotted, draw_curves, ellipse, legend_below, panel_grid, ticks

LOOK = {"markers": "os^Dvx", "lines": ("-", "--", "-.", ":", "-", "--"), "markersize": 4}


def opposites_by_layer(panels):
    """Average cosine of pairs, layer by layer, a panel for each entry: title -> {label: (means, low, high)}.

    low and high are drawn as a band; means alone will do.

    >>> [ax] = opposites_by_layer({"as they are": {"synonyms": ([0.5, 0.6], [0.4, 0.5], [0.6, 0.7])}})
    >>> ax.lines[-1].get_ydata().tolist()
    [0.5, 0.6]
    """
    _, axes = panel_grid(len(panels), size=(0.4, 3.1), each=(2.4, 0), ylabel="average cosine", sharey=True)
    for ax, (title, kinds) in zip(axes, panels.items()):
        ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
        draw_curves(ax, kinds, shade=0.25, **LOOK)
        by_layer(ax, title=title)
    legend_below(axes[0], ncols=len(kinds))
    return axes


def dimension_by_window(tables, windows):
    """Dimensions that a stretch of a curve needs, against its length (log scale); `tables` is label -> numbers.

    >>> dimension_by_window({"line": [1.0, 1.0]}, [3, 9]).lines[0].get_xdata().tolist()
    [3, 9]
    """
    _, ax = plt.subplots(figsize=(7.2, 3.4))
    draw_curves(ax, tables, windows, **LOOK)
    ax.set(xscale="log", xlabel="points in the stretch (log scale)", ylabel="dimensions it needs", ylim=(0, None))
    ticks(ax.xaxis, windows)
    ax.legend()
    return ax


def token_kinds(points, kinds, n_deviations=2, components=(1, 2), reach=None):
    """A cloud (n, 2) as gray dots, and an ellipse for each entry of `kinds` (name -> rows of points).

    An ellipse is centered at its kind's mean and reaches n standard deviations in each direction.
    components: the numbers of the two that are shown. reach: how far the axes go, to compare. Source: L 5.2.

    >>> ax = token_kinds([[0, 0], [4, 0], [2, 1], [2, -1]], {"all": [0, 1, 2, 3]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()], ax.patches[0].center
    (['all'], (2.0, 0.0))
    """
    points = as_array(points)
    _, ax = plt.subplots(figsize=(6.8, 5.2), dpi=150)
    ax.plot(*points.T, ",", color="0.72", zorder=0, rasterized=True)  # as shapes, 30,000 dots are megabytes
    for color, style, (name, chosen) in zip(GROUPS, ("-", "--", "-.", ":", "-", "--"), kinds.items()):
        some = points[np.asarray(chosen)]
        look = {"edgecolor": color, "linestyle": style, "label": name}
        ellipse(ax, some.mean(axis=0), np.cov(some.T, bias=True), n_deviations, **look)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    ax.set(xlabel=f"PC {components[0]}", ylabel=f"PC {components[1]}")
    if reach:
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
    return ax


def rounding_by_layer(cosines):
    """How far vectors turn, layer by layer, when weights are rounded: `cosines` is format -> those to the exact ones.

    Drawn is 1 - cosine, on a log scale, so that small turns can be told apart.

    >>> ax = rounding_by_layer({"int8": [0.75, 0.5]})
    >>> ax.lines[0].get_ydata().tolist(), ax.get_yscale()
    ([0.25, 0.5], 'log')
    """
    _, ax = plt.subplots(figsize=(7.2, 3.6))
    draw_curves(ax, {label: 1 - as_array(values) for label, values in cosines.items()}, **LOOK)
    by_layer(ax, yscale="log", ylabel="1 − cosine to the unrounded vector")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax


def pruned(panels, shares):
    """What is left when a share of the weights is 0, a panel for each entry: label of the axis -> (curves, level).

    curves: label -> (values, low, high) a share. level: of what knows nothing, as a dotted line. Source: L 2.2.

    >>> [ax] = pruned({"loss (nats)": ({"the smallest": ([1, 2], [1, 1], [1, 3])}, 5.0)}, [0, 0.5])
    >>> ax.lines[0].get_xdata().tolist(), ax.get_ylabel()
    ([0.0, 50.0], 'loss (nats)')
    """
    _, axes = panel_grid(len(panels), size=(0, 3.3), each=(3.7, 0), xlabel="% of the weights at 0")
    for ax, (label, (curves, level)) in zip(axes, panels.items()):
        draw_curves(ax, curves, 100 * as_array(shares), **LOOK)
        dotted(ax, level)
        ax.set_ylabel(label)
    legend_below(axes[0], ncols=len(curves))
    return axes
