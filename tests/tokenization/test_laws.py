"""Laws for every text: nothing is lost in BPE, pieces join to words in WordPiece."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_lib.tokenization import BPE, WordPiece, byte_characters, characters, chunks, words
from tutorial_lib.tokenization.kinds import CHINESE, CONTROL, LETTER, NUMBER, PUNCTUATION, WHITE

# Fixtures of pytest are made once a test, not once an example: so these two are made here.
TEXTS = ["the bear waited for the door to open", "the door opened, and the bear grinned: it's 10 o'clock"] * 3
bpe = BPE.train(TEXTS, 300)
wordpiece = WordPiece.train([string.printable, *TEXTS], 250)
any_text = st.text() | st.text(alphabet=string.printable + "éÉİΣ熊\u0301\u200b👍") | st.sampled_from(TEXTS)


@given(any_text)
def test_bpe_decodes_to_the_text_it_encoded(text):
    assert bpe.decode(bpe.encode(text).ids) == text


@given(any_text)
def test_chunks_join_to_the_text(text):
    assert "".join(chunks(text)) == text
    assert "".join(characters(text)) == text


@given(any_text)
def test_bpe_never_glues_across_chunks(text):
    assert bpe.tokenize(text) == [piece for chunk in chunks(text) for piece in bpe.pieces(chunk)]


@given(any_text)
def test_pieces_of_wordpiece_join_to_the_word(text):
    for word in wordpiece.words(text):
        pieces = wordpiece.pieces(word)
        assert pieces == ["[UNK]"] or "".join([pieces[0], *(piece[2:] for piece in pieces[1:])]) == word


@given(any_text)
def test_words_of_bert_have_no_space_or_control(text):
    for word in wordpiece.words(text):
        assert word and not any(c in WHITE or c in CONTROL for c in word)
        assert len(word) == 1 or not any(c in PUNCTUATION or c in CHINESE for c in word)
        assert wordpiece.words(word) == [word]


@given(any_text, any_text)
def test_wordpiece_tokenizes_each_side_of_a_space_separately(first, second):
    assert wordpiece.tokenize(f"{first} {second}") == wordpiece.tokenize(first) + wordpiece.tokenize(second)


@given(any_text)
def test_ids_and_tokens_say_the_same(text):
    for tok in (bpe, wordpiece):
        encoding = tok.encode(text)
        assert [tok.vocab[token] for token in encoding.tokens] == encoding.ids
        assert [tok.tokens[id] for id in encoding.ids] == encoding.tokens


@given(st.lists(any_text, min_size=1, max_size=4), st.integers(3, 12))
def test_batch_is_each_text_alone_with_padding(texts, max_length):
    for tok in (bpe, wordpiece):
        batch = tok.batch(texts, max_length=max_length)
        for number, text in enumerate(texts):
            alone, n = tok.encode(text, max_length=max_length), sum(batch.attention_mask[number])
            assert batch.ids[number][:n] == alone.ids
            assert set(batch.tokens[number][n:]) <= {tok.pad_token}
        assert {len(row) for row in batch.ids} == {max(map(sum, batch.attention_mask))}


@given(any_text)
def test_words_keep_every_character_but_white_space(text):
    assert "".join(words(text)) == "".join(c for c in text if c not in WHITE)


def test_the_256_bytes_have_256_visible_characters():
    shown = byte_characters()
    assert sorted(shown) == list(range(256)) and len(set(shown.values())) == 256
    assert all(c.isprintable() and not c.isspace() for c in shown.values())


@pytest.mark.parametrize(
    "kind, sample",
    [(LETTER, "aéßЖ熊あ각ªﬁ"), (NUMBER, "7²½٣Ⅷ"), (PUNCTUATION, "!-_$^。«"), (WHITE, " \t\u3000")],
)
def test_kinds_hold_what_their_names_say(kind, sample):
    everything = "aéßЖ熊あ각ªﬁ7²½٣Ⅷ!-_$^。« \t\u3000"
    assert "".join(c for c in everything if c in kind) == sample
