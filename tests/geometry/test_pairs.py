"""The extreme pairs of all: against scikit-learn's cosines, in one block and in many, and with known answers."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import cosine_similarity

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import extreme_pairs, pair_blocks
from tutorial_lib.geometry.pairs import KEYS, pairs_by_definition
from tutorial_lib.geometry.similarity import unit

SIZES = st.tuples(st.integers(2, 30), st.integers(1, 6))
WHOLE = arrays(np.float64, SIZES, elements=st.integers(-3, 3))  # many duplicates, opposites and right angles
REAL = arrays(np.float64, SIZES, elements=st.integers(-1000, 1000).map(lambda i: i / 997))
BEST = {"similar": lambda c: c, "orthogonal": lambda c: -abs(c), "opposed": lambda c: -c}  # the larger, the better


def small(patch, block=8):
    """Blocks, segments and chunks of few rows."""
    for name, value in {"BLOCK": block, "SEGMENT": 4, "CHUNK": 3, "SOME": 2}.items():
        patch.setattr(pair_blocks, name, value)


def check(found, X, k, left_out=()):
    """Whether these are k best pairs of X: as good as the best of all, and each with its own cosine."""
    X = np.asarray(X, dtype=np.float64)
    kept = np.setdiff1d(np.arange(len(X)), left_out)
    C = np.full((len(X), len(X)), np.nan)
    C[np.ix_(kept, kept)] = cosine_similarity(X[kept])
    all_cosines = C[np.ix_(kept, kept)][np.triu_indices(len(kept), 1)]
    for name, key in BEST.items():
        triples = getattr(found, name)
        i, j, cosines = (np.array(part) for part in zip(*triples, strict=True))
        np.testing.assert_allclose(key(cosines), -np.sort(-key(all_cosines))[:k], atol=1e-13)
        np.testing.assert_allclose(cosines, C[i, j], atol=1e-13)
        assert (i < j).all() and len(set(zip(i, j))) == k
        assert triples == sorted(triples, key=lambda t: (-key(t[2]), t[0], t[1]))


@given(st.one_of(WHOLE, REAL), st.data())
def test_the_pairs_are_the_best_of_all(X, data):
    zeros = np.flatnonzero(~X.any(axis=1)).tolist()
    n = len(X) - len(zeros)
    if n < 2:
        return
    k = data.draw(st.integers(1, n * (n - 1) // 2))
    with pytest.MonkeyPatch.context() as patch:
        small(patch, 4 * data.draw(st.integers(1, 8)))
        check(extreme_pairs(X, k, exclude=zeros), X, k, zeros)


@pytest.mark.parametrize("n, k", [(2, 1), (30, 435), (63, 20), (64, 20), (65, 20), (500, 25)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_of_every_shape_hold_together(n, k, dtype, monkeypatch):
    monkeypatch.setattr(pair_blocks, "BLOCK", 192)
    X = gaussian(n, 20, seed=n).astype(dtype)
    found = extreme_pairs(X, k)
    check(found, X, k)
    plain = pairs_by_definition(unit(X.astype(np.float64)), k)
    assert list(plain) == list(KEYS)
    for name, (i, j, cosines) in plain.items():
        assert [pair[:2] for pair in getattr(found, name)] == list(zip(i, j, strict=True))
        np.testing.assert_allclose([pair[2] for pair in getattr(found, name)], cosines, atol=1e-14)


def test_neighbors_equal_in_float32_are_distinguished():
    X = gaussian(1000, 64)
    found = extreme_pairs(X, 5)
    check(found, X, 5)
    in_float32 = np.abs(cosine_similarity(X.astype(np.float32))[np.triu_indices(1000, 1)])
    exact = np.abs([cosine for _, _, cosine in found.orthogonal])
    assert np.abs(np.sort(in_float32)[:5] / exact - 1).max() > 0.001


def test_equal_cosines_follow_the_order_of_indices(monkeypatch):
    small(monkeypatch)
    first = [(0, j) for j in range(1, 8)]
    found = extreme_pairs(np.tile(gaussian(1, 5), (30, 1)), 7)
    assert [pair[:2] for pair in found.similar] == [pair[:2] for pair in found.opposed] == first
    assert [pair[:2] for pair in extreme_pairs(np.eye(30), 7).orthogonal] == first


def test_excluded_rows_are_in_no_pair():
    X = gaussian(80, 5)
    X[7], X[11] = X[3], 0  # a copy, and a row without direction
    X[20] = np.nan
    out = [7, 11, 20, 21]
    mask = np.isin(np.arange(80), out)
    found = extreme_pairs(X, 9, exclude=out)
    check(found, np.nan_to_num(X), 9, out)
    for same in (set(out), np.array(out), mask, mask.tolist(), torch.tensor(out), torch.tensor(mask), (7, *out)):
        assert extreme_pairs(X, 9, exclude=same) == found
    assert extreme_pairs(X[:7], 2, exclude=[]) == extreme_pairs(X[:7], 2)


def test_tensors_and_lists_give_the_same():
    X = gaussian(70, 6).astype(np.float32)
    expected = extreme_pairs(X, 4)
    read_only = X.copy()
    read_only.flags.writeable = False
    for same in (torch.tensor(X, requires_grad=True), X.tolist(), np.asfortranarray(X), X[::-1][::-1], read_only):
        assert extreme_pairs(same, 4) == expected
    half = torch.tensor(X).bfloat16()
    check(extreme_pairs(half, 4), half.double(), 4)


def test_a_product_that_may_round_is_not_used():
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        X = gaussian(200, 32)
        check(extreme_pairs(X, 5), X, 5)
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
def test_a_gpu_gives_the_same():
    X = torch.randn(7000, 64, generator=torch.Generator().manual_seed(0))
    for exclude in (None, [1, 2, 3]):
        assert extreme_pairs(X.cuda(), 10, exclude) == extreme_pairs(X, 10, exclude)


def test_a_bar_is_shown_on_request(capsys):
    X = gaussian(300, 3)
    extreme_pairs(X, 1, progress=True)
    assert "all pairs" in capsys.readouterr().err
    extreme_pairs(X, 1)
    assert capsys.readouterr() == ("", "")
