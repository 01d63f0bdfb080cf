"""Gride finds the dimension that is there, at every scale; it is TwoNN at k = 1, and what its authors' program says."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from scipy.stats import beta

from tutorial_lib.geometry import ratio_dimension
from tutorial_lib.geometry.scales import dimension_by_scale, doubling_dimension

K = [1, 2, 4, 8, 16, 32, 64]
# dadapy 0.3.4 (dadapy._utils.utils._argmax_loglik, eps 1e-12) of `rope`, k = 1, 2, 4, ..., 64
DADAPY = [5.197185307530052, 5.079800518889316, 5.040674390112569, 5.125071697158681, 4.926739854687726,
          4.686764378874731, 4.400323818336206]  # fmt: skip


@pytest.fixture(scope="module")
def rope():
    """Five dimensions with noise in three more."""
    rng = np.random.default_rng(0)
    return np.hstack([rng.normal(size=(1000, 5)), 0.05 * rng.normal(size=(1000, 3))])


def ratios(X, k):
    D = np.sort(cdist(X, X))
    return D[:, 2 * k] / D[:, k]


@pytest.mark.parametrize("k", [1, 2, 5, 40])
@pytest.mark.parametrize("d", [0.5, 3, 60])
def test_ratios_of_the_law_give_back_their_dimension(k, d):
    n = 20_000
    mu = np.random.default_rng(k).beta(k, k, n) ** (-1 / d)
    assert doubling_dimension(mu, k) == pytest.approx(d, rel=5 / n**0.5)


@pytest.mark.parametrize("k", [1, 2, 8, 64])
def test_no_other_dimension_makes_the_ratios_likelier(rope, k):
    mu = ratios(rope, k)

    def surprise(d):
        one_less = np.log(d) / len(mu)  # n - 1 in place of n
        return one_less - (beta.logpdf(mu**-d, k, k) + np.log(d) - (d + 1) * np.log(mu)).mean()

    best = minimize_scalar(surprise, bounds=(1, 30), method="bounded", options={"xatol": 1e-10}).x
    assert doubling_dimension(mu, k) == pytest.approx(best, rel=1e-6)


def test_at_k_1_it_is_two_nn(rope):
    mu = ratios(rope, 1)
    assert doubling_dimension(mu) == pytest.approx(ratio_dimension(mu, method="mle", discard=0), rel=1e-12)


def test_it_is_what_the_program_of_its_authors_says(rope):
    ours = [scale.dimension for scale in dimension_by_scale(rope, K)]
    assert ours == pytest.approx(DADAPY, rel=1e-9)


def test_it_is_what_their_program_says_today(rope):
    utils = pytest.importorskip("dadapy._utils.utils", reason="pip install dadapy to compare", exc_type=ImportError)
    theirs = [utils._argmax_loglik(np.float64, 1e-3, 1e3, ratios(rope, k), k, 2 * k, eps=1e-10) for k in K]
    assert [scale.dimension for scale in dimension_by_scale(rope, K)] == pytest.approx(theirs, rel=1e-6)


def test_the_radius_is_the_average_distance_to_neighbor_2k(rope):
    D = np.sort(cdist(rope, rope))
    few, more = dimension_by_scale(rope, [3, 7])
    assert (few.k, more.k) == (3, 7)
    assert (few.radius, more.radius) == pytest.approx((D[:, 6].mean(), D[:, 14].mean()))


def test_it_does_not_change_with_place_turn_and_size(rope):
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(8, 8)))[0]
    before = [scale.dimension for scale in dimension_by_scale(rope)]
    for X in (1e-200 * rope, rope @ turn + 3):
        assert [scale.dimension for scale in dimension_by_scale(X)] == pytest.approx(before, rel=1e-6)


def test_copies_are_left_out(rope):
    assert dimension_by_scale(np.repeat(rope, 2, axis=0)) == dimension_by_scale(rope)


def test_where_neighbors_are_equally_far_the_limit_counts():
    """In a square lattice four neighbors are equally far: from 2 to 4 the ratio is 1 but at the rim."""
    lattice = np.array([[i, j] for i in range(30) for j in range(30)], float)
    value = dimension_by_scale(lattice, [2])[0].dimension
    nudged = lattice + 1e-9 * np.random.default_rng(0).normal(size=lattice.shape)
    assert value == pytest.approx(dimension_by_scale(nudged, [2])[0].dimension, rel=1e-3)


@pytest.mark.parametrize("mu", [[], [2.0], [1.0, 1.0], [0.9, 2.0]])
def test_ratios_that_tell_no_dimension_are_refused(mu):
    with pytest.raises(ValueError, match="two or more, none of them below 1"):
        doubling_dimension(mu)


def test_too_few_points_and_no_neighbors_are_refused(rope):
    with pytest.raises(ValueError, match="matrix of 65 or more"):
        dimension_by_scale(rope[:64], [32])
    with pytest.raises(ValueError, match="numbers of neighbors"):
        dimension_by_scale(rope, [0])
    with pytest.raises(ValueError, match="k must be a number of neighbors"):
        doubling_dimension([2.0, 3.0], k=0)
