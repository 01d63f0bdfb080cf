"""Figures of "A few loud coordinates": what each adds, layer by layer, and what becomes of scores without it."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array
from tutorial_book.plots.parts import LINES, MARKERS, by_layer, dotted, draw_curve, legend_below, note, panel_grid, rows


def parts(values, limits=None):
    """What each coordinate adds to a cosine, one line for each; the largest is named.

    limits: of the upward axis, so that pictures of several layers can be compared.

    >>> parts([0.01, 0.2, -0.01]).get_title()
    'together 0.20'
    """
    values = as_array(values)
    _, ax = plt.subplots(figsize=(6.6, 2.8))
    ax.vlines(np.arange(len(values)), 0, values, color=ROLES["the rest"], linewidth=1)
    largest = int(values.argmax())
    ax.vlines(largest, 0, values[largest], color=COLORS[1], linewidth=2.5)
    left = largest > 0.7 * len(values)
    where = {"ha": "right", "offset": (-5, -3)} if left else {"offset": (5, -3)}
    note(ax, f"coordinate {largest}: {values[largest]:.3f}", (largest, values[largest]), **where)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set(xlabel="coordinate", ylabel="adds to the cosine", title=f"together {values.sum():.2f}", ylim=limits)
    return ax


def loudest_shares(panels):
    """The share of one coordinate by layer, a panel for each entry (title -> {of what: values from layer 0 on}).

    >>> [ax] = loudest_shares({"book-gpt": {"cosine": [0.1, 0.4], "distance": [0.1, 0.1]}})
    >>> ax.get_title(), [line.get_label() for line in ax.lines]
    ('book-gpt', ['cosine', 'distance'])
    """
    figure, axes = panel_grid(len(panels), 2, size=(7.2, 0.6), each=(0, 2.1), sharey=True, ylabel="share")
    figure.phone = {"columns": 1, "panel_height": 2.0}
    for ax, (title, curves) in zip(axes, panels.items()):
        for color, line, marker, (label, values) in zip(COLORS, LINES, MARKERS, curves.items()):
            draw_curve(ax, values, color=color, linestyle=line, marker=marker, markersize=5, label=label)
        by_layer(ax, title=title)
    legend_below(axes[0], ncols=len(curves))
    return axes


def changes(panels):
    """What each change does to a score: a panel for each task, a row for each change, a dot and its interval.

    panels: task -> {change: (value, low, high, lowest, highest)}, each less the score without a change; lowest and
    highest: of the null, a gray bar, which may reach beyond the panel. An interval that leaves 0 out has a color: blue
    below, orange above.

    >>> [ax] = changes({"questions": {"mean out": (0.1, 0.05, 0.15, -0.01, 0.01)}})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['mean out']
    """
    figure, axes = panel_grid(len(panels), size=(0.9, 2.7), each=(1.75, 0), sharey=True)
    figure.phone = {"columns": 1, "panel_height": 1.9}
    for ax, (task, by_change) in zip(axes, panels.items()):
        dotted(ax, x=0)
        for row, (value, low, high, lowest, highest) in enumerate(by_change.values()):
            color = COLORS[0] if high < 0 else COLORS[1] if low > 0 else "black"
            ax.plot([lowest, highest], [row, row], color="0.82", linewidth=9, solid_capstyle="butt", zorder=1)
            ax.plot([low, high], [row, row], color=color, linewidth=2)
            ax.plot(value, row, "o", color=color, markersize=5)
        rows(ax, list(by_change))
        ends = np.array([[low, high] for _, low, high, *_ in by_change.values()])
        least, most = min(ends.min(), -1e-3), max(ends.max(), 1e-3)
        ax.set(title=task, xlabel="change of the score", xlim=(1.15 * least - 0.1 * most, 1.15 * most - 0.1 * least))
        ax.locator_params(axis="x", nbins=4)
    return axes


def with_strangers(panels):
    """Three measures by layer, of words and of strangers, with the loudest coordinate and without it.

    panels: measure -> {label: values from layer 0 on}. A label that ends with "without" is dashed, one that begins with
    "strangers" gray.

    >>> [ax] = with_strangers({"self-similarity": {"words": [1, 0.5], "strangers": [0.1, 0.2]}})
    >>> [line.get_color() for line in ax.lines] == [COLORS[0], ROLES["the rest"]]
    True
    """
    figure, axes = panel_grid(len(panels), size=(0, 3.0), each=(2.6, 0), sharey=True)
    figure.phone = {"columns": 1, "panel_height": 2.0}
    for ax, (title, curves) in zip(axes, panels.items()):
        for label, values in curves.items():
            stranger, without = label.startswith("strangers"), label.endswith("without")
            look = {"color": ROLES["the rest"] if stranger else COLORS[0], "linestyle": "--" if without else "-"}
            draw_curve(ax, values, marker="s" if stranger else "o", markersize=4, label=label, **look)
        by_layer(ax, title=title, ylim=(0, 1))
    legend_below(axes[0], ncols=2)
    return axes
