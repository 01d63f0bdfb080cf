"""The whole transformer in one drawing, with BERT marked; each part explains itself and links to its chapter.

Sources: R Figs. 3 and 5, L 3.2; Vaswani et al. (2017), Fig. 1.
"""

from html import escape
from pathlib import Path

from tutorial_lib.views.base import View
from tutorial_lib.weights.files import read_json, read_text

COLUMN = {"encoder": 16, "decoder": 196}  # the left side of their boxes
BOX, LINE = 148, 26  # width and height of a box

_DRAWING = Path(__file__).with_name("blueprint.svg")  # frames, arrows and labels; the parts are inserted
_DATA = read_json(_DRAWING.with_suffix(".json"))
DOES = _DATA["does"]  # name of a part -> what it does, its chapter ("" if the book has none), its color
PARTS = _DATA["parts"]  # encoder, decoder -> the upper side of each box, and its part


def blueprint() -> View:
    """Show the encoder and the decoder of the transformer of 2017 side by side, BERT's half framed.

    Returns a `View`: point at a part, or go there with Tab, to read what the part does; a click opens its chapter.
    Without JavaScript it is a drawing with links.

    >>> blueprint()
    The transformer of 2017, and BERT in it (an interactive view: it needs a notebook or a page)
    """
    parts = "".join(_part(side, *part) for side in PARTS for part in PARTS[side])
    svg = read_text(_DRAWING).replace("</svg>", f"{parts}</svg>")
    say = "Read it from the bottom up. On the left is the encoder, BERT. On the right is the decoder, which writes."
    return View("blueprint", {}, "The transformer of 2017, and BERT in it", picture=(svg, say))


def _part(side, y, name):
    x = COLUMN[side]
    does, chapter, color = DOES[name]
    sentence = escape(f"{name[0].upper()}{name[1:]}: {does}.")
    drawn = (
        f'<g class="tl-part" data-told="{sentence}"><rect x="{x}" y="{y}" width="{BOX}" height="{LINE}" rx="4"'
        + (f' style="--part:var(--{color})"' if color else "")
        + f'/><text x="{x + BOX / 2:.0f}" y="{y + 17}" text-anchor="middle">{escape(name)}</text></g>'
    )
    return f'<a href="{chapter}.html" aria-label="{sentence}">{drawn}</a>' if chapter else drawn
