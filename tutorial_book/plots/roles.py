"""Figures of the chapter on what heads do: masses, patterns, roles found again, heads that are missed.

Sources: R 10, L 3.2.5 with Fig. 8.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from tutorial_book.plots.base import COLORS, ROLES, TINTS, VALUES, as_array, frame, ink_on
from tutorial_book.plots.parts import WEIGHT_TICKS, bare, letters, panel_grid, weight_map, write

PATTERNS = {  # name: the color of its area, and its letter, which says the same
    "vertical": (TINTS["query"], "V"),
    "diagonal": (TINTS["key"], "D"),
    "vertical + diagonal": (TINTS["attention"], "VD"),
    "block": (TINTS["value"], "B"),
    "heterogeneous": (TINTS["the rest"], "·"),
}


def census(masses, columns=3):
    """One panel for each kind of key: the mean weight on it, layers down, heads across, one scale. Returns the figure.

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
    """Layers down, heads across; counted from 0."""
    n_layers, n_heads = np.shape(values)
    ax.set_xticks(range(0, n_heads, 1 if n_heads < 6 else 2))
    ax.set_yticks(range(0, n_layers, 1 if n_layers < 5 else 2))


def maps(panels):
    """Attention maps side by side, title -> (n, n): rows ask, columns answer; each on its own scale. Source: L Fig. 8.

    >>> [ax] = maps({"diagonal": np.eye(3)})
    >>> ax.get_title(), ax.get_xlabel()
    ('diagonal', 'attended to')
    """
    size = (min(8.2, 1.75 * len(panels)), 2.1)
    figure, axes = panel_grid(len(panels), size=size, xlabel="attended to", ylabel="asks")
    figure.phone = {"columns": 2, "panel_height": 2.0}
    for ax, (title, values) in zip(axes, panels.items()):
        weight_map(ax, values, most=as_array(values).max())
        ax.set_title(title, fontsize=9)
        ax.set(xticks=[], yticks=[])
    return axes


def pattern_grid(names, sure=None):
    """The pattern of each head: layers down, heads across, a letter and a color each.

    names: (n_layers, n_heads) of the five names; sure: bool of that shape; where not, the letter stands in brackets.

    >>> ax = pattern_grid([["vertical", "diagonal"]], [[True, False]])
    >>> [text.get_text() for text in ax.texts]
    ['V', '(D)']
    """
    figure, ax = plt.subplots(figsize=(6.8, 0.36 * len(names) + 0.9))
    figure.phone = {"panel_height": 0.36 * len(names) + 0.9}
    letters(ax, names, sure, PATTERNS, fontsize=8.5, edgecolor="white", linewidth=0.8)
    handles = [Patch(facecolor=color, label=f"{letter} {name}") for name, (color, letter) in PATTERNS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=8, columnspacing=1, handlelength=1)
    return ax


def found_again(rows):
    """For each role two dots, the head's share right and the best fixed offset's, on new cases.

    rows: name -> (head, low, high, offset), shares from 0 to 1; the line spans low to high. The order of the dict runs
    from top to bottom. Source: R 10.2-10.3.

    >>> ax = found_again({"verb to object": (0.9, 0.8, 0.95, 0.6)})
    >>> [line.get_label() for line in ax.lines][-2:]
    ['head', 'best fixed offset']
    """
    figure, ax = plt.subplots(figsize=(6.6, 0.34 * len(rows) + 1.0))
    figure.phone = {"panel_height": 0.4 * len(rows) + 1.0}
    y = np.arange(len(rows))[::-1]
    head, low, high, offset = as_array(list(rows.values())).T
    ax.hlines(y, low, high, color=COLORS[0], linewidth=2.5, alpha=0.45)
    ax.plot(head, y, "o", color=COLORS[0], label="head")
    ax.plot(offset, y, "D", color=COLORS[1], markersize=5, markerfacecolor="white", label="best fixed offset")
    ax.set_yticks(y, list(rows))
    ax.set(xlim=(-0.02, 1.02), xlabel="share of cases right", ylim=(-0.6, len(rows) - 0.4))
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.grid(axis="y", color=ROLES["the rest"], alpha=0.25)
    figure.legend(loc="outside lower center", ncols=2)
    return ax


def missed(panels, digits=2):
    """What changes where one head is silenced, a panel for each model: layers down, heads across.

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
