"""Figures of the chapter on the roles of heads: masses, patterns, roles found again, heads that are missed.

Sources: R 10, L 3.2.5 with Fig. 8.
"""

import numpy as np

from tutorial_book.plots.base import TINTS, VALUES, as_array, frame, ink_on
from tutorial_book.plots.parts import WEIGHT_TICKS, bare, panel_grid, weight_map, write

PATTERNS = {  # name: the color of its area, and its letter, which means the same
    "vertical": (TINTS["query"], "V"),
    "diagonal": (TINTS["key"], "D"),
    "vertical + diagonal": (TINTS["attention"], "VD"),
    "block": (TINTS["value"], "B"),
    "heterogeneous": (TINTS["the rest"], "·"),
}


def census(masses, columns=3):
    """Draw a panel for each kind of key: its mean weight, layers down, heads across, one scale. Returns the figure.

    masses: name -> (n_layers, n_heads), shares from 0 to 1. Source: Clark et al. (2019).

    >>> figure = census({"[SEP]": np.eye(2), "next": np.zeros((2, 2))})
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['[SEP]', 'next']
    """
    columns = min(columns, len(masses))
    figure, axes = panel_grid(len(masses), columns, size=(8, 0.6), each=(0, 1.55), xlabel="head", ylabel="layer")
    figure.phone = {"columns": min(2, columns), "panel_height": 1.5}
    for ax, (name, values) in zip(axes, masses.items()):
        image = weight_map(ax, values, aspect="auto")
        _count_heads(ax, values)
        ax.set_title(name)
    figure.colorbar(image, ax=figure.axes, label="mean weight", location="right", shrink=0.6, **WEIGHT_TICKS)
    return figure


def _count_heads(ax, values):
    """Label the axes: layers down, heads across, counted from 0."""
    n_layers, n_heads = np.shape(values)
    ax.set_xticks(range(0, n_heads, 1 if n_heads < 6 else 2))
    ax.set_yticks(range(0, n_layers, 1 if n_layers < 5 else 2))


def missed(panels, digits=2):
    """Draw the effect of silencing each head, a panel for each model: layers down, heads across.

    panels: title -> (n_layers, n_heads). Each panel has its own scale; the largest value is written into its cell.

    >>> [ax] = missed({"cosine": [[0.1, 0.4]]})
    >>> [text.get_text() for text in ax.texts]
    ['0.40']
    """
    arrays = {title: as_array(values) for title, values in panels.items()}
    widths = [max(3, values.shape[1]) for values in arrays.values()]
    figure, axes = panel_grid(len(arrays), size=(8, 2.7), width_ratios=widths)
    figure.phone = {"columns": 1, "panel_height": 2.2}
    for ax, (title, values) in zip(axes, arrays.items()):
        bare(ax)
        frame(ax)
        image = ax.imshow(values, cmap=VALUES, aspect="auto", vmin=0, vmax=values.max())
        _count_heads(ax, values)
        layer, head = np.unravel_index(values.argmax(), values.shape)
        write(ax, head, layer, f"{values.max():.{digits}f}", fontsize=8, color=ink_on(image, values.max()))
        ax.set(title=title, xlabel="head", ylabel="layer")
        figure.colorbar(image, ax=ax, location="bottom", shrink=0.9, aspect=25)
    return axes
