"""Is it chance? Permutation p-values, bootstrap intervals, and many tests at once."""

import math
import warnings
from typing import NamedTuple

import numpy as np

from tutorial_lib.arguments import check_has, check_seed, real_number, whole_number
from tutorial_lib.geometry.arrays import as_array, as_numbers


class PermutationTest(NamedTuple):
    """The result of a test: the statistic, its p-value, and the statistic under the null hypothesis, (n,)."""

    observed: float
    p: float
    null: np.ndarray

    def __repr__(self):
        return f"PermutationTest(observed={self.observed:.3f}, p={self.p:.3g}, n={len(self.null)})"


def permutation_p(observed, null):
    """Return the share of the null's values that are at least as large as the observed one, which counts itself.

    p = (1 + number of null values >= observed) / (1 + n), so p is never 0: n permutations cannot show less than 1 / (1
    + n). One-sided; for a two-sided test give absolute values of both. Two values that differ only by rounding (100
    units in the last place) count as equal. Raises ValueError for an empty null or NaN.

    >>> permutation_p(3.0, [1.0, 2.0, 3.0, 4.0])
    0.6
    """
    null = as_numbers("null", null).ravel()
    observed = as_numbers("observed", observed)
    if observed.ndim:
        raise ValueError(f"observed must be one number, got shape {observed.shape}")
    if not null.size:
        raise ValueError("null must contain at least one value, got none")
    rounding = 100 * np.finfo(np.float64).eps * abs(observed)
    return float((1 + np.count_nonzero(null >= observed - rounding)) / (1 + null.size))


def mean_interval(values, level=0.95):
    """Return the mean over the first axis, and its confidence interval by Student's t: (mean, low, high).

    For a few values, such as one for each seed, when a bootstrap has too little to draw from. It assumes that they are
    drawn from a normal distribution. Raises ValueError for fewer than 2 values or a level outside (0, 1).

    >>> mean, low, high = mean_interval([1.0, 2.0, 3.0])
    >>> round(float(mean), 2), round(float(low), 2), round(float(high), 2)
    (2.0, -0.48, 4.48)
    """
    from scipy.stats import t

    values = as_numbers("values", values)
    if not values.ndim or len(values) < 2:
        raise ValueError(f"values must have 2 or more rows, got shape {values.shape}")
    _check_level(level)
    mean = values.mean(0)
    n = len(values)
    reach = t.ppf((1 + level) / 2, n - 1) * values.std(0, ddof=1) / n**0.5
    return mean, mean - reach, mean + reach


def _check_level(level):
    real_number("level", level, "between 0 and 1", math.ulp(0.0), math.nextafter(1, 0))


def bootstrap_interval(statistic, *samples, n=1000, level=0.95, seed=0):
    """Return a percentile bootstrap interval: the middle `level` of the statistic over n resamples, as (low, high).

    Each sample is an array whose first axis counts observations. They are drawn again with replacement, separately for
    each sample, and `statistic(*resampled)` is computed again. Values that belong together, such as the two sides of a
    pair, must therefore be in one sample (as columns, or as a difference). A statistic that returns an array gives
    arrays. Raises ValueError for an empty sample, n < 2, a level outside (0, 1), or a statistic that gives NaN. Source:
    Efron 1979.

    A resample contains some observations twice. That shifts statistics that depend on pairs of them: a cloud's
    spectrum, and with it `anisotropy`, `participation_ratio` and `effective_number`; `average_cosine`; its nearest
    neighbors, and with them `intrinsic_dimension`. See `jackknife_interval` for these. One warning says so if the
    statistic of the samples themselves lies outside an interval of 20 resamples or more.

    >>> low, high = bootstrap_interval(np.mean, np.arange(100.0))
    >>> low < 49.5 < high
    True
    """
    seed = check_seed("seed", seed)
    check_has("statistic", statistic, "a function of samples", "__call__")
    n = whole_number("n", n, 2, "a number of resamples (an int, 2 or more)")
    _check_level(level)
    if not samples:
        raise ValueError("samples must contain at least one sample, got none")
    samples = [as_array("samples", sample) for sample in samples]
    for i, sample in enumerate(samples):
        if sample.ndim == 0 or len(sample) == 0:
            raise ValueError(f"samples must each contain at least one observation, got shape {sample.shape} at {i}")
    rng = np.random.default_rng(check_seed("seed", seed))
    values = []
    with warnings.catch_warnings(record=True) as caught:
        for _ in range(n):
            drawn = [sample[rng.integers(len(sample), size=len(sample))] for sample in samples]
            values.append(as_numbers("what statistic returns", statistic(*drawn)))
    for one in {(one.category, one.lineno): one for one in reversed(caught)}.values():  # each kind once, not n times
        warnings.warn(one.message, stacklevel=2)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    own = as_numbers("what statistic returns", statistic(*samples))
    rounding = 1e-9 * (abs(low) + abs(high))
    if n >= 20 and ((own < low - rounding) | (own > high + rounding)).any():  # with few resamples, by chance
        what = f"the statistic, {own:.4g}, " if own.ndim == 0 else "a number of the statistic "
        told = "lies outside its interval: resamples repeat observations, which shifts it. Use jackknife_interval"
        warnings.warn(what + told, stacklevel=2)
    return (float(low), float(high)) if np.ndim(low) == 0 else (low, high)


def jackknife_interval(statistic, sample, groups=20, level=0.95):
    """Return the statistic of the sample plus or minus its error for another sample of this size: (low, high).

    Use it for statistics that `bootstrap_interval` would shift, because a resample contains some observations twice:
    the spectrum of a cloud and its effective rank, or its intrinsic dimension. Here one group of observations is left
    out at a time. The resulting values are turned into pseudo-values, and their spread, by Student's t, gives the width
    of the interval. The statistic must change little when few observations do: not a count, not a median.

    sample: observations, of any sizes; `statistic` gets a list of those that are left. Group i contains observations i,
    i + groups, ..., so kinds that follow one another are spread over all groups. A statistic that returns an array
    gives arrays. Raises ValueError for fewer than 2 groups or more than observations. Source: Tukey 1958.

    >>> from tutorial_lib.geometry import intrinsic_dimension
    >>> plane = np.random.default_rng(0).random((400, 2)) @ [[1, 2, 3], [0, 1, -1]]
    >>> low, high = jackknife_interval(intrinsic_dimension, plane)  # give it texts, to leave out whole texts
    >>> low < 2 < high
    True
    >>> low, high = jackknife_interval(np.mean, np.arange(100.0))
    >>> low < 49.5 < high
    True
    """
    check_has("sample", sample, "observations, a list or an array", "__iter__")
    check_has("statistic", statistic, "a function of samples", "__call__")
    sample = list(sample)
    allowed = f"a number of groups from 2 to {len(sample)}, the observations of the sample"
    groups = whole_number("groups", groups, 2, allowed, len(sample))
    whole = as_numbers("what statistic returns", statistic(sample))
    left = []  # the statistic without group 0, without group 1, ...
    for i in range(groups):
        others = [observation for k, observation in enumerate(sample) if k % groups != i]
        left.append(as_numbers("what statistic returns", statistic(others)))
    mean, low, high = mean_interval(groups * whole - (groups - 1) * np.stack(left), level)
    low, high = whole - (mean - low), whole + (high - mean)
    return (float(low), float(high)) if np.ndim(low) == 0 else (low, high)


def holm(p_values):
    """Adjust p-values for multiple tests by Holm's step-down rule: reject those below the level you want.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none may be below the one before it, and none is
    above 1. The probability of even one false rejection then stays below the level, however the tests depend on each
    other. Raises ValueError for values outside [0, 1]. Source: Holm 1979.

    >>> holm([0.01, 0.04, 0.03]).round(2)
    array([0.03, 0.06, 0.06])
    """
    p = as_numbers("p_values", p_values)
    if p.ndim != 1 or not p.size or p.min() < 0 or p.max() > 1:
        raise ValueError(f"p_values must be one or more numbers from 0 to 1 in a row, got {p_values!r:.60}")
    order = p.argsort(kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)).clip(max=1)
    return adjusted
