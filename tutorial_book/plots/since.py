"""Figures of the chapter on changes since 2017: losses by position and by part, rotary pairs, masks, costs."""

import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array
from tutorial_book.plots.charts import curves
from tutorial_book.plots.parts import (
    dotted,
    draw_curves,
    note,
    panel_grid,
    ticks,
)
from tutorial_lib.geometry import mean_interval

LOOK = {"markers": "os^Dv", "lines": ("-", "--", "-.", ":", "-"), "markersize": 4}


def by_place(panels, each, trained):
    """Draw the loss at each position of a text, with intervals over seeds; a dotted line at the trained length.

    panels: title -> {name -> losses (seeds, positions)}. each: how many positions of the text a number covers.

    >>> axes = by_place({"as it is": {"rotary": [[2.0, 3.0], [2.1, 3.2]], "none": [[4, 4], [4, 4]]}}, 32, 32)
    >>> axes[0].lines[0].get_xdata().tolist()
    [16.0, 48.0]
    """
    some = next(iter(next(iter(panels.values())).values()))
    places = each * (np.arange(np.shape(some)[1]) + 0.5)
    found = {title: {name: mean_interval(losses) for name, losses in kinds.items()} for title, kinds in panels.items()}
    axes = curves(found, places, "place in the text", "loss in nats")
    for ax in axes:
        dotted(ax, x=trained)
        ticks(ax.xaxis, range(0, round(places[-1] + each), trained))
    note(axes[0], "trained", (trained, axes[0].get_ylim()[1]), (-4, -6), ha="right")
    return axes


def rotary_pairs(trained, untrained, without):
    """Draw each pair of rotary heads, fastest first: the share of its scores due to distance, the loss without it.

    trained, untrained: shares, (seeds, heads, pairs), a dot each. without: name -> the increase of the loss, (seeds,
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
    left.set(ylim=(0, 1.02), ylabel="share explained by distance", title="scores of each head")
    left.legend(loc="upper right", handletextpad=0.2)
    draw_curves(right, {name: tuple(mean_interval(rise)) for name, rise in without.items()}, pairs, **LOOK)
    dotted(right, 0)
    right.set(ylabel="rise of the loss in nats", title="the loss without it")
    right.set_ylim(top=1.4 * right.get_ylim()[1])  # space for the names
    right.legend(loc="upper right")
    for ax in (left, right):
        ticks(ax.xaxis, pairs)
    figure.phone = {"panel_height": 2.6}
    return left, right
