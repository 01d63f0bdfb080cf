"""Figures of the chapter on BERT's family: where the parameters are, how a student learns.

Sources: R 2.2, 3; A 3.3; Sanh et al. (2019), Liu et al. (2019), Lan et al. (2020).
"""

import matplotlib.pyplot as plt

from tutorial_book.plots.base import COLORS, ROLES, TINTS, as_array
from tutorial_book.plots.parts import dotted, legend_below, note, rows, ticks

PARTS = {  # part of a model: color
    "table of tokens": ROLES["embeddings"],
    "positions, segments": TINTS["embeddings"],
    "attention": ROLES["attention"],
    "feed forward": ROLES["feed forward"],
    "rest": ROLES["the rest"],
}


def parts(models, limit=None):
    """A bar for each model: its parameters in millions, in the parts of `PARTS`; the sum stands at the end.

    models: name -> {part: number of parameters}. limit: the largest number of the axis, in millions.

    >>> ax = parts({"tiny": {"table of tokens": 2_000_000, "attention": 500_000}})
    >>> [text.get_text() for text in ax.texts]
    ['2.5']
    """
    _, ax = plt.subplots(figsize=(7.4, 0.42 * len(models) + 1.3))
    bar = {"edgecolor": "#444444", "linewidth": 0.5, "height": 0.7}
    for y, counts in enumerate(models.values()):
        unknown = set(counts) - set(PARTS)
        if unknown:
            raise ValueError(f"parts must be some of {', '.join(PARTS)}, got {', '.join(sorted(unknown))}")
        left = 0.0
        for part, color in PARTS.items():
            width = counts.get(part, 0) / 1e6
            ax.barh(y, width, left=left, color=color, label=part if y == 0 else None, **bar)
            left += width
        note(ax, f"{left:.1f}", (left, y))
    rows(ax, models)
    ax.set(xlabel="parameters (millions)", xlim=(0, limit or 1.12 * ax.get_xlim()[1]))
    legend_below(ax, ncols=3)
    return ax


def learning(curves, levels):
    """Losses on texts that were not read, along training, on a logarithmic axis: a line for each way to learn.

    curves: name -> [[step, loss], ...]. levels: name -> loss, a dotted line to compare with.

    >>> ax = learning({"the text": [[0, 3.0], [10, 2.0]]}, {"teacher": 1.5})
    >>> ax.lines[0].get_ydata().tolist(), [text.get_text() for text in ax.texts]
    ([3.0, 2.0], ['teacher'])
    """
    _, ax = plt.subplots(figsize=(7.0, 3.2))
    for (name, curve), color, marker in zip(curves.items(), COLORS, "os^D"):
        ax.plot(*as_array(curve).T, color=color, marker=marker, markersize=4, label=name)
    last = max(curve[-1][0] for curve in curves.values())
    for name, loss in levels.items():
        dotted(ax, loss)
        note(ax, name, (last, loss), (0, -4), ha="right", va="top")
    values = [loss for curve in curves.values() for _, loss in curve] + list(levels.values())
    low, high = 0.8 * min(values), 1.1 * max(values)
    ax.set(xlabel="step", ylabel="loss (nats a hidden token)", yscale="log", ylim=(low, high))
    ticks(ax.yaxis, [tick for tick in (0.5, 1, 1.5, 2, 3, 5, 7, 10) if low <= tick <= high])
    legend_below(ax, ncols=1)
    return ax
