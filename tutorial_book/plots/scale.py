"""Figures of the chapter on corpora past one machine: two clouds merged, errors of sums, layers, workers, a plan.

Source: Chan, Golub and LeVeque 1983 (two parts together).
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

from tutorial_book.plots.base import ROLES, as_array
from tutorial_lib.geometry import Cloud

FIRST, SECOND, OTHERS = ROLES["first text"], ROLES["second text"], ROLES["the rest"]
MARKS = {1 / 24: "hour", 1: "day", 30: "month", 365: "year"}  # in days


def merged(first, second):
    """Two clouds in the plane, (n, 2) each, with their means and ellipses, and those of both together; the axes.

    An ellipse reaches two standard deviations in each direction. The arrow leads from mean to mean.

    >>> ax = merged([[0, 0], [1, 1], [0, 1]], [[4, 0], [5, 1], [4, 1]])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['first half', 'second half', 'merged']
    """
    first, second = (as_array(X) for X in (first, second))
    clouds = [Cloud(2).add(X) for X in (first, second)]
    ax = plt.subplots(figsize=(6.6, 3.4))[1]
    for X, cloud, color, marker, label in zip((first, second, None), (*clouds, clouds[0] + clouds[1]),
                                              (FIRST, SECOND, "black"), "os*",
                                              ("first half", "second half", "merged")):  # fmt: skip
        if X is not None:
            ax.plot(*X.T, marker, ms=2.5, color=color, alpha=0.35, mew=0)
        variances, axes = np.linalg.eigh(cloud.covariance)
        angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
        ax.add_patch(Ellipse(cloud.mean, *(4 * np.sqrt(variances[::-1])), angle=angle, fill=False, color=color,
                             linestyle="-" if X is None else "--", linewidth=1.8))  # fmt: skip
        ax.plot(*cloud.mean, marker, ms=13 if X is None else 8, color=color, mec="white", label=label, zorder=4)
    ax.annotate("", clouds[1].mean, clouds[0].mean, arrowprops={"arrowstyle": "->", "linewidth": 1.5, "shrinkA": 6,
                                                                "shrinkB": 6})  # fmt: skip
    ax.set(aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
    ax.autoscale_view()
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return ax


def errors(means, found):
    """Relative errors of a variance against the mean of the numbers, both logarithmic. Returns the axes.

    found: name -> errors, one for each mean. Where the error is 1, no digit is right: the dotted line.

    >>> ax = errors([1, 10], {"naive": [1e-7, 1e-5], "shifted": [1e-8, 1e-8]})
    >>> [line.get_label() for line in ax.lines[:2]]
    ['naive', 'shifted']
    """
    ax = plt.subplots(figsize=(6.6, 3.2))[1]
    for (label, values), color, marker in zip(found.items(), (SECOND, FIRST), "os"):
        ax.plot(means, as_array(values), color=color, marker=marker, label=label)
    ax.axhline(1, color=OTHERS, linestyle=":", linewidth=1.5)
    ax.annotate("no digit is right", (means[0], 1), (0, 4), textcoords="offset points", fontsize=9)
    ax.set(xscale="log", yscale="log", xlabel="mean of the numbers (their standard deviation is 1)")
    ax.set_ylabel("relative error\nof the variance")
    ax.set_xticks(means, [f"{mean:,.0f}" for mean in means])
    ax.set_xticks([], minor=True)
    ax.figure.legend(loc="outside lower center", ncols=2)
    return ax


def by_layer(layers, measures):
    """Measures of each layer, as measures.json has them; a panel for each, from its name -> title. Returns the axes.

    Hollow markers, dashed: without the coordinates that are far larger than the others, where there are any.

    >>> [ax] = by_layer({"0": {"anisotropy": 0.5}, "1": {"anisotropy": 0.9, "rest": {"anisotropy": 0.4}}},
    ...                 {"anisotropy": "anisotropy"})
    >>> [line.get_ydata().tolist() for line in ax.lines]
    [[0.5, 0.9], [0.5, 0.4]]
    """
    fig, axes = plt.subplots(1, len(measures), figsize=(7.6, 3.0), squeeze=False)
    fig.phone = {"columns": 1, "panel_height": 1.9}
    for ax, (name, title) in zip(axes[0], measures.items()):
        ax.plot(list(layers), [layer[name] for layer in layers.values()], "o-", color=FIRST, label="all coordinates")
        ax.plot(list(layers), [layer.get("rest", layer)[name] for layer in layers.values()], "s--", color=SECOND,
                mfc="none", label="without the largest")  # fmt: skip
        ax.set(title=title, xlabel="layer", ylim=(0, None))
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return axes[0]


def rates(runs):
    """Texts a second against threads, as `speed.scaling` has the runs: median, lowest, highest. Returns the axes.

    The dotted line is what so many times one worker would be. Open: one worker, with as many threads.

    >>> ax = rates([{"workers": n, "threads": 1, "texts_per_second": [10 * n, 12 * n]} for n in (1, 2)])
    >>> ax.lines[1].get_ydata().tolist()
    [11.0, 22.0]
    """
    ax = plt.subplots(figsize=(5.6, 3.2))[1]
    single = [run for run in runs if run["threads"] == 1]
    one = np.median(next(run["texts_per_second"] for run in single if run["workers"] == 1))
    most = max(run["workers"] * run["threads"] for run in runs)
    ax.plot([0, most], [0, most * one], ":", color=OTHERS, label="so many times one")
    several = [(single, "o-", FIRST, "workers with one thread each")]
    if others := [run for run in runs if run["threads"] > 1]:
        several.append((others, "s", SECOND, "one worker, as many threads"))
    for group, style, color, label in several:
        x = [run["workers"] * run["threads"] for run in group]
        found = [run["texts_per_second"] for run in group]
        y = [float(np.median(each)) for each in found]
        ax.plot(x, y, style, color=color, mfc=color if group is single else "white", label=label)
        ax.vlines(x, [min(each) for each in found], [max(each) for each in found], color=color, linewidth=2, alpha=0.5)
    ax.set(xlabel="threads in all", ylabel="texts per second", xlim=(0, most + 0.3), ylim=(0, None))
    ax.set_xticks(range(most + 1))
    ax.figure.legend(loc="outside lower center", ncols=1)
    return ax


def days(machines, seconds):
    """How long each model takes on so many machines: a dot each on a logarithmic axis of time. Returns the axes.

    seconds: name -> seconds of one machine. The axis stays the same from 1 machine to 1,000.

    >>> ax = days(10, {"small": 864_000, "large": 8_640_000})
    >>> [text.get_text() for text in ax.texts]
    ['1 day', '10 days']
    """
    took = [value / machines / 86_400 for value in seconds.values()]
    ax = plt.subplots(figsize=(6.6, 0.55 * len(took) + 1.4))[1]
    for x in MARKS:
        ax.axvline(x, color=OTHERS, linestyle=":", linewidth=1)
    ax.plot(took, range(len(took)), "o", color=FIRST, markersize=9)
    for y, value in enumerate(took):
        ax.annotate(told(value), (value, y), (9, 0), textcoords="offset points", va="center", fontsize=9)
    low, high = min(seconds.values()) / 86_400_000, max(seconds.values()) / 86_400
    ax.set(xscale="log", xlim=(0.5 * low, 20 * high), ylim=(len(took) - 0.4, -0.6),
           title=f"{machines:,} machine" + "s" * (machines > 1))  # fmt: skip
    ax.set_yticks(range(len(took)), seconds)
    ax.set_xticks([x for x in MARKS if low < x < 20 * high], [MARKS[x] for x in MARKS if low < x < 20 * high])
    ax.set_xticks([], minor=True)
    ax.tick_params(axis="y", length=0)
    return ax


def told(days):
    """A time in words, in the unit that suits it.

    >>> told(800), told(1), told(0.25)
    ('2.2 years', '1 day', '6 hours')
    """
    for unit, size in (("year", 365.25), ("day", 1), ("hour", 1 / 24), ("minute", 1 / 1440)):
        if days >= 1.95 * size or unit == "minute" or (unit == "day" and days >= 0.95):
            number = f"{days / size:.2g}" if days / size < 100 else f"{days / size:,.0f}"
            return f"{number} {unit}" + "s" * (number != "1")
