"""All heads of a model at a glance, each as a small picture of its weights."""

import base64
import html
import struct
import zlib
from collections.abc import Sequence

import numpy as np

from tutorial_lib.views.base import View
from tutorial_lib.views.heads import LEAST
from tutorial_lib.views.traces import Attention, Tokens, pack

SIDE, GAP, EDGE = 24, 4, 18  # of a head's picture, between two pictures, and for the numbers at the left and top
PINK = (190, 76, 148)  # the pink of attention, visible on white and on black; model_view.js has the same
NOTE = (
    "Each small picture is one head: a row for each query, a column for each key, and a stronger color for a larger "
    "weight. Layers go down, heads across."
)


def model_view(
    source: object, tokens: Tokens, layer: int = 0, head: int = 0, keys: Sequence[str] | None = None
) -> View:
    """Show every head of every layer as a small picture; click one, or press Enter, to see its lines beside the grid.

    Arguments as in `head_view`; layer and head are opened first. The color's strength is the square root of the weight,
    so that weak weights are visible. Arrow keys move from head to head.

    Raises ValueError or TypeError if the arguments do not fit each other.

    >>> model_view(np.ones((6, 12, 1, 1)), ["bear"])
    Attention of 1 token, 6 layers, 12 heads (an interactive view: it needs a notebook or a page)
    """
    attention = Attention(source, tokens, keys)
    layer, head = attention.places(layer, head)
    data = attention.data() | {"layer": layer, "head": head, "weights": pack(attention.weights), "least": LEAST}
    first = grid(attention), NOTE  # an image; in the page its cells are buttons
    return View("model_view", data, attention.label(), attention.parts("head_drawing"), picture=first)


def grid(attention: Attention) -> str:
    """Return the small pictures as one SVG with the numbers of layers and heads: the view without JavaScript."""
    n_layers, n_heads = attention.weights.shape[:2]
    step = SIDE + GAP
    alt = f"{attention.label()}: the weights of each head as a small picture."
    width = EDGE + n_heads * step
    height = EDGE + n_layers * step
    parts = [f'<svg class="tl-sheet" role="img" aria-label="{html.escape(alt)}" viewBox="0 0 {width} {height}">']
    parts += [f'<text x="{EDGE + h * step + SIDE / 2}" y="12" text-anchor="middle">{h}</text>' for h in range(n_heads)]
    parts += [f'<text x="0" y="{EDGE + i * step + 17}">{i}</text>' for i in range(n_layers)]
    frames = "".join(
        f"M{EDGE + h * step - 1} {EDGE + i * step - 1}h{SIDE + 2}v{SIDE + 2}h-{SIDE + 2}z"
        for i in range(n_layers)
        for h in range(n_heads)
    )
    place = f'x="{EDGE}" y="{EDGE}" width="{n_heads * step}" height="{n_layers * step}"'
    parts.append(f'<path d="{frames}"/><image {place} href="{png(sheet(attention.weights))}"/></svg>')
    return "".join(parts)


def sheet(weights: np.ndarray) -> np.ndarray:
    """Return all heads' weights side by side, each fitted into SIDE x SIDE pixels (by the largest in each pixel)."""
    n_layers, n_heads, n, m = weights.shape
    rows, columns = (np.unique(np.arange(SIDE) * count // SIDE) for count in (n, m))
    small = np.maximum.reduceat(np.maximum.reduceat(weights, rows, axis=2), columns, axis=3)
    stretch = (np.arange(SIDE) * len(places) // SIDE for places in (rows, columns))  # if a text is short
    small = small[:, :, next(stretch)][..., next(stretch)]
    small = np.pad(small, ((0, 0), (0, 0), (0, GAP), (0, GAP)))
    return small.swapaxes(1, 2).reshape(n_layers * (SIDE + GAP), n_heads * (SIDE + GAP))


def png(weights: np.ndarray) -> str:
    """Return an image of weights from 0 to 1 as a data URL: one pink in 16 strengths, on any page color.

    >>> png(np.eye(2))[:30]
    'data:image/png;base64,iVBORw0K'
    """
    levels = np.rint(np.sqrt(np.clip(weights, 0, 1)) * 15).astype(np.uint8)
    height, width = levels.shape
    levels = np.pad(levels, ((0, 0), (0, width % 2)))
    packed = levels[:, 0::2] << 4 | levels[:, 1::2]  # two pixels in a byte; an odd row ends with half a byte of zeros
    lines = b"".join(b"\0" + row.tobytes() for row in packed)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)),
        (b"PLTE", bytes(PINK) * 16),
        (b"tRNS", bytes(17 * level for level in range(16))),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    ]
    body = b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()
