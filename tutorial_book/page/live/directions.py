"""A decoder's prediction after each of its layers: the logit lens on the reader's text. Source: N 3."""

from __future__ import annotations

import torch

from tutorial_book.page.live.asking import asking, brief
from tutorial_lib.geometry import logit_lens
from tutorial_lib.views.base import View

SHOWN = 4  # tokens that get a curve: the likeliest at the end


@torch.no_grad()
def lens_view(model, tokenizer, text) -> View:
    """Show the probability of the four tokens that are likeliest at the end, after 0, 1, ... layers."""
    ids = [tokenizer.vocab[tokenizer.special[0]], *tokenizer.encode(text).ids]
    trace = model.trace([ids])
    stops = ["embeddings.output", *(f"layer.{i}.output" for i in range(model.config.n_layers))]
    scores = torch.tensor(logit_lens([trace[stop][0, -1:] for stop in stops], model.norm, model.unembedding))
    p = scores[:, 0].softmax(-1)  # (n_layers + 1, vocab_size)
    pieces = [tokenizer.decode([i]) for i in range(len(tokenizer))]
    best = p[-1].topk(SHOWN).indices.tolist()
    found = {"best": best, "curves": brief(p[:, best].T.tolist()), "favorites": p.argmax(-1).tolist()}
    return asking("lens", model, [["Begin a story", text]], found, "The lens, layer by layer", pieces=pieces)
