"""A sentence attending to itself: one head's weights, from the word that you point at."""

from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention, Tokens, as_place


def gaze_view(source: object, tokens: Tokens, layer: int = 0, head: int = 0, query: int | None = None) -> View:
    """Show a text in one line, each word a button: arcs lead to the words that it attends to, in one head.

    source, tokens, layer, head: as in `head_view`. query: the position of the token that is selected first; by default,
    the whole word with the strongest link to another word.

    Returns a `View`. Beneath each word is its weight. Raises ValueError or TypeError if the arguments do not fit each
    other.

    >>> import numpy as np
    >>> gaze_view(np.eye(2), ["a", "bear"], query=1)
    Attention of 2 tokens, 1 layer, 1 head (an interactive view: it needs a notebook or a page)
    """
    attention = Attention(source, tokens)
    layer, head = attention.places(layer, head)
    A = attention.weights[layer, head]  # (n, n)
    if query is not None:
        query = as_place("query", query, len(A))
    weights = [[round(float(weight), 4) for weight in row] for row in A]
    data = attention.data() | {"layer": layer, "head": head, "weights": weights, "query": query}
    return View("gaze_view", data, attention.label(), ["attention", *(["live"] if attention.live else [])])
