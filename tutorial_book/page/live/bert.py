"""The length of a token's vector at four points of a layer, and the candidates for [MASK]. Sources: L 3.2.1, L 3.3."""

from __future__ import annotations

import torch

from tutorial_book.page.live.asking import asking, brief, words_of
from tutorial_lib.views.base import View

STOPS = ("attention_sum", "attention_norm", "feed_forward_sum", "output")
LIKELIEST = 10
MASK = "[MASK]"


def length_view(model, tokenizer, text) -> View:
    """Show the length of each token's vector at four points of a layer: after both additions and both LayerNorms.

    One token is drawn, with the mean of all tokens except [CLS] and [SEP].
    """
    encoding = tokenizer.encode(text)
    if len(encoding.tokens) < 3:
        raise ValueError(f"text must have at least one word, got {text!r:.80}")
    with torch.no_grad():
        trace = model.trace(**encoding.inputs)
    stops = [f"layer.{i}.{stop}" for i in range(model.config.n_layers) for stop in STOPS]
    lengths = torch.stack([trace[stop][0].norm(dim=-1) for stop in stops])  # (stops, n)
    found = {"tokens": encoding.tokens, "lengths": brief(lengths.tolist())}
    return asking("length", model, [["Your sentence", text]], found, "Length of the vectors", "Token", stops=STOPS)


def mask_view(model, tokenizer, text) -> View:
    """Show the likeliest tokens for each [MASK] of a text, by a model with an MLM head.

    Raises ValueError if the text has no [MASK].
    """
    encoding = tokenizer.encode(text)
    places = [i for i, token in enumerate(encoding.tokens) if token == MASK]
    if not places:
        raise ValueError(f"text must have a [MASK], got {text!r:.80}")
    with torch.no_grad():
        p = model.mlm(model(**encoding.inputs))[0].softmax(-1).cpu()
    rows = []
    for place in places:
        best = p[place].topk(LIKELIEST)
        pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
        rows.append([[tokenizer.tokens[i], brief(value)] for i, value in pairs])
    found = {"rows": rows, "known": known(encoding.tokens)}
    boxes, label = [["A sentence with [MASK]", text]], "Which word does [MASK] hide?"
    return asking("mask", model, boxes, found, label, MASK, tokens=tokenizer.tokens)


def known(tokens) -> list[int]:
    """Return how many of a text's words are in the vocabulary, and how many words there are."""
    words = [places for word, places in words_of(tokens) if word.isalpha()]
    return [sum(len(places) == 1 for places in words), len(words) + tokens.count("[UNK]")]
