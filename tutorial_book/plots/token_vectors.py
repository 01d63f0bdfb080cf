"""Figures of the chapter on the cloud of token vectors. Sources: L 4.2, 4.2.2 (Figures 10 to 12)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import LINES, draw_curve, draw_outlines, legend_below, panel_grid

MEASURES = {"norms": "norm", "distances": "distance of a pair", "dots": "dot product", "cosines": "cosine"}
TO_MEAN = {
    "distances": "distance from the mean",
    "cosines": "cosine with the mean",
    "dots": "dot product with the mean",
    "norms": "norm",
}
MARKERS = "osD^v"


def four_distributions(measured, bins=50):
    """Outlines of lengths, distances, dot products and cosines, one for each entry (label -> `Distributions`).

    bins: for the pairs; lengths, which are fewer, get half as many. Each outline has area 1, so that collections of
    different sizes compare. An empty array is left out: pairs between two collections have no lengths of their own.

    >>> from tutorial_lib.geometry import distributions
    >>> axes = four_distributions({"axes": distributions(np.eye(3) + 1)})
    >>> [ax.get_xlabel() for ax in axes]
    ['norm', 'distance of a pair', 'dot product', 'cosine']
    """
    _, axes = panel_grid(4, 2, size=(7.4, 4.2))
    for ax, (measure, name) in zip(axes, MEASURES.items()):
        values = {label: as_array(getattr(one, measure)) for label, one in measured.items()}
        every = np.concatenate(list(values.values()))
        edges = np.linspace(every.min(), every.max() + 1e-9, (bins // 2 if measure == "norms" else bins) + 1)
        draw_outlines(ax, values, edges)
        ax.set(xlabel=name, ylabel="density")
        if measure == "cosines" and every.min() < 0 < every.max():
            ax.axvline(0, color="black", linewidth=0.6)
    legend_below(axes[-1], ncols=len(measured))
    return axes


def variance_curves(curves, share=0.9):
    """How much variance the first directions hold together, one curve for each entry (label -> `spectrum`).

    A dot marks where a curve reaches the share. Source: L Figure 11 (b).

    >>> ax = variance_curves({"a plane": [0.6, 0.4]})
    >>> ax.lines[0].get_ydata().tolist(), ax.get_legend().get_texts()[0].get_text()
    ([60.0, 100.0], 'a plane: 2 for 90 %')
    """
    _, ax = plt.subplots(figsize=(6.8, 2.8))
    for color, line, (label, shares) in zip(COLORS, LINES, curves.items()):
        total = 100 * np.cumsum(as_array(shares))
        at = int(np.argmax(total >= 100 * share - 1e-9))
        name = f"{label}: {at + 1} for {100 * share:g} %"
        ax.plot(range(1, len(total) + 1), total, line, color=color, label=name)
        ax.plot(at + 1, total[at], "o", color=color)
    ax.axhline(100 * share, color="0.6", linewidth=0.8, zorder=0)
    ax.set(xscale="log", xlabel="number of directions", ylabel="variance in them (%)", ylim=(0, 103))
    ax.legend(loc="lower right")
    return ax


def norms_along_ids(norms, kinds, window=200):
    """Norms of vectors in the order of their ids: each kind's median of `window` neighbors, with the middle 80 %.

    norms: (n,). kinds: n names, at most five different ones; kinds with fewer than `window` ids get one dot with a bar.

    >>> ax = norms_along_ids(np.linspace(2, 1, 30), ["a"] * 20 + ["b"] * 10, window=20)
    >>> [text.get_text() for text in ax.figure.legends[0].get_texts()]
    ['a', 'b']
    """
    norms, kinds = as_array(norms), np.asarray(kinds)
    _, ax = plt.subplots(figsize=(7.2, 3.2))
    for color, marker, kind in zip(COLORS, MARKERS, dict.fromkeys(kinds.tolist())):
        ids = np.flatnonzero(kinds == kind)
        parts = np.array_split(ids, max(1, len(ids) // window))
        x = [np.median(part) for part in parts]
        low, middle, high = np.transpose([np.percentile(norms[part], [10, 50, 90]) for part in parts])
        look = {"color": color, "marker": marker, "markersize": 4, "markevery": max(1, len(x) // 12)}
        draw_curve(ax, (middle, low, high), x, label=kind, **look)
        if len(parts) == 1:
            ax.errorbar(x, middle, [middle - low, high - middle], color=color, capsize=3)
    ax.set(xlabel="token id", ylabel="norm", ylim=(0, None))
    legend_below(ax, ncols=3)
    return ax


def cosine_tails(cosines, extremes, d_model, n_pairs):
    """How many of all pairs have which cosine, on a log axis, with the ends that random directions would have.

    cosines: those of a sample. extremes: (lowest, highest) of all pairs. n_pairs: how many pairs the sample stands
    for. The dashed curve is a normal distribution around 0 with standard deviation 1 / √d_model.

    >>> ax = cosine_tails([0.1, -0.1, 0.0], (-0.2, 0.9), d_model=100, n_pairs=1000)
    >>> ax.get_yscale(), len(ax.lines)
    ('log', 3)
    """
    cosines = as_array(cosines)
    width = 0.01
    edges = np.arange(-1, 1 + width / 2, width)
    middle = (edges[1:] + edges[:-1]) / 2
    counts = np.histogram(cosines, edges)[0] * n_pairs / len(cosines)
    _, ax = plt.subplots(figsize=(7.2, 3.0))
    ax.stairs(counts, edges, color=COLORS[0], linewidth=1.6, label="tokens (from a sample)")
    normal = n_pairs * width * np.sqrt(d_model / (2 * np.pi)) * np.exp(-d_model * middle**2 / 2)
    normal = np.where(normal < 0.5, np.nan, normal)
    ax.plot(middle, normal, "--", color="0.35", label=f"random directions, d = {d_model}")
    places = ((-0.02, 0.8, "right"), (0.02, 0.8, "left"))  # left and right of the outline
    for name, value, (aside, height, align) in zip(("most opposed", "most similar"), extremes, places):
        ax.plot([value, value], [0.5, 30], color=COLORS[1])
        text = f"{name}\n{value:.2f}".replace(" ", "\n").replace("-", "−")
        ax.annotate(text, (value + aside, height), ha=align, va="bottom", fontsize=9)
    ax.set(yscale="log", ylim=(0.5, 3 * counts.max()), xlim=(-0.85, 1.3))
    ax.set(xlabel="cosine of a pair", ylabel=f"pairs in {width} of cosine")
    ax.legend(loc="upper right")
    return ax


def mean_histograms(measured, marked, bins=80):
    """The four columns of `to_mean` as histograms, their means dashed, and some tokens marked (name -> row).

    Source: L Figure 12.

    >>> from tutorial_lib.geometry import to_mean
    >>> axes = mean_histograms(to_mean(np.eye(3) + 1), {"first": 0})
    >>> [ax.get_xlabel() for ax in axes]
    ['distance from the mean', 'cosine with the mean', 'dot product with the mean', 'norm']
    """
    _, axes = panel_grid(4, 2, size=(7.4, 4.2))
    for ax, (field, name) in zip(axes, TO_MEAN.items()):
        values = as_array(getattr(measured, field))
        ax.hist(values, bins, color=COLORS[0], alpha=0.45)
        ax.axvline(values.mean(), color="0.25", linestyle="--", linewidth=1.2)
        ax.set_title(f"mean {values.mean():.3f}", fontsize=9)
        for color, marker, (token, at) in zip(COLORS[1:], MARKERS, marked.items()):
            height = 0.04 * ax.get_ylim()[1]
            ax.plot(values[at], height, marker, color=color, markeredgecolor="black", markersize=7, label=token)
        ax.set(xlabel=name, ylabel="tokens")
    legend_below(axes[0], ncols=len(marked))
    return axes
