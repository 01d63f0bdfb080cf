import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tutorial_lib.geometry import (
    bootstrap_interval,
    effective_number,
    holm,
    jackknife_interval,
    permutation_p,
    spectrum,
)


def test_the_smallest_p_is_one_over_the_number_of_permutations_plus_one():
    assert permutation_p(5.0, np.zeros(99)) == 0.01
    assert permutation_p(-5.0, np.zeros(99)) == 1.0


def test_ties_count_and_rounding_does_not_break_them():
    assert permutation_p(0.3, [0.1 + 0.2, 0.3, 0.2]) == 0.75
    assert permutation_p(0.1 + 0.2, [0.3, 0.2, 0.1]) == 0.5


def test_p_is_that_of_scipys_permutation_test():
    rng = np.random.default_rng(0)
    x, y = rng.normal(0.8, 1, 20), rng.normal(0, 1, 15)

    def statistic(x, y, axis=-1):
        return x.mean(axis) - y.mean(axis)

    peer = stats.permutation_test((x, y), statistic, n_resamples=500, alternative="greater", rng=1, vectorized=True)
    assert permutation_p(peer.statistic, peer.null_distribution) == pytest.approx(peer.pvalue)


def test_p_values_are_uniform_when_there_is_nothing_to_find():
    rng = np.random.default_rng(0)
    p = [permutation_p(rng.normal(), rng.normal(size=199)) for _ in range(500)]
    assert stats.kstest(p, "uniform").pvalue > 0.01


@pytest.mark.parametrize(
    ("observed", "null", "says"),
    [
        (1.0, [], "null must hold at least one"),
        (1.0, [np.nan], "null must be finite"),
        (np.nan, [1.0], "observed must be finite"),
        ([1.0, 2.0], [1.0], "observed must be one number"),
    ],
)
def test_permutation_p_refuses(observed, null, says):
    with pytest.raises(ValueError, match=says):
        permutation_p(observed, null)


def test_text_is_no_number():
    with pytest.raises(TypeError, match="null must be an array of real numbers"):
        permutation_p(1.0, ["a"])


def test_the_interval_is_scipys_percentile_interval():
    x = np.random.default_rng(0).exponential(size=60)
    ours = bootstrap_interval(np.mean, x, n=4000)
    peer = stats.bootstrap((x,), np.mean, n_resamples=4000, method="percentile", rng=1).confidence_interval
    assert np.allclose(ours, [peer.low, peer.high], atol=0.03)


def test_95_percent_intervals_cover_the_truth_about_95_times_in_a_hundred():
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(200):
        low, high = bootstrap_interval(
            lambda a, b: a.mean() - b.mean(), rng.normal(2, 1, 40), rng.normal(0, 3, 60), n=300, seed=trial
        )
        covered += low <= 2 <= high
    assert 0.88 <= covered / 200 <= 0.99


def test_each_sample_keeps_its_rows_and_its_size():
    def statistic(pairs, other):
        assert pairs.shape == (7, 2) and (pairs[:, 1] == 2 * pairs[:, 0]).all() and other.shape == (4,)
        return pairs.sum()

    bootstrap_interval(statistic, torch.arange(7)[:, None] * torch.tensor([1, 2]), range(4), n=20)


def test_a_constant_sample_has_an_interval_of_no_width():
    assert bootstrap_interval(np.mean, np.full(9, 3.5), n=10) == (3.5, 3.5)


def test_a_statistic_may_be_an_array():
    x = np.random.default_rng(0).normal(size=(50, 3))
    low, high = bootstrap_interval(lambda x: x.mean(axis=0), x, n=100)
    assert low.shape == high.shape == (3,) and (low < high).all()


def test_the_seed_alone_decides():
    x = np.random.default_rng(0).normal(size=30)
    assert bootstrap_interval(np.mean, x, seed=3) == bootstrap_interval(np.mean, x, seed=3)
    assert bootstrap_interval(np.mean, x, seed=3) != bootstrap_interval(np.mean, x, seed=4)


@pytest.mark.parametrize(
    ("samples", "options", "says"),
    [
        ([], {}, "samples must hold at least one"),
        ([[]], {}, r"got shape \(0,\) at 0"),
        ([[1.0], 2.0], {}, r"got shape \(\) at 1"),
        ([[1.0]], {"n": 1}, "n must be a number of resamples"),
        ([[1.0]], {"level": 95}, "level must be between 0 and 1, got 95"),
        ([[1.0, np.nan]], {}, "what statistic returns must be finite"),
    ],
)
def test_bootstrap_interval_refuses(samples, options, says):
    with pytest.raises(ValueError, match=says):
        bootstrap_interval(np.mean, *samples, **options)


def test_holm_gives_the_textbook_example():
    assert np.allclose(holm([0.01, 0.005, 0.03, 0.04]), [0.03, 0.02, 0.06, 0.06])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_what_its_step_down_rule_rejects(p):
    adjusted = holm(p)
    for level in (0.01, 0.05, 0.5):
        rejected = set()
        for rank, i in enumerate(np.argsort(p, kind="stable")):
            if p[i] * (len(p) - rank) > level:
                break
            rejected.add(int(i))
        assert rejected == set(np.flatnonzero(adjusted <= level).tolist())


@pytest.mark.parametrize("p", [[], [1.5], [-0.1], [[0.5]]])
def test_holm_refuses_what_are_no_p_values(p):
    with pytest.raises(ValueError, match="p_values must be one or more numbers from 0 to 1"):
        holm(p)


def test_the_jackknife_of_a_mean_is_student_s_interval():
    x = np.random.default_rng(0).exponential(size=30)
    expected = stats.t.interval(0.9, 29, x.mean(), stats.sem(x))
    assert jackknife_interval(np.mean, x, groups=30, level=0.9) == pytest.approx(expected)
    groups = x.reshape(5, 6).mean(0)  # group i holds observations i, i + 6, ...
    expected = stats.t.interval(0.95, 5, x.mean(), stats.sem(groups))
    assert jackknife_interval(np.mean, x, groups=6) == pytest.approx(expected)


def test_the_jackknife_of_an_array_is_that_of_each_number():
    x = [np.full(size, size / 7) for size in range(1, 41)]  # observations of different sizes
    both = jackknife_interval(lambda kept: [np.concatenate(kept).mean(), np.concatenate(kept).std()], x)
    one = jackknife_interval(lambda kept: np.concatenate(kept).std(), x)
    assert np.array(both)[:, 1] == pytest.approx(one)


def test_where_a_bootstrap_shifts_the_jackknife_covers_what_samples_of_this_size_give():
    def rank(kept):
        return effective_number(spectrum(np.asarray(kept)))

    rng = np.random.default_rng(0)
    scale = 0.9 ** np.arange(30)
    samples = rng.normal(size=(300, 80, 30)) * scale
    truth = np.mean([rank(X) for X in samples])
    intervals = np.array([jackknife_interval(rank, X) for X in samples])
    assert 0.91 < ((intervals[:, 0] < truth) & (truth < intervals[:, 1])).mean() < 0.99
    shifted = np.array([bootstrap_interval(rank, X, n=60) for X in samples[:40]])
    assert ((shifted[:, 0] < truth) & (truth < shifted[:, 1])).mean() < 0.5


@pytest.mark.parametrize("groups", [1, 6, 2.5])
def test_jackknife_interval_refuses(groups):
    with pytest.raises(ValueError, match="groups must be a number of groups from 2 to 5"):
        jackknife_interval(np.mean, np.arange(5.0), groups)
