"""The paths of one word through the layers, in two texts, in one plane. Source: L 4.3."""

from __future__ import annotations

import numpy as np

from tutorial_book.page.live.asking import asking, shared_words, word_vectors
from tutorial_lib.geometry import pca
from tutorial_lib.views.base import View


def path_view(model, tokenizer, one, other, word=None) -> View:
    """The path of each word that two texts share, in the two principal components of its points in both.

    A ring is the vector before the first layer, a large dot that after the last. word: shown first, else the one that
    parts most. Raises ValueError where the texts share no word.
    """
    (first, X), (second, Y) = (word_vectors(model, tokenizer, text) for text in (one, other))
    shared = shared_words(tokenizer, first, second)
    if not shared:
        raise ValueError(f"one and other must share a word, got {one!r:.60} and {other!r:.60}")
    shown = []
    for each in shared:
        a, b = X[:, first.index(each)], Y[:, second.index(each)]
        picture = pca(np.concatenate([a, b]))
        points = picture.coordinates.reshape(2, len(a), 2).tolist()
        names = [f"“{each}” in the first text", "in the second"]
        chart = {"kind": "paths", "paths": [[name, path] for name, path in zip(names, points, strict=True)]}
        start, end = (float(np.linalg.norm(a[k] - b[k])) for k in (0, -1))
        say = (
            f"The two paths of “{each}” lie {start:.1f} apart before the first layer and {end:.1f} after the last; "
            f"the plane holds {picture.shares.sum():.0%} of their variance."
        )
        shown.append((np.inf if each == word else end, [each, chart, say]))
    shown = [one for _, one in sorted(shown, key=lambda pair: -pair[0])]
    boxes = [["One text", one], ["Another", other]]
    return asking("evolution", model, boxes, shown, "Two paths of one word", "Word", word=word)
