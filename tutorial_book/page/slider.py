"""Figures drawn beforehand, one for each value, with a range input: for anything that needs Python to be drawn."""

from __future__ import annotations

import base64
import io
from html import escape
from pathlib import Path
from string import Formatter

from tutorial_book.page.layouts import PHONE, narrow
from tutorial_lib.views.base import View

FOLDER = Path(__file__).parent / "js"
MOST_FRAMES = 60
PIXELS_PER_INCH = 144  # of a frame that is stored as pixels: sharp on a high-resolution screen


def slide(fn, /, *, alt, start=None, **values) -> View:
    """Draw `fn` once for each value, so that readers can step through the figures without a kernel.

    fn: called as fn(name=value); draws one matplotlib figure. values: one name with its list of values, such as
    temperature=[0.2, 1, 3]. alt: a description of the figures: one text with {value} in it, or a list of texts, one for
    each value. start: the value that is shown first, and in print (default: the first). The frames are stored as SVG or
    as PNG, whichever is smaller; equal ones are stored once; no figure is left open. A wide figure has its phone
    layout.

    Raises TypeError if fn cannot be called, or values are not exactly one named list; ValueError if there is no value
    or more than 60, alt does not distinguish the frames, start is not among the values, or fn draws no figure or more
    than one.

    >>> import matplotlib.pyplot as plt
    >>> slide(lambda k: plt.plot([0, k]), k=[1, 2], alt="A line from 0 to {value}.").say
    'A line from 0 to 1.'
    """
    name, options = _check_values(fn, values)
    alts = _check_alt(alt, name, options)
    if start is not None and start not in options:
        raise ValueError(f"start must be one of the values of {name}, {options}, got {start!r}")
    first = 0 if start is None else options.index(start)
    sources = _smaller([_draw(fn, name, value) for value in options])
    images = list(dict.fromkeys([sources[first], *sources]))  # the default frame comes first
    data = {
        "name": name.replace("_", " "), "values": [str(value) for value in options], "alts": alts, "start": first,
        "images": [None, *images[1:]], "frames": [images.index(source) for source in sources],
    }  # fmt: skip
    default = (
        f'<figure class="tl-frame"><img src="{sources[first]}" alt="{escape(alts[first])}">'
        f"<figcaption>{escape(data['name'])} = {escape(data['values'][first])}</figcaption></figure>"
    )
    label = f"Figures for {len(options)} values of {data['name']}"
    return View("slider", data, label, folder=FOLDER, picture=(default, alts[first]))


def _check_values(fn, values):
    if not callable(fn):
        raise TypeError(f"fn must be a function that draws a figure, got {type(fn).__name__}")
    if len(values) != 1:
        raise TypeError(f"values must be one named list, such as temperature=[0.2, 1, 3], got {list(values) or 'none'}")
    [(name, options)] = values.items()
    if isinstance(options, (str, bytes)) or not hasattr(options, "__iter__"):
        raise TypeError(f"{name} must be a list of values, got {options!r}")
    options = [value.item() if hasattr(value, "item") else value for value in options]
    if not 1 <= len(options) <= MOST_FRAMES:
        raise ValueError(f"{name} must have from 1 to {MOST_FRAMES} values, got {len(options)}")
    return name, options


def _check_alt(alt, name, options):
    """Return one text for each value, all different: readers who cannot see the figures must notice the change."""
    if isinstance(alt, str):
        fields = {field for _, field, _, _ in Formatter().parse(alt) if field is not None}
        if fields != {"value"}:
            raise ValueError(f"alt must have {{value}} in it and no other field, got {alt!r}")
        alts = [alt.format(value=value) for value in options]
    else:
        alts = list(alt) if isinstance(alt, (list, tuple)) else []
    if len(alts) != len(options) or not all(isinstance(text, str) and text.strip() for text in alts):
        raise ValueError(f"alt must be a text with {{value}} in it, or one text for each of the {len(options)} values "
                         f"of {name}, got {alt!r}")  # fmt: skip
    twice = [text for text in alts if alts.count(text) > 1]
    if twice:
        raise ValueError(f"alt must differ for each value of {name}, got {twice[0]!r} more than once")
    return alts


def _draw(fn, name, value):
    """Return the figure that fn draws, as SVG and as PNG; close all figures that fn opened, even after an error."""
    import matplotlib.pyplot as plt

    before = set(plt.get_fignums())
    try:
        fn(**{name: value})
        new = sorted(set(plt.get_fignums()) - before)
        if len(new) != 1:
            raise ValueError(f"fn must draw one new figure for each value, got {len(new)} for {name}={value!r}")
        svg, png = io.BytesIO(), io.BytesIO()
        if plt.figure(new[0]).get_figwidth() > PHONE.width + 0.4:
            narrow(plt.gcf())
        with plt.rc_context({"svg.hashsalt": "slide"}):  # the same figure gives the same bytes
            plt.figure(new[0]).savefig(svg, format="svg", metadata={"Date": None})
            plt.figure(new[0]).savefig(png, format="png", dpi=PIXELS_PER_INCH, metadata={"Software": None})
        return {"svg+xml": svg.getvalue(), "png": png.getvalue()}
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)


def _smaller(drawn):
    """Return all frames in the smaller format, as data URLs."""
    kind = min(("svg+xml", "png"), key=lambda kind: sum(len(frame[kind]) for frame in drawn))
    return [f"data:image/{kind};base64,{base64.b64encode(frame[kind]).decode()}" for frame in drawn]
