"""Figures of the chapter on decoders: what a position sees, what the cache saves, what sampling leaves in.

Sources: L 3.2.7; N 3, 3.3.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import PercentFormatter

from tutorial_book.plots.base import COLORS, ROLES, TINTS, as_array, heatmap


def reach(moved, tokens, ax=None):
    """How far the next-token probabilities after each token (rows) move when one token (columns) is replaced.

    moved: (n, n), from 0 to 1; a cell of exactly 0 stays empty. Returns the axes. Source: N 3.

    >>> ax = reach([[0.5, 0.0], [0.2, 0.9]], ["a", "b"])
    >>> [text.get_text() for text in ax.get_yticklabels()], ax.get_xlabel()
    (['a', 'b'], 'token that is replaced')
    """
    moved = as_array(moved)
    if moved.shape != (len(tokens), len(tokens)):
        raise ValueError(f"moved must be ({len(tokens)}, {len(tokens)}), one row for each token, got {moved.shape}")
    if ax is None:
        _, ax = plt.subplots(figsize=(5.4, 3.7))
    names = [token.strip() for token in tokens]
    shown = np.where(moved == 0, np.nan, moved)
    heatmap(shown, names, names, ax, limits=(0, 1), label="share of the probability that moves")
    ax.set(xlabel="token that is replaced", ylabel="predicts after this token")
    return ax


def steps(n_prompt, n_new):
    """Which rows each step of generation computes, without a cache (left) and with one (right). Returns both axes.

    n_prompt: tokens of the prompt, which the first step computes in both. Source: N 3.

    >>> [ax.get_title() for ax in steps(3, 4)]
    ['without a cache: 18 rows', 'with a cache: 6 rows']
    """
    if n_prompt < 1 or n_new < 1:
        raise ValueError(f"n_prompt and n_new must be 1 or more, got {n_prompt} and {n_new}")
    width = n_prompt + n_new - 1
    fig, axes = plt.subplots(1, 2, figsize=(7.6, 0.27 * n_new + 1.3), sharey=True)
    now, kept = ROLES["query"], TINTS["key"]
    for ax, cached in zip(axes, (False, True), strict=True):
        rows = 0
        for step in range(n_new):
            for i in range(n_prompt + step):
                computed = not cached or step == 0 or i == n_prompt + step - 1
                rows += computed
                color, mark = (now, "") if computed else (kept, "/")
                ax.add_patch(Rectangle((i - 0.45, step - 0.42), 0.9, 0.84, facecolor=color, hatch=3 * mark,
                                       edgecolor=ROLES["key"] if mark else now, linewidth=0.4))  # fmt: skip
        ax.set(xlim=(-0.6, width - 0.4), ylim=(n_new - 0.4, -0.6), xlabel="token", xticks=range(0, width, 2))
        ax.set(title=f"with{'' if cached else 'out'} a cache: {rows} rows", yticks=range(n_new))
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    axes[0].set_ylabel("step")
    handles = [
        Patch(color=now, label="computed"),
        Patch(facecolor=kept, edgecolor=ROLES["key"], hatch="///", linewidth=0.4, label="kept from before"),
    ]
    fig.legend(handles=handles, loc="outside lower center", ncols=2)
    return list(axes)


def savings(n_new, curves):
    """How many times as much generation takes without a cache, against the number of new tokens. Returns the axes.

    curves: name of what is counted -> one ratio for each of n_new.

    >>> ax = savings([16, 32], {"multiplications": [8, 16], "time": [2.0, 3.0]})
    >>> [text.get_text() for text in ax.texts]
    ['multiplications', 'time']
    """
    _, ax = plt.subplots(figsize=(6.2, 2.5))
    for (name, ratios), color, style in zip(curves.items(), COLORS, ("o-", "s--", "^:"), strict=False):
        ax.plot(n_new, as_array(ratios), style, color=color)
        ax.annotate(name, (n_new[-1], ratios[-1]), (7, 0), textcoords="offset points", color=color, va="center")
    ax.axhline(1, color="black", linestyle=":", linewidth=1)
    ax.set(xscale="log", yscale="log", xlabel="new tokens", ylabel="without / with a cache")
    ax.set_xticks(n_new, [str(n) for n in n_new])
    ax.set_xticks([], minor=True)
    most = max(max(as_array(ratios)) for ratios in curves.values())
    ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200) if t <= 1.5 * most]
    ax.set_yticks(ticks, [str(t) for t in ticks])
    ax.set_yticks([], minor=True)
    ax.margins(x=0.05)
    return ax


def choices(tokens, panels):
    """Probabilities of the same tokens under several rules, a panel of bars each. Returns the axes.

    panels: title -> one probability for each of tokens; where it is 0, the rule leaves the token out, and a cross says
    so. Source: N 3.3.

    >>> [ax] = choices([" park", " dog"], {"top-k 1": [1.0, 0.0]})
    >>> [text.get_text() for text in ax.texts]
    ['1.00', '×']
    """
    columns = min(len(panels), 2)
    rows = -(-len(panels) // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(3.8 * columns, 0.24 * len(tokens) * rows + 0.5 * rows + 0.4),
                             sharex=True, sharey=True, squeeze=False)  # fmt: skip
    for ax, (title, probabilities) in zip(axes.flat, panels.items(), strict=False):
        probabilities = as_array(probabilities)
        ax.barh(range(len(tokens)), probabilities, color=COLORS[0], height=0.7)
        for y, p in enumerate(probabilities):
            ax.annotate(f"{p:.2f}" if p else "×", (p, y), (4, 0), textcoords="offset points", va="center", fontsize=8)
        ax.set(title=title, xlim=(0, 1.15), xticks=[0, 0.5, 1], ylim=(len(tokens) - 0.4, -0.6))
        ax.set_yticks(range(len(tokens)), [token.strip() for token in tokens])
        ax.tick_params(axis="y", length=0)
    for ax in axes[-1]:
        ax.set_xlabel("probability")
    for ax in axes.flat[len(panels) :]:
        ax.axis("off")
    return list(axes.flat[: len(panels)])


def quality(temperatures, panels):
    """Shares of what is generated against the temperature. panels: of what -> name of the rule -> shares. Returns axes.

    >>> axes = quality([0.5, 1.0], {"without an error": {"all tokens": [0.9, 0.7], "top-p 0.9": [0.9, 0.8]}})
    >>> [ax.get_title() for ax in axes]
    ['without an error']
    """
    fig, axes = plt.subplots(1, len(panels), figsize=(3.9 * len(panels), 2.7), sharey=True, squeeze=False)
    for ax, (title, curves) in zip(axes.flat, panels.items(), strict=True):
        for (name, shares), color, style in zip(curves.items(), COLORS, ("o-", "s--", "^:"), strict=False):
            ax.plot(temperatures, as_array(shares), style, color=color, label=name)
        ax.set(title=title, xlabel="temperature", ylim=(-0.03, 1.05))
        ax.yaxis.set_major_formatter(PercentFormatter(1))
    axes[0, 0].set_ylabel("share")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return list(axes.flat)
