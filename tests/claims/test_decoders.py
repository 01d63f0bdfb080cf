"""Claims that wait for GPT-2 or OPT run: on a small random decoder, with a tokenizer of the documents' words."""

import pytest
import torch

from tutorial_book.claims import claims, directions, shape_of_learning
from tutorial_book.claims import decoders as of_decoders
from tutorial_book.claims.claim import VOCABULARY
from tutorial_book.claims.tools import small_gpt
from tutorial_book.claims.verdicts import plain, recompute
from tutorial_lib.tokenization import BPE, OptBPE

WAITING = [claim for claim in claims() if claim.needs and claim.needs.removeprefix(VOCABULARY) in ("gpt2", "opt-125m")]
WORDS = [" Mary John NEXT Next next what might How be are the", directions.MARY, of_decoders.STAIRS]


@pytest.fixture(scope="module")
def tok():
    return BPE.train(3 * WORDS, vocab_size=500)


@pytest.fixture(scope="module")
def opt_tok(tok):
    """A tokenizer with these pieces that works like OPT's: special tokens first, and </s> before each text."""
    return OptBPE(["<s>", "<pad>", "</s>", "<unk>", *tok.tokens], tok.merges)


@pytest.fixture
def stand_in(monkeypatch, tok, opt_tok):
    model = small_gpt(vocab_size=len(opt_tok) + 5, n_positions=512)
    tokenizers = {"gpt2": tok, "opt-125m": opt_tok}
    for module in (of_decoders, directions, shape_of_learning):
        monkeypatch.setattr(module, "bpe", tokenizers.get, raising=False)
        monkeypatch.setattr(module, "decoder", lambda name: model, raising=False)
    return model


@pytest.mark.parametrize("claim", WAITING, ids=lambda claim: f"{claim.chapter}/{claim.id}")
def test_waiting_claims_run(claim, stand_in):
    value, wanted = recompute(claim), claim.wanted
    if isinstance(value, list) and not isinstance(value[0], str):
        value, wanted = value[0], wanted[0]
    assert type(value) is type(wanted)


@pytest.mark.parametrize("id, text", [("N-1.1-ids", of_decoders.STAIRS), ("N-1.2-next", " NEXT")])
def test_ids_of_opt_are_those_of_the_text_alone(id, text, stand_in, opt_tok):
    (claim,) = (claim for claim in WAITING if claim.id == id)
    assert [opt_tok.tokens[i] for i in recompute(claim)] == opt_tok.tokenize(text)


def test_last_lens_is_the_models_own_answer(stand_in, opt_tok):
    ids = opt_tok.encode(directions.MARY).ids
    with torch.no_grad():
        logits = stand_in(ids)[0][0, -1]
        gap = logits[opt_tok.vocab["ĠMary"]] - logits[opt_tok.vocab["ĠJohn"]]
        assert gap != 0
        assert directions.mary_and_john()[-1] == pytest.approx(gap.item())


def test_profiles_are_measured_over_all_tokens(stand_in, tok):
    """A text."""
    texts = ["the stairs", "what might be"]
    n = sum(len(tok.encode(text).ids) for text in texts)
    assert plain(shape_of_learning.decoder_profile(stand_in, tok, len, texts)) == [n] * 5


def test_bells_are_highest_in_the_middle():
    assert shape_of_learning.is_bell([0.1, 0.2, 0.9, 0.2, 0.1])
    assert not shape_of_learning.is_bell([0.1, 0.2, 0.3, 0.4, 0.5])
    assert not shape_of_learning.is_bell([0.3, 0.3, 0.3, 0.3, 0.3])
