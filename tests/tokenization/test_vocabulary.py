"""The kinds of tokens in the default model's vocabulary."""

import itertools

import pytest

from tutorial_lib.tokenization import anatomy, words
from tutorial_lib.tokenization.vocabulary import KINDS, kind


def test_the_blocks_of_berts_uncased_vocabulary(wordpiece):
    found = anatomy(wordpiece.vocab)
    assert found.size == 30522 == sum(found.kinds.values())
    assert found.blocks[:4] == [("special", 0, 0), ("unused", 1, 99), ("special", 100, 103), ("unused", 104, 998)]
    assert [wordpiece.tokens[id] for id in (0, 1, 99, 100, 103, 104, 998, 999)] == [
        "[PAD]", "[unused0]", "[unused98]", "[UNK]", "[MASK]", "[unused99]", "[unused993]", "!"
    ]  # fmt: skip


def test_kinds_match_a_count_over_the_file(wordpiece, default_folder):
    lines = (default_folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    found = anatomy(wordpiece.tokens)
    assert found.kinds["special"] == sum(line in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") for line in lines)
    assert found.kinds["unused"] == sum(line.startswith("[unused") for line in lines) == 994
    assert found.kinds["one character"] == sum(len(line) == 1 for line in lines)
    assert found.continuation_share == sum(line[:2] == "##" for line in lines) / 30522
    assert found.alphanumeric_share == sum(line.isalnum() for line in lines) / 30522


def test_blocks_cover_all_ids_once(wordpiece):
    blocks = anatomy(wordpiece.vocab).blocks
    assert blocks[0][1] == 0 and blocks[-1][2] == 30521
    for (kind_before, _, last), (kind_after, first, _) in itertools.pairwise(blocks):
        assert last + 1 == first and kind_before != kind_after


def test_every_token_has_one_of_the_kinds(bpe):
    assert {kind(token) for token in bpe.tokens} <= set(KINDS)
    assert kind("<|endoftext|>") == "special" and kind("##") == kind("...") == "other"


def test_words_are_cut_at_spaces_and_punctuation():
    assert words(" It's  a bear. ") == ["It", "'", "s", "a", "bear", "."]


@pytest.mark.parametrize("vocab, error", [(None, TypeError), ("bear", TypeError), ([], ValueError), ({}, ValueError)])
def test_no_vocabulary_has_no_anatomy(vocab, error):
    with pytest.raises(error, match="vocab must"):
        anatomy(vocab)
