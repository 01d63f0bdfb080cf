"""One word in two sentences, layer by layer, compared with two different words. Sources: L 3.2.3, R 11.6."""

from __future__ import annotations

from tutorial_book.page.live.asking import asking, brief, shared_words, word_vectors
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.views.base import View


def word_view(model, tokenizer, one, other) -> View:
    """Show the cosine of a word's vectors in two sentences after each layer, for each word that both have.

    The dashed line is the control: the mean over all pairs of different words, one of each sentence. A word of several
    pieces has the mean of their vectors; of a repeated word the first is used. Raises ValueError if the sentences share
    no word.
    """
    (first, X), (second, Y) = (word_vectors(model, tokenizer, text) for text in (one, other))
    shared = shared_words(tokenizer, first, second)
    if not shared:
        raise ValueError(f"one and other must share a word, got {one!r:.60} and {other!r:.60}")
    cosines = [cosine_matrix(x, y) for x, y in zip(X, Y, strict=True)]
    different = [(i, j) for i, a in enumerate(first) for j, b in enumerate(second) if a != b]
    control = [sum(C[i, j] for i, j in different) / len(different) for C in cosines] if different else []
    curves = [[word, brief([C[first.index(word), second.index(word)] for C in cosines])] for word in shared]
    found = {"words": curves, "control": brief(control)}
    boxes = [["One sentence", one], ["Another", other]]
    return asking("context", model, boxes, found, "One word in two sentences", "Word")
