"""Figures of the page on speed: times compared with a peer's, with their spread and their limits."""

import matplotlib.pyplot as plt

from tutorial_book.plots.base import ROLES
from tutorial_book.plots.parts import dotted, ticks

FIRST, OTHERS = ROLES["first text"], ROLES["the rest"]


def ratios(comparisons, earlier=()):
    """Draw ours / peer on a logarithmic axis: a dot with its quartiles, and a bar at the limit.

    comparisons: those of a stored run. Judged ones are filled, the others are open. earlier: those of each earlier run,
    as small gray dots on the same lines; comparisons that were dropped are left out.

    >>> row = {"name": "a", "peer": "b", "ratio": 0.5, "low": 0.4, "high": 0.7, "limit": 0.6}
    >>> ax = ratios([row])
    >>> ax.get_yticklabels()[0].get_text()
    'a\\n/ b'
    """
    fig, ax = plt.subplots(figsize=(7.6, 0.42 * len(comparisons) + 1.0))
    fig.phone = {"panel_height": 0.42 * len(comparisons)}  # space for two lines each
    dotted(ax, x=1, color=OTHERS)
    line = {(row["name"], row["peer"]): y for y, row in enumerate(comparisons)}
    old = [row for run in earlier for row in run if (row["name"], row["peer"]) in line]
    ratios_then = [row["ratio"] for row in old]
    if old:
        heights = [line[row["name"], row["peer"]] for row in old]
        ax.plot(ratios_then, heights, "o", color=OTHERS, markersize=3.5, gid="earlier")
    for y, row in enumerate(comparisons):
        judged = row["limit"] is not None
        ax.plot([row["low"], row["high"]], [y, y], color=FIRST, linewidth=2, gid="quartiles")
        ax.plot(row["ratio"], y, "o", color=FIRST, markerfacecolor=FIRST if judged else "white", markersize=6)
        if judged:
            ax.plot(row["limit"], y, "|", color="black", markersize=13, markeredgewidth=2)
    ax.set_yticks(range(len(comparisons)), [f"{row['name']}\n/ {row['peer']}" for row in comparisons])
    ax.set(xscale="log", xlabel="time of ours / time of the peer", ylim=(len(comparisons) - 0.4, -0.6))
    ends = [*(row["low"] for row in comparisons), *(row["high"] for row in comparisons), *ratios_then]
    round_numbers = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10)
    ticks(ax.xaxis, [x for x in round_numbers if min(ends) / 2 <= x <= 2 * max(ends)])
    return ax
