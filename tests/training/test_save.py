"""What is saved, transformers loads, and both compute the same; what GPT-2 cannot say is refused."""

import pytest
import torch
from transformers import BertForPreTraining, GPT2LMHeadModel, GPT2TokenizerFast

from tutorial_lib.bert import Bert, initialize
from tutorial_lib.bert import Config as BertConfig
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.parity import difference
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.tokenization.bpe import BPE
from tutorial_lib.training.save import save, spelled

TEXTS = ["the bear sat on the bank", "the bear ran to the boats"]
SHAPE = dict(d_model=24, n_layers=2, n_heads=3, d_ff=40, n_positions=12)


def decoder(tokenizer, **more):
    torch.manual_seed(1)
    gpt = GPT(Config(len(tokenizer), **SHAPE | more)).eval()
    for parameter in gpt.parameters():  # each another, biases and what LayerNorm scales by too
        torch.nn.init.normal_(parameter, std=0.3)
    return gpt


def encoder(tokenizer):
    torch.manual_seed(1)
    return initialize(Bert(BertConfig(len(tokenizer), **SHAPE), mlm=True, nsp=True), std=0.3).eval()


@pytest.mark.parametrize("tied", [True, False])
def test_transformers_loads_a_decoder_that_was_saved(tmp_path, tied):
    tok = BPE.train(TEXTS, 270)
    save(decoder(tok, tied=tied), tok, tmp_path)
    theirs, found = GPT2LMHeadModel.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(found.values()), found
    ours, ids = GPT.from_pretrained(tmp_path, device="cpu"), torch.tensor([tok.encode("the boats ran").ids])
    assert theirs.dtype == ours.norm.weight.dtype == torch.float32
    assert difference(ours(ids)[0].detach(), theirs.eval()(ids).logits.detach()).is_rounding
    assert GPT2TokenizerFast.from_pretrained(tmp_path)("the boats ran").input_ids == ids[0].tolist()


def test_transformers_loads_an_encoder_that_was_saved(tmp_path):
    tok = WordPiece.train(TEXTS, 60)
    save(encoder(tok), tok, tmp_path)
    theirs, found = BertForPreTraining.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(found.values()), found
    ours, ids = Bert.from_pretrained(tmp_path, device="cpu"), torch.tensor([tok.encode("the boats", "ran").ids])
    scores, X = theirs.eval()(ids), ours(ids)
    assert difference(ours.mlm(X).detach(), scores.prediction_logits.detach()).is_rounding
    assert difference(ours.nsp(ours.pooler(X)).detach(), scores.seq_relationship_logits.detach()).is_rounding


def test_the_way_there_and_back_keeps_every_weight():
    tok = BPE.train(TEXTS, 270)
    for model in (decoder(tok), decoder(tok, tied=False), encoder(WordPiece.train(TEXTS, 60))):
        again = type(model).from_checkpoint(*spelled(model))
        assert again.config == model.config
        for (name, weight), (other, back) in zip(model.named_parameters(), again.named_parameters(), strict=True):
            assert name == other and torch.equal(weight, back), name


def test_weights_are_saved_in_half_and_loaded_float32(tmp_path):
    tok = BPE.train(TEXTS, 270)
    model = decoder(tok)
    save(model, tok, tmp_path)
    again = GPT.from_pretrained(tmp_path, device="cpu")
    assert torch.equal(again.norm.weight, model.norm.weight.half().float())
    assert (tmp_path / "model.safetensors").stat().st_size < 2 * sum(p.numel() for p in model.parameters()) + 5_000


def test_decoder_that_gpt2_cannot_express_is_rejected():
    tok = BPE.train(TEXTS, 270)
    for other in (dict(norm_first=False), dict(offset=2)):
        with pytest.raises(ValueError, match="of GPT-2's kind"):
            spelled(decoder(tok, **other))
