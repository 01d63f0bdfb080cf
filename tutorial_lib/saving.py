"""Write a model as Hugging Face would: config.json, vocabulary and model.safetensors, with its names and its layout.

The way back of `GPT.from_checkpoint` and `Bert.from_checkpoint`: transformers loads such a folder, and so do we.
"""

import json
from pathlib import Path

import torch

from tutorial_lib import bert, checkpoints, gpt
from tutorial_lib.families import FAMILIES
from tutorial_lib.tokenization.files import write_text


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
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings, state = spelled(model)
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
    c, own = model.config, {name: p.detach() for name, p in model.named_parameters()}
    if isinstance(model, bert.Bert):
        if c.pad_id is not None or c.d_embedding or c.n_different or not c.n_segments:
            raise ValueError(f"model must be a BERT, not another of its family, got {c}")
        settings = dict(architectures=["BertForPreTraining"], model_type="bert", vocab_size=c.vocab_size,
                        hidden_size=c.d_model, num_hidden_layers=c.n_layers, num_attention_heads=c.n_heads,
                        intermediate_size=c.d_ff, max_position_embeddings=c.n_positions, type_vocab_size=c.n_segments,
                        hidden_act=c.activation, layer_norm_eps=c.eps, pad_token_id=0, hidden_dropout_prob=0.0,
                        attention_probs_dropout_prob=0.0, torch_dtype="float32")  # fmt: skip
        return settings, _by_their_names(own, "BertForPreTraining", settings, FAMILIES["bert"].rename)
    if c.offset or not c.norm_first:
        raise ValueError(f"model must be a decoder of GPT-2's kind, offset 0 and norm_first, got {c}")
    settings = dict(architectures=["GPT2LMHeadModel"], model_type="gpt2", vocab_size=c.vocab_size, n_embd=c.d_model,
                    n_layer=c.n_layers, n_head=c.n_heads, n_inner=c.d_ff, n_positions=c.n_positions,
                    activation_function=c.activation, layer_norm_epsilon=c.eps, tie_word_embeddings=c.tied,
                    bos_token_id=0, eos_token_id=0, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                    torch_dtype="float32")  # fmt: skip
    return settings, _by_their_names(_tangled(own), "GPT2LMHeadModel", settings, gpt.RENAME["gpt2"])


def _by_their_names(own, kind, settings, table):
    """Our tensors under the names that a model of transformers has: what loads it renames, read backwards."""
    import transformers

    with torch.device("meta"):  # names only
        theirs = getattr(transformers, kind)(getattr(transformers, kind).config_class(**settings))
    # Ours -> theirs; of two for one of ours, the first.
    names = checkpoints.renamed({name: name for name in reversed(theirs.state_dict())}, table)
    return {names[name]: tensor for name, tensor in own.items()}


def _tangled(own):
    """GPT-2's layout: matrices transposed, W_Q, W_K and W_V side by side."""
    tangled = {}
    for name, tensor in own.items():
        if ".attention.W_Q." in name:
            three = torch.cat([own[name.replace("W_Q", W)] for W in ("W_Q", "W_K", "W_V")])
            tangled[name.replace("W_Q", "W_QKV")] = three.T if three.ndim == 2 else three
        elif ".attention.W_K." not in name and ".attention.W_V." not in name:
            transposed = name.endswith((".W_O.weight", ".W_1.weight", ".W_2.weight"))
            tangled[name] = tensor.T if transposed else tensor
    return tangled
