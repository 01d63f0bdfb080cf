"""Charts that Python and the page draw alike: lines, paths, bars, a grid, a histogram. `js/chart.js` is the twin.

A chart is a dictionary that travels as JSON; its `kind` names the function here that draws it.
"""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT = 440, 230
LEFT, RIGHT, TOP, BOTTOM = 46, 430, 10, 190  # the frame's edges


def drawn(chart) -> str:
    """A chart as HTML.

    >>> drawn(bars([["bear", 0.5]]))[:30]
    '<table class="tl-bars"><tbody>'
    """
    return {"lines": _lines, "paths": _paths, "bars": _bars, "grid": _grid, "histogram": _histogram}[chart["kind"]](
        chart
    )


def lines(curves, x, axis, unit, low=None, high=None, soft=(), log=False) -> dict:
    """Curves, {name: values} or [[name, values], ...], over the places x.

    soft: the names of those to compare with, which are drawn thin and dashed. log: the axis of values is logarithmic.
    """
    curves = list(curves.items() if isinstance(curves, dict) else curves)
    values = [value for _, curve in curves for value in curve]
    return {
        "kind": "lines", "curves": [[name, [brief(value) for value in curve]] for name, curve in curves],
        "x": [str(place) for place in x], "axis": axis, "unit": unit, "log": log, "soft": list(soft),
        "low": min(values) if low is None else low, "high": max(values) if high is None else high,
    }  # fmt: skip


def bars(rows, low=0, high=1, band=None) -> dict:
    """Rows of [name, value]. band: for each row [from, to], where chance lies."""
    return {
        "kind": "bars",
        "rows": [[name, brief(value)] for name, value in rows],
        "low": low,
        "high": high,
        "band": band,
    }


def brief(value) -> float:
    """A number as it travels: five digits are more than a drawing shows.

    >>> brief(0.123456789)
    0.12346
    """
    return float(f"{value:.5g}")


def ticks(low, high) -> list[float]:
    """Three to six round numbers from low to high.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]
    """
    raw = (high - low) / 4
    power = 10 ** floor(log10(raw))
    step = power * min((1, 2, 5, 10), key=lambda times: abs(times * power - raw))
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def short(value) -> str:
    """A number at an axis: as few digits as it needs, with a true minus sign.

    >>> short(-0.25), short(0.6000000000000001), short(200.0)
    ('−0.25', '0.6', '200')
    """
    return f"{float(f'{value:.3g}'):g}".replace("-", "−")


def _frame(ys, inside, label) -> str:
    """A drawing with the ticks of its y-axis: [(height, text)]."""
    grid = "".join(
        f'<path class="tl-tick" d="M{LEFT} {y:.1f}H{RIGHT}"/>{_words(LEFT - 6, y + 4, "end", text)}' for y, text in ys
    )
    return (
        f'<svg class="tl-chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        f"{grid}{inside}</svg>"
    )


def _words(x, y, anchor, text) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _lines(chart) -> str:
    scale = (lambda value: log10(max(value, 1e-9))) if chart["log"] else float
    low, high = scale(chart["low"]), scale(chart["high"])
    n = len(chart["x"])

    def across(i):
        return LEFT + (RIGHT - LEFT) * (i + 0.5) / n

    def up(value):
        return BOTTOM - (BOTTOM - TOP) * (min(max(scale(value), low), high) - low) / (high - low or 1)

    if chart["log"]:
        marks = [m * 10**k for k in range(floor(low), ceil(high) + 1) for m in (1, 2, 5)]
        marks = [mark for mark in marks if chart["low"] <= mark <= chart["high"]]
    else:
        marks = ticks(low, high)
    inside = ""
    every = ceil(n / 14)
    for i, text in enumerate(chart["x"]):
        if i % every == 0:
            inside += _words(across(i), BOTTOM + 17, "middle", text)
    inside += _words((LEFT + RIGHT) / 2, BOTTOM + 35, "middle", chart["axis"])
    key, hard = "", 0
    for name, values in chart["curves"]:
        kind = "tl-soft" if name in chart["soft"] else f"tl-curve-{hard}"
        hard += name not in chart["soft"]
        path = "".join(f"{'L' if i else 'M'}{across(i):.1f} {up(value):.1f}" for i, value in enumerate(values))
        inside += f'<path class="{kind}" d="{path}"/>'
        key += f'<li class="{kind}">{escape(name)}</li>'
    label = f"{chart['unit']} by {chart['axis']}"
    svg = _frame([(up(mark), short(mark)) for mark in marks], inside, label)
    return f'<p class="tl-unit">{escape(chart["unit"])}</p>{svg}<ul class="tl-key">{key}</ul>'


def _paths(chart) -> str:
    """Paths in a plane, [name, [[x, y], ...]]: a ring at the start, a dot at the end."""
    xs, ys = zip(*(point for _, path in chart["paths"] for point in path), strict=True)
    unit = min((RIGHT - LEFT) / ((max(xs) - min(xs)) or 1), (BOTTOM - TOP) / ((max(ys) - min(ys)) or 1))
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2

    def at(point):
        return WIDTH / 2 + unit * (point[0] - middle[0]), HEIGHT / 2 - unit * (point[1] - middle[1])

    inside = key = ""
    for i, (name, path) in enumerate(chart["paths"]):
        points = [at(point) for point in path]
        line = "".join(f"{'L' if k else 'M'}{x:.1f} {y:.1f}" for k, (x, y) in enumerate(points))
        inside += f'<path class="tl-curve-{i}" d="{line}"/>'
        for k, (x, y) in enumerate(points):
            kind = "tl-start" if k == 0 else "tl-dot"
            radius = 6 if k in (0, len(points) - 1) else 3
            inside += f'<circle class="tl-curve-{i} {kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'
        key += f'<li class="tl-curve-{i}">{escape(name)}</li>'
    return f'{_frame([], inside, "paths in a plane")}<ul class="tl-key">{key}</ul>'


def _bars(chart) -> str:
    low, high = chart["low"], chart["high"]

    def share(value):
        return 100 * (min(max(value, low), high) - low) / (high - low)

    rows = ""
    for i, (name, value) in enumerate(chart["rows"]):
        begin, end = sorted((share(0), share(value)))
        bar = f'<i style="left:{begin:.1f}%;width:{end - begin:.1f}%"></i>'
        if chart["band"]:
            begin, end = map(share, chart["band"][i])
            bar = f'<u style="left:{begin:.1f}%;width:{end - begin:.1f}%"></u>{bar}'
        number = f"{value:.2f}".replace("-", "−")
        if chart["band"]:  # what the gray bar shows, for a screen reader
            number += "<b>, chance {:.2f} to {:.2f}</b>".format(*chart["band"][i]).replace("-", "−")
        rows += (
            f'<tr><th scope="row">{escape(name)}</th><td class="tl-track"><span>{bar}</span></td><td>{number}</td></tr>'
        )
    return f'<table class="tl-bars"><tbody>{rows}</tbody></table>'


def _grid(chart) -> str:
    """Rows of [text, strength from 0 to 1]: a layer each, a head each column. unit: what the cells say."""
    head = "".join(f'<th scope="col">{k}</th>' for k in range(len(chart["rows"][0])))
    body = ""
    for i, row in enumerate(chart["rows"]):
        cells = "".join(
            f'<td style="--strength:{100 * min(max(strength, 0), 1):.0f}%">{escape(text)}</td>'
            for text, strength in row
        )
        body += f'<tr><th scope="row">{i}</th>{cells}</tr>'
    unit = f'<p class="tl-unit">{escape(chart["unit"])}; a row is a layer, a column a head</p>'
    return f'{unit}<table class="tl-heads"><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>'


def _histogram(chart) -> str:
    """Counts in equal bins from low to high, and marks [name, value]."""
    counts, low, high = chart["counts"], chart["low"], chart["high"]
    width, most = (RIGHT - LEFT) / len(counts), max(counts)

    def across(value):
        return LEFT + (RIGHT - LEFT) * (min(max(value, low), high) - low) / (high - low)

    path = f"M{LEFT} {BOTTOM}"
    for i, count in enumerate(counts):
        path += f"V{BOTTOM - (BOTTOM - TOP - 16) * count / most:.1f}H{LEFT + width * (i + 1):.1f}"
    inside = f'<path class="tl-hill" d="{path}V{BOTTOM}Z"/>'
    for mark in ticks(low, high):
        inside += _words(across(mark), BOTTOM + 17, "middle", short(mark))
    inside += _words((LEFT + RIGHT) / 2, BOTTOM + 35, "middle", chart["axis"])
    for name, value in chart["marks"]:
        x = across(value)
        anchor = "end" if x > (LEFT + RIGHT) / 2 else "start"
        inside += f'<path class="tl-mark" d="M{x:.1f} {TOP}V{BOTTOM}"/>'
        inside += _words(x + (-6 if anchor == "end" else 6), TOP + 10, anchor, name)
    return _frame([], inside, f"histogram of {chart['axis']}")
