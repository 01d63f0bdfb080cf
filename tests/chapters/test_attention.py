"""What the chapter "Attention by hand" and its plan say beyond the page's own run: other texts and other draws."""

import pytest
import torch

from tutorial_lib.attention import scores, softmax


@pytest.mark.parametrize("text", ["The nurse opened the old door.", "The door opened the nurse."])
@torch.no_grad()
def test_opened_looks_at_door_be_it_object_or_subject(bert, tok, text):
    encoding = tok.encode(text)
    weights = bert.trace(encoding.ids)["layer.0.attention.weights"][0, 4]
    assert encoding.tokens[weights[encoding.tokens.index("opened")].argmax()] == "door"


@pytest.mark.parametrize("seed", [1, 2])
def test_without_the_division_most_keys_are_dead_in_other_draws(seed):
    torch.manual_seed(seed)
    Q, K = torch.randn(500, 1, 64), torch.randn(500, 20, 64)
    dead = [(a * (1 - a) < 1e-3).double().mean() for a in (softmax(Q @ K.mT), softmax(scores(Q, K)))]
    assert dead[0] > 0.7 and dead[1] < 0.02


def test_one_minus_the_cosine_breaks_the_triangle_inequality_for_a_sixth_of_triples_and_the_angle_never():
    torch.manual_seed(1)
    x, y, z = torch.nn.functional.normalize(torch.randn(3, 20_000, 3).double(), dim=-1)
    xy, yz, xz = ((one * other).sum(-1).clamp(-1, 1) for one, other in ((x, y), (y, z), (x, z)))
    assert ((1 - xz) > (1 - xy) + (1 - yz) + 1e-12).double().mean().item() == pytest.approx(1 / 6, abs=0.01)
    assert not (xz.acos() > xy.acos() + yz.acos() + 1e-7).any()
