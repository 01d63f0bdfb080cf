"""Statements of the chapter "Attention by hand" and its plan beyond the page's own run: other texts and draws."""

import pytest
import torch

from tutorial_lib.attention import scores, softmax


@pytest.mark.parametrize("text", ["The nurse opened the old door.", "The door opened the nurse."])
@torch.no_grad()
def test_opened_looks_at_door_as_object_or_subject(bert, tok, text):
    encoding = tok.encode(text)
    weights = bert.trace(encoding.ids)["layer.0.attention.weights"][0, 4]
    assert encoding.tokens[weights[encoding.tokens.index("opened")].argmax()] == "door"


@pytest.mark.parametrize("seed", [1, 2])
def test_undivided_scores_kill_most_keys_in_other_draws(seed):
    torch.manual_seed(seed)
    Q, K = torch.randn(500, 1, 64), torch.randn(500, 20, 64)
    dead = [(a * (1 - a) < 1e-3).double().mean() for a in (softmax(Q @ K.mT), softmax(scores(Q, K)))]
    assert dead[0] > 0.7 and dead[1] < 0.02
