"""Special tokens, pairs, truncation, padding, decoding, and rejected arguments."""

import numpy as np
import pytest

from tutorial_lib.tokenization import BPE, Encoding, WordPiece, characters, chunks, truncated_lengths, words

SMALL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "bear", "##ness", ".", "Bear"]


def test_the_ids_that_r_prints(wordpiece):
    """R 11.3 to 11.5: the sentence, the sentence padded to 20, the pair."""
    assert wordpiece.tokenize("I love mathematics!") == ["i", "love", "mathematics", "!"]
    one = wordpiece.encode("I love mathematics!", max_length=20, pad_to=20)
    assert one.ids == [101, 1045, 2293, 5597, 999, 102] + [0] * 14
    assert one.attention_mask == [1] * 6 + [0] * 14
    assert one.token_type_ids == [0] * 20
    pair = wordpiece.encode("I love mathematics!", "Linear algebra is at the core of machine learning", pad_to=20)
    second = [7399, 11208, 2003, 2012, 1996, 4563, 1997, 3698, 4083, 102]
    assert pair.ids == one.ids[:6] + second + [0] * 4
    assert pair.token_type_ids == [0] * 6 + [1] * 10 + [0] * 4
    assert pair.attention_mask == [1] * 16 + [0] * 4


def test_an_empty_text_is_its_special_tokens(wordpiece, bpe):
    assert wordpiece.encode("").tokens == ["[CLS]", "[SEP]"]
    assert wordpiece.encode("", "").tokens == ["[CLS]", "[SEP]", "[SEP]"]
    assert bpe.encode("").ids == []
    assert wordpiece.decode([]) == bpe.decode([]) == ""


def test_inputs_are_the_arguments_of_a_model(wordpiece):
    batch = wordpiece.batch(["bear", "the bear sat"])
    assert batch.inputs == {"ids": batch.ids, "attention_mask": batch.attention_mask}  # all of segment 0
    pair = wordpiece.encode("bear", "the bear sat")
    assert pair.inputs["token_type_ids"] == pair.token_type_ids
    assert batch.attention_mask == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
    assert len(batch) == 2 and isinstance(batch, Encoding)


def test_the_longer_text_of_a_pair_gives_first():
    for n_first in range(8):
        for n_second in range(8):
            for room in range(16):
                first, second = truncated_lengths(n_first, n_second, room)
                assert first <= n_first and second <= n_second
                assert first + second == min(room, n_first + n_second)
                if first < n_first and second < n_second:
                    assert abs(first - second) <= 1


def test_padding_is_hidden_and_tokens_are_not(wordpiece):
    encoding = wordpiece.encode("bear", pad_to=6)
    assert encoding.tokens == ["[CLS]", "bear", "[SEP]", "[PAD]", "[PAD]", "[PAD]"]
    assert encoding.attention_mask == [1, 1, 1, 0, 0, 0]


def test_special_tokens_in_the_text_stay_whole(wordpiece, bpe):
    assert wordpiece.tokenize("a[MASK]b [SEP]x [mask]") == ["a", "[MASK]", "b", "[SEP]", "x", "[", "mask", "]"]
    assert bpe.tokenize("x<|endoftext|><|endoftext").count("<|endoftext|>") == 1


def test_words_over_a_hundred_characters_are_unknown(wordpiece):
    assert wordpiece.tokenize("a" * 101) == ["[UNK]"]
    assert "[UNK]" not in wordpiece.tokenize("a" * 100)


def test_one_unknown_piece_makes_the_whole_word_unknown():
    tok = WordPiece(SMALL)
    assert tok.tokenize("bearness bearx") == ["bear", "##ness", "[UNK]"]


def test_a_changed_result_does_not_change_the_tokenizer():
    tok = WordPiece(SMALL)
    tok.pieces("bear").append("x")
    assert tok.pieces("bear") == ["bear"]


def test_decoding_puts_pieces_and_punctuation_together(wordpiece, bpe):
    text = "[CLS] the bearness . 's don ' t [SEP] [PAD]"
    ids = [wordpiece.vocab[token] for token in "[CLS] the bear ##ness . ' s don ' t [SEP] [PAD]".split()]
    assert wordpiece.decode(ids) == "[CLS] the bearness. ' s don ' t [SEP] [PAD]" != text
    assert wordpiece.decode(ids, skip_special=True) == "the bearness. ' s don ' t"
    assert bpe.decode(bpe.encode("a<|endoftext|>b").ids, skip_special=True) == "ab"


def test_decoding_half_a_character_shows_a_replacement(bpe):
    assert bpe.decode(bpe.encode("é").ids[:1]) in ("é", "\ufffd")
    assert bpe.decode([bpe.vocab["Ã"]]) == "\ufffd"


def test_decoding_takes_arrays_and_tensors(wordpiece):
    import numpy as np
    import torch

    ids = wordpiece.encode("the bear").ids
    assert wordpiece.decode(np.array(ids)) == wordpiece.decode(torch.tensor(ids)) == wordpiece.decode(iter(ids))


@pytest.mark.parametrize("text", [None, b"bear", 7, ["bear"], 1.5])
def test_only_str_is_text(text, wordpiece, bpe):
    cuts = [wordpiece.tokenize, wordpiece.encode, wordpiece.words, bpe.tokenize, bpe.encode, chunks, words, characters]
    for cut in cuts:
        with pytest.raises(TypeError, match=f"text must be a str, got {type(text).__name__}"):
            cut(text)
    if text is not None:
        with pytest.raises(TypeError, match="pair must be a str"):
            wordpiece.encode("bear", text)
    with pytest.raises(TypeError, match=r"texts\[1\] must be a str"):
        wordpiece.batch(["bear", text])


def test_half_a_surrogate_pair_is_rejected(wordpiece, bpe):
    for tok in (wordpiece, bpe):
        with pytest.raises(ValueError, match=r"got an unpaired surrogate, U\+D83D at position 1"):
            tok.encode("a\ud83d")


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(max_length=1), ValueError, "max_length must be a whole number of at least 2 here, .* got 1"),
        (dict(pair="x", max_length=2), ValueError, "at least 3 here, 3 for special tokens, got 2"),
        (dict(max_length=-1), ValueError, "got -1"),
        (dict(max_length=True), ValueError, "max_length must be .* got True"),
        (dict(max_length=2.0), ValueError, "max_length must be .* got 2.0"),
        (dict(pad_to=2), ValueError, "pad_to must be a whole number of at least 3, the tokens there are .* got 2"),
        (dict(pad_to=4.0), ValueError, "pad_to must be .* got 4.0"),
    ],
)
def test_lengths_that_cannot_be_are_rejected(arguments, error, message, wordpiece):
    with pytest.raises(error, match=message):
        wordpiece.encode("bear", **arguments)


def test_bpe_needs_room_for_one_token(bpe):
    with pytest.raises(ValueError, match="max_length must be a whole number of at least 1"):
        bpe.encode("bear", max_length=0)


@pytest.mark.parametrize(
    "texts, pairs, error, message",
    [
        ("bear", None, TypeError, "texts must be a list of str, got str"),
        (None, None, TypeError, "texts must be a list of str, got NoneType"),
        ([], None, ValueError, "texts must contain at least one text, got none"),
        (["a", "b"], ["c"], ValueError, "pairs must be as many as texts, 2, got 1"),
        (["a"], "b", TypeError, "pairs must be a list of str, got str"),
        (["a"], [None], TypeError, r"pairs\[0\] must be a str, got NoneType"),
    ],
)
def test_batches_that_cannot_be_are_rejected(texts, pairs, error, message, wordpiece):
    with pytest.raises(error, match=message):
        wordpiece.batch(texts, pairs)


@pytest.mark.parametrize(
    "ids, error, message",
    [
        ([30522], ValueError, "ids must be whole numbers from 0 to 30521, got 30522"),
        ([-1], ValueError, "got -1"),
        ([1.0], ValueError, "ids must be whole numbers .* got 1.0"),
        ([[1]], ValueError, "ids must be whole numbers"),
        (np.array([[1, 2]]), TypeError, r"ids must be a list of whole numbers, got an array of shape \(1, 2\)"),
        (np.array(1), TypeError, r"got an array of shape \(\)"),
        (["1"], ValueError, "ids must be whole numbers"),
        ("1", TypeError, "ids must be a list of whole numbers, got str"),
        (None, TypeError, "ids must be a list of whole numbers, got NoneType"),
        (7, TypeError, "ids must be a list of whole numbers, got int"),
    ],
)
def test_ids_that_cannot_be_are_rejected(ids, error, message, wordpiece):
    with pytest.raises(error, match=message):
        wordpiece.decode(ids)


def test_vocabularies_that_cannot_be_are_rejected(bpe, tmp_path):
    with pytest.raises(ValueError, match=r"vocab must contain \[PAD\], \[UNK\], \[CLS\], \[SEP\]; it lacks \[PAD\]"):
        WordPiece(SMALL[1:])
    with pytest.raises(ValueError, match="vocab must have an id of its own, .* for each token, got 2 twice"):
        WordPiece({token: min(id, 2) for id, token in enumerate(SMALL)})
    with pytest.raises(TypeError, match="vocab must be a list of str, got str"):
        WordPiece("bear")
    with pytest.raises(TypeError, match=r"vocab\[\d+\] must be a str, got int"):
        WordPiece([*SMALL, 5])
    with pytest.raises(ValueError, match="vocab must be an id of its own, from 0 to .* got '0'"):
        WordPiece({token: str(id) for id, token in enumerate(SMALL)})
    for merges in (["th"], [("t",)], [("t", 5)]):
        with pytest.raises(ValueError, match="merges must be pairs of tokens, got"):
            BPE(bpe.vocab, merges)
    with pytest.raises(ValueError, match="it lacks 'xy'"):
        BPE(bpe.vocab, [("x", "y")] if "xy" not in bpe.vocab else [("x", "yx")])
    with pytest.raises(ValueError, match="no tokenizer.json, vocab.txt"):
        WordPiece.from_pretrained(tmp_path)
    with pytest.raises(ValueError, match="no tokenizer.json, vocab.txt"):
        BPE.from_pretrained(tmp_path)


def test_ids_may_have_holes():
    tok = WordPiece({token: 2 * id for id, token in enumerate(SMALL)})
    assert tok.encode("the bearness").ids == [4, 10, 12, 14, 6]
    assert len(tok) == 19 and tok.tokens[:3] == ["[PAD]", "", "[UNK]"]
    assert tok.decode([10, 12, 14]) == "the bearness"
    with pytest.raises(ValueError, match="ids must be ids of tokens, got 3, which has none"):
        tok.decode([2, 3])


def test_without_a_mask_token_its_text_is_unknown():
    assert WordPiece([token for token in SMALL if token != "[MASK]"]).tokenize("[MASK]") == ["[UNK]"]


def test_tokenizer_call_takes_one_text_or_many(wordpiece):
    assert wordpiece("bear", "the bear sat", max_length=6) == wordpiece.encode("bear", "the bear sat", max_length=6)
    assert wordpiece(["bear", "the bear"], pad_to=7) == wordpiece.batch(["bear", "the bear"], pad_to=7)
    with pytest.raises(TypeError, match="texts must be a list of str, got int"):
        wordpiece(5)
