"""The same words in two orders, with and without position vectors. Sources: L 3.2.8, R 3."""

from __future__ import annotations

import numpy as np
import torch

from tutorial_book.page.live.asking import asking, brief, shared_words, words_of
from tutorial_lib.geometry import cosine
from tutorial_lib.views.base import View

POSITIONS = "embeddings.positions"
KINDS = {"without positions": (POSITIONS,), "with positions": ()}


def order_view(model, tokenizer, one, other) -> View:
    """Show how similar each word's last vector is in two texts, with positions and with zeros in their place.

    Words that both texts contain are compared, the first of each. Raises ValueError if there is none.
    """
    texts = [words_of(tokenizer.encode(text).tokens) for text in (one, other)]
    shared = shared_words(tokenizer, *([word for word, _ in words] for words in texts))
    if not shared:
        raise ValueError(f"one and other must share a word, got {one!r:.60} and {other!r:.60}")
    found = []
    for kind, zeroed in KINDS.items():
        vectors = [_last_vectors(model, tokenizer, text, zeroed) for text in (one, other)]
        rows = []
        for word in shared:
            places = [next(places for name, places in words if name == word) for words in texts]
            x, y = (V[at].mean(0) for V, at in zip(vectors, places, strict=True))
            rows.append([word, brief(cosine(x[None], y[None])[0])])
        found.append([kind, rows])
    boxes = [["One order", one], ["Another", other]]
    return asking("positions", model, boxes, found, "The same words in two orders", "Model")


@torch.no_grad()
def _last_vectors(model, tokenizer, text, zeroed) -> np.ndarray:
    def keep(name, value):
        return value * 0 if name in zeroed else value

    return model(**tokenizer.encode(text).inputs, keep=keep)[0].cpu().numpy()
