"""Figures of the chapter on seeing high dimensions: lengths and angles in them, pictures, shares of variance.

Sources: L 2.3 (Figures 1-3).
"""


import numpy as np
from matplotlib.collections import LineCollection

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.charts import groups
from tutorial_book.plots.parts import note, panel_grid


def by_hand(X):
    """Draw PCA of a few points in the plane: their shadows on the best direction, and the variance by direction.

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


def crossed(clouds, labels):
    """Draw pictures of two closed curves, joined as in `charts.groups`, with a ring around each crossing.

    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    >>> [ax] = crossed({"two squares": np.concatenate([square, square + 0.4])}, np.repeat(["a", "b"], 4))
    >>> np.sort(ax.collections[-1].get_offsets().data, axis=0).round(1).tolist()
    [[0.4, 0.4], [1.0, 1.0]]
    """
    labels = np.asarray(labels)
    grid = groups(clouds, labels, columns=len(clouds), joined=True, height=2.4)
    for ax, Y in zip(grid, clouds.values()):
        places = meeting_points(*(as_array(Y)[labels == name] for name in dict.fromkeys(labels.tolist())))
        ax.scatter(*places.T, s=160, facecolors="none", edgecolors="black", linewidths=1.6, zorder=3)
    return grid


def meeting_points(first, second):
    """Return where two closed curves in the plane, each the points in order, cross each other: (crossings, 2)."""
    r, s = first[:, None], second[None]
    dr, ds = np.roll(r, -1, axis=0) - r, np.roll(s, -1, axis=1) - s
    area = dr[..., 0] * ds[..., 1] - dr[..., 1] * ds[..., 0]
    gap = s - r
    with np.errstate(divide="ignore", invalid="ignore"):  # parallel edges never meet
        along_first = (gap[..., 0] * ds[..., 1] - gap[..., 1] * ds[..., 0]) / area
        along_second = (gap[..., 0] * dr[..., 1] - gap[..., 1] * dr[..., 0]) / area
    meet = (0 <= along_first) & (along_first < 1) & (0 <= along_second) & (along_second < 1)
    return (r + np.where(meet, along_first, 0)[..., None] * dr)[meet]


def group_gaps(clouds, labels):
    """Draw pictures of three groups, as in `charts.groups`, with lines from the first center to the other two.

    >>> three = [[0, 0], [1, 0], [0, 6]]
    >>> [ax] = group_gaps({"truth": three}, ["a", "b", "c"])
    >>> [t.get_text() for t in ax.texts]
    ['1.0', '6.0']
    """
    labels = np.asarray(labels)
    grid = groups(clouds, labels, height=1.85)
    for ax, Y in zip(grid, clouds.values()):
        start, *ends = (as_array(Y)[labels == name].mean(0) for name in dict.fromkeys(labels.tolist()))
        for end, other in zip(ends, reversed(ends)):
            ax.plot(*np.stack([start, end]).T, color="black", linewidth=1.2)
            away, length = end - start, np.linalg.norm(end - start)
            beside = np.array([-away[1], away[0]]) / length
            beside *= -1 if beside @ (other - start) > 0 else 1  # the side without the other line
            height = np.ptp(as_array(Y)[:, 1])
            share = (start + 0.5 * away - as_array(Y).min(0))[1] / height if height else 0.5
            beside *= 1 if 0 < share + 0.35 * beside[1] < 1 else -1  # but within the panel
            place = 15 * beside * (1, 0.8)  # a number is wider than high
            note(ax, f"{length:.1f}", start + 0.5 * away, place, fontsize=10, ha="center")
        ax.margins(0.15)
    grid[0].figure.slide = {"size": (6.8, 3)}
    return grid


def hubs(clouds, followers):
    """Draw pictures of clouds, with lines to the point that most others count among their nearest neighbors.

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
