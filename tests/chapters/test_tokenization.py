"""What the chapter "From text to tokens" tells about its texts and about BERT's vocabulary, computed another way."""

import re

import numpy as np
import pytest
from tokenizers import pre_tokenizers

from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import BPE, WordPiece


@pytest.fixture(scope="module")
def texts():
    return load_texts("stories")


@pytest.fixture(scope="module")
def halves(texts):
    """What the chapter learns from, and what it holds out."""
    return [text for number, text in enumerate(texts) if number % 5], texts[::5]


@pytest.fixture(scope="module")
def bpe(texts):
    return BPE.train(texts, 2000)


def per_sentence(tok, texts):
    return sum(len(tok.tokenize(text)) for text in texts) / len(texts)


def test_every_eighth_held_out_word_is_unknown_to_a_vocabulary_of_words(halves):
    training, held_out = ([re.findall(r"\w+|[^\w\s]", text) for text in half] for half in halves)
    known = {word for text in training for word in text}
    new = [word not in known for text in held_out for word in text]
    assert (len(training), len(held_out), len(known)) == (293, 74, 1215)
    assert np.mean(new) == pytest.approx(1 / 8, abs=0.005)


@pytest.mark.parametrize("kind", [BPE, WordPiece])
def test_a_larger_vocabulary_makes_shorter_sequences_with_falling_returns(kind, halves):
    training, held_out = halves
    trained = [kind.train(training, size) for size in (300, 500, 800, 2000)]
    sizes, lengths = [len(tok) for tok in trained], [per_sentence(tok, held_out) for tok in trained]
    assert sizes[-1] < 2000  # the texts have no more pairs that occur twice
    gains = -np.diff(lengths) / np.diff(sizes)
    assert all(gains > 0) and all(np.diff(gains) < 0)


def test_subwords_lie_between_characters_and_words(halves, tok):
    training, held_out = halves
    characters = np.mean([len(text) for text in held_out])
    words = np.mean([len(pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)) for text in held_out])
    assert words < per_sentence(BPE.train(training, 2000), held_out) < characters
    assert words <= per_sentence(tok, held_out) < 1.02 * words  # nearly all are whole tokens
    assert not any("[UNK]" in tok.tokenize(text) for text in held_out)


def test_a_word_grows_from_bytes_to_light_and_house_to_one_token(bpe):
    def after(n_merges):
        return BPE(bpe.tokens, bpe.merges[:n_merges]).tokenize(" lighthouse")

    assert after(0) == ["Ġ", *"lighthouse"] and after(1034) == ["Ġlight", "h", "ouse"]
    assert after(1035) == after(1258) == ["Ġlight", "house"] and after(1259) == ["Ġlighthouse"]


def test_next_has_one_token_in_the_form_that_the_stories_use(bpe, texts):
    forms = [text.count(" next") for text in texts], sum("next" in text.lower() for text in texts)
    assert sum(forms[0]) == forms[1] > 1  # always small letters after a space
    assert bpe.tokenize(" next") == ["Ġnext"]
    assert min(len(bpe.tokenize(text)) for text in ("next", "Next", " Next", "NEXT", " NEXT")) > 2


def test_words_that_are_frequent_in_the_stories_have_low_ids_in_berts_vocabulary(texts, tok):
    words = re.findall("[a-z]{2,}", " ".join(texts).lower())
    count = {word: words.count(word) for word in set(words) if word in tok.vocab}
    common, rare = ([tok.vocab[word] for word in count if bool(count[word] > 9) == many] for many in (True, False))
    assert np.median(common) < 2100 and np.median(rare) > 3000
    assert sorted(["the", "of", "and", "in", "to"], key=tok.vocab.get) == tok.tokens[1996:2001]
    assert all(token.startswith("##") for token in tok.tokens[29_612:]) and not tok.tokens[29_611].startswith("##")
