# ruff: noqa: E501  (what students write stands on one line each)
"""Assignments 2 and 3: what students write, replayed against their own checks and against the hidden ones."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

from tutorial_book.exercises import exercise as exercises

checks = pytest.importorskip("coursework.checks")
from coursework import worker  # noqa: E402
from coursework.references import attention, bert_layer  # noqa: E402

SIGNATURES = {
    "softmax": "x",
    "attention": "Q, K, V, mask=None",
    "near_attention": "Q, K, V, slopes, mask=None",
    "causal_mask": "n",
    "sinusoidal": "n, d_model",
    "shift_matrix": "k, d_model",
    "rotate": "X, positions",
    "layer_norm": "x, gamma, beta, eps=1e-12",
    "gelu": "x",
    "split_heads": "X, n_heads",
    "multi_head_attention": "X, weights, n_heads, mask=None",
    "grouped_query_attention": "X, weights, n_heads, n_groups, mask=None",
    "feed_forward": "X, weights",
    "bert_layer": "X, weights, n_heads, mask=None",
    "pre_norm_layer": "X, weights, n_heads, mask=None",
}
EXERCISES = exercises.EXERCISES["attention"] | exercises.EXERCISES["bert_layer"]
ASSIGNMENTS = {"2-attention": attention, "3-bert-layer": bert_layer}

# What students write: the body of a function, and words of what they must be told. "right": it is right. "?": a
# usual mistake for which there is no hint. "odd": wrong in a way of its own. These two must get no hint: it would be false.
ANSWERS = {
    "softmax": """
e = np.exp(x - max(x)); return e / e.sum(-1, keepdims=True)  # compares the rows of a matrix
x = x.astype(np.float32); e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)  # float32 has too few digits
x = x.astype(np.float16); e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)  # float16 has too few digits
e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)  # right
e = np.exp(x.T - x.max(-1).T); return (e / e.sum(0)).T  # right
z = x - x.max(-1)[..., None]; return np.exp(z - np.log(np.exp(z).sum(-1))[..., None])  # right
return np.apply_along_axis(lambda r: np.exp(r - r.max()) / np.exp(r - r.max()).sum(), -1, x).tolist()  # right
return np.exp(x) / np.exp(x).sum()  # over the whole array
e = np.exp(x - x.max()); return e / e.sum()  # over the whole array
e = np.exp(x - x.max(0)); return e / e.sum(0)  # over the first axis
e = np.exp(x); return e / e.sum(axis=0)  # over the first axis
e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum(axis=0)  # the sum runs over the first axis
e = np.exp(x - x.max(1, keepdims=True)); return e / e.sum(1, keepdims=True)  # axis=-1 is the last of any array
e = np.exp(x - x.max(-1)); return e / e.sum(-1)  # keepdims=True
e = np.exp(x - x.max()); return e / e.sum(-1)  # keepdims=True
e = np.exp(x - x.max(-1)); return e / e.sum(-1, keepdims=True)  # keepdims=True
e = np.exp(x); return e / e.sum(-1, keepdims=True)  # overflows
e = np.exp(x - x.min(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)  # the smallest score is subtracted
e = np.exp(x - x.mean(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)  # the mean of the scores is subtracted
e = np.exp(x - x.max()); return e / e.sum(-1, keepdims=True)  # take each row's own
e = np.exp(x - x.max(0)); return e / e.sum(-1, keepdims=True)  # the largest of each column
return np.exp(x)  # not divided by their sum
e = np.exp(x - x.max(-1, keepdims=True)); return e  # not divided by their sum
return x / x.sum(-1, keepdims=True)  # the scores themselves
z = x - x.max(-1, keepdims=True); return z - np.log(np.exp(z).sum(-1, keepdims=True))  # leave out the log
e = 2.0 ** x; return e / e.sum(-1, keepdims=True)  # the base of the powers is e
e = np.exp(x - x.max(-1, keepdims=True)); e / e.sum(-1, keepdims=True)  # does it end with return
x -= x.max(-1, keepdims=True); e = np.exp(x); return e / e.sum(-1, keepdims=True)  # changes its inputs
e = np.exp(-x); return e / e.sum(-1, keepdims=True)  # ?
e = np.exp(x - x.max(-1, keepdims=True)); return e / e.sum()  # the sum runs over the whole array
e = np.exp(x - x.max(axis=-1, keepdims=True)); return e / np.sum(e)  # the sum runs over the whole array
e = np.exp(x - x.sum(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)  # the sum of the scores is subtracted
e = np.exp(x); return e - e.sum(-1, keepdims=True)  # here it is subtracted
e = exp(x - x.max(-1, keepdims=True)); return e / e.sum(-1, keepdims=True)  # did you mean np.exp?
e = [math.exp(v) for v in x]; return np.array([v / sum(e) for v in e])  # meets the rows of a matrix
e = np.exp(x - x.max(-1, keepdims=True)); return (v / e.sum(-1, keepdims=True) for v in e)  # a generator, whose values are still to come
e = np.exp(x - x.max(-1, keepdims=True)); return np.round(e / e.sum(-1, keepdims=True), 3)  # ?
e = math.exp(x); return e / sum(e)  # math.exp takes one number
""",
    "attention": """
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape)); return w @ V, w  # Q.shape holds all sizes
z = np.dot(Q, K.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, -np.inf); w = softmax(z); return w @ V, w  # np.dot is not @
w = attention(Q, K, V, mask)[1]; return np.dot(w, V), w  # np.dot(weights, V) is not
z = np.dot(Q, K.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, -np.inf); w = softmax(z); return np.dot(w, V), w  # every other
w = softmax(Q @ np.moveaxis(K, -1, -2) / K.shape[-1] ** 0.5 + (0 if mask is None else np.where(mask, 0, -np.inf))); return w @ V, w  # right
z = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5; z = z if mask is None else np.where(mask, z, -1e9); w = softmax(z); return w @ V, w  # right
z = np.einsum('...ik,...jk->...ij', Q, K) / np.sqrt(Q.shape[-1]); z = z if mask is None else z + np.where(mask, 0, -1e9); w = softmax(z); return [w @ V, w]  # right
w = softmax(Q @ K.swapaxes(-1, -2)); return w @ V, w  # not divided by sqrt(d_k)
z = Q @ K.swapaxes(-1, -2); z = z if mask is None else np.where(mask, z, -np.inf); w = softmax(z); return w @ V, w  # not divided by sqrt(d_k)
w = softmax(Q @ K.swapaxes(-1, -2) / Q.shape[-1]); return w @ V, w  # take its square root
w = softmax(Q @ K.swapaxes(-1, -2) * np.sqrt(Q.shape[-1])); return w @ V, w  # divide by it
w = softmax(Q @ K.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1]); return w @ V, w  # not the weights
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(d_k)); return w @ V, w  # stopped with NameError
w = softmax(Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1])); return w @ V, w  # ?
w = attention(Q, K, V, mask)[1]; return w.T @ V, w  # the output is weights @ V
w = attention(Q, K, V, mask)[1]; return w * V, w  # odd
w = attention(Q, K, V, mask)[1]; return (w @ V).reshape(77), w  # odd
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else z.masked_fill(~mask, -1e9); w = softmax(z); return w @ V, w  # stopped with AttributeError
w = softmax(Q @ K.swapaxes(-1, -2) / int(np.sqrt(Q.shape[-1]))); return w @ V, w  # rounded to a whole number
z = Q @ K.swapaxes(-1, -2) / int(K.shape[-1] ** 0.5); z = z if mask is None else np.where(mask, z, -np.inf); w = softmax(z); return w @ V, w  # rounded to a whole number
w = softmax(Q @ K.swapaxes(-1, -2) / math.isqrt(Q.shape[-1])); return w @ V, w  # rounded to a whole number
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-2])); return w @ V, w  # not the number of keys
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(len(K))); return w @ V, w  # not the number of keys
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(len(Q))); return w @ V, w  # not the number of queries
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(V.shape[-1])); return w @ V, w  # not that of a value
w = softmax(Q @ K.T / np.sqrt(Q.shape[-1])); return w @ V, w  # the mask is not used
z = Q @ K.T / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, -np.inf); w = softmax(z); return w @ V, w  # turn all axes around
z = Q @ K.transpose() / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, -1e9); w = softmax(z); return w @ V, w  # turn all axes around
z = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, -np.inf); w = softmax(z); return w @ V, w  # needs exactly three axes
z = Q @ (K.T if K.ndim == 2 else K.transpose(0, 2, 1)) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, -np.inf); w = softmax(z); return w @ V, w  # two axes in front are a batch, too
w = softmax(Q @ K / np.sqrt(Q.shape[-1])); return w @ V, w  # the output is weights @ V
w = softmax(Q * K / np.sqrt(Q.shape[-1])); return w @ V, w  # the output is weights @ V
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])); return w @ V, w  # the mask is not used
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, -np.inf, z); w = softmax(z); return w @ V, w  # the mask is inverted
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else z + mask * -1e9; w = softmax(z); return w @ V, w  # the mask is inverted
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else z + mask; w = softmax(z); return w @ V, w  # added as 1 and 0
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else z * mask; w = softmax(z); return w @ V, w  # set to 0
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, 0); w = softmax(z); return w @ V, w  # set to 0
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else z + (1 - mask) * -np.inf; w = softmax(z); return w @ V, w  # 0 times -inf are nan
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, 1) * np.where(mask, 1, -np.inf); w = softmax(z); return w @ V, w  # right
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, -100); w = softmax(z); return w @ V, w  # not low enough
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, -10); w = softmax(z); return w @ V, w  # -10 is not low enough
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); mask = np.ones(z.shape, bool) if mask is None else mask; z = np.where(mask, z, -10.0); w = softmax(z); return w @ V, w  # -10 is not low enough
z = Q @ np.transpose(K) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, -np.inf); w = softmax(z); return w @ V, w  # np.transpose(K) turn all axes around
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask is None else np.where(mask, z, z.min()); w = softmax(z); return w @ V, w  # ?
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = np.where(mask, z, -np.inf) if mask else z; w = softmax(z); return w @ V, w  # neither true nor false
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); z = z if mask == None else np.where(mask, z, -np.inf); w = softmax(z); return w @ V, w  # neither true nor false
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); mask is not None and z.__setitem__(~mask, -np.inf); w = softmax(z); return w @ V, w  # fits one matrix of scores only
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])); w = w if mask is None else w * mask; return w @ V, w  # comes after the softmax
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])); w = w if mask is None else np.where(mask, w, -np.inf); return w @ V, w  # here weights become -inf
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); w = softmax(z.swapaxes(-1, -2)).swapaxes(-1, -2); return w @ V, w  # runs over the queries
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); w = np.exp(z) / np.exp(z).sum(); return w @ V, w  # over all scores at once
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); return z @ V, z  # the softmax is missing
z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); return softmax(z) @ V, z  # these are the scores
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])); return w, w @ V  # swapped: (output, weights)
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])); return w @ V, w.swapaxes(-1, -2)  # the weights are transposed
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])); return w @ V  # give back 2 things
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])); return w @ V, w, K  # give back 2 things
w = softmax(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])); w @ V, w  # give back 2 things
Q /= np.sqrt(Q.shape[-1]); w = softmax(Q @ K.swapaxes(-1, -2)); return w @ V, w  # changes its inputs
""",
    "near_attention": """
w = np.stack([attention(q, k, v)[1] * 0 + softmax(q @ k.T / np.sqrt(q.shape[-1]) - m * np.abs(np.subtract.outer(np.arange(len(q)), np.arange(len(q)))) + (0 if mask is None else np.where(mask, 0, -np.inf))) for q, k, v, m in zip(Q, K, V, slopes)]); return w @ V, w  # right
return attended(Q, K, V, -slopes[:, None, None] * far(Q), mask)  # right
return attended(Q, K, V, slopes[:, None, None] * far(Q), mask)  # the penalty is added
return attended(Q, K, V, -slopes[:, None, None] * gap(Q), mask)  # later tokens gain, however far
return attended(Q, K, V, slopes[:, None, None] * gap(Q), mask)  # earlier tokens gain, however far
return attended(Q, K, V, -slopes[:, None, None] * far(Q) ** 2, mask)  # not squared
return attention(Q, K, V, mask)  # the penalty is not used
n = Q.shape[0]; return attended(Q, K, V, -slopes[:, None, None] * abs(np.arange(n)[:, None] - np.arange(n)), mask)  # not that of heads
n = len(Q); z = -(np.abs(np.subtract.outer(np.arange(n), np.arange(n))) * slopes[:, None, None]) + Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]); w = softmax(z); return w @ V, w  # not that of heads
n = Q.shape[-1]; return attended(Q, K, V, -slopes[:, None, None] * abs(np.arange(n)[:, None] - np.arange(n)), mask)  # not d_k
z = Q @ np.transpose(K) / np.sqrt(Q.shape[-1]) - slopes[:, None, None] * far(Q); w = softmax(z); return w @ V, w  # turn all axes around
z = Q @ K.T / np.sqrt(Q.shape[-1]) - slopes[:, None, None] * far(Q); w = softmax(z); return w @ V, w  # turn all axes around
return attended(Q, K, V, -slopes[:, None, None] * (far(Q) + 1), mask)  # right
return attended(Q, K, V, -slopes[:, None, None] * np.maximum(gap(Q), 0), mask)  # ?
return attended(Q, K, V, -slopes[::-1, None, None] * far(Q), mask)  # odd
return attended(Q, K, V, -slopes[:, None, None] * far(Q) / np.sqrt(Q.shape[-1]), mask)  # divided by sqrt(d_k) as well
return attended(Q, K, V, -slopes * far(Q), mask)  # one number for each head
return attended(Q, K, V, -slopes[:, None] * far(Q), mask)  # one number for each head
return attended(Q, K, V, -slopes[0] * far(Q), mask)  # these all have the first
return attended(Q, K, V, -slopes.mean() * far(Q), mask)  # ?
return attended(Q * np.sqrt(Q.shape[-1]), K, V, -slopes[:, None, None] * far(Q), mask)  # not divided by sqrt(d_k)
return attended(Q, K, V, -slopes[:, None, None] * far(Q))  # the mask is not used
return attended(Q, K, V, -slopes[:, None, None] * far(Q), None if mask is None else ~mask)  # the mask is inverted
return attention(Q, K, V, mask) if mask is not None else attended(Q, K, V, -slopes[:, None, None] * far(Q))  # both hold
w = attention(Q, K, V, mask)[1] - slopes[:, None, None] * far(Q); return w @ V, w  # before the softmax
w = attention(Q, K, V, mask)[1] * np.exp(-slopes[:, None, None] * far(Q)); return w @ V, w  # weights no longer add up to 1
return attended(Q, K, V, -slopes[:, None, None] * far(Q), mask)[0]  # give back 2 things
""",
    "causal_mask": """
return np.tril(n)  # np.tril takes a matrix
return np.tril(np.ones(n, n))  # a shape is one thing
return np.tril(np.ones((4, 4)))  # always the mask of four tokens
return np.tril(np.ones((n, n)))  # right
return [[j <= i for j in range(n)] for i in range(n)]  # right
return np.arange(n)[:, None] >= np.arange(n)  # right
return np.triu(np.ones((n, n), dtype=bool))  # upside down
return np.arange(n)[:, None] <= np.arange(n)  # upside down
return np.tril(np.ones((n, n), dtype=bool), -1)  # the diagonal is True
return np.arange(n)[:, None] > np.arange(n)  # the diagonal is True
return np.tril(np.ones((n, n), dtype=bool), 1)  # sees the next one
return np.triu(np.ones((n, n), dtype=bool), 1)  # marks what is forbidden
return np.where(np.tril(np.ones((n, n))), 0, -np.inf)  # numbers to add to scores
return np.ones((n, n), dtype=bool)  # sees all here
return np.eye(n, dtype=bool)  # sees only itself
return np.tril(np.ones((n + 1, n + 1), dtype=bool))  # odd
""",
    "sinusoidal": """
return table(500.0 ** (-2 * np.arange(d_model // 2) // d_model), n)  # // rounds down
return table(np.radians(1 / 500 ** (np.arange(0, d_model, 2) / d_model)), n)  # taken for degrees
return np.array([[(math.cos if c % 2 else math.sin)(p / 500 ** ((c - c % 2) / d_model)) for c in range(d_model)] for p in range(n)])  # right
return table(np.exp(-np.arange(0, d_model, 2) * np.log(500) / d_model), n)  # right
return table(1 / 500 ** (np.arange(d_model // 2) / d_model), n)  # not i / d_model
return table(1 / 500 ** (4 * np.arange(d_model // 2) / d_model), n)  # doubled twice
return table(1 / 500 ** (np.arange(0, d_model, 2) // d_model), n)  # // rounds down
return table(500.0 ** (np.arange(0, d_model, 2) / d_model), n)  # here it is multiplied
return table(1 / 10000 ** (np.arange(0, d_model, 2) / d_model), n)  # not the chapter's 10000
return table(1 / 500 ** (np.arange(d_model // 2) / max(1, d_model // 2 - 1)), n)  # the last exponent is
return table(1 / 500 ** (np.arange(0, d_model, 2) / d_model), n, first=1)  # counted from 1
return table(1 / 500 ** (np.arange(0, d_model, 2) / d_model), n).T  # transposed
return table(1 / 500 ** (np.arange(0, d_model, 2) / d_model), n)[:, [c ^ 1 for c in range(d_model)]]  # swapped
a = np.arange(n)[:, None] / 500 ** (np.arange(0, d_model, 2) / d_model); return np.hstack([np.sin(a), np.cos(a)])  # two halves
a = np.arange(n)[:, None] / 500 ** (np.arange(d_model) / d_model); return np.where(np.arange(d_model) % 2, np.cos(a), np.sin(a))  # frequency of its own
a = np.arange(n)[:, None] / 500 ** (2 * np.arange(d_model) / d_model); return np.where(np.arange(d_model) % 2, np.cos(a), np.sin(a))  # counts the pairs, not the columns
a = np.arange(n)[:, None] / 500 ** (2 * (np.arange(d_model) // 2) / d_model); return np.sin(a)  # these are all sines
PE = np.zeros((n, d_model)); a = np.arange(n)[:, None] / 500 ** (2 * np.arange(d_model) / d_model); PE[:, 0::2] = np.sin(a); PE[:, 1::2] = np.cos(a); return PE  # not d_model: i runs
PE = np.zeros((n, d_model)); [PE.__setitem__((p, 2 * i + j), f(p / 500 ** (2 * i / d_model))) for p in range(n) for i in range(d_model) for j, f in enumerate((np.sin, np.cos))]; return PE  # runs too far
PE = np.zeros((n, d_model), dtype=int); a = np.arange(n)[:, None] / 500 ** (np.arange(0, d_model, 2) / d_model); PE[:, 0::2] = np.sin(a); PE[:, 1::2] = np.cos(a); return PE  # holds whole numbers
a = np.arange(n)[:, None] / 500 ** (2 * np.arange(d_model // 2) / d_model); return np.sin(a)  # ?
""",
    "shift_matrix": """
return blocks(1, d_model, lambda c, s: [[c, s], [-s, c]])  # k is not used
M = np.eye(d_model); [M.__setitem__((2 * i, 2 * i), np.cos(k * 500 ** (-2 * i / d_model))) for i in range(d_model)]; return M  # range(d_model // 2)
f = 500 ** (-np.repeat(np.arange(0, d_model, 2), 2) / d_model); M = np.diag(np.cos(k * f)); i = np.arange(0, d_model, 2); M[i, i + 1] = np.sin(k * f[i]); M[i + 1, i] = -M[i, i + 1]; return M  # right
return blocks(k, d_model, lambda c, s: [[c, s], [-s, c]])  # right
return blocks(k, d_model, lambda c, s: [[c, -s], [s, c]])  # the other way
return blocks(k, d_model, lambda c, s: [[c, s], [-s, c]]).T  # the other way
return blocks(k, d_model, lambda c, s: [[c, s], [s, c]])  # needs a minus
return blocks(k, d_model, lambda c, s: [[c, 0], [0, c]])  # the sines are missing
return blocks(k, d_model, lambda c, s: [[c, s], [-s, c]], lambda i: 0)  # turn more slowly
return blocks(k, d_model, lambda c, s: [[c, s], [-s, c]], lambda i: i)  # not i / d_model
return blocks(abs(k), d_model, lambda c, s: [[c, s], [-s, c]])  # may be negative
h = d_model // 2; a = k * 500 ** (-np.arange(0, d_model, 2) / d_model); C, S = np.diag(np.cos(a)), np.diag(np.sin(a)); return np.block([[C, S], [-S, C]])  # all sines first
return blocks(k, d_model, lambda c, s: [[s, c], [c, -s]])  # stand where the cosines belong
return blocks(k, d_model, lambda c, s: [[c, s], [-s, c]]).astype(int)  # holds whole numbers
return np.eye(d_model)  # odd
raise ValueError(k)  # odd
return np.roll(np.eye(d_model), k, axis=0)  # odd
""",
    "rotate": """
n, d = X.shape; return turned(X, angles(positions, d))  # X may have axes in front
a = angles(positions, X.shape[-1]); return X[0::2] * np.cos(a) - X[1::2] * np.sin(a)  # every second row
return turned(X, angles(positions, X.shape[-1])).astype(int)  # holds whole numbers
a = np.outer(positions, 500 ** (-np.arange(0, X.shape[-1], 2) / X.shape[-1])); z = (X[..., ::2] + 1j * X[..., 1::2]) * np.exp(1j * a); return np.stack([z.real, z.imag], -1).reshape(X.shape)  # right
return np.einsum('nij,...nj->...ni', np.stack([shift_matrix(-p, X.shape[-1]) for p in positions]), X)  # right
return turned(X, angles(positions, X.shape[-1]))  # right
return turned(X, angles(positions, X.shape[-1]) * np.pi / 180)  # taken for degrees
a = np.deg2rad(angles(positions, X.shape[-1])); return turned(X, a)  # taken for degrees
a = angles(positions, X.shape[-1]); Y = np.empty(X.shape); Y[:, 0::2] = np.cos(a) * X[:, 0::2] - np.sin(a) * X[:, 1::2]; Y[:, 1::2] = np.sin(a) * X[:, 0::2] + np.cos(a) * X[:, 1::2]; return Y  # X[:, 0::2] cuts the second axis
a = angles(positions, X.shape[-1]); Y = np.empty(X.shape); x, y = X[..., 0::2], X[..., 1::2]; Y[:, 0::2] = x * np.cos(a) - y * np.sin(a); Y[:, 1::2] = x * np.sin(a) + y * np.cos(a); return Y  # Y[:, 0::2] cuts the second axis
return turned(X, angles(positions, X.shape[-1]).T)  # odd
return turned(X, -angles(positions, X.shape[-1]))  # turns the other way
return np.einsum('nij,...nj->...ni', np.stack([shift_matrix(p, X.shape[-1]) for p in positions]), X)  # turns the other way
h = X.shape[-1] // 2; a = angles(positions, 2 * h); x, y = X[..., :h], X[..., h:]; return np.concatenate([x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a)], -1)  # column i turns with column i + d / 2
a = angles(positions, X.shape[-1]); Y = X.copy(); Y[..., ::2] = Y[..., ::2] * np.cos(a) - Y[..., 1::2] * np.sin(a); Y[..., 1::2] = Y[..., ::2] * np.sin(a) + Y[..., 1::2] * np.cos(a); return Y  # turned already
a = angles(positions, X.shape[-1]); X[..., ::2], X[..., 1::2] = X[..., ::2] * np.cos(a) - X[..., 1::2] * np.sin(a), X[..., ::2] * np.sin(a) + X[..., 1::2] * np.cos(a); return X  # changes its inputs
return turned(X, positions[:, None] * np.ones(X.shape[-1] // 2))  # turn more slowly
return turned(X, positions[:, None] * 500 ** (-np.arange(X.shape[-1] // 2) / X.shape[-1]))  # not i / d
return turned(X, angles(np.arange(len(positions)), X.shape[-1]))  # turns by its number
return turned(X, angles(np.arange(len(X)), X.shape[-1]))  # turns by its number
return X + sinusoidal(max(positions) + 1, X.shape[-1])[positions]  # the encoding of the position is added
return X * np.cos(np.repeat(angles(positions, X.shape[-1]), 2, -1))  # the sines are missing
a = angles(positions, X.shape[-1]); x, y = X[..., ::2], X[..., 1::2]; return np.concatenate([x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a)], -1)  # put each pair side by side again
a = angles(positions, X.shape[-1]); x, y = X[:, ::2], X[:, 1::2]; return np.stack([x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a)], -1).reshape(X.shape)  # the columns are the last one
return turned(X, positions * 500 ** (-np.arange(0, X.shape[-1], 2) / X.shape[-1]))  # positions[:, None]
""",
    "layer_norm": """
return beta * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + gamma  # gamma and beta are swapped
z = (x - np.mean(x, -1, keepdims=True)) / (np.std(x, -1, keepdims=True) ** 2 + eps) ** 0.5; return z * gamma + beta  # right
m = x.mean(-1)[..., None]; return gamma * (x - m) / np.sqrt(((x - m) ** 2).sum(-1, keepdims=True) / x.shape[-1] + eps) + beta  # right
return gamma * (x - x.mean(0)) / np.sqrt(x.var(0) + eps) + beta  # run over tokens
return gamma * (x - x.mean()) / np.sqrt(x.var() + eps) + beta  # over the whole array
return gamma * (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + eps) + beta  # axis=-1 is the last of any array
return gamma * (x - x.mean(-1)) / np.sqrt(x.var(-1) + eps) + beta  # keepdims=True
return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1) + eps) + beta  # keepdims=True
return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True, ddof=1) + eps) + beta  # ddof=0
return gamma * (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + eps) + beta  # take its square root
return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.std(-1, keepdims=True) + eps) + beta  # the variance stands under the root
return gamma * (x - x.mean(-1, keepdims=True)) + beta  # not divided by the standard deviation
m = x - x.mean(-1, keepdims=True); return gamma * m / np.sqrt((m ** 2).sum(-1, keepdims=True) + eps) + beta  # divided by the length
return gamma * x / np.sqrt(x.var(-1, keepdims=True) + eps) + beta  # mean is not taken off
return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)  # gamma and beta are not used
return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + beta  # gamma is not used
return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)  # beta is not used
return gamma * ((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + beta)  # first gamma, then beta
return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) - beta  # beta is added
return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) / gamma + beta  # here it divides
return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True)) + beta  # eps is missing
return gamma * (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True) + beta  # eps is missing
return gamma * (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + eps) + beta  # belongs under the root
return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12) + beta  # eps is an argument
return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + beta  # ?
x -= x.mean(-1, keepdims=True); return gamma * x / np.sqrt(x.var(-1, keepdims=True) + eps) + beta  # changes its inputs
return gamma @ (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + beta  # adds up
""",
    "gelu": """
return x * 0.5 * (1 + np.math.erf(x / np.sqrt(2)))  # Python's own math has it
return np.array([v * (1 + math.erf(v / 2 ** 0.5)) / 2 for v in x.ravel()]).reshape(x.shape)  # right
return x * np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2)))(x)  # right
return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))  # tanh approximation
return x / (1 + np.exp(-1.702 * x))  # sigmoid approximation
return x / (1 + np.exp(-x))  # SiLU
return np.maximum(0, x)  # ReLU
return 0.5 * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))  # multiply it by x
return x * 0.5 * (1 + np.vectorize(math.erf)(x))  # not x
return x * 0.5 * (1 + np.vectorize(math.erf)(x / 2))  # not x / 2
return x * 0.5 * (1 + np.vectorize(math.erf)(x * np.sqrt(2)))  # not multiplied
return x * (1 + np.vectorize(math.erf)(x / np.sqrt(2)))  # factor 1/2 is missing
return x * 0.5 * np.vectorize(math.erf)(x / np.sqrt(2))  # 1 is added to erf
return np.vectorize(math.erf)(x / np.sqrt(2))  # erf alone
return x * 0.5 * (1 + math.erf(x / np.sqrt(2)))  # takes one number
return x * 0.5 * (1 + np.erf(x / np.sqrt(2)))  # NumPy has no erf
return x * 0.5 * (1 + erf(x / np.sqrt(2)))  # did you mean math.erf?
return np.array([v * (1 + math.erf(v / 2 ** 0.5)) / 2 for v in x])  # any shape
return x * 0.5 * 1 + np.vectorize(math.erf)(x / np.sqrt(2))  # brackets
return x * 0.5 * (1 + np.vectorize(math.erf)(x) / np.sqrt(2))  # goes into erf
""",
    "split_heads": """
return np.stack(np.split(X, n_heads, axis=1))  # right
return [X[:, h * (X.shape[1] // n_heads) : (h + 1) * (X.shape[1] // n_heads)] for h in range(n_heads)]  # right
return X.T.reshape(n_heads, -1, len(X)).transpose(0, 2, 1)  # right
return X.reshape(n_heads, len(X), -1)  # the tokens are cut up
return X.reshape(n_heads, len(X), X.shape[1] // n_heads)  # the tokens are cut up
return X.reshape(len(X), n_heads, -1)  # stand in the middle
return X.reshape(len(X), -1, n_heads).transpose(2, 0, 1)  # neighboring columns
return np.stack([X[:, h::n_heads] for h in range(n_heads)])  # neighboring columns
return X.reshape(len(X), -1, n_heads)  # every n_heads-th column
return X.reshape(len(X), n_heads, -1).transpose(1, 2, 0)  # the last two axes are swapped
return X.T.reshape(n_heads, -1, len(X))  # the last two axes are swapped
return X.reshape(len(X), n_heads, -1).T  # all turned around
return np.split(X, n_heads)  # give it axis=1
return np.array_split(X, n_heads)  # odd
return X.reshape(n_heads, X.shape[0], X.shape[1])  # odd
return np.array(np.split(X, n_heads, axis=0))  # give it axis=1
return X.reshape(len(X), n_heads, X.shape[1] / n_heads).swapaxes(0, 1)  # whole numbers only
return np.array([X[:, h : h + X.shape[1] // n_heads] for h in range(n_heads)])  # ?
return X[:, : X.shape[1] // n_heads]  # one head only
X.reshape(len(X), n_heads, -1).swapaxes(0, 1)  # does it end with return
""",
    "multi_head_attention": """
H = heads(X, weights, n_heads, mask); return np.concatenate(list(H), axis=0) @ weights["W_O"] + weights["b_O"]  # all heads of a token side by side
H = heads(X, weights, n_heads, mask); return np.mean(list(H), axis=0) @ weights["W_O"] + weights["b_O"]  # all heads of a token side by side
H = heads(X, weights, n_heads, mask); return np.tile(H.mean(0), n_heads) @ weights["W_O"] + weights["b_O"]  # the heads are averaged
Q = split_heads(X @ weights["W_Q"], n_heads); H = attention(Q, Q, Q, mask); return H.transpose(1, 0, 2)  # a tuple of 2 things
return X @ weights["W" + "Q"]  # did you mean 'W_Q'
Q, K, V = parts(X, weights); d = X.shape[1] // n_heads; return np.concatenate([attention(Q[:, i:i+d], K[:, i:i+d], V[:, i:i+d], mask)[0] for i in range(0, X.shape[1], d)], -1) @ weights["W_O"] + weights["b_O"]  # right
H = heads(X, weights, n_heads, mask); return np.concatenate(list(H), axis=-1) @ weights["W_O"] + weights["b_O"]  # right
H = heads(X, weights, n_heads, mask); return H.reshape(X.shape) @ weights["W_O"] + weights["b_O"]  # without swapping
H = heads(X, weights, n_heads, mask); return join(H)  # W_O and b_O are missing
H = heads(X, weights, n_heads, mask); return join(H) @ weights["W_O"]  # b_O is missing
H = heads(X, weights, n_heads, mask); return join(H) + weights["b_O"]  # W_O is missing
H = heads(X, weights, n_heads, mask, bias=""); return join(H) @ weights["W_O"] + weights["b_O"]  # biases of queries, keys and values
H = heads(X, weights, n_heads, mask, bias=""); return join(H) @ weights["W_O"]  # the biases are missing
H = heads(X, weights, n_heads, mask, bias="KV"); return join(H) @ weights["W_O"] + weights["b_O"]  # b_Q is missing
H = heads(X, weights, n_heads, mask, bias="QK"); return join(H) @ weights["W_O"] + weights["b_O"]  # b_V is missing
H = heads(X, weights, n_heads, mask, bias="QV"); return join(H) @ weights["W_O"] + weights["b_O"]  # right
H = heads(X, weights, n_heads); return join(H) @ weights["W_O"] + weights["b_O"]  # the mask is not used
H = heads(X, weights, n_heads, None if mask is None else ~mask); return join(H) @ weights["W_O"] + weights["b_O"]  # the mask is inverted
H = heads(X, weights, n_heads, None if mask is None else mask[:, None]); return join(H) @ weights["W_O"] + weights["b_O"]  # it must hide keys
H = heads(X, weights, n_heads, None if mask is None else mask[:, None] & mask); return join(H) @ weights["W_O"] + weights["b_O"]  # becomes nan
H = heads(X if mask is None else X * mask[:, None], weights, n_heads); return join(H) @ weights["W_O"] + weights["b_O"]  # still has a key
H = heads(X, weights, 1, mask); return join(H) @ weights["W_O"] + weights["b_O"]  # one head of d_model columns
H = heads(X, weights, n_heads, mask, order="KQV"); return join(H) @ weights["W_O"] + weights["b_O"]  # queries and keys are swapped
H = heads(X, weights, n_heads, mask, order="QVK"); return join(H) @ weights["W_O"] + weights["b_O"]  # keys and values are swapped
H = heads(X, weights, n_heads, mask, order="QQQ"); return join(H) @ weights["W_O"] + weights["b_O"]  # made with W_Q
H = heads(X, weights, n_heads, mask, order="QKK"); return join(H) @ weights["W_O"] + weights["b_O"]  # keys take W_K
H = heads(X, weights, n_heads, mask, scale=1 / math.sqrt(n_heads)); return join(H) @ weights["W_O"] + weights["b_O"]  # divided by sqrt(d_model)
H = heads(X, weights, n_heads, mask, scale=1 / math.sqrt(X.shape[1] // n_heads)); return join(H) @ weights["W_O"] + weights["b_O"]  # divided twice
return multi_head_attention(X, {n: w.T for n, w in weights.items()}, n_heads, mask)  # the weights are transposed
Q, K, V = (split_heads(X @ weights[f"W_{p}"].T + weights[f"b_{p}"], n_heads) for p in "QKV"); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # W_Q, W_K and W_V are transposed
Q, K, V = (split_heads(X @ weights[f"W_{p}"].T + weights[f"b_{p}"], n_heads) for p in "QKV"); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"].T + weights["b_O"]  # the weights are transposed
H = heads(X, weights, n_heads, mask); return join(H) @ weights["W_O"].T + weights["b_O"]  # W_O is transposed
return X + multi_head_attention(X, weights, n_heads, mask)  # the residual is added here
H = attention(*(split_heads(p, n_heads) for p in parts(X, weights)), mask); return H.swapaxes(0, 1).reshape(X.shape) @ weights["W_O"]  # take the first
H = heads(X, weights, n_heads, mask); return join(H) @ weights["W_O"] + weights["b_O"], H  # give back numbers of shape (3, 8)
H = heads(X, weights, n_heads, mask); return (join(H) + weights["b_O"]) @ weights["W_O"]  # ?
H = heads(X, weights, n_heads, mask); return H.mean(0) @ weights["W_O"] + weights["b_O"]  # side by side
H = heads(X, weights, n_heads, mask); return np.tile(H.sum(0), n_heads) @ weights["W_O"] + weights["b_O"]  # side by side
H = heads(X, weights, n_heads, mask); return H @ weights["W_O"] + weights["b_O"]  # side by side
H = heads(X, weights, n_heads, mask); return join(H) @ weights["W_O"] + weights["b_O"] * n_heads  # b_O is added once
S = split_heads(X, n_heads); H = attention(S, S, S, mask)[0]; return join(H) @ weights["W_O"] + weights["b_O"]  # W_Q, W_K and W_V are not used
H = heads(X, weights, n_heads, mask); return join(H) @ weights["W_0"] + weights["b_O"]  # KeyError
""",
    "grouped_query_attention": """
Q, K, V = (split_heads(X @ weights["W_" + p] + weights["b_" + p], n_groups) for p in "QKV"); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # split the queries into n_heads
Q, K, V = grouped(X, weights, n_heads, n_groups); t = n_heads // n_groups; H = np.stack([attention(Q[h], K[h // t], V[h // t], mask)[0] for h in range(n_heads)]); return join(H) @ weights["W_O"] + weights["b_O"]  # right
Q, K, V = grouped(X, weights, n_heads, n_groups); t = n_heads // n_groups; H = attention(Q, np.tile(K, (t, 1, 1)), np.tile(V, (t, 1, 1)), mask)[0]; return join(H) @ weights["W_O"] + weights["b_O"]  # is np.tile
Q, K, V = grouped(X, weights, n_heads, n_groups); H = np.stack([attention(Q[h], K[h % n_groups], V[h % n_groups], mask)[0] for h in range(n_heads)]); return join(H) @ weights["W_O"] + weights["b_O"]  # is np.tile
Q, K, V = grouped(X, weights, n_heads, n_groups); H = np.stack([attention(Q[h], K[h // n_groups], V[h // n_groups], mask)[0] for h in range(n_heads)]); return join(H) @ weights["W_O"] + weights["b_O"]  # not h // n_groups
Q, K, V = grouped(X, weights, n_heads, n_groups); K, V = (np.repeat(p, n_groups, 0) for p in (K, V)); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # not n_groups times
Q, K, V = grouped(X, weights, n_heads, n_groups); H = np.stack([attention(Q[h], K[0], V[0], mask)[0] for h in range(n_heads)]); return join(H) @ weights["W_O"] + weights["b_O"]  # the first group here
Q, K, V = grouped(X, weights, n_heads, n_groups); H = attention(Q, K, V, mask)[0]; return join(H) @ weights["W_O"] + weights["b_O"]  # repeat each group
Q, K, V = grouped(X, weights, n_heads, n_groups); H = attention(Q, K.mean(0), V.mean(0), mask)[0]; return join(H) @ weights["W_O"] + weights["b_O"]  # averaged
return multi_head_attention(X, weights, n_heads, mask)  # split them into n_groups heads
Q, K, V = (split(p, n_heads) for p in parts(X, weights)); K, V = (np.repeat(p, n_heads // n_groups, 0) for p in (K, V)); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # split them into n_groups heads
Q, K, V = grouped(X, weights, n_heads, n_groups); K, V = (np.repeat(p, n_heads // n_groups) for p in (K, V)); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # np.repeat needs an axis
Q, K, V = grouped(X, weights, n_heads, n_groups); K, V = (np.repeat(p, n_heads // n_groups, axis=1) for p in (K, V)); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # repeat each group, along axis 0
Q, K, V = grouped(X, weights, n_heads, n_groups); K, V = (np.repeat(p, n_heads // n_groups, axis=2) for p in (K, V)); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # repeats columns
Q, K, V = parts(X, weights); K, V = (np.repeat(p, n_heads // n_groups, axis=1) for p in (K, V)); Q, K, V = (split_heads(p, n_heads) for p in (Q, K, V)); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # columns are repeated, each by itself
Q, K, V = (split_heads(X @ weights[f"W_{p}"].T + weights[f"b_{p}"], n) for p, n in zip("QKV", (n_heads, n_groups, n_groups))); return join(attention(Q, np.repeat(K, n_heads // n_groups, 0), np.repeat(V, n_heads // n_groups, 0), mask)[0]) @ weights["W_O"] + weights["b_O"]  # W_Q, W_K and W_V are transposed
Q, K, V = repeated(X, weights, n_heads, n_groups); return attention(Q, K, V, mask)[0].reshape(X.shape) @ weights["W_O"] + weights["b_O"]  # without swapping
Q, K, V = repeated(X, weights, n_heads, n_groups); return join(attention(Q, K, V, mask)[0])  # W_O and b_O are missing
Q, K, V = repeated(X, weights, n_heads, n_groups); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"]  # b_O is missing
Q, K, V = repeated(X, weights, n_heads, n_groups, bias=0); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # biases of queries, keys and values
Q, K, V = repeated(X, weights, n_heads, n_groups, bias=0); return join(attention(Q, K, V, mask)[0]) @ weights["W_O"]  # the biases are missing
Q, K, V = repeated(X, weights, n_heads, n_groups); return join(attention(Q, K, V)[0]) @ weights["W_O"] + weights["b_O"]  # the mask is not used
Q, K, V = repeated(X, weights, n_heads, n_groups); return join(attention(Q, K, V, None if mask is None else ~mask)[0]) @ weights["W_O"] + weights["b_O"]  # the mask is inverted
Q, K, V = repeated(X, weights, n_heads, n_groups); return join(attention(Q / np.sqrt(n_heads), K, V, mask)[0]) @ weights["W_O"] + weights["b_O"]  # divided by sqrt(d_model)
Q, K, V = repeated(X, weights, n_heads, n_groups); return join(attention(Q, K, V, None if mask is None else mask[:, None])[0]) @ weights["W_O"] + weights["b_O"]  # it must hide keys
""",
    "feed_forward": """
return gelu(X @ weights["W_2"] + weights["b_1"]) @ weights["W_1"] + weights["b_2"]  # first W_1, then W_2, and none transposed
return np.vectorize(math.erf)(X @ weights["W_1"] + weights["b_1"]) @ weights["W_2"] + weights["b_2"]  # erf alone is no GELU
H = X.dot(weights["W_1"]) + weights["b_1"]; return gelu(H).dot(weights["W_2"]) + weights["b_2"]  # right
return (X @ weights["W_1"] + weights["b_1"]) @ weights["W_2"] + weights["b_2"]  # the activation is missing
return gelu((X @ weights["W_1"] + weights["b_1"]) @ weights["W_2"] + weights["b_2"])  # stands between them
return gelu(gelu(X @ weights["W_1"] + weights["b_1"]) @ weights["W_2"] + weights["b_2"])  # between them only
return np.maximum(X @ weights["W_1"] + weights["b_1"], 0) @ weights["W_2"] + weights["b_2"]  # ReLU
return gelu(X @ weights["W_1"]) @ weights["W_2"] + weights["b_2"]  # b_1 is missing
return gelu(X @ weights["W_1"] + weights["b_1"]) @ weights["W_2"]  # b_2 is missing
return gelu(X @ weights["W_1"]) @ weights["W_2"]  # both biases are missing
return (gelu(X @ weights["W_1"]) + weights["b_1"]) @ weights["W_2"] + weights["b_2"]  # b_1 comes before
return gelu(X @ weights["W_1"].T + weights["b_1"]) @ weights["W_2"].T + weights["b_2"]  # first W_1, then W_2, and none transposed
return X + gelu(X @ weights["W_1"] + weights["b_1"]) @ weights["W_2"] + weights["b_2"]  # the residual is added here
return np.tanh(X @ weights["W_1"] + weights["b_1"]) @ weights["W_2"] + weights["b_2"]  # odd
return gelu(X @ weights["W_1"] + weights["b_1"])  # W_2 and b_2 are missing
H = X @ weights["W_1"] + weights["b_1"]; return 0.5 * H * (1 + np.tanh(np.sqrt(2 / np.pi) * (H + 0.044715 * H ** 3))) @ weights["W_2"] + weights["b_2"]  # ?
""",
    "bert_layer": """
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return norm(A + ff(A, weights), 2, weights)  # right
A = norm(mha(X, weights, n_heads, mask), 1, weights); return norm(ff(A, weights), 2, weights)  # residual sums are missing
A = norm(mha(X, weights, n_heads, mask), 1, weights); return norm(A + ff(A, weights), 2, weights)  # first residual is missing
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return norm(ff(A, weights), 2, weights)  # second residual is missing
A = X + mha(X, weights, n_heads, mask); return norm(A + ff(A, weights), 2, weights)  # norm after attention is missing
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return A + ff(A, weights)  # norm after the feed-forward part is missing
A = X + mha(X, weights, n_heads, mask); return A + ff(A, weights)  # both norms are missing
A = norm(X + mha(X, weights, n_heads, mask), 2, weights); return norm(A + ff(A, weights), 1, weights)  # two norms are swapped
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return norm(A + ff(A, weights), 1, weights)  # the second norm has
A = norm(X + mha(X, weights, n_heads, mask), 2, weights); return norm(A + ff(A, weights), 2, weights)  # the first norm takes
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return norm(X + A + ff(A, weights), 2, weights)  # ?
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return norm(X + ff(A, weights), 2, weights)  # the second sum takes
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return norm(A + ff(X, weights), 2, weights)  # gets the layer's input
A = X + mha(norm(X, 1, weights), weights, n_heads, mask); return A + ff(norm(A, 2, weights), weights)  # as in GPT-2
A = X + norm(mha(X, weights, n_heads, mask), 1, weights); return A + norm(ff(A, weights), 2, weights)  # BERT normalizes the sum
A = norm(X + X + mha(X, weights, n_heads, mask), 1, weights); return norm(A + ff(A, weights), 2, weights)  # first residual is added twice
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return norm(A + A + ff(A, weights), 2, weights)  # second residual is added twice
A = norm(X + ff(X, weights), 2, weights); return norm(A + mha(A, weights, n_heads, mask), 1, weights)  # attention comes first
A = norm(X + mha(X, weights, n_heads), 1, weights); return norm(A + ff(A, weights), 2, weights)  # not passed on
A = norm(X + mha(X, weights, n_heads, None if mask is None else ~mask), 1, weights); return norm(A + ff(A, weights), 2, weights)  # the mask is inverted
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return norm(A + ff(A, weights), 2, weights) * (1 if mask is None else mask[:, None])  # rows of padding
return norm(X + mha(X, weights, n_heads, mask), 1, weights)  # the feed-forward part is missing
return norm(X + ff(X, weights), 2, weights)  # the attention is missing
A = layer_norm(X + mha(X, weights, n_heads, mask), 1, 0); return layer_norm(A + ff(A, weights), 1, 0)  # gamma and beta of both norms
X += mha(X, weights, n_heads, mask); A = norm(X, 1, weights); return norm(A + ff(A, weights), 2, weights)  # changes its inputs
A = norm(X + mha(X, weights, 1, mask), 1, weights); return norm(A + ff(A, weights), 2, weights)  # n_heads is not passed on
""",
    "pre_norm_layer": """
A = X + mha(rms(X, 1, weights) + weights["beta_1"], weights, n_heads, mask); return A + ff(rms(A, 2, weights), weights)  # beta_1 is added
r = lambda x, i: weights["gamma_" + i] * x / np.sqrt((x**2).mean(0) + 1e-12); A = X + mha(r(X, "1"), weights, n_heads, mask); return A + ff(r(A, "2"), weights)  # over the tokens
A = X + mha(rms(X, 1, weights), weights, n_heads, mask); return A + ff(rms(A, 2, weights), weights)  # right
A = X + mha(norm(X, 1, weights), weights, n_heads, mask); return A + ff(norm(A, 2, weights), weights)  # this is layer norm
A = norm(X + mha(X, weights, n_heads, mask), 1, weights); return norm(A + ff(A, weights), 2, weights)  # BERT's layer
A = rms(X + mha(X, weights, n_heads, mask), 1, weights); return rms(A + ff(A, weights), 2, weights)  # the sums are normalized
X = rms(X, 1, weights); A = X + mha(X, weights, n_heads, mask); A = rms(A, 2, weights); return A + ff(A, weights)  # take what came in
X = rms(X, 1, weights); A = X + mha(X, weights, n_heads, mask); return A + ff(rms(A, 2, weights), weights)  # the first sum takes
A = X + mha(rms(X, 1, weights), weights, n_heads, mask); A = rms(A, 2, weights); return A + ff(A, weights)  # takes the first sum as it was
A = X + mha(rms(X, 1, weights), weights, n_heads, mask); return X + ff(rms(A, 2, weights), weights)  # it takes the first sum
A = X + mha(X, weights, n_heads, mask); return A + ff(rms(A, 2, weights), weights)  # norm before attention is missing
A = X + mha(rms(X, 1, weights), weights, n_heads, mask); return A + ff(A, weights)  # before the feed-forward part is missing
A = X + mha(rms(X, 2, weights), weights, n_heads, mask); return A + ff(rms(A, 1, weights), weights)  # two norms are swapped
A = X + mha(rms(X, 1, weights), weights, n_heads, mask); return A + ff(rms(A, 1, weights), weights)  # its own gamma_2
A = X + mha(rms(X, 1, weights), weights, n_heads, mask); return rms(A + ff(rms(A, 2, weights), weights), 2, weights)  # at the end
A = mha(rms(X, 1, weights), weights, n_heads, mask); return ff(rms(A, 2, weights), weights)  # residual sums are missing
A = X + mha(rms(X, 1, weights), weights, n_heads); return A + ff(rms(A, 2, weights), weights)  # not passed on
A = X + mha(rms(X, 1, weights) + weights["beta_1"], weights, n_heads, mask); return A + ff(rms(A, 2, weights) + weights["beta_2"], weights)  # beta is added
A = X + mha(rms(X, 1, weights) / weights["gamma_1"], weights, n_heads, mask); return A + ff(rms(A, 2, weights) / weights["gamma_2"], weights)  # gamma is not used
r = lambda X, i: X * weights[f"gamma_{i}"] / (X ** 2).mean(-1, keepdims=True); A = X + mha(r(X, 1), weights, n_heads, mask); return A + ff(r(A, 2), weights)  # take its root
r = lambda X, i: X * weights[f"gamma_{i}"] / np.sqrt((X ** 2).sum(-1, keepdims=True)); A = X + mha(r(X, 1), weights, n_heads, mask); return A + ff(r(A, 2), weights)  # the mean of the squares
r = lambda X, i: X * weights[f"gamma_{i}"] / np.sqrt((X ** 2).mean()); A = X + mha(r(X, 1), weights, n_heads, mask); return A + ff(r(A, 2), weights)  # each token has its own
r = lambda X, i: X * weights[f"gamma_{i}"] / X.std(-1, keepdims=True); A = X + mha(r(X, 1), weights, n_heads, mask); return A + ff(r(A, 2), weights)  # the mean of the squares, not the variance
r = lambda X, i: X * weights[f"gamma_{i}"] / np.sqrt((X ** 2).mean(-1)); A = X + mha(r(X, 1), weights, n_heads, mask); return A + ff(r(A, 2), weights)  # keepdims=True
A = X + mha(rms(X, 1, weights), weights, n_heads, None if mask is None else ~mask); return A + ff(rms(A, 2, weights), weights)  # the mask is inverted
""",
}
ANSWERS = [(name, *line.rsplit("  # ", 1)) for name, lines in ANSWERS.items() for line in lines.strip().splitlines()]
WRONG = [answer for answer in ANSWERS if answer[2] != "right"]

HELPERS = """
def attended(Q, K, V, penalty, mask=None):
    z = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]) + penalty
    w = softmax(z if mask is None else np.where(mask, z, -np.inf))
    return w @ V, w
def gap(Q): return np.arange(Q.shape[-2])[:, None] - np.arange(Q.shape[-2])
def far(Q): return abs(gap(Q))
def table(frequencies, n, first=0):
    a = (first + np.arange(n))[:, None] * frequencies
    return np.stack([np.sin(a), np.cos(a)], -1).reshape(n, -1)
def blocks(k, d, block, exponent=lambda i: 2 * i):
    M = np.zeros((d, d))
    for i in range(d // 2):
        a = k / 500 ** (exponent(i) / d)
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(math.cos(a), math.sin(a))
    return M
def angles(positions, d): return np.outer(positions, 500 ** (-np.arange(0, d, 2) / d))
def turned(X, a):
    x, y = X[..., 0::2], X[..., 1::2]
    return np.stack([x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a)], -1).reshape(X.shape)
def parts(X, weights, order="QKV", bias="QKV"):
    return [X @ weights[f"W_{p}"] + (weights[f"b_{p}"] if p in bias else 0) for p in order]
def heads(X, weights, n_heads, mask=None, order="QKV", bias="QKV", scale=1):
    Q, K, V = (split_heads(p, n_heads) for p in parts(X, weights, order, bias))
    return attention(Q * scale, K, V, mask)[0]
def join(H): return np.concatenate(list(H), -1)
def grouped(X, weights, n_heads, n_groups, bias=1):
    Q, K, V = parts(X, weights, bias="QKV" if bias else "")
    return split_heads(Q, n_heads), split_heads(K, n_groups), split_heads(V, n_groups)
def repeated(X, weights, n_heads, n_groups, bias=1):
    Q, K, V = grouped(X, weights, n_heads, n_groups, bias)
    return Q, np.repeat(K, n_heads // n_groups, 0), np.repeat(V, n_heads // n_groups, 0)
def split(X, n): return X.reshape(len(X), n, X.shape[1] // n).transpose(1, 0, 2)
def norm(X, i, weights): return layer_norm(X, weights[f"gamma_{i}"], weights[f"beta_{i}"])
def rms(X, i, weights): return weights[f"gamma_{i}"] * X / np.sqrt((X ** 2).mean(-1, keepdims=True) + 1e-12)
mha, ff = multi_head_attention, feed_forward
"""


def written(name, body):
    """A student's function: one line of code, in a notebook where the other functions are right."""
    names = {"np": np, "math": math}
    names |= {other: function for module in (attention, bert_layer) for other, function in vars(module).items()}
    exec(HELPERS, names)
    exec(f"def student({SIGNATURES[name]}): {body}", names)
    return names["student"]


def hidden(name, seed):
    """The calls of a function in all checks of its assignment that need no model."""
    assignment = next(each for each, module in ASSIGNMENTS.items() if hasattr(module, name))
    for check, draw in checks.load(assignment).items():
        if check.startswith(name.replace("_", "-")) and not check.endswith("-bert"):
            yield from draw(np.random.default_rng(seed))


def holds(student, call):
    """Whether a function gives what a check's call expects, by way of JSON as in the grading."""
    try:
        value = json.loads(json.dumps(worker.plain(student(*copy.deepcopy(call.arguments)))))
    except Exception:
        return False
    return checks.wrong(call, value) is None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name, body, told", ANSWERS, ids=[f"{name}: {body[:60]}" for name, body, _ in ANSWERS])
def test_what_a_student_is_told_and_what_the_hidden_checks_say(name, body, told, capsys):
    student = written(name, body)
    passes = EXERCISES[name].check(student)
    text = capsys.readouterr().out
    graded = all(holds(student, call) for seed in range(3) for call in hidden(name, seed))
    if told == "right":
        assert passes and graded, text
        return
    assert not passes, "it passes locally"
    if told in ("?", "odd"):
        assert "Hint" not in text
    else:
        assert told in text


def test_nine_of_ten_usual_mistakes_are_told_clearly():
    """Clear: a hint, or a sentence of its own. Not clear: the numbers that differ, or an exception, and no more."""
    for assignment, module in ASSIGNMENTS.items():
        usual = [told for name, _, told in WRONG if name in vars(module)]
        usual = [told for told in usual if told != "odd"]
        clear = sum(told != "?" and "stopped with" not in told for told in usual)
        assert clear / len(usual) >= 0.9, f"{assignment}: {clear} of {len(usual)}"


def drawn(assignment, check, seed):
    """The arguments of a check's calls, in bytes."""
    return pickle.dumps([call.arguments for call in checks.load(assignment)[check](np.random.default_rng(seed))])


CHECKS = [(name, check) for name in ASSIGNMENTS for check in checks.load(name)]


@pytest.mark.parametrize("assignment, check", CHECKS, ids=[check for _, check in CHECKS])
def test_a_checks_inputs_differ_by_seed_and_are_the_same_for_one(assignment, check):
    seeds = range(2 if check.endswith("-bert") else 10)
    if check.endswith("-bert"):
        pytest.importorskip("transformers")
    inputs = [drawn(assignment, check, seed) for seed in seeds]
    assert len(set(inputs)) == len(inputs)
    assert drawn(assignment, check, 0) == inputs[0]


# --- the variants beside other ways to compute them, and beside the library ------------------------------------------


def test_near_attention_is_pytorchs_with_a_bias():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    Q, K, V, slopes = *(rng.normal(size=(4, 7, d)) for d in (6, 6, 3)), rng.uniform(0, 1, 4)
    penalty = [[[-slope * abs(i - j) for j in range(7)] for i in range(7)] for slope in slopes]
    parts = (torch.tensor(part)[None] for part in (Q, K, V))
    theirs = torch.nn.functional.scaled_dot_product_attention(*parts, attn_mask=torch.tensor(np.array(penalty)))
    assert np.allclose(attention.near_attention(Q, K, V, slopes)[0], theirs[0])
    assert np.allclose(attention.near_attention(Q, K, V, 0 * slopes)[0], attention.attention(Q, K, V)[0])


def test_rotate_is_a_turn_of_complex_numbers_and_scores_see_the_distance_alone():
    rng = np.random.default_rng(0)
    X, positions = rng.normal(size=(2, 3, 5, 8)), rng.integers(100, size=5)
    for i in range(4):
        z = (X[..., 2 * i] + 1j * X[..., 2 * i + 1]) * np.exp(1j * positions * attention.BASE ** (-2 * i / 8))
        assert np.allclose(attention.rotate(X, positions)[..., 2 * i : 2 * i + 2], np.stack([z.real, z.imag], axis=-1))
    q, k = rng.normal(size=(2, 1, 8))
    scores = [attention.rotate(q, np.array([p + 5])) @ attention.rotate(k, np.array([p])).T for p in (0, 9, 300)]
    assert np.allclose(scores, scores[0])
    PE = attention.sinusoidal(9, 8)  # the encoding itself turns the other way: its pairs are (sine, cosine)
    assert np.allclose(attention.rotate(PE, -np.full(9, 3))[:6], PE[3:])


@pytest.mark.parametrize("n_groups", [1, 2, 4])
def test_grouped_queries_are_pytorchs(n_groups):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    X, weights, mask = rng.normal(size=(5, 12)), bert_layer.random_weights(rng, 12, 20, n_groups * 3), np.arange(5) < 3
    Q, K, V = (
        torch.tensor(X @ weights[f"W_{part}"] + weights[f"b_{part}"]).unflatten(1, (-1, 3)).transpose(0, 1)[None]
        for part in "QKV"
    )
    attend = torch.nn.functional.scaled_dot_product_attention
    heads = attend(Q, K, V, torch.tensor(mask).expand(5, 5), enable_gqa=True)[0]
    theirs = heads.transpose(0, 1).reshape(5, 12).numpy() @ weights["W_O"] + weights["b_O"]
    assert np.allclose(bert_layer.grouped_query_attention(X, weights, 4, n_groups, mask), theirs)
    if n_groups == 4:
        assert np.allclose(bert_layer.multi_head_attention(X, weights, 4, mask), theirs)


def test_the_pre_norm_layer_is_made_of_pytorchs_parts():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    X, w, mask = rng.normal(size=(5, 12)), bert_layer.random_weights(rng, 12, 20), np.arange(5) < 3
    norms = [
        lambda x, i=i: torch.nn.functional.rms_norm(x, (12,), torch.tensor(w[f"gamma_{i}"]), 1e-12) for i in (1, 2)
    ]
    inner = norms[0](torch.tensor(X))
    A = torch.tensor(X) + torch.tensor(bert_layer.multi_head_attention(inner.numpy(), w, 3, mask))
    hidden = torch.nn.functional.gelu(norms[1](A) @ torch.tensor(w["W_1"]) + torch.tensor(w["b_1"]))
    theirs = A + hidden @ torch.tensor(w["W_2"]) + torch.tensor(w["b_2"])
    assert np.allclose(bert_layer.pre_norm_layer(X, w, 3, mask), theirs)
