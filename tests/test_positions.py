"""Positions are the formula, in plain floats; a shift is one matrix; rotary positions are made of that matrix."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.positions import Rope, rotary, shift_matrix, sinusoidal, wavelengths

widths = st.integers(1, 40).map(lambda pairs: 2 * pairs)
offsets = st.integers(-6000, 6000).map(lambda halves: halves / 2)


def encoding_by_hand(pos, d_model):
    """One position in plain Python floats, coordinate by coordinate: independent of the library's tensors."""
    angles = [pos / math.pow(10000, (column - column % 2) / d_model) for column in range(d_model)]
    encoding = [math.cos(angle) if column % 2 else math.sin(angle) for column, angle in enumerate(angles)]
    return torch.tensor(encoding, dtype=torch.float64)


@given(st.integers(1, 2000), widths)
def test_sinusoidal_is_the_formula_by_hand(n, d_model):
    PE = sinusoidal(n, d_model)
    assert PE.shape == (n, d_model) and PE.dtype == torch.float32
    for pos in {0, n // 2, n - 1}:
        assert (PE[pos].double() - encoding_by_hand(pos, d_model)).abs().max() < 1e-6


def test_sinusoidal_of_no_positions_or_many():
    assert sinusoidal(0, 8).shape == (0, 8)
    assert (sinusoidal(100_000, 16)[-1].double() - encoding_by_hand(99_999, 16)).abs().max() < 1e-6


@given(widths)
def test_wavelengths_grow_from_two_pi_by_one_factor(d_model):
    expected = [2 * math.pi * 10000 ** (2 * i / d_model) for i in range(d_model // 2)]
    assert wavelengths(d_model).tolist() == pytest.approx(expected)


@given(offsets, widths, st.integers(-5000, 5000))
def test_shift_matrix_rotates_any_position_by_k(k, d_model, pos):
    M = shift_matrix(k, d_model)
    assert M.shape == (d_model, d_model) and M.dtype == torch.float64
    assert torch.allclose(M @ encoding_by_hand(pos, d_model), encoding_by_hand(pos + k, d_model), atol=1e-9)
    assert torch.allclose(M.T @ M, torch.eye(d_model, dtype=torch.float64), atol=1e-12)
    assert torch.allclose(shift_matrix(-k, d_model), M.T, atol=1e-12)


def test_numpys_numbers_are_as_good_as_pythons():
    assert torch.equal(sinusoidal(np.int64(3), np.int32(4)), sinusoidal(3, 4))
    for k in (np.int64(3), np.float32(3)):
        assert torch.equal(shift_matrix(k, np.int64(4)), shift_matrix(3, 4))


# rotary positions


@given(st.integers(1, 20).map(lambda pairs: 2 * pairs), st.integers(-500, 500))
def test_rotary_turns_a_vector_by_the_shift_matrix(d_k, place):
    """R 3.5's matrix, pair by pair, on the pair (x[i + d_k / 2], x[i])."""
    x = torch.randn(d_k, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    angles = torch.tensor(float(place), dtype=torch.float64) * 2 * math.pi / wavelengths(d_k)
    order = torch.stack([torch.arange(d_k // 2) + d_k // 2, torch.arange(d_k // 2)], 1).flatten()
    assert torch.allclose(rotary(x, angles)[order], shift_matrix(place, d_k) @ x[order], atol=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_rotary_keeps_the_type_and_leaves_position_0(dtype):
    X = torch.randn(3, 5, 8, dtype=torch.float64).to(dtype)
    turned = rotary(X, Rope(50.0).angles(torch.arange(5), 8))
    assert turned.dtype == dtype and torch.equal(turned[:, 0], X[:, 0])


def test_frequencies_are_those_of_sines_and_cosines():
    assert torch.allclose(Rope().frequencies(12).double(), 2 * math.pi / wavelengths(12), rtol=1e-6)


def test_scaled_rope_slows_slow_pairs_only():
    """A pair keeps its frequency in proportion to where its turns in training lie between `low` and `high`."""
    plain, scaled = Rope(500_000.0), Rope(500_000.0, 8.0, 1.0, 4.0, 8192)
    ratios = (scaled.frequencies(64) / plain.frequencies(64)).tolist()
    turns = (8192 * plain.frequencies(64) / (2 * math.pi)).tolist()
    for ratio, n_turns in zip(ratios, turns, strict=True):
        kept = min(max((n_turns - 1) / 3, 0), 1)
        assert ratio == pytest.approx(kept + (1 - kept) / 8, rel=1e-5)
    assert ratios[0] == 1 and ratios[-1] == 1 / 8 and any(1 / 8 < ratio < 1 for ratio in ratios)


# rejected arguments, by name


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: wavelengths(7), "d_model must be an even number.*got 7"),
        (lambda: sinusoidal(3, 7), "d_model must be an even number.*got 7"),
        (lambda: shift_matrix(1, 4.0), "d_model must be an even number.*got 4.0"),
        (lambda: sinusoidal(-1, 4), "n must be a number of positions.*got -1"),
        (lambda: shift_matrix(math.inf, 4), "k must be a finite number.*got inf"),
        (lambda: shift_matrix(math.nan, 4), "k must be a finite number.*got nan"),
        (lambda: shift_matrix("1", 4), "k must be a finite number.*got '1'"),
        (lambda: Rope(base=0.0), "base must be a positive number, got 0.0"),
        (lambda: Rope(factor=-1.0), "factor must be a positive number, got -1.0"),
        (lambda: Rope(factor=2.0, low=1.0), "low, high and n_trained must be given together"),
        (lambda: Rope(low=4.0, high=4.0, n_trained=10), "low, high and n_trained must be given .*low below high"),
        (lambda: Rope(low=1.0, high=4.0, n_trained=0), "n_trained must be a whole number, 1 or more, got 0"),
        (lambda: Rope().frequencies(7), "d_k must be an even number.*got 7"),
        (lambda: rotary(torch.ones(2, 4), torch.ones(2, 3)), r"X must be \(..., n, d_k\) and angles .*got \(2, 4\)"),
        (lambda: rotary(torch.ones(2, 4), torch.ones(3, 2)), r"X must be \(..., n, d_k\) and angles"),
        (lambda: rotary(torch.ones(2, 4), torch.ones(1, 2, 2)), r"X must be \(..., n, d_k\) and angles"),
    ],
)
def test_values_that_do_not_fit_are_rejected(call, says):
    with pytest.raises(ValueError, match=says):
        call()
