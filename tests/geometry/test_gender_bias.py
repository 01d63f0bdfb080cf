import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics.pairwise import cosine_similarity

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import sign_flip_test, swap_test

UP = np.eye(8)[0]
A, B = gaussian(12, 8) + 0.6 * UP, gaussian(9, 8, seed=1) + 0.9 * UP
WORDS = gaussian(7, 8, seed=2)


def test_the_sign_flip_p_is_scipys_larger_one():
    peers = [
        stats.permutation_test(
            (along,), lambda x, axis=-1: abs(x.mean(axis)), permutation_type="samples", n_resamples=np.inf,
            alternative="greater", vectorized=True,
        ).pvalue
        for along in (A @ B.mean(axis=0), B @ A.mean(axis=0))
    ]  # fmt: skip
    assert sign_flip_test(A, B) == pytest.approx(max(peers), abs=0.015)
    assert sign_flip_test(B, A) == pytest.approx(max(peers), abs=0.015)


def test_the_sign_flip_p_is_calibrated():
    """One of the contrasts has no direction."""
    rng = np.random.default_rng(0)
    p = [sign_flip_test(rng.normal(size=(14, 6)), B[:, :6] + 2 * UP[:6], 199, seed) for seed in range(200)]
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(p) <= level) <= level + 0.05
    assert np.mean(np.array(p) <= 0.5) > 0.3  # nor is it far from exact


@given(st.booleans(), st.booleans(), st.floats(0.01, 100))
def test_turning_and_scaling_a_contrast_leaves_p(first, second, scale):
    turned = sign_flip_test(A * scale * (1 - 2 * first), B * (1 - 2 * second), 99)
    assert turned == sign_flip_test(A, B, 99)


def test_five_pairs_cannot_reach_5_percent():
    assert sign_flip_test(np.tile(UP, (5, 1)), np.tile(UP, (5, 1))) > 0.05
    assert sign_flip_test(np.tile(UP, (9, 1)), np.tile(UP, (9, 1))) < 0.008


def test_the_swaps_are_all_pairs_of_words():
    found = swap_test(UP, A[0], WORDS)
    null = [cosine_similarity([UP], [WORDS[j] - WORDS[i]])[0, 0] for i in range(7) for j in range(i + 1, 7)]
    np.testing.assert_allclose(found.null, null)
    assert found.observed == pytest.approx(cosine_similarity([UP], [A[0]])[0, 0])
    assert found.p == (1 + sum(np.abs(null) >= abs(found.observed))) / 22
    assert found.p == swap_test(-UP, A[0], WORDS).p == swap_test(UP, -A[0], WORDS[::-1]).p
