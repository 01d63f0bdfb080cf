"""The whole transformer in one drawing, with BERT marked; each part tells what it does and leads to its chapter.

Sources: R Figs. 3 and 5, L 3.2; Vaswani et al. (2017), Fig. 1.
"""

from html import escape
from pathlib import Path

from tutorial_lib.views.base import View
from tutorial_lib.weights.files import read_json

WIDTH, HEIGHT = 360, 456
COLUMN = {"encoder": 16, "decoder": 196}  # the left side of their boxes
BOX, LINE = 148, 26  # width and height of a box

_DATA = read_json(Path(__file__).parent / "blueprint.json")
DOES = _DATA["does"]  # name of a part -> what it does, its chapter ("" where the book has none), its color
PARTS = _DATA["parts"]  # encoder, decoder -> the upper side of each box, and its part
TOP = {"encoder": 136, "decoder": 58}  # of the frame around what is repeated
BOTTOM = 293
SUBLAYERS = {"encoder": [(256, 222), (178, 144)], "decoder": [(256, 222), (178, 144), (100, 66)]}


def blueprint() -> View:
    """The encoder and the decoder of the transformer of 2017 side by side, BERT's half framed.

    Returns a `View`: point at a part, or go there with Tab, and it is told what the part does; a click leads to its
    chapter. Without JavaScript it is a drawing with links.

    >>> blueprint()
    The transformer of 2017, and BERT in it (an interactive view: it needs a notebook or a page)
    """
    label = "The transformer of 2017, and BERT in it"
    parts = [_frames(), *map(_arrows, COLUMN), _crossing()]
    parts += [_part(side, *part) for side in PARTS for part in PARTS[side]]
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{label}"'
    svg = f'<svg class="tl-blueprint" {box}>{"".join(parts)}</svg>'
    say = "From the bottom up: on the left the encoder, which is BERT; on the right the decoder, which writes."
    return View("blueprint", {}, label, picture=(svg, say))


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


def _frames():
    """BERT's half, what is repeated, and what goes in and comes out."""
    parts = [
        f'<rect class="tl-half" x="4" y="96" width="{BOX + 24}" height="{HEIGHT - 98}" rx="8"/>'
        '<text class="tl-name" x="14" y="114">BERT</text>'
    ]
    for side, x in COLUMN.items():
        size = f'width="{BOX + 12}" height="{BOTTOM - TOP[side]}"'
        parts.append(f'<rect class="tl-repeated" x="{x - 6}" y="{TOP[side]}" {size} rx="6"/>')
        parts.append(f'<text class="tl-times" x="{x + BOX + 2}" y="{BOTTOM + 13}" text-anchor="end">× N layers</text>')
    ends = (("encoder", 438, "input text"), ("decoder", 438, "output so far"), ("decoder", 14, "the next token"))
    for side, y, text in ends:
        x = COLUMN[side] + BOX / 2
        parts.append(f'<text x="{x:.0f}" y="{y}" text-anchor="middle" class="tl-end">{text}</text>')
    return "".join(parts)


def _arrows(side):
    """Up through the boxes, and around each sublayer what is added to its output."""
    x = COLUMN[side]
    middle = x + BOX / 2
    rows = [y for y, _ in PARTS[side]]
    lines = [f"M{middle:.0f} {low}V{high + LINE}" for low, high in zip([426, *rows], rows)]
    lines += [f"M{middle:.0f} {sub + LINE + 5}H{x + 6}V{add + 13}" for sub, add in SUBLAYERS[side]]
    return f'<path class="tl-arrow" d="{"".join(lines)}"/>'


def _crossing():
    """The encoder's output goes to every cross-attention of the decoder; the decoder's to the next token."""
    x = COLUMN["encoder"] + BOX / 2
    to = COLUMN["decoder"]
    return f'<path class="tl-arrow" d="M{x:.0f} 144V124H182V191H{to}M{to + BOX / 2:.0f} 24V18"/>'
