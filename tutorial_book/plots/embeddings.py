"""Figures of the chapter on embeddings (R 2.2, L 3.2.1, L 3.2.3)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ON_PALE_CELL, ROLES, SIGNED, as_array
from tutorial_book.plots.parts import bare, note, panel_grid, plate, write

TITLES = ("tokens", "+ positions", "+ segments", "= sum", "LayerNorm")
STOPS = dict(zip(("tokens", "positions", "segments", "sum", "output"), TITLES, strict=True))


def one_hot_product(ids, E, vocabulary, names=None):
    """Draw O E = X with every number: the one-hot matrix of ids, the table E, the rows that come out.

    E: (V, d). vocabulary: the V tokens. names: the d column labels. Returns the figure. Source: R 2.2.

    >>> figure = one_hot_product([1, 1], [[0.5], [-2.0]], ["bear", "the"])
    >>> [t.get_text() for t in figure.axes[2].texts]
    ['-2.0', '-2.0']
    """
    E, ids = as_array(E), list(ids)
    if len(E) != len(vocabulary) or not all(0 <= i < len(E) for i in ids):
        raise ValueError(f"ids must be rows of E, which has {len(E)} for {len(vocabulary)} tokens, got {ids}")
    O = np.eye(len(E))[ids]  # (n, V)
    texts, names = [vocabulary[i] for i in ids], names or [str(j) for j in range(E.shape[1])]
    parts = [("O", O, texts, vocabulary, 0), ("E", E, vocabulary, names, 1), ("X = O E", O @ E, texts, names, 1)]
    widths = [len(columns) + 1.6 for _, _, _, columns, _ in parts]
    tallest = max(len(O), len(E))
    figure, axes = panel_grid(3, size=(8, 0.42 * tallest + 1.1), width_ratios=widths)
    figure.phone = {"panel_height": 0.3 * tallest + 0.9}
    for ax, (letter, matrix, rows, columns, digits) in zip(axes, parts, strict=True):
        limit = 1.6 * (1 if letter == "O" else np.abs(E).max())  # beyond the values: pale, so that the text stays black
        ax.imshow(matrix, cmap=SIGNED, vmin=-limit, vmax=limit, aspect="auto")
        for (i, j), value in np.ndenumerate(matrix):
            write(ax, j, i, f"{value:.{digits}f}", fontsize=9, color=ON_PALE_CELL)
        ax.set_yticks(range(len(rows)), rows)
        ax.set_xticks(range(len(columns)), columns, rotation=45 if letter == "O" else 0)
        ax.xaxis.tick_top()
        ax.set_title(f"{letter}   {matrix.shape[0]} × {matrix.shape[1]}", pad=10)
        bare(ax)
        ax.set_ylim(tallest - 0.5, -0.5)  # cells of one height in all three
    return figure


def embedding_sum(trace, tokens, n_coordinates=48):
    """Draw the five stops of BERT's input, tokens down and the first coordinates across.

    trace: `Bert.trace` of one text, of which the embeddings.* are used; tokens: its tokens. Tokens, positions,
    segments and their sum share one color scale; after LayerNorm the values have another. Returns the figure.

    >>> trace = {f"embeddings.{name}": np.ones((1, 2, 4)) for name in STOPS}
    >>> [ax.get_title() for ax in embedding_sum(trace, ["the", "bear"]).axes[:5]]
    ['tokens', '+ positions', '+ segments', '= sum', 'LayerNorm']
    """
    figure, axes = panel_grid(5, size=(8.6, 0.2 * len(tokens) + 1.2), sharey=True)
    figure.phone = {"columns": 2, "panel_height": 0.12 * len(tokens) + 0.7}
    for ax, (name, title) in zip(axes, STOPS.items()):
        values = as_array(trace["embeddings." + name])
        values = values if values.ndim == 2 else values[0]  # (n, d_model)
        if len(values) != len(tokens):
            raise ValueError(f"tokens must be those of the trace, which has {len(values)}, got {len(tokens)}")
        reach = 1.5 if name == "output" else 0.25
        look = {"cmap": SIGNED, "vmin": -reach, "vmax": reach, "aspect": "auto", "interpolation": "nearest"}
        image = ax.imshow(values[:, :n_coordinates], **look)
        ax.set_title(title)
        ax.set_yticks(range(len(tokens)), tokens)
        ax.tick_params(axis="y", length=0)
        ax.spines[:].set_visible(False)
        if name in ("sum", "output"):
            group, aspect = (axes[:4], 40) if name == "sum" else (axes[4:], 10)
            bar = {"ticks": [-reach, 0, reach], "label": "value", "extend": "both", "shrink": 0.9, "aspect": aspect}
            figure.colorbar(image, ax=group, orientation="horizontal", **bar)
    axes[2].set_xlabel(f"coordinates 0 to {n_coordinates - 1}")
    return figure


def random_cosines(cosines, pairs, bins=90):
    """Histogram of the cosines of random pairs, and above it named pairs: a dict from label to cosine. Source: R 2.2.

    >>> ax = random_cosines([0.0, 0.1, -0.1], {"cat, dog": 0.4})
    >>> [t.get_text() for t in ax.texts]
    ['cat, dog 0.40']
    """
    _, ax = plt.subplots(figsize=(7.6, 3.6))
    counts, _, _ = ax.hist(as_array(cosines), bins, density=True, color=ROLES["embeddings"])
    top = counts.max()
    for row, (label, value) in enumerate(sorted(pairs.items(), key=lambda pair: pair[1])):
        height = top * (0.92 - 0.82 * row / max(1, len(pairs) - 1))  # one step down for each, so that no two touch
        ax.plot([value, value], [0, height], color=COLORS[1], lw=1)
        ax.plot(value, height, "o", color=COLORS[1], ms=4)
        note(ax, f"{label} {float(value):.2f}", (value, height), (6, 0), bbox=plate(0.8))
    ax.set(xlabel="cosine of two rows of E", ylabel="density of random pairs", xlim=(-0.4, 1.1))
    return ax
