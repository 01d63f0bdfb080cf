"""Operations, bytes and seconds are what torch counts; a window and a low rank are what they say."""

import time

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from tutorial_book.experiments.cost import (
    fit_seconds,
    low_rank,
    operations,
    plan,
    rank_for,
    saved_bytes,
    seconds,
)
from tutorial_lib.attention import attention, window_attention, window_mask
from tutorial_lib.bert import Config, Layer
from tutorial_lib.geometry import Cloud
from tutorial_lib.parity import difference


@given(st.integers(1, 60), st.integers(1, 4), st.integers(1, 8), st.sampled_from([None, 5, 64]))
@settings(max_examples=20)
def test_operations_are_those_that_torch_counts_forward_and_twice_as_many_backward(n, n_heads, d_k, d_ff):
    d = n_heads * d_k
    with torch.device("meta"):
        layer, X = (
            Layer(Config(d_model=d, n_heads=n_heads, d_ff=d_ff or 4 * d)),
            torch.zeros(1, n, d, requires_grad=True),
        )
        with FlopCounterMode(display=False) as counter:
            output = layer(X)
            forward = counter.get_total_flops()
            output.sum().backward()
    assert forward == 2 * sum(operations(n, d, d_ff))
    assert counter.get_total_flops() == 3 * forward


def test_the_terms_are_equal_at_six_times_d_model():
    for d in (384, 768, 4_096):
        assert operations(6 * d, d).matrices == operations(6 * d, d).pairs


def test_seconds_spent_waiting_do_not_count():
    assert seconds(lambda: time.sleep(0.05), repeats=1) < 0.025


def test_seconds_are_those_of_the_shortest_run_after_one_that_does_not_count(monkeypatch):
    clock = iter([0, 5, 10, 13, 20, 24])
    monkeypatch.setattr("tutorial_book.experiments.cost.time.process_time", lambda: next(clock))
    runs = []
    assert seconds(lambda: runs.append(1), repeats=3) == 3 and len(runs) == 4


def test_a_plan_counts_the_weights_of_a_model_the_sums_of_its_layers_and_each_token_once(bert):
    c = bert.config
    found = plan(1000, 100, 1.0, c.d_model, c.n_layers, c.d_ff, c.vocab_size)
    matrices = [p for name, p in bert.named_parameters() if p.ndim == 2 and "pooler" not in name]
    others = bert.embeddings.positions.weight.numel() + bert.embeddings.segments.weight.numel()
    assert found.weights == 4 * (sum(p.numel() for p in matrices) - others)
    assert found.sums == sum(Cloud(c.d_model).scatter.nbytes for _ in range(c.n_layers + 1))
    work = 10 * (c.n_layers * sum(operations(100, c.d_model, c.d_ff)) + 100 * (c.n_layers + 1) * c.d_model**2)
    assert found.seconds == pytest.approx(work)
    assert plan(2000, 100, 4.0, c.d_model, c.n_layers, c.d_ff).seconds == pytest.approx(work / 2)
    assert plan(1, 1, 1.0, 8, 1, weight_bytes=2).weights == 2 * 12 * 8**2


@pytest.mark.parametrize("rates", [(1e-11, 9e-11), (3e-11, 0.0)])
def test_the_fit_finds_the_rates_and_never_a_negative_one(rates):
    lengths = (128, 256, 1_024)
    took = [sum(rate * number for rate, number in zip(rates, operations(n, 64), strict=True)) for n in lengths]
    assert fit_seconds(lengths, took, 64) == pytest.approx(rates, rel=1e-6, abs=1e-20)
    falling = [1.0, 0.5, 0.1]
    assert min(fit_seconds(lengths, falling, 64)) >= 0


def test_what_is_kept_counts_once_and_without_the_weights():
    x, W = torch.ones(10, 10, requires_grad=True), torch.ones(10, 10, requires_grad=True)
    assert saved_bytes(lambda: x @ W) == 800  # both
    assert saved_bytes(lambda: x @ W, [W]) == 400
    assert saved_bytes(lambda: x[:5] @ x[5:].T) == 400  # two views of one piece of memory
    assert saved_bytes(lambda: x + W) == 0


def test_the_readable_path_keeps_one_map_a_head_more_than_the_fused_one():
    layer = Layer(Config(d_model=48, n_heads=4, d_ff=192))
    for n in (32, 64, 128):
        X = torch.randn(1, n, 48, requires_grad=True)
        readable, fused = (saved_bytes(lambda: layer(X, fused=way), layer.parameters()) for way in (False, True))
        assert readable - fused == pytest.approx(4 * 4 * n**2, rel=0.1)
        assert fused / n == pytest.approx(16 * 48 * 4, rel=0.15)  # in proportion to n


@given(st.integers(1, 40), st.integers(1, 50), st.integers(1, 3))
@settings(max_examples=40)
def test_a_window_in_blocks_is_a_window_by_a_mask(n, m, batch):
    generator = torch.Generator().manual_seed(n + 100 * m)
    Q, K, V = torch.randn(3, batch, 2, n, 4, generator=generator, dtype=torch.float64)
    expected, _ = attention(Q, K, V, window_mask(n, m))
    assert difference(window_attention(Q, K, V, m), expected).is_rounding


def test_a_window_sees_m_on_each_side_and_works_in_proportion_to_the_length():
    mask = window_mask(9, 2)
    assert mask.sum(1).tolist() == [3, 4, 5, 5, 5, 5, 5, 4, 3] and torch.equal(mask, mask.T)
    counted = []
    for n in (640, 1_280):
        with FlopCounterMode(display=False) as counter:
            window_attention(*torch.zeros(3, n, 8), 64)
        counted.append(counter.get_total_flops())
    assert counted[1] == 2 * counted[0] == 2 * 2 * 2 * 640 * 3 * 64 * 8


def test_the_nearest_map_of_a_rank_has_it_and_no_other_is_nearer():
    A = torch.softmax(torch.randn(2, 6, 9, generator=torch.Generator().manual_seed(0)), -1)
    for k in (1, 3, 6):
        B = low_rank(A, k)
        assert (torch.linalg.matrix_rank(B) == k).all()
        S = torch.linalg.svdvals(A)
        assert torch.allclose((A - B).square().sum((-2, -1)), S[:, k:].square().sum(-1), atol=1e-6)
    assert torch.allclose(low_rank(A, 6), A, atol=1e-6)


def test_the_rank_that_a_share_needs():
    A = torch.diag(torch.tensor([3.0, 2.0, 1.0]))  # squares 9, 4, 1 of 14
    assert [rank_for(A, share).item() for share in (0.6, 0.65, 0.93, 0.99)] == [1, 2, 3, 3]
    assert rank_for(torch.eye(128)) == 116 and rank_for(torch.ones(2, 5, 8)).tolist() == [1, 1]
