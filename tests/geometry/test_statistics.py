import re
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import anisotropy, effective_number, intrinsic_dimension, spectrum, statistics

SKEWED = np.random.default_rng(0).exponential(size=60)


@pytest.mark.parametrize(
    "observed, null, p",
    [(5.0, np.zeros(99), 0.01), (-5.0, np.zeros(99), 1), (0.3, [0.1 + 0.2, 0.3, 0.2], 0.75),
     (0.1 + 0.2, [0.3, 0.2, 0.1], 0.5), (-0.3, [-0.1 - 0.2, -0.3, -0.4], 0.75), (1.0, [1 - 1e-12, 1 + 1e-12], 2 / 3)],
    ids=["least", "most", "ties", "rounding", "below zero", "nearly"],
)  # fmt: skip
def test_p_counts_what_is_as_large(observed, null, p):
    assert statistics.permutation_p(observed, null) == pytest.approx(p)


def test_mean_intervals_are_students():
    values = SKEWED.reshape(12, 5)
    for level in (0.95, 0.5):
        mean, low, high = statistics.mean_interval(values, level)
        expected = stats.t.interval(level, 11, values.mean(0), stats.sem(values))
        np.testing.assert_allclose((mean, low, high), (values.mean(0), *expected))


def test_the_bootstrap_interval_is_scipys():
    def difference(x, y, axis=-1):
        return x.mean(axis) - y.mean(axis)

    samples = SKEWED, gaussian(40)
    for level in (0.95, 0.6):
        ours = statistics.bootstrap_interval(difference, *samples, n=2000, level=level)
        options = dict(n_resamples=2000, method="percentile", rng=1, confidence_level=level)
        theirs = stats.bootstrap(samples, difference, **options).confidence_interval
        np.testing.assert_allclose(ours, theirs, atol=0.03)
    again, other = (statistics.bootstrap_interval(difference, *samples, n=2000, level=0.6, seed=s) for s in (0, 1))
    assert ours == again != other


def test_each_sample_keeps_its_rows_and_its_size():
    def statistic(pairs, other):
        assert pairs.shape == (7, 2) and (pairs[:, 1] == 2 * pairs[:, 0]).all() and other.shape == (4,)
        return pairs.sum(axis=0)

    pairs = torch.arange(7)[:, None] * torch.tensor([1, 2])
    low, high = statistics.bootstrap_interval(statistic, pairs, range(4), n=20)
    assert low.shape == high.shape == (2,) and (low < high).all()
    assert statistics.bootstrap_interval(np.mean, np.full(9, 3.5), n=2) == (3.5, 3.5)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_what_its_step_down_rule_rejects(p):
    adjusted = statistics.holm(p)
    for level in (0.01, 0.05, 0.5):
        rejected = set()
        for rank, i in enumerate(np.argsort(p, kind="stable")):
            if p[i] * (len(p) - rank) > level:
                break
            rejected.add(int(i))
        assert rejected == set(np.flatnonzero(adjusted <= level).tolist())


def test_the_jackknife_of_a_mean_is_students_interval():
    expected = stats.t.interval(0.9, 59, SKEWED.mean(), stats.sem(SKEWED))
    assert statistics.jackknife_interval(np.mean, SKEWED, groups=60, level=0.9) == pytest.approx(expected)
    groups = SKEWED.reshape(10, 6).mean(0)  # group i holds observations i, i + 6, ...
    expected = stats.t.interval(0.95, 5, SKEWED.mean(), stats.sem(groups))
    assert statistics.jackknife_interval(np.mean, SKEWED, groups=6) == pytest.approx(expected)


def test_the_jackknife_of_an_array_is_each_numbers():
    x = [np.full(size, size / 7) for size in range(1, 41)]  # observations of different sizes
    both = statistics.jackknife_interval(lambda kept: [np.concatenate(kept).mean(), np.concatenate(kept).std()], x)
    one = statistics.jackknife_interval(lambda kept: np.concatenate(kept).std(), x)
    assert np.array(both)[:, 1] == pytest.approx(one)


def test_the_jackknife_covers_where_a_bootstrap_shifts():
    def rank(kept):
        return effective_number(spectrum(np.asarray(kept)))

    samples = gaussian(100, 80, 30) * 0.9 ** np.arange(30)
    truth = np.mean([rank(X) for X in samples])
    intervals = np.array([statistics.jackknife_interval(rank, X) for X in samples[:50]])
    assert 0.88 < ((intervals[:, 0] < truth) & (truth < intervals[:, 1])).mean() < 1
    with pytest.warns(UserWarning, match="lies outside its interval"):
        shifted = np.array([statistics.bootstrap_interval(rank, X, n=60) for X in samples[:20]])
    assert ((shifted[:, 0] < truth) & (truth < shifted[:, 1])).mean() < 0.5


OUTSIDE, COPIES = "lies outside its interval: .*. Use jackknife_interval", "exact copies"


@pytest.mark.parametrize(
    "statistic, d, told", [(anisotropy, 100, [OUTSIDE]), (intrinsic_dimension, 5, [COPIES]), (np.mean, 5, [])]
)
def test_repeated_rows_warn_once(statistic, d, told):
    X = np.random.default_rng(0).random((400, d))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        low, high = statistics.bootstrap_interval(statistic, X, n=40)
    assert len(caught) == len(told) and (low <= statistic(X) <= high) == (told != [OUTSIDE])
    assert all(re.search(what, str(one.message)) and one.filename == __file__ for what, one in zip(told, caught))
    low, high = statistics.jackknife_interval(lambda kept: statistic(np.asarray(kept)), X)
    assert low <= statistic(X) <= high


def test_rounding_and_chance_put_no_value_outside():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        statistics.bootstrap_interval(np.mean, np.full(7, 0.1), n=50)
        statistics.bootstrap_interval(lambda X: X.mean(0), np.full((7, 3), 0.3), n=50)
        for seed in range(9):  # two resamples are both above the mean, or both below
            statistics.bootstrap_interval(np.mean, np.arange(9.0), n=2, seed=seed)
