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


_RNG = np.random.default_rng(0)
_X = _RNG.normal(size=(3, 8))
_WEIGHTS = random_weights(_RNG, 8, 16)
_MASK = np.array([True, True, False])
_FIVE = _RNG.normal(size=(5, 12))
_SHARED = {n_groups: random_weights(_RNG, 12, 20, n_groups * 2) for n_groups in (1, 2, 3, 6)}  # six heads of d_k = 2


def layer_norm(x, gamma, beta, eps=EPS):
    """The right answer: mean 0 and variance 1 along the last axis, then scaled and shifted."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    normal = (x - mean) / np.sqrt(variance + eps)
    return gamma * normal + beta


LAYER_NORM = Exercise(
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
    """
    mean and variance run over tokens; a token is normalized along its own d_model numbers: axis=-1
        x.mean(axis=-1 -> x.mean(axis=0
        x.var(axis=-1 -> x.var(axis=0
    mean and variance run over the whole array; take axis=-1
        x.mean(axis=-1 -> x.mean(axis=None
        x.var(axis=-1 -> x.var(axis=None
    axis=1 is the last axis of a matrix only; axis=-1 is the last of any array
        x.mean(axis=-1 -> x.mean(axis=1
        x.var(axis=-1 -> x.var(axis=1
    mean and variance must keep their axis to line up with the tokens: keepdims=True
        x.mean(axis=-1, keepdims=True) -> x.mean(axis=-1)
        x.var(axis=-1, keepdims=True) -> x.var(axis=-1)
    the variance divides by d_model - 1; layer norm divides by d_model (ddof=0)
        x.var(axis=-1 -> x.var(axis=-1, ddof=1
    it is divided by the variance; take its square root
        np.sqrt(variance + eps) -> (variance + eps)
    the variance stands under the root, not the standard deviation
        np.sqrt(variance + eps) -> np.sqrt(np.sqrt(variance) + eps)
    it is not divided by the standard deviation
        / np.sqrt(variance + eps) ->
    it is divided by the length; the standard deviation is the length / sqrt(d_model)
        np.sqrt(variance + eps) -> np.sqrt(x.shape[-1] * variance + eps)
    the mean is not taken off
        x - mean -> x
    gamma and beta are not used
        gamma * normal + beta -> normal
    gamma is not used
        gamma * normal -> normal
    beta is not used
        + beta ->
    first gamma, then beta: beta is not scaled
        gamma * normal + beta -> gamma * (normal + beta)
    gamma @ z adds up; gamma * z multiplies number by number
        gamma * normal -> gamma @ normal
    gamma and beta are swapped: gamma multiplies, beta is added
        gamma * normal + beta -> beta * normal + gamma
    gamma multiplies; here it divides
        gamma * normal -> normal / gamma
    beta is added; here it is subtracted
        + beta -> - beta
    eps is missing: a constant vector gives 0 / 0
        variance + eps -> variance
    eps belongs under the root, beside the variance
        np.sqrt(variance + eps) -> (np.sqrt(variance) + eps)
    eps is an argument: this one has a value of its own
        variance + eps -> variance + EPS
    """,
)


def check_layer_norm(student):
    """Check a layer norm: (x (..., d_model), gamma, beta, eps=1e-12) -> (..., d_model)."""
    return LAYER_NORM.check(student)


def gelu(x):
    """The right answer: x times the probability that a standard normal number lies below x."""
    erf = np.vectorize(math.erf)
    return x * (1 + erf(x / math.sqrt(2))) / 2


GELU = Exercise(
    gelu,
    (
        Case("zero", (np.array([0.0]),)),
        Case("positive and negative numbers", (np.linspace(-3, 3, 7),)),
        Case("a matrix", (_X.round(1),)),
        Case("large numbers", (np.array([-20.0, 20.0]),)),
    ),
    """
    this is the tanh approximation, which GPT-2 uses; BERT takes erf
        erf(x / math.sqrt(2)) -> np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    this is the sigmoid approximation x * sigmoid(1.702 x); BERT takes erf
        x * (1 + erf(x / math.sqrt(2))) / 2 -> x / (1 + np.exp(-1.702 * x))
    this is x * sigmoid(x), known as SiLU; BERT takes erf
        x * (1 + erf(x / math.sqrt(2))) / 2 -> x / (1 + np.exp(-x))
    this is ReLU
        x * (1 + erf(x / math.sqrt(2))) / 2 -> np.maximum(x, 0)
    the probability itself came back; multiply it by x
        x * (1 -> (1
    this is erf alone
        x * (1 + erf(x / math.sqrt(2))) / 2 -> erf(x / math.sqrt(2))
    erf takes x / sqrt(2), not x
        / math.sqrt(2) ->
    erf takes x divided by sqrt(2), not multiplied
        x / math -> x * math
    erf takes x / sqrt(2), not x / 2
        math.sqrt(2) -> 2
    the factor 1/2 is missing
        / 2 ->
    1 is added to erf before it is halved
        (1 + erf(x / math.sqrt(2))) -> erf(x / math.sqrt(2))
    x / sqrt(2) goes into erf
        erf(x / math.sqrt(2)) -> erf(x) / math.sqrt(2)
    1 + erf(...) belongs into brackets, times x / 2
        x * (1 + erf(x / math.sqrt(2))) / 2 -> x / 2 + erf(x / math.sqrt(2))
    a loop over x meets the rows of a matrix; np.vectorize(math.erf) takes an array of any shape
        x * (1 + erf(x / math.sqrt(2))) / 2 -> np.array([v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x])
    math.erf takes one number; np.vectorize(math.erf) takes an array
        np.vectorize(math.erf) -> math.erf
    NumPy has no erf; np.vectorize(math.erf) takes an array
        np.vectorize(math.erf) -> np.erf
    """,
)


def check_gelu(student):
    """Check BERT's activation: an array of any shape -> the same shape."""
    return GELU.check(student)


def split_heads(X, n_heads):
    """The right answer: (n, d_model) -> (n_heads, n, d_k); head h takes the columns h d_k to (h + 1) d_k."""
    return X.reshape(len(X), n_heads, -1).swapaxes(0, 1)


SPLIT_HEADS = Exercise(
    split_heads,
    (
        Case("two heads", (np.arange(12.0).reshape(3, 4), 2)),
        Case("one head", (_X.round(1), 1)),
        Case("four heads", (_X.round(1), 4)),
    ),
    """
    the tokens are cut up, not the columns: split the last axis, then move the heads to the front
        len(X), n_heads, -1).swapaxes(0, 1) -> n_heads, len(X), -1)
    the heads stand in the middle; swap the first two axes
        .swapaxes(0, 1) ->
    neighboring columns go to different heads; a head takes d_k columns in a row
        n_heads, -1).swapaxes(0, 1) -> -1, n_heads).transpose(2, 0, 1)
    the heads stand in the last axis, and each takes every n_heads-th column; cut the last axis into (n_heads, d_k)
        n_heads, -1).swapaxes(0, 1) -> -1, n_heads)
    the last two axes are swapped: a head is (n, d_k)
        .swapaxes(0, 1) -> .transpose(1, 2, 0)
    the axes are all turned around: swapaxes(0, 1) swaps the first two only
        .swapaxes(0, 1) -> .T
    np.split cuts the rows up; give it axis=1
        X.reshape(len(X), n_heads, -1).swapaxes(0, 1) -> np.array(np.split(X, n_heads))
    a shape has whole numbers only: // divides without a rest, / gives a float
        -1).swapaxes(0, 1) -> X.shape[1] / n_heads)
    this is one head only
        X.reshape(len(X), n_heads, -1).swapaxes(0, 1) -> X[:, : X.shape[1] // n_heads]
    """,
)


def check_split_heads(student):
    """Check the split into heads: (X (n, d_model), n_heads) -> (n_heads, n, d_k)."""
    return SPLIT_HEADS.check(student)


def multi_head_attention(X, weights, n_heads, mask=None):
    """The right answer: (n, d_model) -> (n, d_model)."""
    Q, K, V = (split_heads(X @ weights[f"W_{part}"] + weights[f"b_{part}"], n_heads) for part in "QKV")
    heads, _ = attention(Q, K, V, mask)  # (n_heads, n, d_k)
    joined = heads.swapaxes(0, 1).reshape(len(X), -1)  # (n, d_model)
    return joined @ weights["W_O"] + weights["b_O"]


MULTI_HEAD_ATTENTION = Exercise(
    multi_head_attention,
    (
        Case("one head", (_X, _WEIGHTS, 1)),
        Case("two heads", (_X, _WEIGHTS, 2)),
        Case("a mask: the last token is padding", (_X, _WEIGHTS, 2, _MASK)),
        Case("a mask with a hole", (_X, _WEIGHTS, 2, np.array([True, False, True]))),
    ),
    """
    the heads are put side by side without swapping the axes back first
        heads.swapaxes(0, 1) -> heads
    the heads are added up; put them side by side
        heads.swapaxes(0, 1).reshape(len(X), -1) -> np.tile(heads.sum(axis=0), n_heads)
    the heads are averaged; put them side by side
        heads.swapaxes(0, 1).reshape(len(X), -1) -> np.tile(heads.mean(axis=0), n_heads)
    W_O takes all heads of a token side by side, d_model numbers; here a row has fewer
        heads.swapaxes(0, 1).reshape(len(X), -1) -> heads.mean(axis=0)
    the heads still stand one behind the other; put them side by side
        heads.swapaxes(0, 1).reshape(len(X), -1) -> heads
    W_O and b_O are missing
        @ weights["W_O"] + weights["b_O"] ->
    b_O is missing
        + weights["b_O"] ->
    b_O is added once, not once for each head
        + weights["b_O"] -> + n_heads * weights["b_O"]
    W_Q, W_K and W_V are not used
        X @ weights[f"W_{part}"] + weights[f"b_{part}"] -> X
    W_O is missing
        @ weights["W_O"] ->
    the biases are missing
        + weights[f"b_{part}"] ->
        + weights["b_O"] ->
    the biases of queries, keys and values are missing
        + weights[f"b_{part}"] ->
    b_Q is missing
        weights[f"b_{part}"] -> weights[f"b_{part}"] * (part != "Q")
    b_V is missing
        weights[f"b_{part}"] -> weights[f"b_{part}"] * (part != "V")
    queries and keys are swapped
        Q, K, V = -> K, Q, V =
    keys and values are swapped
        Q, K, V = -> Q, V, K =
    all three parts are made with W_Q
        "QKV" -> "QQQ"
    keys take W_K, values W_V: both are made with one of them
        "QKV" -> "QKK"
    the split is missing: this is one head of d_model columns
        n_heads) for -> 1) for
    the mask is not used
        V, mask) -> V)
    the mask is inverted: True marks a token that may be attended to
        V, mask) -> V, None if mask is None else ~mask)
    the mask hides queries; it must hide keys, the columns of the scores
        V, mask) -> V, None if mask is None else np.outer(mask, np.full(len(X), True)))
    whoever may attend to nothing becomes nan: hide keys only, padding attends like the others
        V, mask) -> V, None if mask is None else np.outer(mask, mask))
    a token set to 0 still has a key, b_K, and gets weight; hand the mask to attention
        split_heads(X @ -> split_heads((X if mask is None else X * mask[:, None]) @
        V, mask) -> V)
    the scores are divided by sqrt(d_model); a head's vectors have d_k = d_model / n_heads numbers
        attention(Q -> attention(Q / np.sqrt(n_heads)
    attention divides the scores by sqrt(d_k) already; here they are divided twice
        attention(Q -> attention(Q / np.sqrt(Q.shape[-1])
    the weights are transposed: here a row is multiplied from the left, x W
        weights[f"W_{part}"] -> weights[f"W_{part}"].T
        weights["W_O"] -> weights["W_O"].T
    W_Q, W_K and W_V are transposed: here a row is multiplied from the left, x W
        weights[f"W_{part}"] -> weights[f"W_{part}"].T
    W_O is transposed: here a row is multiplied from the left, x W
        weights["W_O"] -> weights["W_O"].T
    the residual is added here already; the layer adds it
        return joined -> return X + joined
    attention gives back two things, (output, weights): take the first
        heads, _ = -> heads =
    """,
)


def check_multi_head_attention(student):
    """Check multi-head attention: (X, weights, n_heads, mask=None) -> (n, d_model). mask: True = may be attended to."""
    return MULTI_HEAD_ATTENTION.check(student)


def grouped_query_attention(X, weights, n_heads, n_groups, mask=None):
    """The right answer: multi-head attention where n_heads / n_groups heads in a row share keys and values."""
    Q, K, V = (X @ weights[f"W_{part}"] + weights[f"b_{part}"] for part in "QKV")
    Q = split_heads(Q, n_heads)  # (n_heads, n, d_k)
    K, V = (split_heads(part, n_groups) for part in (K, V))  # (n_groups, n, d_k)
    K, V = (np.repeat(part, n_heads // n_groups, axis=0) for part in (K, V))  # (n_heads, n, d_k)
    heads, _ = attention(Q, K, V, mask)
    joined = heads.swapaxes(0, 1).reshape(len(X), -1)  # (n, d_model)
    return joined @ weights["W_O"] + weights["b_O"]


GROUPED_QUERY_ATTENTION = Exercise(
    grouped_query_attention,
    (
        Case("a group for each head: multi-head attention", (_FIVE, _SHARED[6], 6, 6)),
        Case("one group: all heads share keys and values", (_FIVE, _SHARED[1], 6, 1)),
        Case("two groups of three heads", (_FIVE, _SHARED[2], 6, 2)),
        Case("three groups, the last two tokens are padding", (_FIVE, _SHARED[3], 6, 3, np.arange(5) < 3)),
    ),
    """
    heads of one group stand in a row: 0, 0, 0, 1, 1, 1 is np.repeat; 0, 1, 0, 1, 0, 1 is np.tile
        np.repeat(part, n_heads // n_groups, axis=0) -> np.tile(part, (n_heads // n_groups, 1, 1))
    all heads share the first group here; head h takes group h // (n_heads / n_groups)
        np.repeat(part, n_heads // n_groups -> np.repeat(part[:1], n_heads
    head h takes group h // (n_heads / n_groups), not h // n_groups
        np.repeat(part, n_heads // n_groups, axis=0) -> part[np.arange(n_heads) // n_groups]
    a group is repeated n_heads / n_groups times, not n_groups times
        n_heads // n_groups -> n_groups
    queries have n_heads heads, keys and values n_groups: split the queries into n_heads
        split_heads(Q, n_heads) -> split_heads(Q, n_groups)
        np.repeat(part, n_heads // n_groups, axis=0) -> part
    np.repeat needs an axis: the groups are the first, axis=0
        , axis=0 ->
    np.repeat with axis=-1 repeats columns; the groups are axis 0
        axis=0 -> axis=-1
    columns are repeated, each by itself; split them into groups first, then repeat the groups
        split_heads(part, n_groups) -> np.repeat(part, n_heads // n_groups, axis=1)
        np.repeat(part, n_heads // n_groups, axis=0) -> split_heads(part, n_heads)
    the weights are transposed: here a row is multiplied from the left, x W
        weights[f"W_{part}"] -> weights[f"W_{part}"].T
        weights["W_O"] -> weights["W_O"].T
    W_Q, W_K and W_V are transposed: here a row is multiplied from the left, x W
        weights[f"W_{part}"] -> weights[f"W_{part}"].T
    the groups are averaged; each keeps its own keys and values
        np.repeat(part, n_heads // n_groups -> np.repeat(part.mean(axis=0, keepdims=True), n_heads
    keys and values have n_groups heads, queries n_heads: repeat each group, along axis 0
        np.repeat(part, n_heads // n_groups, axis=0) -> part
    keys and values have n_groups d_k columns: split them into n_groups heads
        split_heads(part, n_groups) -> split_heads(part, n_heads)
        np.repeat(part, n_heads // n_groups, axis=0) -> part
    the heads are put side by side without swapping the axes back first
        heads.swapaxes(0, 1) -> heads
    W_O and b_O are missing
        @ weights["W_O"] + weights["b_O"] ->
    b_O is missing
        + weights["b_O"] ->
    the biases are missing
        + weights[f"b_{part}"] ->
        + weights["b_O"] ->
    the biases of queries, keys and values are missing
        + weights[f"b_{part}"] ->
    the scores are divided by sqrt(d_model); a head's vectors have d_k = d_model / n_heads numbers
        attention(Q -> attention(Q / np.sqrt(n_heads)
    the mask is not used
        V, mask) -> V)
    the mask is inverted: True marks a token that may be attended to
        V, mask) -> V, None if mask is None else ~mask)
    the mask hides queries; it must hide keys, the columns of the scores
        V, mask) -> V, None if mask is None else np.outer(mask, np.full(len(X), True)))
    """,
)


def check_grouped_query_attention(student):
    """Check attention whose heads share keys and values: (X, weights, n_heads, n_groups, mask=None) -> (n, d_model)."""
    return GROUPED_QUERY_ATTENTION.check(student)


def feed_forward(X, weights):
    """The right answer: (n, d_model) -> (n, d_model) through d_ff."""
    hidden = gelu(X @ weights["W_1"] + weights["b_1"])
    return hidden @ weights["W_2"] + weights["b_2"]


FEED_FORWARD = Exercise(
    feed_forward,
    (Case("three tokens", (_X, _WEIGHTS)), Case("one token", (_X[:1], _WEIGHTS))),
    """
    the activation is missing
        gelu( -> (
    W_2 and b_2 are missing
        @ weights["W_2"] + weights["b_2"] ->
    the activation comes after both maps; it stands between them
        gelu( -> (
        hidden @ weights["W_2"] + weights["b_2"] -> gelu(hidden @ weights["W_2"] + weights["b_2"])
    the activation comes after the second map once more; it stands between them only
        hidden @ weights["W_2"] + weights["b_2"] -> gelu(hidden @ weights["W_2"] + weights["b_2"])
    the activation is ReLU; BERT has GELU
        gelu( -> np.maximum(0,
    b_1 comes before the activation, not after it
        + weights["b_1"]) -> ) + weights["b_1"]
    b_1 is missing
        + weights["b_1"] ->
    b_2 is missing
        + weights["b_2"] ->
    both biases are missing
        + weights["b_1"] ->
        + weights["b_2"] ->
    the shapes do not fit: first W_1, then W_2, and none transposed, for a row is multiplied from the left, x W
        hidden @ weights["W_2"] -> hidden @ weights["W_1"]
        X @ weights["W_1"] -> X @ weights["W_2"]
    erf alone is no GELU: x * (1 + erf(x / sqrt(2))) / 2
        gelu( -> np.vectorize(math.erf)(
    the residual is added here already; the layer adds it
        return hidden -> return X + hidden
    """,
)


def check_feed_forward(student):
    """Check the feed-forward part: (X, weights) -> (n, d_model)."""
    return FEED_FORWARD.check(student)


def bert_layer(X, weights, n_heads, mask=None):
    """The right answer: attend, add, normalize; feed forward, add, normalize."""
    attended = multi_head_attention(X, weights, n_heads, mask)
    Y = layer_norm(X + attended, weights["gamma_1"], weights["beta_1"])
    fed = feed_forward(Y, weights)
    return layer_norm(Y + fed, weights["gamma_2"], weights["beta_2"])


def _fed_first(X, weights, n_heads, mask):
    X = layer_norm(X + feed_forward(X, weights), weights["gamma_2"], weights["beta_2"])
    attended = multi_head_attention(X, weights, n_heads, mask)
    return layer_norm(X + attended, weights["gamma_1"], weights["beta_1"])


BERT_LAYER = Exercise(
    bert_layer,
    (Case("three tokens, two heads", (_X, _WEIGHTS, 2)), Case("a mask", (_X, _WEIGHTS, 2, _MASK))),
    """
    the residual sums are missing: each step is added to its own input
        X + attended -> attended
        Y + fed -> fed
    the first residual is missing: attention's output is added to X
        X + attended -> attended
    the second residual is missing: the feed-forward part is added to its own input
        Y + fed -> fed
    the first residual is added twice
        X + attended -> 2 * X + attended
    the second residual is added twice
        Y + fed -> 2 * Y + fed
    both norms are missing
        layer_norm(X + attended, weights["gamma_1"], weights["beta_1"]) -> X + attended
        layer_norm(Y + fed, weights["gamma_2"], weights["beta_2"]) -> Y + fed
    the norm after attention is missing
        layer_norm(X + attended, weights["gamma_1"], weights["beta_1"]) -> X + attended
    the norm after the feed-forward part is missing
        layer_norm(Y + fed, weights["gamma_2"], weights["beta_2"]) -> Y + fed
    the two norms are swapped
        attended, weights["gamma_1"], weights["beta_1"] -> attended, weights["gamma_2"], weights["beta_2"]
        fed, weights["gamma_2"], weights["beta_2"] -> fed, weights["gamma_1"], weights["beta_1"]
    the second norm has its own gamma_2 and beta_2
        weights["gamma_2"], weights["beta_2"] -> weights["gamma_1"], weights["beta_1"]
    the first norm takes gamma_1 and beta_1
        weights["gamma_1"], weights["beta_1"] -> weights["gamma_2"], weights["beta_2"]
    the norms stand before the steps, as in GPT-2; BERT normalizes after each sum
        attention(X, -> attention(layer_norm(X, weights["gamma_1"], weights["beta_1"]),
        layer_norm(X + attended, weights["gamma_1"], weights["beta_1"]) -> X + attended
        forward(Y, -> forward(layer_norm(Y, weights["gamma_2"], weights["beta_2"]),
        layer_norm(Y + fed, weights["gamma_2"], weights["beta_2"]) -> Y + fed
    each step is normalized before it is added; BERT normalizes the sum
        layer_norm(X + attended -> X + layer_norm(attended
        layer_norm(Y + fed -> Y + layer_norm(fed
    the second sum takes the layer's input; it takes the output of the first norm
        Y + fed -> X + fed
    the feed-forward part gets the layer's input; it takes the output of the first norm
        feed_forward(Y -> feed_forward(X
    attention comes first, then the feed-forward part
        -> _fed_first(X, weights, n_heads, mask)
    the feed-forward part is missing
        return layer_norm(Y + fed, weights["gamma_2"], weights["beta_2"]) -> return Y
    the attention is missing
        layer_norm(X + attended, weights["gamma_1"], weights["beta_1"]) -> X
    gamma and beta of both norms are not used
        weights["gamma_1"], weights["beta_1"] -> 1, 0
        weights["gamma_2"], weights["beta_2"] -> 1, 0
    n_heads is not passed on to the attention
        weights, n_heads -> weights, 1
    the mask is not passed on to the attention
        n_heads, mask -> n_heads
    the mask is inverted: True marks a token that may be attended to
        n_heads, mask -> n_heads, None if mask is None else ~mask
    the rows of padding are set to 0; a mask only says whom the others may attend to
        return layer_norm -> return (1 if mask is None else mask[:, None]) * layer_norm
    """,
)


def check_bert_layer(student):
    """Check a whole layer of BERT: (X, weights, n_heads, mask=None) -> (n, d_model)."""
    return BERT_LAYER.check(student)


def pre_norm_layer(X, weights, n_heads, mask=None):
    """The right answer: normalize, attend, add; normalize, feed forward, add. The norm is the RMS norm.

    A vector is divided by the root of its mean square, then scaled; no mean is taken off, no beta added.
    """

    def norm(X, number):
        gamma = weights[f"gamma_{number}"]
        scale = np.sqrt((X**2).mean(axis=-1, keepdims=True) + EPS)
        return gamma * X / scale

    inner = norm(X, 1)
    Y = X + multi_head_attention(inner, weights, n_heads, mask)
    hidden = norm(Y, 2)
    return Y + feed_forward(hidden, weights)


PRE_NORM_LAYER = Exercise(
    pre_norm_layer,
    (
        Case("one token", (_X[:1], _WEIGHTS, 2)),
        Case("three tokens, two heads", (_X, _WEIGHTS, 2)),
        Case("a mask", (_X, _WEIGHTS, 2, _MASK)),
    ),
    """
    this is BERT's layer; here the norm stands before each step, and nothing normalizes the sum
        -> bert_layer(X, weights, n_heads, mask)
    the sums are normalized; here the norm stands before each step
        inner = norm(X, 1) -> inner = X
        hidden = norm(Y, 2) -> Y = hidden = norm(Y, 1)
        return Y + feed_forward(hidden, weights) -> return norm(Y + feed_forward(hidden, weights), 2)
    this is layer norm: the RMS norm takes no mean off and adds no beta
        gamma * X / scale -> layer_norm(X, gamma, weights[f"beta_{number}"])
    the mean is taken off; the RMS norm leaves it
        gamma * X / scale -> layer_norm(X, gamma, 0)
    beta is added; the RMS norm has none
        / scale -> / scale + weights[f"beta_{number}"]
    beta_1 is added; the RMS norm has none
        / scale -> / scale + weights["beta_1"] * (number == 1)
    the mean square runs over the tokens; each token has its own: axis=-1
        axis=-1, keepdims=True -> axis=0
    gamma is not used
        gamma * X -> X
    it is divided by the mean square; take its root
        np.sqrt( -> (
    it is divided by the standard deviation: take the mean of the squares, not the variance
        (X**2).mean -> X.var
    the mean square must keep its axis to line up with the tokens: keepdims=True
        axis=-1, keepdims=True -> axis=-1
    it is divided by the length: take the mean of the squares, not their sum
        .mean( -> .sum(
    the mean square runs over the whole array; each token has its own: axis=-1
        axis=-1, keepdims=True ->
    the sums take what was normalized; they take what came in, as it was
        Y = X + -> Y = inner +
        return Y + -> return hidden +
    the first sum takes the normalized X; it takes X as it was
        Y = X + -> Y = inner +
    the second sum takes what was normalized; it takes the first sum as it was
        return Y + -> return hidden +
    the norm before attention is missing
        inner = norm(X, 1) -> inner = X
    the norm before the feed-forward part is missing
        hidden = norm(Y, 2) -> hidden = Y
    the two norms are swapped
        norm(X, 1) -> norm(X, 2)
        norm(Y, 2) -> norm(Y, 1)
    the second norm has its own gamma_2
        norm(Y, 2) -> norm(Y, 1)
    nothing normalizes at the end of this layer
        return Y + feed_forward(hidden, weights) -> return norm(Y + feed_forward(hidden, weights), 2)
    the residual sums are missing
        Y = X + -> Y =
        return Y + -> return
    the second sum takes the layer's input; it takes the first sum
        return Y + -> return X +
    the mask is inverted: True marks a token that may be attended to
        n_heads, mask -> n_heads, None if mask is None else ~mask
    the mask is not passed on to the attention
        n_heads, mask -> n_heads
    """,
)


def check_pre_norm_layer(student):
    """Check a layer with an RMS norm before each step: (X, weights, n_heads, mask=None) -> (n, d_model)."""
    return PRE_NORM_LAYER.check(student)
