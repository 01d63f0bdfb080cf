"""The vector database finds the same as brute force; chunks lose no word; the scores are the standard ones."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.experiments.uses import Index, chunks, recall_at_k, reciprocal_rank
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.texts import load_texts


def cloud(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


def texts_of(found):
    return [text for text, _ in found]


@pytest.mark.parametrize("n, d, k", [(1, 1, 1), (7, 3, 7), (300, 384, 10), (2000, 16, 100), (2, 2, 50)])
def test_search_is_exact(n, d, k):
    """If fewer exist than asked for, all are found."""
    X, queries, texts = cloud(n, d), cloud(5, d, seed=1), [f"text {i}" for i in range(n)]
    index = Index(texts, X)
    assert len(index) == n and index.d == d
    for query, row in zip(queries, cosine_matrix(queries, X), strict=True):
        found, order = index.search(query, k), np.argsort(-row, kind="stable")[:k]
        assert texts_of(found) == [texts[i] for i in order]
        np.testing.assert_allclose([cosine for _, cosine in found], row[order], atol=1e-5)


def test_tags_narrow_the_search():
    """And of equal texts the earlier one comes first."""
    index = Index(["b", "a", "c", "d"], np.ones((4, 4)), tags=["x", "x", "y", "x"])
    assert texts_of(index.search(np.ones(4), 4)) == ["b", "a", "c", "d"]
    assert texts_of(index.search(np.ones(4), 4, tag="x")) == ["b", "a", "d"]
    assert index.search(np.ones(4), 4, tag="neither") == []


def test_entries_come_in_order():
    X, texts, tags = torch.tensor(cloud(30, 8)), [f"é'\"\0{i}" for i in range(30)], list("xy" * 15)
    held = list(zip(*Index(texts, X, tags), strict=True))
    assert [list(held[0]), list(held[1])] == [texts, tags]
    np.testing.assert_array_equal(held[2], X)


@pytest.mark.parametrize(
    "call, error, says",
    [
        (lambda: Index([], np.ones((0, 2))), ValueError, "texts must contain at least one text"),
        (lambda: Index(["a"], np.ones((2, 2))), ValueError, r"vectors must have shape \(1, d\).*got \(2, 2\)"),
        (lambda: Index(["a"], [["x"]]), TypeError, "vectors must be an array of numbers"),
        (lambda: Index(["a", "b"], [[1, 0], [0, 0]]), ValueError, "vectors must be finite and not zero"),
        (lambda: Index(["a"], [[1, 1]], tags=["x", "y"]), ValueError, "tags must have one entry per text, 1, got 2"),
        (lambda: Index(["a"], [[1, 1]]).search([1, 1, 1]), ValueError, r"vector must have shape \(2,\)"),
        (lambda: Index(["a"], [[1, 1]]).search([0, 0]), ValueError, "vector must be finite and not zero"),
        (lambda: Index(["a"], [[1, 1]]).search([1, 1], k=0), ValueError, "k must be a number of texts, 1 to 4096"),
        (lambda: Index(["a"], [[1, 1]]).search([1, 1], k=5000), ValueError, "k must be .* got 5000"),
        (lambda: recall_at_k([["a"]], [["a"], ["b"]], 1), ValueError, "longer"),
        (lambda: recall_at_k([["a"]], [["a"]], 0), ValueError, "k must be"),
    ],
)
def test_bad_input_is_rejected_by_name(call, error, says):
    with pytest.raises(error, match=says):
        call()


TEXT = " ".join(load_texts("encyclopedia")[:4])


@given(size=st.integers(4, 80), share=st.floats(0, 0.99))
def test_chunks_lose_no_word(tok, size, share):
    """And they overlap no more than asked."""
    overlap = int(share * size)
    cut = [chunk.split() for chunk in chunks(TEXT, tok, size, overlap)]
    words, end = TEXT.split(), 0
    lengths = [len(tok.tokenize(word)) for word in words]
    for chunk in cut:
        starts = [s for s in range(end + 1) if words[s : s + len(chunk)] == chunk and s + len(chunk) > end]
        start = min(starts, key=lambda s: abs(end - s))
        assert sum(lengths[start:end]) <= overlap
        assert sum(lengths[start : start + len(chunk)]) <= size or len(chunk) == 1
        end = start + len(chunk)
    assert end == len(words)


def test_chunks_repeat_as_many_words_as_fit(tok):
    assert chunks("one two three four five six", tok, 4, 2) == ["one two three four", "three four five six"]
    assert chunks("one two three four", tok, 2) == ["one two", "three four"]
    assert chunks("serendipitous bear", tok, 2, 1) == ["serendipitous", "bear"]  # its five pieces stay together
    assert chunks("", tok, 5) == []
    with pytest.raises(ValueError, match="overlap must be a number of tokens from 0 to size - 1, 4, got 5"):
        chunks("a", tok, 5, 5)


@given(st.permutations("abcdef"), st.integers(1, 7), st.sets(st.sampled_from("abcdefg"), min_size=1))
def test_recall_and_rank_equal_their_definitions(found, k, wanted):
    [recall], [rank] = recall_at_k([found], [wanted], k), reciprocal_rank([found], [wanted])
    assert recall == sum(text in found[:k] for text in wanted) / len(wanted)
    places = [found.index(text) + 1 for text in wanted if text in found]
    assert rank == (1 / min(places) if places else 0)
