"""Figures of the chapter on the transformer of 2017: three architectures side by side, learning to translate, and
attention during a translation.

Sources: L 3.2 (Fig. 4), 3.2.7, 3.3.1; Vaswani et al. (2017), Fig. 1.
"""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, TINTS, WEIGHTS, as_array, heatmap
from tutorial_book.plots.parts import arrow, box, dotted, panel_grid, plate, write

LINE = "#444444"
LOOKS, CROSSES, WIDENS, NORM = "attention", "attention", "feed forward", "the rest"
STACKS = {  # title: (inputs, the parts of a layer, how many layers, the parts after it), from top to bottom
    "2017: encoder": (
        [("tokens × √d", "embeddings"), ("+ sines", "embeddings")],
        [("self-attention", LOOKS), ("+, LayerNorm", NORM), ("ReLU network", WIDENS), ("+, LayerNorm", NORM)],
        6, [("memory", NORM)],
    ),
    "2017: decoder": (
        [("tokens × √d", "embeddings"), ("+ sines", "embeddings")],
        [("masked attention", LOOKS), ("+, LayerNorm", NORM), ("cross-attention", CROSSES), ("+, LayerNorm", NORM)]
        + [("ReLU network", WIDENS), ("+, LayerNorm", NORM)],
        6, [("next token", "embeddings")],
    ),
    "BERT": (
        [("tokens", "embeddings"), ("+ positions", "embeddings"), ("+ segments", "embeddings"), ("LayerNorm", NORM)],
        [("self-attention", LOOKS), ("+, LayerNorm", NORM), ("GELU network", WIDENS), ("+, LayerNorm", NORM)],
        12, [("hidden tokens", "embeddings")],
    ),
    "GPT-2": (
        [("tokens", "embeddings"), ("+ positions", "embeddings")],
        [("LayerNorm", NORM), ("masked attention, +", LOOKS), ("LayerNorm", NORM), ("GELU network, +", WIDENS)],
        12, [("LayerNorm", NORM), ("next token", "embeddings")],
    ),
}
ROWS = 12.5  # positions for boxes in a column: the embeddings are on top, the layer begins below the fourth
FIRST = 4.6


def stacks():
    """Draw the transformer of 2017, BERT and GPT-2 from top to bottom, one panel each, its layer in a frame.

    Source: L 3.2 (Fig. 4), 3.3.1.

    >>> [ax.get_title() for ax in stacks()]
    ['2017: encoder', '2017: decoder', 'BERT', 'GPT-2']
    """
    fig, axes = panel_grid(len(STACKS), size=(8, 4.0))
    fig.phone = {"columns": 2, "panel_height": 4.0}
    for ax, (title, (before, layer, count, after)) in zip(axes, STACKS.items()):
        ax.set(xlim=(0, 10), ylim=(ROWS, -0.2), title=title)
        ax.axis("off")
        places = [*range(len(before)), *(FIRST + i for i in range(len(layer)))]
        places += [FIRST + 0.4 + len(layer) + i for i in range(len(after))]
        for y, above, (text, role) in zip(places, [None, *places], [*before, *layer, *after]):
            plain = text in ("memory", "next token", "hidden tokens")
            color = "none" if plain else TINTS[role]
            box(ax, 4.8, y + 0.47, 8.4, 0.7, facecolor=color, edgecolor="none" if plain else LINE)
            write(ax, 4.8, y + 0.47, text, fontsize=9, weight="bold" if plain else None)
            if above is not None:
                ax.plot([4.8, 4.8], [above + 0.82, y + 0.12], color=LINE, lw=1)
        box(ax, 4.8, FIRST + len(layer) / 2 - 0.02, 9.2, len(layer) + 0.2, fill=False, edgecolor=LINE, ls="--")
        ax.text(9.3, FIRST - 0.3, f"{count} times", ha="right", va="center", fontsize=8)
        if ("cross-attention", CROSSES) in layer:
            y = FIRST + layer.index(("cross-attention", CROSSES)) + 0.47
            ax.annotate("", (0.6, y), (-1.8, y), arrowprops={"arrowstyle": "->", "color": LINE}, annotation_clip=False)
            ax.text(-1.2, y - 0.25, "memory", ha="center", va="bottom", fontsize=7.6)
    return axes


def learning(losses, right, level):
    """Draw the loss of each training step, and the share of new sentences translated without a mistake.

    losses: one per step. right: [[step, share], ...]. level: a loss to compare with, drawn dotted.

    >>> loss, share = learning([5.0, 1.0], [[0, 0.0], [2, 0.9]], level=4.6)
    >>> share.lines[0].get_ydata().tolist()
    [0.0, 0.9]
    """
    _, (first, second) = panel_grid(2, size=(7.6, 2.7), xlabel="step")
    first.plot(range(1, len(losses) + 1), losses, color=COLORS[0], linewidth=1.2)
    dotted(first, level)
    first.text(len(losses), level + 0.1, "frequencies alone", ha="right", va="bottom", fontsize=9)
    first.set(ylabel="loss (nats per token)", ylim=(0, None))
    second.plot(*as_array(right).T, color=COLORS[0], marker="o")
    second.set(ylabel="whole sentences right", ylim=(-0.03, 1.05))
    return first, second


def looks(own, crossing, written, read, source, aligned=()):
    """Draw two attention maps of one translation: the decoder's masked self-attention, and its cross-attention.

    own: weights (n, n); cells that the mask forbids stay white. crossing: weights (n, m). written: the n words that the
    rows write. read: the n tokens that the decoder has read by then. source: the m words of the source. aligned: for
    each row, the position of its source word, which gets a frame.

    >>> first, second = looks([[1.0, 0.0], [0.4, 0.6]], [[0.2, 0.8], [1, 0]], ["la", "casa"], ["[START]", "la"],
    ...                       ["the", "house"], aligned=[0, 1])
    >>> len(second.patches)
    2
    """
    own, crossing = as_array(own), as_array(crossing)
    own = np.where(np.tri(len(own), dtype=bool), own, np.nan)
    fig, axes = panel_grid(2, size=(8.4, 3.7))
    fig.phone = {"columns": 1, "panel_height": 4.0}
    heatmap(own, written, read, axes[0], label="weight", title="masked self-attention", limits=(0, 1), colors=WEIGHTS)
    heatmap(crossing, written, source, axes[1], label="weight", title="cross-attention", limits=(0, 1), colors=WEIGHTS)
    axes[0].set(xlabel="token that was read", ylabel="word that is written")
    axes[1].set_xlabel("word of the source")
    for ax in axes:
        ax.tick_params(axis="x", labelrotation=90)
    for i, j in enumerate(aligned):
        box(axes[1], j, i, 0.9, 0.9, fill=False, edgecolor=COLORS[1], linewidth=1.8)
    return axes


def cross_shapes(n, d_model, m, d_memory):
    """Cross-attention as matrices of small squares: n tokens of one text ask, m tokens of the other one answer.

    >>> ax = cross_shapes(5, 8, 4, 6)
    >>> [text.get_text() for text in ax.texts if "→" in text.get_text()]
    ['$W_Q$\\n8 → 8', '$W_K$\\n6 → 8', '$W_V$\\n6 → 8', '$W_O$: 8 → 8']
    """
    _, ax = plt.subplots(figsize=(8.2, 4.0))
    ax.figure.phone = {"panel_height": 3.4}

    def matrix(x, y, shape, color, name):
        for i, j in np.ndindex(shape):
            box(ax, x + j + 0.5, y + i + 0.5, 0.9, 0.9, facecolor=color)
        ax.text(x, y - 0.3, f"{name}\n{shape}", va="bottom")

    left, middle, right = 0, d_model + 7, 2 * d_model + 13
    key = n + 4
    value = key + m + 4
    matrix(left, 0, (n, d_model), TINTS["first text"], "Finnish")
    matrix(left, (key + value) / 2, (m, d_memory), TINTS["second text"], "English")
    matrix(middle, 0, (n, d_model), TINTS["query"], "queries")
    matrix(middle, key, (m, d_model), TINTS["key"], "keys")
    matrix(middle, value, (m, d_model), TINTS["value"], "values")
    averages, output = n + 6, 2 * n + 13
    matrix(right, 0, (n, m), TINTS["attention"], "weights")
    matrix(right, averages, (n, d_model), TINTS["value"], "averages")
    matrix(right, output, (n, d_model), TINTS["first text"], "output")
    look = {"style": "->", "shrinkA": 2, "shrinkB": 2}
    size = f"\n{d_memory} → {d_model}"
    for start, end, name in (
        ((d_model, n / 2), (middle, n / 2), f"$W_Q$\n{d_model} → {d_model}"),
        ((d_memory, (key + value) / 2 + 1), (middle, key + m / 2), "$W_K$" + size),
        ((d_memory, (key + value) / 2 + m - 1), (middle, value + m / 2), "$W_V$" + size),
    ):
        arrow(ax, start, end, **look)
        write(ax, (start[0] + end[0]) / 2, (start[1] + end[1]) / 2, name, fontsize=9, bbox=plate(0.5))
    middle += d_model
    arrow(ax, (middle, n / 2), (right, n / 2), **look)
    arrow(ax, (middle, key + m / 2), (right, n - 1), **look)
    arrow(ax, (middle, value + m / 2), (right, averages + n / 2), **look)
    for start, end in ((n, averages), (averages + n, output)):
        arrow(ax, (right + 1.5, start), (right + 1.5, end - 3.8), **look)  # down to the name of the next
    ax.text(right + 2.2, (averages + n + output - 3.8) / 2, f"$W_O$: {d_model} → {d_model}", va="center", fontsize=9)
    ax.set(xlim=(-0.3, right + d_model + 0.3), ylim=(output + n + 0.5, -3.2), aspect="equal")
    ax.axis("off")
    return ax
