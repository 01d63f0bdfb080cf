"""Figures of the chapter on a word's vectors in context (R 11.6, L 3.2.1, L 3.2.3)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import MARKERS, bare, dotted, draw_curves, legend_below, panel_grid, rows


def cosines_by_layer(curves, baseline=None, label="two different words"):
    """Cosine of two occurrences of a word after 0, 1, ... layers: one line for each entry of curves.

    baseline: what two vectors of different words give at each depth, dashed, to read the lines against.

    >>> ax = cosines_by_layer({"love": [1.0, 0.9]}, baseline=[0.1, 0.2])
    >>> [line.get_label() for line in ax.lines]
    ['love', 'two different words']
    """
    _, ax = plt.subplots(figsize=(7.6, 4.2))
    draw_curves(ax, curves, markers=MARKERS, markersize=5)
    if baseline is not None:
        ax.plot(as_array(baseline), "--", color="#595959", label=label)
    ax.set(xlabel="layers passed (0: after the embeddings' LayerNorm)", ylabel="cosine", ylim=(-0.05, 1.05))
    ax.set_xticks(range(len(next(iter(curves.values())))))
    ax.figure.legend(loc="outside lower left", ncols=2, fontsize=9)
    ax.figure.slide = {"size": (6.8, 2.85)}
    return ax


def senses(states, labels, panels, titles):
    """Vectors of one word in many sentences, projected to two principal components, one panel for each depth.

    states: (n_depths, n_sentences, d_model). labels: each sentence's sense. panels: which depths; titles: one each.

    >>> axes = senses(np.eye(4)[None], ["noun", "noun", "verb", "verb"], panels=[0], titles=["embeddings"])
    >>> [text.get_text() for text in axes[0].get_legend().get_texts()]
    ['noun', 'verb']
    """
    states, labels = as_array(states), np.asarray(labels)
    if states.ndim != 3 or states.shape[1] != len(labels):
        raise ValueError(f"states must be (n_depths, {len(labels)}, d_model), got {states.shape}")
    size = {"size": (0, 2.6), "each": (2.1, 0)}
    _, axes = panel_grid(len(panels), xlabel="component 1", ylabel="component 2", **size)
    for ax, depth, title in zip(axes, panels, titles, strict=True):
        centered = states[depth] - states[depth].mean(0)
        U, S, _ = np.linalg.svd(centered, full_matrices=False)
        points = U[:, :2] * S[:2]  # (n_sentences, 2)
        points *= np.where(points[labels == labels[0]].mean(0) > 0, -1, 1)  # an SVD's signs are arbitrary: fix them
        for k, sense in enumerate(dict.fromkeys(labels.tolist())):
            rings = {"mfc": "none", "ms": 5 + 4 * k} if k else {"ms": 5}  # points at the same place stay visible
            ax.plot(*points[labels == sense].T, "osD^"[k], color=COLORS[k], label=sense, clip_on=False, **rings)
        ax.set(title=title, aspect="equal", adjustable="datalim")
    axes[0].legend(fontsize=9)
    return axes


def along_a_line(places, sentences, groups):
    """A row for each sentence, in the order of their places on one axis, with a mark for its group.

    >>> ax = along_a_line([2.0, -1.0], ["A bear slept.", "We bear it."], ["animal", "verb"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['We bear it.', 'A bear slept.']
    """
    places, groups = as_array(places), np.asarray(groups)
    order = places.argsort()
    figure, ax = plt.subplots(figsize=(8.2, 0.8 + 0.215 * len(order)))
    figure.phone = {"panel_height": 0.8 + 0.2 * len(order)}
    figure.slide = {"size": (7, 5)}
    ax.hlines(range(len(order)), min(places), max(places), color="0.92", linewidth=1, zorder=0)
    dotted(ax, x=0)
    for k, group in enumerate(dict.fromkeys(groups.tolist())):
        at = np.flatnonzero(groups[order] == group)
        look = {"color": COLORS[k % 2], "mfc": "none" if k > 1 else COLORS[k], "mew": 1.6}
        ax.plot(places[order][at], at, "os"[k % 2], ms=6.5, label=group, **look)
    rows(ax, [sentences[i] for i in order])
    ax.tick_params(axis="y", labelsize=9)
    ax.set_xlabel("component 1")
    bare(ax)
    legend_below(ax, ncols=2)
    return ax
