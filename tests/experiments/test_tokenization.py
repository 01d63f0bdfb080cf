"""bert-base-cased's vocabulary, measured or stored: the numbers are the vocabulary's, and no more of it is kept."""

import pytest

from tutorial_book.experiments import stored, tokenization
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.weights.files import sha256


def test_little_of_the_vocabulary_is_stored():
    """No more than the documents' sentences have."""
    found = stored("cased-vocabulary")
    tokens = {token for cut, _ in found["texts"].values() for token in cut} | {*found["ids"]}
    assert len(tokens) < 150 < found["size"] / 100
    assert [text for text in found["texts"] if " an serend" not in text] == load_texts("documents")


@pytest.mark.parametrize("here", [True, False])
def test_vocabulary_at_hand_is_measured(monkeypatch, here):
    """Otherwise the stored numbers are used."""
    own = WordPiece([*tokenization.LOOKED_UP, *"The I bears ##s ! , love".split()], lowercase=False)
    monkeypatch.setattr(tokenization.weights, "available", lambda vocabulary: {tokenization.NAME: None} if here else {})
    monkeypatch.setattr(tokenization.WordPiece, "from_pretrained", lambda name: own)
    found = tokenization.cased()
    if not here:
        assert found == stored("cased-vocabulary")
        return
    assert found["size"] == len(own) == sum(found["kinds"].values())
    assert found["shares"]["##"] == pytest.approx(1 / len(own), abs=1e-6) and found["blocks"][0] == ["special", 0, 4]
    assert found["ids"] == {token: i for i, token in enumerate(tokenization.LOOKED_UP)}
    tokens = "I love [UNK] !".split()
    assert found["texts"]["I love physics!"] == [tokens, [own.vocab[token] for token in tokens]]
    assert len(found["texts"]) == len(load_texts("documents")) + 1
    words = "the of and a an bear Bear The I bears love".split()
    assert found["letters"] == pytest.approx([sum(map(len, words)) / len(words)] * 2)


def test_published_vocabulary_gives_the_stored_numbers(real_folder):
    """And Hugging Face gives the same ids."""
    from transformers import BertTokenizerFast

    file = real_folder / "bert-base-cased" / "vocab.txt"
    if not file.is_file():
        pytest.skip("needs the vocabulary of bert-base-cased, which is not part of the book")
    assert sha256(file) == stored("cased-vocabulary")["sources"]["vocab.txt"]
    tok = WordPiece(file.read_text(encoding="utf-8").removesuffix("\n").split("\n"), lowercase=False)
    kept, now = stored("cased-vocabulary"), tokenization.measure(tok)
    assert {key: kept[key] for key in now} == now
    theirs = BertTokenizerFast(str(file), do_lower_case=False)
    for text, (tokens, ids) in kept["texts"].items():
        assert theirs(text, add_special_tokens=False)["input_ids"] == ids and theirs.tokenize(text) == tokens
