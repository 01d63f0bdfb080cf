"""A sentence that looks at itself: one head's weights, from the word that you point at."""

import html

from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention, Tokens, as_place, asking_word

FAINT = 0.05  # a smaller weight is drawn, its number is not; js/gaze.js has the same


def gaze_view(source: object, tokens: Tokens, layer: int = 0, head: int = 0, query: int | None = None) -> View:
    """A text in one line, each word a button: bows lead from it to the words that it attends to, in one head.

    source, tokens, layer, head: as in `head_view`. query: the place of the token that is chosen first; without one,
    the whole word with the strongest link to another word.

    Returns a `View`. Beneath each word stands its weight. Raises ValueError or TypeError where the arguments do not fit
    each other.

    >>> import numpy as np
    >>> gaze_view(np.eye(2), ["a", "bear"], query=1)
    Attention of 2 tokens, 1 layer, 1 head (an interactive view: it needs a notebook or a page)
    """
    attention = Attention(source, tokens)
    layer, head = attention.places(layer, head)
    A = attention.weights[layer, as_place("head", head)]  # (n, n)
    query = asking_word(attention.tokens, A) if query is None else as_place("query", query, len(A))
    weights = [[round(float(weight), 3) for weight in row] for row in A]
    data = attention.data() | {"layer": layer, "head": head, "weights": weights, "query": query}
    words = "".join(
        _word(token, weight, place == query) for place, (token, weight) in enumerate(zip(attention.tokens, A[query]))
    )
    default = f'<div class="tl-gaze"><svg aria-hidden="true"></svg><ol>{words}</ol></div>'
    parts = ["attention", *(["live"] if attention.live else [])]
    return View("gaze_view", data, default, attention.label(), _tell(attention.tokens, A[query], query), parts)


def _word(token, weight, chosen):
    """A token as a button, with its weight beneath; js/gaze.js makes the same."""
    piece = ' class="tl-piece"' if token.startswith(("##", "[")) else ""
    faint = ' class="tl-faint"' if weight < FAINT else ""
    return (
        f'<li><button type="button"{piece} aria-pressed="{str(chosen).lower()}" style="--weight:{weight:.3f}">'
        f"{html.escape(_shown(token))}</button><small{faint}>{_share(weight)}</small></li>"
    )


def _shown(token):
    """A piece of a word with a hyphen in place of its marks.

    >>> _shown("##end")
    '-end'
    """
    return f"-{token[2:]}" if token.startswith("##") and len(token) > 2 else token


def _share(weight):
    """A weight as it stands beneath its word.

    >>> _share(0.874), _share(1.0)
    ('.87', '1.00')
    """
    return f"{weight:.2f}".removeprefix("0")


def _tell(tokens, row, query):
    """Where the chosen token looks most, in one sentence; js/gaze.js says the same."""
    most = int(row.argmax())
    return f"“{_shown(tokens[query])}” looks most at “{_shown(tokens[most])}”: {_share(row[most])} of its weight."
