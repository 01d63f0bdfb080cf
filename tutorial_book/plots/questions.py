"""Figures of the chapter on open questions: opposites, curves, kinds of tokens, rounding. Source: L 5.2."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse
from matplotlib.ticker import MaxNLocator

from tutorial_book.plots.base import COLORS, GROUPS, as_array

STYLES = ("o-", "s--", "^-.", "D:", "v-", "x--")


def opposites_by_layer(panels):
    """Average cosine of pairs, layer by layer, a panel for each entry: title -> {label: (means, low, high)}.

    low and high are drawn as a band; means alone will do. Returns the axes.

    >>> [ax] = opposites_by_layer({"as they are": {"synonyms": ([0.5, 0.6], [0.4, 0.5], [0.6, 0.7])}})
    >>> ax.lines[-1].get_ydata().tolist()
    [0.5, 0.6]
    """
    fig, axes = plt.subplots(1, len(panels), figsize=(2.4 * len(panels) + 0.4, 3.1), sharey=True, squeeze=False)
    for ax, (title, curves) in zip(axes[0], panels.items(), strict=True):
        ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
        for (label, values), style, color in zip(curves.items(), STYLES, COLORS, strict=False):
            means, *band = (as_array(part) for part in (values if isinstance(values, tuple) else (values,)))
            if band:
                ax.fill_between(np.arange(len(means)), *band, color=color, alpha=0.25, linewidth=0)
            ax.plot(means, style, color=color, label=label, markersize=4)
        ax.set(title=title, xlabel="layer")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0, 0].set_ylabel("average cosine")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(curves))
    return list(axes[0])


def dimension_by_window(curves, windows):
    """Dimensions that a stretch of a curve needs, against its length (log scale); `curves` is label -> numbers.

    >>> dimension_by_window({"line": [1.0, 1.0]}, [3, 9]).lines[0].get_xdata().tolist()
    [3, 9]
    """
    _, ax = plt.subplots(figsize=(7.2, 3.4))
    for (label, values), style, color in zip(curves.items(), STYLES, COLORS, strict=False):
        ax.plot(windows, as_array(values), style, color=color, label=label, markersize=4)
    ax.set(xscale="log", xlabel="points in the stretch (log scale)", ylabel="dimensions it needs", ylim=(0, None))
    ax.set_xticks(windows, [str(window) for window in windows])
    ax.minorticks_off()
    ax.legend()
    return ax


def token_kinds(points, kinds, n_deviations=2):
    """A cloud (n, 2) as gray dots, and an ellipse for each entry of `kinds` (name -> rows of points).

    An ellipse is centered at its kind's mean and reaches n standard deviations in each direction. Returns the axes.
    Source: L 5.2.

    >>> ax = token_kinds([[0, 0], [4, 0], [2, 1], [2, -1]], {"all": [0, 1, 2, 3]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()], ax.patches[0].center
    (['all'], (2.0, 0.0))
    """
    points = as_array(points)
    _, ax = plt.subplots(figsize=(6.8, 5.2), dpi=150)
    ax.plot(*points.T, ",", color="0.72", zorder=0, rasterized=True)  # as shapes, 30,000 dots are megabytes
    for color, style, (name, chosen) in zip(GROUPS, ("-", "--", "-.", ":", "-", "--"), kinds.items(), strict=False):
        some = points[np.asarray(chosen)]
        center = some.mean(axis=0)
        variances, axes = np.linalg.eigh(np.cov(some.T, bias=True))
        width, height = 2 * n_deviations * np.sqrt(variances)
        angle = np.degrees(np.arctan2(axes[1, 0], axes[0, 0]))
        style = dict(fill=False, edgecolor=color, linestyle=style, linewidth=1.8)
        ax.add_patch(Ellipse(tuple(center.tolist()), width, height, angle=angle, label=name, **style))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    ax.set(xlabel="PC 1", ylabel="PC 2")
    return ax


def rounding_by_layer(curves):
    """How far vectors turn, layer by layer, when weights are rounded: `curves` is format -> cosines to the exact ones.

    Drawn is 1 - cosine, on a log scale, so that small turns can be told apart.

    >>> ax = rounding_by_layer({"int8": [0.75, 0.5]})
    >>> ax.lines[0].get_ydata().tolist(), ax.get_yscale()
    ([0.25, 0.5], 'log')
    """
    _, ax = plt.subplots(figsize=(7.2, 3.6))
    for (label, values), style, color in zip(curves.items(), STYLES, COLORS, strict=False):
        ax.plot(1 - as_array(values).astype(float), style, color=color, label=label, markersize=4)
    ax.set(yscale="log", xlabel="layer", ylabel="1 − cosine to the unrounded vector")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return ax
