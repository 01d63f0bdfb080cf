"""Tokens and ids as Hugging Face gives them, and claims about the cased vocabulary on one that stands in for it."""

import pytest

from tutorial_book.claims import FAILS, HOLDS, check, claim, claims, tokenization
from tutorial_book.claims.claim import agree
from tutorial_book.claims.quotes import BEAR, IDS, LOVE, TOKENS
from tutorial_book.claims.tokenization import ALGEBRA
from tutorial_book.experiments import tokenization as experiments
from tutorial_lib.tokenization import WordPiece


@pytest.fixture(scope="module")
def hf_tokenizer(default_folder):
    from transformers import BertTokenizer

    return BertTokenizer.from_pretrained(default_folder)


@pytest.mark.parametrize(
    ("id", "texts", "field"),
    [
        ("R-11.4-ids", [LOVE], "input_ids"),
        ("R-11.4-mask", [LOVE], "attention_mask"),
        ("R-11.4-types", [LOVE], "token_type_ids"),
        ("R-11.5-ids", [LOVE, ALGEBRA], "input_ids"),
        ("R-11.5-mask", [LOVE, ALGEBRA], "attention_mask"),
        ("R-11.5-types", [LOVE, ALGEBRA], "token_type_ids"),
    ],
)
def test_hugging_face_prints_the_lists_of_r_11_with_20_entries(computed, hf_tokenizer, id, texts, field):
    encoding = hf_tokenizer(*texts, max_length=20, padding="max_length", truncation=True, return_token_type_ids=True)
    assert computed(id) == encoding[field] and len(encoding[field]) == 20


@pytest.mark.parametrize(
    ("id", "text"),
    [
        ("R-2.1-learning", "learning"),
        ("R-3.3-order", "the cat is black"),
        ("R-11.3-tokens", LOVE),
        ("L-3.2.2-bearness", "bearness"),
        ("L-3.2.2-every-character", "🐻"),
    ],
)
def test_hugging_face_cuts_the_words_alike(computed, hf_tokenizer, id, text):
    assert computed(id) == hf_tokenizer.tokenize(text)


@pytest.mark.parametrize(
    ("id", "text"),
    [("R-11.1-what-is-ai", "What is AI?"), ("R-11.1-how-does", "How does machine learning work?")],
)
def test_hugging_face_counts_the_same_tokens(computed, hf_tokenizer, id, text):
    assert computed(id) == len(hf_tokenizer.tokenize(text))


def test_ids_beyond_the_vocabulary_have_no_token(hf_tokenizer):
    assert hf_tokenizer.convert_ids_to_tokens([len(hf_tokenizer)]) == [None]


def test_encode_plus_left_with_transformers_5(hf_tokenizer):
    import transformers

    assert hasattr(hf_tokenizer, "encode_plus") == (int(transformers.__version__.split(".")[0]) < 5)


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A vocabulary built by L 4.2.1's table and L 3.2.1's ids, in place of bert-base-cased's."""
    tokens = [f"[unused{i}]" for i in range(28_996)]
    tokens[0], tokens[100:104] = "[PAD]", ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens[106:200] = [chr(code) for code in range(33, 127)]
    tokens[200:1103] = [chr(code) for code in range(0x4E00, 0x4E00 + 903)]
    tokens[1103:1106] = ["the", "of", "and"]
    for token, i in zip([*TOKENS, "Bear"], [*IDS, 8073], strict=True):
        tokens[i] = "an" if i == 1126 else token
    tok = WordPiece(tokens, lowercase=False)
    monkeypatch.setattr(tokenization, "cased", lambda: experiments.measure(tok))
    monkeypatch.setattr(claim, "computed_once", claim.recompute)  # with this vocabulary, and not to be kept


@pytest.mark.parametrize(
    ("id", "verdict"),
    [
        ("L-3.2.1-tokens", "holds"),
        ("L-3.2.1-ids", "does not hold"),
        ("L-3.2.1-id-of-a", "does not hold"),
        ("L-3.2.1-id-of-period", "holds"),
        ("L-4.2.1-ids", "holds"),
        ("L-4.2.1-unused", "holds"),
        ("L-4.2.1-continuations", "does not hold"),
    ],
)
def test_a_cased_vocabulary_at_hand_is_measured(stand_in, id, verdict):
    (result,) = [check(claim) for claim in claims("tokenization") if claim.id == id]
    assert (HOLDS if agree(result.claim.wanted, result.computed, result.claim.tolerance) else FAILS) == verdict
    assert id != "L-3.2.1-ids" or result.computed[10] == 170


def test_the_printed_ids_are_those_of_l_s_other_spelling(computed):
    """Of "with an serendipitous smile", from the stored numbers where the vocabulary is not at hand."""
    texts = experiments.cased()["texts"]
    (other,) = [text for text in texts if "an serendipitous" in text]
    assert texts[other][1] == IDS and other == BEAR.replace(" a ", " an ")
    differ = [i for i, (ours, printed) in enumerate(zip(computed("L-3.2.1-ids"), IDS, strict=True)) if ours != printed]
    assert differ == [TOKENS.index("a")]
