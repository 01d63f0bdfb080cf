"""The figure of controls in "A few loud coordinates"."""

import numpy as np

from tutorial_book.plots.charts import intervals


def changes(panels):
    """Draw the effect of each change on a score: a panel for each task, a row for each change, a dot and its interval.

    panels: task -> {change: (value, low, high, lowest, highest)}, each minus the score without a change; lowest and
    highest: of the null, a gray bar, which may reach beyond the panel.

    >>> [ax] = changes({"questions": {"mean out": (0.1, 0.05, 0.15, -0.01, 0.01)}})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['mean out']
    """
    numbers = {task: np.transpose(list(by_change.values())) for task, by_change in panels.items()}
    names = list(next(iter(panels.values())))
    axes = intervals({task: {"": tuple(rows[:3])} for task, rows in numbers.items()}, names, "change of the score")
    for ax, (*_, lowest, highest) in zip(axes, numbers.values()):
        ax.set_xlim(ax.get_xlim())  # not farther than the intervals
        ax.hlines(range(len(names)), lowest, highest, color="0.82", linewidth=9, zorder=0)
        ax.locator_params(axis="x", nbins=4)
    return axes
