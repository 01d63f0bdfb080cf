"""Figures of the chapter on gates, cones and entropy: maps, scores, the census of heads, curves over the layers.

Source: G 2.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.ticker import MaxNLocator

from tutorial_book.plots.base import COLORS, ROLES, TINTS, as_array
from tutorial_lib.geometry.gates import GATES, MIXED, THRESHOLD, gate_of, gate_scores

LETTERS = dict(zip((*GATES, MIXED), "CDBFKIO·", strict=True))  # K: the C of cluster is taken
_SIX = [TINTS[role] for role in ("query", "key", "value", "attention", "feed forward", "embeddings")]
FILLS = dict(zip((*GATES, MIXED), (*_SIX, TINTS["the rest"], "#FFFFFF"), strict=True))


def gate_maps(maps, tokens=None, columns=4):
    """Attention maps as small pictures (title -> map (n, n)): rows look, columns are looked at. Returns the axes.

    tokens: n names, or a dict with n names for each title. Colors follow the root of a weight, as in
    `plots.heads.head_grid`.

    >>> axes = gate_maps({"closed": np.eye(4), "open": np.full((4, 4), 0.25)})
    >>> [ax.get_title() for ax in axes]
    ['closed', 'open']
    """
    rows, columns = -(-len(maps) // columns), min(columns, len(maps))
    names = tokens if isinstance(tokens, dict) else dict.fromkeys(maps, tokens)
    height = 1.9 + 0.5 * (tokens is not None)
    figure, axes = plt.subplots(rows, columns, figsize=(2.05 * columns, height * rows), squeeze=False)
    figure.phone = {"columns": 2, "panel_height": height}
    for unused in axes.flat[len(maps) :]:
        unused.axis("off")
    for ax, (title, A) in zip(axes.flat, maps.items(), strict=False):
        ax.imshow(as_array(A), norm=PowerNorm(0.5, 0, 1), aspect="auto" if tokens is not None else "equal")
        ax.set_title(title, fontsize=10)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0, labelsize=7)
        ax.set(xticks=[], yticks=[])
        if names[title] is not None:
            ax.set_xticks(range(len(A)), names[title], rotation=90)
            ax.set_yticks(range(len(A)), names[title])
    return list(axes.flat[: len(maps)])


def map_with_scores(A, title=""):
    """A map beside its seven scores as bars, with the line that a score must reach. Returns the two axes.

    >>> left, right = map_with_scores(np.eye(5))
    >>> right.get_title()
    'gate: closed'
    """
    A, scores = as_array(A), gate_scores(A)
    name = gate_of(scores)
    _, (left, right) = plt.subplots(1, 2, figsize=(4.3, 2.3), width_ratios=(1, 1.2))  # as it is on a phone
    # the dark theme turns a slide's colors round: gray, so that weight stands out from the page in both
    left.imshow(A, norm=PowerNorm(0.5, 0, 1), cmap="Greys")
    left.set(xticks=[], yticks=[], title=title)
    left.spines[:].set_visible(True)
    left.spines[:].set_color("#808080")
    places = np.arange(len(GATES))[::-1]
    colors = [COLORS[1] if gate == name else ROLES["the rest"] for gate in GATES]
    right.barh(places, scores, color=colors, height=0.7)
    right.axvline(THRESHOLD, color="black", linestyle=":", linewidth=1)
    right.axvline(0, color="black", linewidth=0.8)
    right.set_yticks(places, GATES)
    right.tick_params(axis="y", length=0, labelsize=9)
    right.set(xlim=(-1, 1.05), xlabel="score", title=f"gate: {name}")
    return left, right


def census(names, sure=None):
    """The gate of every head, names (n_layers, n_heads), as a grid of letters on their color. Returns the axes.

    sure: bool of that shape; where not, the letter stands in brackets.

    >>> ax = census([["open", "mixed"], ["backward", "open"]], [[True, True], [False, True]])
    >>> [text.get_text() for text in ax.texts]
    ['O', '·', '(B)', 'O']
    """
    names = np.asarray(names)
    sure = np.ones(names.shape, dtype=bool) if sure is None else np.asarray(sure)
    if names.ndim != 2 or not set(names.flat) <= set(LETTERS):
        raise ValueError(f"names must be gates or {MIXED!r}, (n_layers, n_heads), got shape {names.shape}")
    figure, ax = plt.subplots(figsize=(1.2 + 0.42 * names.shape[1], 1.5 + 0.34 * names.shape[0]))
    for (layer, head), name in np.ndenumerate(names):
        ax.add_patch(plt.Rectangle((head - 0.46, layer - 0.46), 0.92, 0.92, facecolor=FILLS[name], edgecolor="#808080",
                                   linewidth=0.5))  # fmt: skip
        letter = LETTERS[name] if sure[layer, head] else f"({LETTERS[name]})"
        ax.text(head, layer, letter, ha="center", va="center", fontsize=9)
    ax.set(xlim=(-0.6, names.shape[1] - 0.4), ylim=(names.shape[0] - 0.4, -0.6), xlabel="head", ylabel="layer")
    ax.set_xticks(range(names.shape[1]))
    ax.set_yticks(range(names.shape[0]))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    there = [name for name in LETTERS if name in names]
    used = [plt.Rectangle((0, 0), 1, 1, facecolor=FILLS[name], edgecolor="#808080") for name in there]
    labels = [f"{LETTERS[name]}: {name}" for name in there]
    figure.legend(used, labels, loc="outside lower center", ncols=min(5, len(labels)), fontsize=9)
    return ax


def layer_panels(panels, levels=None):
    """A panel for each measure (title -> {label -> values, or (values, low, high)}) by layer. Returns the axes.

    low and high are drawn as a band. A label has one color in all panels; those that stand in most panels come first,
    so that a curve that only one panel has does not change the others' colors. levels: title -> a dotted line, such as
    what chance gives.

    >>> [ax] = layer_panels({"entropy": {"trained": ([1.0, 2.0], [0.5, 1.5], [1.5, 2.5])}}, {"entropy": 2.5})
    >>> ax.get_title(), ax.lines[0].get_ydata().tolist()
    ('entropy', [1.0, 2.0])
    """
    figure, axes = plt.subplots(1, len(panels), figsize=(max(5.8, 2.7 * len(panels)), 3.1), squeeze=False)
    there = [label for curves in panels.values() for label in curves]
    labels = sorted(dict.fromkeys(there), key=there.count, reverse=True)
    style = dict(zip(labels, zip(COLORS, "os^DvPX", strict=False), strict=False))
    shown = {}
    for ax, (title, curves) in zip(axes[0], panels.items(), strict=True):
        for label, values in curves.items():
            color, marker = style[label]
            values, *band = values if isinstance(values, tuple) else (values,)
            layers = np.arange(len(values))
            if band:
                ax.fill_between(layers, as_array(band[0]), as_array(band[1]), color=color, alpha=0.2, linewidth=0)
            shown[label] = ax.plot(layers, as_array(values), color=color, marker=marker, markersize=4, label=label)[0]
        if levels and title in levels:
            ax.axhline(levels[title], color="black", linestyle=":", linewidth=1)
        ax.set(xlabel="layer", title=title)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_ylim(bottom=min(0, ax.get_ylim()[0]))
    handles = [shown[label] for label in labels]
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)), fontsize=9)
    return list(axes[0])


def variance_strips(seen, chance, best):
    """What each head sees, a dot: panels (title -> (n_layers, n_heads) shares of the variance). Returns the axes.

    chance: (low, high) of what random subspaces see in each layer, a band; best: what the best one sees, a line.

    >>> [ax] = variance_strips({"queries": [[0.1, 0.2], [0.3, 0.2]]}, ([0.08, 0.09], [0.12, 0.11]), [0.6, 0.7])
    >>> ax.get_title(), len(ax.lines)
    ('queries', 3)
    """
    chance = as_array(chance)  # (2, n_layers)
    figure, axes = plt.subplots(1, len(seen), figsize=(2.7 * len(seen), 2.9), squeeze=False, sharey=True)
    for ax, (title, shares) in zip(axes[0], seen.items(), strict=True):
        shares = as_array(shares)
        for layer, row in enumerate(shares):
            dots = ax.plot(np.full(len(row), layer), row, "o", color=COLORS[0], markersize=4, alpha=0.6)[0]
        (top,) = ax.plot(range(len(best)), as_array(best), "_", color=COLORS[1], markersize=16, markeredgewidth=2.5)
        band = ax.bar(range(len(best)), chance[1] - chance[0], width=0.7, bottom=chance[0], color=ROLES["the rest"],
                      alpha=0.5, zorder=0)  # fmt: skip
        ax.set(xlabel="layer", title=title, ylim=(0, 0.6), xticks=range(len(shares)))
    axes[0, 0].set_ylabel("share of the variance")
    handles = {"a head": dots, "the best subspace": top, "95 % of random ones": band}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=3, fontsize=9)
    return list(axes[0])
