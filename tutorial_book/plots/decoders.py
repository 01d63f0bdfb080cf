"""Figures of the chapter on decoders: one pass, its mask, the saving of the cache, the effect of sampling, its layer.

Sources: L 3.2.7; N 3, 3.3.
"""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.patches import Patch

from tutorial_book.plots.base import (
    COLORS,
    ON_DEEP_CELL,
    ROLES,
    SIGNED,
    TINTS,
    WEIGHTS,
    as_array,
    frame,
    heatmap,
    ink_on,
)
from tutorial_book.plots.cells import cells
from tutorial_book.plots.parts import (
    arrow,
    bare,
    box,
    note,
    panel_grid,
    rows,
    write,
)
from tutorial_lib.attention import causal_mask

LINE = "#444444"


def one_pass(tokens, bands, likeliest, came):
    """Draw one pass of a decoder, a line for each token: its steps, and the token that comes next.

    bands: (text, role) of each stage. likeliest, came: a (token, probability) for each of tokens; came: one fewer.

    >>> ax = one_pass(["Mia", "had"], [("4 layers", "attention")], [("was", 0.4), ("a", 0.9)], [("had", 0.1)])
    >>> [t.get_text() for t in ax.texts if t.get_text()][:3]
    ['4 layers', 'Mia', 'had']
    """
    n, left, step = len(tokens), 17.0, 8.0
    figure, ax = plt.subplots(figsize=(7.6, 0.29 * n + 0.4))
    figure.phone = {"panel_height": 0.29 * n + 0.4}
    figure.slide = {"size": (6.5, 4.25)}
    starts = [left + step * i for i in range(len(bands))]
    for start, (text, role) in zip(starts, bands):
        box(ax, start + 2.6, (n - 1) / 2, 5.2, n - 0.1, facecolor=TINTS[role], edgecolor="#808080", linewidth=0.6)
        write(ax, start + 2.6, (n - 1) / 2, text, rotation=90)
    end = starts[-1] + step
    for y in range(n):
        for start in [left - step + 5.2, *[start + 5.2 for start in starts]]:
            arrow(ax, (start + 0.3, y), (start + 2.6, y), LINE, linewidth=0.9, mutation_scale=6)
    _column(ax, 6.6, "reads", [(token, None) for token in tokens], TINTS["the rest"])
    _column(ax, end + 6.6, "likeliest next", likeliest, TINTS["first text"])
    _column(ax, end + 31.6, "what came", came, TINTS["second text"])
    ax.set(xlim=(-0.2, end + 48), ylim=(n - 0.5, -1.4))
    ax.axis("off")
    return ax


def _column(ax, x, title, found, tint):
    """Draw a column of tokens in tiles, each with its probability next to it, if it has one."""
    for y, (token, p) in enumerate(found):
        box(ax, x, y, 13.2, 0.84, facecolor=tint, edgecolor="#808080", linewidth=0.6)
        write(ax, x, y, token, fontsize=9.5)
        if p is not None:
            ax.text(x + 7.6, y, f"{p:.2f}", va="center", fontsize=9.5)
    ax.text(x - 6.6, -0.95, title, va="center")


def masked(scores, weights, tokens):
    """Draw one head's scores, minus infinity if a key comes after the query, and the weights after softmax.

    scores, weights: (n, n). Source: N 3.

    >>> left, right = masked([[1.0, 2.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5]], ["a", "b"])
    >>> [t.get_text() for t in left.texts]
    ['1.0', '−∞', '0.5', '0.5']
    """
    later = np.triu(np.ones(np.shape(scores), bool), 1)
    scores, weights = np.where(later, np.nan, as_array(scores)), as_array(weights)
    most = np.nanmax(np.abs(scores))
    figure, axes = panel_grid(2, size=(7.7, 0.42 * len(tokens) + 1.0))
    looks = ({"cmap": SIGNED, "vmin": -most, "vmax": most}, {"cmap": WEIGHTS, "norm": PowerNorm(0.5, 0, 1)})
    titles = "scores, later tokens crossed out", "softmax of each row: the weights"
    for ax, matrix, look, title in zip(axes, (scores, weights), looks, titles):
        image = ax.imshow(matrix, aspect="auto", **look)
        for (i, j), value in np.ndenumerate(matrix):
            if np.isnan(value):
                box(ax, j, i, facecolor=TINTS["the rest"], hatch="///", edgecolor="white", linewidth=0)
                write(ax, j, i, "−∞")
            else:
                text = f"{value:z.1f}" if ax is axes[0] else f"{value:.2f}" if value else "0"
                write(ax, j, i, text.replace("-", "−"), color=ink_on(image, value))
        ax.set(title=title, xlabel="key", xticks=range(len(tokens)), yticks=range(len(tokens)))
        ax.set_xticklabels(tokens)
        ax.set_yticklabels(tokens)
        ax.tick_params(length=0)
        frame(ax)
    axes[0].set_ylabel("query")
    figure.phone = {"columns": 1, "panel_height": 2.6}
    return axes


def training_mask(pairs, weights):
    """The causal mask as the training pairs that it makes, each row a prefix and the token to predict; and weights.

    pairs: what `tutorial_lib.training.pretraining.training_pairs` returns. weights: (n, n), those of one head.
    Source: L 3.2.7.

    >>> axes = training_mask([([], "Karhut"), (["Karhut"], "ovat")], [[1.0, 0.0], [0.5, 0.5]])
    >>> [t.get_text() for t in axes[0].get_yticklabels()]
    ['[start]', 'Karhut']
    """
    given = ["[start]", *pairs[-1][0]]
    if len(given) != len(pairs):
        raise ValueError(f"pairs must be all prefixes of one text, one per row, got {len(pairs)} pairs up to {given}")
    n = len(given)
    figure, (ax, right) = plt.subplots(1, 2, figsize=(8.6, 0.55 * n + 1.1), width_ratios=[2.4, 1])
    figure.phone = {"columns": 1, "panel_height": 2.6}
    for (i, j), seen in np.ndenumerate(causal_mask(n)):
        box(ax, j, i, 0.97, 0.92, facecolor=COLORS[0] if seen else "#eeeeee")
        write(ax, j, i, given[j] if seen else r"$-\infty$", fontsize=8.5, color="white" if seen else "#595959")
    for i, (_, target) in enumerate(pairs):
        ax.annotate(target, (n + 0.35, i), (n - 0.4, i), va="center", annotation_clip=False)
    ax.text(n - 0.4, -0.8, "to predict", fontweight="bold", va="center")
    ax.text(-0.6, -0.8, "asks", fontweight="bold", ha="right", va="center")
    ax.set(xlim=(-0.5, n + 0.7), ylim=(n - 0.5, -1.0))
    ax.set_xlabel("token that is attended to", loc="left")
    ax.set_xticks([])
    ax.set_yticks(range(n), given)
    bare(ax)
    cells(right, as_array(weights), "", weights=True)
    right.text(-0.5, -0.8, "its weights", fontweight="bold", va="center")
    right.set(ylim=(n - 0.5, -1.0), yticks=[])
    return ax, right


def stay(same, stops):
    """Draw which rows of the old tokens stay the same after one more token: a panel per model, a line per step.

    same: title -> bool (steps, n); the new token is drawn after them.

    >>> [ax] = stay({"decoder": [[True, True]]}, ["layer 0"])
    >>> len(ax.patches)
    3
    """
    figure, axes = panel_grid(len(same), size=(7.7, 0.34 * len(stops) + 1.0), sharey=True)
    looks = {
        "as before": {"facecolor": ROLES["query"], "edgecolor": ROLES["query"]},
        "changed": {"facecolor": "white", "edgecolor": "#808080", "hatch": "////"},
        "new": {"facecolor": TINTS["key"], "edgecolor": ROLES["key"]},
    }
    for ax, (title, found) in zip(axes, same.items()):
        for y, row in enumerate(found):
            for x, is_same in enumerate(row):
                box(ax, x, y, 0.86, 0.8, linewidth=0.5, **looks["as before" if is_same else "changed"])
            box(ax, len(row), y, 0.86, 0.8, linewidth=1, **looks["new"])
        rows(ax, stops)
        ax.set(title=title, xlim=(-0.6, len(row) + 0.6), xticks=[], xlabel="tokens")
        bare(ax)
    handles = [Patch(label=name, **look) for name, look in looks.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return axes


def reach(moved, tokens):
    """Draw how far the next-token probabilities after each token (rows) move when one token (columns) is replaced.

    moved: (n, n), from 0 to 1; a cell of exactly 0 is hatched. Source: N 3.

    >>> ax = reach([[0.5, 0.0], [0.2, 0.9]], ["a", "b"])
    >>> [text.get_text() for text in ax.get_yticklabels()], ax.get_xlabel()
    (['a', 'b'], 'token that is replaced')
    """
    moved = as_array(moved)
    if moved.shape != (len(tokens), len(tokens)):
        raise ValueError(f"moved must be ({len(tokens)}, {len(tokens)}), one row for each token, got {moved.shape}")
    _, ax = plt.subplots(figsize=(5.4, 3.7))
    names = [token.strip() for token in tokens]
    shown = np.where(moved == 0, np.nan, moved)
    heatmap(shown, names, names, ax, limits=(0, 1), label="share of the probability that moves")
    for i, j in np.argwhere(moved == 0):
        box(ax, j, i, facecolor=TINTS["the rest"], hatch="///", edgecolor="white", linewidth=0)
    ax.set(xlabel="token that is replaced", ylabel="predicts after this token")
    return ax


def steps(tokens, n_prompt):
    """Draw which rows each step of generation computes, without a cache (above) and with one (below).

    tokens: the inputs, the first n_prompt of them in the first step, and one more in each later step. Source: N 3.

    >>> [ax.get_title() for ax in steps(["a", "b", "c", "d", "e", "f"], 3)]
    ['without a cache: 18 rows', 'with a cache: 6 rows']
    """
    if not 1 <= n_prompt <= len(tokens):
        raise ValueError(f"n_prompt must be between 1 and the {len(tokens)} tokens, got {n_prompt}")
    n_steps = len(tokens) - n_prompt + 1
    figure, axes = panel_grid(2, 1, size=(7.6, 0.3), each=(0, 0.28 * n_steps + 0.35), sharex=True)
    now = {"facecolor": ROLES["query"], "edgecolor": ROLES["query"], "linewidth": 0.4}
    kept = {"facecolor": TINTS["key"], "edgecolor": ROLES["key"], "linewidth": 0.4, "hatch": "///"}
    for ax, cached in zip(axes, (False, True)):
        n_computed = 0
        for step in range(n_steps):
            for i, token in enumerate(tokens[: n_prompt + step]):
                computed = not cached or step == 0 or i == n_prompt + step - 1
                n_computed += computed
                box(ax, i, step, 0.94, 0.84, **(now if computed else kept))
                if computed:
                    write(ax, i, step, token, color=ON_DEEP_CELL, fontsize=8.6)
        ax.set(xlim=(-0.6, len(tokens) - 0.4), ylim=(n_steps - 0.4, -0.6), xticks=[], ylabel="step")
        ax.set(title=f"with{'' if cached else 'out'} a cache: {n_computed} rows", yticks=range(n_steps))
        bare(ax)
    handles = [Patch(color=ROLES["query"], label="computed"), Patch(label="kept from before", **kept)]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)
    figure.phone = {"columns": 1, "panel_height": 0.24 * n_steps + 0.4}
    return axes


def top_p(panels, p=0.9, shown=34):
    """Draw how many tokens top-p keeps, a panel for each beginning: bars in order of probability, kept ones in blue.

    panels: beginning -> (the likeliest token, probabilities in descending order).

    >>> [ax] = top_p({"Mia": ("and", [0.6, 0.35, 0.05])})
    >>> ax.get_title(), [t.get_text() for t in ax.texts]
    ('Mia\xa0…', ['and', '2 kept'])
    """
    figure, axes = panel_grid(len(panels), size=(7.7, 2.3), ylabel="probability", sharey=True)
    for ax, (title, (first, values)) in zip(axes, panels.items()):
        values = as_array(values)
        n_kept = int((values.cumsum() < p).sum()) + 1
        colors = [COLORS[0] if i < n_kept else "#C8C8C8" for i in range(len(values[:shown]))]
        ax.bar(range(len(values[:shown])), values[:shown], color=colors, width=0.8)
        note(ax, first, (0, values[0]), (6, 8), fontsize=10)
        ax.text(0.97, 0.55, f"{n_kept} kept", ha="right", color=COLORS[0], transform=ax.transAxes)
        ax.set(title=textwrap.fill(f"{title}\N{NO-BREAK SPACE}…", 18), xlim=(-1, shown), ylim=(0, 1.12))
        ax.set(xticks=[], xlabel="token, by rank")
    figure.phone = {"columns": 2, "panel_height": 1.9}
    return axes


LAYERS = {  # title: from top to bottom, the parts on the residual path ("on") and beside it ("off")
    "BERT": ("all see all", (("off", "self-attention", "attention"), ("on", "+", None), ("on", "LayerNorm", "the rest"),
             ("off", "feed forward", "feed forward"), ("on", "+", None), ("on", "LayerNorm", "the rest"))),
    "GPT-2, OPT, book-gpt": ("itself and before", (("off", "LayerNorm", "the rest"),
             ("off", "masked attention", "attention"), ("on", "+", None), ("off", "LayerNorm", "the rest"),
             ("off", "feed forward", "feed forward"), ("on", "+", None))),
}  # fmt: skip


def layers_side_by_side():
    """Draw a layer of BERT and one of a decoder: the position of LayerNorm, and which tokens see which.

    >>> [ax.get_title() for ax in layers_side_by_side()]
    ['BERT', 'GPT-2, OPT, book-gpt']
    """
    figure, axes = panel_grid(len(LAYERS), size=(7.7, 4.2))
    for ax, (title, (sees, parts)) in zip(axes, LAYERS.items()):
        way, side = 1.0, 4.7
        bottom = len(parts) + 0.6
        ax.plot([way, way], [-0.5, bottom - 0.2], color=LINE, linewidth=2.2, zorder=0)
        arrow(ax, (way, bottom - 0.4), (way, bottom), LINE, linewidth=2.2)
        before = None
        for y, (place, text, role) in enumerate(parts):
            if place == "off":
                if before != "off":
                    arrow(ax, (way, y - 0.42), (side, y - 0.42), LINE, style="-")
                arrow(ax, (side, y - 0.42 if before != "off" else y - 0.7), (side, y - 0.3), LINE)
                box(ax, side, y, 5.3, 0.6, facecolor=TINTS[role], edgecolor=LINE, linewidth=0.8)
                write(ax, side, y, text)
            elif text == "+":
                arrow(ax, (side, y - 0.7), (side, y), LINE, style="-")
                arrow(ax, (side, y), (way + 0.36, y), LINE)
                ax.plot(way, y, "o", color="white", markeredgecolor=LINE, markersize=16)
                write(ax, way, y, "+", fontsize=12)
            else:
                box(ax, way, y, 3.6, 0.6, facecolor=TINTS[role], edgecolor=LINE, linewidth=0.8)
                write(ax, way, y, text)
            before = place
        attention = next(y for y, part in enumerate(parts) if "attention" in part[1])
        for i in range(4):
            for j in range(4):
                seen = j <= i or sees == "all see all"
                color = ROLES["attention"] if seen else "white"
                box(ax, 7.9 + 0.38 * j, attention - 0.45 + 0.3 * i, 0.36, 0.28, facecolor=color, edgecolor="#808080",
                    linewidth=0.5)  # fmt: skip
        write(ax, 8.45, attention + 0.85, sees, fontsize=10)
        ax.set(title=title, xlim=(-0.9, 10.4), ylim=(bottom + 0.1, -0.6))
        ax.axis("off")
    figure.phone = {"columns": 1, "panel_height": 3.9}
    figure.slide = {"size": (5.9, 3.85)}
    return axes
