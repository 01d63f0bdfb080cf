"""The gate of each head on one text, compared with the census of many texts. Source: G 2."""

from __future__ import annotations

import numpy as np

from tutorial_book.page.live.asking import asking
from tutorial_lib.geometry.gates import GATES, MIXED, gate_of, gate_scores
from tutorial_lib.views.base import View
from tutorial_lib.views.traces import Attention

LETTERS = dict(zip((*GATES, MIXED), "CDBFKIO·", strict=True))  # K, because the C of cluster is taken


def census_view(model, tokenizer, text, census) -> View:
    """Show each head's gate on a text, with a mark where the census, (n_layers, n_heads) of names, differs.

    The text must have 3 tokens or more, [CLS] and [SEP] among them.
    """
    maps = Attention(model, tokenizer.encode(text)).weights
    gates = gate_of(gate_scores(maps)).tolist()  # (n_layers, n_heads)
    label, boxes, census = "The gate of each head", [["Your sentence", text]], np.asarray(census).tolist()
    return asking("gates", model, boxes, gates, label, census=census, letters=LETTERS)
