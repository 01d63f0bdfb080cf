"""Figures of the chapter on a word in two senses: paths along an axis, accuracy by layer, listening in some layers."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, HAIRLINE, ROLES, as_array
from tutorial_book.plots.parts import dotted, draw_curves, legend_below, panel_grid

LOOK = {"markers": "os^D", "lines": ("-", "--", "-.", ":"), "markersize": 4}
PASSED = "layers passed"
READ = [*COLORS[:3], ROLES["[CLS]"]]


def fan(paths, sense, names, strip=0.3, others=()):
    """Draw each use's path along the axis, from before the first layer (bottom) to the last (top).

    paths: (n, depths), x; sense: n times 0 or 1; names: of the two senses. strip: around x = 0. others: (label, path)
    of sentences that are shown beside the uses.

    >>> ax = fan([[0.0, -1.0], [0.0, 1.0]], [0, 1], ["river", "money"])
    >>> [line.get_xdata().tolist() for line in ax.lines[-2:]]
    [[0.0, -1.0], [0.0, 1.0]]
    """
    paths, sense = as_array(paths), np.asarray(sense)
    figure, ax = plt.subplots(figsize=(7.2, 3.9))
    depths = np.arange(paths.shape[1])
    ax.axvspan(-strip, strip, color=HAIRLINE, alpha=0.4, linewidth=0)
    dotted(ax, x=0)
    for k, (name, color, marker) in enumerate(zip(names, COLORS, "os")):
        for i, path in enumerate(paths[sense == k]):
            look = {"color": color, "linewidth": 0.9, "alpha": 0.7, "markersize": 4}
            ax.plot(path, depths, marker=marker, markevery=[len(depths) - 1], label=None if i else name, **look)
    for (label, path), line in zip(others, ("-", "--", "-.")):
        ax.plot(path, depths, color="black", linewidth=1.8, linestyle=line, label=label)
    ax.set(xlabel="position on the axis", ylabel=PASSED, yticks=depths)
    legend_below(ax, ncols=2 if len(others) < 2 else 1)
    figure.phone = {"panel_height": 3.4}
    return ax


def by_layer(panels):
    """Draw curves over the layers passed, with bands: title of a panel -> {name -> (value, low, high)}.

    The fourth curve, if there is one, is that of [CLS].

    >>> axes = by_layer({"share right": {"senses": ([0.5, 0.9], [0.4, 0.8], [0.6, 1.0])}})
    >>> axes[0].lines[0].get_ydata().tolist()
    [0.5, 0.9]
    """
    figure, axes = panel_grid(len(panels), size=(7.6, 3.5), xlabel=PASSED)
    for ax, (title, curves) in zip(axes, panels.items(), strict=True):
        draw_curves(ax, curves, colors=READ, **LOOK)
        ax.set(title=title, xticks=range(len(next(iter(curves.values()))[0])))
    legend_below(axes[0], ncols=2)
    figure.phone = {"panel_height": 2.4}
    return axes


def listening(panels, ylabel="outside the strip, on its side"):
    """Draw how many words end where they do if they listen in some layers: title -> (x, {name -> (value, low, high)}).

    >>> axes = listening({"in the first layers": ([0, 1], {"senses": ([0.1, 0.7], [0.0, 0.6], [0.2, 0.8])})})
    >>> axes[0].lines[0].get_ydata().tolist()
    [0.1, 0.7]
    """
    figure, axes = panel_grid(len(panels), size=(7.6, 3.3), sharey=True, ylabel=ylabel)
    for ax, (title, (x, curves)) in zip(axes, panels.items(), strict=True):
        draw_curves(ax, curves, x, **LOOK)
        ax.set(title=title, xticks=x, ylim=(-0.03, 1.05), xlabel="layer" if x[0] else "number of layers")
        ax.yaxis.set_major_formatter("{x:.0%}")
    legend_below(axes[0], ncols=1)
    figure.phone = {"panel_height": 2.4}
    return axes
