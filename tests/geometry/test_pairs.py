"""The extreme pairs of all: against brute force in float64, in one block and in many, and where the answer is known."""

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import cosine_similarity

from tutorial_lib.geometry import extreme_pairs, pair_blocks, pairs

KEYS = {"similar": lambda c: c, "orthogonal": lambda c: -abs(c), "opposed": lambda c: -c}


def check(found, X, k, left_out=()):
    """Whether these are k best pairs of X: as good as the best by brute force, and each with its own cosine."""
    X = np.asarray(X, dtype=np.float64)
    kept = [i for i in range(len(X)) if i not in left_out]
    C = np.full((len(X), len(X)), np.nan)
    C[np.ix_(kept, kept)] = cosine_similarity(X[kept])
    for name, key in KEYS.items():
        triples = getattr(found, name)
        best = sorted((key(C[i, j]) for i, j in combinations(kept, 2)), reverse=True)[:k]
        np.testing.assert_allclose([key(c) for _, _, c in triples], best, atol=1e-13)
        np.testing.assert_allclose([c for _, _, c in triples], [C[i, j] for i, j, _ in triples], atol=1e-13)
        assert all(i < j for i, j, _ in triples) and len({(i, j) for i, j, _ in triples}) == k
        assert triples == sorted(triples, key=lambda t: (-key(t[2]), t[0], t[1]))


sizes = st.tuples(st.integers(2, 30), st.integers(1, 6))
whole = arrays(np.float64, sizes, elements=st.integers(-3, 3))  # many duplicates, opposites and right angles
real = arrays(np.float64, sizes, elements=st.integers(-1000, 1000).map(lambda i: i / 997))


@given(st.one_of(whole, real), st.data())
def test_the_pairs_are_those_of_brute_force(X, data):
    zeros = np.flatnonzero(~X.any(axis=1)).tolist()
    n = len(X) - len(zeros)
    if n < 2:
        return
    k = data.draw(st.integers(1, n * (n - 1) // 2))
    sizes = {"BLOCK": 4 * data.draw(st.integers(1, 8)), "SEGMENT": 4, "CHUNK": 3, "SOME": 2}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in sizes.items():
            patch.setattr(pair_blocks, name, value)
        check(extreme_pairs(X, k, exclude=zeros), X, k, zeros)


@pytest.mark.parametrize("n", [2, 63, 64, 65, 500, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_of_every_shape_hold_together(n, dtype, monkeypatch):
    monkeypatch.setattr(pair_blocks, "BLOCK", 192)
    X = np.random.default_rng(n).normal(size=(n, 20)).astype(dtype)
    k = min(20, n * (n - 1) // 2)
    check(extreme_pairs(X, k), X, k)


def test_what_float32_cannot_tell_apart_is_told_apart():
    X = np.random.default_rng(0).normal(size=(1500, 64))
    found = extreme_pairs(X, 5)
    check(found, X, 5)
    in_float32 = cosine_similarity(X.astype(np.float32))[np.triu_indices(1500, 1)]
    assert not np.allclose(np.sort(np.abs(in_float32))[:5], np.abs([c for _, _, c in found.orthogonal]), rtol=0.01)


def test_equal_cosines_stand_in_the_order_of_their_indices(monkeypatch):
    for name, value in {"BLOCK": 8, "SEGMENT": 4, "CHUNK": 3, "SOME": 2}.items():
        monkeypatch.setattr(pair_blocks, name, value)
    X = np.tile(np.random.default_rng(1).normal(size=(1, 5)), (30, 1))
    first = [(0, j) for j in range(1, 8)]
    found = extreme_pairs(X, 7)
    assert [pair[:2] for pair in found.similar] == [pair[:2] for pair in found.opposed] == first
    assert [pair[:2] for pair in extreme_pairs(np.eye(30), 7).orthogonal] == first


def test_the_lists_do_not_depend_on_the_lengths_of_the_rows():
    X = np.random.default_rng(2).normal(size=(100, 8))
    lengths = 2.0 ** np.random.default_rng(3).integers(-900, 900, size=(100, 1))  # powers of 2 change no digit
    assert extreme_pairs(X * lengths, 6) == extreme_pairs(X, 6)


def test_what_is_excluded_is_in_no_pair_and_the_others_keep_their_indices():
    X = np.random.default_rng(4).normal(size=(80, 5))
    X[7], X[11] = X[3], 0  # a copy, and a row without direction
    X[20] = np.nan
    out = [7, 11, 20, 21]
    mask = np.isin(np.arange(80), out)
    found = extreme_pairs(X, 9, exclude=out)
    check(found, np.nan_to_num(X), 9, out)
    for same in (set(out), np.array(out), mask, mask.tolist(), torch.tensor(out), torch.tensor(mask), (7, *out)):
        assert extreme_pairs(X, 9, exclude=same) == found
    assert extreme_pairs(X[:7], 2, exclude=[]) == extreme_pairs(X[:7], 2)


def test_torch_numpy_and_lists_give_the_same():
    X = np.random.default_rng(5).normal(size=(70, 6)).astype(np.float32)
    expected = extreme_pairs(X, 4)
    read_only = X.copy()
    read_only.flags.writeable = False
    for same in (torch.tensor(X, requires_grad=True), X.tolist(), np.asfortranarray(X), X[::-1][::-1], read_only):
        assert extreme_pairs(same, 4) == expected
    half = torch.tensor(X).bfloat16()
    check(extreme_pairs(half, 4), half.double(), 4)


def test_a_product_that_was_allowed_to_round_is_not_used():
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        X = np.random.default_rng(6).normal(size=(600, 32))
        check(extreme_pairs(X, 5), X, 5)
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
def test_a_gpu_gives_the_same():
    X = torch.randn(7000, 64, generator=torch.Generator().manual_seed(0))
    for exclude in (None, [1, 2, 3]):
        assert extreme_pairs(X.cuda(), 10, exclude) == extreme_pairs(X, 10, exclude)


def test_a_bar_is_shown_where_it_is_asked_for(capsys):
    X = np.random.default_rng(7).normal(size=(300, 3))
    extreme_pairs(X, 1, progress=True)
    assert "all pairs" in capsys.readouterr().err
    extreme_pairs(X, 1)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "arguments, error, says",
    [
        ((np.ones((0, 3)), 1), ValueError, "k must be a number of pairs, from 1 to 0 for 0 rows, got 1"),
        ((np.ones((1, 3)), 1), ValueError, "k must be a number of pairs, from 1 to 0 for 1 rows, got 1"),
        ((np.eye(4), 7), ValueError, "k must be a number of pairs, from 1 to 6 for 4 rows, got 7"),
        ((np.eye(4), 4, [0]), ValueError, "k must be a number of pairs, from 1 to 3 for 3 rows, got 4"),
        ((np.eye(4), 0), ValueError, "k must be a number of pairs"),
        ((np.eye(4), 1.5), ValueError, "k must be a number of pairs"),
        ((np.ones(4), 1), ValueError, "X must be a matrix"),
        ((np.ones((4, 0)), 1), ValueError, "X must be a matrix"),
        (([["a"], ["b"]], 1), TypeError, "X must be an array of real numbers"),
        ((np.eye(4) + 1j, 1), TypeError, "X must be an array of real numbers"),
        (([[1.0, 2.0], [np.nan, 1.0]], 1), ValueError, "X must be finite"),
        ((np.array([[1.0, 2.0], [np.inf, 1.0]]), 1), ValueError, "X must be finite"),
        ((np.array([[1.0, 2.0], [3.0, 1.0], [0.0, 0.0]]), 1, [0]), ValueError, "no row of zeros.*got row 2"),
        ((np.eye(4), 1, [4]), ValueError, "exclude must hold indices from 0 to 3, got 4 to 4"),
        ((np.eye(4), 1, [-1]), ValueError, "exclude must hold indices from 0 to 3"),
        ((np.eye(4), 1, [True]), ValueError, "exclude must be a mask of 4 booleans"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(arguments, error, says):
    with pytest.raises(error, match=says):
        extreme_pairs(*arguments)


def test_two_rows_are_one_pair():
    found = extreme_pairs([[3.0, 4.0], [4.0, -3.0]], 1)
    assert found.similar == found.orthogonal == found.opposed == [(0, 1, 0.0)]


@pytest.mark.parametrize("n, k", [(2, 1), (30, 435), (400, 25)])
def test_the_blocks_find_what_the_definition_says(n, k, monkeypatch):
    monkeypatch.setattr(pair_blocks, "BLOCK", 192)
    X = np.random.default_rng(n).normal(size=(n, 9))
    plain = pairs.pairs_by_definition(X / np.linalg.norm(X, axis=1, keepdims=True), k)
    for name, triples in extreme_pairs(X, k)._asdict().items():
        i, j, cosine = zip(*triples)
        np.testing.assert_array_equal((i, j), plain[name][:2])
        np.testing.assert_allclose(cosine, plain[name][2], atol=1e-14)
