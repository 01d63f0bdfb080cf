"""From Hugging Face's names to ours: configurations and weights.

Checkpoints on the hub are older than the code that writes them today. So both spellings load: with the prefix
`bert.` and without, `LayerNorm.gamma` and `LayerNorm.weight`, pre-training heads beside the encoder, and the MLM
head's decoder absent because it is tied to the token embeddings.
"""

from __future__ import annotations

import re

import torch

from tutorial_lib import weights
from tutorial_lib.bert import Bert, Config

# (their name, our name), applied in this order to each parameter's name.
RENAME = [
    (r"^bert\.", ""),
    (r"LayerNorm\.gamma$", "LayerNorm.weight"),
    (r"LayerNorm\.beta$", "LayerNorm.bias"),
    (r"^embeddings\.word_embeddings\.", "embeddings.tokens."),
    (r"^embeddings\.position_embeddings\.", "embeddings.positions."),
    (r"^embeddings\.token_type_embeddings\.", "embeddings.segments."),
    (r"^embeddings\.LayerNorm\.", "embeddings.norm."),
    (r"^encoder\.layer\.(\d+)\.", r"layer.\1."),
    (r"\.attention\.self\.query\.", ".attention.W_Q."),
    (r"\.attention\.self\.key\.", ".attention.W_K."),
    (r"\.attention\.self\.value\.", ".attention.W_V."),
    (r"\.attention\.output\.dense\.", ".attention.W_O."),
    (r"\.attention\.output\.LayerNorm\.", ".attention_norm."),
    (r"\.intermediate\.dense\.", ".feed_forward.W_1."),
    (r"^(layer\.\d+)\.output\.dense\.", r"\1.feed_forward.W_2."),
    (r"^(layer\.\d+)\.output\.LayerNorm\.", r"\1.norm."),
    (r"^pooler\.dense\.", "pooler.W."),
    (r"^cls\.predictions\.transform\.dense\.", "mlm.W."),
    (r"^cls\.predictions\.transform\.LayerNorm\.", "mlm.norm."),
    (r"^cls\.predictions\.decoder\.", "mlm.decoder."),
    (r"^cls\.predictions\.bias$", "mlm.decoder.bias"),
    (r"^cls\.seq_relationship\.", "nsp."),
]
PARTS = ("embeddings.", "layer.", "pooler.", "mlm.", "nsp.")  # what starts otherwise is the head of another task


def rename(name):
    """Our name for one of Hugging Face's.

    >>> rename("bert.encoder.layer.3.attention.self.query.weight")
    'layer.3.attention.W_Q.weight'
    >>> rename("encoder.layer.0.output.LayerNorm.gamma")
    'layer.0.norm.weight'
    """
    for theirs, ours in RENAME:
        name = re.sub(theirs, ours, name)
    return name


def config_from(settings):
    """A `Config` from the dictionary in a Hugging Face `config.json`.

    Raises ValueError for what these classes do not compute: other families (RoBERTa counts its positions from 2),
    decoders, relative positions, other activations.

    >>> config_from({"hidden_size": 384, "num_hidden_layers": 6, "intermediate_size": 1536}).d_model
    384
    """
    if not isinstance(settings, dict):
        raise TypeError(f"settings must be the dictionary of a config.json, got {type(settings).__name__}")
    if (family := settings.get("model_type") or "bert") != "bert":
        raise ValueError(f"model_type must be 'bert', got {family!r}: this class does not compute that family")
    if settings.get("is_decoder") or settings.get("add_cross_attention"):
        raise ValueError("this configuration is a decoder's (is_decoder or add_cross_attention); Bert is an encoder")
    positions = settings.get("position_embedding_type") or "absolute"
    if positions != "absolute":
        raise ValueError(f"position_embedding_type must be 'absolute', got {positions!r}")
    ours = dict(
        vocab_size="vocab_size",
        d_model="hidden_size",
        n_layers="num_hidden_layers",
        n_heads="num_attention_heads",
        d_ff="intermediate_size",
        n_positions="max_position_embeddings",
        n_segments="type_vocab_size",
        activation="hidden_act",
        eps="layer_norm_eps",
    )
    return Config(**{name: settings[theirs] for name, theirs in ours.items() if theirs in settings})


def build(settings, state):
    """A `Bert` in evaluation mode from a configuration dictionary and a state dict, both with Hugging Face's names."""
    state = {rename(name): tensor for name, tensor in state.items()}
    state = {name: tensor for name, tensor in state.items() if name.startswith(PARTS)}
    state.pop("embeddings.position_ids", None)  # a counter 0, 1, 2, ... that older checkpoints carry
    with torch.device("meta"):  # shapes only: the memory comes with the weights
        bert = Bert(config_from(settings), "pooler.W.weight" in state, "mlm.W.weight" in state, "nsp.weight" in state)
    tokens = state.get("embeddings.tokens.weight")
    if bert.mlm and not torch.equal(state.setdefault("mlm.decoder.weight", tokens), tokens):
        bert.mlm.decoder.weight = torch.nn.Parameter(torch.empty_like(tokens))  # this head has a matrix of its own
    _check_names(bert, state)
    bert.load_state_dict(state, assign=True)
    if bert.mlm and torch.equal(bert.mlm.decoder.weight, bert.embeddings.tokens.weight):
        bert.mlm.decoder.weight = bert.embeddings.tokens.weight  # tied: one matrix, counted once
    return bert.requires_grad_(True).eval()


def load(name, device):
    """A trained `Bert` by name or folder, on a device ("auto": a GPU where there is one)."""
    device, folder = pick_device(device), weights.resolve(name)
    return build(weights.read_config(folder), weights.load_state_dict(folder)).to(device)


def from_hf(hf_model):
    """A `Bert` with copies of a transformers model's weights, on the same device, in the same precision."""
    if not isinstance(hf_model, torch.nn.Module) or not hasattr(getattr(hf_model, "config", None), "to_dict"):
        raise TypeError(f"hf_model must be a model of transformers, such as a BertModel, got {type(hf_model).__name__}")
    config_from(hf_model.config.to_dict())  # refuses what is no BERT before anything is copied
    state = {name: tensor.detach().clone() for name, tensor in hf_model.state_dict().items()}
    return build(hf_model.config.to_dict(), state)


def pick_device(device="auto"):
    """A torch device; "auto" takes CUDA, then Apple's MPS, then the CPU.

    >>> pick_device("cpu")
    device(type='cpu')
    """
    if device != "auto":
        try:
            return torch.empty(0, device=torch.device(device)).device
        except (RuntimeError, AssertionError, TypeError) as error:  # what torch says differs from device to device
            got = f"{device!r} ({str(error).splitlines()[0]})"
            raise ValueError(f'device must be "auto" or one that is here, such as "cpu", got {got}') from error
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def _check_names(bert, state):
    expected = bert.state_dict()
    missing = sorted(set(expected) - set(state))
    unknown = sorted(set(state) - set(expected))
    wrong = [f"{n}: {tuple(state[n].shape)} instead of {tuple(expected[n].shape)}" for n in expected
             if n in state and state[n].shape != expected[n].shape]
    if missing or unknown or wrong:
        raise ValueError(
            "these weights do not fit the configuration. "
            f"Missing: {_some(missing)}; not expected: {_some(unknown)}; of another shape: {_some(wrong)}"
        )


def _some(names):
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "") or "none"
