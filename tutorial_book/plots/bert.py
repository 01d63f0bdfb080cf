"""Figures of the BERT chapter: a layer drawn with its shapes, norms on the way, one coordinate, GELU, parameters.

Sources: L 3.2.1 and Figure 5, L 3.3.2; drawn here from a model's own trace and parameters.
"""

import re

import matplotlib.pyplot as plt
import numpy as np
import torch

from tutorial_book.plots.base import COLORS, ON_PALE, ROLES, TINTS, as_array
from tutorial_book.plots.parts import arrow, box, draw_curve, note, panel_grid, plate, ticks, write
from tutorial_lib.bert import gelu, relu

LINE = "#444444"
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
    """Draw layer i of a model from top to bottom; each arrow carries the name and the shape that the trace has for it.

    On the left runs what is kept and added back (twice), on the right what is computed from it.
    """

    def says(name, between="  "):
        return name.rpartition(".")[2] + between + str(tuple(trace[f"layer.{i}.{name}"].shape))

    _, ax = plt.subplots(figsize=(5.6, 8.8))
    ax.set(xlim=(0, 10), ylim=(23.4, -0.5))
    ax.axis("off")
    start = "embeddings.output" if i == 0 else f"layer.{i - 1}.output"
    write(ax, 5.2, 0, f"{start}  {tuple(trace[start].shape)}", weight="bold", bbox=plate())
    inputs = ((2.6, "Q", "query", "queries"), (5.4, "K", "key", "keys"), (8.4, "V", "value", "values"))
    for x, letter, kind, name in inputs:
        _arrow(ax, (5.2, 0.35), (x, 1.3))
        _box(ax, x, 1.7, f"$W_{letter}$", kind, 1.6)
        _arrow(ax, (x, 2.1), (x, 3.4 if letter in "QK" else 6.6))
        ax.text(x + 0.12, 2.75, says(f"attention.{name}", "\n"), va="center", fontsize=7.8)
    chain = [  # (height, text, kind, width, what leaves the box downwards)
        (3.8, r"$Q K^\top / \sqrt{d_k}$", "attention", 5.0, "attention.scores"),
        (5.4, "softmax over the keys", "attention", 5.0, "attention.weights"),
        (7.0, "weights times values, in each head", "attention", 7.6, "attention.heads"),
        (8.6, "heads side by side", "attention", 5.0, "attention.concat"),
        (10.2, "$W_O$", "attention", 5.0, "attention.output"),
        (11.8, "+", "the rest", 0.8, "attention_sum"),
        (13.4, "LayerNorm", "the rest", 5.0, "attention_norm"),
        (15.0, "$W_1$", "feed forward", 5.0, "hidden"),
        (16.6, "activation", "feed forward", 5.0, "activation"),
        (18.2, "$W_2$", "feed forward", 5.0, "feed_forward"),
        (19.8, "+", "the rest", 0.8, "feed_forward_sum"),
        (21.4, "LayerNorm", "the rest", 5.0, "output"),
    ]
    for y, text, kind, width, name in chain:
        _box(ax, 5.7 if width > 6 else 4.2, y, text, kind, width)
        _arrow(ax, (4.2, y + 0.4), (4.2, y + 1.2))
        ax.text(4.4, y + 0.78, says(name), va="center", fontsize=8, weight="bold" if name == "output" else None)
    for top, bottom in ((0.0, 11.8), (14.1, 19.8)):
        ax.plot([2.2 if top == 0 else 4.2, 0.6, 0.6], [top, top, bottom], color=LINE, lw=1.2)
        _arrow(ax, (0.6, bottom), (3.8, bottom))
        ax.text(0.4, (top + bottom) / 2, "kept as it is", rotation=90, ha="right", va="center", fontsize=9)
    below = f"to layer {i + 1}" if f"layer.{i + 1}.output" in trace else "the model's output"
    write(ax, 4.2, 23.0, below, weight="bold")
    return ax


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


def largest_coordinates(vectors, limits=None):
    """Draw vectors as their coordinates, one panel each: a dict from title to vector.

    limits: (lowest, highest) value of the axes, so that several such figures can be compared; default: each its own.
    """
    _, axes = panel_grid(len(vectors), size=(6.4, 2.4), xlabel="coordinate", ylabel="value")
    for ax, (title, vector) in zip(axes, vectors.items()):
        vector = as_array(vector)
        ax.vlines(np.arange(len(vector)), 0, vector, color=COLORS[0], lw=1.2)
        largest = int(np.abs(vector).argmax())
        name = f"coordinate {largest}:\n{vector[largest]:.1f}"
        side, offset = ("right", -8) if largest > len(vector) / 2 else ("left", 8)
        note(ax, name, (largest, vector[largest]), (offset, -12), ha=side, va="baseline")
        ax.set(title=title, ylim=limits)
    return axes


def activations():
    """Draw GELU beside ReLU."""
    x = torch.linspace(-4, 4, 401)
    _, ax = plt.subplots(figsize=(4.2, 2.8))
    ax.plot(x, relu(x), "--", color=COLORS[1], label="ReLU")
    ax.plot(x, gelu(x), color=COLORS[0], label="GELU")
    ax.axhline(0, color=LINE, lw=0.6)
    ax.set(xlabel="x", ylabel="activation(x)")
    ax.legend()
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


def parameter_bars(models):
    """Draw where models have their parameters, in shares. models: name -> its `parameters_by_component`."""
    colors = {
        "token embeddings": ROLES["embeddings"],
        "attention": ROLES["attention"],
        "feed forward": ROLES["feed forward"],
        "all the rest": ROLES["the rest"],
    }
    _, ax = plt.subplots(figsize=(6.4, 1.0 + 0.75 * len(models)))
    for y, (name, counts) in enumerate(models.items()):
        total, left = sum(counts.values()), 0.0
        ax.text(0, y - 0.36, f"{name}, {total / 1e6:.1f}M", va="bottom")  # above: a phone has no room beside the bar
        rest = sum(count for part, count in counts.items() if part not in colors)
        for part, color in colors.items():
            count = rest if part == "all the rest" else counts.get(part, 0)
            width = 100 * count / total
            ax.barh(y, width, 0.6, left=left, color=color, label=part if y == 0 else None, edgecolor="white")
            if width > 6:
                write(ax, left + width / 2, y, f"{count / 1e6:.1f}M", color=ON_PALE, weight="bold")
            left += width
    ax.set(xlabel="share of all parameters (%)", xlim=(0, 100), ylim=(len(models) - 0.6, -0.75), yticks=[])
    ax.spines["left"].set_visible(False)
    ax.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1), fontsize=9, columnspacing=1, handlelength=1.2)
    return ax


def _box(ax, x, y, text, kind, width):
    box(ax, x, y, width, 0.8, facecolor=TINTS[kind], edgecolor=LINE, lw=1)
    write(ax, x, y, text, fontsize=10)


def _arrow(ax, start, end):
    arrow(ax, start, end, LINE, lw=1.2)
