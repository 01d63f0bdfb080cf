"""Figures of the BERT chapter: a layer drawn with its shapes, norms along it, one coordinate, GELU, parameters.

Sources: L 3.2.1 and Figure 5, L 3.3.2; drawn here from a model's own trace and parameters.
"""

import re

import matplotlib.pyplot as plt
import numpy as np
import torch

from tutorial_book.plots.base import COLORS, HAIRLINE, ROLES, TINTS, as_array
from tutorial_book.plots.parts import (
    arrow,
    box,
    dotted,
    legend_below,
    note,
    panel_grid,
    plate,
    rows,
    write,
)
from tutorial_lib.activations import gelu, relu

LINE = "#444444"
ATTEND = (  # steps of a layer: the operation, its role, the name of the resulting value
    ("$Q K^\\top / \\sqrt{d_k}$", "attention", "attention.scores"),
    ("softmax", "attention", "attention.weights"),
    ("weights times values", "attention", "attention.heads"),
    ("heads side by side", "attention", "attention.concat"),
    ("$W_O$", "attention", "attention.output"),
    ("+", "the rest", "attention_sum"),
    ("LayerNorm", "the rest", None),
)
FEED_FORWARD = (
    ("$W_1$", "feed forward", "hidden"),
    ("activation", "feed forward", "activation"),
    ("$W_2$", "feed forward", "feed_forward"),
    ("+", "the rest", "feed_forward_sum"),
    ("LayerNorm", "the rest", "output"),
)
SUBLAYERS = ("attention_sum", "attention_norm", "feed_forward_sum", "output")
COMPONENTS = {  # pattern of a parameter's name -> its component; the first match counts
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
    """Draw layer i of a model: attention on the left, feed forward on the right, with the result of each step.

    Each value has the name and the shape that it has in the trace. Returns the figure.
    """
    before = "embeddings.output" if i == 0 else f"layer.{i - 1}.output"
    written = as_array(trace[f"layer.{i}.feed_forward"][0])
    token, loud = np.unravel_index(np.abs(written).argmax(), written.shape)
    figure, (left, right) = panel_grid(2, size=(9.2, 6.2))
    figure.phone = {"columns": 1, "panel_height": 6.2}
    figure.slide = {"size": (9.2, 6.2)}
    look = {"va": "center", "fontsize": 9.5, "linespacing": 1.15}

    def stop(ax, x, y, name, **more):
        shown = name if name == before else name.removeprefix(f"layer.{i}.").removeprefix("attention.")
        ax.text(x, y, f"{shown}\n{tuple(trace[name].shape)}", **look, **more)

    def flow(ax, x, y, steps):
        for y, (text, kind, name) in enumerate(steps, y):
            _box(ax, x, y, text, kind, {"+": 0.36, "$W_1$": 0.7, "$W_2$": 0.7, "$W_O$": 0.7}.get(text, 1.9))
            _arrow(ax, (x, y + 0.15), (x, y + 0.85))
            if name:
                stop(ax, x + 0.1, y + 0.5, f"layer.{i}.{name}")
            if name in ("feed_forward", "feed_forward_sum", "output"):  # if one number is far larger than all others
                value = trace[f"layer.{i}.{name}"][0, token, loud]
                ax.text(x - 0.1, y + 0.5, f"token {token}, coordinate\n{loud}: {value:.1f}", ha="right", **look)

    def skip(ax, x, top, bottom):
        ax.plot([x, 0.15, 0.15], [top, top, bottom], color=LINE, lw=1.2)
        _arrow(ax, (0.15, bottom), (x - 0.18, bottom))
        write(ax, 0.15, (top + bottom) / 2, "kept as it is", rotation=90, fontsize=9.5, bbox=plate())

    for ax, title in ((left, "Attend, add, normalize"), (right, "Feed forward, add, normalize")):
        ax.set(xlim=(0, 4.5), ylim=(9.1, -0.35), title=title)
        ax.axis("off")
    x = 1.7
    stop(left, x + 0.1, -0.1, before, weight="bold")
    inputs = ((0.8, "Q", "query", "queries"), (2.15, "K", "key", "keys"), (3.45, "V", "value", "values"))
    for place, letter, kind, name in inputs:
        _arrow(left, (x, 0.1), (place, 0.85))
        _box(left, place, 1, f"$W_{letter}$", kind, 0.7)
        if name == "values":
            left.plot([place, place], [1.15, 4], color=LINE, lw=1.2)
            _arrow(left, (place, 4), (x + 0.95, 4))
        else:
            _arrow(left, (place, 1.15), (place, 1.85))
        stop(left, place + 0.1, 1.5, f"layer.{i}.attention.{name}")
    flow(left, x, 2, ATTEND)
    skip(left, x, 0.1, 7)
    write(left, x, 9, "to feed forward", fontsize=10)
    x = 2.3
    stop(right, x + 0.1, 0.5, f"layer.{i}.attention_norm")
    _arrow(right, (x, 0.1), (x, 0.85))
    flow(right, x, 1, FEED_FORWARD)
    skip(right, x, 0.1, 4)
    below = f"to layer {i + 1}" if f"layer.{i + 1}.output" in trace else "the model's output"
    write(right, x, 6, below, weight="bold", fontsize=10)
    return figure


def triangles(X, update, names):
    """Draw, for some tokens, the triangle of input, update and sum, with its true lengths and angles.

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
    """Draw a few numbers through LayerNorm: the input, minus its mean, divided by its deviation.

    Returns the figure.
    """
    x = as_array(x)
    centered = x - x.mean()
    steps = {
        "four numbers": x,
        f"minus their mean, {x.mean():g}": centered,
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
    """Draw the length of each token's vector at each step: a dict from step to (n, d_model).

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
    """Draw GELU and ReLU, and below them the distribution of a layer's inputs to GELU. Returns the figure."""
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
    right.set_title("Its inputs in layer 0", fontsize=10)
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

    tokens: of the text; follows: probability that the second text follows; hidden: position of a [MASK]; likeliest:
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
            if more:  # the text continues
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
    """Draw a training input: each token, its replacement for the model, and the token to be guessed.

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
    """Draw 1,000 tokens as small squares, by their fate: a dict from label to count. Returns the axes."""
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
            raise ValueError(f"table contains {name}, which belongs to none of {', '.join(counts)}")
        counts[part] += count
    return {part: count for part, count in counts.items() if count}


def _box(ax, x, y, text, kind, width, height=0.3):
    box(ax, x, y, width, height, facecolor=TINTS[kind], edgecolor=LINE, lw=1)
    write(ax, x, y, text, fontsize=10)


def _arrow(ax, start, end, **look):
    arrow(ax, start, end, LINE, **{"lw": 1.2, "mutation_scale": 9} | look)
