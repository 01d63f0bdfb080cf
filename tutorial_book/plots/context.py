"""Figures of the chapter on a word's vectors in context (R 11.6, L 3.2.1, L 3.2.3)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import MARKERS, draw_curves, panel_grid


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
