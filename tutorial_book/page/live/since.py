"""The same beginning at other places: what learned positions make of it, and what rotary ones. Su et al. (2021)."""

from __future__ import annotations

from html import escape

import torch

from tutorial_book.experiments.since import read_at
from tutorial_book.page.live.asking import JS, two
from tutorial_book.page.live.chart import bars, drawn
from tutorial_lib.views.base import View
from tutorial_lib.views.story import spoken
from tutorial_lib.weights.rounded import rounded_model

SHOWN = 5  # next tokens
NAMES = ("Learned positions", "Rotary positions")


def shift_view(learned, turned, tokenizer, text, most=140) -> View:
    """What comes next by two decoders, and where the last token looks, with all places moved by 0 to `most`.

    learned: a `gpt.GPT`; turned: a `RotaryGPT` with the same tokenizer. Where a page brings them, a reader moves one
    token alone, too. Raises ValueError where the text is longer than the learned table.
    """
    pieces = [tokenizer.decode([i]) for i in range(len(tokenizer))]
    ids = [tokenizer.vocab[tokenizer.special[0]], *tokenizer.encode(text).ids]
    rows, moves = learned.config.n_positions, torch.arange(most + 1)[:, None]
    reaches = max(0, min(most, rows - len(ids))) + 1, most + 1  # so many moves have a place
    read, coarse = (
        [read_at(model, ids, moves[:reach]) for model, reach in zip(models, reaches, strict=True)]
        for models in ((learned, turned), (rounded_model(learned), rounded_model(turned)))
    )
    off = max((p - q).abs().max().item() for (p, _), (q, _) in zip(read, coarse, strict=True))
    change = [(p - p[0]).abs().amax(1).tolist() for p, _ in read]  # of the probability that moves most
    tokens = [named(place, pieces[i]) for place, i in enumerate(ids)]
    states = [[state(pieces, tokens, p[k], looks[k, -1]) for k in range(len(p))] for p, looks in read]
    data = {
        "pieces": pieces, "start": tokenizer.special[0], "text": text, "rows": rows, "most": most, "names": NAMES,
        "layers": learned.config.n_layers, "live": [learned.source, turned.source] if turned.source else None,
        "states": [states[0], states[1][:1]],  # rotary ones stay, and `change` says how much
        "change": [[float(f"{value:.1e}") for value in values] for values in change], "off": off,
    }  # fmt: skip
    (one, p), (other, q) = (side[0]["next"][0] for side in states)
    say = f"Each token at its place: “{one}” is likeliest with learned positions, {two(p)}, "
    say += f"“{other}” with rotary ones, {two(q)}."
    asked = f'<p class="tl-asked">Begin a story: <b>{escape(text)}</b></p>'
    panels = "".join(panel(name, side[0], tokens[-1]) for name, side in zip(NAMES, states, strict=True))
    parts = ["live", "spoken", JS / "chart"]
    return View("shift", data, f'{asked}<div class="tl-two">{panels}</div>', "A text moved along", say, parts, JS)


def named(place, piece):
    """A token as a row's name: the first word has no space before it, and is a whole one yet."""
    return spoken(f" {piece.lstrip()}" if place == 1 else piece) if place else "(start)"


def state(pieces, tokens, p, looks) -> dict:
    """What a panel shows: the likeliest next tokens, and a row of attention, as rows of bars."""
    best = p.topk(SHOWN)
    likeliest = zip((spoken(pieces[i]) for i in best.indices.tolist()), best.values.tolist(), strict=True)
    return {"next": bars(likeliest)["rows"], "looks": bars(list(zip(tokens, looks.tolist(), strict=False)))["rows"]}


def panel(name, one, token) -> str:
    """One decoder's side, as HTML; js/shift.js draws it alike."""
    return (
        f'<section aria-label="{name}"><p class="tl-unit"><b>{name}.</b> What comes next</p>{drawn(bars(one["next"]))}'
        f'<p class="tl-unit">Where “{escape(token)}” looks, the mean of all heads</p>{drawn(bars(one["looks"]))}'
        "</section>"
    )
