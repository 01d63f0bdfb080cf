"""The parts of figures: panels, curves with bands, outlines, rows with names, ticks, notes, boxes, legends."""

from itertools import repeat

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.patches import Ellipse, Rectangle
from matplotlib.ticker import MaxNLocator

from tutorial_book.plots.base import COLORS, WEIGHTS, as_array, frame

LINES = ("-", "--", ":", "-.")
MARKERS = "osD^vPX"
WEIGHT_TICKS = {"ticks": [0, 0.05, 0.2, 0.5, 1], "format": "%g"}  # of a color bar for `weight_map`


def panel_grid(count, columns=None, size=(7.4, 3.0), each=(0, 0), xlabel="", ylabel="", **options):
    """Create a figure, and the list of its `count` panels, `columns` of them in a row (default: all).

    size: of the figure, in inches, to which each column adds each[0] and each row each[1]. xlabel: at panels without
    another below them; ylabel: at the first of each row.
    """
    columns = min(columns or count, count)
    rows = -(-count // columns)
    size = (size[0] + each[0] * columns, size[1] + each[1] * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, **options)
    for unused in grid.flat[count:]:
        unused.axis("off")
    axes = list(grid.flat[:count])
    for ax in axes[::columns]:
        ax.set_ylabel(ylabel)
    for ax in axes[-columns:]:
        ax.set_xlabel(xlabel)
    return figure, axes


def draw_curve(ax, values, x=None, shade=0.2, **look):
    """Draw and return a line; if values are a tuple (values, low, high), with a band from low to high.

    x: default: 0, 1, 2, ... shade: how dense the band is.
    """
    with_band = isinstance(values, tuple) and np.ndim(values[0])
    values, *band = map(as_array, values if with_band else (values,))
    x = np.arange(len(values)) if x is None else x
    if band:
        ax.fill_between(x, *band, color=look["color"], alpha=shade, linewidth=0)
    return ax.plot(x, values, **look)[0]


def draw_curves(ax, entries, x=None, markers=None, lines=None, colors=COLORS, **look):
    """Draw a curve for each entry (label -> values) with `draw_curve`, in the next color, marker and line style.

    markers, lines: if not given, there are no markers, and lines are solid.
    """
    looks = zip(entries.items(), colors, markers or repeat(""), lines or repeat("-"))
    for (label, values), color, marker, line in looks:
        draw_curve(ax, values, x, color=color, marker=marker, linestyle=line, label=label, **look)


def weight_map(ax, values, most=1, **look):
    """Draw and return a matrix of weights as an image, in a thin frame and without tick marks.

    Colors follow the square root of a weight: with 20 tokens most are near 1/20, and would all look like paper.
    """
    bare(ax)
    frame(ax)
    return ax.imshow(as_array(values), norm=PowerNorm(0.5, 0, most), cmap=WEIGHTS, **look)


def bare(ax):
    """Remove the frame around the axes, and the marks at their ticks."""
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


def rows(ax, names):
    """Make one line for each name at the heights 0, 1, 2, ..., from top to bottom."""
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)


def ticks(axis, places, form="{:g}"):
    """Set ticks at exactly these positions. form: the format of a number."""
    axis.set_ticks(places, [form.format(place) for place in places])
    axis.set_ticks([], minor=True)


def by_layer(ax, **labels):
    """Show whole numbers, those of layers, on the horizontal axis. labels: other arguments of `ax.set`."""
    ax.set(xlabel="layer", **labels)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def dotted(ax, y=None, x=None, **look):
    """Draw and return a dotted line at a height, or at a position, to compare with."""
    draw, place = (ax.axhline, y) if x is None else (ax.axvline, x)
    return draw(place, **{"color": "black", "linestyle": ":", "linewidth": 1} | look)


def note(ax, text, point, offset=(5, 0), **look):
    """Write a small text next to a point. offset: from the point, in points of a letter's size."""
    look = {"fontsize": 9, "va": "center"} | look
    ax.annotate(text, point, offset, textcoords="offset points", **look)


def arrow(ax, start, end, color="black", style="-|>", **look):
    """Draw an arrow that begins and ends exactly there, or this many points before: shrinkA, shrinkB."""
    look = {"arrowstyle": style, "color": color, "shrinkA": 0, "shrinkB": 0} | look
    ax.annotate("", end, start, arrowprops=look)


def write(ax, x, y, text, **look):
    """Write a text around a point."""
    ax.text(x, y, text, ha="center", va="center", **look)


def box(ax, x, y, width=1, height=1, **look):
    """Draw a rectangle around a point."""
    ax.add_patch(Rectangle((x - width / 2, y - height / 2), width, height, **look))


def plate(pad=1.0):
    """Return the box behind a text that hides lines: `bbox=plate()`."""
    return {"facecolor": "white", "edgecolor": "none", "pad": pad}


def ellipse(ax, center, covariance, n_deviations=2, **look):
    """Draw the ellipse that reaches this many standard deviations of a cloud in each direction."""
    variances, directions = np.linalg.eigh(covariance)  # the largest comes last
    width, height = 2 * n_deviations * np.sqrt(variances[::-1])
    angle = np.degrees(np.arctan2(directions[1, 1], directions[0, 1]))
    ax.add_patch(Ellipse(tuple(map(float, center)), width, height, angle=angle, fill=False, linewidth=1.8, **look))


def legend_below(ax, ncols=2, **look):
    """Add one legend below all panels, for all labels in this one."""
    handles, labels = ax.get_legend_handles_labels()
    return ax.figure.legend(handles, labels, loc="outside lower center", ncols=ncols, **look)
