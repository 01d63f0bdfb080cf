"""The length of a token's vector at each stop of a layer, and what stands behind [MASK]. Sources: L 3.2.1, L 3.3."""

from __future__ import annotations

import torch

from tutorial_book.page.live.asking import asking, words_of
from tutorial_book.page.live.chart import bars, lines
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import name_of

STOPS = ("attention_sum", "attention_norm", "feed_forward_sum", "output")
LIKELIEST = 10
MASK = "[MASK]"


def length_view(model, tokenizer, text) -> View:
    """The length of each token's vector at the four stops of a layer: after both additions and both LayerNorms.

    One token is drawn, beside the mean of all tokens but [CLS] and [SEP].
    """
    encoding = tokenizer.encode(text)
    if len(encoding.tokens) < 3:
        raise ValueError(f"text must have at least one word, got {text!r:.80}")
    with torch.no_grad():
        trace = model.trace(**encoding.inputs)
    stops = [f"layer.{i}.{stop}" for i in range(model.config.n_layers) for stop in STOPS]
    lengths = torch.stack([trace[stop][0].norm(dim=-1) for stop in stops]).cpu().numpy()  # (stops, n)
    ordinary = lengths[:, 1:-1].mean(1)
    x = [f"{i}" if stop == STOPS[0] else "" for i in range(model.config.n_layers) for stop in STOPS]
    other, shown = "mean of the text’s tokens", []
    for place in range(len(encoding.tokens)):
        own = lengths[:, place]
        name = name_of(encoding.tokens, place)
        low, high = min(own.min(), ordinary.min()), max(own.max(), ordinary.max())
        chart = lines(
            {name: own, other: ordinary}, x, "layer, four stops each", "length", float(low), float(high), [other], True
        )
        longest = int(own.argmax())
        layer, stop = divmod(longest, len(STOPS))
        mean = f"{own[longest]:.1f}, where the mean is {ordinary[longest]:.1f}"
        say = f"{name} is longest in layer {layer}, at {STOPS[stop]}: {mean}."
        shown.append([name, chart, say])
    return asking("length", model, [["Your sentence", text]], shown, "Length of the vectors", "Token")


def mask_view(model, tokenizer, text) -> View:
    """The likeliest tokens behind each [MASK] of a text, by a model with an MLM head.

    Raises ValueError where the text has no [MASK].
    """
    encoding = tokenizer.encode(text)
    places = [i for i, token in enumerate(encoding.tokens) if token == MASK]
    if not places:
        raise ValueError(f"text must have a [MASK], got {text!r:.80}")
    with torch.no_grad():
        p = model.mlm(model(**encoding.inputs))[0].softmax(-1).cpu()
    shown = []
    for number, place in enumerate(places, 1):
        best = p[place].topk(LIKELIEST)
        rows = [
            [tokenizer.tokens[i], value] for i, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]
        say = f"“{rows[0][0]}” is likeliest, with {rows[0][1]:.2f}. {known(encoding.tokens, tokenizer)}"
        shown.append([f"number {number}", bars(rows), say])
    return asking(
        "mask",
        model,
        [["A sentence with [MASK]", text]],
        shown,
        "What stands behind [MASK]?",
        MASK,
        tokens=tokenizer.tokens,
    )


def known(tokens, tokenizer) -> str:
    """How many of a text's words the vocabulary has whole."""
    words = [places for word, places in words_of(tokens) if word.isalpha()]
    whole = sum(len(places) == 1 for places in words)
    n = len(words) + tokens.count("[UNK]")
    return f"Words of this text that its vocabulary of {len(tokenizer):,} tokens has whole: {whole} of {n}."
