"""Statements of the chapter on shape in its solutions, and about clouds of known shape, with other draws."""

import numpy as np
import pytest

from tutorial_lib.geometry import average_cosine, intrinsic_dimension, neighbor_ratios

RNG = np.random.default_rng(0)


def test_two_nn_underestimates_the_dimension_of_a_cube():
    assert abs(intrinsic_dimension(RNG.normal(size=(3000, 10))) / 10 - 1) < 0.06
    assert intrinsic_dimension(RNG.random((3000, 10))) < 9


def test_ratios_follow_the_law():
    for d, ratio in ((1, 3), (10, 1.5)):
        assert abs((neighbor_ratios(RNG.random((2000, d))) > ratio).mean() - ratio**-d) < 0.05


def test_only_a_shift_changes_the_average_cosine(page):
    cloud, turn = page.gaussian, np.linalg.qr(RNG.normal(size=(10, 10)))[0]
    for title, measure in page.measures.items():
        same, shifted = [measure(cloud), measure(7 * cloud), measure(cloud @ turn)], measure(cloud + 1)
        assert same == pytest.approx(same[:1] * 3, rel=1e-6)
        assert (abs(shifted - same[0]) > 0.1) == (title == "average cosine")


def test_two_close_threads_change_the_estimated_dimension(page):
    far, near = (intrinsic_dimension([*page.thread, *page.thread + [0, 0, gap * page.spacing]]) for gap in (100, 0.1))
    assert abs(far - 1) < 0.2 < abs(near - 1) and abs(average_cosine(page.cigar + [90, 50]) - 1) < 0.001
