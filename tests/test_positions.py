import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.positions import Rope, rotary, shift_matrix, sinusoidal, wavelengths

widths = st.integers(1, 40).map(lambda pairs: 2 * pairs)
offsets = st.integers(-3000, 3000)


def encoding_by_hand(pos, d_model):
    """One position in plain Python floats, coordinate by coordinate: independent of the library's tensors."""
    angles = [pos / math.pow(10000, (column - column % 2) / d_model) for column in range(d_model)]
    return [math.cos(angle) if column % 2 else math.sin(angle) for column, angle in enumerate(angles)]


def exact_encoding(pos, d_model):
    return torch.tensor(encoding_by_hand(pos, d_model), dtype=torch.float64)


# sinusoidal


def test_numpys_numbers_are_as_good_as_pythons():
    assert torch.equal(sinusoidal(np.int64(3), np.int32(4)), sinusoidal(3, 4))
    for k in (np.int64(3), np.float32(3)):
        assert torch.equal(shift_matrix(k, np.int64(4)), shift_matrix(3, 4))


@given(st.integers(1, 60), widths)
def test_sinusoidal_is_the_formula_in_a_double_loop(n, d_model):
    by_hand = torch.tensor([encoding_by_hand(pos, d_model) for pos in range(n)], dtype=torch.float64)
    PE = sinusoidal(n, d_model)
    assert PE.shape == (n, d_model) and PE.dtype == torch.float32
    assert (PE.double() - by_hand).abs().max() < 1e-6


def test_far_positions_are_as_exact_as_near_ones():
    PE = sinusoidal(100_000, 16)
    assert (PE[99_999].double() - exact_encoding(99_999, 16)).abs().max() < 1e-6


def test_position_one_in_six_dimensions_is_the_worked_example():
    expected = [math.sin(1), math.cos(1)]
    for divisor in (10000 ** (1 / 3), 10000 ** (2 / 3)):
        expected += [math.sin(1 / divisor), math.cos(1 / divisor)]
    assert sinusoidal(2, 6)[1].tolist() == pytest.approx(expected, abs=1e-6)
    assert [round(x, 4) for x in sinusoidal(2, 6)[1].tolist()] == [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0]


def test_no_positions_at_all_are_an_empty_table():
    assert sinusoidal(0, 8).shape == (0, 8)


@given(widths)
def test_every_encoding_has_the_same_length(d_model):
    lengths = sinusoidal(50, d_model).double().norm(dim=1)
    assert torch.allclose(lengths, torch.full_like(lengths, math.sqrt(d_model / 2)), atol=1e-5)


@given(widths, st.integers(0, 200), st.integers(0, 200), st.integers(0, 200))
def test_the_dot_product_depends_on_the_distance_alone(d_model, a, b, k):
    PE = sinusoidal(401, d_model).double()
    assert PE[a] @ PE[a + k] == pytest.approx((PE[b] @ PE[b + k]).item(), abs=1e-5 * d_model)


@pytest.mark.parametrize("d_model", [2, 6, 64, 512])
def test_no_two_of_700_positions_are_alike(d_model):
    PE = sinusoidal(700, d_model).double()
    distances = torch.cdist(PE, PE, compute_mode="donot_use_mm_for_euclid_dist").fill_diagonal_(math.inf)
    assert distances.min() > 1e-3


# wavelengths


@given(widths)
def test_wavelengths_start_at_two_pi_and_grow_by_one_factor_without_reaching_the_limit(d_model):
    w = wavelengths(d_model).tolist()
    assert len(w) == d_model // 2
    assert w[0] == pytest.approx(2 * math.pi)
    for short, long in zip(w, w[1:], strict=False):
        assert long / short == pytest.approx(10000 ** (2 / d_model))
    assert w[-1] == pytest.approx(2 * math.pi * 10000 ** (1 - 2 / d_model))
    assert w[-1] < 2 * math.pi * 10000


def test_after_one_wavelength_a_pair_is_back_where_it_was():
    for i, w in enumerate(wavelengths(12).tolist()):
        back = shift_matrix(w, 12)[2 * i : 2 * i + 2, 2 * i : 2 * i + 2]
        assert torch.allclose(back, torch.eye(2, dtype=torch.float64), atol=1e-9)


# the linear offset theorem


@given(offsets, widths, st.integers(-5000, 5000))
def test_the_shift_matrix_moves_any_position_by_k(k, d_model, pos):
    moved = shift_matrix(k, d_model) @ exact_encoding(pos, d_model)
    assert torch.allclose(moved, exact_encoding(pos + k, d_model), atol=1e-9)


@given(st.integers(-300, 300), widths)
def test_the_shift_matrix_moves_the_rows_of_the_table(k, d_model):
    PE = sinusoidal(700, d_model).double()
    moved = PE[300:400] @ shift_matrix(k, d_model).T
    assert (moved - PE[300 + k : 400 + k]).abs().max() < 1e-6


@pytest.mark.parametrize("k", [-(10**6), 10**6])
def test_the_theorem_holds_for_shifts_by_a_million(k):
    pos = max(0, -k) + 7
    moved = shift_matrix(k, 64) @ exact_encoding(pos, 64)
    assert torch.allclose(moved, exact_encoding(pos + k, 64), atol=1e-7)


@given(offsets, widths)
def test_a_shift_is_a_rotation(k, d_model):
    M = shift_matrix(k, d_model)
    assert M.shape == (d_model, d_model) and M.dtype == torch.float64
    assert torch.allclose(M.T @ M, torch.eye(d_model, dtype=torch.float64), atol=1e-12)
    assert torch.linalg.det(M).item() == pytest.approx(1)


@given(offsets, offsets, widths)
def test_shifts_add_up_in_any_order(j, k, d_model):
    M_j, M_k = shift_matrix(j, d_model), shift_matrix(k, d_model)
    assert torch.allclose(M_j @ M_k, shift_matrix(j + k, d_model), atol=1e-9)
    assert torch.allclose(M_j @ M_k, M_k @ M_j, atol=1e-12)


@given(offsets, widths)
def test_shifting_back_is_the_transpose_and_shifting_by_zero_is_nothing(k, d_model):
    assert torch.allclose(shift_matrix(-k, d_model), shift_matrix(k, d_model).T, atol=1e-12)
    assert torch.equal(shift_matrix(0, d_model), torch.eye(d_model, dtype=torch.float64))


def test_two_half_shifts_are_one_shift():
    assert torch.allclose(shift_matrix(0.5, 8) @ shift_matrix(0.5, 8), shift_matrix(1, 8))


def test_a_table_whose_sines_and_cosines_share_no_frequency_has_no_shift_matrix():
    """L 3.2.4 as printed: one frequency for each coordinate. The best linear map misses by more than sin 1."""
    pos, k = torch.arange(2001, dtype=torch.float64)[:, None], torch.arange(16)
    angles = pos / 10000 ** (2 * k / 16)
    printed = torch.where(k % 2 == 0, angles.sin(), angles.cos())
    for P, misses in ((printed, True), (sinusoidal(2001, 16).double(), False)):
        M = torch.linalg.lstsq(P[:-1], P[1:], driver="gelsd").solution
        miss = (P[:-1] @ M - P[1:]).abs().max()
        assert miss > math.sin(1) if misses else miss < 1e-6


# bad input


@pytest.mark.parametrize("d_model", [0, -2, 1, 7, 4.0, "4", None])
@pytest.mark.parametrize("f", [wavelengths, lambda d: sinusoidal(3, d), lambda d: shift_matrix(1, d)])
def test_a_width_that_is_not_even_and_positive_is_refused(f, d_model):
    with pytest.raises(ValueError, match=f"d_model must be an even number.*got {d_model!r}"):
        f(d_model)


@pytest.mark.parametrize("n", [-1, 2.0, "3", None])
def test_a_number_of_positions_that_is_no_whole_number_is_refused(n):
    with pytest.raises(ValueError, match=f"n must be a number of positions.*got {n!r}"):
        sinusoidal(n, 4)


@pytest.mark.parametrize("k", [math.inf, math.nan, "1", None])
def test_a_shift_that_is_no_finite_number_is_refused(k):
    with pytest.raises(ValueError, match=f"k must be a finite number.*got {k!r}"):
        shift_matrix(k, 4)


# rotary positions


def in_float64(rope, places, d_k):
    return torch.as_tensor(places, dtype=torch.float64)[:, None] * rope.frequencies(d_k).double()


@given(st.integers(1, 20).map(lambda pairs: 2 * pairs), st.integers(-500, 500))
def test_a_vector_is_turned_by_the_shift_matrix(d_k, place):
    """R 3.5's matrix, pair by pair, on the pair (x[i + d_k / 2], x[i])."""
    x = torch.randn(d_k, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    angles = torch.tensor(float(place), dtype=torch.float64) * 2 * math.pi / wavelengths(d_k)
    order = torch.stack([torch.arange(d_k // 2) + d_k // 2, torch.arange(d_k // 2)], 1).flatten()
    assert torch.allclose(rotary(x, angles)[order], shift_matrix(place, d_k) @ x[order], atol=1e-9)


@given(st.integers(0, 2000), st.integers(0, 60), st.integers(0, 2000))
def test_the_score_depends_on_the_distance_alone(m, distance, elsewhere):
    Q, K = torch.randn(2, 1, 16, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    rope = Rope()

    def score(m, n):
        return (rotary(Q, in_float64(rope, [m], 16)) @ rotary(K, in_float64(rope, [n], 16)).T).item()

    assert score(m, m + distance) == pytest.approx(score(elsewhere, elsewhere + distance), abs=1e-9)
    assert distance == 0 or score(m, m + distance) != pytest.approx(score(m + distance, m), abs=1e-6)  # the side counts


def test_turning_keeps_lengths_and_position_0_as_it_is():
    X = torch.randn(3, 5, 8, dtype=torch.float64)
    turned = rotary(X, in_float64(Rope(50.0), range(5), 8))
    assert torch.allclose(turned.norm(dim=-1), X.norm(dim=-1)) and torch.equal(turned[:, 0], X[:, 0])
    assert turned.dtype == torch.float64 and rotary(X.float(), in_float64(Rope(), [3], 8)).dtype == torch.float32


def test_the_frequencies_are_those_of_sines_and_cosines():
    assert torch.allclose(Rope().frequencies(12).double(), 2 * math.pi / wavelengths(12), rtol=1e-6)


def test_a_scaled_rope_keeps_fast_pairs_slows_slow_ones_and_mixes_between():
    plain, scaled = Rope(500_000.0), Rope(500_000.0, 8.0, 1.0, 4.0, 8192)
    ratios = (scaled.frequencies(64) / plain.frequencies(64)).tolist()
    turns = (8192 * plain.frequencies(64) / (2 * math.pi)).tolist()
    for ratio, n_turns in zip(ratios, turns, strict=True):
        kept = min(max((n_turns - 1) / 3, 0), 1)
        assert ratio == pytest.approx(kept + (1 - kept) / 8, rel=1e-5)
    assert ratios[0] == 1 and ratios[-1] == 1 / 8 and any(1 / 8 < ratio < 1 for ratio in ratios)
    assert torch.equal(Rope(factor=4.0).frequencies(8), Rope().frequencies(8) / 4)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: Rope(base=0.0), "base must be a positive number, got 0.0"),
        (lambda: Rope(factor=-1.0), "factor must be a positive number, got -1.0"),
        (lambda: Rope(factor=2.0, low=1.0), "low, high and n_trained must be given together"),
        (lambda: Rope(low=4.0, high=1.0, n_trained=10), "low, high and n_trained must be given .*low below high"),
        (lambda: Rope(low=1.0, high=4.0, n_trained=0), "n_trained must be a whole number from 1 on, got 0"),
        (lambda: Rope().frequencies(7), "d_k must be an even number.*got 7"),
        (lambda: rotary(torch.ones(2, 4), torch.ones(2, 3)), r"X must be \(..., n, d_k\) and angles .*got \(2, 4\)"),
        (lambda: rotary(torch.ones(2, 4), torch.ones(3, 2)), r"X must be \(..., n, d_k\) and angles"),
        (lambda: rotary(torch.ones(2, 4), torch.ones(1, 2, 2)), r"X must be \(..., n, d_k\) and angles"),
    ],
)
def test_what_cannot_be_turned_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()
