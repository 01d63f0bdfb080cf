"""Figures of the chapter on open questions: opposites, curves, kinds of tokens, rounding. Source: L 5.2."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from tutorial_lib.plots.base import COLORS, as_array

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


def token_kinds(points, kinds, at_most=400, seed=0):
    """A panel for each entry of `kinds` (name -> rows of points): its points, before the shade of the whole cloud.

    points: (n, 2). Of a kind with more than `at_most` rows a random sample is drawn. Returns the axes. Source: L 5.2.

    >>> [ax] = token_kinds([[0, 0], [1, 1], [2, 0]], {"first": [0]})
    >>> ax.get_title(), ax.collections[0].get_offsets().tolist()
    ('first (1)', [[0.0, 0.0]])
    """
    points, rng = as_array(points), np.random.default_rng(seed)
    low, high = points.min(0), points.max(0)
    shade, _, _ = np.histogram2d(*points.T, bins=90, range=np.stack([low, high], axis=1))
    columns = min(3, len(kinds))
    rows = -(-len(kinds) // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(2.5 * columns, 2.4 * rows), sharex=True, sharey=True,
                             squeeze=False)  # fmt: skip
    for ax, (name, chosen) in zip(axes.flat, kinds.items(), strict=False):
        chosen = np.asarray(chosen)
        drawn = rng.choice(chosen, at_most, replace=False) if len(chosen) > at_most else chosen
        ax.imshow(np.log1p(shade.T), extent=(low[0], high[0], low[1], high[1]), origin="lower", cmap="Greys",
                  vmax=2 * np.log1p(shade.max()), aspect="auto", interpolation="bilinear")  # fmt: skip
        ax.scatter(*points[drawn].T, s=4, color=COLORS[1], alpha=0.6, linewidth=0)
        ax.set_title(f"{name} ({len(chosen):,})")
    for unused in axes.flat[len(kinds) :]:
        unused.axis("off")
    for ax in axes[-1]:
        ax.set_xlabel("PC 1")
    for ax in axes[:, 0]:
        ax.set_ylabel("PC 2")
    return list(axes.flat[: len(kinds)])


def rounding_by_layer(curves):
    """How alike vectors stay, layer by layer, when weights are rounded: `curves` is format -> cosines.

    >>> rounding_by_layer({"int8": [1.0, 0.99]}).get_ylabel()
    'cosine to the unrounded vector'
    """
    _, ax = plt.subplots(figsize=(7.2, 3.4))
    for (label, values), style, color in zip(curves.items(), STYLES, COLORS, strict=False):
        ax.plot(as_array(values), style, color=color, label=label, markersize=4)
    ax.set(xlabel="layer", ylabel="cosine to the unrounded vector", ylim=(min(0, ax.get_ylim()[0]), 1.03))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(ncols=2)
    return ax
