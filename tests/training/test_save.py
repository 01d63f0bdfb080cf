"""transformers loads saved models and computes the same; models that it cannot express raise an error."""

import json

import pytest
import torch
from transformers import BertForPreTraining, GPT2LMHeadModel, GPT2TokenizerFast

import tutorial_lib
from tests.random_models import CLASSES, OURS, random_model
from tests.weights.test_names import KINDS as OF_BERT
from tests.weights.test_names import some_model
from tutorial_lib.bert import Bert, initialize
from tutorial_lib.bert import Config as BertConfig
from tutorial_lib.gpt import GPT, Config
from tutorial_lib.parity import difference
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.tokenization.bpe import BPE
from tutorial_lib.training.save import save, spelled

TEXTS = ["the bear sat on the bank", "the bear ran to the boats"]
KINDS = [*CLASSES, *OF_BERT]
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


def test_a_model_is_saved_without_a_tokenizer(tmp_path):
    gpt = decoder(range(40))
    save(gpt, None, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "model.safetensors"]
    again, ids = tutorial_lib.load_model(tmp_path, device="cpu"), torch.arange(9)[None]
    assert difference(again(ids)[0].detach(), gpt(ids)[0].detach()).is_rounding
    assert GPT2LMHeadModel.from_pretrained(tmp_path).generation_config.eos_token_id is None
    with pytest.raises(TypeError, match="tokenizer must be its tokenizer, or None, got int"):
        save(gpt, 3, tmp_path)


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
    assert theirs.generation_config.eos_token_id == tok.vocab["<|endoftext|>"] == 0


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


@pytest.mark.parametrize("dtype, bytes_each", [(None, 4), (torch.float16, 2), (torch.bfloat16, 2)])
def test_weights_are_stored_in_the_type_asked_for(tmp_path, dtype, bytes_each):
    tok = BPE.train(TEXTS, 270)
    model = decoder(tok)
    save(model, tok, tmp_path, dtype)
    again = GPT.from_pretrained(tmp_path, device="cpu")
    assert torch.equal(again.norm.weight, model.norm.weight.to(dtype or torch.float32).float())
    room = (tmp_path / "model.safetensors").stat().st_size
    assert 0 < room - bytes_each * sum(p.numel() for p in model.parameters()) < 5_000


def test_half_precision_stays_half_by_default(tmp_path):
    tok = BPE.train(TEXTS, 270)
    save(decoder(tok).to(torch.bfloat16), tok, tmp_path)
    assert GPT2LMHeadModel.from_pretrained(tmp_path, dtype="auto").dtype == torch.bfloat16


def test_small_weights_stay_and_large_ones_are_rejected(tmp_path):
    tok = BPE.train(TEXTS, 270)
    model = decoder(tok)
    model.norm.weight.data[:2] = torch.tensor([1e6, 1e-9])
    with pytest.raises(ValueError, match=r"torch.float16 ends at 65504, and transformer.ln_f.weight has 1e\+06"):
        save(model, tok, tmp_path / "half", torch.float16)
    assert not (tmp_path / "half").exists()
    save(model, tok, tmp_path)
    assert torch.equal(GPT.from_pretrained(tmp_path, device="cpu").norm.weight, model.norm.weight)
    with pytest.raises(ValueError, match="dtype must be a float type such as torch.float16, or None, got torch.int8"):
        save(model, tok, tmp_path, torch.int8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_every_family_is_written_as_transformers_reads_it(tmp_path, kind, seed):
    theirs = (some_model if kind in OF_BERT else random_model)(kind, seed)
    ours = OURS.get(kind, Bert).from_hf(theirs)
    save(ours, WordPiece.train(TEXTS, 60), tmp_path)
    again = type(ours).from_pretrained(tmp_path, device="cpu")
    assert again.config == ours.config
    assert json.loads((tmp_path / "config.json").read_text())["architectures"] == [type(theirs).__name__]
    assert all(map(torch.equal, ours.state_dict().values(), again.state_dict().values()))
    back, found = type(theirs).from_pretrained(tmp_path, output_loading_info=True)
    assert not any(found.values()), found
    ids = torch.tensor([[4, 5, 6, 7]])
    for name, logits in theirs(ids).items():
        if "logits" in name:
            assert difference(back.eval()(ids)[name].detach(), logits.detach()).is_rounding


@pytest.mark.parametrize(
    "model, says",
    [
        (GPT(Config(60, **SHAPE, norm_first=False)), "norm_first must be True for a gpt2"),
        (GPT(Config(60, **SHAPE, offset=3)), "offset must be 2 for a opt"),
        (Bert(BertConfig(60, **SHAPE, n_segments=0)), "pooler.W.weight, which transformers' distilbert"),
        (Bert(BertConfig(60, **SHAPE, pad_id=1), nsp=True), "nsp.weight, which transformers' roberta lacks"),
        (Bert(BertConfig(60, **SHAPE, pad_id=1, eps=1e-5, d_embedding=4)), "pad_id must be None for a albert"),
        (torch.nn.Linear(2, 2), "model must be a Bert, GPT, Llama or ModernBert, got Linear"),
    ],
)
def test_models_that_transformers_cannot_express_are_rejected(model, says):
    with pytest.raises((ValueError, TypeError), match=says):
        spelled(model)


def test_folder_without_tokenizer_tells_how_to_load_it(tmp_path):
    assert tutorial_lib.save is save and "save" in dir(tutorial_lib)
    model, tok = tutorial_lib.load("book-gpt", "cpu")
    tutorial_lib.save(model, tok, tmp_path)
    for file in tmp_path.glob("*"):
        if file.name not in ("config.json", "model.safetensors"):
            file.unlink()
    for folder in (tmp_path, str(tmp_path)):
        with pytest.raises(ValueError, match=r"tokenizer.json.*; load_model\(\".*\"\) loads only the model"):
            tutorial_lib.load(folder)
    again = tutorial_lib.load_model(tmp_path, "cpu")
    assert torch.equal(again.norm.weight, model.norm.weight)
