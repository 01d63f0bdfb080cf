"""Linked curves: Gauss's integral against counted crossings, and laws that both obey."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.geometry.clouds import gaussian, turn
from tutorial_lib.geometry import crossings, hopf_link, linking_number


def curves(turns, n=400):
    """A circle, and a curve that winds this many times around it while it goes around once."""
    t = 2 * np.pi * np.arange(n) / n
    circle = np.stack([2 * np.cos(t), 2 * np.sin(t), 0 * t], axis=1)
    wide = 2 + 0.8 * np.cos(turns * t)
    return circle, np.stack([wide * np.cos(t), wide * np.sin(t), 0.8 * np.sin(turns * t)], axis=1)


def slow_crossings(first, second):
    """Of two polygons in the plane, edge by edge: how many crossings, and the signed sum of those with first on top.

    A third coordinate is the height.
    """
    count = signs = 0
    for a, b in zip(first, np.roll(first, -1, 0)):
        for c, d in zip(second, np.roll(second, -1, 0)):
            u, v = b - a, d - c
            matrix = np.stack([u[:2], -v[:2]], axis=1)
            if abs(np.linalg.det(matrix)) < 1e-12:  # parallel
                continue
            s, t = np.linalg.solve(matrix, (c - a)[:2])
            if 0 <= s < 1 and 0 <= t < 1:
                count += 1
                if (a + s * u)[-1] > (c + t * v)[-1]:
                    signs += np.sign(u[0] * v[1] - u[1] * v[0])
    return count, signs


@pytest.mark.parametrize("turns", [0, 1, 2, 3, -2])
def test_gausss_integral_counts_the_windings(turns):
    found = linking_number(*curves(turns))
    assert abs(found) == pytest.approx(abs(turns), abs=0.02)
    assert found == pytest.approx(-linking_number(*curves(-turns)))


@pytest.mark.parametrize("turns", [0, 1, -2])
def test_gausss_integral_is_that_of_signed_crossings(turns):
    first, second = (curve @ turn(3) for curve in curves(turns, n=60))
    assert abs(linking_number(first, second)) == pytest.approx(abs(slow_crossings(first, second)[1]), abs=0.2)


def test_the_hopf_link_is_linked_and_comes_apart():
    points, circle = hopf_link(200)
    first, second = points[circle == 0], points[circle == 1]
    assert abs(linking_number(first, second)) == pytest.approx(1, abs=1e-3)
    assert linking_number(first, second + [3, 0, 0]) == pytest.approx(0, abs=1e-9)
    assert linking_number(first[::-1], second) == pytest.approx(-linking_number(first, second))
    assert linking_number(second, first) == pytest.approx(linking_number(first, second))


@given(st.integers(0, 10_000), st.integers(3, 12), st.integers(3, 12))
@settings(max_examples=30)
def test_closed_curves_cross_an_even_number_of_times(seed, n, m):
    first, second = gaussian(n, 2, seed=seed), gaussian(m, 2, seed=seed + 1)
    found = crossings(first, second)
    assert found % 2 == 0
    assert found == crossings(second, first) == slow_crossings(first, second)[0]


def test_curves_that_meet_on_corners_are_counted_once():
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]])
    assert crossings(square, square + [1, 0]) % 2 == 0
    assert crossings(square, [[1, 1], [5, 1], [5, 5]]) == 2
    assert crossings(square, [[2, 2], [5, 2], [5, 5]]) in (0, 2)  # they only touch
