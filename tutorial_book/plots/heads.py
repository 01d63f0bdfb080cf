"""Figures of the chapter on many heads (R 9, L 3.2.5 and 3.2.6)."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import ON_PALE, ROLES, SIGNED, TINTS, WEIGHTS, as_array, frame, heatmap
from tutorial_book.plots.cells import cells
from tutorial_book.plots.parts import arrow, box, note, panel_grid, plate, rows, weight_map, write

# Two heads of a small example, as pale as cells with numbers must be: the two end colors of `split_diagram`.
OF_HEAD = ("#CBC2E4", "#D6E4A4")


def one_or_two(sentences, looks):
    """For each sentence and each way to look, lines from its words to what each head hands over: their average.

    sentences: lists of as many words. looks: title -> (n_heads, n_words), the weights.

    >>> axes = one_or_two([["dogs", "chase", "cats"]], {"one head": [[0.5, 0.0, 0.5]]})
    >>> [text.get_text() for text in axes[0].texts]
    ['0.5', '0.5', '0.5 cats + 0.5 dogs', 'dogs', 'chase', 'cats']
    """
    figure, axes = panel_grid(len(sentences) * len(looks), len(looks), (0, 0.1), (4.0, 1.55))
    figure.phone = {"columns": 1, "panel_height": 1.5}
    for ax, (words, (title, weights)) in zip(axes, product(sentences, looks.items())):
        weights = as_array(weights)
        places = np.linspace(0, len(words) - 1, len(weights) + 2)[1:-1]  # the heads, in the middle
        for h, (place, row) in enumerate(zip(places, weights)):
            for i in np.flatnonzero(row):
                ax.plot([i, place], [1.78, 0.42], color=ROLES["attention"], lw=5 * row[i], solid_capstyle="butt")
                at = i + 0.5 * (place - i)
                write(ax, at, 1.1, f"{row[i]:g}", bbox=plate())
            said = " + ".join(word if w == 1 else f"{w:g} {word}" for word, w in sorted(zip(words, row)) if w)
            width = 1.35 if len(weights) == 1 else 0.62
            box(ax, place, 0.2, width, 0.44, facecolor=OF_HEAD[h], edgecolor="#808080", lw=0.6)
            write(ax, place, 0.2, said, color=ON_PALE)
        for i, word in enumerate(words):
            box(ax, i, 2, 0.8, 0.44, facecolor="#E4E4E4")
            write(ax, i, 2, word)
        ax.set(xlim=(-0.6, len(words) - 0.4), ylim=(-0.1, 2.3), title=title)
        ax.axis("off")
    return axes


def split_diagram(n, d_model, n_heads):
    """Draw multi-head attention from top to bottom, each slab with its shape. One color is one head.

    n: tokens; d_model: coordinates of a vector, a multiple of n_heads. Source: R 9.2-9.3.

    >>> ax = split_diagram(n=7, d_model=768, n_heads=12)
    >>> "(7, 768)" in [t.get_text() for t in ax.texts]
    True
    """
    if d_model % n_heads:
        raise ValueError(f"d_model must be a multiple of n_heads, got {d_model} and {n_heads}")
    _, ax = plt.subplots(figsize=(6.4, 4.5))
    d_k = d_model // n_heads
    whole = f"({n}, {d_model})"
    gray = ["#bbbbbb"]
    colors = plt.colormaps["viridis"](np.linspace(0.05, 0.95, n_heads))
    _slab(ax, 3, 9.8, 6, gray, "X", whole)
    _arrow(ax, 9.7, 8.2, f"times $W_Q, W_K, W_V$,\neach ({d_model}, {d_model}),\nthen cut into {n_heads} heads")
    for x, letter in ((0.4, "Q"), (4.4, "K"), (8.4, "V")):
        _slab(ax, x, 7.4, 3.2, colors, letter, f"{n_heads} × ({n}, {d_k})")
    _arrow(ax, 7.3, 6.1, r"in each head:" "\n" r"softmax$(Q_h K_h^\top / \sqrt{d_k})$")
    _tiles(ax, 5.3, colors, 0.8, f"weights\n{n_heads} × ({n}, {n})")
    _arrow(ax, 5.2, 4.2, "times $V_h$")
    _tiles(ax, 3.4, colors, 0.55, f"heads\n{n_heads} × ({n}, {d_k})")
    _arrow(ax, 3.3, 2.3, "concatenate:\nside by side again")
    _slab(ax, 3, 1.5, 6, colors, "", whole)
    _arrow(ax, 1.4, 0.6, f"times $W_O$\n({d_model}, {d_model})")
    _slab(ax, 3, -0.2, 6, gray, "output", whole)
    ax.set(xlim=(0, 12), ylim=(-0.3, 10.6))
    ax.figure.phone, ax.figure.slide = {"panel_height": 6.6}, {"size": (6, 3.9)}
    ax.axis("off")
    return ax


def _slab(ax, x, y, width, colors, name, shape):
    """Draw a matrix as a bar with one slice for each color, its name before and its shape inside."""
    step = width / len(colors)
    for i, color in enumerate(colors):
        box(ax, x + (i + 0.5) * step, y + 0.35, step, 0.7, facecolor=color, edgecolor="white", lw=0.8)
    write(ax, x + width / 2, y + 0.33, shape, bbox=plate(1.5))
    ax.text(x - 0.12, y + 0.33, name, ha="right", va="center", fontweight="bold")


def _tiles(ax, y, colors, width, label):
    """Draw one tile for each head in a row, and after them one label for all."""
    step = 8.4 / len(colors)
    for i, color in enumerate(colors):
        box(ax, 0.8 + (i + width / 2) * step, y + 0.35, width * step, 0.7, facecolor=color)
    ax.text(9.4, y + 0.33, label, ha="left", va="center")


def _arrow(ax, top, bottom, label):
    arrow(ax, (6, top), (6, bottom), style="->", shrinkA=2, shrinkB=2)
    ax.text(6.25, (top + bottom) / 2, label, ha="left", va="center")


def split_by_hand(X, maps, tokens, followed):
    """Draw X times three matrices, each product where its row of X and its column of the matrix cross.

    X: (n, d_model). maps: letter -> (d_model, d_model), whose columns two heads share. followed: a token's position,
    whose row is framed.

    >>> axes = split_by_hand([[1.0, 2.0]], {"Q": [[1.0, 0.0], [1.0, 3.0]]}, ["bear"], 0)
    >>> [text.get_text() for text in axes[1][1].texts]
    ['3', '6']
    """
    X, maps = as_array(X), {letter: as_array(W) for letter, W in maps.items()}
    n, d_model = X.shape
    shape = {"width_ratios": [1] * (1 + len(maps)), "height_ratios": [d_model, n]}
    figure, axes = plt.subplots(2, 1 + len(maps), figsize=(8.2, 3.7), squeeze=False, **shape)
    figure.phone = {"columns": 1 + len(maps), "panel_height": 1.65}
    for h, color in enumerate(OF_HEAD):
        box(axes[0, 0], d_model / 2 - 0.5, h * 1.3 + 0.6, d_model, 0.95, facecolor=color)
        write(axes[0, 0], d_model / 2 - 0.5, h * 1.3 + 0.6, f"head {h}", color=ON_PALE)
    axes[0, 0].set(xlim=(-0.6, d_model - 0.4), ylim=(d_model - 0.4, -0.6))
    axes[0, 0].axis("off")
    cells(axes[1, 0], X, "$X$", names=tokens, followed=followed)
    split = [OF_HEAD[j * len(OF_HEAD) // d_model] for j in range(d_model)]
    for (above, below), (letter, W) in zip(axes.T[1:], maps.items()):
        cells(above, W, f"$W_{letter}$", columns=split)
        cells(below, X @ W, f"${letter} = X\\,W_{letter}$", columns=split, followed=followed)
    return axes


def attend_by_hand(steps, tokens, followed):
    """Draw each head in a row of four matrices: products of queries and keys, weights, values, output.

    steps: a trace of one `MultiHeadAttention` of two heads, of one text. followed: a token's position, framed.
    """
    Q, K, weights, V, out = (as_array(steps[name]) for name in ("queries", "keys", "weights", "values", "heads"))
    n, d_k = Q.shape[1:]
    size = {"figsize": (8.2, 1.75 * len(Q)), "width_ratios": [n, n, d_k, d_k]}
    figure, axes = plt.subplots(len(Q), 4, squeeze=False, **size)
    figure.phone = {"columns": 2, "panel_height": 1.6}
    for h, (ax, color) in enumerate(zip(axes, OF_HEAD)):
        own = {"columns": [color] * d_k}
        cells(ax[0], Q[h] @ K[h].T, f"$Q_{h} K_{h}^\\top$", names=tokens, followed=followed)
        cells(ax[1], weights[h], f"$\\div\\sqrt{{{d_k}}}$, softmax", weights=True, followed=followed)
        cells(ax[2], V[h], f"times $V_{h}$", **own)
        cells(ax[3], out[h], f"= head {h}", followed=followed, **own)
    for scores in axes[-1, :2]:
        scores.set_xticks(range(n), tokens)  # the keys
    return axes


def join_by_hand(concat, W_O, output, tokens, followed):
    """Draw the heads' outputs side by side, times W_O, giving the output. followed: a token whose row is framed."""
    concat, W_O, output = map(as_array, (concat, W_O, output))
    width = len(W_O)
    figure, axes = plt.subplots(1, 3, figsize=(8.2, 2.3))
    figure.phone = {"columns": 2, "panel_height": 1.6}
    of_head = [OF_HEAD[j * len(OF_HEAD) // width] for j in range(width)]
    cells(axes[0], concat, "[ head 0 | head 1 ]", columns=of_head, names=tokens, followed=followed)
    cells(axes[1], W_O, "times $W_O$", by_row=of_head)
    cells(axes[2], output, "= output", followed=followed)
    for ax in axes[::2]:  # cells as high as those of W_O, in the middle
        spare = (width - len(concat)) / 2
        ax.set_ylim(len(concat) - 0.4 + spare, -0.6 - spare)
        ax.title.set_y(1 - spare / (width + 0.2))
        ax._left_title.set_y(1 - spare / (width + 0.2))
    return axes


def sum_by_hand(vector, heads, W_O, token):
    """Draw one token: each head's output times its rows of W_O is its update; the updates are added to the vector.

    vector: (d_model,). heads: (n_heads, d_k), the token's outputs. W_O: (n_heads * d_k, d_model).

    >>> axes = sum_by_hand([1.0, 0.0], [[1.0], [2.0]], [[1.0, 0.0], [0.0, -1.0]], "bear")
    >>> [text.get_text() for text in axes[2, 2].texts]
    ['2', '−2']
    """
    vector, heads, W_O = map(as_array, (vector, heads, W_O))
    n_heads, d_k = heads.shape
    blocks = W_O.reshape(n_heads, d_k, -1)
    updates = np.einsum("hk,hkd->hd", heads, blocks)
    room = {"room": (d_k, len(vector))}
    figure, axes = plt.subplots(n_heads + 1, 3, figsize=(8.2, 1.08 * (n_heads + 1)), squeeze=False)
    figure.phone = {"columns": 1, "panel_height": 0.85}
    for h, (ax, color) in enumerate(zip(axes, OF_HEAD)):
        cells(ax[0], heads[h : h + 1], f"head {h} of “{token}”", columns=[color] * d_k, **room)
        cells(ax[1], blocks[h], f"times $W_O^{h}$", by_row=[color] * d_k, **room)
        cells(ax[2], updates[h : h + 1], f"= what head {h} adds", columns=[color] * len(vector), **room)
    cells(axes[-1, 0], vector[None], f"“{token}” before", **room)
    cells(axes[-1, 1], updates.sum(0)[None], "+ what both add", **room)
    cells(axes[-1, 2], (vector + updates.sum(0))[None], f"= “{token}” after", **room)
    return axes


def one_update(weights, value, update, vector, tokens, token, source):
    """Draw what one head does for one token, in four rows: its weights, the value, the lifted value, the sum.

    weights: (n,). value: (d_k,) of the source. update, vector: (d_model,) of the token.
    """
    weights, value, update, vector = map(as_array, (weights, value, update, vector))
    _, axes = plt.subplots(4, 1, figsize=(8.2, 4.5))
    titles = (
        f"1. It looks: the weights of “{token}”",
        f"2. It takes: the value of “{source}”, {len(value)} numbers",
        f"3. It lifts: times its rows of $W_O$, {len(update)} numbers",
        f"4. It adds: the vector of “{token}” before (gray), and what is added (green)",
    )
    axes[0].bar(range(len(weights)), weights, color=ROLES["attention"])
    note(axes[0], f"{source} {weights.max():.2f}", (weights.argmax() + 0.5, weights.max()), (4, -6), fontsize=10)
    axes[0].set_xticks(range(len(tokens)), tokens, rotation=45, ha="right", rotation_mode="anchor")
    axes[0].set_xlim(-0.6, len(tokens) - 0.4)
    axes[1].bar(range(len(value)), value, color=ROLES["value"])
    axes[2].vlines(range(len(update)), 0, update, color=ROLES["value"], lw=1.1)
    axes[3].vlines(range(len(vector)), 0, vector, color="#AAAAAA", lw=1.1)
    axes[3].vlines(range(len(vector)), vector, vector + update, color=ROLES["value"], lw=1.6)
    least, most = min(vector.min(), (vector + update).min()), max(vector.max(), (vector + update).max())
    for ax, title in zip(axes, titles):
        ax.set_title(title)
        ax.tick_params(axis="x", length=0)
    for ax in axes[2:]:
        ax.set_xlim(-3, len(vector) + 2)
    axes[3].set_ylim(1.05 * least, 1.05 * most)
    for ax in axes[1:3]:
        ax.set_xticks([])
    axes[3].set_xlabel("coordinate")
    axes[1].set_xlim(-0.8, len(value) - 0.2)
    axes[1].figure.phone = {"panel_height": 1.6}
    return axes


def added_up(updates, vector, bias, token):
    """Draw one token's updates end to end, and added, with the cosine of each two.

    updates: (n_heads, d_model). vector: (d_model,), before. bias: (d_model,), of W_O.
    """
    updates, vector, bias = map(as_array, (updates, vector, bias))
    lengths = np.linalg.norm(updates, axis=1)
    bars = {
        "the updates, end to end": lengths.sum(),
        "the updates, added": np.linalg.norm(updates.sum(0)),
        f"“{token}” before": np.linalg.norm(vector),
        f"“{token}” after": np.linalg.norm(vector + updates.sum(0) + bias),
    }
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.6), width_ratios=[1.15, 1])
    start = 0
    for h, length in enumerate(lengths):
        left.barh(0, length, 0.5, start, color=TINTS["value"], edgecolor="white")
        if h % 3 == 0:  # as beside it; there is no room for all
            write(left, start + length / 2, 0, str(h))
        start += length
    left.barh(1, bars["the updates, added"], 0.5, color=ROLES["value"])
    left.barh([2, 3], list(bars.values())[2:], 0.5, color="#AAAAAA")
    for y, (name, length) in enumerate(bars.items()):
        left.text(0, y - 0.29, name, va="bottom")
        note(left, f"{length:.1f}", (length, y), (4, 0), fontsize=10)
    left.set(ylim=(3.5, -0.8), yticks=[], xlim=(0, 1.12 * max(bars.values())), xlabel="length")
    left.set_title(f"Lengths, heads 0 to {len(lengths) - 1} from the left")
    left.spines["left"].set_visible(False)
    directions = updates / lengths[:, None]
    cosines = directions @ directions.T
    np.fill_diagonal(cosines, np.nan)
    image = right.imshow(cosines, cmap=SIGNED, vmin=-0.5, vmax=0.5)
    frame(right)
    right.set(xticks=range(0, len(lengths), 3), yticks=range(0, len(lengths), 3), xlabel="head")
    right.set_title("Cosines between the heads' updates")
    figure.colorbar(image, ax=right, shrink=0.85)
    return left, right


def neighbors(before, after, least=0.15):
    """Draw two heatmaps of (n_layers, n_heads): the weight on the token before and on the token after.

    least: smaller weights are not written.

    >>> [ax.get_title() for ax in neighbors([[1.0]], [[0.0]])]
    ['weight on the token before', 'weight on the token after']
    """
    figure, axes = panel_grid(2, size=(8.6, 3.1), xlabel="head", ylabel="layer")
    figure.phone = {"columns": 1, "panel_height": 2.4}
    for ax, name, matrix in zip(axes, ("before", "after"), (before, after)):
        matrix = as_array(matrix)
        ax.imshow(matrix, cmap=WEIGHTS, vmin=0, vmax=1, aspect="auto")
        frame(ax)
        ax.set(title=f"weight on the token {name}", xticks=range(matrix.shape[1]), yticks=range(matrix.shape[0]))
        ax.tick_params(length=0)
        for (i, j), value in np.ndenumerate(matrix):
            if value >= least:
                ink = "#FDFDFD" if value > 0.55 else "#020202"
                write(ax, j, i, f"{value:.2f}".removeprefix("0"), fontsize=9, color=ink)
    return axes


def update_norms(updates, tokens):
    """Draw a heatmap of how far each head moves each token: the lengths of (n_heads, n, d_model) updates.

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


def padding_looks(weights, tokens, n):
    """Draw where the first n tokens look, one map for each name, and each row's weight on later tokens.

    weights: name -> (n, n_keys). Colors follow the square root of a weight.

    >>> figure = padding_looks({"no mask": [[0.75, 0.25]]}, ["bears", "[PAD]"], 1)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['25%', 'on [PAD]']
    """
    figure, axes = panel_grid(len(weights), 1, size=(8.4, 0.75), each=(0, 0.27 * n + 0.55), sharex=True)
    for ax, (name, matrix) in zip(axes, weights.items()):
        matrix = as_array(matrix)
        weight_map(ax, matrix, aspect="auto")
        rows(ax, tokens[:n])
        ax.set(title=name, ylim=(n - 0.5, -0.5))
        for i, share in enumerate(matrix[:, n:].sum(1)):
            note(ax, f"{share:.0%}", (len(tokens) - 0.5, i), fontsize=10, annotation_clip=False)
        note(ax, "on [PAD]", (len(tokens) - 0.5, -0.5), (5, 8), fontsize=10, annotation_clip=False)
    axes[-1].set_xticks(range(len(tokens)), tokens, rotation=45, ha="right", rotation_mode="anchor")
    return figure
