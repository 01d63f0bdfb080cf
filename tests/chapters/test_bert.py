"""Statements of the chapter on BERT about any vector, text and BERT, checked against mathematics and transformers."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import BertConfig, BertModel

from tutorial_book.plots.bert import parameters_by_component
from tutorial_lib.bert import Bert, Config, layer_norm


@given(st.integers(2, 300), st.integers(0, 2**31 - 1), st.floats(0.01, 1e4), st.floats(-1e3, 1e3))
def test_layer_norm_fixes_length_and_bounds_coordinates(d, seed, scale, shift):
    x = torch.randn(d, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) * scale + shift
    z = layer_norm(x, torch.ones(d), torch.zeros(d), 0.0)
    assert z.norm().item() == pytest.approx(math.sqrt(d), rel=1e-6)
    assert z.abs().max() <= math.sqrt(d - 1) * (1 + 1e-6)


def test_single_outlier_reaches_the_bound_of_coordinates():
    x = torch.zeros(384, dtype=torch.float64)
    x[99] = 222.0
    assert layer_norm(x, torch.ones(384), torch.zeros(384), 0.0).max().item() == pytest.approx(math.sqrt(383))


def test_loud_neuron_fires_at_position_0_only(page, bert, tok):
    for text in ("I love mathematics!", "The bank lent us the money for the house.", "42"):
        cls, *others = tok.encode(text).ids
        for ids in ([cls, *others], others, [*others[:1], cls, *others[1:]]):
            fires = bert.trace(ids)["layer.0.activation"][0, :, page.loudest]
            assert fires[0] > 10 and fires[1:].abs().max() < 0.01


@given(
    st.builds(
        dict,
        vocab_size=st.integers(1, 50),
        hidden_size=st.sampled_from([4, 8, 12]),
        num_hidden_layers=st.integers(1, 3),
        num_attention_heads=st.sampled_from([1, 2, 4]),
        intermediate_size=st.integers(1, 20),
        max_position_embeddings=st.integers(1, 20),
        type_vocab_size=st.integers(1, 3),
    )
)
@settings(max_examples=25, deadline=None)
def test_parameters_by_component_follow_the_formulas(shape):
    with torch.device("meta"):
        theirs = BertModel(BertConfig(**shape, pad_token_id=0))
        V, d, L, h, f, n, s = shape.values()
        ours = Bert(Config(V, d, L, h, f, n, s))
    counts = parameters_by_component(ours.parameter_table())
    assert sum(counts.values()) == theirs.num_parameters()
    assert counts == {
        "token embeddings": V * d,
        "position embeddings": n * d,
        "segment embeddings": s * d,
        "normalizations": (1 + 2 * L) * 2 * d,
        "attention": L * 4 * (d * d + d),
        "feed forward": L * (2 * d * f + f + d),
        "pooler": d * d + d,
    }
