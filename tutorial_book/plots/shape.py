"""Figures of the chapter on the shape of clouds: anisotropy, TwoNN's ratio and line, dimensions, layer profiles.

Sources: A 2.3, 2.4, 4.1.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from tutorial_book.plots.base import COLORS, TINTS, as_array
from tutorial_book.plots.parts import (
    MARKERS,
    arrow,
    by_layer,
    draw_curve,
    note,
    panel_grid,
    write,
)
from tutorial_lib.geometry import anisotropy, average_cosine, intrinsic_dimension, neighbor_ratios


def flat_clouds(clouds, reach=None):
    """Draw points in the plane with the origin marked, a panel for each entry (title -> (n, 2)).

    Below each title are the cloud's anisotropy and average cosine. reach: the ends of the axes, to make several such
    figures comparable; default: those of the points.

    >>> [ax] = flat_clouds({"a line": [[1, 1], [2, 2], [3, 3]]})
    >>> ax.get_title().splitlines()
    ['a line', 'anisotropy 1.00', 'average cosine 1.00']
    """
    _, axes = panel_grid(len(clouds), size=(0, 2.9), each=(2.2, 0))
    reach = reach or 1.05 * max(np.abs(as_array(X)).max() for X in clouds.values())
    for ax, (title, X) in zip(axes, clouds.items()):
        X = as_array(X)
        ax.plot(*X.T, ".", ms=3, color=COLORS[0], alpha=0.6, mew=0)
        ax.plot(0, 0, "+", ms=12, mew=2, color=COLORS[1])
        cosine = round(average_cosine(X), 2) + 0.0  # no "-0.00"
        numbers = f"anisotropy {anisotropy(X):.2f}\naverage cosine {cosine:.2f}"
        ax.set(aspect="equal", xlim=(-reach, reach), ylim=(-reach, reach), xticks=[0], yticks=[0])
        ax.set_title(f"{title}\n{numbers}", fontsize=9)
    return axes


def two_neighbors(clouds, ratios):
    """Draw a point and its two nearest neighbors in each of `clouds`, and the distribution of their ratios.

    clouds: title -> (n, 2) points; the point nearest to their middle is shown. ratios: dimension -> ratios mu, whose
    cumulative shares are dots; the line is the law, 1 - mu^(-d).

    >>> thread, _ = two_neighbors({"thread": [[0, 0], [1, 0], [-2, 0], [3, 0], [-2.2, 0]]}, {1: [1.5, 2.0, 3.0]})
    >>> thread.get_title()
    'thread: μ = 2.0'
    """
    figure, axes = panel_grid(len(clouds) + 1, size=(9.2, 3.1))
    figure.phone = {"columns": 1, "panel_height": 2.6}
    for ax, (title, X) in zip(axes, clouds.items()):
        X = as_array(X)
        here = X[np.linalg.norm(X - X.mean(0), axis=1).argmin()]
        away = np.linalg.norm(X - here, axis=1)
        first, second = away.argsort()[1:3]
        r_1, r_2 = away[[first, second]]
        for radius, color in ((r_2, TINTS["second text"]), (r_1, TINTS["first text"])):
            ax.add_patch(plt.Circle(here, radius, facecolor=color, edgecolor="0.5", linewidth=0.8))
        ax.plot(*X.T, "o", ms=4, color="0.45", mew=0)
        for k, name, color in ((first, "$r_1$", COLORS[0]), (second, "$r_2$", COLORS[1])):
            arrow(ax, here, X[k], color, linewidth=1.6)
            beside = [here[1] - X[k, 1], X[k, 0] - here[0]] / away[k]  # of the arrow, outside both circles
            write(ax, *(X[k] + 0.5 * r_2 * beside + 0.35 * (X[k] - here)), name, color=color)
        ax.plot(*here, "o", ms=6, color="black")
        reach = max(2.4 * r_2, 1.1 * np.sort(away)[min(7, len(away) - 1)])
        ax.set(xlim=(here[0] - reach, here[0] + reach), ylim=(here[1] - reach, here[1] + reach), aspect="equal")
        ax.spines[:].set_visible(False)
        ax.set(xticks=[], yticks=[], title=f"{title}: μ = {r_2 / r_1:.1f}")
    grid, last = np.linspace(1, 3, 200), axes[-1]
    for color, marker, (d, mu) in zip(COLORS, MARKERS, ratios.items()):
        mu = np.sort(as_array(mu))
        last.plot(grid, 1 - grid**-d, color=color)
        some = np.linspace(0, len(mu) - 1, min(25, len(mu))).astype(int)
        last.plot(mu[some], (some + 0.5) / len(mu), marker, ms=4, color=color)
        note(last, f"d = {d}", (3, 1 - 3.0**-d), color=color)
    last.set(xlim=(1, 3), ylim=(0, 1.03), xlabel="μ", title="share of points with a ratio up to μ")
    return axes


def sketches(clouds):
    """Draw points in space seen from the side, a panel for each entry (title -> (n, 3), values for the colors).

    >>> [ax] = sketches({"two": ([[0, 0, 0], [1, 1, 1]], [0, 1])})
    >>> ax.get_title()
    'two'
    """
    figure, axes = panel_grid(len(clouds), size=(0, 2.5), each=(2.9, 0))
    figure.phone = {"columns": 2, "panel_height": 1.9}
    around, above = np.radians([35, 22])
    across = [np.cos(around), np.sin(around), 0]
    up = [np.sin(around) * np.sin(above), -np.cos(around) * np.sin(above), np.cos(above)]
    colors = ListedColormap(plt.get_cmap("viridis")(np.linspace(0.2, 0.9, 256)))  # the ends of the axes are hidden
    for ax, (title, (X, values)) in zip(axes, clouds.items()):
        X = as_array(X)
        X = (X - X.mean(0)) / np.abs(X - X.mean(0)).max()
        depth = np.cross(across, up) @ X.T
        order = depth.argsort()
        ax.scatter(X[order] @ across, X[order] @ up, s=7, c=as_array(values)[order], cmap=colors, linewidths=0)
        ax.set(aspect="equal", xticks=[], yticks=[], title=title)
        ax.spines[:].set_visible(False)
    return axes


def one_coordinate(added, curves, layer):
    """Draw each coordinate's part of the average cosine of a layer, and that cosine by layer, one labeled curve for
    each entry of `curves` (label -> values).

    >>> left, right = one_coordinate([0.01, 0.1], {"all": [0.1, 0.2]}, layer=1)
    >>> [text.get_text() for text in left.texts]
    ['coordinate 1: 0.10']
    """
    added = as_array(added)
    figure, (left, right) = panel_grid(2, size=(9.2, 3.2))
    figure.phone = {"columns": 1, "panel_height": 2.6}
    left.vlines(range(len(added)), 0, added, color=COLORS[0], linewidth=1.2)
    most = int(added.argmax())
    note(left, f"coordinate {most}: {added[most]:.2f}", (most, added[most]), (-6, -4), ha="right", fontsize=10)
    left.set(xlabel="coordinate", ylim=(min(0, added.min()), 1.08 * added.max()))
    left.set_title(f"what each coordinate adds in layer {layer}")
    for color, marker, (label, values) in zip(COLORS, MARKERS, curves.items()):
        draw_curve(right, values, color=color, marker=marker, ms=5)
        at = len(values) - 2
        note(right, label, (at, values[at]), (-8, 6), ha="right", va="bottom", color=color, fontsize=10)
    by_layer(right, title="average cosine")
    right.set_ylim(0, 1.2 * max(map(max, curves.values())))
    return left, right


def ratio_lines(clouds, discard=0.1):
    """Draw TwoNN's plane, log(mu) against -log(1 - F), per entry (label -> points), with the fitted line.

    Filled markers are fitted, hollow ones are the share `discard` of largest ratios.

    >>> ax = ratio_lines({"plane": np.random.default_rng(0).random((200, 2))})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['plane: slope 2.0']
    """
    _, ax = plt.subplots(figsize=(6.8, 3.3))
    for color, marker, (label, X) in zip(COLORS, MARKERS, clouds.items()):
        x = np.log(neighbor_ratios(X))
        N, kept = len(x), int(len(x) * (1 - discard))
        y = -np.log(1 - np.arange(1, N) / N)  # the last would be infinite
        slope = intrinsic_dimension(X, discard=discard)
        look = {"color": color, "marker": marker, "ls": "", "ms": 4}
        ax.plot(x[:kept], y[:kept], **look)
        ax.plot(x[kept:-1], y[kept:], mfc="none", **look)
        end = min(x[-2], y[-1] / slope)
        ax.plot([0, end], [0, slope * end], color=color, label=f"{label}: slope {slope:.1f}")
    ax.set(xlabel="log(μ) = log(r2 / r1)", ylabel="-log(1 - F(μ))", xlim=(0, 2.5), ylim=(0, 6))
    ax.legend()
    return ax
