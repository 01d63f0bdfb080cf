"""What all figures share: one style, one palette, one way to draw a matrix."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import cycler

# Okabe and Ito's palette, told apart by color-blind readers too; the pale yellow is left out.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]


def use_style():
    """Set the book's look for every figure that follows: white card, no clutter, vector graphics in notebooks."""
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


def heatmap(matrix, rows=None, columns=None, ax=None, digits=None, label="", title="", diverging=None, limits=None):
    """Draw a matrix as colored cells and return the axes.

    rows, columns: the labels of the two axes. digits: write each value into its cell, with so many decimals.
    label: what the colors mean, with its unit. diverging: colors on both sides of 0 (default: where values have both
    signs). limits: (lowest, highest) value of the color scale; default: the matrix's own, symmetric if diverging.

    >>> ax = heatmap([[1.0, -1.0]], rows=["the"], columns=["a", "b"], digits=1, label="score")
    >>> [t.get_text() for t in ax.texts]
    ['1.0', '-1.0']
    """
    matrix = as_array(matrix)
    if matrix.ndim != 2:
        raise ValueError(f"matrix must have 2 axes (rows, columns), got shape {matrix.shape}")
    for name, labels, size in (("rows", rows, matrix.shape[0]), ("columns", columns, matrix.shape[1])):
        if labels is not None and len(labels) != size:
            raise ValueError(f"{name} must hold {size} labels, one for each of the matrix's {name}, got {len(labels)}")
    finite = matrix[np.isfinite(matrix)]
    if diverging is None:
        diverging = bool(finite.size) and finite.min() < 0 < finite.max()
    if limits is None:
        reach = np.abs(finite).max(initial=1e-12)
        limits = (-reach, reach) if diverging else (finite.min(initial=0), finite.max(initial=1e-12))
    if ax is None:
        _, ax = plt.subplots(figsize=(min(9, 1.6 + 0.55 * matrix.shape[1]), min(9, 1.0 + 0.38 * matrix.shape[0])))
    image = ax.imshow(matrix, cmap="RdBu_r" if diverging else "viridis", vmin=limits[0], vmax=limits[1], aspect="auto")
    ax.spines[:].set_visible(False)
    for axis, labels in ((ax.yaxis, rows), (ax.xaxis, columns)):
        if labels is not None:
            axis.set_ticks(range(len(labels)), labels)
            axis.set_tick_params(length=0)
    if columns is not None and max(map(len, map(str, columns)), default=0) > 4:
        ax.tick_params(axis="x", labelrotation=90 if len(columns) > 12 else 45)
    if digits is not None:
        for (i, j), value in np.ndenumerate(matrix):
            red, green, blue, _ = image.cmap(image.norm(value))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            ink = "white" if dark else "black"
            ax.text(j, i, f"{value:.{digits}f}", ha="center", va="center", fontsize=8, color=ink)
    ax.figure.colorbar(image, ax=ax, label=label)
    ax.set_title(title)
    return ax


def as_array(values):
    """A NumPy array out of a NumPy or torch array on any device, or out of lists.

    >>> as_array([1, 2])
    array([1., 2.])
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    return np.asarray(values, dtype=float)
