"""Figures of the BERT chapter: a layer drawn with its shapes, norms on the way, one coordinate, GELU, parameters.

Sources: L 3.2.1 and Figure 5, L 3.3.2; drawn here from a model's own trace and parameters.
"""

import re

import matplotlib.pyplot as plt
import numpy as np
import torch

from tutorial_book.plots.base import COLORS, HAIRLINE, ROLES, SIGNED, TINTS, WEIGHTS, as_array
from tutorial_book.plots.parts import (
    arrow,
    box,
    dotted,
    draw_curve,
    legend_below,
    note,
    panel_grid,
    plate,
    rows,
    ticks,
    write,
)
from tutorial_lib.bert import gelu, relu

LINE = "#444444"
STOPS = (
    *(f"attention.{name}" for name in ("queries", "keys", "values", "scores", "weights", "heads", "concat", "output")),
    *("attention_sum", "attention_norm", "hidden", "activation", "feed_forward", "feed_forward_sum", "output"),
)
SUBLAYERS = ("attention_sum", "attention_norm", "feed_forward_sum", "output")
COMPONENTS = {  # what a parameter's name looks like -> the component that it belongs to; the first that fits counts
    r"^embeddings\.tokens": "token embeddings",
    r"^embeddings\.positions": "position embeddings",
    r"^embeddings\.segments": "segment embeddings",
    r"^(mlm|nsp)\.": "heads",
    r"norm\.": "normalizations",
    r"\.attention\.": "attention",
    r"\.feed_forward\.": "feed forward",
    r"^pooler\.": "pooler",
}


def layer_diagram(trace, i=0):
    """Draw layer i of a model: attention on the left, feed forward on the right, each stop as its own matrix.

    Each matrix carries the name and the shape that the trace has for it. Returns the figure.
    """
    before = "embeddings.output" if i == 0 else f"layer.{i - 1}.output"
    values = {name: as_array(trace[f"layer.{i}.{name}"][0]) for name in STOPS}
    _, axes = panel_grid(2, size=(9.2, 7.2))
    figure = axes[0].figure
    figure.phone = {"columns": 1, "panel_height": 7.6}
    figure.slide = {"size": (10.5, 7)}
    for ax in axes:
        ax.set(xlim=(0, 4.5), ylim=(7.9, -0.15))
        ax.axis("off")

    def matrix(ax, x, y, array, width, height=0.3, cmap=SIGNED, limit=3.0, low=None):
        at = (x - width / 2, x + width / 2, y + height / 2, y - height / 2)
        low = -limit if low is None else low
        ax.imshow(array, cmap=cmap, vmin=low, vmax=limit, extent=at, aspect="auto", interpolation="nearest")
        box(ax, x, y, width, height, fill=False, edgecolor=LINE, lw=0.6)

    def heads(ax, x, y, array, width, height, **look):  # (h, n, m): side by side, with a gap between two
        each = width / len(array)
        for k, head in enumerate(array):
            matrix(ax, x - width / 2 + (k + 0.5) * each, y, head, 0.86 * each, height, **look)

    def says(ax, x, y, name, ha="left", **look):
        shape = tuple(trace[name if name == before else f"layer.{i}.{name}"].shape)
        shown = before if name == before else name.rpartition(".")[2]
        ax.text(x, y, f"{shown}\n{shape}", ha=ha, va="center", fontsize=9.5, linespacing=1.15, **look)

    def chain(ax, x, places, **options):  # arrows down from one height to the next
        for top, bottom in places:
            _arrow(ax, (x, top), (x, bottom), **options)

    def skip(ax, edge, top, bottom, middle):
        ax.plot([edge, 0.15, 0.15], [top, top, bottom], color=LINE, lw=1.2)
        _arrow(ax, (0.15, bottom), (x - 0.2, bottom))
        write(ax, 0.15, middle, "kept as it is", rotation=90, fontsize=9.5, bbox=plate())

    left, right = axes
    x, value_line = 1.75, 4.1
    left.set_title("Attend, add, normalize")
    matrix(left, x, 0.2, as_array(trace[before][0]), 1.2)
    says(left, x + 0.7, 0.2, before, weight="bold")
    inputs = ((0.95, "Q", "query", "queries"), (2.2, "K", "key", "keys"), (3.75, "V", "value", "values"))
    for place, letter, kind, name in inputs:
        _arrow(left, (x + 0.15 * (place - x), 0.36), (place, 0.74))
        _box(left, place, 0.88, f"$W_{letter}$", kind, 0.7, 0.28)
        _arrow(left, (place, 1.02), (place, 1.22))
        heads(left, place, 1.37, values[f"attention.{name}"], 1.1, 0.3)
    says(left, 0.95, 1.72, "attention.queries", ha="center")
    says(left, 2.2, 1.72, "attention.keys", ha="center")
    says(left, 3.4, 1.72, "attention.values", ha="center")
    for place in (0.95, 2.2):
        _arrow(left, (place, 1.93), (place, 2.15))
    _box(left, x - 0.2, 2.3, r"$Q K^\top / \sqrt{d_k}$", "attention", 1.9)
    heads(left, x - 0.2, 2.78, values["attention.scores"], 2.1, 0.17, limit=8)
    says(left, x + 0.95, 2.78, "attention.scores")
    _box(left, x - 0.2, 3.22, "softmax over the keys", "attention", 1.9)
    heads(left, x - 0.2, 3.7, values["attention.weights"], 2.1, 0.17, limit=0.6, low=0, cmap=WEIGHTS)
    says(left, x + 0.95, 3.7, "attention.weights")
    _arrow(left, (value_line, 1.52), (value_line, 4.01))
    _box(left, 2.45, 4.16, "weights times values, in each head", "attention", 3.7)
    heads(left, x, 4.64, values["attention.heads"], 1.2, 0.3, limit=1)
    says(left, x + 0.7, 4.64, "attention.heads")
    _box(left, x, 5.1, "heads side by side", "attention", 1.9)
    matrix(left, x, 5.56, values["attention.concat"], 1.2, limit=1)
    says(left, x + 0.7, 5.56, "attention.concat")
    _box(left, x, 6.0, "$W_O$", "attention", 0.7, 0.28)
    matrix(left, x, 6.42, values["attention.output"], 1.2, limit=1)
    says(left, x + 0.7, 6.42, "attention.output")
    _box(left, x, 6.83, "+", "the rest", 0.36, 0.28)
    matrix(left, x, 7.22, values["attention_sum"], 1.2)
    says(left, x + 0.7, 7.22, "attention_sum")
    _box(left, x, 7.66, "LayerNorm", "the rest", 1.3)
    chain(left, x - 0.2, [(2.45, 2.68), (2.88, 3.07), (3.37, 3.6), (3.8, 4.01)])
    chain(
        left,
        x,
        [
            (4.31, 4.49),
            (4.79, 4.95),
            (5.25, 5.41),
            (5.71, 5.86),
            (6.14, 6.27),
            (6.57, 6.69),
            (6.97, 7.07),
            (7.37, 7.51),
        ],
    )
    skip(left, x - 0.6, 0.2, 6.83, 5.6)
    _arrow(left, (x + 0.65, 7.66), (x + 1.0, 7.66))
    left.text(x + 1.05, 7.66, "to feed forward", va="center", fontsize=9.5)

    x = 2.42
    token, loud = divmod(np.abs(values["feed_forward"]).argmax(), values["feed_forward"].shape[1])
    right.set_title("Feed forward, add, normalize")

    def largest(y, name):  # where the largest number of the feed-forward part stands, before it and behind it
        left_end, n = x - 0.5, values[name].shape
        at = (left_end + (loud + 0.5) / n[1], y - 0.15 + 0.3 * (token + 0.5) / n[0])
        right.plot(*at, "o", ms=6, mfc="none", mec=COLORS[1], mew=1.3)
        text = f"token {token}, coordinate\n{loud}: {values[name][token, loud]:.1f}"
        right.text(left_end - 0.08, y, text, ha="right", va="center", fontsize=9.5, linespacing=1.15)

    matrix(right, x, 0.2, values["attention_norm"], 1.0)
    says(right, x + 0.58, 0.2, "attention_norm")
    widths = {"hidden": 4.1, "activation": 4.1}
    steps = [
        (0.98, "$W_1$", "feed forward", 0.7, 1.55, "hidden"),
        (2.5, "activation", "feed forward", 1.3, 3.05, "activation"),
        (4.0, "$W_2$", "feed forward", 0.7, 4.56, "feed_forward"),
        (5.1, "+", "the rest", 0.36, 5.64, "feed_forward_sum"),
        (6.2, "LayerNorm", "the rest", 1.3, 6.74, "output"),
    ]
    end = 0.35
    for y, text, kind, width, place, name in steps:
        _arrow(right, (x, end), (x, y - 0.15))
        _box(right, x, y, text, kind, width)
        _arrow(right, (x, y + 0.15), (x, place - 0.15))
        matrix(right, x, place, values[name], widths.get(name, 1.0))
        wide = name in widths
        if not wide:
            largest(place, name)
        look = {"weight": "bold"} if name == "output" else {}
        says(right, x + (0.12 if wide else 0.58), place + (0.36 if wide else 0), name, **look)
        end = place + 0.15
    below = f"to layer {i + 1}" if f"layer.{i + 1}.output" in trace else "the model's output"
    _arrow(right, (x, end), (x, 7.4))
    skip(right, x - 0.5, 0.2, 5.1, 2.42)
    write(right, x, 7.55, below, weight="bold", fontsize=10)
    return figure


def norms_by_sublayer(trace, n_layers):
    """Draw the length of the vectors through all sub-layers: [CLS] (the first token), and the range of all others."""
    stops = ["embeddings.output"] + [f"layer.{i}.{name}" for i in range(n_layers) for name in SUBLAYERS]
    lengths = np.array([np.linalg.norm(as_array(trace[stop][0]), axis=-1) for stop in stops])  # (stops, n)
    _, ax = plt.subplots(figsize=(6.4, 4.2))
    for i in range(0, n_layers, 2):
        ax.axvspan(4 * i + 0.5, 4 * i + 4.5, color="#F2F2F2", lw=0)
    beside = [(-7, 3), (-7, 3), (0, 6), (0, -12)]  # points by which the number of a stop stands off its dot
    for k, (name, offset) in enumerate(zip(SUBLAYERS, beside, strict=True), 1):
        note(ax, str(k), (k, lengths[k, 0]), offset, ha="center", va="baseline", fontsize=8)
        ax.plot([], [], " ", label=f"{k}  {name}")  # first: a column of the legend for the stops, one for the lines
    ax.axhline(np.sqrt(trace[stops[0]].shape[-1]), color=LINE, ls=":", lw=1.2, label=r"$\sqrt{d_{model}}$")
    ax.plot(lengths[:, 0], "o-", ms=4, color=ROLES["[CLS]"], label="[CLS]")
    others = lengths[:, 1:]
    values = (others.mean(1), others.min(1), others.max(1))
    draw_curve(ax, values, color=COLORS[0], marker="s", ms=3.5, label="other tokens: mean, and range")
    ax.set(yscale="log", ylabel="length of the vector (log scale)", xlim=(-0.5, len(stops) - 0.5))
    ticks(ax.yaxis, [5, 10, 20, 50, 100, 200])
    ax.set_xticks([0, *(4 * i + 2.5 for i in range(n_layers))], ["emb.", *(f"layer {i}" for i in range(n_layers))])
    ax.tick_params(axis="x", length=0)
    ax.legend(ncols=2, fontsize=8, loc="lower center", bbox_to_anchor=(0.48, 1))
    return ax


def triangles(X, update, names):
    """Draw for some tokens the triangle of what came in, the update and their sum, with its true lengths and angles.

    X, update: (n, d_model). Returns the figure.
    """
    X, update = as_array(X), as_array(update)
    figure, axes = panel_grid(len(names), size=(9.2, 1.9), sharex=True, sharey=True)
    figure.phone = {"columns": 1, "panel_height": 1.6}
    looks = (ROLES["embeddings"], ROLES["attention"], ROLES["[CLS]"])
    for ax, name, x, u in zip(axes, names, X, update, strict=True):
        length, along = np.linalg.norm(x), u @ x / np.linalg.norm(x)
        tip = (along, np.sqrt(max(u @ u - along**2, 0)))
        end = (length + tip[0], tip[1])
        turned = np.degrees(np.arctan2(end[1], end[0]))
        for start, stop, color in zip(((0, 0), (length, 0), (0, 0)), ((length, 0), end, end), looks):
            arrow(ax, start, stop, color, lw=2)
        note(ax, f"{length:.1f}", (length / 2, 0), (0, -9), ha="center", fontsize=10)
        note(ax, f"{np.linalg.norm(u):.1f}", (length + tip[0] / 2, tip[1] / 2), (5, -3), fontsize=10)
        note(ax, f"{np.linalg.norm(x + u):.1f}", (end[0] / 2, end[1] / 2), (-4, 9), ha="center", fontsize=10)
        ax.set_title(f"{name}, turned by {turned:.0f}°", fontsize=10)
        ax.set(xlim=(-0.5, 15.5), ylim=(-1.4, 3.9), aspect="equal")
        ax.axis("off")
    for label, color in zip(("what came in", "the update", "their sum"), looks):
        axes[0].plot([], [], color=color, lw=2, label=label)
    legend_below(axes[0], 3, fontsize=10)
    return figure


def normalizing(x):
    """Draw a few numbers on their way through LayerNorm: as they are, less their mean, over their deviation.

    Returns the figure.
    """
    x = as_array(x)
    centered = x - x.mean()
    steps = {
        "four numbers": x,
        f"less their mean, {x.mean():g}": centered,
        f"divided by their deviation, {x.std():.2f}": centered / x.std(),
    }
    figure, axes = panel_grid(3, size=(9.2, 2.2), sharey=True)
    figure.phone = {"columns": 1, "panel_height": 1.6}
    for ax, (title, values) in zip(axes, steps.items()):
        ax.bar(np.arange(len(x)), values, 0.6, color=COLORS[0])
        ax.axhline(0, color=LINE, lw=0.8)
        dotted(ax, values.mean(), color=LINE)
        for k, value in enumerate(values):
            shown, above = f"{value:.2f}".rstrip("0").rstrip("."), 7 if value >= 0 else -8
            note(ax, shown, (k, value), (0, above), ha="center", fontsize=10)
        ax.set_title(title, fontsize=10)
        ax.set(ylim=(centered.min() - 1.3, x.max() + 1.3), xticks=[], xlabel=f"length {np.linalg.norm(values):.2f}")
        ax.spines["bottom"].set_visible(False)
    return figure


def lengths_through_norm(stops, names, called):
    """Draw the length of each token's vector from stop to stop: a dict from stop to (n, d_model).

    names: the n tokens; called: those of them whose lines are named. Returns the axes.
    """
    lengths = np.array([np.linalg.norm(as_array(X), axis=1) for X in stops.values()])  # (stops, n)
    figure, ax = plt.subplots(figsize=(7.4, 2.5))
    figure.phone = {"panel_height": 2.6}
    for k, name in enumerate(names):
        look = {"color": ROLES["[CLS]"], "zorder": 3, "lw": 1.8} if name in called else {"color": COLORS[0], "lw": 0.9}
        ax.plot(lengths[:, k], "o-", ms=3.5, **look)
        if name in called:
            note(ax, name, (len(stops) - 1, lengths[-1, k]), (8, 0), fontsize=10)
    ax.set_xticks(range(len(stops)), stops)
    ax.set(xlim=(-0.3, len(stops) - 0.6), ylim=(0, lengths.max() * 1.1), ylabel="length of the vector")
    return ax


def activations(hidden):
    """Draw GELU beside ReLU, and below them where the numbers lie that a layer gives to it. Returns the figure."""
    hidden = as_array(hidden).ravel()
    x = torch.linspace(-4, 4, 401)
    figure, (left, right) = panel_grid(2, size=(9.2, 2.6))
    left.plot(x, relu(x), "--", color=COLORS[1], label="ReLU")
    left.plot(x, gelu(x), color=COLORS[0], label="GELU")
    left.axhline(0, color=LINE, lw=0.6)
    note(left, "GELU", (2.0, 1.95), (12, -14), color=COLORS[0], fontsize=10)
    note(left, "ReLU", (1.35, 1.35), (-10, 8), color=COLORS[1], fontsize=10, ha="right")
    lowest = (float(x[gelu(x).argmin()]), float(gelu(x).min()))
    note(left, f"lowest: {lowest[1]:.2f}", lowest, (-4, -12), ha="right", fontsize=10)
    left.set(xlabel="x", ylabel="activation(x)", ylim=(-0.9, 4.1))
    left.set_title("A corner, rounded off", fontsize=10)
    bins = np.linspace(-4, 4, 81)
    counts, _, bars = right.hist(hidden, bins, color=TINTS["feed forward"])
    for bar, edge in zip(bars, bins):
        bar.set_facecolor(ROLES["feed forward"] if edge >= -1e-9 else TINTS["feed forward"])
    below = (hidden < 0).mean()
    right.text(-3.9, counts.max() * 0.9, f"{below:.0%} below 0:\nnearly silenced", fontsize=10, va="center")
    right.text(3.9, counts.max() * 0.55, f"{1 - below:.0%} above 0:\npassed on", fontsize=10, va="center", ha="right")
    right.set(xlabel="what comes in", ylabel="numbers of the hidden layer")
    right.set_title("What arrives at it in layer 0", fontsize=10)
    return figure


def one_neuron(values, row, tokens, coordinate, neuron):
    """Draw a neuron: its value at each token, and the row of W_2 that it writes, with their product at one coordinate.

    values: (n,), of the tokens; row: (d_model,). Returns the figure.
    """
    values, row = as_array(values), as_array(row)
    figure, (left, right) = panel_grid(2, size=(9.2, 3.7), width_ratios=(1, 1.25))
    figure.phone = {"columns": 1, "panel_height": 3.3}
    left.barh(range(len(tokens)), values, 0.7, color=ROLES["feed forward"])
    rows(left, tokens)
    left.tick_params(axis="y", labelsize=9.5)
    loudest = int(np.abs(values).argmax())
    note(left, f"{values[loudest]:.2f}", (values[loudest], loudest), (4, 0), fontsize=10)
    left.set(xlabel="its value", xlim=(0, values.max() * 1.25))
    left.set_title(f"When neuron {neuron} fires", fontsize=10)
    right.vlines(np.arange(len(row)), 0, row, color=COLORS[0], lw=1.4)
    others = np.abs(np.delete(row, coordinate)).max()
    note(right, f"coordinate {coordinate}: {row[coordinate]:.3f}", (coordinate, row[coordinate]), (8, -4), fontsize=10)
    note(right, f"no other beyond {others:.2f}", (len(row) * 0.62, 0), (0, 12), ha="center", fontsize=10)
    product = f"{values[loudest]:.2f} × {row[coordinate]:.3f}\n= {values[loudest] * row[coordinate]:.1f}"
    right.text(0.58, 0.55, product, transform=right.transAxes, fontsize=13, weight="bold", va="center")
    right.set(xlabel="coordinate", ylabel="what it writes", ylim=(min(row.min(), 0) - 0.5, row.max() * 1.12))
    right.set_title("What it writes: its row of $W_2$", fontsize=10)
    return figure


def where_norms_stand():
    """Draw the attention half of a layer of a post-LN and of a pre-LN model, from left to right. Returns the figure."""
    figure, axes = panel_grid(2, size=(9.2, 1.55))
    figure.phone = {"columns": 1, "panel_height": 1.5}
    designs = {
        "post-LN, as BERT: the sum is normalized": (("Attention", "+", "LN"), 1),
        "pre-LN, as GPT-2: the sum runs through": (("LN", "Attention", "+"), 2),
    }
    for ax, (title, (parts, plus)) in zip(axes, designs.items()):
        ax.set(xlim=(0, 4.5), ylim=(1.25, 0.1))
        ax.axis("off")
        ax.set_title(title, fontsize=10)
        write(ax, 0.15, 0.9, "$X$", fontsize=11)
        end = 0.3
        for k, part in enumerate(parts):
            width = {"Attention": 1.1, "LN": 0.55}.get(part, 0.36)
            middle = end + 0.52 + width / 2
            _arrow(ax, (end, 0.9), (middle - width / 2, 0.9))
            _box(ax, middle, 0.9, part, "attention" if part == "Attention" else "the rest", width, 0.36)
            if k == plus:
                ax.plot([0.5, 0.5, middle], [0.9, 0.35, 0.35], color=LINE, lw=1.2)
                _arrow(ax, (middle, 0.35), (middle, 0.72))
            end = middle + width / 2
        _arrow(ax, (end, 0.9), (end + 0.45, 0.9))
    return figure


def heads_on_top(tokens, follows, hidden, likeliest, sizes):
    """Draw the parts above the last layer: pooler and NSP head from [CLS], the MLM head from a hidden token.

    tokens: of the text; follows: probability that the second text follows; hidden: place of a [MASK]; likeliest:
    pairs of token and probability there; sizes: (d_model, vocabulary size). Returns the figure.
    """
    d_model, n_tokens = sizes
    figure, axes = panel_grid(2, size=(9.2, 3.2))
    figure.phone = {"columns": 1, "panel_height": 3.5}
    nsp = ("One answer for the pair of texts", 0, ("pooler", "NSP head"), (f"{d_model} numbers", "2 scores"))
    mlm = ("One answer for each hidden token", hidden, ("MLM head",), (f"{n_tokens:,} scores",))
    answers = ([("follows", follows), ("does not", 1 - follows)], likeliest)
    for ax, (title, place, parts, behind), bars in zip(axes, (nsp, mlm), answers):
        ax.set(xlim=(0, 4.5), ylim=(4.0, 0.35))
        ax.axis("off")
        ax.set_title(title, fontsize=10)
        around = range(max(0, place - 1), min(len(tokens), place + 3)) if place else range(4)
        for k, i in enumerate(around):
            _box(ax, 0.67 + k, 3.75, tokens[i], "attention" if i == place else "the rest", 0.92, 0.34)
        for more, end in ((around[0] > 0, 0.05), (around[-1] < len(tokens) - 1, 0.29 + len(around))):
            if more:  # the text goes on
                write(ax, end, 3.75, "…", fontsize=10)
        x = 0.67 + around.index(place)
        step, top, says = 2.13 / (len(parts) + 1), 3.58, (f"its last vector, {d_model} numbers", *behind)
        for k, said in enumerate(says):
            below = top - k * step
            _arrow(ax, (x, below - 0.34 * (k > 0)), (x, below - step))
            note(ax, said, (x, below - 0.34 * (k > 0) / 2 - step / 2), (7, 0), fontsize=10)
            if k < len(parts):
                _box(ax, x, below - step - 0.17, parts[k], "embeddings", 1.32, 0.34)
        for k, (name, share) in enumerate(bars):
            height = 1.28 - 0.3 * (len(bars) - 1 - k)
            ax.text(1.0, height, name, ha="right", va="center", fontsize=10)
            ax.barh(height, 2.4 * share, 0.2, left=1.1, color=COLORS[0])
            note(ax, f"{share:.0%}", (1.1 + 2.4 * share, height), (5, 0), fontsize=10)
    return figure


def training_input(tokens, seen, asked, segments):
    """Draw an input for training: each token, what the model sees in its place, and what it must name.

    asked: bool for each token; segments: 0 or 1 for each token, a panel for each. Returns the figure.
    """
    figure, axes = panel_grid(2, size=(9.2, 3.0))
    figure.phone = {"columns": 1, "panel_height": 2.7}
    figure.slide = {"size": (7.6, 3.1)}
    kinds = {"hidden": "attention", "replaced": "value", "kept": "feed forward"}
    longest = max(segments.count(0), segments.count(1))
    for segment, ax in enumerate(axes):
        ax.set(xlim=(0, 4.5), ylim=(longest + 0.4, -1.0))
        ax.axis("off")
        ax.set_title(f"Segment {segment}", fontsize=10)
        for x, head in ((0.9, "the text"), (2.35, "what it sees"), (3.8, "what it must name")):
            write(ax, x, -0.6, head, fontsize=10, style="italic")
        places = [i for i, s in enumerate(segments) if s == segment]
        for y, i in enumerate(places):
            write(ax, 0.9, y + 0.3, tokens[i], fontsize=10)
            if asked[i]:
                kind = "hidden" if seen[i] == "[MASK]" else "kept" if seen[i] == tokens[i] else "replaced"
                box(ax, 2.35, y + 0.3, 1.2, 0.86, facecolor=TINTS[kinds[kind]], edgecolor=LINE, lw=0.8)
                _arrow(ax, (1.35, y + 0.3), (1.74, y + 0.3))
                _arrow(ax, (2.96, y + 0.3), (3.32, y + 0.3))
                write(ax, 3.8, y + 0.3, tokens[i], fontsize=10, weight="bold")
            write(ax, 2.35, y + 0.3, seen[i], fontsize=10)
    return figure


def thousand_tokens(kinds):
    """Draw 1,000 tokens as small squares, by what becomes of each: a dict from label to how many. Returns the axes."""
    figure, ax = plt.subplots(figsize=(9.2, 2.3))
    across = 50
    colors = (HAIRLINE, ROLES["attention"], ROLES["value"], ROLES["feed forward"])
    k = 0
    for (label, count), color in zip(kinds.items(), colors):
        for j in range(k, k + round(count)):
            box(ax, j % across, j // across, 0.82, 0.82, facecolor=color, edgecolor="none")
        ax.plot([], [], "s", ms=8, color=color, mec=LINE, mew=0.4, label=f"{round(count)} {label}")
        k += round(count)
    ax.set(xlim=(-0.7, across - 0.3), ylim=(k / across - 0.3, -0.7))
    ax.axis("off")
    ax.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1), fontsize=10, handletextpad=0.3, columnspacing=1.4)
    return ax


def parameters_by_component(table):
    """Add up a `parameter_table` by component: a dict from component to count, in the order of COMPONENTS.

    Raises ValueError for a parameter that belongs to none. Source: L 3.3.2.

    >>> parameters_by_component([("embeddings.tokens.weight", (10, 4), 40), ("layer.0.norm.weight", (4,), 4)])
    {'token embeddings': 40, 'normalizations': 4}
    """
    counts = dict.fromkeys(COMPONENTS.values(), 0)
    for name, _, count in table:
        part = next((part for pattern, part in COMPONENTS.items() if re.search(pattern, name)), None)
        if part is None:
            raise ValueError(f"table holds {name}, which belongs to none of {', '.join(counts)}")
        counts[part] += count
    return {part: count for part, count in counts.items() if count}


def _box(ax, x, y, text, kind, width, height=0.3):
    box(ax, x, y, width, height, facecolor=TINTS[kind], edgecolor=LINE, lw=1)
    write(ax, x, y, text, fontsize=10)


def _arrow(ax, start, end, **look):
    arrow(ax, start, end, LINE, **{"lw": 1.2, "mutation_scale": 9} | look)
