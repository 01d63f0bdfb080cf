"""Models of transformers with random shapes and weights, one for each family and seed, and batches of ids for them."""

import random

import pytest
import torch
import transformers
from packaging.version import Version

from tutorial_lib.bert import Bert
from tutorial_lib.gpt import GPT
from tutorial_lib.llama import Llama
from tutorial_lib.modernbert import ModernBert

OURS = {"bert": Bert, "gpt2": GPT, "opt": GPT, "llama": Llama, "modernbert": ModernBert}
DECODERS = ["gpt2", "opt", "llama"]
CLASSES = {
    "bert": ("BertConfig", "BertForPreTraining"),
    "gpt2": ("GPT2Config", "GPT2LMHeadModel"),
    "opt": ("OPTConfig", "OPTForCausalLM"),
    "llama": ("LlamaConfig", "LlamaForCausalLM"),
    "modernbert": ("ModernBertConfig", "ModernBertForMaskedLM"),
}
LLAMA_3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
           "original_max_position_embeddings": 12}  # fmt: skip
SCALINGS = [None, {"type": "linear", "factor": 4.0}, LLAMA_3]
CHOICES = {  # each setting by its name in transformers, with its possible values
    "all": dict(vocab_size=[50, 131], num_hidden_layers=[1, 2, 4], num_attention_heads=[2, 4, 6],
                max_position_embeddings=[16, 33], tie_word_embeddings=[True, False], pad_token_id=[1]),
    "bert": dict(intermediate_size=[7, 64], hidden_act=["gelu", "gelu_new", "relu"], type_vocab_size=[1, 2, 4],
                 layer_norm_eps=[1e-12, 1e-5]),
    "gpt2": dict(n_inner=[None, 30], activation_function=["gelu_new", "gelu", "relu"], bos_token_id=[0],
                 eos_token_id=[0], layer_norm_epsilon=[1e-5, 1e-3]),
    "opt": dict(ffn_dim=[20, 64], activation_function=["relu", "gelu"], do_layer_norm_before=[True, False]),
    "llama": dict(intermediate_size=[20, 64], hidden_act=["silu", "gelu"], rms_norm_eps=[1e-6, 1e-3],
                  rope_theta=[100.0, 10_000.0, 500_000.0], attention_bias=[True, False], mlp_bias=[True, False],
                  head_dim=[None, 6]),
    "modernbert": dict(intermediate_size=[7, 64], hidden_activation=["gelu", "silu"], local_attention=[2, 6, 8, 64],
                       norm_eps=[1e-5, 1e-3], global_rope_theta=[1e3, 1e5], local_rope_theta=[100.0, 10_000.0],
                       norm_bias=[True, False], mlp_bias=[True, False], attention_bias=[True, False],
                       cls_token_id=[0], sep_token_id=[0], bos_token_id=[0], eos_token_id=[0]),
}  # fmt: skip
OLD = Version(transformers.__version__) < Version("4.43")  # it has no "llama3", head_dim or mlp_bias


def random_settings(kind, seed):
    """The configuration of a random shape, as transformers names it."""
    choose = random.Random(seed).choice
    settings = {name: choose(values) for name, values in (CHOICES["all"] | CHOICES[kind]).items()}
    n_heads = settings["num_attention_heads"]
    settings["hidden_size"] = n_heads * choose([4, 10, 16])
    if kind == "opt":
        settings["word_embed_proj_dim"] = settings["hidden_size"]
    if kind == "llama":  # seeds 0 to 8: each sharing of keys with each scaling of positions
        settings["num_key_value_heads"] = (1, n_heads // 2, n_heads)[seed % 3]
        settings["rope_scaling"] = SCALINGS[seed // 3 % 3]
    if kind == "modernbert":
        settings["global_attn_every_n_layers"] = 1 + seed % 3
    return settings


def random_config(kind, seed, **fixed):
    """A random shape as a configuration of transformers. fixed: settings that are not to be random."""
    config_class = getattr(transformers, CLASSES[kind][0], None)
    settings = random_settings(kind, seed) | fixed
    if config_class is None or (OLD and settings.get("rope_scaling") == LLAMA_3):
        pytest.skip(f"this version of transformers has no such {kind}")
    if OLD and kind == "llama":
        settings |= dict(mlp_bias=False, head_dim=None)
    return config_class(**settings)


def random_model(kind, seed, attention="eager", **fixed):
    """A model of transformers with random shape and weights. fixed: settings that are not to be random."""
    config = random_config(kind, seed, **fixed)
    torch.manual_seed(seed)
    return spread(getattr(transformers, CLASSES[kind][1])._from_config(config, attn_implementation=attention))


def spread(model):
    """The model with weights far from its initial ones: biases and norms start as 0 and 1, where a mix-up is hidden."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn(parameter.shape)
    return model.eval()


def batch(model, *spans, seed=0):
    """One text for each span, whose tokens lie there and padding elsewhere: a dict of ids and attention_mask.

    Padding has ids like any others, which must change nothing.
    """
    n = max(end for _, end in spans)
    ids = torch.randint(3, model.config.vocab_size, (len(spans), n), generator=torch.Generator().manual_seed(seed))
    mask = torch.zeros_like(ids)
    for row, (start, end) in enumerate(spans):
        mask[row, start:end] = 1
    return {"ids": ids, "attention_mask": mask}
