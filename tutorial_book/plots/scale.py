"""Figures of the chapter on corpora past one machine: two clouds merged, errors of sums, layers, workers, a plan.

Source: Chan, Golub and LeVeque 1983 (two parts together).
"""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import ROLES, as_array
from tutorial_book.plots.parts import arrow, dotted, ellipse, legend_below, note, rows
from tutorial_lib.geometry import Cloud

FIRST, SECOND, OTHERS = ROLES["first text"], ROLES["second text"], ROLES["the rest"]
MARKS = {1 / 24: "hour", 1: "day", 30: "month", 365: "year"}  # in days


def merged(first, second):
    """Draw two clouds in the plane, (n, 2) each, with their means and ellipses, and those of both together.

    An ellipse reaches two standard deviations in each direction. The arrow points from mean to mean.

    >>> ax = merged([[0, 0], [1, 1], [0, 1]], [[4, 0], [5, 1], [4, 1]])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['first half', 'second half', 'merged']
    """
    halves = [as_array(first), as_array(second)]
    clouds = [Cloud(2).add(X) for X in halves]
    _, ax = plt.subplots(figsize=(6.6, 3.4))
    for X, color, marker in zip(halves, (FIRST, SECOND), "os"):
        ax.plot(*X.T, marker, ms=2.5, color=color, alpha=0.35, mew=0)
    for cloud, color, line, marker, size, label in (
        (clouds[0], FIRST, "--", "o", 8, "first half"),
        (clouds[1], SECOND, "--", "s", 8, "second half"),
        (clouds[0] + clouds[1], "black", "-", "*", 13, "merged"),
    ):
        ellipse(ax, cloud.mean, cloud.covariance, color=color, linestyle=line)
        ax.plot(*cloud.mean, marker, ms=size, color=color, mec="white", label=label, zorder=4)
    arrow(ax, clouds[0].mean, clouds[1].mean, style="->", linewidth=1.5, shrinkA=6, shrinkB=6)
    ax.set(aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
    ax.autoscale_view()
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def rates(runs):
    """Draw texts per second against threads, from the runs of `stored("scaling")`: median, lowest, highest.

    The dotted line is the rate of one worker times their number. Open marks: one worker, with as many threads.

    >>> ax = rates([{"workers": n, "threads": 1, "texts_per_second": [10 * n, 12 * n]} for n in (1, 2)])
    >>> ax.lines[1].get_ydata().tolist()
    [11.0, 22.0]
    """
    _, ax = plt.subplots(figsize=(5.6, 3.2))
    single = [run for run in runs if run["threads"] == 1]
    one = np.median(next(run["texts_per_second"] for run in single if run["workers"] == 1))
    most = max(run["workers"] * run["threads"] for run in runs)
    ax.plot([0, most], [0, most * one], ":", color=OTHERS, label="linear speedup")
    _draw_rates(ax, single, "o-", color=FIRST, label="workers with one thread each")
    if len(single) < len(runs):
        others = [run for run in runs if run["threads"] > 1]
        _draw_rates(ax, others, "s", color=SECOND, mfc="white", label="one worker, as many threads")
    ax.set(xlabel="threads in all", ylabel="texts per second", xlim=(0, most + 0.3), ylim=(0, None))
    ax.set_xticks(range(most + 1))
    legend_below(ax, ncols=1)
    return ax


def _draw_rates(ax, runs, style, color, **look):
    x = [run["workers"] * run["threads"] for run in runs]
    rates_of_runs = [run["texts_per_second"] for run in runs]
    ax.plot(x, [float(np.median(each)) for each in rates_of_runs], style, color=color, **look)
    lowest, highest = map(min, rates_of_runs), map(max, rates_of_runs)
    ax.vlines(x, list(lowest), list(highest), color=color, linewidth=2, alpha=0.5)


def days(machines, seconds):
    """Draw how long each model takes on this many machines: a dot each on a logarithmic axis of time.

    seconds: name -> seconds of one machine. The axis stays the same from 1 machine to 1,000.

    >>> ax = days(10, {"small": 864_000, "large": 8_640_000})
    >>> [text.get_text() for text in ax.texts]
    ['1 day', '10 days']
    """
    took = [value / machines / 86_400 for value in seconds.values()]
    _, ax = plt.subplots(figsize=(6.6, 0.55 * len(took) + 1.4))
    for x in MARKS:
        dotted(ax, x=x, color=OTHERS)
    ax.plot(took, range(len(took)), "o", color=FIRST, markersize=9)
    for y, value in enumerate(took):
        note(ax, told(value), (value, y), (9, 0))
    rows(ax, seconds)
    low, high = min(seconds.values()) / 86_400_000, max(seconds.values()) / 86_400
    ax.set(xscale="log", xlim=(0.5 * low, 20 * high), title=f"{machines:,} machine" + "s" * (machines > 1))
    shown = {x: name for x, name in MARKS.items() if low < x < 20 * high}
    ax.set_xticks(list(shown), shown.values())
    ax.set_xticks([], minor=True)
    return ax


def told(days):
    """Return a time in words, in a suitable unit.

    >>> told(800), told(1), told(0.25)
    ('2.2 years', '1 day', '6 hours')
    """
    for unit, size in (("year", 365.25), ("day", 1), ("hour", 1 / 24), ("minute", 1 / 1440)):
        if days >= 1.95 * size or unit == "minute" or (unit == "day" and days >= 0.95):
            number = f"{days / size:.2g}" if days / size < 100 else f"{days / size:,.0f}"
            return f"{number} {unit}" + "s" * (number != "1")
