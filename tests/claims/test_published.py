"""The published models' sizes are those that other programs know."""

from inspect import signature

import pytest
import torch
from transformers import BertConfig, DistilBertConfig, GPT2Config, OPTConfig

from tutorial_book.claims.tools import PUBLISHED
from tutorial_lib.weights.catalog import KNOWN

BERT, DISTILBERT = BertConfig().to_dict(), DistilBertConfig()
TORCH = {name: parameter.default for name, parameter in signature(torch.nn.Transformer).parameters.items()}
DEFAULTS = {
    "bert-base-uncased": BERT,
    "bert-base-cased": BERT | {"vocab_size": 28_996},
    "distilbert-base-uncased": {
        "hidden_size": DISTILBERT.dim, "num_hidden_layers": DISTILBERT.n_layers, "vocab_size": DISTILBERT.vocab_size,
        "num_attention_heads": DISTILBERT.n_heads, "intermediate_size": DISTILBERT.hidden_dim,
    },
    "transformer-base": {
        "hidden_size": TORCH["d_model"], "num_hidden_layers": TORCH["num_encoder_layers"],
        "num_attention_heads": TORCH["nhead"], "intermediate_size": TORCH["dim_feedforward"],
    },
    "gpt2": GPT2Config().to_dict(),
    "opt-125m": OPTConfig().to_dict(),
}  # fmt: skip


@pytest.mark.parametrize("name", DEFAULTS)
def test_published_sizes_are_defaults_of_other_programs(name):
    ours, theirs = PUBLISHED[name], DEFAULTS[name]
    shared = ours.keys() & theirs.keys() - {"model_type"}
    assert len(shared) >= 4 and {key: ours[key] for key in shared} == {key: theirs[key] for key in shared}
    assert name not in KNOWN or KNOWN[name].revision in ours["source"]
