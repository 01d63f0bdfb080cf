"""Figures of the chapter on the cost of attention: seconds and bytes against length, and the losses of cheaper ways.

Source: L 3.2.8.
"""


from tutorial_book.plots.base import ROLES, as_array
from tutorial_book.plots.parts import legend_below, panel_grid, ticks

MATRICES, PAIRS = ROLES["feed forward"], ROLES["attention"]


def seconds(measured, fitted, columns=2):
    """Draw seconds against the length of a text, both logarithmic: dots, and the two fitted terms.

    measured: title -> (lengths, seconds), a panel each. fitted: title -> (seconds of the matrices, seconds of the
    pairs) at the same lengths, drawn as lines, and their sum.

    >>> [ax] = seconds({"forward": ([64, 128], [1.0, 3.0])}, {"forward": ([0.9, 1.8], [0.1, 1.2])})
    >>> [line.get_label() for line in ax.lines]
    ['learned matrices', 'pairs of tokens', 'sum of both', 'measured']
    """
    labels = {"xlabel": "tokens", "ylabel": "seconds"}
    _, axes = panel_grid(len(measured), columns, size=(7.6, 0.5), each=(0, 2.5), sharex=True, sharey=True, **labels)
    for ax, (title, (lengths, took)) in zip(axes, measured.items()):
        matrices, pairs = map(as_array, fitted[title])
        ax.plot(lengths, matrices, "--", color=MATRICES, label="learned matrices")
        ax.plot(lengths, pairs, ":", color=PAIRS, linewidth=2, label="pairs of tokens")
        ax.plot(lengths, matrices + pairs, color="black", linewidth=1, label="sum of both")
        ax.plot(lengths, as_array(took), "o", color="black", markersize=4.5, label="measured")
        ax.set(xscale="log", yscale="log", title=title)
        ticks(ax.xaxis, lengths, "{:,}")
    every = [second for _, took in measured.values() for second in took]
    axes[0].set_ylim(0.4 * min(every), 1.6 * max(every))  # for all, because they share it
    legend_below(axes[0], ncols=4)
    return axes
