"""What heads look at: each statistic on maps whose answer is known, and against SciPy."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, entropy

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import heads

TOKENS = ["[CLS]", "the", "bear", "and", "the", "fox", ".", "[SEP]"]
N = len(TOKENS)
BEFORE = np.eye(N)[[0, *range(N - 1)]]  # each token looks at the one before, the first at itself
AFTER = np.eye(N)[[*range(1, N), N - 1]]
TWIN = np.eye(N)[[0, 4, 2, 3, 1, 5, 6, 7]]  # the two "the" look at each other, the others at themselves
SPECIAL_LOOK = np.eye(N)[[3, *range(1, 7), 3]]  # [CLS] and [SEP] look at "and", the others at themselves
EVEN = np.full((N, N), 1 / N)
FAR = np.abs(np.subtract.outer(range(N), range(N)))[1:-1].mean()
ONE = {"[CLS]": 0, "[SEP]": 7, "punctuation": 6}


def soft(*shape, seed=0):
    A = np.exp(2 * gaussian(*shape, seed=seed))
    return A / A.sum(-1, keepdims=True)


@pytest.mark.parametrize(
    "A, expected",
    [
        (EVEN, {"entropy": np.log(N), "distance": FAR, **{name: 1 / N for name in heads.selectors(TOKENS)}}),
        (np.eye(N), {"self": 1, "previous": 0, "next": 0, "same token": 0, "distance": 0, "entropy": 0}),
        (BEFORE, {"self": 0, "previous": 1, "next": 0, "distance": 1, "entropy": 0}),
        (AFTER, {"self": 0, "previous": 0, "next": 1, "distance": 1, "entropy": 0}),
        (TWIN, {"same token": 1, "self": 4 / 6}),
        (SPECIAL_LOOK, {"self": 1, "distance": 0}),
        *((np.eye(N)[[place] * N], {other: float(other == name) for other in ONE}) for name, place in ONE.items()),
    ],
)
def test_pure_maps_have_known_statistics(A, expected):
    found = heads.head_statistics(A, TOKENS)
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@given(st.integers(0, 10_000))
def test_statistics_are_scipys_and_sums_by_hand(seed):
    A = soft(2, 3, N, N, seed=seed)
    found = heads.head_statistics(A, TOKENS)
    np.testing.assert_allclose(found["entropy"], entropy(A[:, :, 1:-1], axis=-1).mean(-1))
    np.testing.assert_allclose(found["[CLS]"], A[:, :, 1:-1, 0].mean(-1))
    np.testing.assert_allclose(found["previous"], np.diagonal(A, -1, -2, -1)[..., :6].mean(-1))
    np.testing.assert_allclose(found["same token"], (A[:, :, 1, 4] + A[:, :, 4, 1]) / 2)
    assert np.isnan(heads.head_statistics(A, list("abcdefgh"))["same token"]).all()  # none has such a key
    padded = heads.selectors(["a", ".", "...", "[PAD]"])
    assert padded["punctuation"].tolist() == [[0, 1, 1, 0]] * 4


ROBERTA = ["<s>", "Ġbear", "Ġ,", "âĢĶ", "<mask>", "</s>", "</s>", "âĢ", "<pad>"]  # before the last: half a dash
LLAMA = ["<|begin_of_text|>", "Ċ", "ĠâĢľ", "Ã¢", "<|eot_id|>"]


@pytest.mark.parametrize(
    "tokens, begins, ends, marks",
    [
        (["[CLS]", "bear", ",", "[MASK]", "[SEP]", "[SEP]", "[PAD]"], [0], [4, 5], [2]),
        (ROBERTA, [0], [5, 6], [2, 3]),
        (LLAMA, [0], [4], [2]),
        (["<s>", "▁bear", "▁", "▁—", ",", "</s>"], [0], [5], [3, 4]),
        (["Ġbear", ",", "<|endoftext|>"], [], [2], [1]),
        (["<|endoftext|>", "Ġa"], [0], [], []),
        (["Ġa", "漢", "·"], [], [], [2]),  # not only bytes
    ],
)
def test_special_tokens_and_punctuation_in_every_alphabet(tokens, begins, ends, marks):
    found = heads.selectors(tokens)
    for name, places in {"[CLS]": begins, "[SEP]": ends, "punctuation": marks}.items():
        assert np.flatnonzero(found[name][0]).tolist() == places, name


def test_only_words_ask_in_every_alphabet():
    assert heads.head_statistics(np.eye(9)[[2] * 9], ROBERTA)["punctuation"] == 1
    asked = heads.head_statistics(soft(9, 9), ROBERTA)["entropy"]
    assert asked == pytest.approx(entropy(soft(9, 9)[[1, 2, 3, 4, 7]], axis=-1).mean())


def test_induction_scores_follow_earlier_places():
    tokens = [7, 3, 7, 3, 7, 9]
    A = soft(2, 3, 6, 6)
    by_hand = [A[..., 2, 1], A[..., 3, 2], A[..., 4, 1] + A[..., 4, 3]]
    np.testing.assert_allclose(heads.induction_score(A, tokens), np.mean(by_hand, axis=0))
    assert heads.induction_score(np.eye(4)[[0, 0, 1, 2]], list("abab")) == 1
    assert heads.induction_score(np.eye(4)[[0, 0, 1, 1]], list("abab")) == 0.5  # to oneself does not count
    assert np.isnan(heads.induction_score(A, range(6))).all()
    with pytest.raises(ValueError, match="tokens must have one token per column of the weights, 6"):
        heads.induction_score(A, tokens[:5])


def test_induction_score_takes_each_texts_own_tokens():
    tokens = np.array([[7, 3, 7, 3, 7, 9], [1, 1, 2, 2, 1, 1], [0, 1, 2, 3, 4, 5]])
    A = soft(3, 4, 2, 6, 6)
    apart = [heads.induction_score(text, row) for text, row in zip(A, tokens)]
    for each in (tokens, torch.tensor(tokens), tokens.tolist(), [list(map(str, row)) for row in tokens]):
        np.testing.assert_allclose(heads.induction_score(A, each), apart)
    with pytest.raises(ValueError, match=r"those of 2 texts, as tokens are, \(2, ..., n, n\), got shape"):
        heads.induction_score(A, tokens[:2])
    with pytest.raises(ValueError, match="tokens must have one token per column of the weights, 6, got 5"):
        heads.induction_score(A, tokens[:, :5])


@pytest.mark.parametrize("score", [
    lambda A: heads.induction_score(A, range(6)),
    lambda A: heads.head_statistics(A, list("abcdef")),
    lambda A: heads.word_weights(A, [0, 0, 1, 1, 2, 2], 3),
])  # fmt: skip
def test_weights_of_several_texts_are_rejected_for_one(score):
    score(soft(4, 2, 6, 6))
    with pytest.raises(ValueError, match=r"weights must belong to one text, at most \(n_layers, n_heads, n, n\)"):
        score(soft(3, 4, 2, 6, 6))


def test_even_attention_has_the_documented_induction_score():
    m = 20
    even = np.tril(np.ones((2 * m, 2 * m)))
    score = heads.induction_score(even / even.sum(-1, keepdims=True), 2 * list(range(m)))
    assert score == pytest.approx(np.log(2) / m, rel=0.03)


def test_words_get_the_sum_and_give_the_mean():
    A = soft(4, 4)
    by_hand = [[A[1:3, 1:3].sum() / 2, A[1:3, 3].mean(), 0], [A[3, 1:3].sum(), A[3, 3], 0], [0, 0, 0]]
    np.testing.assert_allclose(heads.word_weights(A, [None, 0, 0, 1], 3), by_hand)  # word 2 has no token


def test_hits_are_largest_weights_and_fixed_offsets():
    A = soft(5, 7, 6, 6)
    pairs = [(0, 3), (5, 2), (4, 4)]
    found = heads.hits(A, pairs)
    assert found.shape == (5, 7, 3) and not found[..., 2].any()  # never itself
    for i, j in np.ndindex(5, 7):
        for k, (asks, wanted) in enumerate(pairs[:2]):
            others = {word: A[i, j, asks, word] for word in range(6) if word != asks}
            assert found[i, j, k] == (max(others, key=others.get) == wanted)
    assert heads.hits(A, []).shape == (5, 7, 0)
    assert heads.hits([[1.0, 0.0], [0.0, 1.0]], [(0, 1)]).all()  # the only other word, even without weight
    assert heads.offset_hits([(0, -2)], [-2]).all()  # two numbers outside the text also work
    found = heads.offset_hits([(0, 2), (5, 4), (1, 3)], [-1, 2, 3])
    assert found.tolist() == [[False, True, False], [True, False, True], [False, False, False]]


@pytest.mark.parametrize("pair", [(0, -1), (-1, 0), (0, 2), (2, 0), (0, 0.5), (0, np.nan)])
def test_hits_are_for_words_that_are_there(pair):
    with pytest.raises(ValueError, match="pairs must"):
        heads.hits([[1.0, 0.0], [0.0, 1.0]], [(0, 1), pair])


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_the_sign_test_is_scipys(cases):
    one, other = np.array(cases).T
    wins, losses = (one & ~other).sum(), (other & ~one).sum()
    expected = binomtest(int(wins), int(wins + losses), alternative="greater").pvalue if wins + losses else 1
    assert heads.sign_test(one, other) == pytest.approx(expected)
    assert heads.sign_test([one, other], [other, other]) == pytest.approx([expected, 1])


def test_shares_of_pure_maps_are_known():
    segments = [0] * 4 + [1] * 4
    blocks = np.kron(np.eye(2), np.full((4, 4), 1 / 4))
    for A in (np.eye(N), BEFORE, AFTER, (np.eye(N) + np.eye(N)[[0] * N]) / 2):  # beside a column, too
        assert heads.map_shares(A).diagonal == pytest.approx(1)
    column, even = heads.map_shares(np.eye(N)[[2] * N]), heads.map_shares(EVEN, segments)
    assert column == (1, 0, 0)
    assert even == pytest.approx((2 / N, (N - 2) / (N * (N - 2)), 0.5))
    assert heads.map_shares(blocks, segments).block == pytest.approx(1)
    assert heads.map_shares(blocks).block == 0  # one sentence


@pytest.mark.parametrize("far", [-3, -2, -1, 1, 2, 3])
def test_a_diagonal_lies_up_to_two_tokens_away(far):
    looks = np.clip(np.arange(12) + far, 0, 11)
    assert (heads.map_shares(np.eye(12)[looks]).diagonal > 0.7) == (abs(far) <= 2)


def test_pure_maps_get_their_patterns_names():
    n = 12
    column, blocks = np.eye(n)[[0] * n], np.kron(np.eye(2), np.full((6, 6), 1 / 6))
    maps = [column, np.eye(n), (column + np.eye(n)) / 2, blocks, np.full((n, n), 1 / n)]
    assert heads.attention_pattern(np.stack(maps), [0] * 6 + [1] * 6).tolist() == list(heads.PATTERNS)
    assert heads.attention_pattern(blocks) == "heterogeneous"


@pytest.mark.parametrize("vertical, diagonal, block", list(np.ndindex(2, 2, 2)))
def test_the_patterns_rule_is_followed(vertical, diagonal, block):
    limits = {name: 0.0 if on else 2.0 for name, on in zip(heads.LIMITS, (vertical, diagonal, block), strict=True)}
    if diagonal:
        expected = heads.PATTERNS[2] if vertical else heads.PATTERNS[1]
    else:
        expected = heads.PATTERNS[3] if block else heads.PATTERNS[0] if vertical else heads.PATTERNS[4]
    assert heads.attention_pattern(soft(N, N), [0] * 4 + [1] * 4, limits) == expected


def test_weighted_norms_are_lengths_of_what_keys_add():
    A, V, up = soft(3, 5, 5), gaussian(3, 5, 4), gaussian(3, 4, 8)
    found = heads.weighted_norms(A, V, up)
    for h, i, j in np.ndindex(3, 5, 5):
        assert found[h, i, j] == pytest.approx(np.linalg.norm(A[h, i, j] * V[h, j] @ up[h]))
    np.testing.assert_allclose(heads.weighted_norms(A[0], V[0], up[0]), found[0])
