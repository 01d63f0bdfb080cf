"""Figures of the chapter on the shape of learning: measures by layer and by step, clouds of one layer (A Figs. 1-4)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, GROUP_MARKERS, GROUPS, ROLES, as_array
from tutorial_lib.geometry import mean_interval, pca

MARKERS, STYLES = "os^D", ("-", "--", "-.", ":")


def profiles(panels, ylabel, columns=3, names=None):
    """A measure by layer, a panel for each entry (title -> {label -> values}), all with one scale. Returns the axes.

    values: one for each layer, the embeddings first; or rows of them, one for each seed: then the line is their mean
    and the band its 95 % interval. names: of the layers; default: 0, 1, ...

    >>> [ax] = profiles({"16 tokens": {"all tokens": [0.1, 0.3, 0.1]}}, "anisotropy")
    >>> ax.get_title(), ax.lines[0].get_ydata().tolist()
    ('16 tokens', [0.1, 0.3, 0.1])
    """
    return _panels(panels, ylabel, "layer", columns, names)


def along_training(panels, steps, ylabel=None, columns=2):
    """A measure by step, a panel for each entry (title -> {label -> values}). Returns the axes.

    values: one for each step, or rows of them, one for each seed, as in `profiles`. steps: the numbers of steps; they
    stand evenly, since each is about twice the one before. ylabel: what all panels show, with one scale; without it
    each panel has a scale of its own.

    >>> [ax] = along_training({"anisotropy": {"all tokens": [[0.1, 0.3], [0.3, 0.5]]}}, [0, 20])
    >>> ax.lines[0].get_ydata().tolist(), [label.get_text() for label in ax.get_xticklabels()]
    ([0.2, 0.4], ['0', '20'])
    """
    return _panels(panels, ylabel, "step", columns, steps)


def _panels(panels, ylabel, xlabel, columns, names):
    rows, columns = -(-len(panels) // columns), min(columns, len(panels))
    size = (7.8 / max(columns, 2) * columns, 2.5 * rows + 0.4)
    fig, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, sharey=ylabel is not None)
    for unused in axes.flat[len(panels) :]:
        unused.axis("off")
    looks = {}
    for ax, (title, lines) in zip(axes.flat, panels.items(), strict=False):
        for label, values in lines.items():
            look = looks.setdefault(label, len(looks))
            _line(ax, values, color=COLORS[look], marker=MARKERS[look % 4], linestyle=STYLES[look % 4], label=label)
        own = names or range(max(np.shape(values)[-1] for values in lines.values()))
        ax.set_xticks(range(len(own)), [f"{name:,}" if isinstance(name, int) else name for name in own])
        ax.set(title=title, xlabel=xlabel)
        ax.tick_params(axis="x", labelsize=8)
    for ax in axes.flat:
        ax.set_ylim(0, None)  # when all have drawn: they may share a scale
    for ax in axes[:, 0]:
        ax.set_ylabel(ylabel or "")
    handles = {label: line for ax in axes.flat for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    if len(handles) > 1:
        fig.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)
    fig.phone = {"panel_height": 2.2}
    return list(axes.flat[: len(panels)])


def _line(ax, values, **look):
    values = as_array(values)
    if values.ndim == 2:
        values, low, high = mean_interval(values) if len(values) > 1 else (values[0],) * 3
        ax.fill_between(range(len(values)), low, high, color=look["color"], alpha=0.2, linewidth=0)
    ax.plot(range(len(values)), values, markersize=4, **look)


def cloud(X, groups, title=""):
    """Vectors (n, d) in their own two principal components, colored and shaped by group (n names). Returns the axes.

    Groups whose names begin with "other" are gray.

    >>> ax = cloud([[1.0, 0.0], [0.0, 3.0], [2.0, 0.0]], ["others", "others", "first"], "step 20")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['first', 'others']
    """
    Y, groups = pca(as_array(X)).coordinates, np.asarray(groups)
    fig, ax = plt.subplots(figsize=(4.8, 3.6))
    for color, marker, name in zip(GROUPS, GROUP_MARKERS, np.unique(groups), strict=False):
        color = ROLES["the rest"] if name.startswith("other") else color
        ax.plot(*Y[groups == name].T, marker, color=color, markersize=4, alpha=0.5, markeredgewidth=0, label=name)
    ax.set(xlabel="PC 1", ylabel="PC 2", title=title)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=9)
    return ax
