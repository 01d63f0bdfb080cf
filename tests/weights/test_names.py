"""DistilBERT, RoBERTa and ALBERT through the same encoder: equal transformers' at every stop, from whatever file."""

import json
import random
from dataclasses import replace

import pytest
import torch
from huggingface_hub import constants
from safetensors.torch import save_file

from tutorial_lib import gpt, llama, modernbert
from tutorial_lib.bert import Bert, Config
from tutorial_lib.parity import compare, difference
from tutorial_lib.tokenization import BPE, RobertaBPE, WordPiece
from tutorial_lib.vectors import embed
from tutorial_lib.weights.catalog import KNOWN
from tutorial_lib.weights.names import FAMILIES

transformers = pytest.importorskip("transformers")
KINDS = ("distilbert", "roberta", "albert")


def some_model(kind, seed, head=True):
    """A model of transformers with random shape and weights, biases too; with its pre-training head, or bare."""
    choose = random.Random(seed).choice
    n_heads, n_layers, n_positions = choose([1, 2, 3, 4]), choose([1, 2, 5]), choose([12, 40])
    d_model, d_ff, activation = n_heads * choose([2, 8, 15]), choose([7, 64]), choose(["gelu", "gelu_new", "relu"])
    shared = dict(vocab_size=choose([20, 90]), max_position_embeddings=n_positions, attn_implementation="eager")
    as_bert = dict(hidden_size=d_model, num_hidden_layers=n_layers, num_attention_heads=n_heads, **shared)
    as_bert |= dict(intermediate_size=d_ff, type_vocab_size=choose([1, 2]), layer_norm_eps=choose([1e-12, 1e-5]))
    if kind == "distilbert":
        config = transformers.DistilBertConfig(
            dim=d_model, n_layers=n_layers, n_heads=n_heads, hidden_dim=d_ff, activation=activation, **shared
        )
        kinds = transformers.DistilBertModel, transformers.DistilBertForMaskedLM
    elif kind == "roberta":
        config = transformers.RobertaConfig(pad_token_id=choose([0, 1, 3]), **as_bert)
        kinds = transformers.RobertaModel, transformers.RobertaForMaskedLM
    else:
        n_groups = choose([n for n in (1, 2, 5) if n <= n_layers])
        config = transformers.AlbertConfig(
            embedding_size=choose([4, 12]), num_hidden_groups=n_groups, hidden_act=activation, **as_bert
        )
        kinds = transformers.AlbertModel, transformers.AlbertForPreTraining
    torch.manual_seed(seed)
    model = kinds[head](config).eval()
    for parameter in model.parameters():  # biases and norms start as 0 and 1, where a mix-up would not show
        torch.nn.init.normal_(parameter, std=0.2)
    return model


def some_batch(model, seed=0):
    """Three texts, one of them padded; two segments if the model has them."""
    config, draw = model.config, torch.Generator().manual_seed(seed)
    ids, mask = torch.randint(4, config.vocab_size, (3, 8), generator=draw), torch.ones(3, 8, dtype=torch.long)
    mask[1, 5:] = 0
    ids[1, 5:] = config.pad_token_id or 0
    segments = torch.randint(getattr(config, "type_vocab_size", 1), (3, 8), generator=draw)
    return {"ids": ids, "attention_mask": mask, "token_type_ids": segments}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", KINDS)
def test_every_stop_equals_transformers(kind, seed, dtype):
    for head in (True, False):
        theirs = some_model(kind, seed, head).to(dtype)
        stops = compare(Bert.from_hf(theirs), theirs, some_batch(theirs)).check().stops
        assert len([name for name in stops if name.startswith("layer.0.")]) == 15
        assert ("mlm.logits" in stops) == head and ("nsp.logits" in stops) == (head and kind == "albert")
        assert ("pooler.output" in stops) == (kind == "albert" or (kind == "roberta" and not head))


def write_as_on_the_hub(theirs, folder, bare=False):
    """A model's files as the oldest ones on the hub are: old names of norms, the counter of positions, no tied matrix.

    bare: without the prefix of the body.
    """
    kind, state = theirs.config.model_type, {}
    for name, tensor in theirs.state_dict().items():
        if not name.endswith(("decoder.weight", "decoder.bias", "vocab_projector.weight")):
            name = name.removeprefix(f"{kind}.") if bare else name
            name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
            state[name] = tensor.clone()
    n_rows = theirs.config.max_position_embeddings
    state[f"{'' if bare else kind + '.'}embeddings.position_ids"] = torch.arange(n_rows)[None]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(theirs.config.to_diff_dict()))  # only changed settings
    save_file(state, folder / "model.safetensors", {"format": "pt"})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bare", [False, True], ids=["prefix", "bare"])
def test_a_folder_as_on_the_hub_loads(tmp_path, kind, bare):
    theirs = some_model(kind, 4)
    write_as_on_the_hub(theirs, tmp_path, bare)
    ours = Bert.from_pretrained(tmp_path, device="cpu")
    assert ours.mlm.decoder.weight is ours.embeddings.tokens.weight
    compare(ours, theirs, some_batch(theirs)).check()


@pytest.mark.parametrize("name", ["distilbert-base-uncased", "roberta-base", "albert-base-v2"])
@pytest.mark.parametrize("former", [False, True], ids=["owner", "former name"])
def test_names_load_the_same_model_as_transformers(tmp_path, monkeypatch, name, former):
    """As a download leaves them: the hub's cache, its blobs and links; the folder of the name with or without owner."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    model = replace(KNOWN[name], sha256=None, size=None)  # the weights are random ones
    monkeypatch.setitem(KNOWN, name, model)
    drawn = some_model(name.split("-")[0], 4)
    repo = tmp_path / f"models--{model.name if former else model.repo.replace('/', '--')}"
    snapshot = repo / "snapshots" / model.revision
    write_as_on_the_hub(drawn, repo / "blobs")
    snapshot.mkdir(parents=True)
    for file in model.files:
        (repo / "blobs" / file).touch()  # the vocabulary is another test's
        (snapshot / file).symlink_to(repo / "blobs" / file)
    theirs = type(drawn).from_pretrained(snapshot, attn_implementation="eager")
    for asked in (model.name, model.repo):
        found = compare(Bert.from_pretrained(asked, device="cpu"), theirs, some_batch(theirs)).check()
        assert "mlm.logits" in found.stops


def test_the_sizes_are_those_that_the_papers_print():
    """Parameters in millions: DistilBERT 66, RoBERTa-base 125, ALBERT-base 12; BERT-base 109, printed as 110."""
    configs = {
        "distilbert": {"model_type": "distilbert"},
        "roberta": {"model_type": "roberta", "max_position_embeddings": 514, "type_vocab_size": 1},
        "albert": {"model_type": "albert", "hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072},
        "bert": {},
    }
    with torch.device("meta"):
        models = {name: Bert(Config.from_hf(s), pooler=name != "distilbert") for name, s in configs.items()}
    millions = {name: round(sum(n for *_, n in model.parameter_table()) / 1e6) for name, model in models.items()}
    assert millions == {"distilbert": 66, "roberta": 125, "albert": 12, "bert": 109}
    assert models["roberta"].config.n_positions == 512 and len(models["roberta"].embeddings.positions.weight) == 514


def test_roberta_counts_positions_from_behind_its_padding():
    theirs = some_model("roberta", 3)
    pad, ours = theirs.config.pad_token_id, Bert.from_hf(theirs)
    at = ours.trace([[5, pad, 6, 7]])["embeddings.positions"][0]
    assert torch.equal(at, ours.embeddings.positions.weight[[pad + 1, pad, pad + 2, pad + 3]])
    longest = ours.config.n_positions
    assert longest == theirs.config.max_position_embeddings - pad - 1
    ids = torch.full((1, longest), 7)
    assert difference(ours(ids).detach(), theirs.roberta(ids).last_hidden_state.detach()).is_rounding
    with pytest.raises(ValueError, match=f"ids has {longest + 1} tokens, but the model supports at most {longest}"):
        ours(torch.full((1, longest + 1), 7))


@pytest.mark.parametrize("seed", range(10))
def test_roberta_equals_transformers_wherever_the_padding_is(seed):
    """In front, between and behind; also where a padding token is not hidden by the mask."""
    theirs, draw = some_model("roberta", seed), torch.Generator().manual_seed(seed)
    pad = theirs.config.pad_token_id
    ids = torch.randint(4, theirs.config.vocab_size, (6, 8), generator=draw)
    hidden = torch.rand(6, 8, generator=draw) < 0.4
    hidden[:, draw.initial_seed() % 8] = False  # each text has a token
    ids[hidden] = pad
    for mask in (torch.ones_like(ids), (~hidden).long()):
        found = compare(Bert.from_hf(theirs), theirs, {"ids": ids, "attention_mask": mask}).check()
        assert found.stops["embeddings.positions"].largest == 0


def test_alberts_shared_weights_are_counted_once():
    theirs = some_model("albert", 4)
    ours, n_groups = Bert.from_hf(theirs), theirs.config.num_hidden_groups
    assert len(ours.layer) == theirs.config.num_hidden_layers > n_groups
    assert len({id(layer) for layer in ours.layer}) == n_groups
    assert sum(n for _, _, n in ours.parameter_table()) == sum(p.numel() for p in theirs.parameters())


def test_distilbert_has_no_second_segment():
    ours = Bert.from_hf(some_model("distilbert", 0))
    assert torch.equal(ours([[5, 6]], token_type_ids=[[0, 0]]), ours([[5, 6]]))
    with pytest.raises(ValueError, match=r"token_type_ids must be in 0..0 \(the segments\), got 1"):
        ours([[5, 6]], token_type_ids=[[0, 1]])


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"model_type": "xlnet"}, "model_type must be one of bert, distilbert, roberta, albert, got 'xlnet'"),
        ({"model_type": "albert", "inner_group_num": 2}, "inner_group_num must be 1, got 2"),
        ({"model_type": "roberta", "hidden_act": "relu"}, "hidden_act must be 'gelu', got 'relu'"),
        ({"model_type": "roberta", "is_decoder": True}, "is_decoder must be False"),
        ({"model_type": "distilbert", "activation": "mish"}, "activation must be one of"),
    ],
)
def test_unsupported_settings_are_rejected(settings, message):
    with pytest.raises(ValueError, match=message):
        Config.from_hf(settings)


@pytest.mark.parametrize("kind", FAMILIES)
def test_a_silent_file_has_the_defaults_of_transformers(kind):
    theirs = transformers.AutoConfig.for_model(kind)
    configs = {"Bert": Config, "GPT": gpt.Config, "Llama": llama.Config, "ModernBert": modernbert.Config}
    config = configs[FAMILIES[kind].model]
    assert config.from_hf({"model_type": kind}) == config.from_hf(theirs.to_dict())


def as_folder(kind, folder, lines):
    """A random model of this kind as a folder of the hub, with a vocabulary that is learned from the lines."""
    theirs = some_model(kind, 6)
    if kind == "roberta":
        bpe = BPE.train(lines, 300)
        RobertaBPE([*RobertaBPE.special, *bpe.tokens[1:]], bpe.merges).save(folder)
        n_tokens = 304
    else:
        WordPiece.train(lines, 120).save(folder)
        n_tokens = len(WordPiece.from_pretrained(folder))
    config = type(theirs.config)(
        **theirs.config.to_dict() | {"vocab_size": n_tokens, "pad_token_id": 1 if kind == "roberta" else 0}
    )
    config._attn_implementation = "eager"
    theirs = type(theirs)(config).eval()
    theirs.save_pretrained(folder)
    return theirs


@pytest.mark.parametrize("kind", ["distilbert", "roberta"])
def test_texts_become_vectors_by_the_models_own_tokenizer(tmp_path, kind):
    lines = ["the bear waited for the door to open", "a tin can", "the bear can open the door"]
    theirs = as_folder(kind, tmp_path, lines)
    ours = embed(lines, tmp_path, pooling="tokens", device="cpu")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    for line, rows in zip(lines, ours, strict=True):
        inputs = tokenizer(line, return_tensors="pt")
        expected = getattr(theirs, kind)(inputs["input_ids"]).last_hidden_state[0]
        assert difference(torch.tensor(rows), expected.detach()).is_rounding


def test_model_without_a_supported_tokenizer_is_rejected(tmp_path):
    some_model("albert", 0).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="with WordPiece or BPE; .* has no tokenizer.json, vocab.txt"):
        embed(["a bear"], tmp_path)
