"""Tokens and ids as Hugging Face gives them, and claims about the cased vocabulary on one that stands in for it."""

import pytest

from tutorial_book.claims import check, claim, claims, tokenization
from tutorial_book.claims.quotes import IDS, LOVE, TOKENS
from tutorial_book.claims.tokenization import ALGEBRA
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
def cased_vocabulary(tmp_path, monkeypatch):
    """A vocabulary built by L 4.2.1's table and L 3.2.1's ids, standing in for bert-base-cased's."""
    tokens = [f"[unused{i}]" for i in range(28_996)]
    tokens[0], tokens[100:104] = "[PAD]", ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens[106:200] = [chr(code) for code in range(33, 127)]
    tokens[200:1103] = [chr(code) for code in range(0x4E00, 0x4E00 + 903)]
    tokens[1103:1106] = ["the", "of", "and"]
    for token, i in zip(TOKENS, IDS, strict=True):
        tokens[i] = "an" if i == 1126 else token
    (tmp_path / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    tokenizer = WordPiece.from_pretrained(tmp_path)
    monkeypatch.setattr(tokenization, "tokenizer", lambda name: tokenizer)
    monkeypatch.setattr(claim, "_on_this_machine", lambda name: True)
    monkeypatch.setattr(claim, "computed_once", claim.recompute)  # with this vocabulary, and not to be kept


@pytest.mark.parametrize(
    ("id", "verdict"),
    [
        ("L-3.2.1-tokens", "holds"),
        ("L-3.2.1-ids", "does not hold"),
        ("L-4.2.1-ids", "holds"),
        ("L-4.2.1-single-characters", "holds"),
        ("L-4.2.1-continuations", "does not hold"),
    ],
)
def test_with_a_cased_vocabulary_at_hand_the_claims_about_it_are_computed(cased_vocabulary, id, verdict):
    (result,) = [check(claim) for claim in claims("tokenization") if claim.id == id]
    assert result.verdict == verdict
    assert id != "L-3.2.1-ids" or result.computed[10] == 170
