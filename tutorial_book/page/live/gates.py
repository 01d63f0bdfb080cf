"""The gate of each head on one text, beside what the census of many texts calls it. Source: G 2."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tutorial_book.page.live.asking import asking
from tutorial_lib.geometry.gates import GATES, MIXED, gate_of, gate_scores
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention

UNIT = (
    "C closed, D directional, B backward, F forward, K cluster, I instance, O open, · mixed; "
    "* where the census says another"
)
LETTERS = dict(zip((*GATES, MIXED), "CDBFKIO·", strict=True))  # K: the C of cluster is taken


def census_view(model, tokenizer, text, census) -> View:
    """The gate of each head on a text; a cell is marked where the census, (n_layers, n_heads) of names, says another.

    The text must have 3 tokens or more, [CLS] and [SEP] among them.
    """
    maps = Attention(model, tokenizer.encode(text)).weights
    gates = gate_of(gate_scores(maps))  # (n_layers, n_heads)
    census = np.asarray(census)
    rows = [
        [
            [LETTERS[name] + "*" * (name != usual), float(name != usual)]
            for name, usual in zip(row, usually, strict=True)
        ]
        for row, usually in zip(gates.tolist(), census.tolist(), strict=True)
    ]
    counts = Counter(gates.ravel().tolist())
    listed = ", ".join(f"{counts[name]} {name}" for name in sorted(counts, key=lambda name: (-counts[name], name)))
    say = f"On this text: {listed}. {(gates == census).sum()} of {census.size} heads are what the census calls them."
    shown = [["", {"kind": "grid", "rows": rows, "unit": UNIT}, say]]
    return asking("gates", model, [["Your sentence", text]], shown, "The gate of each head", census=census.tolist())
