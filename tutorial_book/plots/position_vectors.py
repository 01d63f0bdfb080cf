"""Figures of the chapter on the curve of positions: its maps, its turning planes, its cosines. Source: L 4.2.3."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array


def turning_planes(hands, first=0):
    """Draw the curve in each plane in which it turns, colored from the first position (dark) to the last.

    hands: from `geometry.clock_hands`; first: the position of the curve's first point.

    >>> from tutorial_lib.geometry import clock_hands
    >>> t = np.arange(60) / 3
    >>> [ax] = turning_planes(clock_hands(np.stack([np.cos(t), np.sin(t)], axis=1), 2))
    >>> ax.get_title()
    'once in 18.8'
    """
    columns = min(3, len(hands))
    rows = -(-(len(hands) + (columns > 1)) // columns)
    fig, axes = plt.subplots(rows, columns, figsize=(2.5 * columns, 2.6 * rows), squeeze=False)
    for ax, hand in zip(axes.flat, hands):
        order = np.arange(first, first + len(hand.points))
        dots = ax.scatter(*hand.points.T, c=order, s=6, cmap="viridis")
        reach = 1.1 * np.abs(hand.points).max()
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        ax.locator_params(nbins=3)
        ax.plot(0, 0, "+", color="black")
        ax.set_title(f"once in {hand.period:.1f}" if np.isfinite(hand.period) else f"{hand.rounds:.1f} of a turn")
    for unused in axes.flat[len(hands) :]:
        unused.axis("off")
    fig.colorbar(dots, ax=list(axes.flat), label="position", location="bottom", aspect=40, fraction=0.05)
    return list(axes.flat[: len(hands)])


def local_periods(hands, first=0):
    """Draw how the speed of each hand changes along the curve: its period here over its average period.

    Only hands that have a period and make two rounds or more; each point of a line covers half a round of its hand, but
    at least 20 steps. The label is the average period. first: the position of the curve's first point.

    >>> from tutorial_lib.geometry import clock_hands
    >>> t = np.arange(60) / 3
    >>> ax = local_periods(clock_hands(np.stack([np.cos(t), np.sin(t)], axis=1), 2))
    >>> bool(abs(ax.lines[0].get_ydata() - 1).max() < 0.01), ax.lines[0].get_label()
    (True, 'period 18.8')
    """
    _, ax = plt.subplots(figsize=(7.2, 3.4))
    for hand, color, style in zip(hands, COLORS, ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), "-")):
        if hand.rounds < 2 or np.isnan(hand.period):
            continue
        n = len(hand.angles)
        average = (n - 1) / hand.rounds
        window = max(20, round(average / 2))
        turned = (hand.angles[window:] - hand.angles[:-window]) / (2 * np.pi)
        middle = first + np.arange(n - window) + window / 2
        ax.plot(middle, window / turned / average, color=color, linestyle=style, label=f"period {average:.1f}")
    ax.set(xlabel="position", ylabel="period here / average")
    if ax.lines:
        ax.legend()
    return ax


def loop_bars(curves):
    """Draw the life of each loop, from birth to death: one row for each of `curves` (label -> (m, 2), longest first).

    The longest is a heavy line, with its two distances next to it; the others are thin lines, stacked.

    >>> ax = loop_bars({"a square": [[1.0, 1.41]]})
    >>> ax.texts[0].get_text(), [label.get_text() for label in ax.get_yticklabels()]
    ('1.00 to 1.41', ['a square'])
    """
    _, ax = plt.subplots(figsize=(7.2, 0.9 + 0.42 * len(curves)))
    for row, loops in enumerate(curves.values()):
        loops = as_array(loops)
        born, dead = loops[1 + loops[1:, 0].argsort()].T
        ax.hlines(row + np.linspace(0.4, -0.4, len(born)), born, dead, color=ROLES["the rest"], linewidth=0.4)
        born, dead = loops[0]
        ax.hlines(row, born, dead, color=COLORS[0], linewidth=4)
        ax.annotate(f"{born:.2f} to {dead:.2f}", (dead, row), (6, 0), textcoords="offset points", va="center")
    ax.set(xlabel="distance at which points are joined, in steps", yticks=range(len(curves)), yticklabels=[*curves])
    ax.margins(x=0.16)
    ax.invert_yaxis()
    return ax
