"""The vectors of all tokens in all layers of one run of a model, encoder or decoder: the plain way, by their names."""

import numpy as np
import torch

from tutorial_lib.arguments import Ids, Numbers, check_has
from tutorial_lib.bert import Bert
from tutorial_lib.gpt import GPT


@torch.no_grad()
def layer_states(model: Bert | GPT, ids: Ids, attention_mask: Numbers | None = None) -> dict[str, np.ndarray]:
    """Return all tokens' vectors after the embeddings ("0") and each layer: name -> float32 array (B, n, d_model).

    model: a `Bert` or a `GPT`. ids (B, n) and attention_mask as for the model. If a decoder ends with one more
    LayerNorm (pre-norm), "norm" is its output.

    >>> from tutorial_lib.gpt import Config
    >>> model = GPT(Config(vocab_size=100, d_model=8, n_layers=2, n_heads=2, d_ff=16))
    >>> {name: X.shape for name, X in layer_states(model, [[5, 6, 7]]).items()}
    {'0': (1, 3, 8), '1': (1, 3, 8), '2': (1, 3, 8), 'norm': (1, 3, 8)}
    """
    check_has("model", model, "a Bert or a GPT", "config", "trace")
    names = {"embeddings.output": "0"} | {f"layer.{i}.output": f"{i + 1}" for i in range(model.config.n_layers)}
    if getattr(model.config, "norm_first", False):
        names["norm"] = "norm"
    states = {}

    def keep(name, value):
        if name in names:
            states[names[name]] = value.float().cpu().numpy()
        return value

    run = model.hidden if isinstance(model, GPT) else model  # without scores of next tokens
    run(ids, attention_mask=attention_mask, fused=True, keep=keep)
    return states
