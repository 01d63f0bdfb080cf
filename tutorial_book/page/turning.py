"""Rotary positions to play with: a query and a key, rotated by their positions, and the resulting score.

Source: Su et al. (2021), section 3.2.
"""

from __future__ import annotations

from pathlib import Path

import torch

from tutorial_lib.arguments import check_tensors, even_width
from tutorial_lib.positions import Rope
from tutorial_lib.views.base import View

FOLDER = Path(__file__).parent / "js"
AT = (6, 2)  # the initial positions of the query and of the key
MOST = 40  # the last position


def turning_view(q, k) -> View:
    """Show a head's query and key as clock hands, one clock per pair of coordinates, and their score by distance.

    q, k: (d_k,), d_k even. Readers move both along the text, which changes no score, or one of them. Raises
    ValueError if these do not fit each other.

    >>> turning_view(torch.tensor([1.0, 0.0]), torch.tensor([1.0, 0.0]))
    A query and a key, turned by their positions (an interactive view: it needs a notebook or a page)
    """
    check_tensors(q=q, k=k)
    if q.ndim != 1 or q.shape != k.shape:
        raise ValueError(f"q and k must be two vectors of the same width, got {tuple(q.shape)} and {tuple(k.shape)}")
    even_width("d_k", len(q))
    pairs = [torch.stack(x.double().chunk(2), -1) for x in (q, k)]  # (d_k / 2, 2) each
    data = {
        "pairs": [pair.tolist() for pair in pairs],
        "frequencies": Rope().frequencies(len(q)).double().tolist(),
        "at": AT,
        "most": MOST,
    }
    return View("turning", data, "A query and a key, turned by their positions", folder=FOLDER)
