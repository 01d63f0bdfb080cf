"""Gride finds the true dimension at every scale; at k = 1 it is TwoNN, and it agrees with its authors' program."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tests.geometry.clouds import gaussian, turn
from tutorial_lib.geometry import ratio_dimension
from tutorial_lib.geometry.scales import dimension_by_scale, doubling_dimension

K = [1, 2, 4, 8, 16, 32, 64]
# dadapy 0.3.4 (dadapy._utils.utils._argmax_loglik, eps 1e-12) of ROPE, k = 1, 2, 4, ..., 64
DADAPY = [5.197185307530052, 5.079800518889316, 5.040674390112569, 5.125071697158681, 4.926739854687726,
          4.686764378874731, 4.400323818336206]  # fmt: skip
RNG = np.random.default_rng(0)
# Five dimensions, and noise in three more.
ROPE = np.hstack([RNG.normal(size=(1000, 5)), 0.05 * RNG.normal(size=(1000, 3))])
DISTANCES = np.sort(cdist(ROPE, ROPE))


def dimensions(X, scales=K):
    return [scale.dimension for scale in dimension_by_scale(X, scales)]


def ratios(k):
    return DISTANCES[:, 2 * k] / DISTANCES[:, k]


@pytest.mark.parametrize("k", [1, 2, 5, 40])
@pytest.mark.parametrize("d", [0.5, 3, 60])
def test_ratios_of_the_law_give_their_dimension(k, d):
    n = 20_000
    mu = np.random.default_rng(k).beta(k, k, n) ** (-1 / d)
    assert doubling_dimension(mu, k) == pytest.approx(d, rel=5 / n**0.5)


def test_at_k_1_it_is_two_nn():
    assert doubling_dimension(ratios(1)) == pytest.approx(ratio_dimension(ratios(1), "mle", discard=0), rel=1e-12)


def test_it_equals_its_authors_program():
    assert dimensions(ROPE) == pytest.approx(DADAPY, rel=1e-9)


def test_the_radius_is_that_of_neighbor_2k():
    few, more = dimension_by_scale(ROPE, [3, 7])
    assert (few.k, more.k) == (3, 7)
    assert (few.radius, more.radius) == pytest.approx((DISTANCES[:, 6].mean(), DISTANCES[:, 14].mean()))


@pytest.mark.parametrize(
    "same", [1e-90 * ROPE, ROPE @ turn(8) + 3, np.repeat(ROPE, 2, axis=0)], ids=["small", "turned", "copies"]
)
def test_size_turn_and_copies_change_nothing(same):
    assert dimensions(same) == pytest.approx(dimensions(ROPE), rel=1e-6)


def test_equally_far_neighbors_use_the_limit():
    """In a square lattice four neighbors are equally far: from 2 to 4 the ratio is 1 but at the rim."""
    lattice = np.array([[i, j] for i in range(30) for j in range(30)], float)
    nudged = lattice + 1e-9 * gaussian(*lattice.shape)
    assert dimensions(lattice, [2]) == pytest.approx(dimensions(nudged, [2]), rel=1e-3)
