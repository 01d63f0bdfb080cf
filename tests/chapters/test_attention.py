"""Why the answers of the chapter "Attention by hand" are true: what its guesses say after "Because"."""

import math

import pytest
import torch

from tutorial_book.experiments import attention as toy
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
    terms = A[3][:, None] * (toy.X @ toy.W_V)  # the seven terms of the output of "painted"
    assert (terms[3] > 0.5 * terms.sum(0)).all()


@torch.no_grad()
def test_in_most_heads_painted_looks_at_cls(bert, tok, prose):
    encoding = tok.encode("The artist painted the portrait")
    trace, verb = bert.trace(**encoding.inputs), encoding.tokens.index("painted")
    weights = [trace[f"layer.{i}.attention.weights"][0, :, verb] for i in range(6)]
    winners = [encoding.tokens[i] for i in torch.cat(weights).argmax(1)]
    assert winners.count("[CLS]") > 72 / 2
    assert 0 < winners.count("artist") + winners.count("portrait") < 72 / 4
    nouns = [encoding.tokens.index(noun) for noun in ("artist", "portrait")]
    to_both = torch.stack(weights)[..., nouns].sum(-1)  # (6, 12)
    assert f"its subject and object {to_both.mean():.2f} of its weight, *less* than the {2 / 7:.2f} of even" in prose
    assert to_both.flatten().topk(2).indices.tolist() == [2, 4]
    assert f"gives them {to_both[0, 4]:.2f}. (Head 2, with {to_both[0, 2]:.2f}," in prose


def test_an_entropy_of_1_needs_a_temperature_below_1_and_leaves_most_weight_to_two():
    z = torch.tensor([2.716, 3.062, 4.615, 5.078, 3.446, 4.373, 2.839]).double()
    assert torch.special.entr(softmax(z)).sum() > 1 > torch.special.entr(softmax(z, temperature=0.42)).sum()
    a = softmax(z, temperature=0.4281)
    assert torch.special.entr(a).sum().round(decimals=3) == 1
    assert sorted(toy.TOKENS[i] for i in a.topk(2).indices) == ["artist", "painted"] and a.topk(2).values.sum() > 0.8


def test_one_minus_the_cosine_breaks_the_triangle_inequality_for_a_sixth_of_triples_and_the_angle_never():
    torch.manual_seed(1)
    x, y, z = torch.nn.functional.normalize(torch.randn(3, 20_000, 3).double(), dim=-1)
    xy, yz, xz = ((one * other).sum(-1).clamp(-1, 1) for one, other in ((x, y), (y, z), (x, z)))
    assert ((1 - xz) > (1 - xy) + (1 - yz) + 1e-12).double().mean().item() == pytest.approx(1 / 6, abs=0.01)
    assert not (xz.acos() > xy.acos() + yz.acos() + 1e-7).any()


def test_in_rs_matrices_two_sums_over_x_survive():
    j = torch.arange(4, dtype=torch.float64)
    m_0, m_1 = toy.X.sum(1), toy.X @ j
    assert torch.allclose(toy.X @ toy.W_Q, (0.1 * m_0 + 0.4 * m_1)[:, None] + 0.1 * m_0[:, None] * j)
    assert torch.linalg.matrix_rank(toy.W_Q) == 2


def test_the_numbers_that_the_page_tells_of_its_small_cases_are_computed_again(prose):
    powers = torch.tensor([-1.0, 1.0, 2.0]).exp()
    assert f"$\\log 7 = {math.log(7):.2f}$ where seven share alike" in prose
    assert "get the weights {:.5f} and {:.5f}.".format(*softmax(torch.tensor([10.0, 20.0]).double())) in prose
    assert (
        "e to their power is {:.2f}, {:.2f} and {:.2f}, which is {:.2f} in all".format(*powers, powers.sum()) in prose
    )
    shares = "The weights are {:.2f}, {:.2f} and {:.2f}".format(*powers / powers.sum())
    assert shares.replace(" 0.", " .") in prose
    assert f"one point more is {math.e:.2f} times the weight" in prose
    X = torch.tensor([[1.0, 0.0], [0.0, 1.0]])  # dog, barks
    output, A = attention(X @ torch.tensor([[0.0, 1.0], [2.0, 0.0]]), X, X)
    assert "the weights are {:.2f} and {:.2f}.".format(*A[1]).replace(" 0.", " .") in prose
    assert "add up to the output, ({:.2f}, {:.2f})".format(*output[1]).replace("0.", ".") in prose
    assert (
        f"divided by the root of 2 they are {2 / 2**0.5:.2f} and 0, e to that is {math.exp(2**0.5):.2f} and 1" in prose
    )


def test_without_the_division_one_query_comes_to_look_at_one_key(page):
    plain, scaled = ([page.one[name][d_k].max() for d_k in (4, 64, 768)] for name in ("plain", "scaled"))
    assert plain[2] > 0.9 > plain[0] and max(scaled) < 0.5


def test_cls_gets_half_of_the_attention_in_the_middle_layers_and_moves_little(page):
    weight, length, share = torch.tensor(page.of_cls).T
    assert (weight[1:5] > 0.5).all() and (length[1:5] < 0.5).all()
    assert (share[1:5] < weight[1:5] / 3).all()


def test_the_value_of_painted_is_more_than_half_of_its_output_and_no_other_weight_is_above_15_percent():
    _, A = attention(toy.X @ toy.W_Q, toy.X @ toy.W_K, toy.X @ toy.W_V)
    largest = A[toy.TOKENS.index("painted")].sort(descending=True).values
    assert largest[0] == pytest.approx(0.55, abs=0.005) and largest[1] == pytest.approx(0.15, abs=0.005)
