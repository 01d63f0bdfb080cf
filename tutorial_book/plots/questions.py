"""Figures of the chapter on open questions: opposites, curves, kinds of tokens, rounding and pruning. L 5.2, 2.2."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import GROUPS, as_array
from tutorial_book.plots.parts import ellipse


def token_kinds(points, kinds, n_deviations=2, components=(1, 2), reach=None):
    """Draw a cloud (n, 2) as gray dots, and an ellipse for each entry of `kinds` (name -> rows of points).

    An ellipse is centered at its kind's mean and reaches n standard deviations in each direction.
    components: the numbers of the two that are shown. reach: the ends of the axes, for comparison. Source: L 5.2.

    >>> ax = token_kinds([[0, 0], [4, 0], [2, 1], [2, -1]], {"all": [0, 1, 2, 3]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()], ax.patches[0].center
    (['all'], (2.0, 0.0))
    """
    points = as_array(points)
    _, ax = plt.subplots(figsize=(6.8, 5.2), dpi=150)
    ax.plot(*points.T, ",", color="0.72", zorder=0, rasterized=True)  # as vector shapes, 30,000 dots take megabytes
    for color, style, (name, chosen) in zip(GROUPS, ("-", "--", "-.", ":", "-", "--"), kinds.items()):
        some = points[np.asarray(chosen)]
        look = {"edgecolor": color, "linestyle": style, "label": name}
        ellipse(ax, some.mean(axis=0), np.cov(some.T, bias=True), n_deviations, **look)
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    ax.set(xlabel=f"PC {components[0]}", ylabel=f"PC {components[1]}")
    if reach:
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
    return ax
