"""What the chapter on the curve of positions finds in the default model (L 4.2.3-4.2.5), recomputed independently."""

import numpy as np
import pytest
import torch

from tutorial_book.claims.position_vectors import distance_after_training
from tutorial_lib.geometry import clock_hands, turn_period


@pytest.fixture(scope="module")
def tables(bert):
    embeddings = bert.embeddings
    return [part.weight.detach().double().numpy() for part in
            (embeddings.tokens, embeddings.positions, embeddings.segments)]


@pytest.fixture(scope="module")
def positions(tables):
    return tables[1]


@pytest.fixture(scope="module")
def hands(positions):
    return clock_hands(positions[128:-2], n_components=10)


def unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def test_the_table_has_ten_directions_and_three_hold_a_third(positions):
    curve = positions[1:-2]
    variances = np.linalg.eigvalsh(np.cov(curve.T))[::-1]
    shares = variances / variances.sum()
    assert shares[:10].sum() == pytest.approx(0.94, abs=0.005) and shares[9] > 2.5 * shares[10]
    assert shares[:3].sum() == pytest.approx(0.37, abs=0.01)


def test_the_helix_turns_once_in_six_positions(positions):
    turn = turn_period(positions[1:384])
    assert (turn.period, turn.low, turn.high) == pytest.approx((5.93, 5.76, 6.11), abs=0.02)


def test_five_hands_hold_the_table_and_each_is_three_times_slower(hands):
    assert len(hands) == 5 and sum(hand.share for hand in hands) == pytest.approx(0.977, abs=0.002)
    assert [hand.period for hand in hands[:4]] == pytest.approx([5.93, 17.79, 53.18, 160.1], rel=0.01)
    rounds = np.array([hand.rounds for hand in hands])
    assert rounds[:3] / rounds[1:4] == pytest.approx([3, 3, 3], abs=0.02)
    assert np.isnan(hands[4].period) and rounds[4] == pytest.approx(0.70, abs=0.01)
    assert max(hand.radius_cv for hand in hands) < 0.08


def test_the_hands_slow_down_together(hands):
    fast, slow = hands[0].angles, hands[1].angles
    assert np.std(fast - np.polyval(np.polyfit(slow, fast, 1), slow)) < np.radians(7)
    steps = np.arange(len(fast))
    assert np.std(fast - np.polyval(np.polyfit(steps, fast, 1), steps)) > np.radians(140)


def test_an_independent_method_sees_the_first_hands_near_their_periods(hands):
    for hand in hands[:4]:
        power = np.abs(np.fft.fft(hand.points @ [1, 1j], 2**14))
        strongest = 1 / np.abs(np.fft.fftfreq(2**14))[power.argmax()]
        assert strongest == pytest.approx(hand.period, rel=0.05)


def test_a_random_walk_has_no_such_clock(positions):
    walk = np.random.default_rng(0).normal(size=positions[128:-2].shape).cumsum(0)
    found = clock_hands(walk, n_components=10)
    assert max(hand.rounds for hand in found) < 5 and max(hand.share for hand in found) > 0.6


def test_the_segment_vectors_are_nearly_one(tables):
    a, b = tables[2]
    assert np.linalg.norm([a, b], axis=1) == pytest.approx([0.482, 0.466], abs=0.001)
    assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) == pytest.approx(0.942, abs=0.001)
    assert np.linalg.norm(a - b) == pytest.approx(0.162, abs=0.001)


def test_thousands_of_token_position_pairs_are_outside_and_most_were_never_used(tables, tok):
    tokens, positions, _ = tables
    C = unit(tokens) @ unit(positions).T
    outside = np.argwhere(np.abs(C) > 0.2)
    assert len(outside) == pytest.approx(7542, abs=5)
    assert sum("unused" in tok.tokens[i] for i, _ in outside) == pytest.approx(5089, abs=5)
    assert np.abs(C).max() == pytest.approx(0.38, abs=0.005)


def test_cls_and_position_0_are_two_vectors_here(tables, tok):
    a, b = tables[0][tok.vocab["[CLS]"]], tables[1][0]
    numbers = [np.linalg.norm(a), np.linalg.norm(b), np.linalg.norm(a - b), np.abs(a - b).max()]
    assert numbers == pytest.approx([1.55, 2.36, 2.28, 0.82], abs=0.01)


def test_cosines_of_segments_with_the_other_families(tables):
    tokens, positions, segments = tables
    for others, expected in ((positions, [0.281, -0.109, 0.081, 0.016, 0.164]),
                             (tokens, [0.570, -0.343, 0.022, -0.131, 0.320])):
        C = unit(segments) @ unit(others).T
        assert [C.max(), C.min(), C.mean(), *np.percentile(C, [5, 95])] == pytest.approx(expected, abs=0.001)


def test_parameters_that_meet_as_a_sum_approach_each_other_by_decay_alone():
    for decay in (0.0, 0.1):
        torch.manual_seed(0)
        a, b = (torch.nn.Parameter(torch.randn(50)) for _ in range(2))
        start, goal = (a - b).detach().clone(), torch.randn(50)
        optimizer = torch.optim.AdamW([a, b], lr=0.05, weight_decay=decay)
        for _ in range(100):
            optimizer.zero_grad()
            (a + b - goal).square().sum().backward()
            optimizer.step()
        assert torch.allclose(a - b, start * (1 - 0.05 * decay) ** 100, atol=1e-5)


def test_a_sum_alone_makes_two_vectors_similar_and_decay_does_the_rest():
    a, b = 1.44, 1.48  # the norms of [CLS] and position 0 in bert-base-cased (L 4.2.5)
    cosines = [(a**2 + b**2 - distance_after_training(decay) ** 2) / (2 * a * b) for decay in (0.0, 0.01)]
    assert cosines == pytest.approx([0.889, 0.959], abs=0.001)
    shrink = distance_after_training(decay=0.01) / distance_after_training(decay=0.0)
    assert 0.08 * shrink == pytest.approx(0.049, abs=0.001)  # the most that a coordinate can differ: L measured 0.06


def test_the_distance_after_bert_s_training_is_that_of_simulated_starts():
    rng = np.random.default_rng(0)
    draws = rng.normal(scale=0.02, size=(400_000,))
    draws = draws[np.abs(draws) < 0.04][: 2 * 768 * 200].reshape(2, 200, 768)
    start = np.linalg.norm(draws[0] - draws[1], axis=1).mean()
    assert distance_after_training(decay=0.0) == pytest.approx(start, rel=0.01)
    rates = np.interp(np.arange(1_000_000), [0, 10_000, 1_000_000], [0, 1e-4, 0])
    assert distance_after_training(decay=0.01) == pytest.approx(start * np.prod(1 - 0.01 * rates), rel=0.01)
    assert distance_after_training(decay=0.01) == pytest.approx(0.418, abs=0.001)
