"""The marks of assignment 3: random weights, and every layer of the real BERT beside Hugging Face's model."""

from functools import lru_cache

import numpy as np

from coursework.checks import call, check
from tutorial_lib.coursework import bert_layer as right

SMALL = np.array([[1.0, 2.0, 3.0, 6.0], [0.0, -1.0, 5.0, 2.0], [4.0, 4.0, 0.0, 0.0]])


def _of(name, *arguments, tolerance=1e-6):
    return call(name, *arguments, expect=getattr(right, name)(*arguments), tolerance=tolerance)


def _sizes(rng):
    """(tokens, heads, d_model, d_ff): all different, so that no axis can be mixed up."""
    heads = int(rng.integers(2, 5))
    return int(rng.integers(5, 8)), heads, heads * int(rng.integers(8, 11)), int(rng.integers(50, 60))


def _texts(rng):
    for _ in range(2):
        n, heads, d_model, d_ff = _sizes(rng)
        mask = np.arange(n) < rng.integers(2, n)
        yield rng.normal(size=(n, d_model)), right.random_weights(rng, d_model, d_ff), heads, mask


@check("layer-norm-public")
def layer_norm_small(rng):
    yield _of("layer_norm", SMALL, np.ones(4), np.zeros(4))


@check("layer-norm-hidden")
def layer_norm_random(rng):
    for shape in ((7,), (3, 8), (2, 3, 5)):
        gamma, beta = rng.normal(size=(2, shape[-1]))
        yield _of("layer_norm", rng.normal(5, 3, size=shape), gamma, beta)
    yield _of("layer_norm", np.full((2, 4), 3.0), np.ones(4), np.arange(4.0))


@check("gelu-public")
def gelu_small(rng):
    yield _of("gelu", np.array([-1.0, 0.0, 1.0]))


@check("gelu-hidden")
def gelu_random(rng):
    yield _of("gelu", rng.normal(scale=3, size=(4, 5)))
    yield _of("gelu", np.array([-30.0, 30.0]))


@check("split-heads-public")
def split_heads_small(rng):
    yield _of("split_heads", SMALL, 2)


@check("split-heads-hidden")
def split_heads_random(rng):
    for _ in range(3):
        n, heads, d_model, _ = _sizes(rng)
        yield _of("split_heads", rng.normal(size=(n, d_model)), heads)


@check("multi-head-attention-public")
def multi_head_attention_small(rng):
    yield _of("multi_head_attention", SMALL, right.random_weights(rng, 4, 8), 2)


@check("multi-head-attention-hidden")
def multi_head_attention_random(rng):
    for X, weights, heads, mask in _texts(rng):
        yield _of("multi_head_attention", X, weights, heads)
        yield _of("multi_head_attention", X, weights, heads, mask)


@check("feed-forward-public")
def feed_forward_small(rng):
    yield _of("feed_forward", SMALL, right.random_weights(rng, 4, 8))


@check("feed-forward-hidden")
def feed_forward_random(rng):
    for X, weights, *_ in _texts(rng):
        yield _of("feed_forward", X, weights)


@check("bert-layer-public")
def bert_layer_small(rng):
    yield _of("bert_layer", SMALL, right.random_weights(rng, 4, 8), 2)


@check("bert-layer-hidden")
def bert_layer_random(rng):
    for X, weights, heads, mask in _texts(rng):
        yield _of("bert_layer", X, weights, heads)
        yield _of("bert_layer", X, weights, heads, mask)


@check("bert-layer-bert")
def bert_layer_of_bert(rng):
    bert, states, mask = hugging_face()
    for layer in range(bert.config.n_layers):
        X, expected = states[layer], states[layer + 1]
        arguments = (X, right.weights_of(bert, layer), bert.config.n_heads, mask)
        yield call("bert_layer", *arguments, expect=expected, tolerance=1e-4)


@lru_cache
def hugging_face():
    """The default model, and Hugging Face's hidden states of a padded sentence: (n, d_model) for each layer's input."""
    import torch
    from transformers import BertModel

    from tutorial_lib import weights
    from tutorial_lib.bert import Bert
    from tutorial_lib.tokenization import WordPiece

    model = BertModel.from_pretrained(weights.resolve(), attn_implementation="eager").eval()
    encoding = WordPiece.from_pretrained().batch(["The bear waited for the door to open."], pad_to=14)
    inputs = {name: torch.tensor(getattr(encoding, name)) for name in ("attention_mask", "token_type_ids")}
    with torch.no_grad():
        states = model(torch.tensor(encoding.ids), **inputs, output_hidden_states=True).hidden_states
    return Bert.from_hf(model), [state[0].numpy() for state in states], inputs["attention_mask"][0].bool().numpy()
