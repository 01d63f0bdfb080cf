"""Seven gates: pure examples, noise, mixtures, by hand; and maps without some tokens."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutorial_lib.geometry import GATES, gate_example, gate_of, gate_scores, without_tokens

# Other gates that a pure example also is, so that the order of the gates decides.
ALSO = {"closed": {"instance"}, "directional": {"backward", "forward"}}


def scores_of(A):
    return dict(zip(GATES, gate_scores(A), strict=True))


@pytest.mark.parametrize("gate", GATES)
def test_a_pure_example_is_its_gate(gate):
    for n in (6, 7, 12, 40):
        for seed in range(8):
            A = gate_example(gate, n, seed)
            np.testing.assert_allclose(A.sum(1), 1)
            assert scores_of(A)[gate] == pytest.approx(1)
            assert gate_of(gate_scores(A)) == gate
            if n == 12:
                assert {other for other in GATES if scores_of(A)[other] >= 0.5} - {gate} <= ALSO.get(gate, set())


def test_examples_are_as_their_words_say():
    groups, looks = set(), set()
    for n in (6, 9, 40):
        for seed in range(20):
            sizes = 1 / gate_example("cluster", n, seed).max(1)
            assert sizes[0] < 4.5 and sizes.min() > 1.5  # the last group may be one larger
            groups |= set(sizes.round(9).tolist())
            instance = gate_example("instance", n, seed)
            ahead = np.triu(instance).sum()
            assert n // 2 <= ahead <= (n + 1) // 2 and not (instance * instance.T).any()
            looks.add(gate_example("directional", 6, seed)[0].argmax())
    assert groups == {2, 3, 4, 5}
    assert {0, 5} <= looks


@pytest.mark.parametrize("n", [8, 32])
@pytest.mark.parametrize("gate", GATES)
def test_some_noise_changes_no_gate(gate, n):
    for seed in range(8):
        noise = np.random.default_rng(seed).dirichlet(np.ones(n), n)
        assert gate_of(gate_scores(0.6 * gate_example(gate, n, seed) + 0.4 * noise)) == gate
    assert gate_of(gate_scores(noise)) == "open"


def test_scores_are_those_by_hand():
    expected = {
        "closed": (1.2 / 3 - 1 / 3) / (2 / 3),  # 0.6 + 0.2 + 0.4 on the diagonal
        "directional": (0.6 - 1 / 3) / (2 / 3),  # the first column
        # the first row's own cell, one of the second, two of the last: 4 of 9
        "backward": ((0.6 + 0.6 + 0.6) / 3 - 4 / 9) / (5 / 9),
        "forward": ((0.4 + 0.2 + 0.4) / 3 - 4 / 9) / (5 / 9),
        # tokens 0 and 1 give each other more than a third; each with itself, that makes 4 cells
        "cluster": ((1.0 + 0.8) / 3 - 4 / 9) / (5 / 9),
        "instance": (0.6 - 1 / 3) / (2 / 3) / 3,  # one favorite for three tokens
    }
    found = scores_of([[0.6, 0.4, 0.0], [0.6, 0.2, 0.2], [0.6, 0.0, 0.4]])
    assert {gate: found[gate] for gate in expected} == pytest.approx(expected)
    half = np.kron(np.eye(2), np.full((2, 2), 0.5))
    assert scores_of(half)["open"] == pytest.approx((2 - 1) / (4 - 1))  # two tokens of four
    even = np.full((13, 13), 1 / 13, np.float32)  # in which 1/13 is a little more
    np.testing.assert_allclose(gate_scores(even), [0, 0, 0, 0, 0, 0, 1], atol=1e-6)
    all_partners = [[0.1, 0.45, 0.45], [0.45, 0.1, 0.45], [0.45, 0.45, 0.1]]
    assert scores_of(all_partners)["cluster"] == 0


@given(st.integers(0, 10**6), st.integers(3, 20), st.floats(0.05, 3))
@settings(max_examples=40)
def test_scores_obey_the_laws_of_all_maps(seed, n, concentration):
    rng = np.random.default_rng(seed)
    A = rng.dirichlet(np.full(n, concentration), n)
    scores = scores_of(A)
    assert max(scores.values()) <= 1 + 1e-9 and 0 <= scores["open"] and 0 <= scores["instance"]
    assert sum(scores[gate] >= 0.5 for gate in ("closed", "backward", "forward")) <= 1
    assert scores_of(A[::-1, ::-1])["backward"] == pytest.approx(scores["forward"])  # the text read from its end
    order = rng.permutation(n)
    moved = scores_of(A[order][:, order])
    for gate in ("closed", "directional", "cluster", "instance", "open"):  # the order does not matter to these
        assert moved[gate] == pytest.approx(scores[gate])


def test_known_maps_have_their_gates():
    previous = np.eye(10, k=-1)
    previous[0, 0] = 1
    assert gate_of(gate_scores(previous)) == "backward"
    mixed = 0.4 * np.eye(12) + 0.4 * gate_example("directional", 12) + 0.2 * gate_example("open", 12)
    assert gate_of(gate_scores(mixed)) == "mixed"
    assert gate_of(np.full(7, 0.49)) == "mixed"
    assert gate_of([0.49, 0.49, 0.49, 0.5, 0.0, 0.0, 0.9]) == "forward"  # half is enough, and the first counts
    A = np.stack([[gate_example(gate, 9, seed) for gate in GATES] for seed in range(3)])  # (3, 7, 9, 9)
    assert gate_of(gate_scores(A)).tolist() == [list(GATES)] * 3
    np.testing.assert_array_equal(gate_scores(A)[1, 2], gate_scores(A[1, 2]))


def test_without_tokens_rows_keep_their_proportions():
    A = np.random.default_rng(0).dirichlet(np.ones(6), (2, 6))
    left = A[:, 1:5, 1:5]
    np.testing.assert_allclose(without_tokens(A, [0, -1]), left / left.sum(-1, keepdims=True))
