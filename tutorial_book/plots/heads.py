"""Figures of the chapter on many heads, masks and two texts (R 9, L 3.2.5-3.2.7)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.patches import Rectangle

from tutorial_book.plots.base import COLORS, as_array, heatmap
from tutorial_lib.attention import causal_mask


def split_diagram(n, d_model, n_heads, ax=None):
    """Draw multi-head attention from top to bottom, each slab with its shape. One color is one head.

    n: tokens; d_model: coordinates of a vector, a multiple of n_heads. Source: R 9.2-9.3.

    >>> ax = split_diagram(n=7, d_model=768, n_heads=12)
    >>> "(7, 768)" in [t.get_text() for t in ax.texts]
    True
    """
    if d_model % n_heads:
        raise ValueError(f"d_model must be a multiple of n_heads, got {d_model} and {n_heads}")
    ax = ax or plt.subplots(figsize=(6.4, 6.6))[1]
    d_k, whole, gray = d_model // n_heads, f"({n}, {d_model})", ["#bbbbbb"]
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
        ax.add_patch(Rectangle((x + i * step, y), step, 0.7, facecolor=color, edgecolor="white", lw=0.8))
    plate = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    ax.text(x + width / 2, y + 0.33, shape, ha="center", va="center", bbox=plate)
    ax.text(x - 0.12, y + 0.33, name, ha="right", va="center", fontweight="bold")


def _tiles(ax, y, colors, width, label):
    """One tile for each head in a row, and after them one label for all."""
    step = 8.4 / len(colors)
    for i, color in enumerate(colors):
        ax.add_patch(Rectangle((0.8 + i * step, y), width * step, 0.7, facecolor=color))
    ax.text(9.4, y + 0.33, label, ha="left", va="center")


def _arrow(ax, top, bottom, label):
    ax.annotate("", (6, bottom), (6, top), arrowprops={"arrowstyle": "->", "color": "black"})
    ax.text(6.25, (top + bottom) / 2, label, ha="left", va="center")


def head_grid(weights, tokens, title="head"):
    """Every head's weights in one layer, (n_heads, n, n), as small pictures: rows ask, columns answer.

    Colors follow the root of a weight: with 20 tokens most weights are near 1/20, and would all be one dark color.

    >>> figure = head_grid(np.ones((2, 1, 1)), ["bear"])
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['head 0', 'head 1']
    """
    weights = as_array(weights)
    if weights.ndim != 3 or weights.shape[1:] != (len(tokens), len(tokens)):
        raise ValueError(f"weights must be (n_heads, {len(tokens)}, {len(tokens)}), got {weights.shape}")
    columns = min(3, len(weights))
    rows = -(-len(weights) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(8, 2.5 * rows + 0.6), squeeze=False, sharex=True, sharey=True)
    figure.phone = {"columns": 2, "panel_height": max(1.6, 0.12 * len(tokens) + 0.3)}
    for h, ax in enumerate(axes.flat):
        ax.spines[:].set_visible(False)
        if h >= len(weights):
            ax.axis("off")
            continue
        image = ax.imshow(weights[h], norm=PowerNorm(0.5, 0, 1), aspect="auto")
        ax.set_title(f"{title} {h}")
        ax.tick_params(length=0, labelsize=7)
    axes[0, 0].set_xticks(range(len(tokens)), tokens)  # all panels share them
    axes[0, 0].set_yticks(range(len(tokens)), tokens)
    for ax in axes[-1]:
        ax.tick_params(axis="x", labelrotation=90)
    figure.supxlabel("token that is attended to", fontsize="medium")
    figure.supylabel("token that asks", fontsize="medium")
    ticks = [0, 0.05, 0.2, 0.5, 1]
    figure.colorbar(image, ax=axes, label="weight", location="top", shrink=0.5, aspect=40, ticks=ticks, format="%g")
    return figure


def update_norms(updates, tokens, ax=None):
    """Heatmap of how far each head moves each token: the lengths of (n_heads, n, d_model) updates.

    >>> ax = update_norms(np.ones((2, 1, 4)), ["bear"])
    >>> ax.get_ylabel()
    'head'
    """
    lengths = np.linalg.norm(as_array(updates), axis=-1)  # (n_heads, n)
    if lengths.ndim != 2 or lengths.shape[1] != len(tokens):
        raise ValueError(f"updates must be (n_heads, {len(tokens)}, d_model), got {as_array(updates).shape}")
    ax = ax or plt.subplots(figsize=(8, 4))[1]
    heatmap(lengths, rows=range(len(lengths)), columns=tokens, ax=ax, label="length of the update")
    ax.set(xlabel="token that is moved", ylabel="head")
    return ax


def training_mask(pairs, ax=None):
    """The causal mask as the training pairs that it makes: each row a prefix, and the token to predict from it.

    pairs: what `tutorial_lib.training.pretraining.training_pairs` returns. Source: L 3.2.7.

    >>> ax = training_mask([([], "Karhut"), (["Karhut"], "ovat")])
    >>> [t.get_text() for t in ax.get_yticklabels()]
    ['[start]', 'Karhut']
    """
    given = ["[start]", *pairs[-1][0]]
    if len(given) != len(pairs):
        raise ValueError(f"pairs must be all prefixes of one text, one a row, got {len(pairs)} pairs up to {given}")
    ax = ax or plt.subplots(figsize=(6.4, 0.7 * len(pairs) + 1.2))[1]
    n = len(given)
    for i, j in np.ndindex(n, n):
        seen = bool(causal_mask(n)[i, j])
        ax.add_patch(Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, facecolor=COLORS[0] if seen else "#eeeeee"))
        ax.text(j, i, given[j] if seen else r"$-\infty$", ha="center", va="center", fontsize=9,
                color="white" if seen else "#595959")
    for i, (_, target) in enumerate(pairs):
        ax.annotate(target, (n + 0.35, i), (n - 0.4, i), va="center", annotation_clip=False)
    ax.text(n - 0.4, -0.8, "to predict", fontweight="bold", va="center")
    ax.set(xlim=(-0.5, n + 0.9), ylim=(n - 0.5, -1.0), ylabel="token that asks")
    ax.set_xlabel("token that is attended to", loc="left")
    ax.set_xticks([])
    ax.set_yticks(range(n), given)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return ax


def cross_weights(weights, queries, memory):
    """Cross-attention's weights, (n_heads, n, m), one panel for each head: rows one text, columns the other.

    >>> figure = cross_weights(np.full((1, 1, 2), 0.5), ["Karhut"], ["Bears", "."])
    >>> [t.get_text() for t in figure.axes[0].texts]
    ['0.50', '0.50']
    """
    weights = as_array(weights)
    figure, axes = plt.subplots(1, len(weights), figsize=(4.2 * len(weights), 3.3), squeeze=False)
    for h, ax in enumerate(axes.flat):
        heatmap(weights[h], queries, memory, ax=ax, digits=2, label="weight", title=f"head {h}", limits=(0, 1))
        ax.set_xlabel("keys and values from here")
    axes[0, 0].set_ylabel("queries from here")
    return figure


def compass(you, friend, ax=None):
    """Two positions, each (north, east), and the one difference between them that brings the friend to you.

    Source: L 3.2.5.

    >>> compass((16, 18), (15, 20)).get_xlabel()
    'km to the east'
    """
    you, friend = as_array(you), as_array(friend)
    ax = ax or plt.subplots(figsize=(6, 4))[1]
    wrong = friend + (friend - you)
    for end, color, label in ((you, COLORS[0], "you − friend"), (wrong, COLORS[1], "friend − you")):
        ax.annotate("", end[::-1], friend[::-1], arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2})
        ax.annotate(label, (end + friend)[::-1] / 2, (10, 10), textcoords="offset points", color=color)
    for point, name in ((you, "you"), (friend, "your friend"), (wrong, "ends here")):
        ax.plot(*point[::-1], "o", color="black")
        ax.annotate(name, point[::-1], (-6, -8), textcoords="offset points", ha="right", va="top")
    corners = np.stack([you, friend, wrong])
    ax.set(xlim=(corners[:, 1].min() - 0.8, corners[:, 1].max() + 0.8), xlabel="km to the east")
    ax.set(ylim=(corners[:, 0].min() - 0.6, corners[:, 0].max() + 0.5), ylabel="km to the north", aspect="equal")
    return ax
