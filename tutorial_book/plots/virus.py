"""Figures of the case study: a simulated virus and the differences between its variants (G)."""

import matplotlib.pyplot as plt

from tutorial_book.plots.base import COLORS, VALUES, as_array
from tutorial_book.plots.parts import LINES, bare, legend_below, panel_grid

MARKERS = "os^"


def lineage_distances(distances, variants):
    """Draw how many sites differ between the first genomes of all sub-lineages, (n, n), equally many per variant.

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


def reliability(panels):
    """Draw a classifier's accuracy against its confidence, a panel for each. panels: title -> {name: `Calibration`}.

    The size of a mark is the share of predictions in its bin.

    >>> from tutorial_book.experiments.virus import calibration
    >>> [ax] = reliability({"BERT": {"clean": calibration([[0.9, 0.1]], [0])}})
    >>> ax.get_xlabel()
    'confidence'
    """
    _, axes = panel_grid(len(panels), size=(0.4, 3.4), each=(3.3, 0), ylabel="share right", sharey=True)
    for ax, (title, calibrations) in zip(axes, panels.items()):
        ax.plot([0, 1], [0, 1], color="black", linestyle=":", linewidth=1, label="calibrated")
        for (name, one), color, marker, line in zip(calibrations.items(), COLORS, MARKERS, LINES):
            ax.plot(one.confidence, one.accuracy, line, color=color, linewidth=1)
            sizes = 12 + 160 * one.count / one.count.sum()
            ax.scatter(one.confidence, one.accuracy, sizes, color=color, marker=marker, label=name, alpha=0.8)
        ax.set(title=title, xlabel="confidence", xlim=(0, 1.03), ylim=(-0.03, 1.06))
    for handle in legend_below(axes[0], ncols=3).legend_handles[1:]:
        handle.set_sizes([30])
    return axes
