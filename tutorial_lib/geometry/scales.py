"""The dimension of a cloud scale by scale, from each point's neighbors k and 2k (Gride); TwoNN is k = 1.

Source: Denti et al. 2022, Scientific Reports 12:20005.
"""

from typing import NamedTuple

import numpy as np

from tutorial_lib.arguments import check_has, whole_number
from tutorial_lib.geometry.arrays import as_numbers
from tutorial_lib.geometry.neighbors import nearest_neighbors
from tutorial_lib.geometry.two_nn import distinct

SCALES = 1, 2, 4, 8, 16


class Scale(NamedTuple):
    """A number of neighbors k, the dimension from neighbors k and 2k, and the mean distance of neighbor 2k."""

    k: int
    dimension: float
    radius: float


def dimension_by_scale(X, scales=SCALES) -> list[Scale]:
    """Estimate how many dimensions a cloud fills, from its points' neighbors k and 2k, for each k of some scales.

    Copies of a row are left out, because a distance of 0 says nothing about dimension. The larger k is, and the fewer
    points there are, the larger is the scale: compare two clouds at the same number of points. X: (n, d). Raises
    ValueError for fewer than 2k + 1 distinct rows.

    >>> plane = np.random.default_rng(0).random((2000, 2)) @ [[1, 2, 3], [0, 1, -1]]
    >>> [round(scale.dimension, 1) for scale in dimension_by_scale(plane)]
    [2.0, 1.9, 1.9, 1.9, 1.9]
    """
    check_has("scales", scales, "numbers of neighbors", "__iter__")
    scales = [whole_number("scales", k, 1, "numbers of neighbors (ints, 1 or more)") for k in scales]
    distances, _ = nearest_neighbors(distinct(X), 2 * max(scales))
    found = []
    for k in scales:
        near, far = distances[:, k - 1], distances[:, 2 * k - 1]
        apart = near > 0  # distances below the smallest float come out as 0
        found.append(Scale(k, doubling_dimension(far[apart] / near[apart], k), float(far.mean())))
    return found


def doubling_dimension(ratios, k=1) -> float:
    """Estimate the dimension from ratios mu (n,), each the distance to neighbor 2k over that to neighbor k.

    For points that lie evenly in d dimensions, mu^-d is the share of a ball with 2k neighbors that contains k of them:
    a random number with the density of Beta(k, k). The likelihood of all ratios is largest where its slope in d is 0:

    (n - 1) / d + (k - 1) sum(log(mu) / (1 - mu^-d)) - (2k - 1) sum(log(mu)) = 0

    with n instead of n - 1, which removes the bias for k = 1: there d is (n - 1) / sum(log(mu)), TwoNN. The left side
    falls with d, so there is one root. As 1 / d < log(mu) / (1 - mu^-d) < 1 / d + log(mu), it lies between (nk - 1) /
    sum(log(mu)) over 2k - 1 and the same over k. Raises ValueError for fewer than 2 ratios, for one below 1, or if all
    are 1. Source: Denti et al. 2022, Gride for n1 = k, n2 = 2k.

    >>> mu = 1 / np.random.default_rng(0).beta(4, 4, 10_000) ** (1 / 3)  # of d = 3
    >>> round(doubling_dimension(mu, k=4), 1)
    3.0
    """
    from scipy.optimize import brentq

    k = whole_number("k", k, 1, "a number of neighbors (an int, 1 or more)")
    mu = as_numbers("ratios", ratios).ravel()
    if mu.size < 2 or mu.min() < 1 or mu.max() == 1:
        raise ValueError("ratios must be two or more, none of them below 1, and not all 1")
    log_mu = np.log(mu)
    n, total = len(mu), log_mu.sum()
    apart = log_mu[log_mu > 0]
    n_equal = n - len(apart)  # where neighbors k and 2k are equally far, log(mu) / (1 - mu^-d) is 1 / d

    def slope(d):
        shares = -np.expm1(-d * apart)  # 1 - mu^-d, to the last digit for a mu near 1
        return (n - 1) / d + (k - 1) * ((apart / shares).sum() + n_equal / d) - (2 * k - 1) * total

    most = (n * k - 1) / total
    return float(brentq(slope, 0.99 * most / (2 * k - 1), 1.01 * most / k, xtol=1e-12 * most))
