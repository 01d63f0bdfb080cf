"""Figures of the chapter on what attention costs: seconds and bytes against length, and what paying less loses.

Source: L 3.2.8.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array

MATRICES, PAIRS = ROLES["feed forward"], ROLES["attention"]


def seconds(measured, fitted, columns=2):
    """Seconds against the length of a text, both logarithmic: dots, and the two fitted terms. Returns the axes.

    measured: title -> (lengths, seconds), a panel each. fitted: title -> (seconds of the matrices, seconds of the
    pairs) at the same lengths, drawn as lines, and their sum.

    >>> [ax] = seconds({"forward": ([64, 128], [1.0, 3.0])}, {"forward": ([0.9, 1.8], [0.1, 1.2])})
    >>> [line.get_label() for line in ax.lines]
    ['learned matrices', 'pairs of tokens', 'sum of both', 'measured']
    """
    columns = min(columns, len(measured))
    rows = -(-len(measured) // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(7.6, 2.5 * rows + 0.5), sharex=True, sharey=True, squeeze=False)
    for unused in axes.flat[len(measured) :]:
        unused.axis("off")
    for ax, (title, (lengths, took)) in zip(axes.flat, measured.items(), strict=False):
        matrices, pairs = map(as_array, fitted[title])
        ax.plot(lengths, matrices, "--", color=MATRICES, label="learned matrices")
        ax.plot(lengths, pairs, ":", color=PAIRS, linewidth=2, label="pairs of tokens")
        ax.plot(lengths, matrices + pairs, color="black", linewidth=1, label="sum of both")
        ax.plot(lengths, as_array(took), "o", color="black", markersize=4.5, label="measured")
        ax.set(xscale="log", yscale="log", title=title)
        ax.set_xticks(lengths, [f"{n:,}" for n in lengths])
        ax.set_xticks([], minor=True)
    every = [second for _, took in measured.values() for second in took]
    axes[0, 0].set_ylim(0.4 * min(every), 1.6 * max(every))  # for all, since they share it
    for ax in axes[:, 0]:
        ax.set_ylabel("seconds")
    for ax in axes[-1]:
        ax.set_xlabel("tokens")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return list(axes.flat[: len(measured)])


def shares(n, models):
    """For texts of n tokens: which share of a layer's multiplications is pairs of tokens, a bar each. Returns the axes.

    models: name -> (multiplications of matrices, of pairs).

    >>> ax = shares(512, {"BERT-base": (9, 1)})
    >>> [text.get_text() for text in ax.texts]
    ['10 %']
    """
    fig, ax = plt.subplots(figsize=(7.0, 0.5 * len(models) + 1.3))
    for y, (matrices, pairs) in enumerate(models.values()):
        share = pairs / (matrices + pairs)
        ax.barh(y, share, color=PAIRS, height=0.6, label="pairs of tokens" if y == 0 else None)
        ax.barh(y, 1 - share, left=share, color=MATRICES, hatch="//", edgecolor="white", height=0.6,
                label="learned matrices" if y == 0 else None)  # fmt: skip
        text = f"{share:.0%}".replace("%", " %")
        ax.annotate(text, (1, y), (5, 0), textcoords="offset points", va="center", fontsize=9)
    ax.set_yticks(range(len(models)), models)
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="share of a layer's multiplications", xlim=(0, 1.1), ylim=(len(models) - 0.4, -0.6),
           title=f"{n:,} tokens")  # fmt: skip
    fig.legend(loc="outside lower center", ncols=2)
    return ax


def losses(curves, level=None):
    """How far texts' vectors move against how many tokens on each side attention may see. Returns the axes.

    curves: name -> (values, means, low, high); the band is low to high. level: a dotted line to compare with.

    >>> ax = losses({"window": ([1, 2], [0.5, 0.2], [0.4, 0.1], [0.6, 0.3])})
    >>> ax.lines[0].get_ydata().tolist()
    [0.5, 0.2]
    """
    fig, ax = plt.subplots(figsize=(6.6, 3.2))
    for (label, (values, means, low, high)), color, marker in zip(curves.items(), COLORS, "os^D", strict=False):
        ax.fill_between(values, as_array(low), as_array(high), color=color, alpha=0.15, linewidth=0)
        ax.plot(values, as_array(means), color=color, marker=marker, markersize=4.5, label=label)
    ax.set(xlabel="tokens on each side", xscale="log", ylim=(0, None))
    ax.set_ylabel("moved, as a share of the\ndistance between two texts")
    ticks = np.unique(np.concatenate([curve[0] for curve in curves.values()]))
    ax.set_xticks(ticks, [f"{value:g}" for value in ticks])
    ax.set_xticks([], minor=True)
    if level is not None:
        ax.axhline(level, color="black", linestyle=":", linewidth=1)
    fig.legend(loc="outside lower center", ncols=2)
    return ax
