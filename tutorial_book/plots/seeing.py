"""Figures of the chapter on seeing high dimensions: lengths and angles in them, pictures, shares of variance.

Sources: L 2.3 (Figures 1-3).
"""

from itertools import repeat

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import draw_outlines, legend_below, panel_grid
from tutorial_lib.geometry import distributions

MARKERS = "osD^vX"


def concentration(clouds):
    """Lengths and cosines of random vectors, one outline for each entry (label -> (n, d)).

    Lengths are divided by their average.

    >>> left, right = concentration({"d = 3": np.eye(3) + 1})
    >>> left.get_xlabel(), right.get_xlabel()
    ('length / average length', 'cosine of a pair')
    """
    _, (left, right) = panel_grid(2, size=(7.4, 2.9))
    measured = {label: distributions(X) for label, X in clouds.items()}
    lengths = {label: one.norms / one.norms.mean() for label, one in measured.items()}
    draw_outlines(left, lengths, np.linspace(0, 2.5, 101), lines=repeat("-"))
    cosines = {label: one.cosines for label, one in measured.items()}
    draw_outlines(right, cosines, np.linspace(-1, 1, 101), lines=repeat("-"))
    left.set(xlabel="length / average length", ylabel="density")
    right.set(xlabel="cosine of a pair", ylabel="density")
    left.legend()
    return left, right


def grouped_points(clouds, groups, names=None, columns=3, axes=None, joined=False):
    """Points in the plane, a panel for each entry (title -> (n, 2)), told apart by color and shape.

    groups: n whole numbers from 0; names: what they mean, for a legend. axes: the names of the two coordinates; None
    leaves out ticks as well, for pictures whose coordinates mean nothing. joined: lines join each group's points in
    order, closed. One scale for both directions.

    >>> [ax] = grouped_points({"two points": [[0, 0], [1, 2]]}, groups=[0, 1], names=["a", "b"])
    >>> ax.get_title(), [t.get_text() for t in ax.figure.legends[0].get_texts()]
    ('two points', ['a', 'b'])
    """
    groups = as_array(groups).astype(int)
    columns = min(columns, len(clouds))
    each = (0, min(6 / columns, 2.7) + 0.25)
    _, grid = panel_grid(len(clouds), columns, size=(7.6, 0.3 if names else 0), each=each)
    for ax, (title, Y) in zip(grid, clouds.items()):
        Y = as_array(Y)
        if Y.shape != (len(groups), 2):
            raise ValueError(f"clouds must hold one point in the plane for each of {len(groups)} groups, got {Y.shape}")
        for group in range(groups.max() + 1):
            own = Y[groups == group]
            look = {"color": COLORS[group], "marker": MARKERS[group], "label": names[group] if names else None}
            ax.scatter(*own.T, s=9, linewidths=0, alpha=0.8, **look)
            if joined:
                ax.plot(*np.concatenate([own, own[:1]]).T, color=COLORS[group], linewidth=0.7)
        ax.set_title(title)
        ax.set_aspect("equal", adjustable="datalim")
        if axes is None:
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_visible(True)
        else:
            ax.set(xlabel=axes[0], ylabel=axes[1])
    if names:
        legend_below(grid[0], ncols=len(names), markerscale=2)
    return grid


def explained_variance(curves):
    """The share of variance that the first directions hold together, a curve for each entry (label -> shares).

    >>> ax = explained_variance({"a cube": [0.5, 0.5]})
    >>> ax.lines[0].get_ydata().tolist()
    [50.0, 100.0]
    """
    _, ax = plt.subplots(figsize=(6.4, 3.1))
    for marker, (label, shares) in zip(MARKERS, curves.items(), strict=False):
        total = 100 * np.cumsum(as_array(shares))
        ax.plot(range(1, len(total) + 1), total, marker=marker, markersize=5, label=label)
    ax.set(xlabel="number of directions", ylabel="variance in them (%)", ylim=(0, 105), xticks=range(1, len(total) + 1))
    ax.legend(loc="lower right")
    return ax
