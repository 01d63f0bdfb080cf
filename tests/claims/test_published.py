"""The published models' sizes are those that other programs know."""

from inspect import signature

import pytest
from torch.nn import Transformer

from tutorial_book.claims.tools import PUBLISHED
from tutorial_lib.weights.catalog import KNOWN


def sizes(name):
    """What a published configuration says, without where it stands."""
    return {key: value for key, value in PUBLISHED[name].items() if key not in ("source", "model_type")}


def test_bert_s_sizes_are_the_defaults_of_transformers():
    from transformers import BertConfig

    theirs = BertConfig().to_dict()
    assert sizes("bert-base-uncased") == {key: theirs[key] for key in sizes("bert-base-uncased")}
    assert sizes("bert-base-cased") == {**sizes("bert-base-uncased"), "vocab_size": 28_996}


def test_distilbert_s_sizes_are_the_defaults_of_transformers():
    from transformers import DistilBertConfig

    theirs, ours = DistilBertConfig(), sizes("distilbert-base-uncased")
    assert (ours["hidden_size"], ours["num_hidden_layers"], ours["num_attention_heads"]) == (
        theirs.dim, theirs.n_layers, theirs.n_heads,
    )  # fmt: skip
    assert (ours["intermediate_size"], ours["vocab_size"]) == (theirs.hidden_dim, theirs.vocab_size)


@pytest.mark.parametrize(("name", "config"), [("gpt2", "GPT2Config"), ("opt-125m", "OPTConfig")])
def test_the_decoders_sizes_are_the_defaults_of_transformers(name, config):
    import transformers

    theirs = getattr(transformers, config)().to_dict()
    assert sizes(name) == {key: theirs[key] for key in sizes(name)}


def test_the_original_transformer_s_sizes_are_the_defaults_of_torch():
    defaults = {name: parameter.default for name, parameter in signature(Transformer).parameters.items()}
    ours = PUBLISHED["transformer-base"]
    assert (ours["hidden_size"], ours["num_attention_heads"]) == (defaults["d_model"], defaults["nhead"])
    assert (ours["num_hidden_layers"], ours["intermediate_size"]) == (
        defaults["num_encoder_layers"], defaults["dim_feedforward"],
    )  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_says_where_it_stands_and_names_the_revision_that_the_catalog_knows(name):
    assert len(PUBLISHED[name]["source"]) > 20
    if name in KNOWN:
        assert KNOWN[name].revision in PUBLISHED[name]["source"]
