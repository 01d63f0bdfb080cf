"""The gate of each head on one text, beside what the census of many texts calls it. Source: G 2."""

from __future__ import annotations

import numpy as np

from tutorial_book.page.live.asking import asking
from tutorial_lib.geometry.gates import GATES, MIXED, gate_of, gate_scores
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention

LETTERS = dict(zip((*GATES, MIXED), "CDBFKIO·", strict=True))  # K: the C of cluster is taken


def census_view(model, tokenizer, text, census) -> View:
    """The gate of each head on a text; a cell is marked where the census, (n_layers, n_heads) of names, says another.

    The text must have 3 tokens or more, [CLS] and [SEP] among them.
    """
    maps = Attention(model, tokenizer.encode(text)).weights
    gates = gate_of(gate_scores(maps)).tolist()  # (n_layers, n_heads)
    label, boxes, census = "The gate of each head", [["Your sentence", text]], np.asarray(census).tolist()
    return asking("gates", model, boxes, gates, label, census=census, letters=LETTERS)
