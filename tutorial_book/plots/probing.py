"""Figures of the chapter on probing: learning curves, probabilities of single words, and the plane that a probe sees.

Source: L 3.2.3.
"""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import dotted, draw_curve, legend_below, panel_grid, ticks


def learning_curves(curves, chance):
    """Test accuracy against the number of training words, for each entry of `curves`.

    curves: name -> (sizes, accuracies), the accuracies (n_sizes, n_seeds) between 0 and 1. The line is the mean over
    the seeds, the band their range.

    >>> ax = learning_curves({"vectors": ([10, 20], [[0.5, 0.7], [0.8, 0.8]])}, chance=1 / 3)
    >>> ax.lines[0].get_ydata().round(2).tolist()
    [60.0, 80.0]
    """
    _, ax = plt.subplots(figsize=(6.4, 3.4))
    for color, marker, (name, (sizes, accuracies)) in zip(COLORS, "os^vDPX", curves.items()):
        percent = 100 * as_array(accuracies)  # (n_sizes, n_seeds)
        values = (percent.mean(1), percent.min(1), percent.max(1))
        draw_curve(ax, values, sizes, shade=0.15, color=color, marker=marker, markersize=5, label=name)
    dotted(ax, 100 * chance, label="chance")
    ax.set(xscale="log", xlabel="training words (log scale)", ylabel="accuracy on new words (%)", ylim=(25, 102))
    ticks(ax.xaxis, sorted({int(size) for sizes, _ in curves.values() for size in sizes}), "{}")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def probe_planes(panels, labels, classes):
    """Points in several planes, one panel for each entry (title -> (n, 2)); a class has a color and a shape.

    >>> [ax] = probe_planes({"a plane": [[0.0, 1.0], [2.0, 3.0]]}, [0, 1], ["noun", "verb"])
    >>> [c.get_offsets().tolist() for c in ax.collections]
    [[[0.0, 1.0]], [[2.0, 3.0]]]
    """
    labels = np.asarray(labels)
    _, axes = panel_grid(len(panels), size=(0, 3.7), each=(3.8, 0))
    for ax, (title, points) in zip(axes, panels.items()):
        for k, (name, color, marker) in enumerate(zip(classes, COLORS, "os^")):
            chosen = as_array(points)[labels == k]
            ax.scatter(*chosen.T, s=18, color=color, marker=marker, alpha=0.7, linewidth=0, label=name)
        ax.set(title=title, xlabel="first direction", ylabel="second direction")
    legend_below(axes[0], ncols=len(classes))
    return axes


def word_probabilities(rows, classes):
    """Bars for each row (name -> mean (n_classes,), low, high): the probability of each class, and its range.

    >>> ax = word_probabilities({"bear": ([0.7, 0.3], [0.6, 0.2], [0.8, 0.4])}, ["noun", "verb"])
    >>> [float(bar.get_width()) for bar in ax.patches]
    [0.7, 0.3]
    """
    _, ax = plt.subplots(figsize=(6.4, 0.7 + 0.55 * len(rows)))
    y = np.arange(len(rows))
    height = 0.8 / len(classes)
    look = {"alpha": 0.6, "error_kw": {"elinewidth": 1, "ecolor": "black"}}
    for k, name in enumerate(classes):
        mean, low, high = (np.array([as_array(row[part])[k] for row in rows.values()]) for part in range(3))
        error = np.stack([mean - low, high - mean]).clip(min=0)
        places = y + (k - (len(classes) - 1) / 2) * height
        ax.barh(places, mean, height, xerr=error, color=COLORS[k], label=name, **look)
    ax.set(yticks=y, yticklabels=list(rows), xlim=(0, 1), xlabel="probability (bar: mean; line: range over the probes)")
    ax.invert_yaxis()
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax
