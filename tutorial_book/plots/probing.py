"""Figures of the chapter on probing: learning curves, probabilities of single words, and the plane that a probe sees.

Source: L 3.2.3.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array


def learning_curves(curves, chance):
    """Test accuracy against the number of training words, for each entry of `curves`.

    curves: name -> (sizes, accuracies), the accuracies (n_sizes, n_seeds) between 0 and 1. The line is the mean over
    the seeds, the band their range. Returns the axes.

    >>> ax = learning_curves({"vectors": ([10, 20], [[0.5, 0.7], [0.8, 0.8]])}, chance=1 / 3)
    >>> ax.lines[0].get_ydata().round(2).tolist()
    [60.0, 80.0]
    """
    _, ax = plt.subplots(figsize=(6.4, 3.4))
    for color, marker, (name, (sizes, accuracies)) in zip(COLORS, "os^vDPX", curves.items(), strict=False):
        percent = 100 * as_array(accuracies)  # (n_sizes, n_seeds)
        ax.fill_between(sizes, percent.min(1), percent.max(1), color=color, alpha=0.15, linewidth=0)
        ax.plot(sizes, percent.mean(1), color=color, marker=marker, markersize=5, label=name)
    ax.axhline(100 * chance, color="black", linestyle=":", linewidth=1, label="chance")
    ax.set(xscale="log", xlabel="training words (log scale)", ylabel="accuracy on new words (%)", ylim=(25, 102))
    sizes = sorted({int(size) for sizes, _ in curves.values() for size in sizes})
    ax.set_xticks(sizes, sizes)
    ax.minorticks_off()
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def probe_planes(panels, labels, classes):
    """Points in several planes, one panel for each entry (title -> (n, 2)); a class has a color and a shape.

    Returns the axes.

    >>> [ax] = probe_planes({"a plane": [[0.0, 1.0], [2.0, 3.0]]}, [0, 1], ["noun", "verb"])
    >>> [c.get_offsets().tolist() for c in ax.collections]
    [[[0.0, 1.0]], [[2.0, 3.0]]]
    """
    labels = np.asarray(labels)
    fig, axes = plt.subplots(1, len(panels), figsize=(3.8 * len(panels), 3.7), squeeze=False)
    for ax, (title, points) in zip(axes[0], panels.items(), strict=True):
        points = as_array(points)
        for k, (name, marker) in enumerate(zip(classes, "os^", strict=False)):
            chosen = points[labels == k]
            ax.scatter(*chosen.T, s=18, color=COLORS[k], marker=marker, alpha=0.7, linewidth=0, label=name)
        ax.set(title=title, xlabel="first direction", ylabel="second direction")
    fig.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=len(classes))
    return list(axes[0])


def word_probabilities(rows, classes):
    """Bars for each row (name -> mean (n_classes,), low, high): the probability of each class, and its range.

    Returns the axes.

    >>> ax = word_probabilities({"bear": ([0.7, 0.3], [0.6, 0.2], [0.8, 0.4])}, ["noun", "verb"])
    >>> [float(bar.get_width()) for bar in ax.patches]
    [0.7, 0.3]
    """
    _, ax = plt.subplots(figsize=(6.4, 0.7 + 0.55 * len(rows)))
    y, height = np.arange(len(rows)), 0.8 / len(classes)
    for k, name in enumerate(classes):
        mean, low, high = (np.array([as_array(row[part])[k] for row in rows.values()]) for part in range(3))
        error = np.stack([mean - low, high - mean]).clip(min=0)
        ax.barh(y + (k - (len(classes) - 1) / 2) * height, mean, height, xerr=error, color=COLORS[k], label=name,
                alpha=0.6, error_kw={"elinewidth": 1, "ecolor": "black"})  # fmt: skip
    ax.set(yticks=y, yticklabels=list(rows), xlim=(0, 1), xlabel="probability (bar: mean; line: range over the probes)")
    ax.invert_yaxis()
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax
