"""Figures of the chapter on positions: dependencies, encodings and their cosines, shifts as rotations.

Sources: R 3.3 (Fig. 1), R 3.4-3.5; L 3.2.4 (Fig. 6), L 4.2.3 (Figs. 13-17).
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullLocator

from tutorial_book.plots.base import COLORS, SIGNED, TINTS, as_array, heatmap, ink_on
from tutorial_book.plots.parts import arrow, dotted, panel_grid, write

FRAME = {"boxstyle": "round,pad=0.35", "edgecolor": "0.4"}


def rnn_and_transformer(words):
    """Draw both ways to read a text: state after state, or every word at once. Source: R Fig. 1.

    >>> left, right = rnn_and_transformer(["the", "cat"])
    >>> left.get_title(), right.get_title()
    ('RNN: 2 steps, one after the other', 'Attention: 1 step')
    """
    n = len(words)
    if n < 1:
        raise ValueError("words must contain at least one word, got none")
    _, (left, right) = panel_grid(2, size=(7.4, 2.7), sharey=True)
    for ax, output in ((left, "h"), (right, "y")):
        for t, word in enumerate(words):
            write(ax, t, 0, word, bbox={"facecolor": "white", **FRAME})
            write(ax, t, 1, f"${output}_{t + 1}$", bbox={"facecolor": TINTS["first text"], **FRAME})
        ax.set(xlim=(-0.6, n - 0.4), ylim=(-0.35, 1.7))
        ax.axis("off")
    for t in range(n):
        _arrow(left, (t, 0.2), (t, 0.8), COLORS[0])
        left.text(t, 1.45, f"step {t + 1}", ha="center", color=COLORS[1])
        right.text(t, 1.45, "step 1", ha="center", color=COLORS[1])
        if t:
            _arrow(left, (t - 0.7, 1), (t - 0.3, 1), COLORS[1])
        for source in range(n):
            _arrow(right, (source, 0.2), (t, 0.8), COLORS[0])
    left.set_title(f"RNN: {n} steps, one after the other")
    right.set_title("Attention: 1 step")
    return left, right


def moved_rows(pairs, order, names):
    """Draw a panel per entry of `pairs` (title -> two matrices): the second has the rows of the first, moved.

    order: which row of the first each row of the second is; a line joins the two. names: of the first one's rows.

    >>> [ax] = moved_rows({"in": ([[0.1], [0.2]], [[0.2], [0.1]])}, [1, 0], ["a", "b"])
    >>> [text.get_text() for text in ax.texts]
    ['a', '0.1', 'b', '0.2', 'b', '0.2', 'a', '0.1']
    """
    _, axes = panel_grid(len(pairs), size=(0, 2.2), each=(4.5, 0))
    for ax, (title, both) in zip(axes, pairs.items()):
        first, second = map(as_array, both)
        width, reach = first.shape[1], np.abs([first, second]).max()
        start = width + 2.4  # of the second matrix
        for left, matrix, labels in ((0, first, names), (start, second, [names[i] for i in order])):
            for y, (label, row) in enumerate(zip(labels, matrix, strict=True)):
                write(ax, left - 0.5, y, label, weight="bold")
                _cells(ax, row[None], left, y - 0.5, reach, digits=1)
        for y, i in enumerate(order):
            ax.plot([width + 0.15, start - 0.85], [i, y], color=COLORS[i], linewidth=1.8)
        ax.set(xlim=(-0.9, start + width + 0.1), ylim=(len(first) - 0.4, -0.6), title=title)
        ax.axis("off")
    return axes


def two_orders(models, words, limit=1.0):
    """Draw the same words in two orders, the vector of each, and the cosine of each word's two vectors.

    models: title -> (vectors, vectors, cosines): the first coordinates of each word's vector in both orders, and the
    cosine of the whole vectors for each of the first order's words. words: the two orders. limit: the end of the
    colors.

    >>> [ax] = two_orders({"all": ([[0.1], [0.2]], [[0.2], [0.1]], [1.0, 1.0])}, (["a", "b"], ["b", "a"]))
    >>> [text.get_text() for text in ax.texts][-2:]
    ['1.00', '1.00']
    """
    _, axes = panel_grid(len(models), size=(0, 3.5), each=(4.55, 0))
    for ax, (title, (first, second, cosines)) in zip(axes, models.items()):
        first, second = as_array(first), as_array(second)
        n, height = first.shape
        lower = height + 2.6  # where the second order's vectors begin
        for x in range(n):
            for top, at, vector, word in ((0, -0.75, first[x], words[0][x]),
                                          (lower, lower + height + 0.75, second[x], words[1][x])):  # fmt: skip
                write(ax, x, at, word, bbox={"facecolor": TINTS["embeddings"], **FRAME})
                _cells(ax, vector[:, None], x - 0.44, top, limit, size=0.88)
        left = list(range(n))  # positions in the second order without a line so far
        for x, word in enumerate(words[0]):
            y = next(place for place in left if words[1][place] == word)
            left.remove(y)
            ax.plot([x, y], [height + 0.95, lower - 0.12], color=COLORS[1] if x != y else "0.5", linewidth=1.6)
        for x, cosine in enumerate(cosines):
            write(ax, x, height + 0.5, f"{cosine:.2f}", weight="bold")
        ax.set(xlim=(-0.6, n - 0.4), ylim=(lower + height + 1.35, -1.35), title=title)
        ax.axis("off")
    return axes


def vector_sum(X, P, words):
    """Draw the sum of token vectors and position vectors, number by number: three matrices. Repeated values are bold.

    >>> axes = vector_sum([[0.5, -0.2]], [[0.1, 0.1]], ["the"])
    >>> [text.get_text() for text in axes[2].texts]
    ['0.600', '−0.100']
    """
    X, P = as_array(X), as_array(P)
    reach = max(np.abs(matrix).max() for matrix in (X, P, X + P))
    figure, axes = panel_grid(3, size=(9.2, 0.75 + 0.3 * len(words)))
    figure.phone = {"columns": 1, "panel_height": 0.6 + 0.26 * len(words)}
    names = [words, range(1, 1 + len(words)), words]
    titles = ["token vectors", "+  position vectors", "=  their sum"]
    for ax, matrix, labels, title in zip(axes, (X, P, X + P), names, titles):
        _cells(ax, matrix, -0.5, -0.5, reach, digits=3)
        ax.set(xlim=(-0.5, X.shape[1] - 0.5), ylim=(len(words) - 0.5, -0.5), title=title, xticks=[])
        ax.set_yticks(range(len(words)), labels)
        for label, word in zip(ax.get_yticklabels(), words):
            label.set_fontweight("bold" if words.count(word) > 1 else "normal")
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    return axes


def clock_faces(wavelengths, positions, alike=()):
    """Draw a row of clocks for each wavelength, fastest hand first, and a column for each position.

    The hand points up at position 0 and turns clockwise: its sine is to the right, its cosine upward. alike: positions
    at which the fastest hand looks the same; their faces are filled.

    >>> ax = clock_faces([6.28, 62.8], [0, 1, 44], alike=[0, 44])
    >>> [text.get_text() for text in ax.texts]
    ['0', '1', '44', 'pair 0: one turn in 6.28 positions', 'pair 1: one turn in 62.8 positions']
    """
    wavelengths = as_array(wavelengths)
    n, step = len(positions), 1.3  # from row to row
    rows = 1.6 + step * (len(wavelengths) - 1)
    figure, ax = plt.subplots(figsize=(0.8 * n, 0.35 + 0.78 * rows))
    figure.phone = {"panel_height": 0.35 + 3.6 / n * rows}
    for x, pos in enumerate(positions):
        write(ax, x, -0.92, str(pos), weight="bold")
    for i, wavelength in enumerate(wavelengths):
        y = i * step
        ax.text(-0.45, y - 0.46, f"pair {i}: one turn in {_three_digits(wavelength)} positions", va="bottom")
        for x, pos in enumerate(positions):
            fill = TINTS["query"] if i == 0 and pos in alike else "none"
            ax.add_patch(plt.Circle((x, y), 0.42, facecolor=fill, edgecolor="0.6"))
            angle = 2 * np.pi * pos / wavelength
            tip = x + 0.42 * np.sin(angle), y - 0.42 * np.cos(angle)
            ax.plot([x, tip[0]], [y, tip[1]], color=COLORS[0], linewidth=2.2, solid_capstyle="round")
    ax.set(xlim=(-0.65, n - 0.45), ylim=((len(wavelengths) - 1) * step + 0.5, -1.1), aspect="equal", title="position")
    ax.axis("off")
    return ax


def influences(matrices, words):
    """Draw a heatmap per entry of `matrices` (title -> (n, n)): how strongly output i (row) depends on input j.

    Cells that are exactly 0 say so in searchable text: a figure "0".

    >>> [ax] = influences({"RNN": [[0.5, 0.0], [0.2, 0.9]]}, ["the", "cat"])
    >>> [t.get_text() for t in ax.texts]
    ['0.50', '0', '0.20', '0.90']
    """
    _, axes = panel_grid(len(matrices), size=(0, 2.9), each=(3.7, 0))
    for ax, (title, matrix) in zip(axes, matrices.items()):
        matrix = as_array(matrix)
        heatmap(matrix, words, words, ax, digits=2, title=title, limits=(0, matrix.max()))
        for text, value in zip(ax.texts, matrix.ravel(), strict=True):
            if value == 0:
                text.set_text("0")
        ax.tick_params(axis="x", labelrotation=0)
        ax.set(xlabel="input", ylabel="output")
    return axes


def encodings(tables):
    """Draw, per entry of `tables` (title -> (n, d)), the vectors as a heatmap, and the cosines of all pairs.

    Colors reach to the 99th percentile, so that one outlier does not make the rest pale. Returns the axes, one pair for
    each table. Source: L Figs. 6, 13, 15.

    >>> [(values, cosines)] = encodings({"two positions": [[0.0, 1.0], [1.0, 0.0]]})
    >>> cosines.images[0].get_array().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    fig, axes = plt.subplots(len(tables), 2, figsize=(8.4, 3.4 * len(tables)), squeeze=False)
    fig.phone = {"panel_height": 2.5}
    for (left, right), (title, P) in zip(axes, tables.items(), strict=True):
        P = _table(P)
        reach = np.percentile(np.abs(P), 99)
        heatmap(P, ax=left, title=title, label="value", diverging=True, limits=(-reach, reach))
        left.set(xlabel="coordinate", ylabel="position")
        heatmap(_cosines(P), ax=right, title="cosine of each pair", label="cosine", diverging=True, limits=(-1, 1))
        right.set(xlabel="position", ylabel="position")
    return [tuple(pair) for pair in axes]


def sines_and_cosines(PE):
    """Draw sinusoidal encodings as a heatmap, and the cosines of all pairs. PE: (n, d), from `sinusoidal`.

    The heatmap has 64 positions and 64 of the coordinates, evenly spaced, the sines first: with all of them side by
    side, the fast ones would seem to form rings that no coordinate has. Source: L Fig. 6.

    >>> values, cosines = sines_and_cosines(np.ones((100, 256)))
    >>> values.images[0].get_array().shape, cosines.images[0].get_array().shape
    ((64, 64), (100, 100))
    """
    PE = _table(PE)
    pairs = np.arange(0, PE.shape[1], max(2, 2 * (PE.shape[1] // 64)))
    _, axes = plt.subplots(1, 2, figsize=(8.4, 3.4))
    axes[0].figure.phone = {"panel_height": 2.5}
    values = PE[:64, np.concatenate([pairs, pairs + 1])]
    heatmap(values, ax=axes[0], title="sines, then cosines", label="value", diverging=True, limits=(-1, 1))
    axes[0].set(xlabel=f"{len(values.T)} of {PE.shape[1]} coordinates", ylabel="position")
    heatmap(_cosines(PE), ax=axes[1], title="cosine of each pair", label="cosine", diverging=True, limits=(-1, 1))
    axes[1].set(xlabel="position", ylabel="position")
    return tuple(axes)


def position_breaks(P, marks=(128, 384)):
    """Draw each position's length, and its cosine with the next one: a break shows in either.

    P is (n, d); there are dotted lines at `marks`. Source: L 4.2.3.

    >>> lengths, neighbors = position_breaks([[3.0, 4.0], [3.0, 4.0], [4.0, -3.0]], marks=[])
    >>> abs(neighbors.lines[0].get_ydata()).round(6).tolist()
    [1.0, 0.0]
    """
    P = _table(P)
    _, (top, bottom) = panel_grid(2, 1, size=(7.2, 4.2), sharex=True)
    top.plot(np.linalg.norm(P, axis=1))
    top.set(yscale="log", ylabel="length (log scale)")
    top.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    top.yaxis.set_major_formatter("{x:g}")
    top.yaxis.set_minor_locator(NullLocator())
    bottom.plot(np.diagonal(_cosines(P), 1), color=COLORS[1])
    bottom.set(xlabel="position", ylabel="cosine with the next", ylim=(min(0, bottom.get_ylim()[0]), 1.02))
    for mark in marks:
        for ax in (top, bottom):
            dotted(ax, x=mark)
        top.annotate(f" {mark}", (mark, 1), xycoords=("data", "axes fraction"), va="top")
    return top, bottom


def similarity_curves(P, rows=range(1, 11), n=128, reference=None):
    """Draw the cosine of each of `rows` with positions 0..n-1, and the same against the distance.

    reference: another table (such as the sinusoidal one) whose own curve by distance, starting at the first of `rows`,
    is added on the right. Source: L Figs. 16 and 17.

    >>> left, right = similarity_curves([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], rows=[1], n=3)
    >>> right.lines[0].get_xdata().tolist()
    [-1, 0, 1]
    """
    C = _cosines(_table(P))
    if max(rows) >= len(C) or n > len(C):
        raise ValueError(f"rows and n must lie within the {len(C)} positions of P, got rows up to {max(rows)}, n = {n}")
    _, (left, right) = panel_grid(2, size=(7.4, 3.2), sharey=True)
    for row, color in zip(rows, plt.get_cmap("viridis")(np.linspace(0.3, 0.9, len(rows))), strict=True):
        left.plot(C[row, :n], color=color, linewidth=1)
        right.plot(np.arange(n) - row, C[row, :n], color=color, linewidth=1)
    if reference is not None:
        row = min(rows)
        cosines = _cosines(_table(reference))[row, :n]
        right.plot(np.arange(n) - row, cosines, color=COLORS[1], linestyle="--", label="sinusoidal")
        right.legend()
    left.set(xlabel="other position", ylabel="cosine", title=f"positions {min(rows)} to {max(rows)}")
    right.set(xlabel="distance (other - own position)", title="the same curves, shifted")
    return left, right


def _table(P):
    P = as_array(P)
    if P.ndim != 2:
        raise ValueError(f"P must have 2 axes (positions, coordinates), got shape {P.shape}")
    return P


def _cosines(P):
    U = P / np.linalg.norm(P, axis=1, keepdims=True)
    return U @ U.T  # (n, n)


def _three_digits(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _cells(ax, matrix, left, top, reach, digits=2, size=1.0):
    """Draw the cells of a matrix with their numbers, starting at this corner; each is `size` wide and one high."""
    rows, columns = matrix.shape
    extent = (left, left + size * columns, top + rows, top)
    image = ax.imshow(matrix, cmap=SIGNED, vmin=-reach, vmax=reach, extent=extent, aspect="auto")
    for (i, j), value in np.ndenumerate(matrix):
        text = f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")  # no "−0.00"
        write(ax, left + size * (j + 0.5), top + i + 0.5, text, fontsize=9, color=ink_on(image, value))


def _arrow(ax, start, end, color):
    arrow(ax, start, end, color, linewidth=1.2, shrinkA=2, shrinkB=2)
