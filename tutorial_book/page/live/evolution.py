"""The paths of one word through the layers, in two texts, in one plane. Source: L 4.3."""

from __future__ import annotations

import numpy as np

from tutorial_book.page.live.asking import asking, brief, shared_words, word_vectors
from tutorial_lib.geometry import pca
from tutorial_lib.views.base import View


def path_view(model, tokenizer, one, other, word=None) -> View:
    """Show the path of each word that two texts share, in the two principal components of its points in both.

    A ring is the vector before the first layer, a large dot the one after the last. word: shown first, by default the
    one that separates most. Raises ValueError if the texts share no word.
    """
    (first, X), (second, Y) = (word_vectors(model, tokenizer, text) for text in (one, other))
    shared = shared_words(tokenizer, first, second)
    if not shared:
        raise ValueError(f"one and other must share a word, got {one!r:.60} and {other!r:.60}")
    found = []
    for each in shared:
        a, b = X[:, first.index(each)], Y[:, second.index(each)]
        plane = pca(np.concatenate([a, b]))
        apart = np.linalg.norm(a - b, axis=1)[[0, -1]]  # before the first layer and after the last
        found.append([each, brief(plane.coordinates), brief(apart), float(plane.shares.sum())])
    found.sort(key=lambda path: (path[0] != word, -path[2][1]))
    boxes = [["One text", one], ["Another", other]]
    return asking("evolution", model, boxes, found, "Two paths of one word", "Word", word=word)
