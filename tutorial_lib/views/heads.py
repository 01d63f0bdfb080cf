"""Who attends to whom, as lines between tokens: one head at a time, and all heads of a model at a glance."""

import html
from collections.abc import Iterable, Sequence

import numpy as np

from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention, Tokens, as_place, name_of, shorten

# The picture's measures; js/head_picture.js has the same.
WIDTH, TOP, ROW = 360, 22, 24
LEFT, RIGHT = 134, 226  # the lines' ends
LEVELS = 10  # a line's strength, told by its opacity and its width
LEAST = 0.02  # weaker lines are not drawn at first


def head_view(
    source: object, tokens: Tokens, layer: int = 0, head: int | None = 0, segments: Iterable[int] | None = None,
    keys: Sequence[str] | None = None, text: int = 0, query: int | None = None,
) -> View:  # fmt: skip
    """Lines from each token to the tokens that it attends to, for any layer and any choice of heads.

    source: a model with `.trace` (then tokens is an `Encoding`), a trace, or weights: an array of shape (n_layers,
    n_heads, n, n), also with texts as second axis; layers and heads may be missing; a list of layers will do. tokens:
    an `Encoding`, or the tokens as list of str. layer, head: shown first; head None shows all heads. segments: 0 or 1
    for each token of a pair of texts; an `Encoding` brings them. They add a filter. keys: the tokens of the other side
    where queries attend to another text (cross-attention). text: which text, where there is a batch. query: the place
    of a token that is pressed at first, so that only its lines show.

    Returns a `View`. In it, choose layer and heads, point at a token to see only its lines (Enter or a click keeps
    them), leave out weak lines. Weights travel rounded (`tutorial_lib.views.traces.pack`): 6 layers of 12 heads make
    430 KB for 64 tokens, 180 KB for 28. Raises ValueError or TypeError where the arguments do not fit each other.

    >>> head_view(np.eye(2), ["a", "bear"])
    Attention of 2 tokens, 1 layer, 1 head (an interactive view: it needs a notebook or a page)
    """
    attention = Attention(source, tokens, segments, keys, text)
    layer, head = attention.places(layer, head)
    data = attention.data() | {"layer": layer, "head": head, "weights": attention.rounded(), "least": LEAST}
    shown = attention.weights[layer, range(len(attention.weights[layer])) if head is None else [head]]
    if query is not None:
        data["pressed"] = query = as_place("query", query, len(attention.tokens))
        shown = np.where(np.arange(shown.shape[1])[:, None] == query, shown, 0)
    say = tell(attention, layer, head, query)
    parts = attention.parts("head_picture")
    return View("head_view", data, picture(attention, shown, say), attention.label(), say, parts)


def tell(attention: Attention, layer: int, head: int | None, query: int | None = None) -> str:
    """One sentence on what is shown first; js/head_picture.js says the same."""
    if head is None:
        return f"Layer {layer}, all heads."
    weights = attention.weights[layer, head]
    if query is not None:
        most = np.argsort(-weights[query], kind="stable")[:3]
        names = ", ".join(f"{name_of(attention.keys, j)} ({weights[query, j]:.2f})" for j in most)
        return f"Layer {layer}, head {head}. {name_of(attention.tokens, query)} attends most to {names}."
    strongest = np.argsort(-weights, axis=None, kind="stable")[:3]
    pairs = [np.unravel_index(place, weights.shape) for place in strongest]
    names = [f"{name_of(attention.tokens, i)} to {name_of(attention.keys, j)} ({weights[i, j]:.2f})" for i, j in pairs]
    return f"Layer {layer}, head {head}. Strongest: {', '.join(names)}."


def picture(attention: Attention, shown: np.ndarray, alt: str) -> str:
    """The lines of some heads, (heads, n, m), as SVG: what is seen without JavaScript."""
    rows = max(len(attention.tokens), len(attention.keys))
    box = f'viewBox="0 0 {WIDTH} {TOP + ROW * rows + 4}"'
    across = f"translate({LEFT} {TOP + ROW // 2}) scale({RIGHT - LEFT} {ROW})"  # so that the paths stay short
    parts = [f'<svg class="tl-lines" role="img" aria-label="{html.escape(alt)}" {box}><g transform="{across}">']
    parts += [
        f'<path d="{lines}" stroke-opacity="{0.1 + 0.9 * strength:.2f}" stroke-width="{0.6 + 2.4 * strength:.2f}"/>'
        for weights in shown
        for strength, lines in line_paths(weights)
    ]
    parts.append("</g>")
    for side, x, anchor, tokens in (("query", 130, "end", attention.tokens), ("key", 230, "start", attention.keys)):
        parts.append(f'<text x="{x}" y="12" text-anchor="{anchor}" class="tl-side">{side}</text>')
        for i, token in enumerate(tokens):
            y = TOP + ROW * i + 16
            letters = html.escape(shorten(token))
            parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{letters}</text>')
    return "".join(parts) + "</svg>"


def line_paths(weights: np.ndarray, least: float = LEAST) -> list[tuple[float, str]]:
    """The lines of one head as few SVG paths, each with the strength (up to 1) of its lines; x is 0 or 1, y a row.

    >>> line_paths(np.eye(2))
    [(1.0, 'M0 0L1 0M0 1L1 1')]
    """
    levels = np.clip(np.ceil(weights * LEVELS), 1, LEVELS)
    levels[(weights < least) | (weights == 0)] = 0
    lines = ((level, np.argwhere(levels == level)) for level in range(1, LEVELS + 1))
    return [(level / LEVELS, "".join(f"M0 {i}L1 {j}" for i, j in pairs)) for level, pairs in lines if len(pairs)]
