"""Why the answers of the chapter "Attention by hand" are true: what its guesses say after "Because"."""

import torch

from tutorial_lib import toy
from tutorial_lib.attention import attention, softmax


def test_the_longer_key_has_the_higher_score_though_its_angle_is_18_degrees():
    q, k1, k2 = torch.tensor([2.0, 1.0]), torch.tensor([1.0, 0.5]), torch.tensor([2.0, 2.0])
    assert (q @ k1, q @ k2) == (2.5, 6)
    assert torch.cosine_similarity(q, k2, dim=0).acos().rad2deg().round() == 18


def test_a_shift_of_all_scores_cancels():
    z = torch.tensor([1.0, 2.0, 3.0])
    assert torch.allclose(softmax(z + 100), softmax(z))


def test_in_rs_matrices_the_longer_key_wins_in_every_row():
    keys = toy.X @ toy.W_K
    _, A = attention(toy.X @ toy.W_Q, keys, toy.X @ toy.W_V)
    by_length = keys.norm(dim=1).argsort(descending=True)
    assert (A.argsort(dim=1, descending=True) == by_length).all()
    assert [toy.TOKENS[i] for i in by_length[:4]] == ["painted", "The", "artist", "portrait"]


@torch.no_grad()
def test_in_most_heads_painted_looks_at_cls(bert, tok):
    encoding = tok.encode("The artist painted the portrait")
    trace, verb = bert.trace(**encoding.inputs), encoding.tokens.index("painted")
    weights = [trace[f"layer.{i}.attention.weights"][0, :, verb] for i in range(6)]
    winners = [encoding.tokens[i] for i in torch.cat(weights).argmax(1)]
    assert winners.count("[CLS]") > 72 / 2
    assert 0 < winners.count("artist") + winners.count("portrait") < 72 / 4
