"""The same beginning at other positions, for learned positions and for rotary ones. Su et al. (2021)."""

from __future__ import annotations

import torch

from tutorial_book.experiments.since import read_at
from tutorial_book.page.live.asking import JS, brief
from tutorial_lib.views.base import View
from tutorial_lib.weights.eight_bits import rounded_model

SHOWN = 5  # next tokens
NAMES = ("Learned positions", "Rotary positions")


def shift_view(learned, turned, tokenizer, text, most=140) -> View:
    """Show the next tokens of two decoders, and the last token's attention, with positions moved by 0 to `most`.

    learned: a `gpt.GPT`; turned: a `RotaryGPT` with the same tokenizer. If a page loads them, readers can also move a
    single token. Raises ValueError if the text is longer than the learned table.
    """
    pieces = [tokenizer.decode([i]) for i in range(len(tokenizer))]
    ids = [tokenizer.vocab[tokenizer.special[0]], *tokenizer.encode(text).ids]
    rows, moves = learned.config.n_positions, torch.arange(most + 1)[:, None]
    reaches = max(0, min(most, rows - len(ids))) + 1, most + 1  # as many moves as positions remain
    read, coarse = (
        [read_at(model, ids, moves[:reach]) for model, reach in zip(models, reaches, strict=True)]
        for models in ((learned, turned), (rounded_model(learned), rounded_model(turned)))
    )
    off = max((p - q).abs().max().item() for (p, _), (q, _) in zip(read, coarse, strict=True))
    change = [(p - p[0]).abs().amax(1).tolist() for p, _ in read]  # of the probability that changes most
    states = [[state(p[k], looks[k, -1]) for k in range(len(p))] for p, looks in read]
    data = {
        "pieces": pieces, "ids": ids, "start": tokenizer.special[0], "text": text, "rows": rows, "most": most,
        "names": NAMES, "layers": learned.config.n_layers,
        "live": [learned.source, turned.source] if turned.source else None,
        "states": [states[0], states[1][:1]],  # rotary ones stay the same, and `change` says how much
        "change": [[float(f"{value:.1e}") for value in values] for values in change], "off": off,
    }  # fmt: skip
    return View("shift", data, "A text moved along", ["live", "spoken", JS / "chart"], JS)


def state(p, looks) -> dict:
    """Return a panel's data: the likeliest next tokens, as pairs of id and probability, and a row of attention."""
    best = p.topk(SHOWN)
    likeliest = [[i, brief(value)] for i, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)]
    return {"next": likeliest, "looks": brief(looks.tolist())}
