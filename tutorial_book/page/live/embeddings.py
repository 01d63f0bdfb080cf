"""The nearest rows of the embedding table to any word's. Sources: R 2.2, L 3.2.3."""

from __future__ import annotations

import numpy as np

from tutorial_book.page.live.asking import asking, brief
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.views.base import View

NEAREST = 10


def neighbor_view(model, tokenizer, asked) -> View:
    """Show the ten whole words whose rows lie nearest to each asked word's, by cosine.

    Whole words are tokens of three Latin letters or more. In the page, clicking a word shows its own neighbors.
    Raises ValueError if an asked word is not a token.
    """
    unknown = [word for word in asked if word not in tokenizer.vocab]
    if unknown:
        raise ValueError(f"asked must be tokens of the vocabulary, got {unknown[0]!r:.60}")
    E = model.embeddings.tokens.weight.detach().cpu().numpy()
    words = [t for t in tokenizer.tokens if t.isascii() and t.isalpha() and len(t) > 2]
    C = cosine_matrix(E[[tokenizer.vocab[word] for word in asked]], E[[tokenizer.vocab[word] for word in words]])
    found = []
    for word, row in zip(asked, C, strict=True):
        best = [i for i in np.argsort(-row, kind="stable") if words[i] != word][:NEAREST]
        found.append([word, [[words[i], brief(row[i])] for i in best], len(words) - (word in words)])
    label = "The nearest rows of the embedding table"
    return asking("neighbors", model, [["A word", asked[0]]], found, label, "Word", follow=True)
