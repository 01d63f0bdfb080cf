import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.experiments.questions import megabytes, prune, quantize, round_to_grid
from tutorial_lib.bert import Bert, Config


@pytest.fixture
def small():
    torch.manual_seed(0)
    return Bert(Config(vocab_size=40, d_model=16, n_layers=2, n_heads=4, d_ff=32, n_positions=20)).eval()


def matrix(seed=0):
    return torch.randn(12, 30, generator=torch.Generator().manual_seed(seed))


@given(st.integers(2, 12), st.sampled_from(["channel", "tensor"]), st.integers(0, 1000))
def test_no_value_moves_by_more_than_half_a_step_and_the_grid_has_so_many_values(bits, per, seed):
    W = matrix(seed)
    rounded = round_to_grid(W, bits, per)
    reach = W.abs().amax(1, keepdim=True) if per == "channel" else W.abs().max()
    step = reach / (2 ** (bits - 1) - 1)
    assert ((rounded - W).abs() <= 0.5001 * step).all()
    row = rounded[0] / (step[0] if per == "channel" else step)
    assert torch.allclose(row, row.round(), atol=1e-2) and row.abs().max() <= 2 ** (bits - 1) - 1 + 1e-3


def test_rounding_is_torch_s():
    W = matrix()
    scale = W.abs().amax(1) / 127
    zero = torch.zeros(len(W), dtype=torch.int32)
    assert torch.allclose(round_to_grid(W, 8), torch.fake_quantize_per_channel_affine(W, scale, zero, 0, -127, 127))
    whole = W.abs().max() / 7
    theirs = torch.fake_quantize_per_tensor_affine(W, whole.item(), 0, -7, 7)
    assert torch.allclose(round_to_grid(W, 4, per="tensor"), theirs)


def test_what_is_on_the_grid_stays():
    W = round_to_grid(matrix(), 5)
    assert torch.allclose(round_to_grid(W, 5), W, atol=1e-6)
    assert not round_to_grid(torch.zeros(3, 4), 4).any()


def test_short_floats_are_torch_s():
    W = matrix()
    assert torch.equal(round_to_grid(W, "bfloat16"), W.bfloat16().float())
    assert torch.equal(round_to_grid(W, "float16"), W.half().float())


@pytest.mark.parametrize("bits", [1, 17, 8.5, "int8", True])
def test_other_bits_are_refused(bits):
    with pytest.raises(ValueError, match='bits must be an int from 2 to 16, "float16" or "bfloat16", got'):
        round_to_grid(matrix(), bits)


def test_other_grids_are_refused(small):
    with pytest.raises(ValueError, match='per must be "channel" or "tensor", got \'row\''):
        quantize(small, 8, per="row")


def test_matrices_are_rounded_vectors_stay_and_the_model_that_came_is_as_it_was(small):
    before = {name: weight.clone() for name, weight in small.named_parameters()}
    rounded = dict(quantize(small, 3).named_parameters())
    for name, weight in small.named_parameters():
        assert torch.equal(weight, before[name])
        assert torch.equal(rounded[name], weight) == (weight.ndim < 2 or not weight.any())
        if weight.ndim == 2:
            assert torch.equal(rounded[name], round_to_grid(weight.detach(), 3))


def test_more_bits_stay_closer(small):
    ids = torch.arange(15)[None]
    with torch.no_grad():
        exact = small(ids)
        errors = [(quantize(small, bits)(ids) - exact).norm().item() for bits in (2, 4, 6, 8, 12)]
    assert errors == sorted(errors, reverse=True) and errors[-1] < 0.01 * exact.norm()


def test_megabytes_are_counted_by_hand(small):
    sizes = [weight.shape for weight in small.parameters()]
    matrices = [size for size in sizes if len(size) == 2]
    vectors = sum(size[0] for size in sizes if len(size) == 1)
    numbers = sum(rows * columns for rows, columns in matrices)
    assert megabytes(small) == pytest.approx(4e-6 * (numbers + vectors))
    assert megabytes(small, "bfloat16") == pytest.approx(1e-6 * (2 * numbers + 4 * vectors))
    steps = sum(rows for rows, _ in matrices)
    assert megabytes(small, 4) == pytest.approx(1e-6 * (numbers / 2 + 4 * vectors + 4 * steps))
    assert megabytes(small, 8, per="tensor") == pytest.approx(1e-6 * (numbers + 4 * vectors + 4 * len(matrices)))


def test_the_smallest_weights_of_each_matrix_go_and_the_others_stay(small):
    pruned = dict(prune(small, 0.25).named_parameters())
    for name, weight in small.named_parameters():
        gone = (pruned[name] == 0) & (weight != 0)
        assert weight.ndim == 2 or not gone.any()
        assert torch.equal(pruned[name][~gone], weight[~gone])
        if gone.any():
            assert gone.float().mean() == pytest.approx(0.25, abs=0.02)
            assert weight[gone].abs().max() < weight[~gone].abs().min()


def test_by_lot_as_many_go_and_the_seed_says_which(small):
    W = small.layer[0].feed_forward.W_1.weight
    one, same, other = (prune(small, 0.5, seed).layer[0].feed_forward.W_1.weight for seed in (0, 0, 1))
    assert torch.equal(one, same) and not torch.equal(one, other) and (W != 0).all()
    assert (one == 0).float().mean() == pytest.approx(0.5, abs=0.01)
    assert W[one == 0].abs().max() > W[one != 0].abs().min()


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_other_shares_are_refused(small, share):
    with pytest.raises(ValueError, match="share must be a number from 0 to 1, got"):
        prune(small, share)
