"""Coarser and fewer weights: the grids are torch's, the sizes are counted by hand, the smallest numbers go."""

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from tutorial_book.experiments.questions import megabytes, prune, quantize, round_to_grid
from tutorial_lib.bert import Bert, Config


@pytest.fixture
def small():
    torch.manual_seed(0)
    return Bert(Config(vocab_size=40, d_model=16, n_layers=2, n_heads=4, d_ff=32, n_positions=20)).eval()


def matrix(seed=0):
    return torch.randn(12, 30, generator=torch.Generator().manual_seed(seed))


@given(st.integers(2, 12), st.integers(0, 1000))
@example(10, 359)
@example(12, 52)
def test_rounding_is_that_of_torch(bits, seed):
    W, m = matrix(seed), 2 ** (bits - 1) - 1
    zero = torch.zeros(len(W), dtype=torch.int32)
    step = W.abs().amax(1, keepdim=True) / m
    theirs = torch.fake_quantize_per_channel_affine(W, step.flatten(), zero, 0, -m, m)
    assert_close_but_for_ties(round_to_grid(W, bits), theirs, W / step)
    step = W.abs().max() / m
    theirs = torch.fake_quantize_per_tensor_affine(W, step.item(), 0, -m, m)
    assert_close_but_for_ties(round_to_grid(W, bits, per="tensor"), theirs, W / step)


def assert_close_but_for_ties(ours, theirs, steps):
    """A number halfway between two steps, up to float32, goes to one side here and to the other there."""
    near = 4 * torch.finfo(torch.float32).eps * steps.abs()  # four units of the last digit
    is_tie = (steps.remainder(1) - 0.5).abs() <= near
    assert is_tie.double().mean() < 0.02
    torch.testing.assert_close(ours[~is_tie], theirs[~is_tie], atol=1e-6, rtol=1e-5)


def test_short_floats_are_those_of_torch():
    assert torch.equal(round_to_grid(matrix(), "bfloat16"), matrix().bfloat16().float())
    assert torch.equal(round_to_grid(matrix(), "float16"), matrix().half().float())
    assert not round_to_grid(torch.zeros(3, 4), 4).any()


def test_quantize_rounds_matrices_of_a_copy(small):
    before = {name: weight.clone() for name, weight in small.named_parameters()}
    rounded = dict(quantize(small, 3).named_parameters())
    for name, weight in small.named_parameters():
        assert torch.equal(weight, before[name])
        assert torch.equal(rounded[name], round_to_grid(weight.detach(), 3) if weight.ndim == 2 else weight)


def test_megabytes_are_counted_by_hand(small):
    vectors = sum(len(weight) for weight in small.parameters() if weight.ndim == 1)
    matrices = [weight for weight in small.parameters() if weight.ndim == 2]
    numbers = sum(W.numel() for W in matrices)
    assert megabytes(small) == pytest.approx(4e-6 * (numbers + vectors))
    assert megabytes(small, "bfloat16") == pytest.approx(1e-6 * (2 * numbers + 4 * vectors))
    steps = sum(map(len, matrices))
    assert megabytes(small, 4) == pytest.approx(1e-6 * (numbers / 2 + 4 * vectors + 4 * steps))
    assert megabytes(small, 8, per="tensor") == pytest.approx(1e-6 * (numbers + 4 * vectors + 4 * len(matrices)))


def test_smallest_weights_of_each_matrix_go(small):
    pruned = dict(prune(small, 0.25).named_parameters())
    for name, weight in small.named_parameters():
        gone = (pruned[name] == 0) & (weight != 0)
        assert weight.ndim == 2 or not gone.any()
        assert torch.equal(pruned[name][~gone], weight[~gone])
        if gone.any():
            assert gone.float().mean() == pytest.approx(0.25, abs=0.02)
            assert weight[gone].abs().max() < weight[~gone].abs().min()


def test_seed_says_which_go_by_lot(small):
    W = small.layer[0].feed_forward.W_1.weight
    one, same, other = (prune(small, 0.5, seed).layer[0].feed_forward.W_1.weight for seed in (0, 0, 1))
    assert torch.equal(one, same) and not torch.equal(one, other) and (W != 0).all()
    assert (one == 0).float().mean() == pytest.approx(0.5, abs=0.01)
    assert W[one == 0].abs().max() > W[one != 0].abs().min()


@pytest.mark.parametrize("call, says", [
    (lambda model: quantize(model, 8, per="row"), 'per must be "channel" or "tensor", got \'row\''),
    *((lambda model, bits=bits: quantize(model, bits), 'bits must be an int from 2 to 16, "float16" or "bfloat16", got')
      for bits in (1, 17, 8.5, "int8", True)),
    *((lambda model, share=share: prune(model, share), "share must be a number from 0 to 1, got")
      for share in (-0.1, 1.5, float("nan"))),
])  # fmt: skip
def test_other_settings_are_rejected(small, call, says):
    with pytest.raises(ValueError, match=says):
        call(small)
