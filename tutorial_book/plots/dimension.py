"""Figures of "Dimension, scale by scale": one point seen from nearer and farther, and dimensions by scale."""

import numpy as np
from matplotlib.patches import Circle

from tutorial_book.plots.base import COLORS, ROLES, TINTS, as_array
from tutorial_book.plots.parts import LINES, MARKERS, by_layer, draw_curve, legend_below, note, panel_grid, ticks


def seen_from(X, k, scales, point=0):
    """Left: a point of the plane with its k nearest neighbors and as many again. Right: the dimension at each scale.

    X: (n, 2). scales: rows (k, dimension, radius), as `dimension_by_scale` gives them; that of k is marked. The left
    panel reaches a little beyond neighbor 2k.

    >>> X = [[0, 0], [1, 0], [0, 2], [3, 3]]
    >>> left, _ = seen_from(X, 1, [(1, 1.2, 2.0)])
    >>> left.get_title()
    'radius grows by 100 %'
    """
    X = as_array(X)
    figure, (left, right) = panel_grid(2, size=(8.6, 4.0))
    figure.phone = {"columns": 2, "panel_height": 2.1}
    here = X[point]
    near, far = np.sort(np.linalg.norm(X - here, axis=1))[[k, 2 * k]]  # the nearest of all is itself
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


def by_scale(panels):
    """Dimensions by scale, on log axes: a panel for each entry (label of the axis -> {label -> (scales, values)}).

    >>> [ax] = by_scale({"neighbors k": {"a sheet": ([1, 2], [2.0, 1.9])}})
    >>> ax.get_xlabel(), [line.get_label() for line in ax.lines]
    ('neighbors k', ['a sheet'])
    """
    figure, axes = panel_grid(len(panels), size=(1.2, 3.4), each=(3.3, 0), ylabel="dimension", sharey=True)
    figure.phone = {"columns": 1, "panel_height": 2.6}
    for ax, (xlabel, curves) in zip(axes, panels.items()):
        _draw(ax, curves)
        ax.set(xscale="log", yscale="log", xlabel=xlabel)
        low, high = ax.get_ylim()
        ticks(ax.yaxis, [one for one in (1, 1.5, 2, 3, 5, 10, 20, 50, 100) if low <= one <= high])
    legend_below(axes[0], ncols=3)
    return axes


def groups(k, shares, dimensions):
    """Left: which share of neighbors k has what in common. Right: dimensions. Both by k, label -> values.

    >>> left, right = groups([1, 2], {"same type": [0.6, 0.5]}, {"by lot": [8, 9]})
    >>> left.get_ylabel(), right.lines[0].get_ydata().tolist()
    ('share of neighbors', [8.0, 9.0])
    """
    figure, axes = panel_grid(2, size=(8.6, 3.5))
    figure.phone = {"columns": 1, "panel_height": 2.6}
    for ax, curves, label in zip(axes, (shares, dimensions), ("share of neighbors", "dimension")):
        _draw(ax, {name: (k, values) for name, values in curves.items()})
        ax.set(xscale="log", xlabel="neighbors k", ylabel=label, ylim=(0, None))
        ticks(ax.xaxis, k, "{}")
        ax.legend(fontsize=9)
    return axes


def profiles(panels, first=0):
    """A panel for each entry (title -> {label -> values by layer}); a model that learned nothing is gray.

    Values are a row, or several rows of repeats: then the line is their mean and the band their range. first: the layer
    of the first value. A label that ends with "shuffled" is dashed.

    >>> [ax] = profiles({"k = 2": {"as it is": [[5, 6], [5, 8]], "untrained": [9, 9]}}, first=1)
    >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
    ([1, 2], [5.0, 7.0])
    """
    figure, axes = panel_grid(len(panels), size=(0, 3.2), each=(3.0, 0))
    figure.phone = {"columns": 1, "panel_height": 2.4}
    for ax, (title, curves) in zip(axes, panels.items()):
        for label, values in curves.items():
            raw, mixed = label.startswith("untrained"), label.endswith("shuffled")
            color = ROLES["the rest"] if raw else COLORS[int(mixed)]
            look = {"color": color, "linestyle": "--" if mixed else "-", "marker": "s" if raw else "o", "ms": 4}
            values = np.atleast_2d(as_array(values))
            layers = np.arange(values.shape[1]) + first
            draw_curve(ax, (values.mean(0), values.min(0), values.max(0)), layers, label=label, **look)
        by_layer(ax, title=title, ylim=(0, None))
    legend_below(axes[0], ncols=2)
    return axes


def _draw(ax, curves):
    for color, line, marker, (label, (x, values)) in zip(COLORS, LINES, MARKERS, curves.items()):
        draw_curve(ax, values, x, color=color, linestyle=line, marker=marker, ms=5, label=label)
