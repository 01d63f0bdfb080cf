"""Figures of the chapter on the shape of learning: measures by layer and by step, clouds of one layer (A Figs. 1-4)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, GROUP_MARKERS, GROUPS, ROLES, as_array
from tutorial_book.plots.parts import draw_curve, panel_grid
from tutorial_lib.geometry import mean_interval, pca

MARKERS, STYLES = "os^D", ("-", "--", "-.", ":")


def profiles(panels, ylabel, columns=3, names=None):
    """A measure by layer, a panel for each entry (title -> {label -> values}), all with one scale.

    values: one for each layer, the embeddings first; or rows of them, one for each seed: then the line is their mean
    and the band its 95 % interval. names: of the layers; default: 0, 1, ...

    >>> [ax] = profiles({"16 tokens": {"all tokens": [0.1, 0.3, 0.1]}}, "anisotropy")
    >>> ax.get_title(), ax.lines[0].get_ydata().tolist()
    ('16 tokens', [0.1, 0.3, 0.1])
    """
    return _panels(panels, ylabel, "layer", columns, names)


def along_training(panels, steps, ylabel=None, columns=2):
    """A measure by step, a panel for each entry (title -> {label -> values}).

    values: one for each step, or rows of them, one for each seed, as in `profiles`. steps: the numbers of steps; they
    stand evenly, since each is about twice the one before. ylabel: what all panels show, with one scale; without it
    each panel has a scale of its own.

    >>> [ax] = along_training({"anisotropy": {"all tokens": [[0.1, 0.3], [0.3, 0.5]]}}, [0, 20])
    >>> ax.lines[0].get_ydata().tolist(), [label.get_text() for label in ax.get_xticklabels()]
    ([0.2, 0.4], ['0', '20'])
    """
    return _panels(panels, ylabel, "step", columns, steps)


def _panels(panels, ylabel, xlabel, columns, names):
    columns = min(columns, len(panels))
    size = (7.8 / max(columns, 2) * columns, 0.4)
    shared = {"ylabel": ylabel or "", "sharey": ylabel is not None}
    fig, axes = panel_grid(len(panels), columns, size=size, each=(0, 2.5), **shared)
    looks = {}
    handles = {}
    for ax, (title, lines) in zip(axes, panels.items()):
        for label, values in lines.items():
            number = looks.setdefault(label, len(looks))
            look = {"color": COLORS[number], "marker": MARKERS[number % 4], "linestyle": STYLES[number % 4]}
            handles[label] = draw_curve(ax, _over_seeds(values), markersize=4, label=label, **look)
        own = names or range(max(np.shape(values)[-1] for values in lines.values()))
        ax.set_xticks(range(len(own)), [f"{name:,}" if isinstance(name, int) else name for name in own])
        ax.set(title=title, xlabel=xlabel)
        ax.tick_params(axis="x", labelsize=8)
    for ax in axes:
        ax.set_ylim(0, None)  # when all have drawn: they may share a scale
    if len(handles) > 1:
        fig.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2)
    fig.phone = {"panel_height": 2.2}
    return axes


def _over_seeds(values):
    """Values as they are, or for rows of them, one for each seed, their mean with its interval."""
    values = as_array(values)
    if values.ndim == 1:
        return values
    return tuple(mean_interval(values)) if len(values) > 1 else (values[0],) * 3


def cloud(X, groups, title=""):
    """Vectors (n, d) in their own two principal components, colored and shaped by group (n names).

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
