"""Figures of the chapter on learning: what is asked, what a surprise costs, a run, ages, stories (N 3)."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np

from tutorial_book.plots.base import COLORS, ROLES, TINTS, as_array
from tutorial_book.plots.parts import (
    bare,
    box,
    dotted,
    note,
    panel_grid,
    plate,
    ticks,
    write,
)

KINDS = {  # kind of word -> color, marker
    "new names": (COLORS[1], "o"),
    "repeated names": (COLORS[0], "s"),
    "nouns": ("#808080", "v"),
    "pronouns": ("#808080", "D"),
    "verbs": ("#808080", "P"),
    "full stops": (COLORS[2], "^"),
}


def questions(tokens):
    """Draw one text as a staircase of questions: in each row the tokens read so far, pale, and the next token.

    >>> ax = questions(["(start)", "Mia", "had"])
    >>> [t.get_text() for t in ax.texts if t.get_text()]
    ['(start)', 'Mia', '(start)', 'Mia', 'had']
    """
    ends = np.cumsum([0.34 + 0.105 * len(token) for token in tokens])
    starts = np.concatenate([[0], ends[:-1]])
    _, ax = plt.subplots(figsize=(7.4, 0.33 * len(tokens)))
    for row in range(len(tokens) - 1):
        for i, token in enumerate(tokens[: row + 2]):
            asked = i == row + 1
            look = {"facecolor": TINTS["second text" if asked else "the rest"], "lw": 1.2 if asked else 0.6}
            edge = COLORS[1] if asked else "#808080"
            box(ax, (starts[i] + ends[i]) / 2, row, ends[i] - starts[i] - 0.06, 0.76, edgecolor=edge, **look)
            write(ax, (starts[i] + ends[i]) / 2, row, token, weight="bold" if asked else None)
    ax.set(xlim=(-0.1, ends[-1] + 0.1), ylim=(len(tokens) - 1.5, -0.55))
    ax.axis("off")
    return ax


def prices(tokens, panels):
    """Draw each token's loss in a text, one panel of bars for each model; a dotted line at the mean.

    panels: title -> -log p of each token, in nats.

    >>> [ax] = prices(["Mia", "had"], {"at first": [7.0, 8.0]})
    >>> [t.get_text() for t in ax.texts]
    ['7.0', '8.0', 'mean: 7.5']
    """
    _, axes = panel_grid(len(panels), 1, (7.6, 0.5), (0, 1.3), ylabel="nats", sharex=True, sharey=True)
    most = max(max(values) for values in panels.values())
    for ax, (title, values) in zip(axes, panels.items()):
        mean = float(np.mean(values))
        dotted(ax, mean, color=COLORS[1], linewidth=1.6)
        ax.bar(range(len(tokens)), values, color=COLORS[5], width=0.72, zorder=2)
        for i, value in enumerate(values):
            foot = mean if value < mean < value + 0.25 * most else value  # not on the dotted line
            note(ax, f"{value:.1f}", (i, foot), (0, 4), ha="center", va="bottom", fontsize=10, bbox=plate(0.5))
        note(ax, f"mean: {mean:.1f}", (len(tokens) - 0.5, mean), (4, 8), color=COLORS[1], fontsize=10)
        ax.set(title=title, ylim=(0, 1.3 * most), xlim=(-0.6, len(tokens) + 0.7), ylabel="nats", yticks=[0, 5, 10])
        ax.set_xticks(range(len(tokens)), tokens)
        ax.tick_params(axis="x", length=0)
    return axes


def doubts(levels):
    """Draw e^loss, the number of equally likely tokens, as squares; a panel for each level.

    levels: what is known -> loss in nats.

    >>> ax = doubts({"nothing": np.log(9), "much": np.log(4)})[1]
    >>> ax.get_title(), len(ax.collections[0].get_offsets())
    ('much\\n1.39 nats: 4 tokens', 4)
    """
    counts = [round(float(np.exp(loss))) for loss in levels.values()]
    width = int(np.ceil(np.sqrt(2.0 * max(counts))))
    figure, axes = plt.subplots(1, len(levels), figsize=(7.6, 1.9), squeeze=False)
    for ax, (name, loss), count in zip(axes[0], levels.items(), counts):
        columns = width if count == max(counts) else int(np.ceil(np.sqrt(2.0 * count)))
        places = np.array([(i % columns, i // columns) for i in range(count)])
        ax.scatter(*places.T, s=4.6, marker="s", color=COLORS[0], linewidths=0)
        ax.set(xlim=(-1, width), ylim=(width / 2, -1), aspect="equal", anchor="NW")
        ax.set(title=f"{name}\n{loss:.2f} nats: {count:,} tokens", xticks=[], yticks=[])
        bare(ax)
    figure.phone = {"columns": 1, "panel_height": 1.9}
    return axes[0]


def loss_curve(losses, levels, evaluated=()):
    """Draw the loss of each step, on an axis on which each doubling has equal length, with levels to compare.

    losses: one per step, in nats. levels: name -> loss, a dotted line with its name. evaluated: (step, loss) on
    held-out texts.

    >>> ax = loss_curve([7.0, 5.0, 3.0], {"unigrams": 5.2}, [(1, 7.1), (3, 3.2)])
    >>> ax.lines[0].get_ydata().tolist(), [t.get_text() for t in ax.texts][:1]
    ([7.0, 5.0, 3.0], ['unigrams'])
    """
    losses = as_array(losses)
    _, ax = plt.subplots(figsize=(7.6, 3.4))
    ax.plot(np.arange(1, len(losses) + 1), losses, color=COLORS[5], linewidth=1.2)
    for name, level in levels.items():
        dotted(ax, level)
        note(ax, name, (1, level), (2, 3), ha="left", va="bottom", fontsize=10)
    if len(evaluated):
        ax.plot(*as_array(evaluated).T, color=COLORS[0], marker="o", markersize=4)
        step, loss = evaluated[-1]
        note(ax, f"{loss:.2f}", (step, loss), (6, 0), color=COLORS[0], fontsize=10)
        place = evaluated[len(evaluated) // 6]
        note(ax, "stories not read", place, (8, 8), color=COLORS[0], fontsize=10)
    early = max(0, len(losses) // 55)
    note(ax, "batch of the step", (early + 1, losses[early]), (6, 7), ha="left", fontsize=10)
    ax.set(xscale="log", xlabel="step", ylabel="loss in nats", ylim=(0, None))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return ax


def next_by_age(panels, mark=None):
    """Draw the likeliest next tokens after one beginning, a panel of bars for each age of a model.

    panels: title -> (tokens, probabilities), in descending order. mark: the token that stands out.

    >>> axes = next_by_age({"20 steps": (["."], [0.5])})
    >>> [t.get_text() for t in axes[0].texts]
    ['.', '0.50']
    """
    most = max(max(p) for _, p in panels.values())
    figure, axes = panel_grid(len(panels), size=(7.8, 2.3), sharex=True)
    for ax, (title, (tokens, p)) in zip(axes, panels.items()):
        colors = [COLORS[1] if token == mark else COLORS[5] for token in tokens]
        ax.barh(np.arange(len(tokens)) + 0.22, p, color=colors, height=0.3)
        for i, (token, value) in enumerate(zip(tokens, p)):
            weight = "bold" if token == mark else None
            note(ax, token, (0, i - 0.16), (1, 0), fontsize=10, weight=weight)
            note(ax, f"{value:.2f}" if value >= 0.005 else "<0.01", (value, i + 0.22), (3, 0), fontsize=9)
        ax.set(title=title, xticks=[], yticks=[], xlim=(0, 1.45 * most), ylim=(len(tokens) - 0.4, -0.6))
        bare(ax)
    figure.phone = {"columns": 3, "panel_height": 2.2}
    return axes


def losses_by_kind(steps, curves, small=None, floor=None):
    """Draw one curve for each kind of word against the step, on a logarithmic axis: what is learned when.

    steps: 1 or more. curves: name -> losses in nats, as many as steps. small: (title, name -> loss), another model, in
    its own panel. floor: (name, loss), dotted.

    >>> ax, = losses_by_kind([20, 40], {"new names": [5.0, 4.0], "full stops": [2.0, 0.5]})
    >>> len(ax.lines)
    2
    """
    figure, axes = panel_grid(2 if small else 1, size=(7.6, 3.7), sharey=True,
                              **({"width_ratios": [2.3, 1]} if small else {}))  # fmt: skip
    ax = axes[0]
    for kind, values in curves.items():
        color, marker = KINDS[kind]
        gray = color == "#808080"
        ax.plot(steps, values, color=color, marker=marker, markersize=5, linewidth=1.2 if gray else 2)
    _names_at(ax, steps[-1], {kind: values[-1] for kind, values in curves.items()})
    ax.set(xscale="log", xlabel="step", ylabel="loss in nats", ylim=(0, None), title="book-gpt")
    ax.set_xlim(steps[0] * 0.88, steps[-1] * 6.5)
    ticks(ax.xaxis, steps, "{:,}")
    if small:
        for kind, loss in small[1].items():
            axes[1].plot(0, loss, color=KINDS[kind][0], marker=KINDS[kind][1], markersize=6)
        _names_at(axes[1], 0, small[1])
        axes[1].set(title=small[0], xlim=(-0.15, 1), xticks=[])
    if floor:
        for one in axes:
            dotted(one, floor[1])
        note(ax, floor[0], (steps[-1], floor[1]), (9, -9), fontsize=10)
    figure.phone = {"columns": 1, "panel_height": 3.4}
    figure.slide = {"size": (6.4, 3.9)}
    return axes


def _names_at(ax, x, losses):
    """Write the name and the last value of each curve at its end; those that nearly meet share one line."""
    groups = []
    for kind, loss in sorted(losses.items(), key=lambda item: item[1]):
        if groups and groups[-1][2] == KINDS[kind][0] == "#808080":
            groups[-1][0].append(kind)
            groups[-1][1].append(loss)
        else:
            groups.append(([kind], [loss], KINDS[kind][0]))
    lowest = -0.22
    for kinds, values, color in groups:
        span = f"{min(values):.2f}" + (f" to {max(values):.2f}" if len(values) > 1 else "")
        text = f"{', '.join(kinds)}: {span}" if len(kinds) == 1 else f"{', '.join(kinds)}:\n{span}"
        lines = 1 + text.count("\n")
        lowest = y = max(float(np.mean(values)), lowest + 0.42 * (1 + lines) / 2)
        lowest += 0.21 * (lines - 1)
        note(ax, text, (x, y), (9, 0), color="black" if color == "#808080" else color, fontsize=10)


def heads_beside_chance(weights, chance, n_heads):
    """Draw each head's accuracy, layer by layer, as bars in percent; a dotted line at chance.

    >>> ax = heads_beside_chance([0.1, 0.4], 0.06, n_heads=2)
    >>> [t.get_text() for t in ax.texts]
    ['10', '40', 'if weights\\nwere even']
    """
    weights = as_array(weights)
    _, ax = plt.subplots(figsize=(7.6, 2.6))
    places = np.arange(len(weights)) + np.arange(len(weights)) // n_heads * 0.7
    ax.bar(places, weights, color=ROLES["attention"], width=0.78)
    for place, value in zip(places, weights):
        height = value if value > 1.05 * chance else max(value, 1.05 * chance)
        look = {"ha": "center", "va": "bottom", "weight": "bold" if value == weights.max() else None}
        note(ax, f"{100 * value:.0f}", (place, height), (0, 2), **look)
    dotted(ax, chance)
    note(ax, "if weights\nwere even", (places[-1] + 0.5, chance), (3, 16), fontsize=10)
    ax.set_xticks(places[::n_heads] + (n_heads - 1) / 2, [f"layer {i}" for i in range(len(weights) // n_heads)])
    ax.tick_params(axis="x", length=0)
    ax.set(ylabel="% of its attention", yticks=[], ylim=(0, 1.2 * weights.max()), xlim=(-0.7, places[-1] + 3.2))
    return ax


def judged_story(sentences):
    """Draw a story sentence by sentence, each with its verdict and, if it has a fault, the reason.

    sentences: (text, is right, reason) of each.

    >>> ax = judged_story([("Mia ran.", True, ""), ("Mia and Mia ran.", False, "fits no form")])
    >>> [t.get_text() for t in ax.texts]
    ['✓', 'Mia ran.', '×', 'Mia and Mia ran.', 'fits no form']
    """
    halves = [textwrap.wrap(text, 52 if len(text) <= 52 else len(text) // 2 + 6) for text, *_ in sentences]
    lines = [[*half, *([why] if why else [])] for half, (*_, why) in zip(halves, sentences)]
    height = sum(0.25 + 0.75 * len(each) for each in lines)
    _, ax = plt.subplots(figsize=(7.4, 0.31 * height + 0.1))
    top = 0.0
    for each, (_, is_right, why) in zip(lines, sentences):
        color = COLORS[2] if is_right else COLORS[1]
        tall = 0.11 + 0.75 * len(each)
        box(ax, 0.5, top + tall / 2, 1, tall, facecolor=TINTS["value" if is_right else "second text"])
        for k, line in enumerate(each):
            y = top + 0.43 + 0.75 * k
            if k == 0:
                write(ax, 0.022, y, "✓" if is_right else "×", color=color, weight="bold", fontsize=11)
            style = "italic" if why and line is each[-1] else None
            ax.text(0.055, y, line, va="center", style=style, fontsize=9.5).set_in_layout(False)
        top += tall + 0.14
    ax.set(xlim=(0, 1), ylim=(height - 0.1, -0.05))
    ax.axis("off")
    return ax
