"""Figures of the chapter on seeing high dimensions: lengths and angles in them, pictures, shares of variance.

Sources: L 2.3 (Figures 1-3).
"""

from itertools import repeat

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import bare, draw_outlines, legend_below, note, panel_grid, rows
from tutorial_lib.geometry import distributions

MARKERS = "osD^vX"


def concentration(clouds):
    """Lengths and cosines of random vectors, one outline for each entry (label -> (n, d)).

    Lengths are divided by their average.

    >>> left, right = concentration({"d = 3": np.eye(3) + 1})
    >>> left.get_xlabel(), right.get_xlabel()
    ('length / average length', 'cosine of a pair')
    """
    _, (left, right) = panel_grid(2, size=(7.4, 2.6))
    measured = {label: distributions(X) for label, X in clouds.items()}
    lengths = {label: one.norms / one.norms.mean() for label, one in measured.items()}
    draw_outlines(left, lengths, np.linspace(0, 2.5, 101), lines=repeat("-"))
    cosines = {label: one.cosines for label, one in measured.items()}
    draw_outlines(right, cosines, np.linspace(-1, 1, 101), lines=repeat("-"))
    left.set(xlabel="length / average length", ylabel="density")
    right.set(xlabel="cosine of a pair", ylabel="density")
    left.legend()
    return left, right


def grouped_points(clouds, groups, names=None, columns=3, axes=None, joined=False, height=None):
    """Points in the plane, a panel for each entry (title -> (n, 2)), told apart by color and shape.

    groups: n whole numbers from 0; names: what they mean, for a legend. axes: the names of the two coordinates; None
    leaves out ticks as well, for pictures whose coordinates mean nothing. joined: lines join each group's points in
    order, closed. height: of a row, in inches; default: by the width of a panel. One scale for both directions.

    >>> [ax] = grouped_points({"two points": [[0, 0], [1, 2]]}, groups=[0, 1], names=["a", "b"])
    >>> ax.get_title(), [t.get_text() for t in ax.figure.legends[0].get_texts()]
    ('two points', ['a', 'b'])
    """
    groups = as_array(groups).astype(int)
    columns = min(columns, len(clouds))
    each = (0, height or min(6 / columns, 2.7) + 0.25)
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
    _, ax = plt.subplots(figsize=(7.4, 2.9))
    for marker, (label, shares) in zip(MARKERS, curves.items()):
        total = 100 * np.cumsum(as_array(shares))
        ax.plot(range(1, len(total) + 1), total, marker=marker, markersize=5, label=label)
    ax.set(xlabel="number of directions", ylabel="variance in them (%)", ylim=(0, 105), xticks=range(1, len(total) + 1))
    ax.legend(loc="lower right")
    return ax


def by_hand(X):
    """PCA of a few points in the plane: their shadows on the best direction, and the variance along all directions.

    >>> left, right = by_hand([[0, 0], [2, 1], [1, 2], [3, 3]])
    >>> [t.get_text() for t in right.texts]
    ['most: 3.00, 90 %', 'least: 0.33, 10 %']
    """
    X = as_array(X)
    middle, covariance = X.mean(0), np.cov(X.T)
    _, (left, right) = panel_grid(2, size=(7.4, 2.9))
    (low, high), (second, first) = (each.T for each in np.linalg.eigh(covariance))
    for u, color, name in ((first, COLORS[0], "first direction"), (second, COLORS[1], "second")):
        u = u * np.sign(u.sum() or u[0])
        left.plot(*np.stack([middle - 2.6 * u, middle + 2.6 * u]).T, color=color, linewidth=1.5)
        note(left, name, middle + 2.6 * u, (-4, 8), color=color, ha="right" if name == "first direction" else "left")
    for x in X:
        foot = middle + (x - middle) @ first * first
        left.plot(*np.stack([x, foot]).T, color="#808080", linewidth=1)
        left.plot(*foot, "o", color=COLORS[0], markersize=5)
        left.plot(*x, "o", color="black", markersize=7)
        note(left, f"({x[0]:g}, {x[1]:g})", x, (8, -8), fontsize=10)
    left.set(aspect="equal", title="Four points and their shadows", xticks=range(4), yticks=range(4))
    left.set_ylim(-0.6, 3.9)
    left.set(xlabel="first coordinate", ylabel="second coordinate")
    degrees = np.arange(181)
    turned = np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], axis=1)
    variances = np.einsum("ni,ij,nj->n", turned, covariance, turned)
    right.plot(degrees, variances, color="black")
    for name, value, color, up in (("most", high, COLORS[0], 10), ("least", low, COLORS[1], -12)):
        place = np.abs(variances - value).argmin()
        right.plot(degrees[place], value, "o", color=color, markersize=8)
        label = f"{name}: {value:.2f}, {value / (low + high):.0%}".replace("%", " %")
        note(right, label, (degrees[place], value), (0, up), color=color, fontsize=10, ha="center")
    right.set(title="Variance along each direction", xlabel="angle of the direction (degrees)", ylabel="variance")
    right.set(xticks=range(0, 181, 45), ylim=(-0.3, 1.2 * high))
    return left, right


def crossed(clouds, groups, names):
    """Pictures of two closed curves, as `grouped_points` draws them joined, with a ring around each crossing.

    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    >>> [ax] = crossed({"two squares": np.concatenate([square, square + 0.4])}, np.repeat([0, 1], 4), ["a", "b"])
    >>> np.sort(ax.collections[-1].get_offsets().data, axis=0).round(1).tolist()
    [[0.4, 0.4], [1.0, 1.0]]
    """
    grid = grouped_points(clouds, groups, names, columns=len(clouds), joined=True, height=2.4)
    for ax, Y in zip(grid, clouds.values()):
        places = meeting_points(*(as_array(Y)[as_array(groups) == group] for group in (0, 1)))
        ax.scatter(*places.T, s=160, facecolors="none", edgecolors="black", linewidths=1.6, zorder=3)
    return grid


def meeting_points(first, second):
    """Where two closed curves in the plane, each the points in order, cross each other: (crossings, 2)."""
    r, s = first[:, None], second[None]
    dr, ds = np.roll(r, -1, axis=0) - r, np.roll(s, -1, axis=1) - s
    area = dr[..., 0] * ds[..., 1] - dr[..., 1] * ds[..., 0]
    gap = s - r
    with np.errstate(divide="ignore", invalid="ignore"):  # edges that are parallel never meet
        along_first = (gap[..., 0] * ds[..., 1] - gap[..., 1] * ds[..., 0]) / area
        along_second = (gap[..., 0] * dr[..., 1] - gap[..., 1] * dr[..., 0]) / area
    meet = (0 <= along_first) & (along_first < 1) & (0 <= along_second) & (along_second < 1)
    return (r + np.where(meet, along_first, 0)[..., None] * dr)[meet]


def group_gaps(clouds, groups, names):
    """Pictures of three groups, as `grouped_points` draws them, with lines from the first center to the other two.

    >>> three = [[0, 0], [1, 0], [0, 6]]
    >>> [ax] = group_gaps({"truth": three}, [0, 1, 2], ["a", "b", "c"])
    >>> [t.get_text() for t in ax.texts]
    ['1.0', '6.0']
    """
    grid = grouped_points(clouds, groups, names, height=1.85)
    groups = as_array(groups)
    for ax, Y in zip(grid, clouds.values()):
        start, *ends = (as_array(Y)[groups == group].mean(0) for group in range(3))
        for end, other in zip(ends, reversed(ends)):
            ax.plot(*np.stack([start, end]).T, color="black", linewidth=1.2)
            away, length = end - start, np.linalg.norm(end - start)
            beside = np.array([-away[1], away[0]]) / length
            beside *= -1 if beside @ (other - start) > 0 else 1  # the side on which the other line is not
            height = np.ptp(as_array(Y)[:, 1])
            share = (start + 0.5 * away - as_array(Y).min(0))[1] / height if height else 0.5
            beside *= 1 if 0 < share + 0.35 * beside[1] < 1 else -1  # but within the panel
            place = 15 * beside * (1, 0.8)  # a number is wider than high
            note(ax, f"{length:.1f}", start + 0.5 * away, place, fontsize=10, ha="center")
        ax.margins(0.15)
    grid[0].figure.slide = {"size": (6.8, 3)}
    return grid


def hubs(clouds, followers):
    """Pictures of clouds, with lines to the point that most others count among their nearest neighbors.

    clouds: title -> (n, 2). followers: title -> (number of that point, numbers of the others).

    >>> [ax] = hubs({"three": [[0, 0], [1, 0], [0, 1]]}, {"three": (0, [1, 2])})
    >>> len(ax.collections[0].get_segments())
    2
    """
    figure, grid = panel_grid(len(clouds), size=(8.6, 2.75))
    for ax, (title, Y) in zip(grid, clouds.items()):
        Y, (hub, others) = as_array(Y), followers[title]
        ax.add_collection(LineCollection([[Y[hub], Y[other]] for other in others], colors="#808080", linewidths=0.5))
        ax.scatter(*Y.T, s=9, color=COLORS[0], linewidths=0, zorder=2)
        ax.scatter(*Y[hub], s=70, color=COLORS[1], edgecolors="white", zorder=3)
        ax.set(title=title, xticks=[], yticks=[])
        ax.spines[:].set_visible(True)
    figure.phone = {"columns": 1, "panel_height": 2.6}
    return grid


def qualities(pictures, names):
    """What each picture preserves, a panel for each number and a bar for each picture.

    pictures: title -> its numbers, one for each of names.

    >>> axes = qualities({"PCA": [0.7, 2]}, ["recall", "crossings"])
    >>> [t.get_text() for ax in axes for t in ax.texts]
    ['0.70', '2']
    """
    figure, grid = panel_grid(len(names), size=(8.8, 0.75), each=(0, 0.27 * len(pictures)), sharey=True)
    for column, (ax, name) in enumerate(zip(grid, names)):
        values = [numbers[column] for numbers in pictures.values()]
        ax.barh(range(len(values)), values, color=COLORS[0], height=0.62)
        for line, value in enumerate(values):
            note(ax, f"{value}" if isinstance(value, int) else f"{value:.2f}", (value, line), (4, 0), fontsize=10)
        ax.set(title=name, xticks=[], xlim=(0, 1.55 * max(1, *values)))
        bare(ax)
        rows(ax, list(pictures))
    figure.phone = {"columns": 2, "panel_height": 0.5 + 0.24 * len(pictures)}
    figure.slide = {"size": (7.6, 3)}
    return grid
