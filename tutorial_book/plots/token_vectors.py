"""Figures of the chapter on the cloud of token vectors. Sources: L 4.2, 4.2.2 (Figures 10 to 12)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, as_array
from tutorial_book.plots.parts import bare, draw_curve, legend_below, plate, write

MARKERS = "osD^v"


def words_in_place(places, words, most=60):
    """Points in the plane, and the names of as many as have room, the first first.

    places: (n, 2). words: a name for each, the most important first. most: names at most.

    >>> ax = words_in_place([[0, 0], [0.01, 0], [1, 1]], ["one", "two", "three"])
    >>> [text.get_text() for text in ax.texts]
    ['one', 'three']
    """
    places = as_array(places)
    figure, ax = plt.subplots(figsize=(8.2, 4.9))
    figure.phone = {"panel_height": 4.6}
    ax.plot(*places.T, "o", color="#B8B8B8", markersize=2.5)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.margins(0.06)
    bare(ax)
    extent = np.ptp(places, axis=0).max()
    room = extent * np.array([0.023, 0.05])  # of a letter on a phone: its width and its height
    taken = []
    for place, word in zip(places, words):
        half = np.array([len(word), 1]) * room / 2
        if len(taken) < most and all((abs(place - other) > half + its).any() for other, its in taken):
            taken.append((place, half))
            write(ax, *place, word, fontsize=9.5, color=COLORS[0], bbox=plate(0.3))
    return ax


def norms_along_ids(norms, kinds, window=200):
    """Draw norms of vectors in the order of their ids: each kind's median of `window` neighbors, with the middle 80 %.

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
    """Draw the distribution of all pairs' cosines, on a log axis, with the ends expected for random directions.

    cosines: those of a sample. extremes: (lowest, highest) of all pairs. n_pairs: how many pairs the sample represents.
    The dashed curve is a normal distribution around 0 with standard deviation 1 / √d_model.

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
