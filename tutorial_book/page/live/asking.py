"""The shared part of the live views: an example, the boxes for the reader's text, and words made of pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tutorial_lib.vectors import embed
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import DECODERS, LIVE

JS = Path(__file__).parent / "js"
REMEMBERED = ("Your sentence", "Begin a story")


def asking(kind, model, boxes, found, label, choose="", **more) -> View:
    """Return a view of an example, for which the script `kind` measures the same for the texts in the boxes.

    boxes: labels and texts, [[label, text], ...]; a text in a box of `REMEMBERED` is kept for the next page. found: the
    measurements of the example; the script makes charts and sentences from it. choose: the label of the menu that
    selects one of several charts. more: other data for the script.
    """
    live = model.source if model.source in (*LIVE, *DECODERS) else None
    data = {
        "layers": model.config.n_layers,
        "heads": model.config.n_heads,
        "boxes": [[*box, box[0] in REMEMBERED] for box in boxes],
        "found": found,
        "choose": choose,
        "live": live,
        **more,
    }
    return View(kind, data, label, ["live", "spoken", JS / "chart", JS / "asking"], JS)


def brief(values) -> float | list:
    """Round numbers for the page: more than five digits cannot be seen in a drawing.

    >>> brief([0.123456789, [1.0]])
    [0.12346, [1.0]]
    """
    return [brief(value) for value in values] if hasattr(values, "__len__") else float(f"{values:.5g}")


def words_of(tokens) -> list[tuple[str, list[int]]]:
    """Return the words of a text with the positions of their pieces; [CLS], [SEP] and marks are not words.

    >>> words_of(["[CLS]", "the", "ser", "##end", "[SEP]"])
    [('the', [1]), ('serend', [2, 3])]
    """
    words = []
    for place, token in enumerate(tokens):
        if token.startswith("##") and words:
            words[-1] = (words[-1][0] + token[2:], [*words[-1][1], place])
        elif not (token.startswith("[") and token.endswith("]") and len(token) > 2):
            words.append((token, [place]))
    return [word for word in words if any(letter.isalnum() for letter in word[0])]


def word_vectors(model, tokenizer, text) -> tuple[list[str], np.ndarray]:
    """Return a text's words, and their vectors before and after each layer: (n_layers + 1, n_words, d_model).

    A word of several pieces gets their mean.
    """
    words = words_of(tokenizer.encode(text).tokens)
    if not words:
        raise ValueError(f"text must have at least one word, got {text!r:.80}")
    (states,) = embed([text], model, "tokens", "all", tokenizer=tokenizer)
    return [word for word, _ in words], np.stack([states[:, places].mean(1) for _, places in words], axis=1)


def shared_words(tokenizer, one, other) -> list[str]:
    """Return words of both lists, the rarest first: a vocabulary's ids follow frequency; words in pieces have none."""
    shared = [word for word in dict.fromkeys(one) if word in other]
    return sorted(shared, key=lambda word: -tokenizer.vocab.get(word, len(tokenizer)))
