"""Figures of the chapter on embeddings (R 2.2, L 3.2.1, L 3.2.3)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ON_PALE_CELL, SIGNED, TINTS, as_array
from tutorial_book.plots.parts import arrow, bare, box, note, panel_grid, plate, write

LINE = "#444444"

TITLES = ("tokens", "+ positions", "+ segments", "= sum", "LayerNorm")
STOPS = dict(zip(("tokens", "positions", "segments", "sum", "output"), TITLES, strict=True))


def look_up(tokens, ids, E, n_coordinates=7):
    """Draw how tokens become vectors: each token, its id, the row of the table E there, the numbers of that row.

    Returns the figure.

    >>> figure = look_up(["bear"], [1], [[0.5], [-2.0]], 1)
    >>> [t.get_text() for t in figure.axes[1].texts]
    ['-2.00']
    """
    E = as_array(E)
    n, size = len(tokens), len(E)
    figure, (left, right) = panel_grid(2, size=(9.2, 0.42 * n + 1.1))
    figure.phone = {"columns": 1, "panel_height": 0.42 * n + 0.9}
    left.set(xlim=(0, 4.5), ylim=(n - 0.4, -0.6))
    left.axis("off")
    left.set_title(f"token → id → row of E, {size:,} × {E.shape[1]}")
    box(left, 3.7, (n - 1) / 2, 1.2, n, facecolor=TINTS["embeddings"], edgecolor=LINE, lw=1)
    colors = dict(zip(dict.fromkeys(ids), COLORS))
    for y, (token, i) in enumerate(zip(tokens, ids, strict=True)):
        box(left, 0.65, y, 1.1, 0.62, facecolor=TINTS["the rest"], edgecolor=LINE, lw=1)
        write(left, 0.65, y, token)
        arrow(left, (1.25, y), (1.55, y), LINE)
        write(left, 1.95, y, f"{i:,}", bbox=plate())
        height = n * (i + 0.5) / size - 0.5
        left.plot([2.35, 3.1], [y, height], color=colors[i], lw=1.2)
        left.plot([3.1, 4.3], [height, height], color=colors[i], lw=2.4, solid_capstyle="butt")
    _cells(right, E[ids][:, :n_coordinates], 2)
    right.set_yticks(range(n), tokens)
    right.set_xticks(range(n_coordinates))
    right.set_xlabel(f"coordinates 0 to {n_coordinates - 1} of {E.shape[1]}")
    right.set_title("the rows, one vector each")
    right.set_ylim(n - 0.4, -0.6)
    return figure


def one_hot_product(ids, E, vocabulary, names=None):
    """Draw O E = X with every number: the one-hot matrix of ids, the table E, the resulting rows.

    A frame of one color follows each token: its 1 in O, its row of E, its rows of X. E: (V, d). vocabulary: the V
    tokens. names: the d column labels. Returns the figure. Source: R 2.2.

    >>> figure = one_hot_product([1, 1], [[0.5], [-2.0]], ["bear", "the"])
    >>> [t.get_text() for t in figure.axes[2].texts]
    ['-2.0', '-2.0']
    """
    E, ids = as_array(E), list(ids)
    O, texts, names = _checked(ids, E, vocabulary, names)
    parts = [("O", O, texts, vocabulary, 0), ("E", E, vocabulary, names, 1), ("X = O E", O @ E, texts, names, 1)]
    figure, axes = _product(parts)
    for i, color in zip(dict.fromkeys(ids), COLORS):
        for row in (k for k, other in enumerate(ids) if other == i):
            _framed(axes[0], i, row, 1, color)
            _framed(axes[2], 0, row, E.shape[1], color)
        _framed(axes[1], 0, i, E.shape[1], color)
    return figure


def gradient_product(ids, G, vocabulary, names=None):
    """Draw the gradient of a table, O^T G, with every number. G: (n, d), a row for each of ids. Returns the figure.

    A frame of one color follows each token: its 1s, its rows of G, its row of the gradient.

    >>> figure = gradient_product([1, 1], [[0.5], [-2.0]], ["bear", "the"])
    >>> [t.get_text() for t in figure.axes[2].texts]
    ['0.0', '-1.5']
    """
    G, ids = as_array(G), list(ids)
    O, texts, names = _checked(ids, np.zeros((len(vocabulary), G.shape[1])), vocabulary, names)
    parts = [("Oᵀ", O.T, vocabulary, texts, 0), ("G", G, texts, names, 1), ("OᵀG", O.T @ G, vocabulary, names, 1)]
    figure, axes = _product(parts)
    for i, color in zip(dict.fromkeys(ids), COLORS):
        for row in (k for k, other in enumerate(ids) if other == i):
            _framed(axes[0], row, i, 1, color)
            _framed(axes[1], 0, row, G.shape[1], color)
        _framed(axes[2], 0, i, G.shape[1], color)
    return figure


def _checked(ids, E, vocabulary, names):
    if len(E) != len(vocabulary) or not all(0 <= i < len(E) for i in ids):
        raise ValueError(f"ids must be rows of E, which has {len(E)} for {len(vocabulary)} tokens, got {ids}")
    return np.eye(len(E))[ids], [vocabulary[i] for i in ids], names or [str(j) for j in range(E.shape[1])]


def _product(parts):
    """Draw three matrices side by side, each (letter, values, rows, columns, digits), with cells of equal height."""
    widths = [len(columns) + 1.6 for _, _, _, columns, _ in parts]
    tallest = max(len(matrix) for _, matrix, *_ in parts)
    reach = max(np.abs(matrix).max() for _, matrix, *_, digits in parts if digits)
    figure, axes = panel_grid(3, size=(9.2, 0.4 * tallest + 1.15), width_ratios=widths)
    figure.phone = {"panel_height": 0.3 * tallest + 0.9}
    for ax, (letter, matrix, rows, columns, digits) in zip(axes, parts, strict=True):
        _cells(ax, matrix, digits, reach if digits else 1)
        ax.set_yticks(range(len(rows)), rows)
        ax.set_xticks(range(len(columns)), columns, rotation=0 if digits else 45)
        ax.xaxis.tick_top()
        ax.set_title(f"{letter}   {matrix.shape[0]} × {matrix.shape[1]}", pad=10)
        ax.set_ylim(tallest - 0.5, -0.5)
    return figure, axes


def _cells(ax, matrix, digits, reach=None):
    """Draw a matrix with its numbers, on colors so pale that the letters stay black."""
    limit = 2.4 * (reach or np.abs(matrix).max() or 1)
    ax.imshow(matrix, cmap=SIGNED, vmin=-limit, vmax=limit, aspect="auto")
    for (i, j), value in np.ndenumerate(matrix):
        write(ax, j, i, f"{round(value, digits) + 0.0:.{digits}f}", fontsize=10, color=ON_PALE_CELL)
    bare(ax)


def _framed(ax, left, row, width, color):
    box(ax, left - 0.5 + width / 2, row, width - 0.08, 0.9, fill=False, edgecolor=color, lw=2)


def fan(center, cosines):
    """Draw words as arrows of equal length, each at its true angle to the center word; the shadow is the cosine.

    cosines: a dict from word to its cosine with the center word. Returns the axes.

    >>> [t.get_text() for t in fan("love", {"hate": 0.5}).texts if t.get_text()]
    ['love', 'hate, 60°', '0.50']
    """
    figure, ax = plt.subplots(figsize=(7.0, 3.1))
    figure.phone = {"panel_height": 2.5}
    arrow(ax, (0, 0), (1, 0), COLORS[0], lw=2.4)
    note(ax, center, (1, 0), (6, 0), fontsize=10, weight="bold")
    for (word, cosine), color in zip(cosines.items(), (COLORS[1], COLORS[2], COLORS[3], COLORS[6])):
        angle = np.arccos(cosine)
        tip = (cosine, np.sin(angle))
        arrow(ax, (0, 0), tip, color, lw=2)
        ax.plot([cosine, cosine], [tip[1], 0], ":", color=color, lw=1.2)
        side = ((0, 9), "center") if abs(cosine) < 0.2 else ((6, 3), "left")  # on top, because the next is beside it
        note(ax, f"{word}, {np.degrees(angle):.0f}°", tip, side[0], ha=side[1], fontsize=10)
        note(ax, f"{cosine:.2f}", (cosine, 0), (0, -10), fontsize=10, ha="center")
    ax.set(xlim=(-0.25, 1.35), ylim=(-0.14, 1.12), aspect="equal")
    ax.axis("off")
    return ax


def three_rows(trace, i, n_coordinates=7):
    """Draw with numbers how token i's three rows add up, and the sum after LayerNorm. Returns the axes.

    trace: `Bert.trace` of one text.
    """
    names = ("token", "+ position", "+ segment", "= sum", "LayerNorm")
    rows = []
    for stop in STOPS:
        values = as_array(trace["embeddings." + stop])
        rows.append((values if values.ndim == 2 else values[0])[i, :n_coordinates])
    figure, ax = plt.subplots(figsize=(9.2, 2.6))
    figure.phone = {"panel_height": 2.6}
    limit = 2.4 * np.abs(rows[:4]).max()
    image = np.clip(np.array(rows) / np.array([[limit]] * 4 + [[2.4 * np.abs(rows[4]).max()]]), -1, 1)
    ax.imshow(image, cmap=SIGNED, vmin=-1, vmax=1, aspect="auto")
    for y, row in enumerate(rows):
        for j, value in enumerate(row):
            write(ax, j, y, f"{round(value, 2) + 0.0:.2f}", fontsize=10, color=ON_PALE_CELL)
    ax.set_yticks(range(5), names)
    ax.set_xticks(range(n_coordinates), [f"{j}" for j in range(n_coordinates)])
    ax.set_xlabel(f"coordinates 0 to {n_coordinates - 1}")
    for y in (2.5, 3.5):
        ax.axhline(y, color=LINE, lw=1.2)
    bare(ax)
    return ax


def two_places(trace, first, second, n_coordinates=48):
    """Draw two tokens' vectors as strips, one above the other, at the five stops of BERT's input, with their cosine.

    first, second: their positions. Returns the figure.
    """
    figure, axes = panel_grid(5, 1, size=(9.2, 3.5), sharex=True)
    figure.phone = {"columns": 1, "panel_height": 0.85}
    for ax, (name, title) in zip(axes, STOPS.items()):
        values = as_array(trace["embeddings." + name])
        values = (values if values.ndim == 2 else values[0])[[first, second]]
        reach = 1.5 if name == "output" else 0.25
        look = {"cmap": SIGNED, "vmin": -reach, "vmax": reach, "aspect": "auto", "interpolation": "nearest"}
        ax.imshow(values[:, :n_coordinates], **look)
        ax.axhline(0.5, color="white", lw=2)
        a, b = values
        same = "equal" if np.array_equal(a, b) else f"cosine {a @ b / np.linalg.norm(a) / np.linalg.norm(b):.2f}"
        ax.set_title(f"{title}: {same}", fontsize=10)
        ax.set_yticks([0, 1], [f"at {first}", f"at {second}"])
        bare(ax)
    axes[-1].set_xlabel(f"coordinates 0 to {n_coordinates - 1}")
    return figure
