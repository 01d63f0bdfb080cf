"""Figures of the chapter on what attention costs: seconds and bytes against length, and what paying less loses.

Source: L 3.2.8.
"""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array
from tutorial_book.plots.parts import dotted, draw_curve, legend_below, note, panel_grid, rows, ticks

MATRICES, PAIRS = ROLES["feed forward"], ROLES["attention"]


def seconds(measured, fitted, columns=2):
    """Seconds against the length of a text, both logarithmic: dots, and the two fitted terms.

    measured: title -> (lengths, seconds), a panel each. fitted: title -> (seconds of the matrices, seconds of the
    pairs) at the same lengths, drawn as lines, and their sum.

    >>> [ax] = seconds({"forward": ([64, 128], [1.0, 3.0])}, {"forward": ([0.9, 1.8], [0.1, 1.2])})
    >>> [line.get_label() for line in ax.lines]
    ['learned matrices', 'pairs of tokens', 'sum of both', 'measured']
    """
    labels = {"xlabel": "tokens", "ylabel": "seconds"}
    _, axes = panel_grid(len(measured), columns, size=(7.6, 0.5), each=(0, 2.5), sharex=True, sharey=True, **labels)
    for ax, (title, (lengths, took)) in zip(axes, measured.items()):
        matrices, pairs = map(as_array, fitted[title])
        ax.plot(lengths, matrices, "--", color=MATRICES, label="learned matrices")
        ax.plot(lengths, pairs, ":", color=PAIRS, linewidth=2, label="pairs of tokens")
        ax.plot(lengths, matrices + pairs, color="black", linewidth=1, label="sum of both")
        ax.plot(lengths, as_array(took), "o", color="black", markersize=4.5, label="measured")
        ax.set(xscale="log", yscale="log", title=title)
        ticks(ax.xaxis, lengths, "{:,}")
    every = [second for _, took in measured.values() for second in took]
    axes[0].set_ylim(0.4 * min(every), 1.6 * max(every))  # for all, since they share it
    legend_below(axes[0], ncols=4)
    return axes


def shares(n, models):
    """For texts of n tokens: which share of a layer's multiplications is pairs of tokens, a bar each.

    models: name -> (multiplications of matrices, of pairs).

    >>> ax = shares(512, {"BERT-base": (9, 1)})
    >>> [text.get_text() for text in ax.texts]
    ['10 %']
    """
    _, ax = plt.subplots(figsize=(7.0, 0.5 * len(models) + 1.3))
    hatched = {"color": MATRICES, "hatch": "//", "edgecolor": "white"}
    for y, (matrices, pairs) in enumerate(models.values()):
        share = pairs / (matrices + pairs)
        ax.barh(y, share, color=PAIRS, height=0.6, label=None if y else "pairs of tokens")
        ax.barh(y, 1 - share, left=share, height=0.6, label=None if y else "learned matrices", **hatched)
        note(ax, f"{100 * share:.0f} %", (1, y))
    rows(ax, models)
    ax.set(xlabel="share of a layer's multiplications", xlim=(0, 1.1), title=f"{n:,} tokens")
    legend_below(ax)
    return ax


def losses(ways, level=None):
    """How far texts' vectors move against how many tokens on each side attention may see.

    ways: name -> (values, means, low, high); the band is low to high. level: a dotted line to compare with.

    >>> ax = losses({"window": ([1, 2], [0.5, 0.2], [0.4, 0.1], [0.6, 0.3])})
    >>> ax.lines[0].get_ydata().tolist()
    [0.5, 0.2]
    """
    _, ax = plt.subplots(figsize=(6.6, 3.2))
    for (label, (values, *means)), color, marker in zip(ways.items(), COLORS, "os^D"):
        draw_curve(ax, tuple(means), values, shade=0.15, color=color, marker=marker, markersize=4.5, label=label)
    ax.set(xlabel="tokens on each side", xscale="log", ylim=(0, None))
    ax.set_ylabel("moved, as a share of the\ndistance between two texts")
    ticks(ax.xaxis, np.unique(np.concatenate([values for values, *_ in ways.values()])))
    if level is not None:
        dotted(ax, level)
    legend_below(ax)
    return ax
