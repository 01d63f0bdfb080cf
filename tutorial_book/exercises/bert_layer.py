"""Checks of assignment 3: a layer of BERT on given weights, in NumPy, and two variants that no chapter prints.

Weights are a dictionary: W_Q, W_K, W_V, W_O of shape (d_model, d_model), W_1 (d_model, d_ff), W_2 (d_ff, d_model), the
b_ that goes with each, and gamma_1, beta_1, gamma_2, beta_2 of the two layer norms. A row vector is multiplied from the
left: x W + b. For grouped queries, W_K and W_V have the shape (d_model, n_groups d_k).
"""

from __future__ import annotations

import math

import numpy as np

from tutorial_book.exercises.attention import attention
from tutorial_book.exercises.exercise import Case, Exercise

EPS = 1e-12
_MAPS = "W_Q", "W_K", "W_V", "W_O"


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
    return _joined(heads) @ weights["W_O"] + weights["b_O"]


def grouped_query_attention(X, weights, n_heads, n_groups, mask=None):
    """The right answer: multi-head attention where n_heads / n_groups heads in a row share keys and values."""
    return _grouped_with()(X, weights, n_heads, n_groups, mask)


def feed_forward(X, weights):
    """The right answer: (n, d_model) -> (n, d_model) through d_ff."""
    return gelu(X @ weights["W_1"] + weights["b_1"]) @ weights["W_2"] + weights["b_2"]


def bert_layer(X, weights, n_heads, mask=None):
    """The right answer: attend, add, normalize; feed forward, add, normalize."""
    X = layer_norm(X + multi_head_attention(X, weights, n_heads, mask), weights["gamma_1"], weights["beta_1"])
    return layer_norm(X + feed_forward(X, weights), weights["gamma_2"], weights["beta_2"])


def rms_norm(x, gamma, eps=EPS):
    """The right answer: divided by the root of the mean square, then scaled; no mean is taken off, no beta added."""
    return gamma * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)


def pre_norm_layer(X, weights, n_heads, mask=None):
    """The right answer: normalize, attend, add; normalize, feed forward, add. The norm is rms_norm."""
    return _pre_norm_with()(X, weights, n_heads, mask)


def random_weights(rng, d_model, d_ff, d_keys=None):
    """Weights of a layer, of the sizes that a trained one has about. d_keys: columns of W_K and W_V, if not d_model."""
    shapes = dict.fromkeys(("W_Q", "W_O"), (d_model, d_model))
    shapes |= dict.fromkeys(("W_K", "W_V"), (d_model, d_keys or d_model))
    shapes |= {"W_1": (d_model, d_ff), "W_2": (d_ff, d_model)}
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


def _joined(heads):
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)  # (n_heads, n, d_k) -> (n, d_model)


# --- the usual mistakes --------------------------------------------------------------------------------------------


def _layer_norm_with(axis=-1, ddof=0, keepdims=True, scale=lambda variance, eps: np.sqrt(variance + eps), center=True):
    """Layer norm with one step made otherwise, without the gamma and beta."""

    def made(x, gamma, beta, eps=EPS):
        mean = x.mean(axis=axis, keepdims=keepdims)
        variance = x.var(axis=axis, ddof=ddof, keepdims=keepdims)
        return (x - mean if center else x) / scale(variance, eps)

    return made


def _scaled(normal, affine=lambda z, gamma, beta: z * gamma + beta):
    """A layer norm out of a function that normalizes, and what gamma and beta do to it."""
    return lambda x, gamma, beta, eps=EPS: affine(normal(x, gamma, beta, eps), gamma, beta)


def _phi(x):
    return (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def _split_columns(X, weights, n_heads, parts="QKV"):
    return [split_heads(X @ weights[f"W_{part}"] + weights[f"b_{part}"], n_heads) for part in parts]


def _mha_with(split=_split_columns, attend=attention, join=None, output=None, mask_of=lambda mask: mask):
    """Multi-head attention with one step made otherwise. mask_of: what becomes of a mask that is given."""

    def made(X, weights, n_heads, mask=None):
        heads, _ = attend(*split(X, weights, n_heads), None if mask is None else mask_of(mask))
        joined = join(heads) if join else _joined(heads)
        return output(joined, weights) if output else joined @ weights["W_O"] + weights["b_O"]

    return made


def _without(*missing):
    """The weights with zeros in place of some."""
    return lambda weights: {name: 0 * value if name in missing else value for name, value in weights.items()}


def _transposed(*which):
    """The weights with some matrices transposed."""
    return lambda weights: {name: value.T if name in which else value for name, value in weights.items()}


def _given(change, function):
    """The function with its weights changed first: another usual way to get them wrong."""
    return lambda X, weights, *rest: function(X, change(weights), *rest)


def _attention_scaled_by(divisor):
    """Attention whose scores are divided by the root of something else than d_k; divisor gets the queries."""
    return lambda Q, K, V, mask: attention(Q * np.sqrt(Q.shape[-1] / divisor(Q)), K, V, mask)


def _grouped_with(spread=lambda part, times: np.repeat(part, times, axis=0), **steps):
    """Grouped-query attention with one step made otherwise. spread: (n_groups, n, d_k) -> (n_heads, n, d_k)."""

    def made(X, weights, n_heads, n_groups, mask=None):
        def split(X, weights, n_heads):
            (Q,) = _split_columns(X, weights, n_heads, "Q")
            return Q, *(spread(part, n_heads // n_groups) for part in _split_columns(X, weights, n_groups, "KV"))

        return _mha_with(split, **steps)(X, weights, n_heads, mask)

    return made


def _few_queries(X, weights, n_heads, n_groups, mask=None):
    heads, _ = attention(*_split_columns(X, weights, n_groups), mask)
    return _joined(heads) @ weights["W_O"] + weights["b_O"]


def _layer_with(attend=multi_head_attention, feed=feed_forward, norms=(1, 2), residuals=(1, 1)):
    """A layer with one step made otherwise. norms: the number of each norm, or None; residuals: how often to add."""

    def made(X, weights, n_heads, mask=None):
        def norm(x, number):
            return layer_norm(x, weights[f"gamma_{number}"], weights[f"beta_{number}"]) if number else x

        X = norm(residuals[0] * X + attend(X, weights, n_heads, mask), norms[0])
        return norm(residuals[1] * X + feed(X, weights), norms[1])

    return made


def _first_input_again(X, w, n_heads, mask=None):
    attended = layer_norm(X + multi_head_attention(X, w, n_heads, mask), w["gamma_1"], w["beta_1"])
    return layer_norm(X + feed_forward(attended, w), w["gamma_2"], w["beta_2"])


def _norm_before_sum(X, w, n_heads, mask=None):
    X = X + layer_norm(multi_head_attention(X, w, n_heads, mask), w["gamma_1"], w["beta_1"])
    return X + layer_norm(feed_forward(X, w), w["gamma_2"], w["beta_2"])


def _both_at_once(X, w, n_heads, mask=None):
    fed = feed_forward(X, w)
    X = layer_norm(X + multi_head_attention(X, w, n_heads, mask), w["gamma_1"], w["beta_1"])
    return layer_norm(X + fed, w["gamma_2"], w["beta_2"])


def _fed_first(X, w, n_heads, mask=None):
    X = layer_norm(X + feed_forward(X, w), w["gamma_2"], w["beta_2"])
    return layer_norm(X + multi_head_attention(X, w, n_heads, mask), w["gamma_1"], w["beta_1"])


def _pre_norm_with(norm=lambda x, gamma, beta: rms_norm(x, gamma), numbers=(1, 2), kept=(False, False), last=False):
    """A pre-LN layer with one step made otherwise.

    numbers: of each norm, or None. kept: whether the sum takes what is normalized. last: a norm at the end as well.
    """

    def made(X, w, n_heads, mask=None):
        def normal(x, number):
            return norm(x, w[f"gamma_{number}"], w[f"beta_{number}"]) if number else x

        inner = normal(X, numbers[0])
        X = (inner if kept[0] else X) + multi_head_attention(inner, w, n_heads, mask)
        inner = normal(X, numbers[1])
        X = (inner if kept[1] else X) + feed_forward(inner, w)
        return normal(X, 2) if last else X

    return made


def _fed_normal(X, w):
    return feed_forward(rms_norm(X, w["gamma_2"]), w)


def _post_rms(X, w, n_heads, mask=None):
    X = rms_norm(X + multi_head_attention(X, w, n_heads, mask), w["gamma_1"])
    return rms_norm(X + feed_forward(X, w), w["gamma_2"])


# --- the exercises -------------------------------------------------------------------------------------------------

_RNG = np.random.default_rng(0)
_X = _RNG.normal(size=(3, 8))
_WEIGHTS = random_weights(_RNG, 8, 16)
_MASK = np.array([True, True, False])
_FIVE = _RNG.normal(size=(5, 12))
_SHARED = {n_groups: random_weights(_RNG, 12, 20, n_groups * 2) for n_groups in (1, 2, 3, 6)}  # six heads of d_k = 2

LAYER_NORM = Exercise(
    "layer_norm",
    layer_norm,
    (
        Case("one vector", (np.array([1.0, 3.0]), np.ones(2), np.zeros(2), 0.0)),
        Case("each token by itself", (_X.round(1), np.ones(8), np.zeros(8))),
        Case("gamma", (np.array([[1.0, 3.0, 5.0, 7.0]]), np.array([1.0, 2.0, 3.0, 4.0]), np.zeros(4))),
        Case("gamma and beta", (np.array([[1.0, 3.0, 5.0]]), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))),
        Case("a constant vector: eps keeps it from 0 / 0", (np.full((1, 4), 7.0), np.ones(4), np.zeros(4))),
        Case("a large eps", (np.array([[1.0, 3.0, 5.0]]), np.ones(3), np.zeros(3), 0.5)),
        Case("several texts", (_RNG.normal(size=(2, 3, 4)).round(1), np.ones(4), np.zeros(4))),
    ),
    {
        "mean and variance run over tokens; a token is normalized along its own d_model numbers: axis=-1": _scaled(
            _layer_norm_with(0)
        ),
        "mean and variance run over the whole array; take axis=-1": _scaled(_layer_norm_with(None)),
        "axis=1 is the last axis of a matrix only; axis=-1 is the last of any array": _scaled(_layer_norm_with(1)),
        "mean and variance must keep their axis to line up with the tokens: keepdims=True": _scaled(
            _layer_norm_with(keepdims=False)
        ),
        "the variance divides by d_model - 1; layer norm divides by d_model (ddof=0)": _scaled(
            _layer_norm_with(ddof=1)
        ),
        "it is divided by the variance; take its square root": _scaled(
            _layer_norm_with(scale=lambda variance, eps: variance + eps)
        ),
        "the variance stands under the root, not the standard deviation": _scaled(
            _layer_norm_with(scale=lambda variance, eps: np.sqrt(np.sqrt(variance) + eps))
        ),
        "it is not divided by the standard deviation": _scaled(_layer_norm_with(scale=lambda variance, eps: 1)),
        "it is divided by the length; the standard deviation is the length / sqrt(d_model)": _scaled(
            lambda x, gamma, beta, eps: _layer_norm_with()(x, gamma, beta, eps / x.shape[-1]) / math.sqrt(x.shape[-1])
        ),
        "the mean is not taken off": _scaled(_layer_norm_with(center=False)),
        "gamma and beta are not used": _layer_norm_with(),
        "gamma is not used": _scaled(_layer_norm_with(), lambda z, gamma, beta: z + beta),
        "beta is not used": _scaled(_layer_norm_with(), lambda z, gamma, beta: z * gamma),
        "first gamma, then beta: beta is not scaled": _scaled(
            _layer_norm_with(), lambda z, gamma, beta: (z + beta) * gamma
        ),
        "gamma @ z adds up; gamma * z multiplies number by number": _scaled(
            _layer_norm_with(), lambda z, gamma, beta: gamma @ z + beta
        ),
        "gamma and beta are swapped: gamma multiplies, beta is added": _scaled(
            _layer_norm_with(), lambda z, gamma, beta: z * beta + gamma
        ),
        "gamma multiplies; here it divides": _scaled(_layer_norm_with(), lambda z, gamma, beta: z / gamma + beta),
        "beta is added; here it is subtracted": _scaled(_layer_norm_with(), lambda z, gamma, beta: z * gamma - beta),
        "eps is missing: a constant vector gives 0 / 0": lambda x, gamma, beta, eps=EPS: layer_norm(
            x, gamma, beta, 0.0
        ),
        "eps belongs under the root, beside the variance": _scaled(
            _layer_norm_with(scale=lambda variance, eps: np.sqrt(variance) + eps)
        ),
        "eps is an argument: this one has a value of its own": lambda x, gamma, beta, eps=EPS: layer_norm(
            x, gamma, beta
        ),
    },
)

GELU = Exercise(
    "gelu",
    gelu,
    (
        Case("zero", (np.array([0.0]),)),
        Case("positive and negative numbers", (np.linspace(-3, 3, 7),)),
        Case("a matrix", (_X.round(1),)),
        Case("large numbers", (np.array([-20.0, 20.0]),)),
    ),
    {
        "this is the tanh approximation, which GPT-2 uses; BERT takes erf": lambda x: (
            0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        ),
        "this is the sigmoid approximation x * sigmoid(1.702 x); BERT takes erf": lambda x: (
            x / (1 + np.exp(-1.702 * x))
        ),
        "this is x * sigmoid(x), known as SiLU; BERT takes erf": lambda x: x / (1 + np.exp(-x)),
        "this is ReLU": lambda x: np.maximum(x, 0),
        "the probability itself came back; multiply it by x": _phi,
        "this is erf alone": lambda x: np.vectorize(math.erf)(x / math.sqrt(2)),
        "erf takes x / sqrt(2), not x": lambda x: x * (1 + np.vectorize(math.erf)(x)) / 2,
        "erf takes x divided by sqrt(2), not multiplied": lambda x: x * _phi(2 * x),
        "erf takes x / sqrt(2), not x / 2": lambda x: x * _phi(x / math.sqrt(2)),
        "the factor 1/2 is missing": lambda x: 2 * x * _phi(x),
        "1 is added to erf before it is halved": lambda x: x * (_phi(x) - 0.5),
        "x / sqrt(2) goes into erf": lambda x: x * (1 + np.vectorize(math.erf)(x) / math.sqrt(2)) / 2,
        "1 + erf(...) belongs into brackets, times x / 2": lambda x: x / 2 + np.vectorize(math.erf)(x / math.sqrt(2)),
        "a loop over x meets the rows of a matrix; np.vectorize(math.erf) takes an array of any shape": lambda x: (
            np.array([v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x])
        ),
        "math.erf takes one number; np.vectorize(math.erf) takes an array": lambda x: x * math.erf(x),
        "NumPy has no erf; np.vectorize(math.erf) takes an array": lambda x: np.erf(x),
    },
)

SPLIT_HEADS = Exercise(
    "split_heads",
    split_heads,
    (
        Case("two heads", (np.arange(12.0).reshape(3, 4), 2)),
        Case("one head", (_X.round(1), 1)),
        Case("four heads", (_X.round(1), 4)),
    ),
    {
        "the tokens are cut up, not the columns: split the last axis, then move the heads to the front": lambda X, h: (
            X.reshape(h, len(X), -1)
        ),
        "the heads stand in the middle; swap the first two axes": lambda X, h: X.reshape(len(X), h, -1),
        "neighboring columns go to different heads; a head takes d_k columns in a row": lambda X, h: np.moveaxis(
            X.reshape(len(X), -1, h), -1, 0
        ),
        "the heads stand in the last axis, and each takes every n_heads-th column; cut the last axis into "
        "(n_heads, d_k)": lambda X, h: X.reshape(len(X), -1, h),
        "the last two axes are swapped: a head is (n, d_k)": lambda X, h: split_heads(X, h).swapaxes(1, 2),
        "the axes are all turned around: swapaxes(0, 1) swaps the first two only": lambda X, h: (
            X.reshape(len(X), h, -1).T
        ),
        "np.split cuts the rows up; give it axis=1": lambda X, h: np.array(np.split(X, h)),
        "a shape has whole numbers only: // divides without a rest, / gives a float": lambda X, h: X.reshape(
            len(X), h, X.shape[1] / h
        ),
        "this is one head only": lambda X, h: X[:, : X.shape[1] // h],
    },
)

MULTI_HEAD_ATTENTION = Exercise(
    "multi_head_attention",
    multi_head_attention,
    (
        Case("one head", (_X, _WEIGHTS, 1)),
        Case("two heads", (_X, _WEIGHTS, 2)),
        Case("a mask: the last token is padding", (_X, _WEIGHTS, 2, _MASK)),
        Case("a mask with a hole", (_X, _WEIGHTS, 2, np.array([True, False, True]))),
    ),
    {
        "the heads are put side by side without swapping the axes back first": _mha_with(
            join=lambda heads: heads.reshape(heads.shape[1], -1)
        ),
        "the heads are added up; put them side by side": _mha_with(
            join=lambda heads: np.tile(heads.sum(axis=0), len(heads))
        ),
        "the heads are averaged; put them side by side": _mha_with(
            join=lambda heads: np.tile(heads.mean(axis=0), len(heads))
        ),
        "W_O takes all heads of a token side by side, d_model numbers; here a row has fewer": _mha_with(
            join=lambda heads: heads.mean(axis=0)
        ),
        "the heads still stand one behind the other; put them side by side": _mha_with(join=lambda heads: heads),
        "W_O and b_O are missing": _mha_with(output=lambda joined, weights: joined),
        "b_O is missing": _given(_without("b_O"), multi_head_attention),
        "b_O is added once, not once for each head": lambda X, weights, n_heads, mask=None: (
            multi_head_attention(X, weights, n_heads, mask) + (n_heads - 1) * weights["b_O"]
        ),
        "W_Q, W_K and W_V are not used": _mha_with(lambda X, weights, n_heads: [split_heads(X, n_heads)] * 3),
        "W_O is missing": _mha_with(output=lambda joined, weights: joined + weights["b_O"]),
        "the biases are missing": _given(_without("b_Q", "b_K", "b_V", "b_O"), multi_head_attention),
        "the biases of queries, keys and values are missing": _given(
            _without("b_Q", "b_K", "b_V"), multi_head_attention
        ),
        "b_Q is missing": _given(_without("b_Q"), multi_head_attention),
        "b_V is missing": _given(_without("b_V"), multi_head_attention),
        "queries and keys are swapped": _mha_with(lambda *a: [_split_columns(*a)[i] for i in (1, 0, 2)]),
        "keys and values are swapped": _mha_with(lambda *a: [_split_columns(*a)[i] for i in (0, 2, 1)]),
        "all three parts are made with W_Q": _mha_with(lambda *a: _split_columns(*a, "QQQ")),
        "keys take W_K, values W_V: both are made with one of them": _mha_with(lambda *a: _split_columns(*a, "QKK")),
        "the split is missing: this is one head of d_model columns": lambda X, weights, n_heads, mask=None: (
            multi_head_attention(X, weights, 1, mask)
        ),
        "the mask is not used": _mha_with(mask_of=lambda mask: None),
        "the mask is inverted: True marks a token that may be attended to": _mha_with(mask_of=lambda mask: ~mask),
        "the mask hides queries; it must hide keys, the columns of the scores": _mha_with(
            mask_of=lambda mask: np.broadcast_to(mask[:, None], (len(mask), len(mask)))
        ),
        "whoever may attend to nothing becomes nan: hide keys only, padding attends like the others": _mha_with(
            mask_of=lambda mask: mask[:, None] & mask
        ),
        "a token set to 0 still has a key, b_K, and gets weight; hand the mask to attention": (
            lambda X, weights, n_heads, mask=None: multi_head_attention(
                X if mask is None else X * mask[:, None], weights, n_heads
            )
        ),
        "the scores are divided by sqrt(d_model); a head's vectors have d_k = d_model / n_heads numbers": _mha_with(
            attend=_attention_scaled_by(lambda Q: Q.shape[-1] * len(Q))
        ),
        "attention divides the scores by sqrt(d_k) already; here they are divided twice": _mha_with(
            attend=_attention_scaled_by(lambda Q: Q.shape[-1] ** 2)
        ),
        "the weights are transposed: here a row is multiplied from the left, x W": _given(
            _transposed(*_MAPS), multi_head_attention
        ),
        "W_Q, W_K and W_V are transposed: here a row is multiplied from the left, x W": _given(
            _transposed(*_MAPS[:3]), multi_head_attention
        ),
        "W_O is transposed: here a row is multiplied from the left, x W": _given(
            _transposed("W_O"), multi_head_attention
        ),
        "the residual is added here already; the layer adds it": lambda X, *rest: X + multi_head_attention(X, *rest),
        "attention gives back two things, (output, weights): take the first": lambda X, weights, n_heads, mask=None: (
            attention(*_split_columns(X, weights, n_heads), mask).swapaxes(0, 1)
        ),
    },
)

GROUPED_QUERY_ATTENTION = Exercise(
    "grouped_query_attention",
    grouped_query_attention,
    (
        Case("a group for each head: multi-head attention", (_FIVE, _SHARED[6], 6, 6)),
        Case("one group: all heads share keys and values", (_FIVE, _SHARED[1], 6, 1)),
        Case("two groups of three heads", (_FIVE, _SHARED[2], 6, 2)),
        Case("three groups, the last two tokens are padding", (_FIVE, _SHARED[3], 6, 3, np.arange(5) < 3)),
    ),
    {
        "heads of one group stand in a row: 0, 0, 0, 1, 1, 1 is np.repeat; 0, 1, 0, 1, 0, 1 is np.tile": _grouped_with(
            lambda part, times: np.tile(part, (times, 1, 1))
        ),
        "all heads share the first group here; head h takes group h // (n_heads / n_groups)": _grouped_with(
            lambda part, times: np.repeat(part[:1], times * len(part), axis=0)
        ),
        "head h takes group h // (n_heads / n_groups), not h // n_groups": _grouped_with(
            lambda part, times: part[np.arange(times * len(part)) // len(part)]
        ),
        "a group is repeated n_heads / n_groups times, not n_groups times": _grouped_with(
            lambda part, times: np.repeat(part, len(part), axis=0)
        ),
        "queries have n_heads heads, keys and values n_groups: split the queries into n_heads": _few_queries,
        "np.repeat needs an axis: the groups are the first, axis=0": _grouped_with(np.repeat),
        "np.repeat with axis=-1 repeats columns; the groups are axis 0": _grouped_with(
            lambda part, times: np.repeat(part, times, axis=-1)
        ),
        "columns are repeated, each by itself; split them into groups first, then repeat the groups": _grouped_with(
            lambda part, times: split_heads(np.repeat(_joined(part), times, axis=1), times * len(part))
        ),
        "the weights are transposed: here a row is multiplied from the left, x W": _given(
            _transposed(*_MAPS), grouped_query_attention
        ),
        "W_Q, W_K and W_V are transposed: here a row is multiplied from the left, x W": _given(
            _transposed(*_MAPS[:3]), grouped_query_attention
        ),
        "the groups are averaged; each keeps its own keys and values": _grouped_with(
            lambda part, times: np.repeat(part.mean(axis=0, keepdims=True), times * len(part), axis=0)
        ),
        "keys and values have n_groups heads, queries n_heads: repeat each group, along axis 0": _grouped_with(
            lambda part, times: part
        ),
        "keys and values have n_groups d_k columns: split them into n_groups heads": (
            lambda X, weights, n_heads, n_groups, mask=None: multi_head_attention(X, weights, n_heads, mask)
        ),
        "the heads are put side by side without swapping the axes back first": _grouped_with(
            join=lambda heads: heads.reshape(heads.shape[1], -1)
        ),
        "W_O and b_O are missing": _grouped_with(output=lambda joined, weights: joined),
        "b_O is missing": _given(_without("b_O"), grouped_query_attention),
        "the biases are missing": _given(_without("b_Q", "b_K", "b_V", "b_O"), grouped_query_attention),
        "the biases of queries, keys and values are missing": _given(
            _without("b_Q", "b_K", "b_V"), grouped_query_attention
        ),
        "the scores are divided by sqrt(d_model); a head's vectors have d_k = d_model / n_heads numbers": _grouped_with(
            attend=_attention_scaled_by(lambda Q: Q.shape[-1] * len(Q))
        ),
        "the mask is not used": _grouped_with(mask_of=lambda mask: None),
        "the mask is inverted: True marks a token that may be attended to": _grouped_with(mask_of=lambda mask: ~mask),
        "the mask hides queries; it must hide keys, the columns of the scores": _grouped_with(
            mask_of=lambda mask: np.broadcast_to(mask[:, None], (len(mask), len(mask)))
        ),
    },
)

FEED_FORWARD = Exercise(
    "feed_forward",
    feed_forward,
    (Case("three tokens", (_X, _WEIGHTS)), Case("one token", (_X[:1], _WEIGHTS))),
    {
        "the activation is missing": lambda X, w: (X @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"],
        "W_2 and b_2 are missing": lambda X, w: gelu(X @ w["W_1"] + w["b_1"]),
        "the activation comes after both maps; it stands between them": lambda X, w: gelu(
            (X @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"]
        ),
        "the activation comes after the second map once more; it stands between them only": lambda X, w: gelu(
            feed_forward(X, w)
        ),
        "the activation is ReLU; BERT has GELU": lambda X, w: (
            np.maximum(X @ w["W_1"] + w["b_1"], 0) @ w["W_2"] + w["b_2"]
        ),
        "b_1 comes before the activation, not after it": lambda X, w: (
            (gelu(X @ w["W_1"]) + w["b_1"]) @ w["W_2"] + w["b_2"]
        ),
        "b_1 is missing": _given(_without("b_1"), feed_forward),
        "b_2 is missing": _given(_without("b_2"), feed_forward),
        "both biases are missing": _given(_without("b_1", "b_2"), feed_forward),
        "the shapes do not fit: first W_1, then W_2, and none transposed, for a row is multiplied from the left, x W": (
            lambda X, w: gelu(X @ w["W_2"] + w["b_1"]) @ w["W_1"] + w["b_2"]
        ),
        "erf alone is no GELU: x * (1 + erf(x / sqrt(2))) / 2": lambda X, w: (
            np.vectorize(math.erf)(X @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"]
        ),
        "the residual is added here already; the layer adds it": lambda X, w: X + feed_forward(X, w),
    },
)

BERT_LAYER = Exercise(
    "bert_layer",
    bert_layer,
    (Case("three tokens, two heads", (_X, _WEIGHTS, 2)), Case("a mask", (_X, _WEIGHTS, 2, _MASK))),
    {
        "the residual sums are missing: each step is added to its own input": _layer_with(residuals=(0, 0)),
        "the first residual is missing: attention's output is added to X": _layer_with(residuals=(0, 1)),
        "the second residual is missing: the feed-forward part is added to its own input": _layer_with(
            residuals=(1, 0)
        ),
        "the first residual is added twice": _layer_with(residuals=(2, 1)),
        "the second residual is added twice": _layer_with(residuals=(1, 2)),
        "both norms are missing": _layer_with(norms=(None, None)),
        "the norm after attention is missing": _layer_with(norms=(None, 2)),
        "the norm after the feed-forward part is missing": _layer_with(norms=(1, None)),
        "the two norms are swapped": _layer_with(norms=(2, 1)),
        "the second norm has its own gamma_2 and beta_2": _layer_with(norms=(1, 1)),
        "the first norm takes gamma_1 and beta_1": _layer_with(norms=(2, 2)),
        "the norms stand before the steps, as in GPT-2; BERT normalizes after each sum": _pre_norm_with(layer_norm),
        "each step is normalized before it is added; BERT normalizes the sum": _norm_before_sum,
        "the second sum takes the layer's input; it takes the output of the first norm": _first_input_again,
        "the feed-forward part gets the layer's input; it takes the output of the first norm": _both_at_once,
        "attention comes first, then the feed-forward part": _fed_first,
        "the feed-forward part is missing": lambda X, w, *rest: layer_norm(
            X + multi_head_attention(X, w, *rest), w["gamma_1"], w["beta_1"]
        ),
        "the attention is missing": lambda X, w, *rest: layer_norm(X + feed_forward(X, w), w["gamma_2"], w["beta_2"]),
        "gamma and beta of both norms are not used": _given(
            lambda w: w | {name: w[name] * 0 + (name[0] == "g") for name in w if name[-1] in "12" and len(name) > 3},
            bert_layer,
        ),
        "n_heads is not passed on to the attention": _layer_with(
            lambda X, weights, n_heads, mask: multi_head_attention(X, weights, 1, mask)
        ),
        "the mask is not passed on to the attention": _layer_with(
            lambda X, weights, n_heads, mask: multi_head_attention(X, weights, n_heads)
        ),
        "the mask is inverted: True marks a token that may be attended to": lambda X, w, n_heads, mask=None: bert_layer(
            X, w, n_heads, mask if mask is None else ~mask
        ),
        "the rows of padding are set to 0; a mask only says whom the others may attend to": (
            lambda X, w, n_heads, mask=None: bert_layer(X, w, n_heads, mask) * (1 if mask is None else mask[:, None])
        ),
    },
)

PRE_NORM_LAYER = Exercise(
    "pre_norm_layer",
    pre_norm_layer,
    (
        Case("one token", (_X[:1], _WEIGHTS, 2)),
        Case("three tokens, two heads", (_X, _WEIGHTS, 2)),
        Case("a mask", (_X, _WEIGHTS, 2, _MASK)),
    ),
    {
        "this is BERT's layer; here the norm stands before each step, and nothing normalizes the sum": bert_layer,
        "the sums are normalized; here the norm stands before each step": _post_rms,
        "this is layer norm: the RMS norm takes no mean off and adds no beta": _pre_norm_with(layer_norm),
        "the mean is taken off; the RMS norm leaves it": _pre_norm_with(
            lambda x, gamma, beta: layer_norm(x, gamma, 0 * beta)
        ),
        "beta is added; the RMS norm has none": _pre_norm_with(lambda x, gamma, beta: rms_norm(x, gamma) + beta),
        "beta_1 is added; the RMS norm has none": _given(
            _without("beta_2"), _pre_norm_with(lambda x, gamma, beta: rms_norm(x, gamma) + beta)
        ),
        "the mean square runs over the tokens; each token has its own: axis=-1": _pre_norm_with(
            lambda x, gamma, beta: gamma * x / np.sqrt((x**2).mean(axis=0))
        ),
        "gamma is not used": _pre_norm_with(lambda x, gamma, beta: rms_norm(x, 1)),
        "it is divided by the mean square; take its root": _pre_norm_with(
            lambda x, gamma, beta: gamma * x / (x**2).mean(axis=-1, keepdims=True)
        ),
        "it is divided by the standard deviation: take the mean of the squares, not the variance": _pre_norm_with(
            lambda x, gamma, beta: gamma * x / x.std(axis=-1, keepdims=True)
        ),
        "the mean square must keep its axis to line up with the tokens: keepdims=True": _pre_norm_with(
            lambda x, gamma, beta: gamma * x / np.sqrt((x**2).mean(axis=-1))
        ),
        "it is divided by the length: take the mean of the squares, not their sum": _pre_norm_with(
            lambda x, gamma, beta: gamma * x / np.linalg.norm(x, axis=-1, keepdims=True)
        ),
        "the mean square runs over the whole array; each token has its own: axis=-1": _pre_norm_with(
            lambda x, gamma, beta: gamma * x / np.sqrt((x**2).mean())
        ),
        "the sums take what was normalized; they take what came in, as it was": _pre_norm_with(kept=(True, True)),
        "the first sum takes the normalized X; it takes X as it was": _pre_norm_with(kept=(True, False)),
        "the second sum takes what was normalized; it takes the first sum as it was": _pre_norm_with(
            kept=(False, True)
        ),
        "the norm before attention is missing": _pre_norm_with(numbers=(None, 2)),
        "the norm before the feed-forward part is missing": _pre_norm_with(numbers=(1, None)),
        "the two norms are swapped": _pre_norm_with(numbers=(2, 1)),
        "the second norm has its own gamma_2": _pre_norm_with(numbers=(1, 1)),
        "nothing normalizes at the end of this layer": _pre_norm_with(last=True),
        "the residual sums are missing": lambda X, w, *rest: _fed_normal(
            multi_head_attention(rms_norm(X, w["gamma_1"]), w, *rest), w
        ),
        "the second sum takes the layer's input; it takes the first sum": lambda X, w, *rest: (
            X + _fed_normal(X + multi_head_attention(rms_norm(X, w["gamma_1"]), w, *rest), w)
        ),
        "the mask is inverted: True marks a token that may be attended to": lambda X, w, n_heads, mask=None: (
            pre_norm_layer(X, w, n_heads, mask if mask is None else ~mask)
        ),
        "the mask is not passed on to the attention": lambda X, w, n_heads, mask=None: pre_norm_layer(X, w, n_heads),
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


def check_grouped_query_attention(student):
    """Check attention whose heads share keys and values: (X, weights, n_heads, n_groups, mask=None) -> (n, d_model)."""
    return GROUPED_QUERY_ATTENTION.check(student)


def check_feed_forward(student):
    """Check the feed-forward part: (X, weights) -> (n, d_model)."""
    return FEED_FORWARD.check(student)


def check_bert_layer(student):
    """Check a whole layer of BERT: (X, weights, n_heads, mask=None) -> (n, d_model)."""
    return BERT_LAYER.check(student)


def check_pre_norm_layer(student):
    """Check a layer with an RMS norm before each step: (X, weights, n_heads, mask=None) -> (n, d_model)."""
    return PRE_NORM_LAYER.check(student)
