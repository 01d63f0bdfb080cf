"""Figures of the chapter on the shape of clouds: anisotropy, TwoNN's line, dimension against scale, layer profiles.

Sources: A 2.3, 2.4, 4.1.
"""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import MARKERS, draw_curve, panel_grid, ticks
from tutorial_lib.geometry import anisotropy, average_cosine, intrinsic_dimension, neighbor_ratios


def flat_clouds(clouds, reach=None):
    """Points in the plane with the origin marked, a panel for each entry (title -> (n, 2)).

    Below each title stand the cloud's anisotropy and average cosine. reach: how far the axes go, so that several such
    figures can be compared; default: as far as the points.

    >>> [ax] = flat_clouds({"a line": [[1, 1], [2, 2], [3, 3]]})
    >>> ax.get_title().splitlines()
    ['a line', 'anisotropy 1.00', 'average cosine 1.00']
    """
    _, axes = panel_grid(len(clouds), size=(0, 2.9), each=(2.2, 0))
    reach = reach or 1.05 * max(np.abs(as_array(X)).max() for X in clouds.values())
    for ax, (title, X) in zip(axes, clouds.items()):
        X = as_array(X)
        ax.plot(*X.T, ".", ms=3, color=COLORS[0], alpha=0.6, mew=0)
        ax.plot(0, 0, "+", ms=12, mew=2, color=COLORS[1])
        cosine = round(average_cosine(X), 2) + 0.0  # no "-0.00"
        numbers = f"anisotropy {anisotropy(X):.2f}\naverage cosine {cosine:.2f}"
        ax.set(aspect="equal", xlim=(-reach, reach), ylim=(-reach, reach), xticks=[0], yticks=[0])
        ax.set_title(f"{title}\n{numbers}", fontsize=9)
    return axes


def ratio_lines(clouds, discard=0.1):
    """TwoNN's plane, log(mu) against -log(1 - F), for each entry (label -> points), with the fitted line.

    Filled markers are what the line is fitted to, hollow ones are the share `discard` of largest ratios.

    >>> ax = ratio_lines({"plane": np.random.default_rng(0).random((200, 2))})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['plane: slope 2.0']
    """
    _, ax = plt.subplots(figsize=(6.8, 3.3))
    for color, marker, (label, X) in zip(COLORS, MARKERS, clouds.items()):
        x = np.log(neighbor_ratios(X))
        N, kept = len(x), int(len(x) * (1 - discard))
        y = -np.log(1 - np.arange(1, N) / N)  # the last would be infinite
        slope = intrinsic_dimension(X, discard=discard)
        look = {"color": color, "marker": marker, "ls": "", "ms": 4}
        ax.plot(x[:kept], y[:kept], **look)
        ax.plot(x[kept:-1], y[kept:], mfc="none", **look)
        end = min(x[-2], y[-1] / slope)
        ax.plot([0, end], [0, slope * end], color=color, label=f"{label}: slope {slope:.1f}")
    ax.set(xlabel="log(μ) = log(r2 / r1)", ylabel="-log(1 - F(μ))", xlim=(0, 2.5), ylim=(0, 6))
    ax.legend()
    return ax


def dimension_curves(x, clouds, xlabel, levels=None, log_y=False):
    """Intrinsic dimension against a quantity on a log axis, one line for each entry (label -> values).

    Values are a row, or several rows of repeats: then the line is their mean and the band their range. levels: known
    dimensions (label -> number), dashed.

    >>> ax = dimension_curves([1, 10], {"helix": [[1.0, 3.0], [1.2, 2.8]]}, "noise", levels={"a curve": 1})
    >>> [line.get_label() for line in ax.lines], ax.lines[0].get_ydata().tolist()
    (['helix', 'a curve'], [1.1, 2.9])
    """
    _, ax = plt.subplots(figsize=(6.8, 3.6))
    _draw_repeats(ax, clouds, x)
    for label, dimension in (levels or {}).items():
        ax.axhline(dimension, ls="--", lw=1, color="#595959", label=label)
    ax.set(xscale="log", xlabel=xlabel, ylabel="intrinsic dimension (TwoNN)")
    if len(x) < 7:
        ticks(ax.xaxis, x, "{}")
    if log_y:
        ax.set_yscale("log")
        low, high = ax.get_ylim()
        ticks(ax.yaxis, [tick for tick in (1, 2, 5, 10, 20, 50, 100) if low <= tick <= high])
    else:
        ax.set_ylim(bottom=0)
    ax.legend(bbox_to_anchor=(1, 1), loc="upper left", fontsize=9)
    return ax


def layer_profiles(panels, relative=False):
    """A panel for each measure (title -> {label -> values by layer}), one line each.

    Values are a row, or several rows of repeats: then the line is their mean and the band their range. relative:
    layers as shares of the depth, so that models of different depth fit one axis.

    >>> [ax] = layer_profiles({"anisotropy": {"all tokens": [[0.1, 0.2], [0.1, 0.4]]}})
    >>> ax.get_title(), ax.lines[0].get_ydata().round(1).tolist()
    ('anisotropy', [0.1, 0.3])
    """
    depth = "share of the depth" if relative else "layer"
    fig, axes = panel_grid(len(panels), size=(0, 3.0), each=(2.9, 0), xlabel=depth)
    for ax, (title, lines) in zip(axes, panels.items()):
        _draw_repeats(ax, lines, relative=relative)
        ax.set_title(title)
        ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower left", ncols=min(3, len(labels)), fontsize=9)
    return axes


def _draw_repeats(ax, entries, x=None, relative=False):
    """A line for each entry, label -> (len(x),) or (repeats, len(x)): the mean of repeats, with a band for their range.
    """
    for (label, values), color, marker in zip(entries.items(), COLORS, MARKERS):
        values = np.atleast_2d(as_array(values))
        places = np.arange(values.shape[1]) / (values.shape[1] - 1 if relative else 1) if x is None else x
        band = (values.min(0), values.max(0)) if len(values) > 1 else ()
        draw_curve(ax, (values.mean(0), *band), places, shade=0.25, color=color, marker=marker, ms=4, label=label)
