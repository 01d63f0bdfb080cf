"""How one attention weight comes about: a query, the keys, their products coordinate by coordinate, and the softmax."""

from collections.abc import Sequence

import numpy as np

from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention, Tokens, as_place, pack, unpack

MOST_ERROR = 0.1  # of a weight, from rounding


def neuron_view(
    source: object, tokens: Tokens, layer: int = 0, head: int = 0, query: int = 0, keys: Sequence[str] | None = None
) -> View:
    """Show one query against every key: q, k, q * k by coordinate, their sum, the scaled score, and the softmax.

    source: a model with `.trace` (then tokens is an `Encoding`), or a trace with queries, keys and weights. tokens: an
    `Encoding`, or the tokens as list of str. layer, head, query: shown first; query is the position of a token. keys:
    as in `head_view`. If positions are rotary, queries and keys are the rotated ones.

    Returns a `View`. Bars up are positive, bars down negative. Point at a bar for its numbers; a key's button lists the
    coordinates that count most. Queries and keys are sent rounded (`tutorial_lib.views.traces.pack`) and the page
    computes from them; if this changes a weight by more than 0.0005, the view says by how much at most.

    Raises ValueError or TypeError if the arguments do not fit each other.

    >>> ones = np.ones((1, 1, 2))
    >>> trace = {f"layer.0.attention.{name}": ones for name in ("queries", "keys")}
    >>> neuron_view(trace | {"layer.0.attention.weights": np.ones((1, 1, 1))}, ["bear"])
    Attention of 1 token, 1 layer, 1 head (an interactive view: it needs a notebook or a page)
    """
    attention = Attention(source, tokens, keys)
    layer, head = attention.places(layer, head)
    query = as_place("query", query, len(attention.tokens))
    rotary = "layer.0.attention.rotated_keys" in (attention.trace or {})
    Q, K = (attention.stacked(f"rotated_{name}" if rotary else name) for name in ("queries", "keys"))
    K = K.repeat(Q.shape[1] // K.shape[1], axis=1)  # if heads share keys
    packed = pack(Q), pack(K)
    Q = unpack(packed[0], Q.shape)  # the values as the script sees them
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
    return View("neuron_view", data, attention.label(), attention.parts())


def _weights(Q, K, masked):
    """Compute the attention weights from rounded queries and keys."""
    scores = Q @ K.swapaxes(-2, -1) / np.sqrt(Q.shape[-1])
    scores[..., masked] = -np.inf
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
