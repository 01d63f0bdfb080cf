"""The figure of difference vectors in the chapter on meaning. Source: L 4.4.2 (Figure 24)."""

import numpy as np

from tutorial_book.plots.base import as_array
from tutorial_book.plots.charts import groups
from tutorial_book.plots.parts import arrow


def difference_arrows(points, labels, origin, shares):
    """Draw difference vectors as points in the plane, and their averages as arrows from `origin`.

    points: (n, 2); labels: n names of contrasts; origin: the position of the zero vector, (2,). shares: of the
    variance, for the two axes.

    >>> ax = difference_arrows([[1, 0], [3, 0], [0, 2]], ["a", "a", "b"], [0, 0], [0.5, 0.25])
    >>> [tuple(map(float, arrow.xy)) for arrow in ax.texts]
    [(2.0, 0.0), (0.0, 2.0)]
    """
    points, labels = as_array(points), np.asarray(labels)
    names = [f"PC {i} ({100 * share:.0f} % of the variance)" for i, share in enumerate(shares, 1)]
    [ax] = groups({"": points}, labels, axes=names)
    for group in list(ax.lines):
        group.set_alpha(0.4)  # to make the arrows' tips visible
        tip = points[labels == group.get_label()].mean(axis=0)
        arrow(ax, origin, tip, group.get_color(), linewidth=2.2, mutation_scale=18)
    ax.plot(*origin, "+", color="black", markersize=9)
    return ax
