"""Figures of the case study: a simulated virus and what tells its variants apart (G)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, VALUES, as_array
from tutorial_book.plots.parts import LINES, bare, dotted, draw_curves, legend_below, panel_grid

MARKERS = "os^"


def lineage_distances(distances, variants):
    """How many sites differ between the first genomes of all sub-lineages, (n, n), as many of each variant.

    variants: their names, in the order of rows and columns.

    >>> ax = lineage_distances([[0, 9], [9, 0]], ["Ash", "Birch"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Ash', 'Birch']
    """
    distances = as_array(distances)
    fig, ax = plt.subplots(figsize=(5.6, 4.6))
    image = ax.imshow(distances, cmap=VALUES, vmin=0)
    each = len(distances) / len(variants)
    middles = [each * (i + 0.5) - 0.5 for i in range(len(variants))]
    ax.set_xticks(middles, variants)
    ax.set_yticks(middles, variants)
    bare(ax)
    for i in range(1, len(variants)):
        for line in (ax.axhline, ax.axvline):
            line(each * i - 0.5, color="#FEFEFE", linewidth=0.8)
    fig.colorbar(image, ax=ax, label="sites that differ")
    fig.phone = {"panel_height": 3.6}
    return ax


def falling_curves(panels, x, xlabel, chance=None):
    """Accuracy against something that makes a task harder, one panel for each set of genomes.

    panels: title -> {name: (values, low, high)}, as many as x; the interval is a band. chance: a dotted level.

    >>> [ax] = falling_curves({"new": {"BERT": ([1, 0.5], [0.9, 0.4], [1, 0.6])}}, [0, 10], "wrong bases (%)", 1 / 6)
    >>> ax.lines[-1].get_ydata().tolist()
    [1.0, 0.5]
    """
    _, axes = panel_grid(len(panels), size=(0.4, 3.2), each=(2.9, 0), xlabel=xlabel, ylabel="accuracy", sharey=True)
    for ax, (title, classifiers) in zip(axes, panels.items()):
        if chance is not None:
            dotted(ax, chance, label="guessing")
        draw_curves(ax, classifiers, x, markers=MARKERS, lines=LINES, markersize=4)
        ax.set(title=title, ylim=(0, 1.03))
    legend_below(axes[0], ncols=4)
    return axes


def reliability(panels):
    """How often a classifier is right against how sure it is, a panel for each. panels: title -> {name: `Calibration`}.

    The size of a mark is the share of predictions in its bin.

    >>> from tutorial_book.experiments.virus import calibration
    >>> [ax] = reliability({"BERT": {"clean": calibration([[0.9, 0.1]], [0])}})
    >>> ax.get_xlabel()
    'confidence'
    """
    _, axes = panel_grid(len(panels), size=(0.4, 3.4), each=(3.3, 0), ylabel="share right", sharey=True)
    for ax, (title, calibrations) in zip(axes, panels.items()):
        ax.plot([0, 1], [0, 1], color="black", linestyle=":", linewidth=1, label="as sure as right")
        for (name, one), color, marker, line in zip(calibrations.items(), COLORS, MARKERS, LINES):
            ax.plot(one.confidence, one.accuracy, line, color=color, linewidth=1)
            sizes = 12 + 160 * one.count / one.count.sum()
            ax.scatter(one.confidence, one.accuracy, sizes, color=color, marker=marker, label=name, alpha=0.8)
        ax.set(title=title, xlabel="confidence", xlim=(0, 1.03), ylim=(-0.03, 1.06))
    for handle in legend_below(axes[0], ncols=3).legend_handles[1:]:
        handle.set_sizes([30])
    return axes


def along_genome(rows, marked, k):
    """Numbers for each k-mer along a genome, one panel each, with the k-mers that define its variant marked.

    rows: label -> (n,) numbers. marked: numbers of the defining k-mers. k: how many bases each has.

    >>> axes = along_genome({"drop": [0.0, 3.0, 0.1]}, [1], k=6)
    >>> axes[0].get_ylabel()
    'drop'
    """
    fig, axes = panel_grid(len(rows), 1, size=(7.2, 0.5), each=(0, 1.6), xlabel="base of the genome", sharex=True)
    for ax, (label, values) in zip(axes, rows.items()):
        values = as_array(values)
        at = k * np.arange(len(values))
        others = np.setdiff1d(np.arange(len(values)), marked)
        ax.vlines(at[others], 0, values[others], color=ROLES["the rest"], linewidth=1, label="other k-mers")
        ax.vlines(at[marked], 0, values[marked], color=COLORS[1], linewidth=1.5)
        ax.plot(at[marked], values[marked], "D", color=COLORS[1], markersize=4, label="k-mers that define the variant")
        ax.set_ylabel(label)
    legend_below(axes[0])
    fig.phone = {"columns": 1, "panel_height": 1.7}
    return axes
