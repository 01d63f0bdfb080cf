"""What the chapter on the curve of positions finds in the default model (L 4.2.3-4.2.5)."""

import numpy as np
import pytest

from tutorial_book.claims.position_vectors import distance_after_training
from tutorial_lib.geometry import persistence


def test_the_table_has_ten_directions_and_three_hold_a_third(page):
    shares = page.shares
    assert shares[:10].sum() == pytest.approx(0.94, abs=0.005) and shares[9] > 2.5 * shares[10]
    assert shares[:3].sum() == pytest.approx(0.37, abs=0.01)


def test_the_helix_turns_once_in_six_positions(page):
    assert (page.turn.period, page.turn.low, page.turn.high) == pytest.approx((5.93, 5.76, 6.11), abs=0.02)


def test_five_hands_hold_the_table_and_each_is_three_times_slower(page):
    hands, rounds = page.hands, page.rounds
    assert len(hands) == 5 and sum(hand.share for hand in hands) == pytest.approx(0.977, abs=0.002)
    assert [hand.period for hand in hands[:4]] == pytest.approx([5.93, 17.79, 53.18, 160.1], rel=0.01)
    assert rounds[:3] / rounds[1:4] == pytest.approx([3, 3, 3], abs=0.02)
    assert np.isnan(hands[4].period) and rounds[4] == pytest.approx(0.70, abs=0.01)
    assert max(hand.radius_cv for hand in hands) < 0.08


def test_the_hands_slow_down_together(page):
    assert page.miss < np.radians(7) and page.even > np.radians(140)


def test_an_independent_method_sees_the_first_hands_near_their_periods(page):
    for hand in page.hands[:4]:
        power = np.abs(np.fft.fft(hand.points @ [1, 1j], 2**14))
        strongest = 1 / np.abs(np.fft.fftfreq(2**14))[power.argmax()]
        assert strongest == pytest.approx(hand.period, rel=0.05)


def test_a_random_walk_has_no_such_clock(page):
    for walk in (page.of_walk, *page.of_others):
        assert max(hand.rounds for hand in walk) < 5 and max(hand.share for hand in walk) > 0.6


def test_no_loop_of_the_curve_is_long_and_the_fast_hand_s_own_is(page, prose):
    assert page.long == 0 and len(page.loops) == 531
    assert [*page.loops[0], page.pieces[1, 1]] == pytest.approx([1.267, 1.658, 1.066], abs=0.002)
    born, dead = zip(*(loops[0] for loops in page.lives.values()), strict=True)
    assert born == pytest.approx([0.151, 0.394, 0.777, 0.981, 1.221, 1.267], abs=0.002)
    assert min(dead[1:]) > 1.6 and max(dead) < 1.67 and dead[0] > 9 * born[0]
    assert "The longest loop dies at 1.31 times the distance of its birth" in prose
    assert page.late(page.loops) == pytest.approx(1.31, abs=0.005)


def test_nor_is_it_longer_than_in_vectors_without_an_order(page):
    ratios = {name: [page.late(loops) for loops in sets] for name, sets in page.drawn.items()}
    low, high = np.quantile(page.beyond, [0.025, 0.975])
    assert low < -0.05 and 0 < high < 0.06 and len(ratios["each component shuffled"]) == 20
    assert min(ratios["four fifths of the positions"]) > 1.25 and max(ratios["four fifths of the positions"]) < 1.36
    assert max(ratios["random walks, 10 wide"]) > 1.5  # some walk has a longer one
    for name in ("random walks, as wide", "sinusoidal, as wide"):
        assert not any(map(len, page.drawn[name]))


def test_the_clock_explains_how_many_short_loops_there_are(page):
    clock, shuffled = ([len(loops) for loops in page.drawn[name]]
                       for name in ("five even hands and noise", "each component shuffled"))  # fmt: skip
    assert 500 < min(clock) <= max(clock) < 540 and max(shuffled) < 250


def test_the_start_of_the_table_has_no_long_loop_either(page):
    for first in (1, 64, 300):
        some = page.positions[first : first + 200]
        _, loops = persistence(some)
        assert 400 < len(loops) < 600 and page.late(loops) < 1.35


def test_the_small_tables_are_threads_in_part_and_no_clocks(page, prose):
    share, low, high, whole, dimensions, ring = map(list, zip(*page.threads.values(), strict=True))
    default, gpt, bert, *nulls = share
    assert [default, gpt, bert] == pytest.approx([0.98, 0.49, 0.32], abs=0.01)
    assert min(low[1:3]) > 0.1 and whole[:3] == pytest.approx([0.99, 0.28, 0.15], abs=0.01)
    assert dimensions[:3] == pytest.approx([7.2, 10.4, 25.7], abs=0.1)
    names = list(page.threads)
    for name, one, round_ in zip(names, share, ring, strict=True):
        if name.startswith("random walk") or name == "sinusoidal":
            assert one == 1 and round_ < min(ring[1:3])
        elif name.startswith("random"):
            assert one == 0 and round_ > 0.4
    assert ring[0] < 0.06 and "Their roundest ring is less round than a random walk's" in prose


def test_the_segment_vectors_are_nearly_one(page):
    a, b = page.segments
    assert np.linalg.norm([a, b], axis=1) == pytest.approx([0.482, 0.466], abs=0.001)
    assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) == pytest.approx(0.942, abs=0.001)
    assert np.linalg.norm(a - b) == pytest.approx(0.162, abs=0.001)


def test_thousands_of_token_position_pairs_are_outside_and_most_were_never_used(page):
    assert len(page.outside) == pytest.approx(7542, abs=5)
    assert page.unused == pytest.approx(5089, abs=5)


def test_cls_and_position_0_are_two_vectors_here(page):
    a, b = page.E, page.positions[0]
    numbers = [np.linalg.norm(a), np.linalg.norm(b), np.linalg.norm(a - b), np.abs(a - b).max()]
    assert numbers == pytest.approx([1.55, 2.36, 2.28, 0.82], abs=0.01)


def test_cosines_of_segments_with_the_other_families(page):
    of_positions, of_tokens = page.between
    assert of_positions == pytest.approx([0.281, -0.109, 0.081, 0.016, 0.164], abs=0.001)
    assert of_tokens == pytest.approx([0.570, -0.343, 0.022, -0.131, 0.320], abs=0.001)


def test_parameters_that_meet_as_a_sum_approach_each_other_by_decay_alone(page):
    for *_, distance, predicted in page.sums.values():
        assert distance == pytest.approx(predicted, rel=1e-4)
    (*_, before, after, _), (*_, before_decay, after_decay, _) = page.sums.values()
    assert after == pytest.approx(before, rel=1e-4) and after_decay < 0.5 * before_decay


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
