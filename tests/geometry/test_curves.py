import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from sklearn.decomposition import PCA

from tutorial_lib.geometry import clock_hands, correlation_dimension, lag_distances, local_dimension, turn_period
from tutorial_lib.geometry.curves import circle_center, nearest_rotation, rotation_planes
from tutorial_lib.positions import sinusoidal, wavelengths


def helix(n, period, noise=0.0, wander=0.0, seed=0, d=10):
    """A helix somewhere in d dimensions; wander: random changes of speed, as radians a step."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(n) / period + wander * rng.normal(size=n).cumsum()
    points = np.stack([np.cos(angle), np.sin(angle), np.arange(n) / 100], axis=1)
    Q = np.linalg.qr(rng.normal(size=(d, 3)))[0]
    return 5 + points @ Q.T + noise * rng.normal(size=(n, d))


def hands(n, periods, radii):
    angle = 2 * np.pi * np.arange(n)[:, None] / periods
    return np.hstack([radii * np.cos(angle), radii * np.sin(angle)])


# --- the period ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", [2.5, 5.8, 22, 60])
def test_the_period_of_a_helix_without_noise_is_found(period):
    turn = turn_period(helix(400, period))
    assert turn.period == pytest.approx(period, rel=1e-3)
    assert turn.rounds == pytest.approx(399 / period, rel=1e-3) and turn.radius_cv < 0.05


@pytest.mark.parametrize("n, period, noise", [(383, 22, 0.1), (383, 22, 0.3), (127, 5.8, 0.1), (383, 100, 0.1)])
def test_the_interval_holds_the_period_of_a_noisy_helix(n, period, noise):
    turns = [turn_period(helix(n, period, noise, seed=seed)) for seed in range(20)]
    assert sum(turn.low <= period <= turn.high for turn in turns) >= 19
    assert np.mean([turn.period for turn in turns]) == pytest.approx(period, rel=0.01)


def test_the_interval_holds_the_average_period_of_a_helix_that_changes_its_speed():
    turns = [turn_period(helix(383, 22, noise=0.05, wander=0.05, seed=seed)) for seed in range(60)]
    assert sum(turn.low <= 22 <= turn.high for turn in turns) >= 51  # 95 % are 57, less chance


def test_a_wider_interval_for_a_higher_level_and_the_same_for_the_same_seed():
    curve = helix(300, 22, noise=0.2)
    wide, narrow = turn_period(curve, level=0.99), turn_period(curve, level=0.8)
    assert wide.low < narrow.low < wide.period < narrow.high < wide.high
    again = turn_period(curve, level=0.99)
    assert (again.low, again.high) == (wide.low, wide.high)
    assert turn_period(curve, level=0.99, seed=1).low != wide.low


def test_pieces_of_a_curve_that_speeds_up_vary_more_than_its_single_steps_would_say():
    angle = np.cumsum(2 * np.pi / 22 + 0.1 * np.sin(np.arange(400) / 60))
    curve = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    pieces, steps = (turn_period(curve, n_components=2, segments=n) for n in (20, 399))
    assert pieces.period == pytest.approx(steps.period) and pieces.high - pieces.low > 3 * (steps.high - steps.low)


def test_of_several_turns_the_strongest_counts():
    curve = hands(300, [6.0, 30.0], np.array([1.0, 2.0]))
    assert turn_period(curve, n_components=4).period == pytest.approx(30, rel=0.01)


def test_a_circle_is_a_turn_without_an_axis():
    turn = turn_period(hands(100, [20.0], [3.0]))
    assert turn.period == pytest.approx(20) and turn.share == pytest.approx(1) and turn.radius_cv < 1e-9
    assert turn.angles[0] == 0 and turn.angles[-1] == pytest.approx(2 * np.pi * 99 / 20)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.floats(0.01, 100))
def test_neither_place_nor_direction_nor_size_nor_order_changes_the_period(seed, size):
    curve = helix(120, 11, noise=0.1, seed=3)
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(10, 10)))[0]
    period = turn_period(curve).period
    assert turn_period(size * curve @ Q + rng.normal(size=10)).period == pytest.approx(period, rel=1e-6)
    assert turn_period(curve[::-1]).period == pytest.approx(period, rel=0.01)


def test_a_straight_line_has_no_turns():
    with pytest.raises(ValueError, match="curve must bend: its points lie on one line"):
        turn_period(np.outer(np.arange(50), [1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="curve must bend"):
        turn_period(np.ones((50, 3)))


@pytest.mark.parametrize("seed", range(5))
def test_noise_and_a_line_with_noise_have_no_period(seed):
    noise = np.random.default_rng(seed).normal(size=(200, 10))
    for curve in (noise, noise + 5 * np.arange(200)[:, None]):
        turn = turn_period(curve)
        assert np.isnan([turn.period, turn.low, turn.high]).all() and turn.follows < 0


def test_less_than_one_round_is_no_period():
    turn = turn_period(hands(90, [100.0], [1.0]), n_components=2)
    assert np.isnan(turn.period) and turn.rounds == pytest.approx(0.89, abs=0.01)


@pytest.mark.parametrize("wrong, message", [
    (dict(n_components=1), "n_components must be a number of dimensions"),
    (dict(segments=1), "segments must be a number of segments"),
    (dict(segments=200), "curve must be a matrix of 201 or more vectors"),
    (dict(level=1.5), "level must be between 0 and 1"),
])
def test_arguments_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        turn_period(helix(100, 10), **wrong)


def test_a_curve_with_nan_is_refused():
    curve = helix(100, 10)
    curve[3, 2] = np.nan
    with pytest.raises(ValueError, match="curve must be finite"):
        turn_period(curve)


# --- several hands -------------------------------------------------------------------------------------------------


def test_all_hands_of_a_clock_are_found_with_their_periods_and_shares():
    found = clock_hands(hands(1000, [6.0, 18.0, 54.0, 162.0], np.array([1.0, 2.0, 1.5, 0.5])), n_components=8)
    assert [hand.period for hand in found] == pytest.approx([6, 18, 54, 162], rel=0.01)
    shares = np.array([1.0, 4.0, 2.25, 0.25])
    assert [hand.share for hand in found] == pytest.approx(shares / shares.sum(), abs=0.02)


def test_the_hands_of_the_sinusoidal_encoding_have_its_wavelengths():
    found = clock_hands(sinusoidal(512, 10), n_components=10)
    assert [hand.period for hand in found[:3]] == pytest.approx(wavelengths(10)[:3].tolist(), rel=1e-3)
    assert all(np.isnan(hand.period) for hand in found[3:])


def test_two_positions_a_round_is_the_fastest_hand_there_is():
    turn = turn_period(hands(99, [2.0], [1.0]) + 0.01 * np.random.default_rng(0).normal(size=(99, 2)), n_components=2)
    assert turn.rounds == pytest.approx(49, abs=0.1)


def test_the_nearest_rotation_is_scipys():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(30, 3))
    theirs, _ = Rotation.align_vectors(Y, X)
    assert np.allclose(nearest_rotation(X, Y), theirs.as_matrix().T)


@given(st.integers(0, 10**6), st.integers(2, 8))
def test_a_rotation_is_recovered_and_its_planes_put_it_together_again(seed, k):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(k, k)))[0]
    Q[:, 0] *= np.sign(np.linalg.det(Q))
    X = rng.normal(size=(3 * k, k))
    M = nearest_rotation(X, X @ Q)
    assert np.allclose(M, Q, atol=1e-8)
    planes = rotation_planes(M)
    rest = np.eye(k) - sum((basis @ basis.T for basis, _ in planes), np.zeros((k, k)))
    again = rest.copy()
    for basis, angle in planes:
        again += basis @ [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]] @ basis.T
    assert np.allclose(again, M, atol=1e-7)


def test_half_a_turn_has_a_plane():
    [(basis, angle)] = rotation_planes(np.diag([-1.0, 1.0, -1.0]))
    assert angle == pytest.approx(np.pi) and np.allclose(basis[1], 0)


def test_two_sets_of_another_shape_have_no_rotation():
    with pytest.raises(ValueError, match=r"X and Y must have the same shape, got \(2, 2\) and \(3, 2\)"):
        nearest_rotation(np.eye(2), np.ones((3, 2)))


def test_the_center_of_a_short_arc_is_the_circle_s():
    angle = np.linspace(0.3, 1.2, 20)
    points = [4, -2] + 3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert np.allclose(circle_center(points), [4, -2])
    assert np.allclose(circle_center([[0, 0], [1, 1], [2, 2]]), [1, 1])  # no circle: the mean


# --- dimension -----------------------------------------------------------------------------------------------------


def test_local_dimension_of_one_window_is_the_participation_ratio():
    X = np.random.default_rng(0).normal(size=(50, 6)) * [1, 2, 3, 4, 5, 6]
    variances = PCA().fit(X).explained_variance_
    assert local_dimension(X, 50) == pytest.approx(variances.sum() ** 2 / np.square(variances).sum())


def test_local_dimension_of_known_curves():
    line = np.outer(np.arange(100), [1.0, 1.0])
    assert local_dimension(line, 7) == pytest.approx(1)
    clock = hands(324, [6.0, 18.0, 54.0], np.ones(3))
    assert local_dimension(clock, 54) == pytest.approx(6, rel=1e-6)
    walk = np.random.default_rng(0).normal(size=(1000, 400)).cumsum(0)
    assert all(local_dimension(walk, w) == pytest.approx(2.5, abs=0.1) for w in (17, 65, 129))


def test_local_dimension_averages_over_stretches():
    bent = np.array([[0, 0], [1, 0], [2, 0], [2, 1], [2, 2]], dtype=float)
    by_hand = np.mean([local_dimension(bent[i : i + 3], 3) for i in (0, 1, 2)])
    assert local_dimension(bent, 3) == pytest.approx(by_hand)
    by_hand = local_dimension(bent[:4], 4)  # the next stretch would begin at 2 and end behind the curve
    assert local_dimension(bent, 4) == pytest.approx(by_hand)
    assert np.isnan(local_dimension(np.ones((5, 2)), 3))


@pytest.mark.parametrize("window", [2, 6, 3.5])
def test_windows_that_do_not_fit_are_refused(window):
    with pytest.raises(ValueError, match="window must be"):
        local_dimension(np.ones((5, 2)), window)


def test_lag_distances_are_those_of_a_loop():
    X = np.random.default_rng(0).normal(size=(20, 3))
    for lag in (1, 7):
        squares = [np.square(X[i + lag] - X[i]).sum() for i in range(20 - lag)]
        assert lag_distances(X, [lag])[0] == pytest.approx(np.mean(squares) ** 0.5)
    with pytest.raises(ValueError, match="lags must be ints from 1 to 19, one less than the curve's points, got 20"):
        lag_distances(X, [1, 20])


def test_a_random_walk_grows_like_the_square_root_of_the_lag():
    walk = np.random.default_rng(0).normal(size=(2000, 300)).cumsum(0)
    d = lag_distances(walk, [1, 4, 16])
    assert d / d[0] == pytest.approx([1, 2, 4], rel=0.03)


def test_the_correlation_dimension_of_a_square_is_2_and_counts_pairs():
    points = np.random.default_rng(0).uniform(size=(1500, 2))
    assert correlation_dimension(points, [0.02, 0.06]) == pytest.approx([2], abs=0.15)
    X = np.random.default_rng(1).normal(size=(30, 2))
    radii = [0.5, 1.0, 2.0]
    counts = [sum(np.linalg.norm(X[i] - X[j]) <= r for i in range(30) for j in range(i + 5, 30)) for r in radii]
    assert correlation_dimension(X, radii, apart=5) == pytest.approx(np.diff(np.log(counts)) / np.diff(np.log(radii)))


def test_no_pairs_within_a_radius_is_nan_and_radii_must_rise():
    assert np.isnan(correlation_dimension(np.arange(5.0)[:, None], [0.1, 2.0])).all()
    with pytest.raises(ValueError, match="radii must be two or more rising positive numbers"):
        correlation_dimension(np.ones((5, 2)), [1.0, 0.5])
