"""Figures of the chapter on learning: the loss step by step, the learning rate, attention (N 3)."""

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, WEIGHTS, as_array, heatmap
from tutorial_book.plots.parts import dotted, draw_curves, legend_below, note, panel_grid, ticks


def loss_curve(losses, levels, evaluated=()):
    """The loss of each step, on an axis of steps that doubles evenly, with levels to compare it with.

    losses: one a step, in nats. levels: name -> loss, a dotted line with its name. evaluated: (step, loss) on texts
    that are not trained on.

    >>> ax = loss_curve([7.0, 5.0, 3.0], {"unigrams": 5.2}, [(1, 7.1), (3, 3.2)])
    >>> ax.lines[0].get_ydata().tolist(), [t.get_text() for t in ax.texts]
    ([7.0, 5.0, 3.0], ['unigrams'])
    """
    losses = as_array(losses)
    _, ax = plt.subplots(figsize=(7.2, 3.6))
    ax.plot(np.arange(1, len(losses) + 1), losses, color=COLORS[5], linewidth=1, label="batch of the step")
    if len(evaluated):
        ax.plot(*as_array(evaluated).T, color=COLORS[0], marker="o", markersize=4, label="stories not read")
    for name, level in levels.items():
        dotted(ax, level)
        note(ax, name, (1, level), (2, 3), xycoords=("axes fraction", "data"), ha="right", va="bottom")
    ax.set(xscale="log", xlabel="step", ylabel="loss in nats", ylim=(0, None))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    legend_below(ax)
    return ax


def losses_by_kind(steps, curves):
    """One curve for each kind of word against the step, on a logarithmic axis: what is learned when.

    steps: 1 or more. curves: name -> losses in nats, as many as steps.

    >>> ax = losses_by_kind([20, 40], {"names": [5.0, 4.0], "full stops": [2.0, 0.5]})
    >>> ax.get_legend() is None, len(ax.lines)
    (True, 2)
    """
    _, ax = plt.subplots(figsize=(7.2, 3.6))
    draw_curves(ax, curves, steps, markers="os^vDPX", markersize=5)
    ax.set(xscale="log", xlabel="step", ylabel="loss in nats", ylim=(0, None))
    ticks(ax.xaxis, steps, "{:,}")
    legend_below(ax, ncols=min(4, len(curves)))
    return ax


def learning_rates(plans):
    """The learning rate of each step. plans: name -> `training.Settings`.

    >>> from tutorial_lib.training import Settings
    >>> ax = learning_rates({"warmup of 10": Settings(100, lr=0.01, warmup=10)})
    >>> len(ax.lines[0].get_ydata())
    100
    """
    _, ax = plt.subplots(figsize=(7.2, 2.6))
    for color, style, (name, plan) in zip(COLORS, ("-", "--", ":"), plans.items()):
        rates = [plan.rate(step) for step in range(plan.n_steps)]
        ax.plot(np.arange(1, plan.n_steps + 1), rates, color=color, linestyle=style, label=name)
    ax.set(xlabel="step", ylabel="learning rate", ylim=(0, None))
    if len(plans) > 1:
        legend_below(ax, ncols=len(plans))
    return ax


def attention_maps(maps, tokens):
    """Attention weights of the same text in several states, side by side. maps: title -> (n, n).

    Each row is a token that looks, each column one that it looks at; what it may not see is blank.

    >>> axes = attention_maps({"before": [[1.0, 0.0], [0.5, 0.5]]}, ["Mia", "lost"])
    >>> axes[0].get_title()
    'before'
    """
    size = 0.6 + 0.24 * len(tokens)
    fig, axes = panel_grid(len(maps), size=(min(9.4, (size + 0.6) * len(maps)), size + 0.4))
    for ax, (title, weights) in zip(axes, maps.items()):
        weights = np.where(np.tri(len(tokens), dtype=bool), as_array(weights), np.nan)
        look = {"limits": (0, 1), "label": "attention weight", "diverging": False, "colors": WEIGHTS}
        heatmap(weights, tokens, tokens, ax, title=title, **look)
        ax.tick_params(axis="x", labelrotation=90)
    fig.phone = {"panel_height": 4.2}
    return axes
