"""Damaged vocabulary files are rejected by name."""

import json

import pytest

from tutorial_lib.tokenization import BPE, WordPiece

VOCAB = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("vocab.txt", b"[PAD]\n\xff\xfe", "vocab.txt is damaged: it is not UTF-8"),
        ("vocab.txt", b"", r"vocab must contain \[PAD\]"),
        ("tokenizer_config.json", b"{", "tokenizer_config.json is damaged: it is not JSON"),
        ("tokenizer_config.json", b"[]", "tokenizer_config.json must contain a JSON object, got list"),
    ],
)
def test_error_names_the_damaged_wordpiece_file(tmp_path, name, content, message):
    (tmp_path / "vocab.txt").write_text(VOCAB)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        WordPiece.from_pretrained(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("vocab.json", b"{", "vocab.json is damaged: it is not JSON"),
        ("vocab.json", b"[]", "vocab.json must contain a JSON object, got list"),
        ("merges.txt", b"\xff", "merges.txt is damaged: it is not UTF-8"),
    ],
)
def test_error_names_the_damaged_bpe_file(tmp_path, name, content, message):
    BPE.train(["a b"], 257).save(tmp_path)
    assert json.loads((tmp_path / "vocab.json").read_text())
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        BPE.from_pretrained(tmp_path)


@pytest.mark.parametrize("bad", [None, 5, b"bear"])
@pytest.mark.parametrize(("tokenizer", "name"), [(WordPiece(VOCAB.split()), "word"), (BPE.train(["a"], 257), "chunk")])
def test_pieces_are_cut_from_text(tokenizer, name, bad):
    with pytest.raises(TypeError, match=f"{name} must be a str"):
        tokenizer.pieces(bad)
