"""Checks of assignment 2: softmax, attention, masks, sinusoidal positions and the shift matrix, in NumPy."""

from __future__ import annotations

import numpy as np

from tutorial_lib.coursework.exercise import Case, Exercise


def softmax(x):
    """The right answer: over the last axis, with the largest score taken off first."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(Q, K, V, mask=None):
    """The right answer: weighted sums of the rows of V, and the weights. mask: True where a query may attend."""
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights


def causal_mask(n):
    """The right answer: True on and below the diagonal."""
    return np.tril(np.ones((n, n), dtype=bool))


def sinusoidal(n, d_model):
    """The right answer: sines in the even columns, cosines of the same angles in the odd ones."""
    angles = np.arange(n)[:, None] / 10_000 ** (np.arange(0, d_model, 2) / d_model)  # (n, d_model / 2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)


def shift_matrix(k, d_model):
    """The right answer: a rotation by k * frequency for each pair of columns, so that PE(pos + k) = M PE(pos)."""
    M = np.zeros((d_model, d_model))
    for i, angle in enumerate(k / 10_000 ** (np.arange(0, d_model, 2) / d_model)):
        block = slice(2 * i, 2 * i + 2)
        M[block, block] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    return M


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def _overflowing(x):
    powers = np.exp(x)
    return powers / powers.sum(axis=-1, keepdims=True)


def _over_axis(x, axis):
    powers = np.exp(x - x.max())
    return powers / powers.sum(axis=axis, keepdims=True)


def _attention_with(scores=None, mask_of=lambda mask: mask, fill=-np.inf, normalize=softmax):
    """Attention with one step made otherwise: a usual mistake."""

    def made(Q, K, V, mask=None):
        z = scores(Q, K) if scores else Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
        if mask is not None and mask_of is not None:
            z = np.where(mask_of(np.asarray(mask, dtype=bool)), z, fill)
        weights = normalize(z)
        return weights @ V, weights

    return made


def _masked_after(Q, K, V, mask=None):
    output, weights = attention(Q, K, V)
    weights = weights if mask is None else np.where(mask, weights, 0)
    return weights @ V, weights


SOFTMAX = Exercise(
    "softmax",
    softmax,
    (
        Case("two equal scores", (np.array([0.0, 0.0]),)),
        Case("three scores", (np.array([1.0, 2.0, 3.0]),)),
        Case("each row of a matrix", (_numbers(2, 3),)),
        Case("large scores", (np.array([1000.0, 1000.0, 0.0]),)),
        Case("several matrices at once", (_numbers(2, 3, 4, seed=1),)),
    ),
    {
        "the softmax runs over the first axis; take axis=-1, so that each row adds up to 1": lambda x: _over_axis(x, 0),
        "the softmax runs over the whole array; take axis=-1, so that each row adds up to 1": lambda x: _over_axis(
            x, None
        ),
        "exp of a large number overflows; subtract the largest score of each row first": _overflowing,
        "the exponentials are not divided by their sum": np.exp,
        "these are the logarithms of the softmax; leave out the log": lambda x: np.log(softmax(x)),
        "the scores themselves are divided by their sum; take exp of them first": lambda x: (
            x / x.sum(axis=-1, keepdims=True)
        ),
    },
)

_Q, _K, _V = _numbers(2, 4, seed=2), _numbers(3, 4, seed=3), _numbers(3, 5, seed=4)
_MASK = np.array([[True, False, True], [True, True, False]])
ATTENTION = Exercise(
    "attention",
    attention,
    (
        Case("one query, equal keys: the average of the values", (np.ones((1, 4)), np.ones((3, 4)), _V)),
        Case("two queries, three keys", (_Q, _K, _V)),
        Case("a mask: True where a query may attend", (_Q, _K, _V, _MASK)),
        Case("a batch of matrices", (_numbers(2, 2, 4), _numbers(2, 3, 4, seed=5), _numbers(2, 3, 5, seed=6))),
    ),
    {
        "the scores are not divided by sqrt(d_k)": _attention_with(lambda Q, K: Q @ K.swapaxes(-1, -2)),
        "the scores are divided by d_k; take its square root": _attention_with(
            lambda Q, K: Q @ K.swapaxes(-1, -2) / Q.shape[-1]
        ),
        "sqrt(d_k) is the size of a key, K.shape[-1], not the number of keys": _attention_with(
            lambda Q, K: Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-2])
        ),
        "the softmax runs over the queries; a query's weights must add up to 1 over the keys: axis=-1": _attention_with(
            normalize=lambda z: softmax(z.swapaxes(-1, -2)).swapaxes(-1, -2)
        ),
        "the mask is inverted: True marks where a query MAY attend": _attention_with(mask_of=lambda mask: ~mask),
        "the mask is not used": _attention_with(mask_of=None),
        "masked scores are set to 0, which still gets weight (exp(0) = 1); take -inf": _attention_with(fill=0.0),
        "the mask comes after the softmax, so weights no longer add up to 1; mask the scores before it": _masked_after,
    },
    parts=("output", "weights"),
)

CAUSAL_MASK = Exercise(
    "causal_mask",
    causal_mask,
    (Case("four tokens", (4,)), Case("one token", (1,))),
    {
        "it is upside down: row i is a query, and may attend to columns 0 to i": lambda n: (
            ~causal_mask(n) | np.eye(n, dtype=bool)
        ),
        "a token may attend to itself: the diagonal is True": lambda n: np.tril(np.ones((n, n)), -1),
        "this marks what is forbidden; True is where a query may attend": lambda n: ~causal_mask(n),
    },
)

SINUSOIDAL = Exercise(
    "sinusoidal",
    sinusoidal,
    (Case("position 0", (1, 4)), Case("three positions, six columns", (3, 6)), Case("many positions", (100, 32))),
    {
        "sines and cosines stand in two halves; they alternate: sin, cos, sin, cos": lambda n, d: np.concatenate(
            [sinusoidal(n, d)[:, 0::2], sinusoidal(n, d)[:, 1::2]], axis=1
        ),
        "sines and cosines are swapped: column 0 is a sine": lambda n, d: (
            sinusoidal(n, d).reshape(n, -1, 2)[..., ::-1].reshape(n, d)
        ),
        "positions are counted from 1; the first is 0": lambda n, d: sinusoidal(n + 1, d)[1:],
        "each column has a frequency of its own; columns 2i and 2i + 1 share one, 10000^(-2i / d_model)": lambda n, d: (
            np.where(np.arange(d) % 2, np.cos(_angles_each(n, d)), np.sin(_angles_each(n, d)))
        ),
    },
)


def _angles_each(n, d_model):
    return np.arange(n)[:, None] / 10_000 ** (np.arange(d_model) / d_model)


SHIFT_MATRIX = Exercise(
    "shift_matrix",
    shift_matrix,
    (Case("no shift: the identity", (0, 4)), Case("a shift by 1", (1, 4)), Case("a shift back by 3", (-3, 8))),
    {
        "it shifts the other way: check the signs of the sines": lambda k, d: shift_matrix(-k, d),
        "only the first pair of columns has the frequency 1; the others turn more slowly": lambda k, d: np.kron(
            np.eye(d // 2), shift_matrix(k, 2)
        ),
    },
)


def check_softmax(student):
    """Check a softmax over the last axis: (..., n) -> (..., n).

    >>> check_softmax(lambda x: np.exp(x) / np.exp(x).sum())
    ✓ two equal scores
    ✓ three scores
    ✗ each row of a matrix: the value at [0, 0] is 0.161..., ... Hint: the softmax runs over the whole array; take...
    False
    """
    return SOFTMAX.check(student)


def check_attention(student):
    """Check scaled dot-product attention: (Q, K, V, mask=None) -> (output, weights). mask: True = may attend."""
    return ATTENTION.check(student)


def check_causal_mask(student):
    """Check a causal mask: n -> (n, n), True where the query of the row may attend to the key of the column."""
    return CAUSAL_MASK.check(student)


def check_sinusoidal(student):
    """Check the sinusoidal position encodings: (n, d_model) -> (n, d_model)."""
    return SINUSOIDAL.check(student)


def check_shift_matrix(student):
    """Check the matrix that shifts positions: (k, d_model) -> M with PE(pos + k) = M PE(pos)."""
    return SHIFT_MATRIX.check(student)
