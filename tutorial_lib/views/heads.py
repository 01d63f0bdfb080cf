"""Who attends to whom, as lines between tokens: one head at a time, and all heads of a model at a glance."""

from collections.abc import Sequence

from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention, Tokens, as_place, pack

LEAST = 0.02  # weaker lines are hidden at first


def head_view(
    source: object, tokens: Tokens, layer: int = 0, head: int | None = 0, keys: Sequence[str] | None = None,
    query: int | None = None,
) -> View:  # fmt: skip
    """Draw lines from each token to the tokens that it attends to, for any layer and any choice of heads.

    Args:
        source: a model with `.trace` (then tokens is an `Encoding`), a trace, or weights: an array of shape (n_layers,
            n_heads, n, n), in which layers and heads may be missing; or a list of layers.
        tokens: the `Encoding` of one text or one pair, whose segments add a filter, or the tokens as list of str.
        layer, head: shown first; head None shows all heads.
        keys: the tokens of the other side if queries attend to another text (cross-attention).
        query: the position of a token that is selected at first, so that only its lines show.

    Returns:
        A `View`. In it, choose layer and heads, point at a token to see only its lines (Enter or a click keeps them),
            leave out weak lines. Weights are sent rounded (`tutorial_lib.views.traces.pack`): 6 layers of 12 heads take
            430 KB for 64 tokens, 180 KB for 28.

    Raises:
        ValueError or TypeError if the arguments do not fit each other.

    >>> import numpy as np
    >>> head_view(np.eye(2), ["a", "bear"])
    Attention of 2 tokens, 1 layer, 1 head (an interactive view: it needs a notebook or a page)
    """
    attention = Attention(source, tokens, keys)
    layer, one = attention.places(layer, 0 if head is None else head)
    data = attention.data() | {"layer": layer, "head": None if head is None else one, "least": LEAST}
    data["weights"] = pack(attention.weights)
    if query is not None:
        data["pressed"] = as_place("query", query, len(attention.tokens))
    return View("head_view", data, attention.label(), attention.parts("head_drawing"))
