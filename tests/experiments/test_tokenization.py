"""bert-base-cased's vocabulary, measured or as stored: the numbers are the vocabulary's, and no more of it is kept."""

import re

import pytest

from tutorial_book.experiments import tokenization
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.weights import available
from tutorial_lib.weights.catalog import KNOWN
from tutorial_lib.weights.files import sha256


@pytest.fixture
def own():
    """A small cased vocabulary with the tokens that are looked up."""
    return WordPiece([*tokenization.LOOKED_UP, *"The I bears ##s ! , love".split()], lowercase=False)


def test_what_is_stored_says_where_it_comes_from():
    found = tokenization.stored()
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found["date"]) and "tutorial_lib" in found["versions"]
    assert found["sources"] == KNOWN[tokenization.NAME].vocabulary_sha256


def test_no_more_of_the_vocabulary_is_stored_than_the_documents_sentences_have():
    found = tokenization.stored()
    tokens = {token for cut, _ in found["texts"].values() for token in cut} | {*found["ids"]}
    assert len(tokens) < 150 < found["size"] / 100
    assert [text for text in found["texts"] if " an serend" not in text] == load_texts("documents")


def test_it_measures_what_it_says(own):
    found = tokenization.measure(own)
    assert found["size"] == len(own) == sum(found["kinds"].values())
    assert found["shares"]["##"] == pytest.approx(1 / len(own), abs=1e-6) and found["blocks"][0] == ["special", 0, 4]
    assert found["ids"] == {token: i for i, token in enumerate(tokenization.LOOKED_UP)}
    tokens = "I love [UNK] !".split()
    assert found["texts"]["I love physics!"] == [tokens, [own.vocab[token] for token in tokens]]
    assert len(found["texts"]) == len(load_texts("documents")) + 1
    words = "the of and a an bear Bear The I bears love".split()
    assert found["letters"] == pytest.approx([sum(map(len, words)) / len(words)] * 2)


def test_what_is_at_hand_is_measured_and_not_looked_up(monkeypatch, own):
    monkeypatch.setattr(tokenization.weights, "available", lambda vocabulary: {"bert-base-cased": None})
    monkeypatch.setattr(tokenization.WordPiece, "from_pretrained", lambda name: own)
    assert tokenization.cased() == tokenization.measure(own)


@pytest.mark.skipif("bert-base-cased" in available(vocabulary=True), reason="the vocabulary is at hand")
def test_what_is_not_at_hand_is_looked_up():
    assert tokenization.cased() == tokenization.stored()


def test_a_damaged_file_is_said_to_be_one(monkeypatch, tmp_path):
    (tmp_path / "numbers.json").write_text("{}")
    monkeypatch.setattr(tokenization, "FILE", tmp_path / "numbers.json")
    with pytest.raises(ValueError, match="lacks ascii, .*: write it again with tools/measure_luisto.py"):
        tokenization.stored()


def test_the_vocabulary_gives_the_stored_numbers_and_hugging_face_the_same_ids(real_folder):
    from transformers import BertTokenizerFast

    file = real_folder / "bert-base-cased" / "vocab.txt"
    if not file.is_file():
        pytest.skip("needs the vocabulary of bert-base-cased, which is not part of the book")
    assert sha256(file) == tokenization.stored()["sources"]["vocab.txt"]
    tok = WordPiece(file.read_text(encoding="utf-8").removesuffix("\n").split("\n"), lowercase=False)
    stored, now = tokenization.stored(), tokenization.measure(tok)
    assert {key: stored[key] for key in now} == now
    theirs = BertTokenizerFast(str(file), do_lower_case=False)
    for text, (tokens, ids) in stored["texts"].items():
        assert theirs(text, add_special_tokens=False)["input_ids"] == ids and theirs.tokenize(text) == tokens
