"""Figures of the chapter on where heads rest: which tokens get attention, what a key is worth, small decoders."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots import parts
from tutorial_book.plots.base import ROLES
from tutorial_book.plots.parts import note, panel_grid, weight_map


def looked_at(weights, tokens, marked):
    """Draw each token's share of all weight in each layer: weights (n_layers, n). marked: one token's position.

    >>> ax = looked_at([[0.5, 0.5]], ["a", "b"], 1)
    >>> [name.get_fontweight() for name in ax.get_xticklabels()]
    ['normal', 'bold']
    """
    figure, ax = plt.subplots(figsize=(7.2, 3.2))
    image = weight_map(ax, weights, aspect="auto")
    ax.set(ylabel="layer", yticks=range(len(weights)), xticks=range(len(tokens)))
    ax.set_xticklabels(tokens, rotation=45, ha="right", rotation_mode="anchor")
    ax.get_xticklabels()[marked].set_fontweight("bold")
    figure.colorbar(image, label="share of the weight", **parts.WEIGHT_TICKS)
    figure.phone = {"panel_height": 3.2}
    return ax


def worth(panels):
    """Draw the loss against the removed weight: title -> {name -> (weight, lost, low, high)}.

    Names that begin with a number mean that many words: they are joined, and the last is written out.

    >>> axes = worth({"posts": {"1 word": (0.1, 0.2, 0.1, 0.3), "[CLS]": (0.5, 0.4, 0.3, 0.5)}})
    >>> [text.get_text() for text in axes[0].texts]
    ['1 word', '[CLS]']
    """
    figure, axes = panel_grid(
        len(panels), size=(7.4, 3.4), sharey=True, xlabel="share of the weight", ylabel="1 - cosine of the words"
    )
    for ax, (title, points) in zip(axes, panels.items(), strict=True):
        words = [name for name in points if name[0].isdigit()]
        ax.plot(*np.transpose([points[name][:2] for name in words]), color=ROLES["the rest"], linewidth=1)
        for name, (weight, lost, low, high) in points.items():
            marker, color = ("o", ROLES["the rest"]) if name in words else ("s", ROLES["[CLS]"])
            ax.plot([weight, weight], [low, high], color=color, linewidth=1.5)
            ax.plot(weight, lost, marker, color=color, markersize=5)
            if name in words:
                note(ax, name if name == words[-1] else name.split()[0], (weight, high), (0, 7), ha="center")
            else:
                side = -1 if weight > 0.3 else 1
                note(ax, name, (weight, lost), (7 * side, 0), ha="right" if side < 0 else "left")
        ax.set(title=title, xlim=(-0.02, None))
    figure.phone = {"panel_height": 2.6}
    return axes
