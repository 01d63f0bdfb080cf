"""The roles of heads on a text: a word and its partner, compared with a fixed offset, and each head silenced in turn.

Sources: R 10.2 to 10.5.
"""

from __future__ import annotations

import numpy as np
import torch

from tutorial_book.page.live.asking import asking, brief, words_of
from tutorial_lib.geometry import cosine
from tutorial_lib.trace import silence
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention


def offset_view(model, tokenizer, text, word, partner) -> View:
    """Show each head's weight from a word to its partner, and its average over the same distance elsewhere in the text.

    For a word of several pieces, the weights that it gives are averaged, and those that it gets are added. [CLS] and
    [SEP] are left out of the average. Raises ValueError if a word is not in the text, or both are the same word.
    """
    encoding = tokenizer.encode(text)
    words = dict(reversed(words_of(encoding.tokens)))  # the first of each word
    names = [next(iter(words_of(tokenizer.encode(each).tokens)), [""])[0] for each in (word, partner)]  # as it is cut
    for argument, value, name in (("word", word, names[0]), ("partner", partner, names[1])):
        if name not in words:
            raise ValueError(f"{argument} must be a word of the text, got {value!r:.60} for {text!r:.80}")
    here, there = (words[name] for name in names)
    if here == there:
        raise ValueError(f"word and partner must differ, got {word!r:.60} twice")
    maps = Attention(model, encoding).weights  # (n_layers, n_heads, n, n)
    given = maps[..., here, :][..., there].mean(-2).sum(-1)
    offset, n = there[0] - here[0], len(encoding.tokens)
    rows = [i for i in range(1, n - 1) if 1 <= i + offset < n - 1 and i not in here]
    elsewhere = np.mean([maps[..., i, i + offset] for i in rows], axis=0) if rows else np.zeros(given.shape)
    found = {"names": names, "given": brief(given), "elsewhere": brief(elsewhere) if rows else None}
    boxes = [["A sentence", text], ["from", word], ["to", partner]]
    return asking("offset", model, boxes, found, "A word and its partner in all heads", "Weights of")


@torch.no_grad()
def silence_view(model, tokenizer, text) -> View:
    """Show how far a text's mean vector turns without each head, as 1 − cosine in thousandths."""
    inputs = tokenizer.encode(text).inputs
    n_layers, n_heads = model.config.n_layers, model.config.n_heads

    def pooled(heads):
        return model(**inputs, keep=silence(heads))[0].mean(0).cpu().numpy()

    turned = np.stack([pooled([(i, k)]) for i in range(n_layers) for k in range(n_heads)])
    turned = (1 - cosine(turned, np.broadcast_to(pooled([]), turned.shape))).reshape(n_layers, n_heads)
    return asking("silence", model, [["Your sentence", text]], brief(turned), "A text without each head")
