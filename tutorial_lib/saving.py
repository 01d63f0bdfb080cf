"""Write a model as Hugging Face would: config.json, vocabulary and model.safetensors, with its names and its layout.

The way back of `GPT.from_checkpoint` and `Bert.from_checkpoint`: transformers loads such a folder, and so do we.
"""

import json
import os
from pathlib import Path

import torch
from safetensors.torch import save_file

from tutorial_lib import bert
from tutorial_lib.checkpoints import renamed
from tutorial_lib.tokenization.files import write_text

# (our name, their name), applied in this order to each parameter's name.
GPT_NAMES = [
    (r"^embeddings\.tokens\.", "wte."),
    (r"^embeddings\.positions\.", "wpe."),
    (r"^norm\.", "ln_f."),
    (r"^layer\.(\d+)\.", r"h.\1."),
    (r"\.attention_norm\.", ".ln_1."),
    (r"\.norm\.", ".ln_2."),
    (r"\.attention\.W_O\.", ".attn.c_proj."),
    (r"\.feed_forward\.W_1\.", ".mlp.c_fc."),
    (r"\.feed_forward\.W_2\.", ".mlp.c_proj."),
    (r"^(?!unembedding)", "transformer."),
    (r"^unembedding\.", "lm_head."),
]
BERT_NAMES = [
    (r"^embeddings\.tokens\.", "bert.embeddings.word_embeddings."),
    (r"^embeddings\.positions\.", "bert.embeddings.position_embeddings."),
    (r"^embeddings\.segments\.", "bert.embeddings.token_type_embeddings."),
    (r"^embeddings\.norm\.", "bert.embeddings.LayerNorm."),
    (r"^(layer\.\d+)\.norm\.", r"\1.output.LayerNorm."),
    (r"^(layer\.\d+)\.attention_norm\.", r"\1.attention.output.LayerNorm."),
    (r"\.attention\.W_Q\.", ".attention.self.query."),
    (r"\.attention\.W_K\.", ".attention.self.key."),
    (r"\.attention\.W_V\.", ".attention.self.value."),
    (r"\.attention\.W_O\.", ".attention.output.dense."),
    (r"\.feed_forward\.W_1\.", ".intermediate.dense."),
    (r"\.feed_forward\.W_2\.", ".output.dense."),
    (r"^layer\.", "bert.encoder.layer."),
    (r"^pooler\.W\.", "bert.pooler.dense."),
    (r"^mlm\.W\.", "cls.predictions.transform.dense."),
    (r"^mlm\.norm\.", "cls.predictions.transform.LayerNorm."),
    (r"^mlm\.decoder\.bias$", "cls.predictions.bias"),
    (r"^mlm\.decoder\.", "cls.predictions.decoder."),
    (r"^nsp\.", "cls.seq_relationship."),
]


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
    beside = folder / ".model.safetensors.part"
    save_file({name: tensor.half().contiguous() for name, tensor in state.items()}, beside, {"format": "pt"})
    os.replace(beside, folder / "model.safetensors")


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
        settings = dict(architectures=["BertForPreTraining"], model_type="bert", vocab_size=c.vocab_size,
                        hidden_size=c.d_model, num_hidden_layers=c.n_layers, num_attention_heads=c.n_heads,
                        intermediate_size=c.d_ff, max_position_embeddings=c.n_positions, type_vocab_size=c.n_segments,
                        hidden_act=c.activation, layer_norm_eps=c.eps, pad_token_id=0, hidden_dropout_prob=0.0,
                        attention_probs_dropout_prob=0.0, torch_dtype="float32")  # fmt: skip
        return settings, renamed(own, BERT_NAMES)
    if c.offset or not c.norm_first:
        raise ValueError(f"model must be a decoder of GPT-2's kind, offset 0 and norm_first, got {c}")
    settings = dict(architectures=["GPT2LMHeadModel"], model_type="gpt2", vocab_size=c.vocab_size, n_embd=c.d_model,
                    n_layer=c.n_layers, n_head=c.n_heads, n_inner=c.d_ff, n_positions=c.n_positions,
                    activation_function=c.activation, layer_norm_epsilon=c.eps, tie_word_embeddings=c.tied,
                    bos_token_id=0, eos_token_id=0, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                    torch_dtype="float32")  # fmt: skip
    return settings, renamed(_tangled(own), GPT_NAMES)


def _tangled(own):
    """GPT-2's layout: matrices transposed, W_Q, W_K and W_V side by side."""
    tangled = {}
    for name, tensor in own.items():
        if ".attention.W_Q." in name:
            three = torch.cat([own[name.replace("W_Q", W)] for W in ("W_Q", "W_K", "W_V")])
            tangled[name.replace("attention.W_Q", "attn.c_attn")] = three.T if three.ndim == 2 else three
        elif ".attention.W_K." not in name and ".attention.W_V." not in name:
            transposed = name.endswith((".W_O.weight", ".W_1.weight", ".W_2.weight"))
            tangled[name] = tensor.T if transposed else tensor
    return tangled
