"""How similar the words of one text are, layer by layer, compared with other texts' words. Sources: A 2.3, L 4.2."""

from __future__ import annotations

import numpy as np

from tutorial_book.page.live.asking import asking, brief, word_vectors
from tutorial_lib.geometry import average_cosine
from tutorial_lib.views.base import View


def average_view(model, tokenizer, texts, text) -> View:
    """Show the average cosine of two words of a text after each layer, and that of words of different texts.

    texts: the texts whose words are compared, the middle one of each. Raises ValueError if text has fewer
    than two words.
    """
    words, X = word_vectors(model, tokenizer, text)
    if len(words) < 2:
        raise ValueError(f"text must have two words or more, got {text!r:.80}")
    middle = [states[:, states.shape[1] // 2] for _, states in (word_vectors(model, tokenizer, each) for each in texts)]
    apart = [average_cosine(layer) for layer in np.stack(middle, axis=1)]
    own = [average_cosine(layer) for layer in X]
    label = "How similar a text’s words are"
    return asking("average", model, [["Your sentence", text]], brief(own), label, apart=brief(apart))
