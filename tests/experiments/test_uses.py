"""The vector database finds what brute force finds; chunks lose no word; the scores are those of the field."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.experiments.uses import Index, chunks, prompt, recall_at_k, reciprocal_rank
from tutorial_lib.geometry import cosine_matrix
from tutorial_lib.texts import load_texts


def cloud(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


@pytest.mark.parametrize("n, d, k", [(1, 1, 1), (7, 3, 7), (300, 384, 10), (2000, 16, 100)])
def test_search_is_exact(n, d, k):
    X, queries, texts = cloud(n, d), cloud(5, d, seed=1), [f"text {i}" for i in range(n)]
    index, cosines = Index(texts, X), cosine_matrix(queries, X)
    for query, row in zip(queries, cosines, strict=True):
        found = index.search(query, k)
        order = np.argsort(-row, kind="stable")[:k]
        assert [text for text, _ in found] == [texts[i] for i in order]
        np.testing.assert_allclose([cosine for _, cosine in found], row[order], atol=1e-5)


def test_more_than_there_are_means_all():
    index = Index(["a", "b"], np.eye(2))
    assert [text for text, _ in index.search([1.0, 0.1], k=50)] == ["a", "b"]
    assert len(index) == 2 and index.d == 2


def test_of_equal_texts_the_earlier_comes_first():
    index = Index(["b", "a", "c"], np.ones((3, 4)))
    assert [text for text, _ in index.search(np.ones(4), 3)] == ["b", "a", "c"]


def test_a_tag_narrows_the_search():
    X = cloud(50, 8)
    index = Index([f"{i}" for i in range(50)], X, tags=["even", "odd"] * 25)
    order = np.argsort(-cosine_matrix(X[:1], X[1::2])[0])[:4]
    assert [text for text, _ in index.search(X[0], 4, tag="odd")] == [f"{2 * i + 1}" for i in order]
    assert index.search(X[0], 4, tag="neither") == []


def test_an_index_gives_back_what_it_holds():
    X, texts, tags = cloud(5, 3), list("edcba"), list("xyxyx")
    held = list(Index(texts, X, tags))
    assert [entry[0] for entry in held] == texts and [entry[1] for entry in held] == tags
    np.testing.assert_array_equal([entry[2] for entry in held], X)


def test_a_saved_index_opens_again_and_answers_the_same(tmp_path):
    X = torch.tensor(cloud(30, 8))
    index = Index([f"é'\"\0{i}" for i in range(30)], X, tags=["x"] * 30)
    index.save(tmp_path / "bears.db")
    index.save(tmp_path / "bears.db")
    assert [file.name for file in tmp_path.iterdir()] == ["bears.db"]
    again = Index.load(tmp_path / "bears.db")
    assert again.search(X[3], 5, tag="x") == index.search(X[3], 5, tag="x")
    assert again.search(X[3], 1)[0][0] == "é'\"\0003"


def test_a_file_that_is_no_index_is_refused(tmp_path):
    (tmp_path / "noise").write_bytes(b"noise" * 1000)
    (tmp_path / "empty").touch()
    for name in ("noise", "empty", "missing"):
        with pytest.raises(ValueError, match="path must be a file that Index.save wrote"):
            Index.load(tmp_path / name)
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize(
    "call, error, says",
    [
        (lambda: Index([], np.ones((0, 2))), ValueError, "texts must hold at least one text"),
        (lambda: Index("ab", np.ones((2, 2))), TypeError, "texts must be a list of str"),
        (lambda: Index(["a"], np.ones((2, 2))), ValueError, r"vectors must have shape \(1, d\).*got \(2, 2\)"),
        (lambda: Index(["a"], [["x"]]), TypeError, "vectors must be an array of numbers"),
        (lambda: Index(["a", "b"], [[1, 0], [0, 0]]), ValueError, "vectors must be finite and not zero"),
        (lambda: Index(["a"], [[np.nan, 1]]), ValueError, "vectors must be finite and not zero"),
        (lambda: Index(["a"], [[1, 1]], tags=["x", "y"]), ValueError, "tags must be one for each text, 1, got 2"),
        (lambda: Index(["a"], [[1, 1]]).search([1, 1, 1]), ValueError, r"vector must have shape \(2,\)"),
        (lambda: Index(["a"], [[1, 1]]).search([0, 0]), ValueError, "vector must be finite and not zero"),
        (lambda: Index(["a"], [[1, 1]]).search([1, 1], k=0), ValueError, "k must be a number of texts, 1 to 4096"),
        (lambda: Index(["a"], [[1, 1]]).search([1, 1], k=5000), ValueError, "k must be .* got 5000"),
        (lambda: Index(["a"], [[1, 1]]).search([1, 1], tag=3), TypeError, "tag must be a str"),
        (lambda: recall_at_k([["a"]], [["a"], ["b"]], 1), ValueError, "as many, one for each query, got 1 and 2"),
        (lambda: recall_at_k([["a"]], [[]], 1), ValueError, "relevant must name at least one"),
        (lambda: recall_at_k([["a"]], [["a"]], 0), ValueError, "k must be"),
        (lambda: prompt("why?", []), ValueError, "texts must hold at least one"),
    ],
)
def test_bad_input_is_refused_by_name(call, error, says):
    with pytest.raises(error, match=says):
        call()


TEXT = " ".join(load_texts("encyclopedia")[:12])


@given(size=st.integers(4, 80), share=st.floats(0, 0.99))
def test_chunks_lose_no_word_and_overlap_no_more_than_asked(tok, size, share):
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


def test_chunks_repeat_as_many_whole_words_as_fit(tok):
    assert chunks("one two three four five six", tok, 4, 2) == ["one two three four", "three four five six"]
    assert chunks("one two three four", tok, 2) == ["one two", "three four"]
    assert chunks("serendipitous bear", tok, 2, 1) == ["serendipitous", "bear"]  # its five pieces stay together
    assert chunks("", tok, 5) == []
    with pytest.raises(ValueError, match="overlap must be a number of tokens from 0 to size - 1, 4, got 5"):
        chunks("a", tok, 5, 5)


@given(st.lists(st.permutations("abcdef"), min_size=1, max_size=5), st.integers(1, 7), st.data())
def test_recall_and_reciprocal_rank_equal_their_definitions(rankings, k, data):
    relevant = [data.draw(st.sets(st.sampled_from("abcdefg"), min_size=1)) for _ in rankings]
    recalls, ranks = recall_at_k(rankings, relevant, k), reciprocal_rank(rankings, relevant)
    for found, wanted, recall, rank in zip(rankings, relevant, recalls, ranks, strict=True):
        assert recall == sum(text in found[:k] for text in wanted) / len(wanted)
        places = [found.index(text) + 1 for text in wanted if text in found]
        assert rank == (1 / min(places) if places else 0)


def test_the_prompt_numbers_its_texts_and_keeps_braces():
    text = prompt("What is {this}?", ["One {texts}.", "Two."])
    assert "[1] One {texts}.\n[2] Two." in text and text.endswith("Question: What is {this}?\nAnswer:")
