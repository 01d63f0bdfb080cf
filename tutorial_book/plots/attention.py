"""Figures of the chapter "Attention by hand": similarity, scaling, softmax, and R's toy example matrix by matrix.

Sources: R 5-8 (figure 2 is `named_points`), L 2.1.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator

from tutorial_book.plots.base import COLORS, ON_DEEP, ON_PALE, ROLES, SIGNED, TINTS, as_array, heatmap
from tutorial_book.plots.cells import cells, short
from tutorial_book.plots.parts import arrow, dotted, note, panel_grid, write

PLATE = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
PAINTED = 'key (the query is "painted")'


def similarity_maps(q, keys, reach=3.0):
    """Draw two maps of the plane: the dot product with q, and the cosine with q. keys: name -> point, in both.

    Along a level line the value is constant: lines across q for the dot product, rays from 0 for the cosine.

    >>> [ax.get_title() for ax in similarity_maps([2, 1], {"a": [1, 1]})]
    ['dot product with q', 'cosine with q']
    """
    q, keys = as_array(q), {name: as_array(key) for name, key in keys.items()}
    if q.shape != (2,) or any(key.shape != (2,) for key in keys.values()):
        raise ValueError(f"q and keys must have 2 coordinates, got {q.shape} and {[k.shape for k in keys.values()]}")
    grid = np.stack(np.meshgrid(*[np.linspace(-reach, reach, 240)] * 2), -1)  # (240, 240, 2)
    dots = grid @ q
    maps = {"dot product with q": dots, "cosine with q": dots / (np.linalg.norm(grid, axis=-1) * np.linalg.norm(q))}
    _, axes = panel_grid(2, size=(8.4, 3.8), sharex=True, sharey=True)
    for ax, (title, values) in zip(axes, maps.items()):
        most = np.abs(values).max()
        image = ax.contourf(grid[..., 0], grid[..., 1], values, np.linspace(-most, most, 15), cmap=SIGNED)
        ax.figure.colorbar(image, ax=ax, ticks=MaxNLocator(7))
        ax.set(title=title, aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
        for name, point in {"q": q, **keys}.items():
            arrow(ax, (0, 0), point, ON_PALE, path_effects=[withStroke(linewidth=3, foreground=ON_DEEP)])
            side = "left" if point[0] >= 0 else "right"
            is_above = q[0] * point[1] - q[1] * point[0] > 0  # the line of q
            offset = 6 * np.sign(point[0]), 6 if is_above else -6
            value = q @ point / (np.linalg.norm(q) * np.linalg.norm(point) if title.startswith("cosine") else 1)
            said = name if name == "q" else f"{name}: {value:.2g}".replace("-", "−")
            height = "bottom" if is_above else "top"
            note(ax, said, point, offset, ha=side, va=height, fontsize=10, weight="bold", bbox=PLATE)
    return axes


def one_row(query, keys, values, names, asks):
    """Draw one query against all keys in seven columns of small matrices, from the keys to the output.

    query: (d_k,). keys: (n, d_k). values: (n, d_v). names: the n tokens. asks: the query's token.

    >>> axes = one_row([2.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], ["dog", "barks"], "barks")
    >>> [text.get_text() for text in axes[4].texts]
    ['.80', '.20']
    """
    query, keys, values = map(as_array, (query, keys, values))
    d_k = len(query)
    products = keys @ query
    powers = np.exp(products / np.sqrt(d_k))
    weights = powers / powers.sum()
    columns = {
        "key k": (keys, {"tint": TINTS["key"], "names": names}),
        "q·k": (products[:, None], {}),
        f"÷√{d_k}": ((products / np.sqrt(d_k))[:, None], {}),
        "e to that": (powers[:, None], {}),
        "a": (weights[:, None], {"weights": True}),
        "× v": (values, {"tint": TINTS["value"]}),
        "= term": (weights[:, None] * values, {}),
    }
    figure, axes = plt.subplots(2, len(columns), figsize=(8.2, 0.55 * len(keys) + 1.5), height_ratios=[len(keys), 1])
    figure.phone = {"columns": len(columns), "panel_height": 1.0}
    for ax, (title, (matrix, look)) in zip(axes[0], columns.items()):
        _tinted(ax, matrix, title, **look)
    longest = (max(len(number.get_text()) for number in ax.texts) for ax in axes[0])
    widths = [matrix.shape[1] * max(1, 0.45 * digits) for (matrix, _), digits in zip(columns.values(), longest)]
    axes[0, 0].get_gridspec().set_width_ratios([max(1.4, width) for width in widths])  # needed for a title
    for ax in axes[1]:
        ax.axis("off")
    _tinted(axes[1, 0], query[None], f"query q of “{asks}”", TINTS["query"])
    _tinted(axes[1, -1], (weights @ values)[None], "sum: output", TINTS["attention"])
    for ax in axes[1, [0, -1]]:
        ax.axis("on")
    return axes[0]


def _tinted(ax, matrix, title, tint=None, **look):
    """Draw `cells` on a tint, which is dark in the dark theme: there the numbers turn white."""
    if tint:
        look["columns"] = [tint] * matrix.shape[1]
    cells(ax, matrix, title, **look)
    for number in ax.texts if tint else ():
        number.set_color("black")


def softmax_steps(z):
    """Draw softmax in three panels of bars: the scores, their exponentials, and each one's share of the sum.

    >>> [ax.get_title() for ax in softmax_steps([1.0, 2.0])]
    ['scores z', '$e^z$, sum 10.11', 'weights: shares']
    """
    z = as_array(z)
    powers = np.exp(z)
    _, axes = panel_grid(3, size=(8.2, 2.1))
    axes[0].figure.phone = {"columns": 3, "panel_height": 2.0}
    titles = "scores z", f"$e^z$, sum {powers.sum():.2f}", "weights: shares"
    colors = "#AAAAAA", "#AAAAAA", ROLES["attention"]
    for ax, title, values, color in zip(axes, titles, (z, powers, powers / powers.sum()), colors):
        _bars_with_numbers(ax, values, [f"$z_{i}$" for i in range(1, len(z) + 1)], color, title)
    axes[0].spines["bottom"].set_visible(False)
    axes[0].axhline(0, color="black", linewidth=0.8)  # a score may lie below it
    return axes


def softmax_cases(cases):
    """Draw the weights that softmax makes of several sets of scores, one panel each. cases: list of scores.

    >>> [ax.get_title() for ax in softmax_cases([[1.0, 2.0], [10.0, 20.0]])]
    ['1, 2', '10, 20']
    """
    _, axes = panel_grid(len(cases), size=(8.2, 2.1), sharey=True)
    axes[0].figure.phone = {"columns": 2, "panel_height": 1.9}
    for ax, z in zip(axes, cases):
        z = as_array(z)
        powers = np.exp(z - z.max())
        names = [short(value) for value in z]
        _bars_with_numbers(ax, powers / powers.sum(), names, ROLES["attention"], ", ".join(names), "{:.2f}")
        ax.set_ylim(0, 1.18)
    return axes


def _bars_with_numbers(ax, values, names, color, title, form=None):
    bars = ax.bar(names, as_array(values), 0.7, color=color)
    ax.bar_label(bars, [form.format(value) if form else short(value) for value in values], padding=2)
    ax.set(title=title, yticks=[])
    ax.margins(y=0.16)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="x", length=0)


def one_query(weights):
    """Draw the weights of one query on its keys, a row of panels for each name, a column for each width.

    weights: name -> d_k -> (n,). The keys are in the order of their weight.

    >>> axes = one_query({"plain": {4: [0.25, 0.75]}})
    >>> axes[0].get_title()
    'plain, $d_k = 4$'
    """
    columns = max(map(len, weights.values()))
    _, axes = panel_grid(columns * len(weights), columns, size=(8.4, 0.5), each=(0, 1.55), sharex=True, sharey=True)
    axes[0].figure.phone = {"columns": columns, "panel_height": 1.4}
    colors = COLORS[1], COLORS[0]
    panels = ((name, d_k, row, color) for (name, of_width), color in zip(weights.items(), colors)
              for d_k, row in of_width.items())  # fmt: skip
    for ax, (name, d_k, row, color) in zip(axes, panels):
        row = np.sort(as_array(row))[::-1]
        ax.bar(range(1, len(row) + 1), row, 0.8, color=color)
        note(ax, short(row[0]), (0.6, row[0]), (0, 7), fontsize=10)
        ax.set(title=f"{name}, $d_k = {d_k}$", ylim=(0, 1.3), yticks=[0, 1], xticks=[])
    for ax in axes[-columns:]:
        ax.set_xlabel(f"{len(row)} keys, by weight")
    return axes


def weight_and_effect(weight, share, length):
    """Draw [CLS] layer by layer: its weight, its share of the update, and its value's length compared with others.

    >>> left, right = weight_and_effect([0.5, 0.6], [0.1, 0.2], [0.3, 0.4])
    >>> [text.get_text() for text in left.texts]
    ['weight', 'share of what is moved']
    """
    _, (left, right) = panel_grid(2, size=(8.4, 3.1), xlabel="layer")
    for values, name, color, marker in (
        (weight, "weight", ROLES["attention"], "o"),
        (share, "share of what is moved", ROLES["value"], "s"),
    ):
        values = as_array(values)
        left.plot(values, marker=marker, color=color)
        at = len(values) // 2 - 1
        note(left, name, (at, values[at]), (0, 11), fontsize=10, ha="center")
    left.set(title="[CLS]: its weight, and what it moves", ylim=(0, 1))
    right.bar(range(len(length)), as_array(length), 0.6, color=ROLES["value"])
    dotted(right, 1)
    note(right, "1: as long as others'", (len(length) - 0.5, 1), (0, 8), fontsize=10, ha="right")
    right.set(title="length of its value, relative to others'", ylim=(0, 1.3))
    for ax in (left, right):
        ax.set_xticks(range(len(length)))
    return left, right


def variances(d_k, plain, scaled):
    """Draw the variance of q.k and of q.k / sqrt(d_k), measured for each d_k (dots), and the theory's (lines).

    >>> ax = variances([1, 4], plain=[1.1, 3.9], scaled=[1.1, 1.0])
    >>> ax.get_xlabel()
    '$d_k$ (coordinates of a query)'
    """
    d_k = as_array(d_k)
    _, ax = plt.subplots(figsize=(7.2, 3.5))
    ax.plot(d_k, d_k, color=COLORS[1])
    ax.plot(d_k, as_array(plain), "o", color=COLORS[1])
    ax.plot(d_k, np.ones_like(d_k), color=COLORS[0])
    ax.plot(d_k, as_array(scaled), "s", color=COLORS[0])
    at = len(d_k) // 2
    note(ax, r"$q\cdot k$", (d_k[at], d_k[at]), (-10, 8), fontsize=10, ha="right")
    note(ax, r"$q\cdot k\,/\sqrt{d_k}$", (d_k[at], 1), (0, 14), fontsize=10, ha="center")
    ax.set_xscale("log", base=2)
    ax.set(yscale="log", xlabel="$d_k$ (coordinates of a query)", ylabel="variance")
    ax.set_title("variance: theory (lines), measured (marks)")
    return ax


def named_points(points, names, pairs=(), shares=None):
    """Draw points in the plane with their names; pairs: index pairs to join by a line with their distance.

    shares: the share of the variance along each axis, for the axes' names.

    >>> named_points([[0, 0], [3, 4]], ["a", "b"], pairs=[(0, 1)]).texts[-1].get_text()
    '5.00'
    """
    points = as_array(points)
    _, ax = plt.subplots(figsize=(5.6, 4.2))
    for i, j in pairs:
        ax.plot(*points[[i, j]].T, color=COLORS[1], linestyle="--", zorder=1)
    ax.scatter(*points.T, color=COLORS[0], zorder=2)
    for name, point in zip(names, points):
        note(ax, name, point, (6, 5), fontsize=10, va="baseline")
    for i, j in pairs:
        distance = np.linalg.norm(points[i] - points[j])
        write(ax, *points[[i, j]].mean(0), f"{distance:.2f}", color=COLORS[1], fontsize=9, bbox=PLATE)
    labels = ["principal component 1", "principal component 2"]
    if shares is not None:
        labels = [f"{label} ({share:.0%} of the variance)" for label, share in zip(labels, shares)]
    ax.set(xlabel=labels[0], ylabel=labels[1], aspect="equal")
    ax.margins(0.16)
    return ax


def _plain_heatmap(matrix, ax, title, **labels):
    """Draw a heatmap whose cells contain their numbers, so that it needs no color bar and no ticks."""
    heatmap(matrix, ax=ax, title=title, diverging=False, **labels)
    ax.images[0].colorbar.remove()
    if labels.get("columns") is None:
        ax.set_xticks([])
    if labels.get("rows") is None:
        ax.set_yticks([])
