"""Attention is the formula, in NumPy and in torch's own modules; masks hide; bad arguments are rejected by name."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from tutorial_lib.attention import (
    MultiHeadAttention,
    attention,
    causal_mask,
    padded,
    padding_mask,
    shared_heads,
    softmax,
    window_attention,
    window_mask,
)
from tutorial_lib.trace import Trace

sizes = st.integers(1, 6)
seeds = st.integers(0, 2**31 - 1)


def random_qkv(seed, n_q, n_k, d_k, d_v, *batch):
    torch.manual_seed(seed)
    return (torch.randn(*batch, n, d, dtype=torch.float64) for n, d in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))


# softmax


@given(seeds, sizes, st.floats(0.05, 20), st.floats(-1e4, 1e4))
def test_softmax_is_torchs_and_sees_no_constant(seed, n, temperature, constant):
    torch.manual_seed(seed)
    z = torch.randn(3, n, dtype=torch.float64)
    for dim in (0, 1, -1):
        p = softmax(z + constant, dim, temperature)
        torch.testing.assert_close(p, torch.softmax(z / temperature, dim), rtol=0, atol=1e-9)


# attention


@given(seeds, sizes, sizes, sizes, sizes, st.booleans())
def test_attention_is_the_formula(seed, n_q, n_k, d_k, d_v, masked):
    """With two sentences of three heads, fused too."""
    Q, K, V = random_qkv(seed, n_q, n_k, d_k, d_v, 2, 3)
    mask = torch.rand(n_q, n_k) > 0.5
    mask[:, 0] = True
    output, weights = attention(Q, K, V, mask if masked else None)
    E = np.exp(np.einsum("bhqd,bhkd->bhqk", Q, K) / np.sqrt(d_k))
    if masked:
        E = E * mask.numpy()
    expected = E / E.sum(-1, keepdims=True)
    assert np.allclose(weights, expected) and np.allclose(output, np.einsum("bhqk,bhkv->bhqv", expected, V))
    fused, none = attention(Q, K, V, mask if masked else None, fused=True)
    assert none is None and torch.allclose(fused, output)


def test_causal_mask_gives_the_output_of_the_prefix():
    Q, K, V = random_qkv(0, 6, 6, 4, 4)
    output, weights = attention(Q, K, V, causal_mask(6))
    assert torch.equal(weights.triu(1), torch.zeros(6, 6, dtype=torch.float64))
    for i in range(6):
        alone, _ = attention(Q[i : i + 1], K[: i + 1], V[: i + 1])
        assert torch.allclose(output[i], alone[0])


def test_masked_keys_get_weight_zero_whatever_they_hold():
    Q, K, V = random_qkv(0, 3, 4, 2, 2)
    mask = padding_mask([1, 1, 0, 0])[0, 0]
    output, weights = attention(Q, K, V, mask)
    V[2:] = 1e30
    assert torch.equal(attention(Q, K, V, mask)[0], output) and (weights[:, 2:] == 0).all()


def test_attention_does_without_torchs_broadcast_shapes(monkeypatch):
    """It imports SymPy: half a second, and 30 MB in each process that uses a model."""
    monkeypatch.delattr(torch, "broadcast_shapes")
    attention(*torch.ones(3, 2, 2))


@given(seeds, st.integers(1, 12), st.integers(1, 5))
def test_attention_in_windows_is_attention_with_the_mask(seed, n, m):
    Q, K, V = random_qkv(seed, n, n, 3, 2, 2)
    assert torch.allclose(window_attention(Q, K, V, m), attention(Q, K, V, window_mask(n, m))[0])
    with pytest.raises(ValueError, match="m must be a number of tokens, 1 or more, got 0"):
        window_attention(Q, K, V, 0)


# many heads


def torchs(mha, X, memory, mask):
    """The output and the weights (B, n_heads, n, m) of torch's function with the same matrices."""
    X, memory = X.transpose(0, 1), memory.transpose(0, 1)  # torch puts tokens before texts
    output, weights = F.multi_head_attention_forward(
        X, memory, memory, mha.d_model, mha.n_heads, None,
        torch.cat([mha.W_Q.bias, mha.W_K.bias, mha.W_V.bias]), None, None, False, 0.0, mha.W_O.weight, mha.W_O.bias,
        use_separate_proj_weight=True, q_proj_weight=mha.W_Q.weight, k_proj_weight=mha.W_K.weight,
        v_proj_weight=mha.W_V.weight, average_attn_weights=False, attn_mask=~mask,  # torch's True: may not attend
    )  # fmt: skip
    return output.transpose(0, 1), weights


@settings(max_examples=30)
@given(seeds, st.sampled_from([1, 2, 4]), st.sampled_from([None, 6]), st.booleans())
def test_many_heads_equal_torchs(seed, n_heads, d_memory, causal):
    torch.manual_seed(seed)
    mha = MultiHeadAttention(8, n_heads, d_memory).double()
    X = torch.randn(2, 5, 8, dtype=torch.float64)
    memory = None if d_memory is None else torch.randn(2, 5, d_memory, dtype=torch.float64)
    mask = causal_mask(5) if causal else torch.ones(5, 5, dtype=torch.bool)
    output, weights = mha(X, memory, mask)
    expected, expected_weights = torchs(mha, X, X if memory is None else memory, mask)
    assert torch.allclose(output, expected) and torch.allclose(weights, expected_weights)
    updates = mha.head_updates(X, memory, mask)
    assert updates.shape == (2, n_heads, 5, 8) and torch.allclose(updates.sum(1) + mha.W_O.bias, output)


def test_a_heads_maps_make_its_updates_and_scores():
    torch.manual_seed(0)
    mha, X = MultiHeadAttention(8, 2).double(), torch.randn(5, 8).double()
    for linear in (mha.W_Q, mha.W_K, mha.W_V):
        torch.nn.init.zeros_(linear.bias)
    trace = Trace()
    _, weights = mha(X, keep=trace)
    for h in range(2):
        down, up = mha.value_map(h)
        assert down.shape == (8, 4) and up.shape == (4, 8)
        assert torch.allclose(weights[h] @ (X @ down @ up), mha.head_updates(X)[h])
        down, up = mha.score_map(h)
        assert down.shape == (8, 4) and up.shape == (4, 8)
        assert torch.allclose(X @ down @ up @ X.T / 2, trace["scores"][h])


# rejected arguments, by name


@pytest.mark.parametrize("shapes", [
    [(2, 3), (2, 4), (2, 3)],
    [(2, 3), (2, 3), (4, 3)],
    [(5, 2, 3), (5, 2, 3), (4, 3)],
    [(2, 2, 3), (3, 4, 3), (4, 3)],
    [(2, 2, 3), (4, 3), (3, 4, 3)],
])  # fmt: skip
def test_shapes_that_do_not_fit_are_rejected(shapes):
    got = "{}, {} and {}".format(*shapes)
    with pytest.raises(ValueError, match=r"Q, K and V must be \(..., n_q, d_k\), .* got " + re.escape(got)):
        attention(*(torch.zeros(shape) for shape in shapes))


@pytest.mark.parametrize(
    "mask, error, says",
    [
        ([[True]], TypeError, "mask must be a boolean tensor"),
        (torch.ones(2, 3), TypeError, "mask must be boolean.*got torch.float32"),
        (torch.tensor([[True] * 3, [False] * 3]), ValueError, "attends to nothing"),
        (torch.ones(3, 3).bool(), ValueError, r"mask must broadcast to .*, here \(2, 3\), got \(3, 3\)"),
        (torch.ones(4).bool(), ValueError, r"mask must broadcast to .*, here \(2, 3\), got \(4,\)"),
        (torch.ones(5, 2, 3).bool(), ValueError, r"mask must broadcast to .*, here \(2, 3\), got \(5, 2, 3\)"),
    ],
)
@pytest.mark.parametrize("fused", [False, True])
def test_masks_that_do_not_fit_are_rejected(mask, error, says, fused):
    with pytest.raises(error, match=says):
        attention(torch.zeros(2, 4), torch.zeros(3, 4), torch.zeros(3, 4), mask, fused=fused)


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: softmax(torch.zeros(2), temperature=0), "temperature must be a positive number, got 0"),
        (lambda: softmax(torch.tensor([-torch.inf])), "with a number in each row, got -inf"),
        (lambda: padding_mask([[0.5, 1]]), "attention_mask must contain only 1"),
        (lambda: padded([]), "texts must contain at least one list"),
        (lambda: MultiHeadAttention(10, 4), "d_model must be a multiple of n_heads, got d_model=10 and n_heads=4"),
        (lambda: MultiHeadAttention(8, 2).value_map(-1), "h must be a head from 0 to 1, got -1"),
        (lambda: MultiHeadAttention(8, 2).score_map(2), "h must be a head from 0 to 1, got 2"),
        (lambda: shared_heads(torch.ones(2, 3, 4), 5), "n_heads must be a multiple of n_kv_heads, 2, got 5"),
        (lambda: shared_heads(torch.ones(3, 4), 5), r"X must be \(..., n_kv_heads, n, d_k\), got \(3, 4\)"),
    ],
)
def test_values_that_do_not_fit_are_rejected(call, says):
    with pytest.raises(ValueError, match=says):
        call()
