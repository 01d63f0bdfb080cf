"""Figures of the chapter on many heads, masks and two texts (R 9, L 3.2.5-3.2.7)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, WEIGHTS, as_array, heatmap
from tutorial_book.plots.parts import arrow, bare, box, note, panel_grid, plate, write
from tutorial_lib.attention import causal_mask


def split_diagram(n, d_model, n_heads):
    """Draw multi-head attention from top to bottom, each slab with its shape. One color is one head.

    n: tokens; d_model: coordinates of a vector, a multiple of n_heads. Source: R 9.2-9.3.

    >>> ax = split_diagram(n=7, d_model=768, n_heads=12)
    >>> "(7, 768)" in [t.get_text() for t in ax.texts]
    True
    """
    if d_model % n_heads:
        raise ValueError(f"d_model must be a multiple of n_heads, got {d_model} and {n_heads}")
    _, ax = plt.subplots(figsize=(6.4, 6.6))
    d_k = d_model // n_heads
    whole = f"({n}, {d_model})"
    gray = ["#bbbbbb"]
    colors = plt.colormaps["viridis"](np.linspace(0.05, 0.95, n_heads))
    _slab(ax, 3, 9.3, 6, gray, "X", whole)
    _arrow(ax, 9.2, 8.2, f"times $W_Q, W_K, W_V$,\neach ({d_model}, {d_model}),\nthen cut into {n_heads} heads")
    for x, letter in ((0.4, "Q"), (4.4, "K"), (8.4, "V")):
        _slab(ax, x, 7.4, 3.2, colors, letter, f"{n_heads} × ({n}, {d_k})")
    _arrow(ax, 7.3, 6.1, r"each head for itself:" "\n" r"softmax$(Q_h K_h^\top / \sqrt{d_k})$")
    _tiles(ax, 5.3, colors, 0.8, f"weights\n{n_heads} × ({n}, {n})")
    _arrow(ax, 5.2, 4.2, "times $V_h$")
    _tiles(ax, 3.4, colors, 0.55, f"heads\n{n_heads} × ({n}, {d_k})")
    _arrow(ax, 3.3, 2.3, "concatenate:\nside by side again")
    _slab(ax, 3, 1.5, 6, colors, "", whole)
    _arrow(ax, 1.4, 0.6, f"times $W_O$\n({d_model}, {d_model})")
    _slab(ax, 3, -0.2, 6, gray, "output", whole)
    ax.set(xlim=(0, 12), ylim=(-0.3, 10.1))
    ax.figure.phone = {"panel_height": 6.6}
    ax.axis("off")
    return ax


def _slab(ax, x, y, width, colors, name, shape):
    """A matrix as a bar, cut into as many slices as there are colors, its name before and its shape inside."""
    step = width / len(colors)
    for i, color in enumerate(colors):
        box(ax, x + (i + 0.5) * step, y + 0.35, step, 0.7, facecolor=color, edgecolor="white", lw=0.8)
    write(ax, x + width / 2, y + 0.33, shape, bbox=plate(1.5))
    ax.text(x - 0.12, y + 0.33, name, ha="right", va="center", fontweight="bold")


def _tiles(ax, y, colors, width, label):
    """One tile for each head in a row, and after them one label for all."""
    step = 8.4 / len(colors)
    for i, color in enumerate(colors):
        box(ax, 0.8 + (i + width / 2) * step, y + 0.35, width * step, 0.7, facecolor=color)
    ax.text(9.4, y + 0.33, label, ha="left", va="center")


def _arrow(ax, top, bottom, label):
    arrow(ax, (6, top), (6, bottom), style="->", shrinkA=2, shrinkB=2)
    ax.text(6.25, (top + bottom) / 2, label, ha="left", va="center")


def update_norms(updates, tokens):
    """Heatmap of how far each head moves each token: the lengths of (n_heads, n, d_model) updates.

    >>> ax = update_norms(np.ones((2, 1, 4)), ["bear"])
    >>> ax.get_ylabel()
    'head'
    """
    lengths = np.linalg.norm(as_array(updates), axis=-1)  # (n_heads, n)
    if lengths.ndim != 2 or lengths.shape[1] != len(tokens):
        raise ValueError(f"updates must be (n_heads, {len(tokens)}, d_model), got {as_array(updates).shape}")
    _, ax = plt.subplots(figsize=(8, 4))
    heatmap(lengths, rows=range(len(lengths)), columns=tokens, ax=ax, label="length of the update")
    ax.set(xlabel="token that is moved", ylabel="head")
    return ax


def training_mask(pairs):
    """The causal mask as the training pairs that it makes: each row a prefix, and the token to predict from it.

    pairs: what `tutorial_lib.training.pretraining.training_pairs` returns. Source: L 3.2.7.

    >>> ax = training_mask([([], "Karhut"), (["Karhut"], "ovat")])
    >>> [t.get_text() for t in ax.get_yticklabels()]
    ['[start]', 'Karhut']
    """
    given = ["[start]", *pairs[-1][0]]
    if len(given) != len(pairs):
        raise ValueError(f"pairs must be all prefixes of one text, one a row, got {len(pairs)} pairs up to {given}")
    n = len(given)
    _, ax = plt.subplots(figsize=(6.4, 0.7 * n + 1.2))
    for (i, j), seen in np.ndenumerate(causal_mask(n)):
        box(ax, j, i, 0.92, 0.92, facecolor=COLORS[0] if seen else "#eeeeee")
        write(ax, j, i, given[j] if seen else r"$-\infty$", fontsize=9, color="white" if seen else "#595959")
    for i, (_, target) in enumerate(pairs):
        ax.annotate(target, (n + 0.35, i), (n - 0.4, i), va="center", annotation_clip=False)
    ax.text(n - 0.4, -0.8, "to predict", fontweight="bold", va="center")
    ax.set(xlim=(-0.5, n + 0.9), ylim=(n - 0.5, -1.0), ylabel="token that asks")
    ax.set_xlabel("token that is attended to", loc="left")
    ax.set_xticks([])
    ax.set_yticks(range(n), given)
    bare(ax)
    return ax


def cross_weights(weights, queries, memory):
    """Cross-attention's weights, (n_heads, n, m), one panel for each head: rows one text, columns the other.

    >>> figure = cross_weights(np.full((1, 1, 2), 0.5), ["Karhut"], ["Bears", "."])
    >>> [t.get_text() for t in figure.axes[0].texts]
    ['0.50', '0.50']
    """
    weights = as_array(weights)
    labels = {"xlabel": "keys and values from here", "ylabel": "queries from here"}
    figure, axes = panel_grid(len(weights), size=(0, 3.3), each=(4.2, 0), **labels)
    for h, ax in enumerate(axes):
        look = {"digits": 2, "label": "weight", "limits": (0, 1), "colors": WEIGHTS}
        heatmap(weights[h], queries, memory, ax=ax, title=f"head {h}", **look)
    return figure


def compass(you, friend):
    """Two positions, each (north, east), and the one difference between them that brings the friend to you.

    Source: L 3.2.5.

    >>> compass((16, 18), (15, 20)).get_xlabel()
    'km to the east'
    """
    you, friend = as_array(you), as_array(friend)
    _, ax = plt.subplots(figsize=(6, 4))
    wrong = friend + (friend - you)
    for end, color, label in ((you, COLORS[0], "you − friend"), (wrong, COLORS[1], "friend − you")):
        arrow(ax, friend[::-1], end[::-1], color, lw=2, shrinkA=2, shrinkB=2)
        note(ax, label, (end + friend)[::-1] / 2, (10, 10), color=color, fontsize=10, va="baseline")
    for point, name in ((you, "you"), (friend, "your friend"), (wrong, "ends here")):
        ax.plot(*point[::-1], "o", color="black")
        note(ax, name, point[::-1], (-6, -8), fontsize=10, ha="right", va="top")
    corners = np.stack([you, friend, wrong])
    ax.set(xlim=(corners[:, 1].min() - 0.8, corners[:, 1].max() + 0.8), xlabel="km to the east")
    ax.set(ylim=(corners[:, 0].min() - 0.6, corners[:, 0].max() + 0.5), ylabel="km to the north", aspect="equal")
    return ax
