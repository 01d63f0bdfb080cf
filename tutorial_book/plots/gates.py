"""Figures of the chapter on gates, cones and entropy: maps, scores, the census of heads, the heads' inputs.

Source: G 2.
"""

import numpy as np

from tutorial_book.page.live.gates import LETTERS
from tutorial_book.plots.base import COLORS, ROLES, TINTS, as_array
from tutorial_book.plots.parts import dotted, legend_below, panel_grid, weight_map
from tutorial_lib.geometry.gates import GATES, MIXED, THRESHOLD, gate_of, gate_scores

_SIX = [TINTS[role] for role in ("query", "key", "value", "attention", "feed forward", "embeddings")]
FILLS = dict(zip((*GATES, MIXED), (*_SIX, TINTS["the rest"], "#FFFFFF"), strict=True))
LOOKS = {name: (FILLS[name], letter) for name, letter in LETTERS.items()}  # of heads, for `charts.letters`


def map_with_scores(A, title=""):
    """Draw a map next to its seven scores as bars, with the line that a score must reach.

    >>> left, right = map_with_scores(np.eye(5))
    >>> right.get_title()
    'gate: closed'
    """
    A, scores = as_array(A), gate_scores(A)
    name = gate_of(scores)
    _, (left, right) = panel_grid(2, size=(4.3, 2.3), width_ratios=(1, 1.2))  # as on a phone
    weight_map(left, A)
    left.set(xticks=[], yticks=[], title=title)
    places = np.arange(len(GATES))[::-1]
    colors = [COLORS[1] if gate == name else ROLES["the rest"] for gate in GATES]
    right.barh(places, scores, color=colors, height=0.7)
    dotted(right, x=THRESHOLD)
    right.axvline(0, color="black", linewidth=0.8)
    right.set_yticks(places, GATES)
    right.tick_params(axis="y", length=0, labelsize=9)
    right.set(xlim=(-1, 1.05), xlabel="score", title=f"gate: {name}")
    return left, right


def variance_strips(seen, chance, best):
    """Draw the share that each head sees as a dot: panels (title -> (n_layers, n_heads) shares of the variance).

    chance: (low, high) for random subspaces in each layer, a band; best: for the best subspace, a line.

    >>> [ax] = variance_strips({"queries": [[0.1, 0.2], [0.3, 0.2]]}, ([0.08, 0.09], [0.12, 0.11]), [0.6, 0.7])
    >>> ax.get_title(), len(ax.lines)
    ('queries', 3)
    """
    chance = as_array(chance)  # (2, n_layers)
    layers = range(len(best))
    dot = {"marker": "o", "linestyle": "", "color": COLORS[0], "markersize": 4, "alpha": 0.6}
    dash = {"marker": "_", "linestyle": "", "color": COLORS[1], "markersize": 16, "markeredgewidth": 2.5}
    bar = {"width": 0.7, "color": ROLES["the rest"], "alpha": 0.5, "zorder": 0}
    _, axes = panel_grid(len(seen), size=(0, 2.9), each=(2.7, 0), ylabel="share of the variance", sharey=True)
    for ax, (title, shares) in zip(axes, seen.items()):
        for layer, row in enumerate(as_array(shares)):
            ax.plot(np.full(len(row), layer), row, label=None if layer else "a head", **dot)
        ax.plot(layers, as_array(best), label="the best subspace", **dash)
        ax.bar(layers, chance[1] - chance[0], bottom=chance[0], label="95 % of random ones", **bar)
        ax.set(xlabel="layer", title=title, ylim=(0, 0.6), xticks=layers)
    legend_below(axes[0], ncols=3, fontsize=9)
    return axes
