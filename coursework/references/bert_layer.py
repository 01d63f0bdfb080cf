"""The right answers of assignment 3: a layer of BERT on given weights, in NumPy."""

import math

import numpy as np

from coursework.references.attention import attention
from tutorial_book.exercises.bert_layer import random_weights as random_weights
from tutorial_book.exercises.bert_layer import weights_of as weights_of

EPS = 1e-12


def layer_norm(x, gamma, beta, eps=EPS):
    """The right answer: mean 0 and variance 1 along the last axis, then scaled and shifted."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    normal = (x - mean) / np.sqrt(variance + eps)
    return gamma * normal + beta


def gelu(x):
    """The right answer: x times the probability that a standard normal number lies below x."""
    erf = np.vectorize(math.erf)
    return x * (1 + erf(x / math.sqrt(2))) / 2


def split_heads(X, n_heads):
    """The right answer: (n, d_model) -> (n_heads, n, d_k); head h takes the columns h d_k to (h + 1) d_k."""
    return X.reshape(len(X), n_heads, -1).swapaxes(0, 1)


def multi_head_attention(X, weights, n_heads, mask=None):
    """The right answer: (n, d_model) -> (n, d_model)."""
    Q, K, V = (split_heads(X @ weights[f"W_{part}"] + weights[f"b_{part}"], n_heads) for part in "QKV")
    heads, _ = attention(Q, K, V, mask)  # (n_heads, n, d_k)
    joined = heads.swapaxes(0, 1).reshape(len(X), -1)  # (n, d_model)
    return joined @ weights["W_O"] + weights["b_O"]


def grouped_query_attention(X, weights, n_heads, n_groups, mask=None):
    """The right answer: multi-head attention where n_heads / n_groups heads in a row share keys and values."""
    Q, K, V = (X @ weights[f"W_{part}"] + weights[f"b_{part}"] for part in "QKV")
    Q = split_heads(Q, n_heads)  # (n_heads, n, d_k)
    K, V = (split_heads(part, n_groups) for part in (K, V))  # (n_groups, n, d_k)
    K, V = (np.repeat(part, n_heads // n_groups, axis=0) for part in (K, V))  # (n_heads, n, d_k)
    heads, _ = attention(Q, K, V, mask)
    joined = heads.swapaxes(0, 1).reshape(len(X), -1)  # (n, d_model)
    return joined @ weights["W_O"] + weights["b_O"]


def feed_forward(X, weights):
    """The right answer: (n, d_model) -> (n, d_model) through d_ff."""
    hidden = gelu(X @ weights["W_1"] + weights["b_1"])
    return hidden @ weights["W_2"] + weights["b_2"]


def bert_layer(X, weights, n_heads, mask=None):
    """The right answer: attend, add, normalize; feed forward, add, normalize."""
    attended = multi_head_attention(X, weights, n_heads, mask)
    Y = layer_norm(X + attended, weights["gamma_1"], weights["beta_1"])
    fed = feed_forward(Y, weights)
    return layer_norm(Y + fed, weights["gamma_2"], weights["beta_2"])


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
