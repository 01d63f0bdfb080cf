"""What all figures share: one style, one palette, one way to draw a matrix."""

import sys
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import cycler
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from tutorial_book.page.layouts import with_layouts
from tutorial_lib.views import notebook

# Okabe and Ito's palette, also distinguishable by color-blind readers: orange and pink are a little darker, so that
# they are visible on white; the pale yellow is left out. Of two compared things, the first is blue, the second orange.
COLORS = ["#0072B2", "#BF5000", "#009E73", "#C66BA2", "#E69F00", "#56B4E9", "#000000"]
# The meaning of each color in figures and in views: docs/figures.md has the table.
ROLES = dict(
    zip(("query", "key", "value", "attention", "feed forward", "embeddings", "[CLS]"), COLORS, strict=True),
    **{"first text": COLORS[0], "second text": COLORS[1], "the rest": "#808080"},
)
# Groups of points in a cloud, up to six: the colors of `views.point_cloud`, in the same order.
GROUPS = [*COLORS[:4], "#000000", "#5C5C5C"]
GROUP_MARKERS = "os^DPX"
# The same, pale, for areas with black text.
TINTS = dict(
    zip(
        ("query", "key", "value", "attention", "feed forward", "embeddings"),
        ("#CFE3F1", "#F8DDC9", "#CDEBE1", "#F3E0EC", "#FBECCD", "#DDF0FB"),
        strict=True,
    ),
    **{"first text": "#CFE3F1", "second text": "#F8DDC9", "the rest": "#ECECEC"},
)
# The dark theme's replacement of each color of a figure; a gray is inverted, any other color stays.
DARK = {
    **dict(zip(COLORS, ("#7CB8FF", "#FFB077", "#5FD3A8", "#F2A0D0", "#E6B450", "#B9E3FF", "#E8E8E8"), strict=True)),
    **dict(zip(TINTS.values(), ("#17405F", "#5C3210", "#0E4A39", "#572B46", "#54400E", "#24485C"), strict=False)),
    "#FFFFFF": "#121212",  # the page's own
}
# Black and white that stay the same in the dark, for marks on a filled area; and those that are inverted, like the
# cells of a matrix.
ON_PALE, ON_DEEP = "#010101", "#FEFEFE"
ON_PALE_CELL, ON_DEEP_CELL = "#020202", "#FDFDFD"
# The colors of a matrix, starting at paper: weights of attention pink, other values blue, signed ones blue to orange.
WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#FFFFFF", "#F3D9E9", "#C66BA2", "#5E1F46"])
VALUES = LinearSegmentedColormap.from_list("values", ["#FFFFFF", "#CFE3F1", "#0072B2", "#00304D"])
SIGNED = LinearSegmentedColormap.from_list(
    "signed", ["#00304D", "#0072B2", "#CFE3F1", "#FFFFFF", "#F8DDC9", "#BF5000", "#4D2000"]
)
HAIRLINE = "#D0D0D0"


def use_style():
    """Set the book's look for every later figure: no clutter, vector graphics in notebooks.

    While the pages are built, each figure includes its layouts for phones and slides.
    """
    plt.rcParams.update(
        {
            "figure.facecolor": "white",
            "figure.constrained_layout.use": True,
            "savefig.facecolor": "white",
            "axes.prop_cycle": cycler(color=COLORS),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlesize": "medium",
            "axes.titlelocation": "left",
            "font.size": 10,
            "legend.frameon": False,
            "image.cmap": "viridis",
            "svg.hashsalt": "book",  # the same figure gives the same file
        }
    )
    if "IPython" in sys.modules:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg", metadata={"Date": None})
        shell = notebook.shell()
        if notebook.is_static() and shell:
            svg = shell.display_formatter.formatters["image/svg+xml"]
            svg.for_type(Figure, partial(with_layouts, metadata={"Date": None}))


def heatmap(
    matrix,
    rows=None,
    columns=None,
    ax=None,
    digits=None,
    label="",
    title="",
    diverging=None,
    limits=None,
    colors=VALUES,
):
    """Draw a matrix as colored cells and return the axes.

    rows, columns: the labels of the two axes. digits: write each value into its cell, with this many decimals. label:
    the meaning of the colors, with its unit. diverging: colors on both sides of 0 (default: if values have both signs).
    limits: (lowest, highest) value of the color scale; default: the matrix's own, symmetric if diverging. colors:
    VALUES, or WEIGHTS for attention.

    >>> ax = heatmap([[1.0, -1.0]], rows=["the"], columns=["a", "b"], digits=1, label="score")
    >>> [t.get_text() for t in ax.texts]
    ['1.0', '-1.0']
    """
    matrix = as_array(matrix)
    if matrix.ndim != 2:
        raise ValueError(f"matrix must have 2 axes (rows, columns), got shape {matrix.shape}")
    for name, labels, size in (("rows", rows, matrix.shape[0]), ("columns", columns, matrix.shape[1])):
        if labels is not None and len(labels) != size:
            raise ValueError(f"{name} must contain one label for each of the matrix's {size} {name}, got {len(labels)}")
    finite = matrix[np.isfinite(matrix)]
    if diverging is None:
        diverging = bool(finite.size) and finite.min() < 0 < finite.max()
    if limits is None:
        reach = np.abs(finite).max(initial=1e-12)
        limits = (-reach, reach) if diverging else (finite.min(initial=0), finite.max(initial=1e-12))
    if ax is None:
        _, ax = plt.subplots(figsize=(min(9, 1.6 + 0.55 * matrix.shape[1]), min(9, 1.0 + 0.38 * matrix.shape[0])))
    image = ax.imshow(matrix, cmap=SIGNED if diverging else colors, vmin=limits[0], vmax=limits[1], aspect="auto")
    frame(ax)
    for axis, labels in ((ax.yaxis, rows), (ax.xaxis, columns)):
        if labels is not None:
            axis.set_ticks(range(len(labels)), labels)
            axis.set_tick_params(length=0)
    if columns is not None and max(map(len, map(str, columns)), default=0) > 4:
        ax.tick_params(axis="x", labelrotation=90 if len(columns) > 12 else 45)
    if digits is not None:
        for (i, j), value in np.ndenumerate(matrix):
            ink = ink_on(image, value)
            ax.text(j, i, f"{value:.{digits}f}", ha="center", va="center", fontsize=8, color=ink)
    ax.figure.colorbar(image, ax=ax, label=label)
    ax.set_title(title)
    return ax


def frame(ax):
    """Draw a hairline around a matrix, whose palest cells have the color of paper."""
    for spine in ax.spines.values():  # matplotlib 3.7 only sets them one by one
        spine.set(visible=True, color=HAIRLINE, linewidth=0.6)


def ink_on(image, value):
    """Return the color of letters on a cell of an image with this value."""
    red, green, blue, _ = image.cmap(image.norm(value))
    is_deep = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
    return ON_DEEP_CELL if is_deep else ON_PALE_CELL


def as_array(values):
    """Return a NumPy array from a NumPy or torch array on any device, or from lists.

    >>> as_array([1, 2])
    array([1., 2.])
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    return np.asarray(values, dtype=float)
