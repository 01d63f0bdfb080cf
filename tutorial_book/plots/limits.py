"""Figures of the chapter on single vectors: texts on a curve, the reach of vectors, likes, the weight of words."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import dotted, draw_curves, note, ticks


def around_the_curve(angles, scores, pair):
    """Draw one query's scores for texts at these angles (degrees), one dot each; the pair's are larger and named.

    >>> ax = around_the_curve([0, 90, 180, 270], [1, 1, 0, 0], (0, 1))
    >>> ax.lines[0].get_xdata().tolist(), ax.lines[1].get_xdata().tolist()
    ([0, 90, 180, 270], [0, 90])
    """
    angles, scores, pair = np.asarray(angles), as_array(scores), list(pair)
    _, ax = plt.subplots(figsize=(7.2, 3.0))
    ax.plot(angles, scores, "o-", color="0.45", markersize=3.5, linewidth=1)
    ax.plot(angles[pair], scores[pair], "s", color=COLORS[1], markersize=8)
    dotted(ax, scores[pair[0]])
    for one, name in zip(pair, ("i", "j")):
        note(ax, f"text {name}", (angles[one], scores[one]), (0, 11), ha="center")
    ax.set(xlabel="place on the curve (degrees)", ylabel="score")
    ax.set_ylim(None, scores.max() + 0.15 * np.ptp(scores))
    ticks(ax.xaxis, range(0, 361, 60))
    return ax


def most_texts(dimensions, climbs, law, wanted):
    """Draw the most texts of which every pair is reached, by dimension (log scale): found, and existing.

    climbs: label -> numbers, one for each dimension. law: label and the values of a fitted curve. wanted: a number of
    texts, as a dotted line. An arrow at four dimensions shows that solutions exist for every number of texts.

    >>> ax = most_texts([2, 3, 4], {"seed 0": [3, 4, 9]}, ("a law", [3, 5, 8]), 46)
    >>> [line.get_label() for line in ax.lines[:2]]
    ['seed 0', 'a law']
    """
    _, ax = plt.subplots(figsize=(7.2, 3.6))
    draw_curves(ax, climbs, dimensions, linewidth=0, markers="ox^", markersize=6)
    ax.plot(dimensions, law[1], color="0.45", linestyle="--", label=law[0])
    top = 10 * max(wanted, *map(max, climbs.values()))
    ax.plot([2, 3, 4, 4], [3, 4, 5, top], color=COLORS[2], linewidth=2, label="solutions exist")
    note(ax, "every number of texts", (4, top / 2))
    dotted(ax, wanted)
    note(ax, f"{wanted} texts", (2, wanted), (0, 7))
    ax.set(yscale="log", ylim=(2, top), xlabel="numbers in a vector, d", ylabel="texts, n (log scale)")
    ticks(ax.xaxis, dimensions)
    ticks(ax.yaxis, [n for n in (3, 10, 30, 100, 300) if n < top])
    ax.legend(loc="lower right")
    return ax
