"""Small matrices with readable numbers: boxes in a row, each with its value."""

import numpy as np

from tutorial_book.plots.base import ON_DEEP_CELL, ON_PALE, ON_PALE_CELL, WEIGHTS
from tutorial_book.plots.parts import bare, box, write


def cells(ax, matrix, title, names=None, columns=None, by_row=None, weights=False, followed=None, room=None):
    """Draw a small matrix as boxes with its numbers. NaN leaves the place empty.

    columns, by_row: a color for each column or row. weights: pink. followed: this row is framed. room: rows and columns
    that fit into the axes, if not the matrix's own.
    """
    n, m = matrix.shape
    if weights:  # an image: inverted in the dark theme, like other weights
        ax.imshow(matrix, cmap=WEIGHTS, vmin=0, vmax=1, aspect="auto")
    for (i, j), value in np.ndenumerate(matrix):
        if np.isnan(value):
            continue
        ink = "black"
        if weights:
            ink = ON_DEEP_CELL if value > 0.6 else ON_PALE_CELL
        elif columns or by_row:
            ink = ON_PALE
            box(ax, j, i, 0.94, 0.94, facecolor=columns[j] if columns else by_row[i])
        else:
            box(ax, j, i, 0.94, 0.94, facecolor="#E4E4E4")
        write(ax, j, i, short(value), color=ink)
    if followed is not None:
        box(ax, m / 2 - 0.5, followed, m, 1, facecolor="none", edgecolor="black", lw=1.6)
    n_rows, n_columns = room or (n, m)
    up, left = (n_rows - n) / 2, (n_columns - m) / 2
    ax.set(xlim=(-0.6 - left, m - 0.4 + left), ylim=(n - 0.4 + up, -0.6 - up), title=title, xticks=[])
    ax.set_yticks(range(n) if names else [], names or [])
    bare(ax)


def short(value):
    """Return a number in two decimals, without the zero before the point; a whole number without decimals.

    >>> short(0.894), short(-0.84), short(2.0), short(-0.0), short(-np.inf)
    ('.89', '−.84', '2', '0', '−∞')
    """
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    said = f"{value:.2f}".removesuffix(".00").replace("-0.", "-.").replace("-0", "0").replace("-", "−")
    return said.removeprefix("0") if said.startswith("0.") else said
