"""Checks of assignment 3: a layer of BERT on given weights, in NumPy.

Weights are a dictionary: W_Q, W_K, W_V, W_O of shape (d_model, d_model), W_1 (d_model, d_ff), W_2 (d_ff, d_model), the
b_ that goes with each, and gamma_1, beta_1, gamma_2, beta_2 of the two layer norms. A row vector is multiplied from the
left: x W + b.
"""

from __future__ import annotations

import math

import numpy as np

from tutorial_lib.coursework.attention import attention
from tutorial_lib.coursework.exercise import Case, Exercise

EPS = 1e-12


def layer_norm(x, gamma, beta, eps=EPS):
    """The right answer: mean 0 and variance 1 along the last axis, then scaled and shifted."""
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + eps) * gamma + beta


def gelu(x):
    """The right answer: x times the probability that a standard normal number lies below x."""
    return x * (1 + np.vectorize(math.erf)(np.asarray(x) / math.sqrt(2))) / 2


def split_heads(X, n_heads):
    """The right answer: (n, d_model) -> (n_heads, n, d_k); head h takes the columns h d_k to (h + 1) d_k."""
    return X.reshape(len(X), n_heads, -1).swapaxes(0, 1)


def multi_head_attention(X, weights, n_heads, mask=None):
    """The right answer: (n, d_model) -> (n, d_model)."""
    Q, K, V = (split_heads(X @ weights[f"W_{part}"] + weights[f"b_{part}"], n_heads) for part in "QKV")
    heads, _ = attention(Q, K, V, mask)  # (n_heads, n, d_k)
    return heads.swapaxes(0, 1).reshape(X.shape) @ weights["W_O"] + weights["b_O"]


def feed_forward(X, weights):
    """The right answer: (n, d_model) -> (n, d_model) through d_ff."""
    return gelu(X @ weights["W_1"] + weights["b_1"]) @ weights["W_2"] + weights["b_2"]


def bert_layer(X, weights, n_heads, mask=None):
    """The right answer: attend, add, normalize; feed forward, add, normalize."""
    X = layer_norm(X + multi_head_attention(X, weights, n_heads, mask), weights["gamma_1"], weights["beta_1"])
    return layer_norm(X + feed_forward(X, weights), weights["gamma_2"], weights["beta_2"])


def random_weights(rng, d_model, d_ff):
    """Weights of a layer, of the sizes that a trained one has about."""
    shapes = dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (d_model, d_model)) | {
        "W_1": (d_model, d_ff),
        "W_2": (d_ff, d_model),
    }
    weights = {name: rng.normal(size=shape) / math.sqrt(shape[0]) for name, shape in shapes.items()}
    weights |= {name.replace("W", "b"): rng.normal(size=shape[1]) for name, shape in shapes.items()}
    for norm in ("1", "2"):
        weights |= {f"gamma_{norm}": rng.uniform(0.5, 2, d_model), f"beta_{norm}": rng.normal(size=d_model)}
    return weights


def weights_of(bert, layer):
    """The weights of one layer of a `tutorial_lib.bert.Bert`, as NumPy arrays under the names above."""
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


def _normal_with(axis=-1, ddof=0, root=True, affine=True, center=True):
    """Layer norm with one step made otherwise: a usual mistake."""

    def made(x, gamma, beta, eps=EPS):
        centered = x - x.mean(axis=axis, keepdims=True) if center else x
        spread = x.var(axis=axis, ddof=ddof, keepdims=True) + eps
        normal = centered / (np.sqrt(spread) if root else spread)
        return normal * gamma + beta if affine else normal

    return made


LAYER_NORM = Exercise(
    "layer_norm",
    layer_norm,
    (
        Case("one vector", (np.array([1.0, 3.0]), np.ones(2), np.zeros(2), 0.0)),
        Case("each token by itself", (_X, np.ones(8), np.zeros(8))),
        Case("gamma and beta", (_X, _WEIGHTS["gamma_1"], _WEIGHTS["beta_1"])),
        Case("a constant vector: eps keeps it from 0 / 0", (np.full((1, 4), 7.0), np.ones(4), np.zeros(4))),
    ),
    {
        "mean and variance run over tokens; a token is normalized along its own d_model numbers: axis=-1": _normal_with(
            0
        ),
        "mean and variance run over the whole array; take axis=-1": _normal_with(None),
        "the variance divides by d_model - 1; layer norm divides by d_model (ddof=0)": _normal_with(ddof=1),
        "it is divided by the variance; take its square root": _normal_with(root=False),
        "gamma and beta are not used": _normal_with(affine=False),
        "the mean is not taken off": _normal_with(center=False),
        "eps is missing: a constant vector gives 0 / 0": lambda x, gamma, beta, eps=EPS: layer_norm(
            x, gamma, beta, 0.0
        ),
    },
)

GELU = Exercise(
    "gelu",
    gelu,
    (
        Case("zero", (np.array([0.0]),)),
        Case("positive and negative numbers", (np.linspace(-3, 3, 7),)),
        Case("a matrix", (_X,)),
    ),
    {
        "this is the tanh approximation, which GPT-2 uses; BERT takes erf": lambda x: (
            0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        ),
        "this is the sigmoid approximation x * sigmoid(1.702 x); BERT takes erf": lambda x: (
            x / (1 + np.exp(-1.702 * x))
        ),
        "this is ReLU": lambda x: np.maximum(x, 0),
        "the probability itself came back; multiply it by x": lambda x: (
            (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
        ),
        "erf takes x / sqrt(2), not x": lambda x: x * (1 + np.vectorize(math.erf)(x)) / 2,
    },
)

SPLIT_HEADS = Exercise(
    "split_heads",
    split_heads,
    (
        Case("two heads", (np.arange(12.0).reshape(3, 4), 2)),
        Case("one head", (_X, 1)),
        Case("four heads", (_X, 4)),
    ),
    {
        "the tokens are cut up, not the columns: split the last axis, then move the heads to the front": lambda X, h: (
            X.reshape(h, len(X), -1)
        ),
        "the heads stand in the middle; swap the first two axes": lambda X, h: X.reshape(len(X), h, -1),
        "neighboring columns go to different heads; a head takes d_k columns in a row": lambda X, h: np.moveaxis(
            X.reshape(len(X), -1, h), -1, 0
        ),
    },
)


def _mha_with(heads_first=True, output=True, biases=True, mask_of=lambda mask: mask, scale=None):
    def made(X, weights, n_heads, mask=None):
        w = weights if biases else {name: value * (name[0] != "b") for name, value in weights.items()}
        Q, K, V = (split_heads(X @ w[f"W_{part}"] + w[f"b_{part}"], n_heads) for part in "QKV")
        heads, _ = attention(
            Q if scale is None else Q * scale(X, n_heads), K, V, None if mask is None else mask_of(mask)
        )
        joined = (heads.swapaxes(0, 1) if heads_first else heads).reshape(X.shape)
        return joined @ w["W_O"] + w["b_O"] if output else joined

    return made


def _transposed(weights):
    return {name: value.T if name[0] == "W" else value for name, value in weights.items()}


MULTI_HEAD_ATTENTION = Exercise(
    "multi_head_attention",
    multi_head_attention,
    (
        Case("one head", (_X, _WEIGHTS, 1)),
        Case("two heads", (_X, _WEIGHTS, 2)),
        Case("a mask: the last token is padding", (_X, _WEIGHTS, 2, _MASK)),
    ),
    {
        "the heads are put side by side without swapping the axes back first": _mha_with(heads_first=False),
        "W_O and b_O are missing": _mha_with(output=False),
        "the biases are missing": _mha_with(biases=False),
        "the mask is inverted: True marks a token that may be attended to": _mha_with(mask_of=lambda mask: ~mask),
        "the scores are divided by sqrt(d_model); a head's vectors have d_k = d_model / n_heads numbers": _mha_with(
            scale=lambda X, h: 1 / math.sqrt(h)
        ),
        "the weights are transposed: here a row is multiplied from the left, x W": lambda X, w, *rest: (
            multi_head_attention(X, _transposed(w), *rest)
        ),
    },
)

FEED_FORWARD = Exercise(
    "feed_forward",
    feed_forward,
    (Case("three tokens", (_X, _WEIGHTS)),),
    {
        "the activation is missing": lambda X, w: (X @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"],
        "the activation comes after both maps; it stands between them": lambda X, w: gelu(
            (X @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"]
        ),
        "the activation is ReLU; BERT has GELU": lambda X, w: (
            np.maximum(X @ w["W_1"] + w["b_1"], 0) @ w["W_2"] + w["b_2"]
        ),
        "the residual is added here already; the layer adds it": lambda X, w: X + feed_forward(X, w),
    },
)


def _pre_norm(X, w, n_heads, mask=None):
    X = X + multi_head_attention(layer_norm(X, w["gamma_1"], w["beta_1"]), w, n_heads, mask)
    return X + feed_forward(layer_norm(X, w["gamma_2"], w["beta_2"]), w)


def _no_residual(X, w, n_heads, mask=None):
    X = layer_norm(multi_head_attention(X, w, n_heads, mask), w["gamma_1"], w["beta_1"])
    return layer_norm(feed_forward(X, w), w["gamma_2"], w["beta_2"])


def _first_input_again(X, w, n_heads, mask=None):
    attended = layer_norm(X + multi_head_attention(X, w, n_heads, mask), w["gamma_1"], w["beta_1"])
    return layer_norm(X + feed_forward(attended, w), w["gamma_2"], w["beta_2"])


def _swapped_norms(X, w, *rest):
    other = {"gamma_1": w["gamma_2"], "gamma_2": w["gamma_1"], "beta_1": w["beta_2"], "beta_2": w["beta_1"]}
    return bert_layer(X, w | other, *rest)


BERT_LAYER = Exercise(
    "bert_layer",
    bert_layer,
    (Case("three tokens, two heads", (_X, _WEIGHTS, 2)), Case("a mask", (_X, _WEIGHTS, 2, _MASK))),
    {
        "the residual sums are missing: each step is added to its own input": _no_residual,
        "the norms stand before the steps, as in GPT-2; BERT normalizes after each sum": _pre_norm,
        "the second sum takes the layer's input; it takes the output of the first norm": _first_input_again,
        "the two norms are swapped": _swapped_norms,
        "the mask is not passed on to the attention": lambda X, w, n_heads, mask=None: bert_layer(X, w, n_heads),
    },
)


def check_layer_norm(student):
    """Check a layer norm: (x (..., d_model), gamma, beta, eps=1e-12) -> (..., d_model)."""
    return LAYER_NORM.check(student)


def check_gelu(student):
    """Check BERT's activation: an array of any shape -> the same shape."""
    return GELU.check(student)


def check_split_heads(student):
    """Check the split into heads: (X (n, d_model), n_heads) -> (n_heads, n, d_k)."""
    return SPLIT_HEADS.check(student)


def check_multi_head_attention(student):
    """Check multi-head attention: (X, weights, n_heads, mask=None) -> (n, d_model). mask: True = may be attended to."""
    return MULTI_HEAD_ATTENTION.check(student)


def check_feed_forward(student):
    """Check the feed-forward part: (X, weights) -> (n, d_model)."""
    return FEED_FORWARD.check(student)


def check_bert_layer(student):
    """Check a whole layer of BERT: (X, weights, n_heads, mask=None) -> (n, d_model)."""
    return BERT_LAYER.check(student)
