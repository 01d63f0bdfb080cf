"""What the live views share: an example with its charts, the boxes for the reader's text, and words out of pieces."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np

from tutorial_book.page.live.chart import drawn
from tutorial_lib.vectors import embed
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import DECODERS, LIVE

JS = Path(__file__).parent / "js"
REMEMBERED = ("Your sentence", "Begin a story")


def asking(kind, model, boxes, shown, label, choose="", **more) -> View:
    """A view of an example, which the script `kind` computes anew for what stands in the boxes.

    boxes: labels and texts, [[label, text], ...]; a text in a box of `REMEMBERED` is there again on the next page.
    shown: [[name, chart, sentence], ...], of which a menu called `choose` shows one, the first at first. more: what the
    script needs besides.
    """
    live = model.source if model.source in (*LIVE, *DECODERS) else None
    data = {
        "layers": model.config.n_layers,
        "heads": model.config.n_heads,
        "boxes": [[*box, box[0] in REMEMBERED] for box in boxes],
        "shown": shown,
        "choose": choose,
        "live": live,
        **more,
    }
    asked = "".join(f'<p class="tl-asked">{_asked(box)}</p>' for box in boxes)
    parts = ["live", "spoken", JS / "chart", JS / "asking"]
    return View(kind, data, asked + drawn(shown[0][1]), label, shown[0][2], parts, JS)


def _asked(box) -> str:
    """A label and its text as they are printed."""
    return f"{escape(box[0])}: <b>{escape(box[1])}</b>"


def two(value) -> str:
    """A number as the sentences say it: two digits, and a true minus sign.

    >>> two(-0.256), two(-0.001)
    ('−0.26', '0.00')
    """
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def words_of(tokens) -> list[tuple[str, list[int]]]:
    """The words of a text with the places of their pieces; [CLS], [SEP] and marks are no words.

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
    """The words of a text, and their vectors before the first layer and after each: (n_layers + 1, n_words, d_model).

    A word of several pieces gets the mean of theirs.
    """
    words = words_of(tokenizer.encode(text).tokens)
    if not words:
        raise ValueError(f"text must have at least one word, got {text!r:.80}")
    (states,) = embed([text], model, "tokens", "all", tokenizer=tokenizer)
    return [word for word, _ in words], np.stack([states[:, places].mean(1) for _, places in words], axis=1)


def shared_words(tokenizer, one, other) -> list[str]:
    """Words of both lists, the rarest first: a vocabulary's ids follow frequency, and words in pieces have none."""
    shared = [word for word in dict.fromkeys(one) if word in other]
    return sorted(shared, key=lambda word: -tokenizer.vocab.get(word, len(tokenizer)))
