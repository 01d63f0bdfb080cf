"""Curves: known periods of helices and clocks, rotations, and dimensions of known curves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from sklearn.decomposition import PCA

from tests.geometry.clouds import gaussian, turn
from tutorial_lib.geometry import clock_hands, correlation_dimension, lag_distances, local_dimension, turn_period
from tutorial_lib.geometry.curves import circle_center, nearest_rotation, rotation_planes


def helix(n, period, noise=0.0, wander=0.0, seed=0, d=10):
    """A helix somewhere in d dimensions; wander: random changes of speed, as radians a step."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(n) / period + wander * rng.normal(size=n).cumsum()
    points = np.stack([np.cos(angle), np.sin(angle), np.arange(n) / 100], axis=1)
    Q = np.linalg.qr(rng.normal(size=(d, 3)))[0]
    return 5 + points @ Q.T + noise * rng.normal(size=(n, d))


def hands(n, periods, radii):
    """Circles in planes at right angles, each at its own speed."""
    angle = 2 * np.pi * np.arange(n)[:, None] / periods
    return np.hstack([radii * np.cos(angle), radii * np.sin(angle)])


@pytest.mark.parametrize("period", [2.5, 5.8, 22, 60])
def test_the_period_of_a_helix_is_found(period):
    found = turn_period(helix(400, period))
    assert found.period == pytest.approx(period, rel=1e-3)
    assert found.rounds == pytest.approx(399 / period, rel=1e-3)
    assert found.radius_cv < 0.05


@pytest.mark.parametrize("n, period, noise, wander", [(383, 22, 0.3, 0), (127, 5.8, 0.1, 0), (383, 22, 0.05, 0.05)])
def test_the_interval_holds_the_period(n, period, noise, wander):
    turns = [turn_period(helix(n, period, noise, wander, seed)) for seed in range(10)]
    assert sum(found.low <= period <= found.high for found in turns) >= 9
    assert np.mean([found.period for found in turns]) == pytest.approx(period, rel=0.02)


def test_level_and_seed_decide_the_interval():
    curve = helix(300, 22, noise=0.2)
    wide, narrow = turn_period(curve, level=0.99), turn_period(curve, level=0.8)
    assert wide.low < narrow.low < wide.period < narrow.high < wide.high
    assert turn_period(curve, level=0.99).low == wide.low != turn_period(curve, level=0.99, seed=1).low


def test_the_interval_comes_from_pieces_not_steps():
    angle = np.cumsum(2 * np.pi / 22 + 0.1 * np.sin(np.arange(400) / 60))  # it speeds up
    curve = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    pieces, steps = (turn_period(curve, n_components=2, segments=n) for n in (20, 399))
    assert pieces.period == pytest.approx(steps.period)
    assert pieces.high - pieces.low > 3 * (steps.high - steps.low)
    angle = np.concatenate([np.linspace(0, 20 * np.pi, 100), np.linspace(20 * np.pi, 5 * np.pi, 300)])  # it turns back
    found = turn_period(np.stack([np.cos(angle), np.sin(angle)], axis=1), n_components=2)
    assert found.low < found.period < found.high == np.inf


def test_a_circle_is_a_turn_without_an_axis():
    found = turn_period(7 + hands(100, [20.0], [3.0]))
    assert [found.low, found.period, found.high] == pytest.approx([20, 20, 20])
    assert [found.share, found.follows] == pytest.approx([1, 1])
    assert found.radius_cv < 1e-9
    np.testing.assert_allclose(found.angles, 2 * np.pi * np.arange(100) / 20)
    np.testing.assert_allclose(np.linalg.norm(found.points, axis=1), 3)


@settings(max_examples=5)
@given(st.integers(0, 10**6), st.floats(0.01, 100))
def test_place_turn_size_and_order_change_no_period(seed, size):
    curve = helix(120, 11, noise=0.1, seed=3)
    period = turn_period(curve).period
    assert turn_period(size * curve @ turn(10, seed) + seed % 7).period == pytest.approx(period, rel=1e-6)
    assert turn_period(curve[::-1]).period == pytest.approx(period, rel=0.01)


@pytest.mark.parametrize("slope", [0, 5])
def test_noise_has_no_period(slope):
    for seed in range(5):
        found = turn_period(gaussian(200, 10, seed=seed) + slope * np.arange(200)[:, None])
        assert np.isnan([found.period, found.low, found.high]).all()
        assert found.follows < 0
    found = turn_period(hands(90, [100.0], [1.0]), n_components=2)  # less than one round
    assert np.isnan([found.period, found.low, found.high]).all()
    assert found.rounds == pytest.approx(0.89)


def test_all_hands_of_a_clock_are_found():
    clock = hands(1000, [6.0, 18.0, 54.0, 162.0], np.array([1.0, 2.0, 1.5, 0.5]))
    found = clock_hands(clock, n_components=8)
    assert [hand.period for hand in found] == pytest.approx([6, 18, 54, 162], rel=0.01)
    shares = np.array([1.0, 4.0, 2.25, 0.25])
    assert [hand.share for hand in found] == pytest.approx(shares / shares.sum(), abs=0.02)
    strongest = turn_period(clock, n_components=2)
    assert strongest.period == pytest.approx(18, rel=0.01)
    assert strongest.share == pytest.approx(shares[1] / shares.sum(), abs=0.01)  # of all variance
    assert turn_period(clock, n_components=8).period == pytest.approx(18, rel=0.01)


def test_the_nearest_rotation_is_scipys():
    X, Y = gaussian(30, 3), gaussian(30, 3, seed=1)
    theirs, _ = Rotation.align_vectors(Y, X)
    np.testing.assert_allclose(nearest_rotation(X, Y), theirs.as_matrix().T)


@given(st.integers(0, 10**6), st.integers(2, 8))
def test_the_planes_of_a_rotation_put_it_together(seed, k):
    Q = turn(k, seed)
    Q[:, 0] *= np.sign(np.linalg.det(Q))
    X = gaussian(3 * k, k, seed=seed)
    M = nearest_rotation(X, X @ Q)
    np.testing.assert_allclose(M, Q, atol=1e-8)
    planes = rotation_planes(M)
    angles = [angle for _, angle in planes]
    assert angles == sorted(angles, reverse=True)
    again = np.eye(k)
    for basis, angle in planes:
        rotation = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
        again += basis @ (rotation - np.eye(2)) @ basis.T
    np.testing.assert_allclose(again, M, atol=1e-7)


def test_half_turns_have_planes():
    planes = rotation_planes(np.diag([-1.0, 1.0, -1.0, -1.0, -1.0]))
    assert [angle for _, angle in planes] == pytest.approx([np.pi, np.pi])
    assert not any(basis[1].any() for basis, _ in planes)


def test_a_short_arc_has_its_circles_center():
    angle = np.linspace(0.3, 1.2, 20)
    arc = [4, -2] + 3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    np.testing.assert_allclose(circle_center(arc), [4, -2])
    np.testing.assert_allclose(circle_center([[0, 0], [1, 1], [2, 2]]), [1, 1])  # no circle: the mean


def test_local_dimension_is_the_participation_ratio_of_stretches():
    X = gaussian(50, 6) * [1, 2, 3, 4, 5, 6]
    variances = PCA().fit(X).explained_variance_
    assert local_dimension(X, 50) == pytest.approx(variances.sum() ** 2 / np.square(variances).sum())
    for window, starts in [(3, range(48)), (20, (0, 10, 20, 30)), (41, (0,))]:  # half a window apart
        stretches = [local_dimension(X[start : start + window], window) for start in starts]
        assert local_dimension(X, window) == pytest.approx(np.mean(stretches))
    still = np.concatenate([np.ones((4, 6)), X[:2]])
    assert np.isnan(local_dimension(still[:4], 3))
    moving = [local_dimension(still[start : start + 3], 3) for start in (2, 3)]
    assert local_dimension(still, 3) == pytest.approx(np.mean(moving))


def test_local_dimension_of_known_curves():
    assert local_dimension(np.outer(np.arange(100), [1.0, 1.0]), 7) == pytest.approx(1)
    assert local_dimension(hands(324, [6.0, 18.0, 54.0], np.ones(3)), 54) == pytest.approx(6)
    walk = gaussian(1000, 400).cumsum(0)
    assert local_dimension(walk, 17) == pytest.approx(2.5, abs=0.1)
    assert local_dimension(walk, 129) == pytest.approx(2.5, abs=0.1)


def test_lag_distances_are_those_of_a_loop():
    X = gaussian(20, 3)
    expected = [np.mean([np.square(X[i + lag] - X[i]).sum() for i in range(20 - lag)]) ** 0.5 for lag in (1, 7)]
    np.testing.assert_allclose(lag_distances(X, [1, 7]), expected)
    walk = gaussian(2000, 300).cumsum(0)
    distances = lag_distances(walk, [1, 4, 16])
    assert distances / distances[0] == pytest.approx([1, 2, 4], rel=0.03)  # the root of the lag


def test_the_correlation_dimension_counts_pairs():
    X = gaussian(30, 2)
    radii = [0.5, 1.0, 2.0]
    counts = [sum(np.linalg.norm(X[i] - X[j]) <= r for i in range(30) for j in range(i + 5, 30)) for r in radii]
    expected = np.diff(np.log(counts)) / np.diff(np.log(radii))
    np.testing.assert_allclose(correlation_dimension(X, radii, apart=5), expected)
    assert np.isnan(correlation_dimension(np.arange(5.0)[:, None], [0.1, 2.0])).all()  # no pairs
    square = np.random.default_rng(0).uniform(size=(1500, 2))
    assert correlation_dimension(square, [0.02, 0.06]) == pytest.approx([2], abs=0.15)
