"""Checks of assignment 3: a layer of BERT on given weights, in NumPy, and two variants that no chapter prints.

Weights are a dictionary: W_Q, W_K, W_V, W_O of shape (d_model, d_model), W_1 (d_model, d_ff), W_2 (d_ff, d_model), a
bias b_ for each of them, and gamma_1, beta_1, gamma_2, beta_2 of the two layer norms. A row vector is multiplied from
the left: x W + b. For grouped queries, W_K and W_V have the shape (d_model, n_groups d_k).
"""

from __future__ import annotations

import math

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise


def random_weights(rng, d_model, d_ff, d_keys=None):
    """Return weights of a layer, about as large as trained ones. d_keys: columns of W_K and W_V, if not d_model."""
    shapes = dict.fromkeys(("W_Q", "W_O"), (d_model, d_model))
    shapes |= dict.fromkeys(("W_K", "W_V"), (d_model, d_keys or d_model))
    shapes |= {"W_1": (d_model, d_ff), "W_2": (d_ff, d_model)}
    weights = {name: rng.normal(size=shape) / math.sqrt(shape[0]) for name, shape in shapes.items()}
    weights |= {name.replace("W", "b"): rng.normal(size=shape[1]) for name, shape in shapes.items()}
    for norm in ("1", "2"):
        weights |= {f"gamma_{norm}": rng.uniform(0.5, 2, d_model), f"beta_{norm}": rng.normal(size=d_model)}
    return weights


def weights_of(bert, layer):
    """Return the weights of one layer of a `tutorial_lib.bert.Bert`, as NumPy arrays under the names above."""
    block = bert.layer[layer]
    maps = {part: getattr(block.attention, f"W_{part}") for part in "QKVO"}
    maps |= {"1": block.feed_forward.W_1, "2": block.feed_forward.W_2}
    found = {}
    for name, linear in maps.items():  # torch keeps the transpose: (d_out, d_in)
        found |= {f"W_{name}": linear.weight.detach().numpy().T.copy(), f"b_{name}": linear.bias.detach().numpy()}
    for number, norm in (("1", block.attention_norm), ("2", block.norm)):
        found |= {f"gamma_{number}": norm.weight.detach().numpy(), f"beta_{number}": norm.bias.detach().numpy()}
    return found


_RNG = np.random.default_rng(0)
_X = _RNG.normal(size=(3, 8))
_WEIGHTS = random_weights(_RNG, 8, 16)
_MASK = np.array([True, True, False])
_FIVE = _RNG.normal(size=(5, 12))
_SHARED = {n_groups: random_weights(_RNG, 12, 20, n_groups * 2) for n_groups in (1, 2, 3, 6)}  # six heads of d_k = 2


LAYER_NORM = Exercise(
    "bert_layer.layer_norm",
    (
        Case("one vector", (np.array([1.0, 3.0]), np.ones(2), np.zeros(2), 0.0)),
        Case("each token by itself", (_X.round(1), np.ones(8), np.zeros(8))),
        Case("gamma", (np.array([[1.0, 3.0, 5.0, 7.0]]), np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(4))),
        Case("gamma and beta", (np.array([[1.0, 3.0, 5.0]]), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))),
        Case("a constant vector: eps keeps it from 0 / 0", (np.full((1, 4), 7.0), np.ones(4), np.zeros(4))),
        Case("a large eps", (np.array([[1.0, 3.0, 5.0]]), np.ones(3), np.zeros(3), 0.5)),
        Case("several texts", (_RNG.normal(size=(2, 3, 4)).round(1), np.ones(4), np.zeros(4))),
    ),
)


GELU = Exercise(
    "bert_layer.gelu",
    (
        Case("zero", (np.array([0.0]),)),
        Case("positive and negative numbers", (np.linspace(-3, 3, 7),)),
        Case("a matrix", (_X.round(1),)),
        Case("large numbers", (np.array([-20.0, 20.0]),)),
    ),
)


SPLIT_HEADS = Exercise(
    "bert_layer.split_heads",
    (
        Case("two heads", (np.arange(12.0).reshape(3, 4), 2)),
        Case("one head", (_X.round(1), 1)),
        Case("four heads", (_X.round(1), 4)),
    ),
)


MULTI_HEAD_ATTENTION = Exercise(
    "bert_layer.multi_head_attention",
    (
        Case("one head", (_X, _WEIGHTS, 1)),
        Case("two heads", (_X, _WEIGHTS, 2)),
        Case("a mask: the last token is padding", (_X, _WEIGHTS, 2, _MASK)),
        Case("a mask with a hole", (_X, _WEIGHTS, 2, np.array([True, False, True]))),
    ),
)


GROUPED_QUERY_ATTENTION = Exercise(
    "bert_layer.grouped_query_attention",
    (
        Case("a group for each head: multi-head attention", (_FIVE, _SHARED[6], 6, 6)),
        Case("one group: all heads share keys and values", (_FIVE, _SHARED[1], 6, 1)),
        Case("two groups of three heads", (_FIVE, _SHARED[2], 6, 2)),
        Case("three groups, the last two tokens are padding", (_FIVE, _SHARED[3], 6, 3, np.arange(5) < 3)),
    ),
)


FEED_FORWARD = Exercise(
    "bert_layer.feed_forward",
    (Case("three tokens", (_X, _WEIGHTS)), Case("one token", (_X[:1], _WEIGHTS))),
)


BERT_LAYER = Exercise(
    "bert_layer.bert_layer",
    (Case("three tokens, two heads", (_X, _WEIGHTS, 2)), Case("a mask", (_X, _WEIGHTS, 2, _MASK))),
)


PRE_NORM_LAYER = Exercise(
    "bert_layer.pre_norm_layer",
    (
        Case("one token", (_X[:1], _WEIGHTS, 2)),
        Case("three tokens, two heads", (_X, _WEIGHTS, 2)),
        Case("a mask", (_X, _WEIGHTS, 2, _MASK)),
    ),
)
