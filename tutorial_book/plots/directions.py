"""Figures of the chapter on directions: lengths of rows, round trips, confidence, the lens, a plane of two tokens.

Sources: N 1.2, 3.3, 5, 6 and 7.
"""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, as_array, heatmap, ink_on
from tutorial_book.plots.charts import groups
from tutorial_book.plots.parts import LINES, legend_below, note, panel_grid, write

LOOK = {"markers": "os^v", "lines": LINES, "linewidth": 1.6, "markersize": 4}


def row_lengths(lengths, counts):
    """Draw how long the tokens' vectors are: two outlines (seen, unseen), and length against count.

    lengths, counts: one for each token; a token of count 0 is unseen. Source: N 5.

    >>> axes = row_lengths([1.0, 1.2, 2.9], [40, 3, 0])
    >>> [ax.get_xlabel() for ax in axes]
    ['length', 'times in the stories']
    """
    lengths, counts = as_array(lengths), as_array(counts)
    if lengths.shape != counts.shape or lengths.ndim != 1:
        raise ValueError(f"lengths and counts must have the same length, got {lengths.shape} and {counts.shape}")
    seen = counts > 0
    _, (left, right) = panel_grid(2, size=(7.6, 2.7))
    edges = np.linspace(0, 1.05 * lengths.max(), 40)
    for chosen, name, color, style in ((seen, "seen", COLORS[0], "-"), (~seen, "unseen", COLORS[1], "--")):
        left.hist(lengths[chosen], edges, histtype="step", color=color, linestyle=style, linewidth=1.8, label=name)
    left.set(xlabel="length", ylabel="tokens")
    right.plot(counts[seen], lengths[seen], "o", markersize=2.5, alpha=0.5, color=COLORS[0])
    if (~seen).any():
        low, high = np.quantile(lengths[~seen], [0.05, 0.95])
        right.axhspan(low, high, color=COLORS[1], alpha=0.25, linewidth=0)
        beside = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "baseline", "color": COLORS[1]}
        note(right, "unseen", (0.98, high), (0, 2), **beside)
    right.set(xscale="log", xlabel="times in the stories", ylabel="length", ylim=(0, 1.12 * lengths.max()))
    legend_below(left)
    return [left, right]


def bundle_map(kinds, names):
    """Draw points in the plane by kind (label -> (n, 2)), and a cross at 0. names: text -> position.

    >>> ax = bundle_map({"seen": [[0, 1]], "unseen": [[3, 0]]}, {"boat": [0, 1]})
    >>> [text.get_text() for text in ax.texts]
    ['boat']
    """
    labels = np.repeat(list(kinds), [len(points) for points in kinds.values()])
    [ax] = groups({"": np.concatenate(list(kinds.values()))}, labels, axes=("direction 1", "direction 2"))
    ax.plot(0, 0, "+", ms=14, mew=2, color="black")
    for name, point in names.items():
        note(ax, name, point, (4, 3))
    return ax


def lens(tops, probabilities, tokens, layers):
    """Draw each layer's prediction: a cell for each token (row) and layer (column).

    tops: texts (n_layers, n), the likeliest token; probabilities: (n_layers, n), its probability, which is the color.
    tokens: the n texts that are read. layers: n_layers names. Source: N 7.

    >>> ax = lens([["a", "b"], ["b", "b"]], [[0.2, 0.9], [0.5, 1.0]], ["x", "y"], ["1", "2"])
    >>> [text.get_text() for text in ax.texts]
    ['a', 'b', 'b', 'b']
    """
    P = as_array(probabilities)
    if P.shape != (len(layers), len(tokens)):
        raise ValueError(f"probabilities must be ({len(layers)}, {len(tokens)}), a row per layer, got {P.shape}")
    fig, ax = plt.subplots(figsize=(6.6, 0.26 * len(tokens) + 0.8))
    heatmap(P.T, tokens, layers, ax, limits=(0, 1), label="probability", diverging=False)
    for (i, j), p in np.ndenumerate(P):
        write(ax, i, j, tops[i][j], fontsize=8.5, color=ink_on(ax.images[0], p))
    ax.set(xlabel="layers done", ylabel="what is read")
    fig.phone = {"panel_height": 0.26 * len(tokens) + 0.8}
    return ax


def plane(plane_of_two, paths, names, layers):
    """Draw paths of states through the layers in the plane of two tokens, and the tokens' directions.

    plane_of_two: a `geometry.TokenPlane`. paths: name -> coordinates (n_layers, 2) in it. names: of the two tokens.
    layers: n_layers names, written along the first path. On the dotted line both tokens have the same score. Source: N
    6.

    >>> from tutorial_lib.geometry import token_plane
    >>> both = token_plane([0.0, 2.0, 0.0], [3.0, 1.0, 0.0])
    >>> ax = plane(both, {"one": [[0.0, 0.0], [4.0, 1.0]]}, ["a", "b"], ["0", "1"])
    >>> [text.get_text() for text in ax.texts]
    ['a', 'b', 'same score', '0', '1']
    """
    tokens, paths = as_array(plane_of_two.tokens), {name: as_array(path) for name, path in paths.items()}
    corners = np.concatenate(list(paths.values()))
    reach = 1.1 * np.linalg.norm(corners, axis=1).max()
    fig, ax = plt.subplots(figsize=(6.8, 4.2))
    low = np.minimum(corners.min(0), 0) - 0.08 * reach
    high = np.maximum(corners.max(0), 0) + 0.14 * reach
    both = tokens[0] - tokens[1]  # at right angles to the line of equal scores
    between = np.array([-both[1], both[0]]) / np.linalg.norm(both)
    between = between * np.sign(between @ tokens.sum(0))
    for u, text, color, style in (
        (tokens[0] / np.linalg.norm(tokens[0]), names[0], "black", "-"),
        (tokens[1] / np.linalg.norm(tokens[1]), names[1], "black", "-"),
        (between, "same score", ROLES["the rest"], ":"),
    ):
        ends = np.where(u > 0, high, low) / np.where(np.abs(u) < 1e-9, np.nan, u)
        end = 0.94 * np.nanmin(ends) * u
        ax.plot([0, end[0]], [0, end[1]], style, color=color, linewidth=1.2)
        note(ax, text, end, (3, 3), color=color, ha="right", va="bottom")
    for (name, path), color, marker, line in zip(paths.items(), COLORS, LOOK["markers"], LINES):
        ax.plot(*path.T, color=color, marker=marker, linestyle=line, markersize=5, label=name)
    for point, layer in zip(next(iter(paths.values())), layers, strict=True):
        note(ax, layer, point, (0, -5), color=COLORS[0], fontsize=8, ha="center", va="top")
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.set(xlabel=f"along{names[0]}", ylabel=f"across, toward{names[1]}")
    legend_below(ax, ncols=len(paths))
    fig.phone = {"panel_height": 3.2}
    return ax
