"""Figures of the chapter on a word in two senses: paths along an axis, accuracy by layer, listening in some layers."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, HAIRLINE, as_array
from tutorial_book.plots.parts import dotted, legend_below

PASSED = "layers passed"


def fan(paths, sense, names, strip=0.3, others=()):
    """Draw each use's path along the axis, from before the first layer (bottom) to the last (top).

    paths: (n, depths), x; sense: n times 0 or 1; names: of the two senses. strip: around x = 0. others: (label, path)
    of sentences that are shown with the uses.

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
