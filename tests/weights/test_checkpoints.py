"""Checkpoints as on the hub: old spellings, prefixes, extra heads, a tied decoder that is absent."""

import json

import pytest
import torch
from safetensors.torch import save_file
from transformers import BertConfig, BertForPreTraining, BertForSequenceClassification, ElectraConfig, ElectraModel

from tutorial_lib.bert import Bert, Config
from tutorial_lib.parity import compare
from tutorial_lib.weights.checkpoints import pick_device

CONFIG = BertConfig(vocab_size=40, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=12)
IDS = {"ids": torch.tensor([[3, 4, 5]])}


@pytest.fixture
def theirs():
    torch.manual_seed(0)
    return BertForPreTraining._from_config(CONFIG, attn_implementation="eager").eval()


def write(folder, state, config=CONFIG, **more):
    (folder / "config.json").write_text(json.dumps(config.to_dict() | more))
    (folder / "vocab.txt").write_text("\n".join(f"token{i}" for i in range(config.vocab_size)))
    save_file({name: tensor.clone().contiguous() for name, tensor in state.items()}, folder / "model.safetensors")
    return folder


def as_on_the_hub(model):
    """The names of bert-base-uncased's file: gamma and beta, no decoder weight, the counter of positions."""
    state = {}
    for name, tensor in model.state_dict().items():
        if name != "cls.predictions.decoder.weight":
            name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
            state[name] = tensor
    state["bert.embeddings.position_ids"] = torch.arange(512)[None]
    state.pop("cls.predictions.decoder.bias", None)
    return state


def test_a_hub_checkpoint_loads_with_its_heads(tmp_path, theirs):
    ours = Bert.from_pretrained(write(tmp_path, as_on_the_hub(theirs)), device="cpu")
    stops = compare(ours, theirs, IDS).check().stops
    assert {"mlm.logits", "nsp.logits"} < set(stops)
    assert ours.mlm.decoder.weight is ours.embeddings.tokens.weight


def test_a_bare_encoder_without_prefix_or_pooler_loads(tmp_path, theirs):
    state = {n.removeprefix("bert."): t for n, t in theirs.state_dict().items() if n.startswith(("bert.e",))}
    ours = Bert.from_pretrained(write(tmp_path, state), device="cpu")
    assert ours.pooler is None and ours.mlm is None
    compare(ours, theirs, IDS).check()


def test_a_separate_decoder_stays_untied(tmp_path):
    config = BertConfig(**{**CONFIG.to_dict(), "tie_word_embeddings": False})
    theirs = BertForPreTraining._from_config(config, attn_implementation="eager").eval()
    torch.nn.init.normal_(theirs.cls.predictions.decoder.weight)
    ours = Bert.from_hf(theirs)
    assert ours.mlm.decoder.weight is not ours.embeddings.tokens.weight
    compare(ours, theirs, IDS).check()


def test_the_head_of_another_task_is_left_aside():
    theirs = BertForSequenceClassification._from_config(CONFIG, attn_implementation="eager").eval()
    ours = Bert.from_hf(theirs)
    assert ours.mlm is None and ours.pooler is not None
    compare(ours, theirs, IDS).check()


def test_loading_from_transformers_copies_and_keeps_the_precision(theirs):
    ours = Bert.from_hf(theirs.double())
    assert ours.embeddings.tokens.weight.dtype == torch.float64
    before = ours([1, 2])
    with torch.no_grad():
        theirs.bert.embeddings.word_embeddings.weight.zero_()
    assert torch.equal(ours([1, 2]), before)


def test_one_weight_in_float64_makes_all_float64(tmp_path, theirs):
    state = as_on_the_hub(theirs)
    one = next(name for name in state if "layer.1.output.dense.weight" in name)
    mixed = {name: tensor.double() if name == one else tensor.bfloat16() for name, tensor in state.items()}
    ours = Bert.from_pretrained(write(tmp_path, mixed), device="cpu")
    assert {parameter.dtype for parameter in ours.parameters()} == {torch.float64}
    assert torch.equal(ours.layer[1].feed_forward.W_2.weight, mixed[one]) and ours([[1, 2]]).isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.int8])
def test_weights_of_eight_bits_are_rejected(tmp_path, theirs, dtype):
    state = as_on_the_hub(theirs)
    one = next(name for name in state if "layer.1.output.dense.weight" in name)
    with pytest.raises(ValueError, match=f"must have 16 bits or more, and {one} is {dtype}"):
        Bert.from_pretrained(write(tmp_path, state | {one: state[one].to(dtype)}), device="cpu")


def test_quantized_weights_are_rejected_by_method(tmp_path, theirs):
    folder = write(tmp_path, as_on_the_hub(theirs), quantization_config={"quant_method": "gptq", "bits": 4})
    with pytest.raises(ValueError, match="weights quantized by gptq are not supported"):
        Bert.from_pretrained(folder, device="cpu")


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda s: s.pop("bert.encoder.layer.1.output.dense.bias"), "Missing: layer.1.feed_forward.W_2.bias"),
        (lambda s: s.update({"bert.encoder.layer.2.output.dense.bias": torch.zeros(8)}), "not expected: layer.2"),
        (lambda s: s.update({"bert.pooler.dense.bias": torch.zeros(7)}), r"pooler.W.bias: \(7,\) instead of \(8,\)"),
    ],
)
def test_error_names_weights_that_do_not_fit(tmp_path, theirs, change, message):
    state = as_on_the_hub(theirs)
    change(state)
    with pytest.raises(ValueError, match=message):
        Bert.from_pretrained(write(tmp_path, state), device="cpu")


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"is_decoder": True}, "is_decoder must be False, got True"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type must be 'absolute'"),
        ({"hidden_act": "mish"}, "activation must be one of"),
        ({"model_type": "electra"}, "model_type must be one of bert, .*, got 'electra'"),
    ],
)
def test_configurations_that_bert_does_not_compute_are_rejected(settings, message):
    with pytest.raises(ValueError, match=message):
        Config.from_hf({**CONFIG.to_dict(), **settings})


def test_auto_takes_a_device_that_is_there():
    assert torch.zeros(1, device=pick_device()).device.type == pick_device().type


@pytest.mark.parametrize("device", ["gpu", "", None, 5.0, "cuda:99"])
def test_missing_device_is_rejected_before_loading(device):
    with pytest.raises(ValueError, match='device must be "auto" or a device of this machine'):
        Bert.from_pretrained("no-such-model", device=device)


def test_electra_is_rejected():
    sizes = dict(vocab_size=40, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=12)
    with pytest.raises(ValueError, match="model_type must be one of bert, .*, got 'electra'"):
        Bert.from_hf(ElectraModel(ElectraConfig(embedding_size=8, **sizes)))


def test_loaded_models_are_in_evaluation_mode(theirs):
    assert not Bert.from_hf(theirs.train()).training and not Bert.from_pretrained(device="cpu").training


@pytest.mark.parametrize("other", ["bert-base-cased", torch.nn.Linear(2, 2)])
def test_only_a_model_of_transformers_can_be_copied(other):
    with pytest.raises(TypeError, match="hf_model must be a model of transformers"):
        Bert.from_hf(other)


def test_configuration_without_model_type_is_berts():
    settings = {name: value for name, value in CONFIG.to_dict().items() if name != "model_type"}
    assert Config.from_hf(settings) == Config.from_hf(CONFIG.to_dict())
