import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics.pairwise import cosine_similarity

from tutorial_lib.geometry import sign_flip_test, swap_test

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(12, 8)), RNG.normal(size=(9, 8))
UP = np.eye(8)[0]


def test_the_sign_flip_p_is_the_larger_of_scipys_two():
    a, b = A + 0.6 * UP, B + 0.9 * UP
    peers = [
        stats.permutation_test(
            (along,), lambda x, axis=-1: abs(x.mean(axis)), permutation_type="samples", n_resamples=np.inf,
            alternative="greater", vectorized=True,
        ).pvalue
        for along in (a @ b.mean(axis=0), b @ a.mean(axis=0))
    ]  # fmt: skip
    assert sign_flip_test(a, b) == pytest.approx(max(peers), abs=0.015)


def test_its_p_values_are_not_too_small_when_one_contrast_has_no_direction():
    rng = np.random.default_rng(0)
    p = [
        sign_flip_test(rng.normal(size=(14, 6)), rng.normal(size=(14, 6)) + 2 * np.eye(6)[0], 199, seed)
        for seed in range(300)
    ]
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(p) <= level) <= level + 0.05
    assert np.mean(np.array(p) <= 0.5) > 0.3  # nor is it far from exact


@given(st.booleans(), st.booleans(), st.floats(0.01, 100))
def test_turning_a_contrast_around_or_scaling_it_leaves_p(first, second, scale):
    a, b = A + 0.5 * UP, B + 0.5 * UP
    turned = sign_flip_test(a * scale * (1 - 2 * first), b * (1 - 2 * second), 99)
    assert turned == sign_flip_test(a, b, 99)


def test_five_pairs_cannot_reach_5_percent():
    assert sign_flip_test(np.tile(UP, (5, 1)), np.tile(UP, (5, 1)), 4999) > 0.05
    assert sign_flip_test(np.tile(UP, (9, 1)), np.tile(UP, (9, 1)), 4999) < 0.008


def test_the_swaps_are_all_pairs_of_words():
    words = RNG.normal(size=(7, 8))
    found = swap_test(UP, A[0], words)
    null = [cosine_similarity([UP], [words[j] - words[i]])[0, 0] for i in range(7) for j in range(i + 1, 7)]
    assert np.allclose(found.null, null) and len(null) == 21
    assert found.observed == pytest.approx(cosine_similarity([UP], [A[0]])[0, 0])
    assert found.p == (1 + sum(abs(np.array(null)) >= abs(found.observed))) / 22


def test_turning_the_swap_around_leaves_p():
    words = RNG.normal(size=(7, 8))
    assert swap_test(UP, A[0], words).p == swap_test(-UP, A[0], words).p == swap_test(UP, -A[0], words[::-1]).p


def test_an_arbitrary_swap_among_random_words_has_uniform_p():
    rng = np.random.default_rng(0)
    p = []
    for _ in range(200):
        words = rng.normal(size=(40, 8))
        p.append(swap_test(UP, words[1] - words[0], words[2:]).p)
    assert stats.kstest(p, "uniform").pvalue > 0.01


@pytest.mark.parametrize(
    ("function", "arguments", "says"),
    [
        (sign_flip_test, (A, B[:, :3]), "first and second must have vectors of one width"),
        (sign_flip_test, (A, B, 0), "n_permutations must be an int, 1 or more"),
        (swap_test, (UP, A[0], A[:1]), "words must be a matrix of 2 or more vectors"),
        (swap_test, (UP, A[0, :3], A), r"must have one width, got \[8, 3, 8\]"),
        (swap_test, (UP, A[0], A[[0, 0]]), "no row of zeros"),
        (swap_test, (0 * UP, A[0], A), "no row of zeros"),
    ],
)
def test_bad_input_is_refused_by_name(function, arguments, says):
    with pytest.raises(ValueError, match=says):
        function(*arguments)
