"""How one attention weight comes about: a query, the keys, their products coordinate by coordinate, and the softmax."""

import html
from collections.abc import Sequence

import numpy as np

from tutorial_lib.arguments import Numbers
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention, Tokens, as_place, name_of, pack, shorten, unpack

COLUMNS = (22, 16, 16, 15, 14, 17)  # percent of the table's width
ROWS = 16  # keys shown at first where there are more; js/neuron_view.js has the same
MOST_ERROR = 0.1  # of a weight, from rounding
HALF = 20  # the longest bar, in units of its little picture


def neuron_view(
    source: object, tokens: Tokens, layer: int = 0, head: int = 0, query: int = 0, keys: Sequence[str] | None = None,
    text: int = 0,
) -> View:  # fmt: skip
    """One query against every key: q, k, q * k by coordinate, their sum, the scaled score, and the softmax.

    source: a model with `.trace` (then tokens is an `Encoding`), or a trace with queries, keys and weights. tokens: an
    `Encoding`, or the tokens as list of str. layer, head, query: shown first; query is the place of a token. keys,
    text: as in `head_view`. Where positions are rotary, queries and keys are the rotated ones.

    Returns a `View`. Bars up are positive, bars down negative. Point at a bar for its numbers; a key's button lists
    the coordinates that count most. Queries and keys travel rounded (`tutorial_lib.views.traces.pack`) and the page
    computes from them; where this moves a weight by more than 0.0005, the view says by how much at most.

    Raises ValueError or TypeError where the arguments do not fit each other.

    >>> ones = np.ones((1, 1, 2))
    >>> trace = {f"layer.0.attention.{name}": ones for name in ("queries", "keys")}
    >>> neuron_view(trace | {"layer.0.attention.weights": np.ones((1, 1, 1))}, ["bear"])
    Attention of 1 token, 1 layer, 1 head (an interactive view: it needs a notebook or a page)
    """
    attention = Attention(source, tokens, keys=keys, text=text)
    layer, head = attention.places(layer, head)
    query = as_place("query", query, len(attention.tokens))
    if head is None:
        raise ValueError(f"head must be from 0 to {attention.weights.shape[1] - 1}, got None")
    rotary = "layer.0.attention.rotated_keys" in (attention.trace or {})
    Q, K = (attention.stacked(f"rotated_{name}" if rotary else name) for name in ("queries", "keys"))
    K = K.repeat(Q.shape[1] // K.shape[1], axis=1)  # where heads share keys
    packed = pack(Q), pack(K)
    Q = unpack(packed[0], Q.shape)  # what the script will see
    K = unpack(packed[1], K.shape)
    masked = (attention.weights == 0).all((0, 1))
    error = float(np.abs(_weights(Q, K, masked) - attention.weights).max())
    if error > MOST_ERROR:
        why = f"source must have weights that follow from its queries and keys, got one that is off by {error:.2f}"
        raise ValueError(f"{why}; a mask that differs from layer to layer, such as ModernBERT's windows, is not drawn")
    data = attention.data() | {"layer": layer, "head": head, "query": query, "d_k": Q.shape[-1], "error": error}
    data |= {"Q": packed[0], "K": packed[1]}
    if masked.any():
        data["masked"] = ["".join("01"[blocked] for blocked in row) for row in masked.astype(int)]
    rows = _rows(Q[layer, head, query], K[layer, head], masked[query])
    say = _tell(attention, rows, layer, head, query) + _rounding(error)
    default = _table(attention, Q[layer, head, query], K[layer, head], rows, query)
    return View("neuron_view", data, default, attention.label(), say, parts=attention.parts("bars"))


def _weights(Q, K, masked):
    """The attention weights that follow from rounded queries and keys."""
    scores = Q @ K.swapaxes(-2, -1) / np.sqrt(Q.shape[-1])
    scores[..., masked] = -np.inf
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _rows(q, K, masked):
    """For each key: products with q by coordinate, their sum, the scaled score, the weight."""
    products = K * q  # (n, d_k)
    sums = products.sum(-1)
    weights = _weights(q[None], K, masked[None])[0]
    return [(products[j], sums[j], sums[j] / np.sqrt(len(q)), weights[j]) for j in range(len(K))]


def _tell(attention, rows, layer, head, query):
    best = max(range(len(rows)), key=lambda j: rows[j][3])
    _, total, scaled, weight = rows[best]
    return (
        f"Layer {layer}, head {head}: {name_of(attention.tokens, query)} gives most weight, {weight:.3f}, to "
        f"{name_of(attention.keys, best)}: q · k is {number(total)}, scaled {number(scaled)}."
    )


def _rounding(error):
    return f" Queries and keys are rounded here: no weight is off by more than {error:.4f}." if error > 5e-4 else ""


def number(x: float) -> str:
    """A number in at most seven characters, with a true minus sign.

    >>> number(-1.234), number(123.456)
    ('−1.23', '123.5')
    """
    return f"{x:.{1 if abs(x) >= 99.995 else 2}f}".replace("-", "−")


def bars(values: Numbers, top: float) -> str:
    """A vector as bars, up for positive and down for negative; `top` is the longest.

    >>> bars(np.array([1.0, -0.5]), 1.0).count("<path")
    2
    """
    heights = np.rint(np.asarray(values) / top * HALF).astype(int)
    up, down = (
        f"M0 {HALF}" + "".join(f"V{HALF - height}h1" for height in part) + f"V{HALF}z"
        for part in (np.maximum(heights, 0), np.minimum(heights, 0))
    )
    box = f'viewBox="0 0 {len(heights)} {2 * HALF}" preserveAspectRatio="none"'
    return f'<svg aria-hidden="true" {box}><path class="tl-up" d="{up}"/><path class="tl-down" d="{down}"/></svg>'


def _table(attention, q, K, rows, query):
    """The default state: the keys with the largest weights, in the order of the text."""
    top = max(np.abs(q).max(), np.abs(K).max()) or 1
    top_product = max(np.abs(products).max() for products, *_ in rows) or 1
    shown = sorted(sorted(range(len(rows)), key=lambda j: (-rows[j][3], j))[:ROWS])
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("key", "k", "q × k", "q · k", f"÷ √{len(q)}", "softmax")
    )
    left_out = f" The {ROWS} keys with most weight." if len(rows) > ROWS else ""
    asks = html.escape(shorten(attention.tokens[query]))
    parts = [
        f'<table class="tl-neurons"><caption>Bars up are positive, bars down negative.{left_out}</caption>',
        "<colgroup>" + "".join(f'<col style="width:{width}%">' for width in COLUMNS) + "</colgroup>",
        f'<thead><tr class="tl-q"><th scope="row">{asks}</th>',
        f'<td>{bars(q, top)}</td><td colspan="4">q, the query</td></tr><tr>{heads}</tr></thead><tbody>',
    ]
    for j in shown:
        products, total, scaled, weight = rows[j]
        parts.append(
            f'<tr><th scope="row">{html.escape(shorten(attention.keys[j]))}</th><td>{bars(K[j], top)}</td>'
            f"<td>{bars(products, top_product)}</td><td>{number(total)}</td><td>{number(scaled)}</td>"
            f'<td>{weight:.3f}<i style="width:{100 * weight:.0f}%"></i></td></tr>'
        )
    return "".join(parts) + "</tbody></table>"
