"""Write a model in Hugging Face's format: config.json, vocabulary and model.safetensors, with its names and layout.

The reverse of `from_checkpoint`, for every family that it supports: transformers and this library load such a folder.
"""

import json
from pathlib import Path

import torch

from tutorial_lib.arguments import check_has, check_path, check_text
from tutorial_lib.atomic import write_text
from tutorial_lib.tokenization.bpe import END
from tutorial_lib.weights import checkpoints
from tutorial_lib.weights.names import their_checkpoint


def save(model, tokenizer, folder, dtype=None) -> None:
    """Write a `Bert`, `GPT`, `Llama` or `ModernBert` with its tokenizer into a folder.

    tokenizer: None writes only the model, for `load_model`. dtype: the float type in which weights are stored, such as
    `torch.float16`, half as large and rounded to about three digits; None: each unchanged. config.json names the
    model's own type: transformers computes in that, whatever type the weights are stored in. Our models load in float32
    or wider. For a decoder it also names the token that ends a text, if the tokenizer has ``<|endoftext|>``; otherwise
    pass `eos_token_id` to transformers' `generate`.

    Raises ValueError if a weight is too large for the type, and for a model that transformers cannot express, such
    as a GPT-2 with LayerNorm after the addition.

    >>> import tempfile
    >>> from tutorial_lib import gpt
    >>> from tutorial_lib.tokenization.bpe import BPE
    >>> tok = BPE.train(["the bear sat"], 260)
    >>> model = gpt.GPT(gpt.Config(len(tok), d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, tok, folder)
    ...     again = gpt.GPT.from_pretrained(folder, device="cpu")
    >>> bool((again.norm.weight == model.norm.weight).all())
    True
    """
    folder = check_path("folder", folder)
    settings, state = spelled(model)
    if tokenizer is not None:
        check_has("tokenizer", tokenizer, "its tokenizer, or None", "save")
    if settings["model_type"] in ("gpt2", "opt", "llama"):
        end = None if tokenizer is None else tokenizer.vocab.get(END)
        settings |= {"bos_token_id": end, "eos_token_id": end}
    state = stored(state, dtype)
    folder.mkdir(parents=True, exist_ok=True)
    if tokenizer is not None:
        tokenizer.save(folder)
    write_text(folder / "config.json", json.dumps(settings, indent=2) + "\n")
    checkpoints.write(folder / "model.safetensors", state, {"format": "pt"})


def stored(state, dtype=None) -> dict:
    """Return a state dict in another float type; None: unchanged. Raises ValueError if a weight is too large.

    >>> stored({"W": torch.tensor([0.1])}, torch.float16)
    {'W': tensor([0.1000], dtype=torch.float16)}
    """
    check_has("state", state, "a state dict", "items")
    if dtype is not None and not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise ValueError(f"dtype must be a float type such as torch.float16, or None, got {dtype!r:.60}")
    narrow = {name: tensor.to(dtype or tensor.dtype).contiguous() for name, tensor in state.items()}
    for name, tensor in state.items():
        lost = tensor[narrow[name].isinf() & tensor.isfinite()]
        if lost.numel():
            most = torch.finfo(dtype).max
            raise ValueError(f"dtype must contain every weight: {dtype} ends at {most:g}, and {name} has {lost[0]:g}")
    return narrow


def begin(folder, name, recipe) -> Path:
    """Create folder/NAME and folder/NAME-run for a training, store its recipe in the latter, and return that.

    Raises ValueError if the run in the folder belongs to another recipe, OSError if it cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     begin(folder, "mine", "300 steps").name
    'mine-run'
    """
    folder = check_path("folder", folder)
    check_text("name", name)
    run = folder / f"{name}-run"
    for made in (folder / name, run):
        made.mkdir(parents=True, exist_ok=True)
    begun = run / "recipe.txt"
    if begun.exists() and begun.read_text(encoding="utf-8") != repr(recipe):
        raise ValueError(f"{run} belongs to another recipe. Use another folder, or delete it")
    write_text(begun, repr(recipe))
    return run


def spelled(model) -> tuple[dict, dict]:
    """Return a model's (settings, weights) with Hugging Face's names: the content of its config.json and safetensors.

    >>> from tutorial_lib import gpt
    >>> shape = gpt.Config(100, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8)
    >>> settings, weights = spelled(gpt.GPT(shape))
    >>> settings["n_embd"], weights["transformer.h.0.attn.c_attn.weight"].shape
    (8, torch.Size([8, 24]))
    """
    check_has("model", model, "a Bert, GPT, Llama or ModernBert", "config", "from_checkpoint", "named_parameters")
    own = {name: parameter.detach() for name, parameter in model.named_parameters()}
    settings, state = their_checkpoint(model.config, own)
    dtype = next(iter(own.values())).dtype
    return settings | {"torch_dtype": str(dtype).removeprefix("torch.")}, state
