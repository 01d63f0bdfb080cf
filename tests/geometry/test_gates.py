"""Seven gates: pure examples, noise, mixtures, by hand; and maps without some tokens."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.geometry import GATES, gate_example, gate_of, gate_scores, without_tokens


def noisy(A, noise, seed):
    """A map of which this share is replaced by rows drawn at random."""
    n = len(A)
    return (1 - noise) * A + noise * np.random.default_rng(seed).dirichlet(np.ones(n), n)


@pytest.mark.parametrize("n", [6, 7, 8, 15, 40])
@pytest.mark.parametrize("gate", GATES)
def test_a_pure_example_is_its_gate_with_score_1(gate, n):
    for seed in range(20):
        A = gate_example(gate, n, seed)
        np.testing.assert_allclose(A.sum(1), 1)
        scores = gate_scores(A)
        assert gate_of(scores) == gate and scores[GATES.index(gate)] == pytest.approx(1)


@pytest.mark.parametrize("gate", GATES)
def test_a_pure_example_reaches_no_other_gate_but_what_the_order_settles(gate):
    settled = {("closed", "instance"), ("directional", "backward"), ("directional", "forward")}
    for seed in range(20):
        scores = dict(zip(GATES, gate_scores(gate_example(gate, 12, seed)), strict=True))
        assert {(gate, other) for other in GATES if other != gate and scores[other] >= 0.5} <= settled


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("n", [8, 16, 32])
def test_up_to_four_tenths_of_noise_change_no_gate(gate, n):
    for seed in range(20):
        assert gate_of(gate_scores(noisy(gate_example(gate, n, seed), 0.4, seed))) == gate


@pytest.mark.parametrize("n", [8, 16, 32])
def test_noise_alone_is_an_open_gate(n):
    assert gate_of(gate_scores(noisy(np.eye(n), 1.0, seed=0))) == "open"


def test_scores_by_hand():
    A = [[0.6, 0.4, 0.0], [0.6, 0.2, 0.2], [0.6, 0.0, 0.4]]
    closed, directional, backward, forward, cluster, instance, _ = gate_scores(A)
    assert closed == pytest.approx((1.2 / 3 - 1 / 3) / (2 / 3))  # 0.6 + 0.2 + 0.4 on the diagonal
    assert directional == pytest.approx((0.6 - 1 / 3) / (2 / 3))  # the first column
    # the first row's own cell, one of the second, two of the last: 4 of 9
    assert backward == pytest.approx(((0.6 + 0.6 + 0.6) / 3 - 4 / 9) / (5 / 9))
    assert forward == pytest.approx(((0.4 + 0.2 + 0.4) / 3 - 4 / 9) / (5 / 9))
    # tokens 0 and 1 give each other more than a third; each with itself, that makes 4 cells
    assert cluster == pytest.approx(((1.0 + 0.8) / 3 - 4 / 9) / (5 / 9))
    assert instance == pytest.approx((0.6 - 1 / 3) / (2 / 3) / 3)  # one favorite for three tokens
    assert gate_scores(np.full((4, 4), 0.25))[-1] == pytest.approx(1)
    half = np.kron(np.eye(2), np.full((2, 2), 0.5))
    assert gate_scores(half)[-1] == pytest.approx((2 - 1) / (4 - 1))  # two tokens of four


def test_even_attention_has_the_score_0_in_all_but_the_open_gate():
    np.testing.assert_allclose(gate_scores(np.full((9, 9), 1 / 9)), [0, 0, 0, 0, 0, 0, 1], atol=1e-9)
    rounded = np.full((13, 13), 1 / 13, np.float32)  # in which 1/13 is a little more
    np.testing.assert_allclose(gate_scores(rounded), [0, 0, 0, 0, 0, 0, 1], atol=1e-6)


def test_where_each_token_is_every_other_s_partner_the_cluster_gate_says_0():
    A = np.array([[0.1, 0.45, 0.45], [0.45, 0.1, 0.45], [0.45, 0.45, 0.1]])
    scores = dict(zip(GATES, gate_scores(A), strict=True))
    assert scores["cluster"] == 0


@given(st.integers(0, 10**6), st.integers(3, 20), st.floats(0.05, 3))
@settings(max_examples=40, deadline=None)
def test_laws_of_all_maps(seed, n, concentration):
    rng = np.random.default_rng(seed)
    A = rng.dirichlet(np.full(n, concentration), n)
    scores = dict(zip(GATES, gate_scores(A), strict=True))
    assert max(scores.values()) <= 1 + 1e-9 and 0 <= scores["open"] and 0 <= scores["instance"]
    assert sum(scores[gate] >= 0.5 for gate in ("closed", "backward", "forward")) <= 1
    turned = dict(zip(GATES, gate_scores(A[::-1, ::-1]), strict=True))  # the text read from its end
    assert turned["backward"] == pytest.approx(scores["forward"])
    order = rng.permutation(n)
    moved = dict(zip(GATES, gate_scores(A[order][:, order]), strict=True))  # the order does not matter to these
    for gate in ("closed", "directional", "cluster", "instance", "open"):
        assert moved[gate] == pytest.approx(scores[gate])


def test_a_previous_token_head_is_backward_and_not_an_instance_gate():
    A = np.eye(10, k=-1)
    A[0, 0] = 1
    assert gate_of(gate_scores(A)) == "backward"


def test_what_is_between_two_gates_is_mixed():
    A = 0.4 * np.eye(12) + 0.4 * gate_example("directional", 12) + 0.2 * gate_example("open", 12)
    assert gate_of(gate_scores(A)) == "mixed"


def test_many_maps_at_once_are_as_one_by_one():
    A = np.stack([[gate_example(gate, 9, seed) for gate in GATES] for seed in range(3)])  # (3, 7, 9, 9)
    scores = gate_scores(A)
    assert scores.shape == (3, 7, 7) and gate_of(scores).tolist() == [list(GATES)] * 3
    np.testing.assert_array_equal(scores[1, 2], gate_scores(A[1, 2]))


def test_half_a_gate_counts_as_one():
    scores = np.zeros(7)
    assert gate_of(scores) == "mixed"
    scores[[3, 6]] = 0.5, 0.9
    assert gate_of(scores) == "forward"


def test_without_tokens_rows_sum_to_1_and_keep_their_proportions():
    A = np.random.default_rng(0).dirichlet(np.ones(6), (2, 6))
    left = without_tokens(A, [0, 5])
    np.testing.assert_allclose(left.sum(-1), 1)
    np.testing.assert_allclose(left[1, 2, 0] / left[1, 2, 3], A[1, 3, 1] / A[1, 3, 4])
    sink = 0.9 * gate_example("directional", 6, seed=3) + 0.1 * gate_example("closed", 6)
    column = int(sink.sum(0).argmax())
    assert gate_of(gate_scores(sink)) == "directional"
    assert gate_of(gate_scores(without_tokens(sink, [column]))) == "closed"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gate_scores(np.eye(2)), "A must be maps .* three tokens or more, got shape"),
        (lambda: gate_scores(np.ones((3, 4)) / 4), "A must be maps"),
        (lambda: gate_scores(np.ones((3, 3))), "A must hold weights"),
        (lambda: gate_scores([[2, -1, 0], [1, 0, 0], [1, 0, 0]]), "A must hold weights"),
        (lambda: gate_of([0.5]), "scores must have 7 numbers"),
        (lambda: gate_example("half-open", 8), "gate must be one of closed, directional"),
        (lambda: gate_example("open", 5), "n must be a number of tokens"),
        (lambda: without_tokens(np.eye(3)[[0, 0, 0]], [0]), "places must leave"),
        (lambda: without_tokens(np.eye(3), [0, 1, 2]), "places must leave"),
    ],
)
def test_wrong_arguments_are_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()
