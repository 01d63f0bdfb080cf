"""Figures of the chapter on decoders: what a position sees, what the cache saves, what sampling leaves in.

Sources: L 3.2.7; N 3, 3.3.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from tutorial_book.plots.base import COLORS, ROLES, TINTS, as_array, heatmap
from tutorial_book.plots.parts import bare, box, dotted, draw_curves, legend_below, note, panel_grid, rows, ticks


def reach(moved, tokens):
    """How far the next-token probabilities after each token (rows) move when one token (columns) is replaced.

    moved: (n, n), from 0 to 1; a cell of exactly 0 stays empty. Source: N 3.

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
    ax.set(xlabel="token that is replaced", ylabel="predicts after this token")
    return ax


def steps(n_prompt, n_new):
    """Which rows each step of generation computes, without a cache (left) and with one (right).

    n_prompt: tokens of the prompt, which the first step computes in both. Source: N 3.

    >>> [ax.get_title() for ax in steps(3, 4)]
    ['without a cache: 18 rows', 'with a cache: 6 rows']
    """
    if n_prompt < 1 or n_new < 1:
        raise ValueError(f"n_prompt and n_new must be 1 or more, got {n_prompt} and {n_new}")
    width = n_prompt + n_new - 1
    fig, axes = panel_grid(2, size=(7.6, 0.27 * n_new + 1.3), xlabel="token", ylabel="step", sharey=True)
    now = {"facecolor": ROLES["query"], "edgecolor": ROLES["query"], "linewidth": 0.4}
    kept = {"facecolor": TINTS["key"], "edgecolor": ROLES["key"], "linewidth": 0.4, "hatch": "///"}
    for ax, cached in zip(axes, (False, True)):
        n_computed = 0
        for step in range(n_new):
            for i in range(n_prompt + step):
                computed = not cached or step == 0 or i == n_prompt + step - 1
                n_computed += computed
                box(ax, i, step, 0.9, 0.84, **(now if computed else kept))
        ax.set(xlim=(-0.6, width - 0.4), ylim=(n_new - 0.4, -0.6), xticks=range(0, width, 2))
        ax.set(title=f"with{'' if cached else 'out'} a cache: {n_computed} rows", yticks=range(n_new))
        bare(ax)
    handles = [Patch(color=ROLES["query"], label="computed"), Patch(label="kept from before", **kept)]
    fig.legend(handles=handles, loc="outside lower center", ncols=2)
    return axes


def savings(n_new, counted):
    """How many times as much generation takes without a cache, against the number of new tokens.

    counted: name of what is counted -> one ratio for each of n_new.

    >>> ax = savings([16, 32], {"multiplications": [8, 16], "time": [2.0, 3.0]})
    >>> [text.get_text() for text in ax.texts]
    ['multiplications', 'time']
    """
    _, ax = plt.subplots(figsize=(6.2, 2.5))
    draw_curves(ax, counted, n_new, markers="os^", lines=("-", "--", ":"))
    for (name, ratios), color in zip(counted.items(), COLORS):
        note(ax, name, (n_new[-1], ratios[-1]), (7, 0), color=color, fontsize=10)
    dotted(ax, 1)
    ax.set(xscale="log", yscale="log", xlabel="new tokens", ylabel="without / with a cache")
    ticks(ax.xaxis, n_new)
    most = max(max(as_array(ratios)) for ratios in counted.values())
    ticks(ax.yaxis, [place for place in (1, 2, 5, 10, 20, 50, 100, 200) if place <= 1.5 * most])
    ax.margins(x=0.05)
    return ax


def choices(tokens, panels):
    """Probabilities of the same tokens under several rules, a panel of bars each.

    panels: title -> one probability for each of tokens; where it is 0, the rule leaves the token out, and a cross says
    so. Source: N 3.3.

    >>> [ax] = choices([" park", " dog"], {"top-k 1": [1.0, 0.0]})
    >>> [text.get_text() for text in ax.texts]
    ['1.00', '×']
    """
    each = (3.8, 0.24 * len(tokens) + 0.5)
    _, axes = panel_grid(len(panels), 2, size=(0, 0.4), each=each, xlabel="probability", sharex=True, sharey=True)
    for ax, (title, probabilities) in zip(axes, panels.items()):
        ax.barh(range(len(tokens)), as_array(probabilities), color=COLORS[0], height=0.7)
        for y, p in enumerate(probabilities):
            note(ax, f"{p:.2f}" if p else "×", (p, y), (4, 0), fontsize=8)
        rows(ax, [token.strip() for token in tokens])
        ax.set(title=title, xlim=(0, 1.15), xticks=[0, 0.5, 1])
    return axes


def quality(temperatures, panels):
    """Shares of what is generated against the temperature. panels: of what -> name of the rule -> shares.

    >>> axes = quality([0.5, 1.0], {"without an error": {"all tokens": [0.9, 0.7], "top-p 0.9": [0.9, 0.8]}})
    >>> [ax.get_title() for ax in axes]
    ['without an error']
    """
    _, axes = panel_grid(len(panels), size=(0, 2.7), each=(3.9, 0), xlabel="temperature", ylabel="share", sharey=True)
    for ax, (title, rules) in zip(axes, panels.items()):
        draw_curves(ax, rules, temperatures, markers="os^", lines=("-", "--", ":"))
        ax.set(title=title, ylim=(-0.03, 1.05))
        ax.yaxis.set_major_formatter(PercentFormatter(1))
    legend_below(axes[0], ncols=len(rules))
    return axes
