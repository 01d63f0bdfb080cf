"""Figures of the chapter on what changed since 2017: losses by place and by part, rotary pairs, masks, costs."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array
from tutorial_book.plots.parts import (
    dotted,
    draw_curves,
    legend_below,
    note,
    panel_grid,
    rows,
    ticks,
    weight_map,
)
from tutorial_lib.geometry import mean_interval

LOOK = {"markers": "os^Dv", "lines": ("-", "--", "-.", ":", "-"), "markersize": 4}


def by_place(panels, each, trained):
    """The loss at each place of a text, with intervals over seeds; a dotted line where the trained length ends.

    panels: title -> {name -> losses (seeds, places)}. each: how many places of the text a number stands for.

    >>> axes = by_place({"as it is": {"rotary": [[2.0, 3.0], [2.1, 3.2]]}}, 32, 32)
    >>> axes[0].lines[0].get_xdata().tolist()
    [16.0, 48.0]
    """
    figure, axes = panel_grid(
        len(panels), size=(7.4, 3.4), sharey=True, xlabel="place in the text", ylabel="loss in nats"
    )
    for ax, (title, curves) in zip(axes, panels.items(), strict=True):
        curves = {name: tuple(mean_interval(losses)) for name, losses in curves.items()}
        places = each * (np.arange(len(next(iter(curves.values()))[0])) + 0.5)
        draw_curves(ax, curves, places, **LOOK)
        dotted(ax, x=trained)
        ax.set(title=title)
        ticks(ax.xaxis, range(0, round(places[-1] + each), trained))
    note(axes[0], "trained", (trained, axes[0].get_ylim()[1]), (-4, -6), ha="right")
    legend_below(axes[0], ncols=2 if len(axes[0].lines) > 5 else 4)
    figure.phone = {"panel_height": 2.6}
    return axes


def costs(differences, label):
    """What each change of a part adds to the loss, a dot a seed, and the mean with its interval.

    differences: name -> one number for each seed.

    >>> ax = costs({"LayerNorm": [0.01, -0.01, 0.0]}, "loss")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['LayerNorm']
    """
    _, ax = plt.subplots(figsize=(7.2, 0.9 + 0.42 * len(differences)))
    for i, values in enumerate(map(as_array, differences.values())):
        mean, low, high = mean_interval(values)
        ax.plot(values, np.full(len(values), i - 0.2), "o", color="0.55", markersize=3.5)
        ax.plot([low, high], [i, i], color=COLORS[0], linewidth=2)
        ax.plot(mean, i, "s", color=COLORS[0], markersize=6)
    dotted(ax, x=0)
    rows(ax, list(differences))
    ax.set(xlabel=label)
    return ax


def rotary_pairs(trained, untrained, without):
    """Each pair of rotary heads, the fastest first: how much of its scores distance tells, and the loss without it.

    trained, untrained: shares, (seeds, heads, pairs), a dot each. without: name -> what the loss rises by, (seeds,
    pairs), with an interval over seeds.

    >>> axes = rotary_pairs(np.ones((2, 3, 2)), np.zeros((2, 3, 2)), {"turning": np.ones((2, 2))})
    >>> len(axes[0].lines)
    2
    """
    pairs = np.arange(np.shape(trained)[-1])
    figure, (left, right) = panel_grid(2, size=(7.6, 3.4), xlabel="pair, from the fastest to the slowest")
    looks = {"untrained": (untrained, "x", ROLES["the rest"], 0.15), "trained": (trained, "o", COLORS[0], -0.15)}
    for name, (shares, marker, color, shift) in looks.items():
        heads = as_array(shares).reshape(-1, len(pairs))
        places = np.broadcast_to(pairs + shift, heads.shape)
        left.plot(places.ravel(), heads.ravel(), marker, color=color, markersize=3.5, alpha=0.6, label=name)
    left.set(ylim=(0, 1.02), ylabel="share that distance tells", title="scores of each head")
    left.legend(loc="upper right", handletextpad=0.2)
    draw_curves(right, {name: tuple(mean_interval(rise)) for name, rise in without.items()}, pairs, **LOOK)
    dotted(right, 0)
    right.set(ylabel="rise of the loss in nats", title="the loss without it")
    right.set_ylim(top=1.4 * right.get_ylim()[1])  # room for the names
    right.legend(loc="upper right")
    for ax in (left, right):
        ticks(ax.xaxis, pairs)
    figure.phone = {"panel_height": 2.6}
    return left, right


def masks(allowed):
    """Who may look at whom, a panel for each mask: title -> (n, n), rows look at columns.

    >>> axes = masks({"all": np.ones((3, 3))})
    >>> axes[0].get_title()
    'all'
    """
    figure, axes = panel_grid(len(allowed), size=(7.4, 2.9), xlabel="key", ylabel="query")
    for ax, (title, mask) in zip(axes, allowed.items(), strict=True):
        weight_map(ax, 0.5 * as_array(mask))
        ax.set(title=title, xticks=[], yticks=[])
    figure.phone = {"columns": 2, "panel_height": 2.0}
    return axes


def work(lengths, curves, ylabel):
    """Multiplications against the length of a text, both on log scales. curves: name -> numbers.

    >>> ax = work([1, 2], {"all": [1, 4]}, "multiplications")
    >>> ax.get_xscale(), ax.get_yscale()
    ('log', 'log')
    """
    _, ax = plt.subplots(figsize=(7.2, 3.2))
    draw_curves(ax, curves, lengths, **LOOK)
    ax.set(xscale="log", yscale="log", xlabel="tokens (log scale)", ylabel=ylabel)
    ticks(ax.xaxis, lengths, "{:,.0f}")
    ax.legend(loc="upper left")
    return ax
