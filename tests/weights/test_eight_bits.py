"""Weights in 8 bits: how far off a number may be, the effect of a large one on its neighbors, and the rounded model."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.weights.eight_bits import GROUP, MOST, MULTIPLES, rounded, rounded_model


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-6, 1.0, 1e4]), st.integers(1, 9), st.integers(1, 5))
def test_rounding_error_is_at_most_half_a_step(seed, size, n, groups):
    draw = np.random.default_rng(seed)
    W = draw.normal(size=(n, groups * GROUP)) * size * draw.choice([0.01, 1, 30], size=(n, groups * GROUP))
    made = rounded(W)
    steps = made.step[:, None].astype(float) * made.multiple  # (n, groups)
    off = np.abs(made.values - W).reshape(n, groups, GROUP).max(-1)
    assert (off <= steps * 0.5001 + 1e-6 * np.abs(W).max()).all()
    assert np.abs(made.whole).max() <= MOST and 1 <= made.multiple.min() and made.multiple.max() <= MULTIPLES


def test_large_number_coarsens_only_its_own_group():
    W = np.full((1, 2 * GROUP), 0.01)
    W[0, 0] = 1.0
    off = np.abs(rounded(W).values - W)[0]
    assert off[1:GROUP].max() > 10 * off[GROUP:].max()


def test_a_row_of_zeros_stays_one():
    assert not rounded(np.zeros((2, GROUP))).values.any()


@pytest.mark.parametrize("W", [np.zeros(GROUP), np.zeros((2, GROUP + 1)), np.full((1, GROUP), np.nan)])
def test_rounded_rejects_wrong_matrices(W):
    with pytest.raises(ValueError, match="W must be a matrix of finite numbers, its width a multiple of 32"):
        rounded(W)


@pytest.mark.parametrize("W", [["bear"], [[1.0], [1.0, 2.0]], [None, {}]])
def test_rounded_rejects_values_other_than_numbers(W):
    with pytest.raises(TypeError, match="W must be a matrix of numbers"):
        rounded(W)


def test_rounded_model_is_near_and_leaves_original_unchanged(bert, tok):
    inputs = tok.encode("The bear opened the door with a smile.").inputs
    before = bert(**inputs).detach().clone()
    cosines = torch.cosine_similarity(rounded_model(bert)(**inputs), before, dim=-1)
    assert 0.999 < cosines.min() < 0.99999
    assert torch.equal(bert(**inputs), before)
