"""Statements of the chapter on the curve of positions (L 4.2.3-4.2.5) that its page cannot check."""

import numpy as np
import pytest

from tutorial_book.claims.position_vectors import distance_after_training
from tutorial_lib.geometry import clock_hands, persistence
from tutorial_lib.positions import sinusoidal


def test_fourier_transform_finds_the_periods_of_the_hands(page):
    for hand in page.hands[:4]:
        power = np.abs(np.fft.fft(hand.points @ [1, 1j], 2**14))
        strongest = 1 / np.abs(np.fft.fftfreq(2**14))[power.argmax()]
        assert strongest == pytest.approx(hand.period, rel=0.05)


def test_hands_of_the_sinusoidal_table_have_its_wavelengths():
    hands = clock_hands(sinusoidal(512, 10), n_components=10)
    expected = [2 * np.pi * 10_000 ** (i / 5) for i in range(3)]
    assert [hand.period for hand in hands[:3]] == pytest.approx(expected, rel=0.001)
    assert np.isnan(hands[3].period) and np.isnan(hands[4].period)


def test_random_walks_of_other_seeds_make_no_clock(page):
    for seed in (10, 11):
        steps = np.random.default_rng(seed).normal(size=page.curve.shape)
        hands = clock_hands(steps.cumsum(0), n_components=10)
        assert max(hand.rounds for hand in hands) < 8 and max(hand.share for hand in hands) > 0.5


def test_other_stretches_of_table_have_no_long_loop(page):
    for first in (1, 64, 300):
        _, loops = persistence(page.positions[first : first + 200])
        assert 350 < len(loops) < 650 and page.late(loops) < 1.4


def test_sum_and_decay_explain_similarity_to_cls():
    a, b = 1.44, 1.48  # the norms of [CLS] and position 0 in bert-base-cased (L 4.2.5)
    cosines = [(a**2 + b**2 - distance_after_training(decay) ** 2) / (2 * a * b) for decay in (0.0, 0.01)]
    assert cosines == pytest.approx([0.889, 0.959], abs=0.001)


def test_distance_after_training_matches_a_simulation():
    rng = np.random.default_rng(0)
    draws = rng.normal(scale=0.02, size=(400_000,))
    draws = draws[np.abs(draws) < 0.04][: 2 * 768 * 200].reshape(2, 200, 768)
    start = np.linalg.norm(draws[0] - draws[1], axis=1).mean()
    assert distance_after_training(decay=0.0) == pytest.approx(start, rel=0.01)
    rates = np.interp(np.arange(1_000_000), [0, 10_000, 1_000_000], [0, 1e-4, 0])
    assert distance_after_training(decay=0.01) == pytest.approx(start * np.prod(1 - 0.01 * rates), rel=0.01)
    assert distance_after_training(decay=0.01) == pytest.approx(0.418, abs=0.001)
