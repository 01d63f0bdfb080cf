"""Figures of the chapter on a word's vectors in context (R 11.6, L 3.2.1, L 3.2.3)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import bare, dotted, legend_below, rows


def along_a_line(places, sentences, groups):
    """Draw a row for each sentence, in the order of their positions on one axis, with a mark for its group.

    >>> ax = along_a_line([2.0, -1.0], ["A bear slept.", "We bear it."], ["animal", "verb"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['We bear it.', 'A bear slept.']
    """
    places, groups = as_array(places), np.asarray(groups)
    order = places.argsort()
    figure, ax = plt.subplots(figsize=(8.2, 0.8 + 0.215 * len(order)))
    figure.phone = {"panel_height": 0.8 + 0.2 * len(order)}
    figure.slide = {"size": (7, 5)}
    ax.hlines(range(len(order)), min(places), max(places), color="0.92", linewidth=1, zorder=0)
    dotted(ax, x=0)
    for k, group in enumerate(dict.fromkeys(groups.tolist())):
        at = np.flatnonzero(groups[order] == group)
        look = {"color": COLORS[k % 2], "mfc": "none" if k > 1 else COLORS[k], "mew": 1.6}
        ax.plot(places[order][at], at, "os"[k % 2], ms=6.5, label=group, **look)
    rows(ax, [sentences[i] for i in order])
    ax.tick_params(axis="y", labelsize=9)
    ax.set_xlabel("component 1")
    bare(ax)
    legend_below(ax, ncols=2)
    return ax
