"""Linked curves: Gauss's integral against counted crossings, and laws that both obey."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.geometry import crossings, hopf_link, linking_number


def curves(turns, n=400, shift=(0, 0, 0)):
    """A circle, and a curve that winds so many times around it while it goes around once."""
    t = 2 * np.pi * np.arange(n) / n
    circle = np.stack([2 * np.cos(t), 2 * np.sin(t), 0 * t], axis=1)
    wide = 2 + 0.8 * np.cos(turns * t)
    return circle, np.stack([wide * np.cos(t), wide * np.sin(t), 0.8 * np.sin(turns * t)], axis=1) + shift


def signed_crossings(first, second):
    """The linking number of two polygons from their shadow on the first two coordinates, edge by edge. Independent."""
    total = 0
    for a, b in zip(first, np.roll(first, -1, 0)):
        for c, d in zip(second, np.roll(second, -1, 0)):
            u, v = b - a, d - c
            matrix = np.array([[u[0], -v[0]], [u[1], -v[1]]])
            if abs(np.linalg.det(matrix)) < 1e-12:
                continue
            s, t = np.linalg.solve(matrix, (c - a)[:2])
            if 0 <= s < 1 and 0 <= t < 1 and (a + s * u)[2] > (c + t * v)[2]:
                total += np.sign(u[0] * v[1] - u[1] * v[0])
    return total


@pytest.mark.parametrize("turns", [0, 1, 2, 3, -2])
def test_gausss_integral_counts_the_windings(turns):
    assert abs(linking_number(*curves(turns))) == pytest.approx(abs(turns), abs=0.02)
    assert np.sign(round(linking_number(*curves(turns)))) == -np.sign(round(linking_number(*curves(-turns))))


def test_gausss_integral_is_the_number_of_signed_crossings():
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    for turns in (0, 1, -2):
        first, second = (curve @ turn for curve in curves(turns, n=100))
        assert abs(linking_number(first, second)) == pytest.approx(abs(signed_crossings(first, second)), abs=0.1)


def test_the_hopf_link_is_linked_and_comes_apart():
    points, circle = hopf_link(200)
    first, second = points[circle == 0], points[circle == 1]
    assert abs(linking_number(first, second)) == pytest.approx(1, abs=1e-3)
    assert linking_number(first, second + [3, 0, 0]) == pytest.approx(0, abs=1e-9)
    assert linking_number(first[::-1], second) == pytest.approx(-linking_number(first, second))
    assert linking_number(second, first) == pytest.approx(linking_number(first, second))


@given(st.integers(0, 10_000))
def test_every_shadow_of_the_hopf_link_has_crossings(seed):
    points, circle = hopf_link(60)
    plane = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 2)))[0]
    shadow = points @ plane
    assert crossings(shadow[circle == 0], shadow[circle == 1]) in (2, 4)


@given(st.integers(0, 10_000), st.integers(3, 12), st.integers(3, 12))
def test_closed_curves_in_the_plane_cross_an_even_number_of_times(seed, n, m):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(n, 2)), rng.normal(size=(m, 2))
    assert crossings(first, second) % 2 == 0
    assert crossings(first, second) == crossings(second, first) == slow_crossings(first, second)


def slow_crossings(first, second):
    total = 0
    for a, b in zip(first, np.roll(first, -1, 0)):
        for c, d in zip(second, np.roll(second, -1, 0)):
            s, t = np.linalg.solve(np.stack([b - a, c - d], axis=1), c - a)
            total += 0 <= s < 1 and 0 <= t < 1
    return total


def test_curves_that_meet_on_corners_or_edges_are_counted_once():
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]])
    assert crossings(square, square + [1, 0]) % 2 == 0
    assert crossings(square, [[1, 1], [5, 1], [5, 5]]) == 2
    assert crossings(square, [[2, 2], [5, 2], [5, 5]]) in (0, 2)  # they only touch


def test_curves_come_as_points_in_order_and_do_not_meet():
    triangle = np.eye(3)
    with pytest.raises(ValueError, match="first must have 3 coordinates for each point, got 2"):
        linking_number(triangle[:, :2], triangle)
    with pytest.raises(ValueError, match="second must have 2 coordinates for each point, got 3"):
        crossings(triangle[:, :2], triangle)
    with pytest.raises(ValueError, match="must not meet"):
        linking_number(triangle, triangle)
    with pytest.raises(ValueError, match="first must be"):
        crossings(triangle[:2, :2], triangle[:, :2])
