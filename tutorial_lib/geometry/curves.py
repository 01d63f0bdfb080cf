"""Curves in space: how fast they turn, in how many planes at once, and how many dimensions they need.

A curve is an array (n, d) whose rows are points in order, such as a BERT's table of positions. Source: L 4.2.3, 5.2.
"""

from dataclasses import dataclass, field

import numpy as np

from tutorial_lib.arguments import check_has, whole_number
from tutorial_lib.geometry.arrays import as_numbers, as_vectors
from tutorial_lib.geometry.shape import participation_ratio
from tutorial_lib.geometry.similarity import distance_matrix
from tutorial_lib.geometry.statistics import bootstrap_interval


@dataclass(frozen=True, eq=False)
class Turn:
    """The turn of a curve in one plane, like the hand of a clock.

    period        steps for one round; nan if there is no turn to speak of
    low, high     the period's interval (95 % unless told otherwise); nan with it
    rounds        how often the whole curve goes round
    share         the share of the curve's variance that lies in the plane
    radius_cv     standard deviation of the distance from the center, over its mean: 0 for a circle
    follows       how well one rotation takes each point to the next: 1 is always, 0 or less is not at all
    points        the curve in the plane, (n, 2), around the center of the turn
    angles        how far it has turned since its first point, (n,) in radians, whole rounds included
    """

    period: float
    low: float
    high: float
    rounds: float
    share: float
    radius_cv: float
    follows: float
    points: np.ndarray = field(repr=False)
    angles: np.ndarray = field(repr=False)


def turn_period(curve, n_components=3, segments=20, level=0.95, seed=0) -> Turn:
    """Return how many steps a helix needs for one round: the strongest turn of a curve, by `clock_hands`.

    n_components = 3 uses the curve's three principal components, as in L's Figure 19. A rotation in three dimensions
    turns one plane and leaves one axis fixed, as a helix does. Source: L 4.2.3.

    >>> angle = 2 * np.pi * np.arange(200) / 22
    >>> turn = turn_period(np.stack([np.cos(angle), np.sin(angle), 0.02 * angle], axis=1))
    >>> round(turn.period, 2), round(turn.rounds, 2)
    (22.0, 9.05)
    """
    return max(clock_hands(curve, n_components, segments, level, seed), key=lambda turn: turn.share)


def clock_hands(curve, n_components, segments=20, level=0.95, seed=0) -> list[Turn]:
    """Find the planes in which a curve turns, each at its own speed, fastest first.

    1. Keep the curve's n_components principal components.
    2. Find the rotation M that comes closest to taking each point to the next (orthogonal Procrustes, least squares).
       Every rotation is made of rotations in planes at right angles to each other: one plane for each hand.
    3. In each plane, fit a circle for its center and add up the angles from each point to the next. Each angle is
       taken within half a turn of what M says. period = 360 degrees / mean angle.
    4. Cut the curve into `segments` pieces, in order, and resample these pieces (bootstrap, seeded): neighbors depend
       on each other, so single steps must not be resampled. The interval says how much the speed varies along the
       curve; for a steady turn with noise it is wider than need be.

    A turn's period is nan if the curve makes less than one full round in its plane, or if the rotation predicts the
    next point no better than the center does, as for noise. Any smooth curve bends, so look at `rounds`, `radius_cv`
    and `share` before you call it a circle.

    Raises ValueError if the points lie on one line, for fewer than segments + 1 points, n_components < 2 or segments <
    2. Source: L 4.2.3; the rotation is R 3.5's M_1, for a table that was not made by a formula.

    >>> angle = 2 * np.pi * np.arange(300)[:, None] / [6, 50]
    >>> hands = clock_hands(np.hstack([np.cos(angle), np.sin(angle)]), n_components=4)
    >>> [round(hand.period, 1) for hand in hands]
    [6.0, 50.0]
    """
    n_components = whole_number("n_components", n_components, 2, "a number of dimensions (an int, 2 or more)")
    segments = whole_number("segments", segments, 2, "a number of segments (an int, 2 or more)")
    curve = as_vectors("curve", curve, least=segments + 1)
    centered = curve - curve.mean(0)  # (n, d)
    U, S, _ = np.linalg.svd(centered, full_matrices=False)
    rank = int((S > 1e-10 * max(S[0], np.abs(curve).max())).sum())
    if rank < 2:
        raise ValueError("curve must bend: its points lie on one line, which has no turns")
    Z = (U * S)[:, : min(n_components, rank)]  # (n, k)
    total = np.square(S).sum()
    M = nearest_rotation(Z[:-1], Z[1:])
    turns = [_turn(Z @ plane, angle, total, segments, level, seed) for plane, angle in rotation_planes(M)]
    return sorted(turns, key=lambda turn: -turn.rounds)


def nearest_rotation(X, Y):
    """Return the rotation M, (k, k) with determinant 1, that brings the rows of X M closest to Y (least squares).

    Source: Schönemann 1966 (without the determinant), Kabsch 1976.

    >>> nearest_rotation([[1, 0], [0, 1]], [[0, 2], [-2, 0]])
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    X, Y = as_vectors("X", X), as_vectors("Y", Y)
    if X.shape != Y.shape:
        raise ValueError(f"X and Y must have the same shape, got {X.shape} and {Y.shape}")
    U, _, Vh = np.linalg.svd(X.T @ Y)
    U[:, -1] *= np.sign(np.linalg.det(U @ Vh))  # no mirror image
    return U @ Vh + 0.0


def rotation_planes(M):
    """Return the planes of a rotation M, fastest first: a list of (basis (k, 2), angle from 0 to pi in radians).

    Directions that M leaves fixed belong to no plane. Points are rows: x goes to x M.

    >>> [(_, angle)] = rotation_planes([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> round(np.degrees(angle))
    90
    """
    from scipy.linalg import schur

    T, Q = schur(as_vectors("M", M), output="real")  # T: blocks of 2 x 2 and 1 x 1 along the diagonal
    planes = []
    halves = []  # two of these make half a turn
    i = 0
    while i < len(T):
        if i + 1 < len(T) and abs(T[i + 1, i]) > 1e-9:
            angle = np.arctan2(T[i, i + 1], T[i, i])
            planes.append((Q[:, i : i + 2] if angle > 0 else Q[:, [i + 1, i]], abs(angle)))
            i += 2
        else:
            if T[i, i] < 0:
                halves.append(i)
            i += 1
    planes += [(Q[:, pair], np.pi) for pair in zip(halves[::2], halves[1::2])]
    return sorted(planes, key=lambda plane: -plane[1])


def _turn(points, angle, total, segments, level, seed):
    """Return the turn of a curve (n, 2) in one plane, if a rotation by `angle` comes nearest to a step."""
    share = np.square(points).sum() / total
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    missed = np.square(points[:-1] @ rotation - points[1:]).sum()
    follows = 1 - missed / np.square(points[1:]).sum()
    points = points - circle_center(points)
    radii = np.linalg.norm(points, axis=1)
    steps = np.diff(np.arctan2(points[:, 1], points[:, 0])) - angle
    steps = angle + np.remainder(steps + np.pi, 2 * np.pi) - np.pi  # within half a turn of the rotation's
    steps *= np.sign(steps.sum())
    rounds = steps.sum() / (2 * np.pi)
    period = low = high = np.nan
    if follows > 0 and rounds >= 1:
        speeds = np.array([piece.mean() for piece in np.array_split(steps, segments)])
        slow, fast = bootstrap_interval(np.mean, speeds, level=level, seed=seed)
        period = len(steps) / rounds
        low = 2 * np.pi / fast
        high = 2 * np.pi / slow if slow > 0 else np.inf
    numbers = (period, low, high, rounds, share, radii.std() / radii.mean(), follows)
    return Turn(*map(float, numbers), points, np.append(0, steps.cumsum()))


def circle_center(points):
    """Return the center of the circle that best fits points of a plane, (n, 2), in squared radii (Kasa 1976).

    Points on one line have no such circle: the result is then their mean.

    >>> circle_center([[1, 0], [3, 0], [2, 1], [2, -1]])
    array([2., 0.])
    """
    points = as_vectors("points", points, least=3)
    mean = points.mean(0)
    A = np.column_stack([2 * (points - mean), np.ones(len(points))])  # |p|^2 = 2 p c + (r^2 - |c|^2)
    solution, _, rank, _ = np.linalg.lstsq(A, np.square(points - mean).sum(1), rcond=1e-9)
    return mean + solution[:2] if rank == 3 else mean


def local_dimension(curve, window):
    """Return how many dimensions `window` points in a row need: the participation ratio of their variances.

    (sum of variances)^2 / sum of squared variances, averaged over stretches that begin half a window apart: 1 for a
    straight line, 2 for full circles, 2h for h hands of equal length that have all made a full round; stretches of a
    random walk in many dimensions have 2.5 at every size. Raises ValueError if window is not an int from 3 to n.

    >>> angle = 2 * np.pi * np.arange(60) / 20
    >>> circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> round(local_dimension(circle, 20), 6), local_dimension(circle, 3) < 1.1
    (2.0, True)
    """
    curve = as_vectors("curve", curve, least=3)
    window = whole_number("window", window, 3, f"a number of points from 3 to the curve's {len(curve)}", len(curve))
    starts = range(0, len(curve) - window + 1, max(1, window // 2))
    stretches = [curve[start : start + window] for start in starts]
    ratios = [participation_ratio(stretch) for stretch in stretches if np.ptp(stretch, axis=0).any()]
    return float(np.mean(ratios)) if ratios else float("nan")


def lag_distances(curve, lags):
    """Return the root mean square distance of points that are `lag` steps apart, for each of `lags`: (len(lags),).

    It grows like the lag for a straight line, and like its square root for a random walk; if a curve winds in a bounded
    space it stops growing. For a self-similar curve the exponent H gives its fractal dimension, 1 / H.

    >>> lag_distances([[0.0], [1.0], [2.0], [3.0]], lags=[1, 2])
    array([1., 2.])
    """
    check_has("lags", lags, "a list of whole numbers", "__iter__")
    curve = as_vectors("curve", curve, least=2)
    allowed = f"ints from 1 to {len(curve) - 1}, one less than the curve's points"
    lags = [whole_number("lags", lag, 1, allowed, len(curve) - 1) for lag in lags]
    return np.array([np.sqrt(np.square(curve[lag:] - curve[:-lag]).sum(1).mean()) for lag in lags])


def correlation_dimension(points, radii, apart=1):
    """Return the slope of log C(r) against log r between successive radii, where C(r) is the share of pairs within r.

    On a set of dimension D the number of points within r of a point grows like r^D. apart: leave out pairs whose
    positions in the array differ by less, so that on a curve neighbors in time do not count as neighbors in space. The
    result is nan if a radius has no pairs. Returns (len(radii) - 1,). Source: Grassberger and Procaccia 1983, Theiler
    1986.

    >>> line = np.arange(1000.0)[:, None]
    >>> correlation_dimension(line, radii=[10, 20, 40]).round(1)
    array([1., 1.])
    """
    points = as_vectors("points", points, least=2)
    radii = as_numbers("radii", radii)
    if radii.ndim != 1 or len(radii) < 2 or not (np.diff(radii) > 0).all() or radii[0] <= 0:
        raise ValueError(f"radii must be two or more rising positive numbers, got {radii.tolist()!r:.60}")
    apart = whole_number("apart", apart, 1, "a number of steps, 1 or more")
    pairs = distance_matrix(points)[np.triu_indices(len(points), apart)]
    counts = np.array([(pairs <= r).sum() for r in radii], dtype=float)
    counts[counts == 0] = np.nan
    return np.diff(np.log(counts)) / np.diff(np.log(radii))
