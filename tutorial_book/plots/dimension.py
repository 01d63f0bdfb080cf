"""Figures of "Dimension, scale by scale": one point at several scales, and dimensions by scale."""

import numpy as np
from matplotlib.patches import Circle

from tutorial_book.plots.base import COLORS, ROLES, TINTS, as_array
from tutorial_book.plots.parts import draw_curve, note, panel_grid, ticks


def seen_from(X, k, scales, point=0):
    """Draw a point of the plane with its k nearest neighbors and as many again, and the dimension at each scale.

    X: (n, 2). scales: rows (k, dimension, radius), from `dimension_by_scale`; that of k is marked. The left panel
    reaches slightly beyond neighbor 2k.

    >>> X = [[0, 0], [1, 0], [0, 2], [3, 3]]
    >>> left, _ = seen_from(X, 1, [(1, 1.2, 2.0)])
    >>> left.get_title()
    'radius grows by 100 %'
    """
    X = as_array(X)
    figure, (left, right) = panel_grid(2, size=(8.6, 4.0))
    figure.phone = {"columns": 2, "panel_height": 2.1}
    here = X[point]
    near, far = np.sort(np.linalg.norm(X - here, axis=1))[[k, 2 * k]]  # the nearest of all is the point itself
    for radius, role in ((far, "second text"), (near, "first text")):
        look = {"facecolor": TINTS[role], "edgecolor": ROLES[role], "linewidth": 1.2}
        left.add_patch(Circle(here, radius, **look))
    left.plot(*X.T, "o", ms=2.5, color="0.35", mew=0, zorder=2)
    left.plot(*here, "o", ms=5, color="black", zorder=3)
    reach = 1.35 * far
    left.set(xlim=(here[0] - reach, here[0] + reach), ylim=(here[1] - reach, here[1] + reach), aspect="equal")
    left.set_xticks([])
    left.set_yticks([])
    left.spines[:].set_visible(False)
    left.set_title(f"radius grows by {100 * (far / near - 1):.0f} %", fontsize=9)
    by_k = {one[0]: one[1] for one in scales}
    draw_curve(right, list(by_k.values()), list(by_k), color=ROLES["the rest"], marker="o", ms=4)
    right.plot(k, by_k[k], "o", ms=9, color=COLORS[1])
    note(right, f"{by_k[k]:.1f}", (k, by_k[k]), (0, 12), ha="center", fontsize=11)
    right.set(xscale="log", xlabel="neighbors k", xlim=(0.6, 1.6 * max(by_k)), ylim=(0, 1.25 * max(by_k.values())))
    right.set_title("dimension", fontsize=9)
    ticks(right.xaxis, list(by_k)[::2], "{}")
    return left, right
