"""Charts that many chapters draw: curves, intervals in rows, bars, histograms, groups of points, coordinates, weights.

A chart with panels draws one for each entry (title -> its entries), or a single one without a title.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from tutorial_book.plots.base import COLORS, GROUP_MARKERS, GROUPS, ROLES, WEIGHTS, as_array, heatmap
from tutorial_book.plots.parts import (
    LINES,
    MARKERS,
    bare,
    box,
    dotted,
    draw_curve,
    note,
    panel_grid,
    plate,
    rows,
    ticks,
    weight_map,
    write,
)
from tutorial_lib.geometry import mean_interval


def curves(panels, x=None, xlabel="layer", ylabel="", log="", ylim=None, columns=None, looks=None):
    """Draw curves in panels: title -> {label -> values}, or label -> values.

    values: a row of numbers; (values, low, high), whose interval is a band; rows of repeats, whose mean is drawn and
    whose range is the band; or one number, a dotted line to compare with. Labels with the same words before a comma,
    such as "mean" and "mean, without 223", have one color. x: the positions of the values, or label or title ->
    positions; default: 0, 1, ... ylabel: the quantity of all panels, on one scale; without it each has its own. log:
    the logarithmic axes, "x", "y" or "xy". looks: label -> differences from the usual look of a curve.

    >>> [ax] = curves({"bear": ([0.9, 0.4], [0.8, 0.3], [1.0, 0.5]), "chance": 0.1}, ylabel="cosine")
    >>> ax.lines[0].get_ydata().tolist(), [text.get_text() for text in ax.figure.legends[0].get_texts()]
    ([0.9, 0.4], ['bear', 'chance'])
    """
    panels = _panels(panels)
    labels = _labels(panels)
    curved = [name for name in labels if any(np.ndim(entries.get(name, 0)) for entries in panels.values())]
    heads = list(dict.fromkeys(name.partition(",")[0] for name in curved))
    figure, axes = _grid(panels, columns, 2.5, labels, xlabel=xlabel, ylabel=ylabel, sharey=bool(ylabel))
    handles, places_of = {}, {}
    for ax, (title, entries) in zip(axes, panels.items()):
        levels = iter((":", "-.", "--"))
        for name, values in entries.items():
            if not np.ndim(values):
                handles[name] = dotted(ax, float(values), linestyle=next(levels), label=name)
                continue
            k, head = curved.index(name), name.partition(",")[0]
            color = ROLES.get(head, COLORS[heads.index(head) % 6])
            values, places = _with_band(values), _inside(_inside(x, title), name)
            n = len(values[0] if isinstance(values, tuple) else values)
            look = {"color": color, "linestyle": LINES[k % 4], "markersize": 4.5}
            look |= {"marker": MARKERS[k % 7] if n <= 40 else "", "label": name} | (looks or {}).get(name, {})
            handles[name] = draw_curve(ax, values, places, shade=0.15, **look)
            places_of[ax] = places
        ax.set_title(title)
    for ax, places in places_of.items():  # after all panels are drawn, because they may share a scale
        _scales(ax, places, log, xlabel)
        if ylim:
            ax.set_ylim(ylim)
    _legend(figure, handles)
    return axes


def _scales(ax, places, log, xlabel):
    """Set logarithmic axes with readable ticks, and names at the horizontal axis if the positions are names."""
    if "x" in log:
        ax.set_xscale("log")
        if len(places) <= 10 and all(float(f"{place:.2g}") == place for place in places):
            ticks(ax.xaxis, list(places), "{:,g}")
        else:
            _log_ticks(ax.xaxis, ax.get_xlim())
    elif xlabel.startswith("layer"):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if "y" in log:
        ax.set_yscale("log")
        _log_ticks(ax.yaxis, ax.get_ylim())


def _log_ticks(axis, ends):
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if ends[1] < 1000 * ends[0] else (1,)))
    axis.set_minor_locator(NullLocator())
    if ends[1] < 1e6 * ends[0]:  # larger ranges are easier to read in powers of ten
        axis.set_major_formatter("{x:,g}")


def intervals(panels, names, xlabel="", level=0, limits=None):
    """Draw a row for each name, a mark for its value, a line for its interval: title -> {label -> values}, or without.

    values: a number for each name; (values, low, high); or rows of repeats, small dots, with their mean and its 95 %
    interval. With one entry, the color shows on which side of the level an interval lies: blue below, orange above,
    gray on both. Several entries share a row. limits: the ends of the axis.

    >>> [ax] = intervals({"": ([0.2, 0.0], [0.1, -0.1], [0.3, 0.1])}, ["bear", "love"], "difference")
    >>> [str(line.get_color()) for line in ax.lines[1::2]]
    ['#BF5000', '0.45']
    """
    panels = _panels(panels)
    labels = _labels(panels)
    height = max(0.3, 0.16 * len(labels)) * len(names)
    figure, axes = _grid(panels, None, height, labels, xlabel=xlabel, sharey=True)
    figure.phone = {"columns": 1, "panel_height": 0.7 + 0.9 * height}
    handles = {}
    for ax, (title, entries) in zip(axes, panels.items()):
        dotted(ax, x=level)
        for k, (name, values) in enumerate(entries.items()):
            y = np.arange(len(names)) + 0.22 * (k - (len(entries) - 1) / 2)
            if not isinstance(values, tuple) and np.ndim(values) == 2:
                seeds = as_array(values)
                ax.plot(seeds.T, y - 0.2, "o", color="0.6", markersize=3)
                values = tuple(mean_interval(seeds))
            values, *ends = values if isinstance(values, tuple) else (values,)
            values = as_array(values)
            low, high = map(as_array, ends or (values, values))
            beside = np.where(high < level, COLORS[0], np.where(low > level, COLORS[1], "0.45"))
            color = [COLORS[k]] * len(values) if len(labels) > 1 else beside
            for i in range(len(names)):
                ax.plot([low[i], high[i]], [y[i], y[i]], color=color[i], linewidth=2)
                [handles[name]] = ax.plot(values[i], y[i], MARKERS[k], color=color[i], markersize=5, label=name)
        rows(ax, names)
        ax.set_title(title)
    if limits:
        axes[0].set_xlim(limits)
    _legend(figure, handles)
    return axes


def bars(panels, form="{:.2f}", columns=None, limit=None):
    """Draw horizontal bars with numbers, a panel per entry: title -> {name -> value or (value, low, high)}.

    form: the format of a number. limit: the end of the axes, to make such charts comparable.

    >>> [ax] = bars({"share": {"a model": (0.5, 0.4, 0.6), "another": 0.25}}, form="{:.0%}")
    >>> [text.get_text() for text in ax.texts]
    ['50%', '25%']
    """
    most_rows = max(map(len, panels.values()))
    alike = len({tuple(entries) for entries in panels.values()}) == 1  # then their names appear once
    figure, axes = _grid(panels, columns, 0.27 * most_rows, sharey=alike)
    figure.phone = {"panel_height": 0.5 + 0.25 * most_rows}
    for ax, (title, entries) in zip(axes, panels.items()):
        ends = []
        for y, (name, value) in enumerate(entries.items()):
            value, *interval = value if isinstance(value, tuple) else (value,)
            ends.append(max([value, *interval]))
            ax.barh(y, value, 0.66, color=COLORS[0])
            ax.plot(interval, [y] * len(interval), color="black", linewidth=1.6, marker="|", markersize=7)
            note(ax, form.format(value) if value else "0", (ends[-1], y), (4, 0), fontsize=10)
        rows(ax, list(entries))
        bare(ax)
        ax.set(title=title, xticks=[], xlim=(0, limit or 1.3 * max(ends)))
    return axes


def stacked(entries, roles, xlabel, form="{:.1f}", limit=None):
    """Draw a bar for each entry (name -> {part -> number}) in its parts, with their sum at its end.

    roles: part -> its role, one of ROLES, which decides the color. form: the format of a sum. limit: the axis' end.

    >>> ax = stacked({"tiny": {"heads": 2.0, "all else": 0.5}}, {"heads": "attention", "all else": "the rest"}, "M")
    >>> [text.get_text() for text in ax.texts]
    ['2.5']
    """
    _, ax = plt.subplots(figsize=(7.4, 0.42 * len(entries) + 1.3))
    left = np.zeros(len(entries))
    for part, role in roles.items():
        widths = np.array([parts.get(part, 0) for parts in entries.values()])
        look = {"color": ROLES[role], "edgecolor": "#444444", "linewidth": 0.5, "label": part}
        ax.barh(range(len(entries)), widths, 0.7, left, **look)
        left = left + widths
    for y, total in enumerate(left):
        note(ax, form.format(total), (total, y))
    rows(ax, list(entries))
    ax.set(xlabel=xlabel, xlim=(0, limit or 1.12 * left.max()))
    _legend(ax.figure, dict(zip(*ax.get_legend_handles_labels()[::-1])))
    return ax


def outlines(panels, xlabel="", bins=60, columns=None):
    """Draw outlines of histograms of area 1, a panel per entry: title -> {label -> values or (counts, edges)}.

    xlabel: the quantity of all panels, on one scale; without it a title is the name of its panel's axis.

    >>> [ax] = outlines({"cosine": {"posts": [0.5, 0.6], "none": []}})
    >>> ax.get_xlabel(), len(ax.patches)
    ('cosine', 1)
    """
    labels = _labels(panels)
    figure, axes = _grid(panels, columns, 2.0, labels, ylabel="density", sharex=bool(xlabel), sharey=bool(xlabel))
    handles = {}
    ends = {title: [as_array(one[1] if isinstance(one, tuple) else one) for one in entries.values()]
            for title, entries in panels.items()}  # fmt: skip
    for ax, (title, entries) in zip(axes, panels.items()):
        every = np.concatenate([one for each in (ends.values() if xlabel else [ends[title]]) for one in each])
        edges = np.linspace(every.min(), every.max() + 1e-9, bins + 1)
        for name, values in entries.items():
            if len(values):
                k = labels.index(name)
                counts, places = values if isinstance(values, tuple) else np.histogram(as_array(values), edges)
                look = {"color": COLORS[k], "linestyle": LINES[k % 4], "linewidth": 1.6, "label": name}
                handles[name] = ax.stairs(counts / np.sum(counts) / np.diff(places), places, **look)
        if every.min() < 0 < every.max():
            ax.axvline(0, color="black", linewidth=0.6)
        ax.set(xlabel=xlabel or title, title=title if xlabel else "", yticks=[])
    _legend(figure, handles)
    return axes


def histogram(values, marks, xlabel, ylabel):
    """Draw a histogram, and above it named values (name -> value), each one step lower so that none overlap.

    >>> ax = histogram([0.0, 0.1, -0.1], {"cat, dog": 0.05}, "cosine", "pairs")
    >>> [text.get_text() for text in ax.texts]
    ['cat, dog']
    """
    _, ax = plt.subplots(figsize=(7.4, 2.6 + 0.12 * len(marks)))
    bins = min(80, int(2 * len(values) ** 0.5) + 1)
    counts, edges, _ = ax.hist(as_array(values), bins, color=ROLES["embeddings"])
    right = max(edges[-1], *marks.values())
    for row, (name, value) in enumerate(sorted(marks.items(), key=lambda mark: mark[1])):
        height = counts.max() * (0.92 - 0.82 * row / max(1, len(marks) - 1))
        ax.plot([value, value], [0, height], color=COLORS[1], linewidth=1.2)
        ax.plot(value, height, "o", color=COLORS[1], markersize=4)
        side = {"ha": "right", "offset": (-6, 0)} if value > (edges[0] + right) / 2 else {"offset": (6, 0)}
        note(ax, name, (value, height), fontsize=10, bbox=plate(0.8), **side)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return ax


def groups(panels, labels, columns=3, axes=None, joined=False, height=None):
    """Draw points in the plane, a panel per entry (title -> (n, 2)), with groups by color and shape.

    labels: the name of each point's group, n of them, or title -> names; groups whose name begins with "other" are
    gray. axes: the names of the two coordinates; without them there are no ticks, for pictures whose coordinates mean
    nothing. joined: lines join each group's points in order, closed. height: of a row, in inches. One scale for both
    directions. If there are few points, all groups but the first are rings, so that points at the same position stay
    visible.

    >>> [ax] = groups({"two points": [[0, 0], [1, 2]]}, ["a", "b"])
    >>> ax.get_title(), [text.get_text() for text in ax.figure.legends[0].get_texts()]
    ('two points', ['a', 'b'])
    """
    every = {title: np.asarray(_inside(labels, title)) for title in panels}
    names = sorted(dict.fromkeys(np.concatenate(list(every.values())).tolist()), key=_is_other)
    columns = min(columns, len(panels))
    each = height or min(6 / columns, 2.7) + 0.25
    figure, grid = _grid(panels, columns, each - 0.3, names, xlabel=axes[0] if axes else "", ylabel="")
    handles = {}
    for ax, (title, points) in zip(grid, panels.items()):
        points, here = as_array(points), every[title]
        if points.shape != (len(here), 2):
            raise ValueError(f"panels must be ({len(here)}, 2), a point for each label, got {points.shape}")
        for k, name in enumerate(names):
            own = points[here == name]
            color = ROLES["the rest"] if _is_other(name) else [*GROUPS, *COLORS[4:6]][k % 8]
            look = {"color": color, "marker": (GROUP_MARKERS + "v*")[k % 8], "markersize": 3.2, "alpha": 0.75}
            if len(points) < 40:
                look |= {"markersize": 5 + 4 * k, "markerfacecolor": "none" if k else color, "alpha": 1}
            [handles[name]] = ax.plot(*own.T, linestyle="", zorder=1 if _is_other(name) else 2, label=name, **look)
            if joined:
                ax.plot(*np.concatenate([own, own[:1]]).T, color=color, linewidth=0.7)
        ax.set(title=title, ylabel=axes[1] if axes else "")
        ax.set_aspect("equal", adjustable="datalim")
        if axes is None:
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set_visible(True)
    _legend(figure, handles)
    return grid


def _is_other(name):
    return name.startswith("other")


def coordinates(panels, marked=None, xlabel="coordinate", ylabel="value", names=None, ylim=None, columns=3):
    """Draw the numbers of vectors as thin lines, a panel per entry (title -> vector), one or more in orange.

    marked: a position, or a list of positions; default: that of the largest number, with its value next to it. names:
    position -> its text, or title -> that. ylim: the ends of the vertical axes, to make such charts comparable.

    >>> [ax] = coordinates({"a": [0.5, -3.0, 1.0]})
    >>> [text.get_text() for text in ax.texts]
    ['coordinate\\n1: −3.0']
    """
    vectors = {title: as_array(vector) for title, vector in panels.items()}
    figure, axes = _grid(panels, columns, 2.0 if columns > 1 else 1.1, xlabel=xlabel, ylabel=ylabel)
    for ax, (title, vector) in zip(axes, vectors.items()):
        largest = int(np.abs(vector).argmax())
        chosen = np.atleast_1d(largest if marked is None else marked)
        others = np.setdiff1d(np.arange(len(vector)), chosen)
        ax.vlines(others, 0, vector[others], color=COLORS[0], linewidth=1)
        ax.vlines(chosen, 0, vector[chosen], color=COLORS[1], linewidth=2)
        ax.plot(chosen, vector[chosen], "o", color=COLORS[1], markersize=3.5)
        said = {largest: f"{xlabel}\n{largest}: {vector[largest]:.1f}".replace("-", "−")}
        said = said if names is None else _inside(names, title)
        for place, name in said.items():
            side, offset = ("right", -7) if place > len(vector) / 2 else ("left", 7)
            look = {"ha": side, "va": "top" if vector[place] > 0 else "bottom", "fontsize": 10, "color": COLORS[1]}
            note(ax, name, (place, vector[place]), (offset, 3 if vector[place] > 0 else -3), **look)
        ax.set_title(title)
        ax.axhline(0, color="black", linewidth=0.6)
        if ylim:
            ax.set_ylim(ylim)
    return axes


def weight_maps(panels, columns=4, most=1):
    """Draw maps of attention's weights as small pictures (title -> (n, n)): rows are queries, columns keys.

    most: the weight of the darkest color; None: the largest of each map.

    >>> [ax] = weight_maps({"diagonal": np.eye(3)})
    >>> ax.get_title(), ax.get_xlabel()
    ('diagonal', 'attended to')
    """
    figure, axes = _grid(panels, columns, 1.7, xlabel="attended to", ylabel="asks")
    figure.phone = {"columns": 2, "panel_height": 1.9}
    for ax, (title, weights) in zip(axes, panels.items()):
        weight_map(ax, weights, most or as_array(weights).max())
        ax.set_title(title, fontsize=10)
        ax.set(xticks=[], yticks=[])
    return axes


def attention(panels, asks, answers, digits=None):
    """Draw maps of attention's weights (title -> (n, m)) with the queries' words at the rows and the keys' below.

    digits: write each weight with this many decimals. A weight that is NaN is left blank.

    >>> [ax] = attention({"before": [[1.0, 0.0], [0.5, 0.5]]}, ["Mia", "lost"], ["Mia", "lost"])
    >>> ax.get_title()
    'before'
    """
    figure, axes = _grid(panels, None, 0.6 + 0.2 * len(asks), xlabel="attended to", ylabel="asks")
    for ax, (title, weights) in zip(axes, panels.items()):
        look = {"digits": digits, "label": "weight", "limits": (0, 1), "colors": WEIGHTS}
        heatmap(weights, asks, answers, ax, title=title, **look)
        ax.tick_params(axis="x", labelrotation=90)
    return axes


def letters(names, looks, sure=None):
    """Draw a letter on its color for each head: layers down, heads across.

    names: (n_layers, n_heads). looks: name -> (color, letter). sure: bool of that shape; if it is False, the letter is
    in brackets.

    >>> ax = letters([["open", "mixed"]], {"open": ("0.9", "O"), "mixed": ("white", "M")}, [[True, False]])
    >>> [text.get_text() for text in ax.texts]
    ['O', '(M)']
    """
    names = np.asarray(names)
    if names.ndim != 2 or not set(names.flat) <= set(looks):
        raise ValueError(f"names must be (n_layers, n_heads), each one of {', '.join(looks)}, got shape {names.shape}")
    n_layers, n_heads = names.shape
    figure, ax = plt.subplots(figsize=(6.8, 0.36 * n_layers + 1.1))
    figure.phone = {"panel_height": 0.36 * n_layers + 0.9}
    for (layer, head), name in np.ndenumerate(names):
        color, letter = looks[name]
        box(ax, head, layer, 0.94, 0.94, facecolor=color, edgecolor="#808080", linewidth=0.5)
        write(ax, head, layer, letter if sure is None or sure[layer][head] else f"({letter})", fontsize=9)
    ax.set(xlim=(-0.6, n_heads - 0.4), ylim=(n_layers - 0.4, -0.6), xlabel="head", ylabel="layer")
    ax.set(xticks=range(n_heads), yticks=range(n_layers))
    bare(ax)
    handles = {f"{letter}: {name}": Patch(facecolor=color, edgecolor="#808080")
               for name, (color, letter) in looks.items() if name in names}  # fmt: skip
    _legend(figure, handles)
    return ax


def _panels(panels):
    """Return title -> entries, even if there is only one panel."""
    return panels if isinstance(next(iter(panels.values())), dict) else {"": panels}


def _labels(panels):
    return list(dict.fromkeys(label for entries in panels.values() for label in entries))


def _inside(values, key):
    return values[key] if isinstance(values, dict) and key in values else values


def _inside(values, key):
    return values[key] if isinstance(values, dict) and key in values else values


def _with_band(values):
    """Return values for `draw_curve`: rows of repeats as their mean, lowest and highest."""
    if isinstance(values, tuple) and np.ndim(values[0]):
        return values
    values = as_array(values)
    return values if values.ndim == 1 else (values.mean(0), values.min(0), values.max(0))


def _grid(panels, columns, height, labels=(), **options):
    """Create a `panel_grid` as wide as the text, with room for a legend of these labels and panels of this height."""
    columns = min(columns or len(panels), len(panels))
    titled = any(title and "\n" not in title for title in panels)
    legend = 0.21 * -(-len(labels) // _legend_columns(labels)) if len(labels) > 1 else 0
    return panel_grid(len(panels), columns, (7.4, 0.35 + legend), (0, height + 0.25 + 0.2 * titled), **options)


def _legend_columns(labels):
    """Return as many as fit in a line."""
    return max(1, min(len(labels), int(105 / (8 + max(map(len, labels), default=1)))))


def _legend(figure, handles):
    """Add one legend below all panels, if there are several entries. handles: label -> the drawn object."""
    handles = {label: handle for label, handle in handles.items() if label}
    if len(handles) > 1:
        names = [*handles]
        figure.legend(handles.values(), names, loc="outside lower center", ncols=_legend_columns(names))
