"""Figures of "Senses and trees": two trees side by side, and a probe's results layer by layer."""

import matplotlib.pyplot as plt
from matplotlib.patches import Arc

from tutorial_book.plots.base import COLORS, ROLES
from tutorial_book.plots.parts import (
    write,
)

WIDE = 0.32  # of an arc, for each word that it passes


def two_trees(words, true, drawn):
    """Draw a sentence's words below each other: on the left the edges of its tree, on the right a probe's.

    true, drawn: pairs of words' numbers. An edge in both is blue; a wrong one on the right is orange and dashed, a
    missed one on the left is gray.

    >>> ax = two_trees(["Bears", "like", "honey"], {(0, 1), (1, 2)}, {(0, 1), (0, 2)})
    >>> [arc.get_linestyle() for arc in ax.patches]
    ['-', '-', '-', '--']
    """
    n = len(words)
    widest = max(j - i for i, j in true | drawn)
    figure, ax = plt.subplots(figsize=(4.8, 0.7 + 0.3 * n))
    reach = 1.3 + WIDE * widest
    for side, edges, other in ((-1, true, drawn), (1, drawn, true)):
        for i, j in sorted(edges):
            shared = (i, j) in other
            color = COLORS[0] if shared else COLORS[1] if side > 0 else ROLES["the rest"]
            look = {"color": color, "linestyle": "-" if shared or side < 0 else "--", "linewidth": 1.8}
            size = {"width": 2 * WIDE * (j - i), "height": 0.8 * (j - i)}
            half = {"theta1": 90, "theta2": 270} if side < 0 else {"theta1": -90, "theta2": 90}
            ax.add_patch(Arc((side * 1.1, (i + j) / 2), **size, **half, **look))
    for i, word in enumerate(words):
        write(ax, 0, i, word, fontsize=10)
    write(ax, -1.1 - reach / 4, -1.1, "the tree", fontsize=10)
    write(ax, 1.1 + reach / 4, -1.1, "the probe", fontsize=10)
    ax.set(xlim=(-reach, reach), ylim=(n - 0.5, -1.6))
    ax.axis("off")
    return ax
