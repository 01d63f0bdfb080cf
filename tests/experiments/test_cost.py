"""Operations, bytes and seconds are what torch counts; a window and a low rank are what they say."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from tutorial_book.experiments.cost import fit_seconds, low_rank, operations, plan, rank_for, saved_bytes, seconds
from tutorial_lib.attention import attention, window_attention, window_mask
from tutorial_lib.bert import Config, Layer
from tutorial_lib.geometry import Cloud
from tutorial_lib.parity import difference


@given(st.integers(1, 60), st.integers(1, 4), st.integers(1, 8), st.sampled_from([None, 5, 64]))
@settings(max_examples=20)
def test_operations_are_those_that_torch_counts(n, n_heads, d_k, d_ff):
    """And a backward pass takes twice as many again."""
    d = n_heads * d_k
    with torch.device("meta"):
        layer = Layer(Config(d_model=d, n_heads=n_heads, d_ff=d_ff or 4 * d))
        with FlopCounterMode(display=False) as counter:
            output = layer(torch.zeros(1, n, d, requires_grad=True))
            forward = counter.get_total_flops()
            output.sum().backward()
    assert forward == 2 * sum(operations(n, d, d_ff))
    assert counter.get_total_flops() == 3 * forward


def test_seconds_are_those_of_the_shortest_run(monkeypatch):
    """After one that does not count; the clock stops while a run waits for its turn."""
    clock = iter([0, 5, 10, 13, 20, 24])
    monkeypatch.setattr("tutorial_book.experiments.cost.time.process_time", lambda: next(clock))
    runs = []
    assert seconds(lambda: runs.append(1), repeats=3) == 3 and len(runs) == 4


def test_plan_counts_what_each_part_takes():
    found = plan(2000, 100, 4.0, d_model=8, n_layers=3, d_ff=20, vocab_size=50, weight_bytes=2)
    assert found.weights == 2 * (3 * (4 * 8 * 8 + 2 * 8 * 20) + 50 * 8)
    assert found.sums == 4 * Cloud(8).scatter.nbytes
    assert found.seconds == pytest.approx(20 * (3 * sum(operations(100, 8, 20)) + 100 * 4 * 8**2) / 4)


def test_fit_finds_no_negative_rate():
    assert fit_seconds((128, 256, 1_024), [1.0, 0.5, 0.1], 64).pairs == 0
    took = [3e-11 * operations(n, 64, 80).matrices for n in (128, 256)]
    assert fit_seconds((128, 256), took, 64, 80) == pytest.approx((3e-11, 0), rel=1e-6, abs=1e-20)


def test_kept_bytes_count_once_and_without_weights():
    x, W = torch.ones(10, 10, requires_grad=True), torch.ones(10, 10, requires_grad=True)
    assert saved_bytes(lambda: x @ W) == 800  # both
    assert saved_bytes(lambda: x @ W, [W]) == 400
    assert saved_bytes(lambda: x[:5] @ x[5:].T) == 400  # two views of one piece of memory
    assert saved_bytes(lambda: x + W) == 0


@given(st.integers(1, 40), st.integers(1, 50), st.integers(1, 3))
@settings(max_examples=40)
def test_window_in_blocks_equals_window_by_mask(n, m, batch):
    generator = torch.Generator().manual_seed(n + 100 * m)
    Q, K, V = torch.randn(3, batch, 2, n, 4, generator=generator, dtype=torch.float64)
    expected, _ = attention(Q, K, V, window_mask(n, m))
    assert difference(window_attention(Q, K, V, m), expected).is_rounding


def test_window_works_in_proportion_to_the_length():
    assert window_mask(9, 2).sum(1).tolist() == [3, 4, 5, 5, 5, 5, 5, 4, 3]
    counted = []
    for n in (640, 1_280):
        with FlopCounterMode(display=False) as counter:
            window_attention(*torch.zeros(3, n, 8), 64)
        counted.append(counter.get_total_flops())
    assert counted[1] == 2 * counted[0] == 2 * 2 * 2 * 640 * 3 * 64 * 8


@pytest.mark.parametrize("k", [1, 3, 6])
def test_low_rank_map_is_the_nearest(k):
    """By Eckart and Young its squared distance is the sum of the squares that are left out."""
    A = torch.softmax(torch.randn(2, 6, 9, generator=torch.Generator().manual_seed(0)), -1)
    B, S = low_rank(A, k), torch.linalg.svdvals(A)
    assert (torch.linalg.matrix_rank(B) == k).all()
    assert torch.allclose((A - B).square().sum((-2, -1)), S[:, k:].square().sum(-1), atol=1e-6)


def test_rank_holds_the_share_of_squares():
    A = torch.diag(torch.tensor([3.0, 2.0, 1.0]))  # squares 9, 4, 1 of 14
    assert [rank_for(A, share).item() for share in (0.6, 0.65, 0.93, 0.99)] == [1, 2, 3, 3]
    assert rank_for(torch.eye(128)) == 116 and rank_for(torch.ones(2, 5, 8)).tolist() == [1, 1]
