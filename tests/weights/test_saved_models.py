"""Whole folders as transformers saves them today: loaded by name, with their tokenizer, equal to theirs."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers

from tutorial_lib import load, measure, weights
from tutorial_lib.parity import difference
from tutorial_lib.tokenization import BPE, RobertaBPE, WordPiece
from tutorial_lib.training.save import save
from tutorial_lib.vectors import embed
from tutorial_lib.weights import load_state_dict

TEXTS = ["the bear waited for the door to open", "a tin can", "the bear can open the door"]
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
CONFIGS = {
    "bert": lambda n: transformers.BertConfig(vocab_size=n, **SMALL),
    "roberta": lambda n: transformers.RobertaConfig(vocab_size=n, pad_token_id=1, **SMALL),
    "distilbert": lambda n: transformers.DistilBertConfig(vocab_size=n, dim=32, n_layers=2, n_heads=2, hidden_dim=64),
    "gpt2": lambda n: transformers.GPT2Config(vocab_size=n, n_embd=32, n_layer=2, n_head=2),
    "opt": lambda n: transformers.OPTConfig(
        vocab_size=n, hidden_size=32, word_embed_proj_dim=32, num_hidden_layers=2, num_attention_heads=2, ffn_dim=64
    ),
}


def saved_folder(kind, folder):
    """A random model of a family and a tokenizer, both saved by transformers, the weights in several files."""
    plain = folder / "vocabulary"
    if kind in ("bert", "distilbert"):
        WordPiece.train(TEXTS, 120).save(plain)
    else:
        bpe = BPE.train(TEXTS, 300)
        if kind == "gpt2":
            bpe.save(plain)
        else:
            RobertaBPE([*RobertaBPE.special, *bpe.tokens[1:]], bpe.merges).save(plain)
            names = {"bos_token": "</s>", "eos_token": "</s>", "unk_token": "</s>", "pad_token": "<pad>"}
            opt = json.dumps(names | {"add_bos_token": True, "tokenizer_class": "GPT2Tokenizer"})
            (plain / "tokenizer_config.json").write_text(opt if kind == "opt" else "{}")
    (plain / "config.json").write_text(json.dumps({"model_type": kind}))
    tokenizer = transformers.AutoTokenizer.from_pretrained(plain)
    torch.manual_seed(0)
    make = transformers.AutoModelForCausalLM if kind in ("gpt2", "opt") else transformers.AutoModel
    model = make.from_config(CONFIGS[kind](len(tokenizer)), attn_implementation="eager").eval()
    model.save_pretrained(folder / "saved", max_shard_size="20KB")
    tokenizer.save_pretrained(folder / "saved")
    return model, tokenizer, folder / "saved"


@pytest.mark.parametrize("kind", ["gpt2", "opt"])
def test_saved_decoder_loads_and_scores_as_in_transformers(tmp_path, kind):
    theirs, their_tokenizer, folder = saved_folder(kind, tmp_path)
    ours, tok = load(folder, device="cpu")
    for text in TEXTS:
        inputs = their_tokenizer(text, return_tensors="pt")
        assert tok(text).ids == inputs["input_ids"][0].tolist()
        with torch.no_grad():
            assert difference(ours(tok(text))[0], theirs(**inputs).logits).is_rounding
    np.testing.assert_array_equal(embed(TEXTS, ours), embed(TEXTS, str(folder), device="cpu"))
    with pytest.raises(TypeError, match="a folder, a Bert, ModernBert, GPT or Llama, got (GPT2|OPT)"):
        embed(TEXTS, theirs)


@pytest.mark.parametrize("kind", ["bert", "roberta", "distilbert"])
def test_saved_encoder_loads_and_equals_transformers(tmp_path, kind):
    theirs, their_tokenizer, folder = saved_folder(kind, tmp_path)
    assert len(list(folder.glob("model-*.safetensors"))) > 1 and not (folder / "vocab.txt").exists()
    ours, tok = load(folder, device="cpu")
    vectors = embed(TEXTS, ours, pooling="tokens")
    by_name = embed(TEXTS, str(folder), pooling="tokens", device="cpu")
    for text, rows, again in zip(TEXTS, vectors, by_name, strict=True):
        inputs = their_tokenizer(text, return_tensors="pt")
        assert tok(text).ids == inputs["input_ids"][0].tolist()
        assert np.array_equal(rows, again)
        body = getattr(theirs, theirs.base_model_prefix, theirs)
        with torch.no_grad():
            expected = body(inputs["input_ids"]).last_hidden_state[0]
        assert difference(torch.tensor(rows), expected).is_rounding


def test_shards_in_the_format_of_torch_are_read(tmp_path):
    _, _, folder = saved_folder("bert", tmp_path)
    wanted = load_state_dict(folder)
    digest = measure.digest_of(folder)
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    file_of = {}
    for file in set(index["weight_map"].values()):
        renamed = file.replace("model-", "pytorch_model-").replace(".safetensors", ".bin")
        names = [name for name, where in index["weight_map"].items() if where == file]
        torch.save({name: wanted[name] for name in names}, folder / renamed)
        file_of |= dict.fromkeys(names, renamed)
        (folder / file).unlink()
    (folder / "model.safetensors.index.json").unlink()
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": file_of}))
    found = load_state_dict(folder)
    assert found.keys() == wanted.keys() and all(torch.equal(found[name], wanted[name]) for name in wanted)
    changed = measure.digest_of(folder)
    assert changed != digest
    torch.save({}, folder / sorted(file_of.values())[0])
    assert measure.digest_of(folder) != changed


def test_a_state_dict_beside_other_things_is_read(tmp_path):
    model, _, folder = saved_folder("bert", tmp_path)
    (folder / "model.safetensors.index.json").unlink()
    torch.save({"state_dict": model.state_dict(), "epoch": 3}, folder / "pytorch_model.bin")
    assert load_state_dict(folder).keys() == model.state_dict().keys()
    torch.save({"state_dict": {"epoch": 3}}, folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match="must contain a dictionary of tensors"):
        load_state_dict(folder)


def test_a_folder_in_the_home_folder_is_found(tmp_path, monkeypatch):
    _, _, folder = saved_folder("bert", tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("~/saved", Path("~/saved"), str(folder)):
        model, tok = load(name, device="cpu")
        assert model.config.d_model == 32 and len(tok) == model.config.vocab_size
        assert weights.read_config(name)["hidden_size"] == 32
        assert weights.load_state_dict(name).keys() == load_state_dict(folder).keys()
    save(model, tok, "~/again")
    assert (tmp_path / "again" / "config.json").is_file()


def test_model_digest_covers_shards_and_tokenizer(tmp_path):
    _, _, folder = saved_folder("bert", tmp_path)
    digests = {measure.digest_of(folder)}
    for file in (sorted(folder.glob("model-*.safetensors"))[-1], folder / "tokenizer.json"):
        file.write_bytes(file.read_bytes() + b" ")
        digests.add(measure.digest_of(folder))
    assert len(digests) == 3


def test_wrong_shard_index_is_rejected(tmp_path):
    _, _, folder = saved_folder("bert", tmp_path)
    index = folder / "model.safetensors.index.json"
    parts = json.loads(index.read_text())
    name = sorted(parts["weight_map"])[0]
    for wrong, message in (
        ("../vocabulary/config.json", "must list files beside it"),
        ("gone.safetensors", "gone.safetensors"),
    ):
        index.write_text(json.dumps({"weight_map": parts["weight_map"] | {name: wrong}}))
        with pytest.raises(ValueError, match=message):
            load_state_dict(folder)
    index.write_text("{}")
    with pytest.raises(ValueError, match="index.json is not a readable weights file"):
        load_state_dict(folder)
