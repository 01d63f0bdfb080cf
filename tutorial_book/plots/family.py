"""Figures of the chapter on BERT's family: where the parameters are, how a student learns.

Sources: R 2.2, 3; A 3.3; Sanh et al. (2019), Liu et al. (2019), Lan et al. (2020).
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from tutorial_book.plots.base import COLORS, ROLES, TINTS, as_array

PARTS = {  # part of a model: color
    "table of tokens": ROLES["embeddings"],
    "positions, segments": TINTS["embeddings"],
    "attention": ROLES["attention"],
    "feed forward": ROLES["feed forward"],
    "rest": ROLES["the rest"],
}


def parts(models, limit=None):
    """A bar for each model: its parameters in millions, in the parts of `PARTS`; the sum stands at the end.

    models: name -> {part: number of parameters}. limit: the largest number of the axis, in millions. Returns the axes.

    >>> ax = parts({"tiny": {"table of tokens": 2_000_000, "attention": 500_000}})
    >>> [text.get_text() for text in ax.texts]
    ['2.5']
    """
    fig, ax = plt.subplots(figsize=(7.4, 0.42 * len(models) + 1.3))
    for y, counts in enumerate(models.values()):
        if unknown := set(counts) - set(PARTS):
            raise ValueError(f"parts must be some of {', '.join(PARTS)}, got {', '.join(sorted(unknown))}")
        left = 0.0
        for part, color in PARTS.items():
            width = counts.get(part, 0) / 1e6
            ax.barh(y, width, left=left, color=color, edgecolor="#444444", linewidth=0.5, height=0.7,
                    label=part if y == 0 else None)  # fmt: skip
            left += width
        ax.annotate(f"{left:.1f}", (left, y), (5, 0), textcoords="offset points", va="center", fontsize=9)
    ax.set_yticks(range(len(models)), models)
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="parameters (millions)", ylim=(len(models) - 0.4, -0.6))
    ax.set_xlim(0, limit if limit else 1.12 * ax.get_xlim()[1])
    fig.legend(loc="outside lower center", ncols=3)
    return ax


def learning(curves, levels):
    """Losses on texts that were not read, along training, on a logarithmic axis: a line for each way to learn.

    curves: name -> [[step, loss], ...]. levels: name -> loss, a dotted line to compare with. Returns the axes.

    >>> ax = learning({"the text": [[0, 3.0], [10, 2.0]]}, {"teacher": 1.5})
    >>> ax.lines[0].get_ydata().tolist(), [text.get_text() for text in ax.texts]
    ([3.0, 2.0], ['teacher'])
    """
    fig, ax = plt.subplots(figsize=(7.0, 3.2))
    last = 0
    for (name, curve), color, marker in zip(curves.items(), COLORS, "os^D", strict=False):
        steps, losses = as_array(curve).T
        ax.plot(steps, losses, color=color, marker=marker, markersize=4, label=name)
        last = max(last, steps[-1])
    for name, loss in levels.items():
        ax.axhline(loss, color="black", linestyle=":", linewidth=1)
        ax.annotate(name, (last, loss), (0, -4), textcoords="offset points", ha="right", va="top", fontsize=9)
    values = [loss for curve in curves.values() for _, loss in curve] + list(levels.values())
    ax.set(xlabel="step", ylabel="loss (nats a hidden token)", yscale="log")
    ax.set_ylim(0.8 * min(values), 1.1 * max(values))
    ticks = [tick for tick in (0.5, 1, 1.5, 2, 3, 5, 7, 10) if ax.get_ylim()[0] <= tick <= ax.get_ylim()[1]]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_yticks([], minor=True)
    fig.legend(loc="outside lower center", ncols=1)
    return ax
