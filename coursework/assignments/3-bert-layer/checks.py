"""The marks of assignment 3: random weights, and every layer of the real BERT on a random text."""

from functools import partial
from itertools import pairwise

import numpy as np

from coursework.checks import call, trace_of_words
from tutorial_book.exercises.bert_layer import random_weights, weights_of


def _texts(rng):
    """X, weights, n_heads and a mask with padding, of three texts. Sizes differ, so that no axis is mixed up."""
    for _ in range(3):
        n, heads, d_k, d_ff = (int(rng.integers(*bounds)) for bounds in ((5, 8), (2, 5), (8, 11), (50, 60)))
        mask = np.arange(n) < rng.integers(2, n)
        yield rng.normal(size=(n, heads * d_k)), random_weights(rng, heads * d_k, d_ff), heads, mask


def _with_and_without_padding(name, rng):
    for X, weights, heads, mask in _texts(rng):
        yield call(name, X, weights, heads, case="without a mask")
        yield call(name, X, weights, heads, mask, case="with padding")


multi_head_attention_hidden = partial(_with_and_without_padding, "multi_head_attention")
bert_layer_hidden = partial(_with_and_without_padding, "bert_layer")
pre_norm_layer_hidden = partial(_with_and_without_padding, "pre_norm_layer")


def layer_norm_hidden(rng):
    for shape in ((3, 8), (7,), (2, 3, 5)):
        gamma, beta = rng.normal(size=(2, shape[-1]))
        yield call("layer_norm", rng.normal(5, 3, size=shape), gamma, beta)
        yield call("layer_norm", rng.normal(5, 3, size=shape), gamma, beta, float(rng.uniform(0.1, 1)))
    constant = np.full((2, 4), float(rng.integers(1, 1000)))  # a whole number: the mean of four is exact
    yield call("layer_norm", constant, np.ones(4), rng.normal(size=4))


def gelu_hidden(rng):
    yield call("gelu", rng.normal(scale=3, size=(4, 5)))
    yield call("gelu", np.array([-1.0, 1.0]) * rng.uniform(20, 40))


def split_heads_hidden(rng):
    for X, _, heads, _ in _texts(rng):
        yield call("split_heads", X, heads)


def grouped_query_attention_hidden(rng):
    for n_heads, n_groups in ((4, 1), (4, 2), (6, 3)):
        d_k, n = (int(size) for size in rng.choice([3, 5, 7, 8], size=2, replace=False))
        weights = random_weights(rng, n_heads * d_k, 10, n_groups * d_k)
        arguments = rng.normal(size=(n, n_heads * d_k)), weights, n_heads, n_groups
        case = "one group" if n_groups == 1 else "several groups"
        yield call("grouped_query_attention", *arguments, case=case)
        mask = np.arange(n) < rng.integers(1, 3)
        yield call("grouped_query_attention", *arguments, mask, case="with padding")


def feed_forward_hidden(rng):
    for X, weights, *_ in _texts(rng):
        yield call("feed_forward", X, weights)


def bert_layer_bert(rng):
    """Each layer on what the layers below it make of random words and padding."""
    bert, mask, trace = trace_of_words(rng, int(rng.integers(6, 12)), pad_to=int(rng.integers(15, 19)))
    names = ["embeddings.output", *(f"layer.{i}.output" for i in range(bert.config.n_layers))]
    states = [trace[name][0].numpy() for name in names]
    for layer, (X, after) in enumerate(pairwise(states)):
        arguments = (X, weights_of(bert, layer), bert.config.n_heads, mask)
        yield call("bert_layer", *arguments, expect=after, tolerance=1e-4)
