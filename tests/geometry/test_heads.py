"""What heads look at: each statistic on maps whose answer is known."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, entropy

from tutorial_lib.geometry.heads import (
    LIMITS,
    PATTERNS,
    attention_pattern,
    head_statistics,
    hits,
    map_shares,
    offset_hits,
    selectors,
    sign_test,
    weighted_norms,
    word_weights,
)

TOKENS = ["[CLS]", "the", "bear", "and", "the", "fox", ".", "[SEP]"]
N = len(TOKENS)
BEFORE = np.eye(N)[[0, *range(N - 1)]]  # each token looks at the one before, the first at itself
AFTER = np.eye(N)[[*range(1, N), N - 1]]


def soft(*shape, seed=0):
    A = np.exp(2 * np.random.default_rng(seed).standard_normal(shape))
    return A / A.sum(-1, keepdims=True)


def test_an_even_map_has_the_entropy_of_all_tokens_and_gives_each_key_its_share():
    found = head_statistics(np.full((N, N), 1 / N), TOKENS)
    assert found["entropy"] == pytest.approx(np.log(N))
    for name in ("[CLS]", "[SEP]", "punctuation", "previous", "next", "self", "same token"):
        assert found[name] == pytest.approx(1 / N), name
    far = np.abs(np.subtract.outer(range(N), range(N)))[1:-1]
    assert found["distance"] == pytest.approx(far.mean())


@pytest.mark.parametrize(
    ("A", "all_on", "distance"), [(np.eye(N), "self", 0), (BEFORE, "previous", 1), (AFTER, "next", 1)]
)
def test_a_map_of_one_diagonal_puts_all_on_it(A, all_on, distance):
    found = head_statistics(A, TOKENS)
    assert found["entropy"] == 0 and found["distance"] == distance
    assert {name for name in ("self", "previous", "next") if found[name] == 1} == {all_on}


@pytest.mark.parametrize(("place", "name"), [(0, "[CLS]"), (7, "[SEP]"), (6, "punctuation")])
def test_a_map_of_one_column_puts_all_on_that_kind_of_key(place, name):
    found = head_statistics(np.eye(N)[[place] * N], TOKENS)
    assert found[name] == 1 and sum(found[other] == 1 for other in ("[CLS]", "[SEP]", "punctuation")) == 1


def test_the_same_token_is_another_place_and_only_queries_that_have_one_count():
    twin = np.eye(N)
    twin[[1, 4]] = np.eye(N)[[4, 1]]  # the two "the" look at each other, the others at themselves
    assert head_statistics(twin, TOKENS)["same token"] == 1
    assert head_statistics(np.eye(N), TOKENS)["same token"] == 0
    assert np.isnan(head_statistics(np.eye(3), ["[CLS]", "bear", "[SEP]"])["same token"])


def test_what_special_tokens_ask_does_not_count():
    A = np.eye(N)
    A[0] = A[7] = np.eye(N)[3]
    assert head_statistics(A, TOKENS)["self"] == 1


@given(st.integers(0, 10_000))
def test_entropy_and_masses_are_those_of_scipy_and_of_sums_by_hand(seed):
    A = soft(2, 3, N, N, seed=seed)
    found = head_statistics(A, TOKENS)
    assert found["entropy"].shape == (2, 3)
    np.testing.assert_allclose(found["entropy"], entropy(A[:, :, 1:-1], axis=-1).mean(-1))
    np.testing.assert_allclose(found["[CLS]"], A[:, :, 1:-1, 0].mean(-1))
    np.testing.assert_allclose(found["previous"], [[A[a, b, range(1, 7), range(6)].mean() for b in range(3)]
                                                   for a in range(2)])  # fmt: skip
    np.testing.assert_allclose(found["same token"], (A[:, :, 1, 4] + A[:, :, 4, 1]) / 2)


def test_selectors_are_0_and_1_and_a_token_is_at_most_one_of_its_neighbors():
    found = selectors(TOKENS)
    assert all(set(np.unique(S)) <= {0.0, 1.0} and S.shape == (N, N) for S in found.values())
    assert (found["previous"] + found["next"] + found["self"]).max() == 1
    assert found["punctuation"].sum() == N  # one column


@pytest.mark.parametrize(
    ("weights", "tokens", "message"),
    [
        (np.ones((2, 2)), ["a", "b"], "sum to 1"),
        (np.full((2, 3), 1 / 3), ["a", "b"], r"\(\.\.\., n, n\)"),
        (np.eye(3), ["a", "b"], "tokens must be the 3"),
        (np.eye(2), ["[CLS]", "[SEP]"], "not special"),
    ],
)
def test_what_does_not_fit_is_refused(weights, tokens, message):
    with pytest.raises(ValueError, match=message):
        head_statistics(weights, tokens)


def test_words_get_the_sum_of_their_pieces_and_give_the_mean():
    A = soft(4, 4)
    W = word_weights(A, [None, 0, 0, 1], 2)
    by_hand = [[A[1:3, 1:3].sum() / 2, A[1:3, 3].mean()], [A[3, 1:3].sum(), A[3, 3]]]
    np.testing.assert_allclose(W, by_hand)
    whole = word_weights(A, range(4), 4)
    np.testing.assert_allclose(whole, A)
    with pytest.raises(ValueError, match="each of the 4 tokens"):
        word_weights(A, [0, 1], 2)


def test_a_hit_is_the_largest_weight_on_another_word():
    A = soft(5, 7, 6, 6)
    pairs = [(0, 3), (5, 2), (4, 4)]
    found = hits(A, pairs)
    assert found.shape == (5, 7, 3) and not found[..., 2].any()  # never itself
    for i, j in np.ndindex(5, 7):
        for k, (asks, wanted) in enumerate(pairs[:2]):
            others = {word: A[i, j, asks, word] for word in range(6) if word != asks}
            assert found[i, j, k] == (max(others, key=others.get) == wanted)


def test_a_fixed_offset_is_right_where_the_word_stands_there():
    found = offset_hits([(0, 2), (5, 4), (1, 3)], [-1, 2, 3])
    assert found.tolist() == [[False, True, False], [True, False, True], [False, False, False]]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_the_sign_test_is_scipy_s_binomial_test_of_the_cases_that_differ(cases):
    one, other = np.array(cases).T
    wins, losses = (one & ~other).sum(), (other & ~one).sum()
    expected = binomtest(int(wins), int(wins + losses), alternative="greater").pvalue if wins + losses else 1
    assert sign_test(one, other) == pytest.approx(expected)


def test_the_shares_of_pure_maps_are_known():
    segments = [0] * 4 + [1] * 4
    blocks = np.kron(np.eye(2), np.full((4, 4), 1 / 4))
    assert map_shares(np.eye(N)[[2] * N]).vertical == 1
    for A in (np.eye(N), BEFORE, AFTER, (np.eye(N) + np.eye(N)[[0] * N]) / 2):  # beside a column, too
        assert map_shares(A).diagonal == pytest.approx(1)
    assert map_shares(blocks, segments).block == pytest.approx(1) and map_shares(blocks).block == 0
    even = map_shares(np.full((N, N), 1 / N), segments)
    assert even.block == pytest.approx(0.5) and even.vertical == pytest.approx(2 / N)


@pytest.mark.parametrize("far", [-3, -2, -1, 1, 2, 3])
def test_a_diagonal_lies_up_to_two_tokens_away(far):
    n = 12
    looks = np.arange(n) + far
    A = np.eye(n)[np.where((looks < 0) | (looks >= n), 0 if far < 0 else n - 1, looks)]
    assert (map_shares(A).diagonal > 0.7) == (abs(far) <= 2)


def test_pure_maps_of_each_pattern_get_their_names():
    n = 12
    column, blocks = np.eye(n)[[0] * n], np.kron(np.eye(2), np.full((6, 6), 1 / 6))
    maps = [column, np.eye(n), (column + np.eye(n)) / 2, blocks, np.full((n, n), 1 / n)]
    assert attention_pattern(np.stack(maps), [0] * 6 + [1] * 6).tolist() == list(PATTERNS)
    assert attention_pattern(blocks) == "heterogeneous"  # one sentence has no blocks


def test_the_rule_can_be_followed_by_hand():
    for shares in itertools.product((0, 1), repeat=3):
        limits = {name: 0.0 if on else 2.0 for name, on in zip(LIMITS, shares, strict=True)}
        vertical, diagonal, block = shares
        if diagonal:
            expected = PATTERNS[2] if vertical else PATTERNS[1]
        else:
            expected = PATTERNS[3] if block else PATTERNS[0] if vertical else PATTERNS[4]
        assert attention_pattern(soft(N, N), [0] * 4 + [1] * 4, limits) == expected


def test_weighted_norms_are_the_lengths_of_what_each_key_adds():
    rng = np.random.default_rng(0)
    A, V, up = soft(3, 5, 5), rng.standard_normal((3, 5, 4)), rng.standard_normal((3, 4, 8))
    found = weighted_norms(A, V, up)
    for h, i, j in np.ndindex(3, 5, 5):
        assert found[h, i, j] == pytest.approx(np.linalg.norm(A[h, i, j] * V[h, j] @ up[h]))
    with pytest.raises(ValueError, match="d_model"):
        weighted_norms(A, V, up[:, :3])
