import itertools
import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.attention import (
    MultiHeadAttention,
    attention,
    causal_mask,
    padding_mask,
    scores,
    shared_heads,
    softmax,
)
from tutorial_lib.trace import Trace

sizes = st.integers(1, 6)
seeds = st.integers(0, 2**31 - 1)


def random_qkv(seed, n_q, n_k, d_k, d_v, *batch):
    torch.manual_seed(seed)
    return (torch.randn(*batch, n, d, dtype=torch.float64) for n, d in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))


def attention_in_numpy(Q, K, V):
    S = np.einsum("qd,kd->qk", Q, K) / np.sqrt(Q.shape[-1])
    weights = np.exp(S) / np.exp(S).sum(1)[:, None]
    return np.einsum("qk,kv->qv", weights, V), weights


# softmax


@given(seeds, sizes, st.floats(0.05, 20))
def test_softmax_is_positive_sums_to_one_and_keeps_the_order(seed, n, temperature):
    torch.manual_seed(seed)
    z = torch.randn(n, dtype=torch.float64)
    p = softmax(z, temperature=temperature)
    assert (p > 0).all() and torch.isclose(p.sum(), torch.tensor(1.0, dtype=torch.float64))
    assert torch.equal(p.argsort(), z.argsort())


@given(seeds, sizes, st.floats(-1e4, 1e4))
def test_softmax_does_not_see_a_constant_added_to_all_scores(seed, n, constant):
    torch.manual_seed(seed)
    z = torch.randn(n, dtype=torch.float64)
    assert torch.allclose(softmax(z + constant), softmax(z), atol=1e-10)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_equals_torchs_along_any_axis_and_does_not_overflow(dim):
    z = torch.randn(4, 5, generator=torch.Generator().manual_seed(0)) * 1000
    assert torch.allclose(softmax(z, dim), torch.softmax(z, dim), atol=1e-6)


def test_temperature_sharpens_and_flattens():
    z = torch.tensor([1.0, 2.0, 3.0])
    cold, plain, hot = (softmax(z, temperature=t).max() for t in (0.01, 1.0, 1000.0))
    assert torch.isclose(cold, torch.tensor(1.0)) and cold > plain > hot
    assert torch.isclose(hot, torch.tensor(1 / 3), atol=1e-3)


@pytest.mark.parametrize("temperature", [0, -1.0, float("nan")])
def test_softmax_refuses_a_temperature_that_is_not_positive(temperature):
    with pytest.raises(ValueError, match="temperature must be a positive number"):
        softmax(torch.zeros(2), temperature=temperature)


# attention


@given(seeds, sizes, sizes, sizes, sizes)
def test_attention_is_the_formula(seed, n_q, n_k, d_k, d_v):
    Q, K, V = random_qkv(seed, n_q, n_k, d_k, d_v)
    output, weights = attention(Q, K, V)
    expected_output, expected_weights = attention_in_numpy(Q.numpy(), K.numpy(), V.numpy())
    assert np.allclose(output, expected_output) and np.allclose(weights, expected_weights)


def test_batches_and_heads_are_carried_along():
    Q, K, V = random_qkv(0, 4, 5, 3, 2, 2, 3)
    output, weights = attention(Q, K, V)
    assert output.shape == (2, 3, 4, 2) and weights.shape == (2, 3, 4, 5)
    for b, h in itertools.product(range(2), range(3)):
        assert torch.allclose(output[b, h], attention(Q[b, h], K[b, h], V[b, h])[0])


@given(seeds, sizes)
def test_attention_is_permutation_equivariant(seed, n):
    Q, K, V = random_qkv(seed, n, n, 4, 4)
    order = torch.randperm(n)
    output, _ = attention(Q, K, V)
    permuted, _ = attention(Q[order], K[order], V[order])
    assert torch.allclose(permuted, output[order])


def test_the_fused_kernel_gives_the_same_output_and_no_weights():
    Q, K, V = random_qkv(0, 6, 6, 4, 4, 2)
    for mask in (None, causal_mask(6)):
        output, weights = attention(Q, K, V, mask, fused=True)
        assert weights is None and torch.allclose(output, attention(Q, K, V, mask)[0])


def test_under_the_causal_mask_an_output_is_that_of_the_prefix_alone():
    Q, K, V = random_qkv(0, 6, 6, 4, 4)
    output, weights = attention(Q, K, V, causal_mask(6))
    assert torch.equal(weights.triu(1), torch.zeros(6, 6, dtype=torch.float64))
    for i in range(6):
        alone, _ = attention(Q[i : i + 1], K[: i + 1], V[: i + 1])
        assert torch.allclose(output[i], alone[0])


def test_masked_keys_get_weight_exactly_zero_whatever_they_hold():
    Q, K, V = random_qkv(0, 3, 4, 2, 2)
    mask = padding_mask([1, 1, 0, 0])[0, 0]
    output, weights = attention(Q, K, V, mask)
    V[2:] = 1e30
    assert torch.equal(attention(Q, K, V, mask)[0], output) and (weights[:, 2:] == 0).all()


def test_no_algebra_is_imported_for_it():
    """torch.broadcast_shapes imports SymPy: half a second, and 30 MB in each process that asks a model."""
    code = "import sys, torch; from tutorial_lib.attention import attention; attention(*torch.ones(3, 2, 2))"
    code += "; print('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_scores_and_weights_can_be_kept():
    Q, K, V = random_qkv(0, 2, 3, 2, 2)
    trace = Trace()
    _, weights = attention(Q, K, V, keep=trace)
    assert torch.equal(trace["weights"], weights) and torch.equal(trace["scores"], scores(Q, K))


@pytest.mark.parametrize("shapes", [((2, 3), (2, 4), (2, 3)), ((2, 3), (2, 3), (4, 3)), ((5, 2, 3), (5, 2, 3), (4, 3)),
                                    ((2, 2, 3), (3, 4, 3), (4, 3)), ((2, 2, 3), (4, 3), (3, 4, 3))])
def test_shapes_that_do_not_fit_are_refused_by_name(shapes):
    got = "{}, {} and {}".format(*shapes)
    with pytest.raises(ValueError, match=r"Q, K and V must be \(..., n_q, d_k\), .* got " + re.escape(got)):
        attention(*(torch.zeros(shape) for shape in shapes))


@pytest.mark.parametrize(
    "mask, error, message",
    [
        (torch.ones(2, 3), TypeError, "mask must be boolean.*got torch.float32"),
        (torch.tensor([[True] * 3, [False] * 3]), ValueError, "attend to nothing"),
        (torch.ones(3, 3).bool(), ValueError, r"mask must broadcast to .*, here \(2, 3\), got \(3, 3\)"),
        (torch.ones(4).bool(), ValueError, r"mask must broadcast to .*, here \(2, 3\), got \(4,\)"),
        (torch.ones(5, 2, 3).bool(), ValueError, r"mask must broadcast to .*, here \(2, 3\), got \(5, 2, 3\)"),
    ],
)
@pytest.mark.parametrize("fused", [False, True])
def test_bad_masks_are_refused(mask, error, message, fused):
    with pytest.raises(error, match=message):
        attention(torch.zeros(2, 4), torch.zeros(3, 4), torch.zeros(3, 4), mask, fused=fused)


@pytest.mark.parametrize("bad", [[[1, 2]], [[0.5, 1]]])
def test_a_padding_mask_holds_only_ones_and_zeros(bad):
    with pytest.raises(ValueError, match="attention_mask must hold only 1"):
        padding_mask(bad)


# many heads


def torch_twin(ours):
    """torch.nn.MultiheadAttention with the same weights."""
    d, d_memory = ours.d_model, ours.d_memory
    twin = torch.nn.MultiheadAttention(d, ours.n_heads, kdim=d_memory, vdim=d_memory, batch_first=True).double()
    maps = (ours.W_Q, ours.W_K, ours.W_V)
    with torch.no_grad():
        if d_memory == d:
            twin.in_proj_weight.copy_(torch.cat([m.weight for m in maps]))
        else:
            for weight, m in zip((twin.q_proj_weight, twin.k_proj_weight, twin.v_proj_weight), maps):
                weight.copy_(m.weight)
        twin.in_proj_bias.copy_(torch.cat([m.bias for m in maps]))
        twin.out_proj.load_state_dict(ours.W_O.state_dict())
    return twin


@settings(deadline=None, max_examples=30)
@given(seeds, st.sampled_from([1, 2, 4]), st.sampled_from([None, 6]), st.booleans())
def test_many_heads_equal_torchs(seed, n_heads, d_memory, causal):
    torch.manual_seed(seed)
    mha = MultiHeadAttention(8, n_heads, d_memory).double()
    X = torch.randn(2, 5, 8, dtype=torch.float64)
    memory = X if d_memory is None else torch.randn(2, 5, d_memory, dtype=torch.float64)
    mask = causal_mask(5) if causal else None
    output, weights = mha(X, memory, mask)
    blocked = None if mask is None else ~mask  # torch's True means: may not attend
    expected, expected_weights = torch_twin(mha)(X, memory, memory, attn_mask=blocked, average_attn_weights=False)
    assert torch.allclose(output, expected) and torch.allclose(weights, expected_weights)


@settings(deadline=None, max_examples=30)
@given(seeds, st.sampled_from([1, 2, 4]), st.sampled_from([None, 6]))
def test_the_heads_updates_add_up_to_the_output(seed, n_heads, d_memory):
    torch.manual_seed(seed)
    mha = MultiHeadAttention(8, n_heads, d_memory).double()
    X, memory = torch.randn(5, 8).double(), None if d_memory is None else torch.randn(3, 6).double()
    updates = mha.head_updates(X, memory)
    assert updates.shape == (n_heads, 5, 8)
    assert torch.allclose(updates.sum(0) + mha.W_O.bias, mha(X, memory)[0])


def test_lifting_before_the_weighted_sum_gives_the_same_update_as_after():
    torch.manual_seed(0)
    mha = MultiHeadAttention(8, 2).double()
    X = torch.randn(5, 8).double()
    _, weights = mha(X)
    for h in range(2):
        down, up = mha.value_map(h)
        assert down.shape == (8, 4) and up.shape == (4, 8)
        lifted_first = weights[h] @ (X @ down @ up) + mha.W_V.bias[h * 4 : h * 4 + 4] @ up
        assert torch.allclose(lifted_first, mha.head_updates(X)[h])


def test_a_head_s_scores_without_biases_are_one_product_of_rank_d_k():
    torch.manual_seed(0)
    mha, X, memory = MultiHeadAttention(8, 2, d_memory=6), torch.randn(5, 8), torch.randn(4, 6)
    for linear in (mha.W_Q, mha.W_K):
        torch.nn.init.zeros_(linear.bias)
    trace = Trace()
    mha(X, memory, keep=trace)
    for h in range(2):
        down, up = mha.score_map(h)
        assert down.shape == (8, 4) and up.shape == (4, 6)
        assert torch.allclose(X @ down @ up @ memory.T / 2, trace["scores"][h], atol=1e-6)


def test_join_undoes_split():
    X = torch.randn(2, 5, 8)
    mha = MultiHeadAttention(8, 4)
    assert mha.split(X).shape == (2, 4, 5, 2) and torch.equal(mha.join(mha.split(X)), X)
    assert torch.equal(mha.split(X)[:, 1], X[..., 2:4])  # head 1 has coordinates 2 and 3


def test_bad_sizes_are_refused_by_name():
    with pytest.raises(ValueError, match="d_model must be a multiple of n_heads, got d_model=10 and n_heads=4"):
        MultiHeadAttention(10, 4)
    for h in (-1, 2):
        with pytest.raises(ValueError, match=f"h must be a head from 0 to 1, got {h}"):
            MultiHeadAttention(8, 2).value_map(h)
        with pytest.raises(ValueError, match=f"h must be a head from 0 to 1, got {h}"):
            MultiHeadAttention(8, 2).score_map(h)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 6])
def test_shared_heads_are_those_of_a_model_whose_heads_are_alike(n_kv_heads):
    """Grouped queries give what full heads give whose keys and values are equal within a group."""
    Q, K, V = torch.randn(2, 6, 5, 4), torch.randn(2, n_kv_heads, 7, 4), torch.randn(2, n_kv_heads, 7, 4)
    output, weights = attention(Q, shared_heads(K, 6), shared_heads(V, 6))
    for h in range(6):
        group = h * n_kv_heads // 6
        alone, its_weights = attention(Q[:, h], K[:, group], V[:, group])
        assert torch.allclose(output[:, h], alone, atol=1e-6) and torch.allclose(weights[:, h], its_weights, atol=1e-6)


def test_heads_that_cannot_be_shared_evenly_are_refused():
    with pytest.raises(ValueError, match="n_heads must be a multiple of n_kv_heads, 2, got 5"):
        shared_heads(torch.ones(2, 3, 4), 5)
    with pytest.raises(ValueError, match=r"X must be \(..., n_kv_heads, n, d_k\), got \(3, 4\)"):
        shared_heads(torch.ones(3, 4), 5)
