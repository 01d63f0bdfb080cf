"""Write a model as Hugging Face would: config.json, vocabulary and model.safetensors, with its names and its layout.

The way back of `GPT.from_checkpoint` and `Bert.from_checkpoint`: transformers loads such a folder, and so do we.
"""

import json
from pathlib import Path

from tutorial_lib.arguments import check_has, check_path, check_text
from tutorial_lib.bert import Bert
from tutorial_lib.weights import checkpoints
from tutorial_lib.weights.files import write_text
from tutorial_lib.weights.names import their_checkpoint


def save(model, tokenizer, folder) -> None:
    """Write a `GPT` (of GPT-2's kind) or a `Bert` with its tokenizer into a folder, in half precision (float16).

    Half as large, and rounded: to about three digits. `from_pretrained` gives the rounded weights back in float32.
    Raises ValueError where GPT-2 has no such model: offset positions, LayerNorm after the addition.

    >>> import tempfile
    >>> from tutorial_lib import gpt
    >>> from tutorial_lib.tokenization.bpe import BPE
    >>> tok = BPE.train(["the bear sat"], 260)
    >>> model = gpt.GPT(gpt.Config(len(tok), d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, tok, folder)
    ...     again = gpt.GPT.from_pretrained(folder, device="cpu")
    >>> bool((again([[1, 2]])[0] - model([[1, 2]])[0]).abs().max() < 1e-3)
    True
    """
    check_has("model", model, "a Bert or a GPT", "config", "state_dict")
    folder = Path(check_path("folder", folder))
    settings, state = spelled(model)
    check_has("tokenizer", tokenizer, "its tokenizer", "save")
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(folder)
    write_text(folder / "config.json", json.dumps(settings, indent=2) + "\n")
    half = {name: tensor.half().contiguous() for name, tensor in state.items()}
    checkpoints.write(folder / "model.safetensors", half, {"format": "pt"})


def begin(folder, name, recipe) -> Path:
    """Make folder/NAME and folder/NAME-run for a training, note its recipe in the latter, and return that.

    Raises ValueError where the run that lies there is of another recipe, OSError where it cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     begin(folder, "mine", "300 steps").name
    'mine-run'
    """
    check_path("folder", folder)
    check_text("name", name)
    run = Path(folder) / f"{name}-run"
    for made in (Path(folder) / name, run):
        made.mkdir(parents=True, exist_ok=True)
    begun = run / "recipe.txt"
    if begun.exists() and begun.read_text(encoding="utf-8") != repr(recipe):
        raise ValueError(f"{run} is of another recipe: train into another folder, or delete it")
    write_text(begun, repr(recipe))
    return run


def spelled(model) -> tuple[dict, dict]:
    """(settings, weights) of a model with Hugging Face's names: what its config.json and its safetensors hold.

    >>> from tutorial_lib import gpt
    >>> shape = gpt.Config(100, d_model=8, n_layers=1, n_heads=2, d_ff=16, n_positions=8)
    >>> settings, weights = spelled(gpt.GPT(shape))
    >>> settings["n_embd"], weights["transformer.h.0.attn.c_attn.weight"].shape
    (8, torch.Size([8, 24]))
    """
    check_has("model", model, "a Bert or a GPT", "config", "state_dict")
    c = model.config
    own = {name: parameter.detach() for name, parameter in model.named_parameters()}
    if isinstance(model, Bert):
        if c.pad_id is not None or c.d_embedding or c.n_different or not c.n_segments:
            raise ValueError(f"model must be a BERT, not another of its family, got {c}")
        return their_checkpoint(c, own, "bert")
    if getattr(c, "offset", 1) or not c.norm_first:  # a Llama has none
        raise ValueError(f"model must be a decoder of GPT-2's kind, offset 0 and norm_first, got {c}")
    return their_checkpoint(c, own, "gpt2")
