"""Checks of assignment 2: softmax, attention, masks and positions, in NumPy, and two variants that no chapter prints.

Of these, `near_attention` is known as ALiBi and `rotate` as RoPE.
"""

from __future__ import annotations

import math

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise


def softmax(x):
    """The right answer: over the last axis, with the largest score taken off first."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def attention(Q, K, V, mask=None):
    """The right answer: weighted sums of the rows of V, and the weights. mask: True where a query may attend."""
    return _attend(_scaled(Q, K), V, mask)


def near_attention(Q, K, V, slopes, mask=None):
    """The right answer: attention where each head takes its slope times the distance of two tokens off the score."""
    return _attend(_scaled(Q, K) - slopes[:, None, None] * abs(_steps(Q)), V, mask)


def causal_mask(n):
    """The right answer: True on and below the diagonal."""
    return np.tril(np.ones((n, n), dtype=bool))


def sinusoidal(n, d_model):
    """The right answer: sines in the even columns, cosines of the same angles in the odd ones."""
    return _in_pairs(np.sin, np.cos)(np.arange(n)[:, None] * _frequencies(d_model))


def shift_matrix(k, d_model):
    """The right answer: a rotation by k * frequency for each pair of columns, so that PE(pos + k) = M PE(pos)."""
    return _blocks(lambda a: [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]], k * _frequencies(d_model))


def rotate(X, positions):
    """The right answer: each pair of columns turned by the position of its row times the frequency of the pair."""
    return _turned(X, positions[:, None] * _frequencies(X.shape[-1]))


def _scaled(Q, K):
    return Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)


def _attend(scores, V, mask=None):
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return weights @ V, weights


def _steps(Q, axis=-2):
    return np.arange(Q.shape[axis]) - np.arange(Q.shape[axis])[:, None]  # (n, n): key minus query


def _frequencies(d_model):
    return 10_000 ** (-np.arange(0, d_model, 2) / d_model)  # (d_model / 2,)


def _in_pairs(even, odd):
    return lambda angles: np.stack([even(angles), odd(angles)], axis=-1).reshape(len(angles), -1)


def _blocks(block, angles):
    M = np.zeros((2 * len(angles), 2 * len(angles)))
    for i, angle in enumerate(angles):
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(angle)
    return M


def _turned(X, angles):
    x, y = X[..., 0::2], X[..., 1::2]
    first, second = x * np.cos(angles) - y * np.sin(angles), x * np.sin(angles) + y * np.cos(angles)
    return np.stack([first, second], axis=-1).reshape(X.shape)


# --- the usual mistakes --------------------------------------------------------------------------------------------


def _over(axis, largest=..., keepdims=True):
    """Softmax over another axis, with the largest of another axis taken off, or without the axis of keepdims."""

    def made(x):
        powers = np.exp(x - x.max(axis=axis if largest is ... else largest, keepdims=keepdims))
        return powers / powers.sum(axis=axis, keepdims=keepdims)

    return made


def _overflowing(x):
    powers = np.exp(x)
    return powers / powers.sum(axis=-1, keepdims=True)


def _attention_with(scores=_scaled, masked=lambda z, mask: np.where(mask, z, -np.inf), weigh=softmax):
    """Attention with one step made otherwise. masked: None ignores the mask."""

    def made(Q, K, V, mask=None):
        z = scores(Q, K)
        weights = weigh(z if mask is None or masked is None else masked(z, mask))
        return weights @ V, weights

    return made


def _masked_after(Q, K, V, mask=None, fill=0):
    _, weights = attention(Q, K, V)
    weights = weights if mask is None else np.where(mask, weights, fill)
    return weights @ V, weights


def _by_index(z, mask):
    z[~mask] = -np.inf
    return z


def _asked_as_truth(Q, K, V, mask=None):
    return attention(Q, K, V, mask if mask else None)


def _dotted(Q, K, V, mask=None):
    scores = np.dot(Q, K.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return np.dot(weights, V), weights


def _dots(Q, K):
    return Q @ K.swapaxes(-1, -2)


def _near_with(penalty, scores=_scaled, axis=-2, **attend):
    """Near attention with another penalty, (heads, n, n), which is taken off; or with another step of attention.

    axis: the one of Q that is taken for that of the tokens.
    """

    def made(Q, K, V, slopes, mask=None):
        return _attention_with(lambda Q, K: scores(Q, K) - penalty(slopes, _steps(Q, axis)), **attend)(Q, K, V, mask)

    return made


def _distance(slopes, steps):
    return slopes[:, None, None] * abs(steps)


def _penalty_after(Q, K, V, slopes, mask=None):
    weights = attention(Q, K, V, mask)[1] - _distance(slopes, _steps(Q))
    return weights @ V, weights


def _weights_damped(Q, K, V, slopes, mask=None):
    weights = attention(Q, K, V, mask)[1] * np.exp(-_distance(slopes, _steps(Q)))
    return weights @ V, weights


def _of_each_column(even, odd, angles):
    return np.where(np.arange(angles.shape[1]) % 2, odd(angles), even(angles))


def _halves(k, d_model):
    order = np.arange(d_model).reshape(-1, 2).T.ravel()  # the even columns, then the odd ones
    return shift_matrix(k, d_model)[np.ix_(order, order)]


def _overwritten(X, positions):
    Y, angles = X.copy(), positions[:, None] * _frequencies(X.shape[-1])
    Y[..., 0::2] = Y[..., 0::2] * np.cos(angles) - Y[..., 1::2] * np.sin(angles)
    Y[..., 1::2] = Y[..., 0::2] * np.sin(angles) + Y[..., 1::2] * np.cos(angles)
    return Y


def _rows_for_columns(X, positions):
    angles = positions[:, None] * _frequencies(X.shape[-1])
    return X[0::2] * np.cos(angles) - X[1::2] * np.sin(angles)


def _of_two_axes(X, positions):
    n, d = X.shape
    return rotate(X, positions)


def _put(Y, where, values):
    Y[where] = values
    return Y


def _rotated_halves(X, positions):
    x, y = np.split(X, 2, axis=-1)
    angles = positions[:, None] * _frequencies(X.shape[-1])
    return np.concatenate([x * np.cos(angles) - y * np.sin(angles), x * np.sin(angles) + y * np.cos(angles)], axis=-1)


# --- the exercises -------------------------------------------------------------------------------------------------


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).round(1)  # one digit: what is printed can be typed in


SOFTMAX = Exercise(
    "softmax",
    softmax,
    (
        Case("two equal scores", (np.array([0.0, 0.0]),)),
        Case("three scores", (np.array([1.0, 2.0, 3.0]),)),
        Case("each row of a matrix", (_numbers(2, 3),)),
        Case("large scores", (np.array([1000.0, 1000.0, 0.0]),)),
        Case("one score far above the others", (np.array([1000.0, 0.0, 0.0, 0.0]),)),
        Case("a score of -inf has weight 0", (np.array([0.0, -np.inf, 1.0]),)),
        Case("large scores that differ little", (np.array([10000.1, 10000.2, 10000.4]),)),
        Case("several matrices at once", (_numbers(2, 3, 4, seed=1),)),
        Case("one row far below the other", (np.array([[0.0, 1.0, 2.0], [-1002.0, -1001.0, -1000.0]]),)),
    ),
    {
        "the softmax runs over the first axis; take axis=-1, so that each row adds up to 1": _over(0),
        "the sum runs over the first axis; take axis=-1, so that each row adds up to 1": _over(0, largest=-1),
        "the softmax runs over the whole array; take axis=-1, so that each row adds up to 1": _over(None),
        "the sum runs over the whole array; take axis=-1, so that each row adds up to 1": _over(None, largest=-1),
        "axis=1 is the last axis of a matrix only; axis=-1 is the last of any array": _over(1),
        "each row's largest score and sum must keep their axis to line up with the rows: keepdims=True": _over(
            -1, keepdims=False
        ),
        "exp of a large number overflows, and inf / inf is nan; subtract the largest score of each row first": (
            _overflowing
        ),
        "the largest score of all rows is subtracted, so that a row far below it becomes 0 / 0, nan; take each "
        "row's own, with axis=-1": _over(-1, largest=None),
        "the largest of each column is subtracted, which changes a row's weights; take each row's own, with axis=-1": (
            _over(-1, largest=0)
        ),
        "the smallest score is subtracted, and exp of a large rest overflows; subtract the largest": lambda x: (
            _overflowing(x - x.min(axis=-1, keepdims=True))
        ),
        "the sum of the scores is subtracted, so exp of the rest is 0 or overflows; subtract the largest": (
            lambda x: _overflowing(x - x.sum(axis=-1, keepdims=True))
        ),
        "the mean of the scores is subtracted, and exp of a large rest overflows; subtract the largest": (
            lambda x: _overflowing(x - x.mean(axis=-1, keepdims=True))
        ),
        "max(x) compares the rows of a matrix; x.max(axis=-1, keepdims=True) is each row's largest": (
            lambda x: softmax(x - max(x))
        ),
        "math.exp takes one number; np.exp takes an array": lambda x: math.exp(x),
        "a loop over x meets the rows of a matrix; np.exp takes an array of any shape": lambda x: (
            np.array([math.exp(v) for v in x]) / sum(math.exp(v) for v in x)
        ),
        "the exponentials are divided by their sum; here it is subtracted": lambda x: (
            np.exp(x) - np.exp(x).sum(axis=-1, keepdims=True)
        ),
        "the exponentials are not divided by their sum": np.exp,
        "the exponentials are not divided by their sum; without the largest they are at most 1": lambda x: np.exp(
            x - x.max(axis=-1, keepdims=True)
        ),
        "the base of the powers is e, not 2": lambda x: 2**x / (2**x).sum(axis=-1, keepdims=True),
        "these are the logarithms of the softmax; leave out the log": lambda x: np.log(softmax(x)),
        "the scores themselves are divided by their sum; take exp of them first": lambda x: (
            x / x.sum(axis=-1, keepdims=True)
        ),
    },
)

_Q, _K, _V = _numbers(2, 5, seed=2), _numbers(3, 5, seed=3), _numbers(3, 6, seed=4)
_MASK = np.array([[True, False, True], [True, True, False]])
_BATCH = _numbers(4, 2, 5, seed=5), _numbers(4, 3, 5, seed=6), _numbers(4, 3, 7, seed=7)
_FAR = np.array([[-200.0, 0.0]]), np.array([[1.0, 2.0], [1.1, 0.0], [1.2, 5.0]])  # scores of -140 to -170
ATTENTION = Exercise(
    "attention",
    attention,
    (
        Case("one query, equal keys: the average of the values", (np.ones((1, 4)), np.ones((3, 4)), _V)),
        Case("two queries, three keys", (_Q, _K, _V)),
        Case("a mask: True where a query may attend", (_Q, _K, _V, _MASK)),
        Case("a mask, and scores far below 0", (*_FAR, _V, np.array([[False, True, True]]))),
        Case("a batch of matrices", _BATCH),
        Case("a batch and a mask", (*_BATCH, _MASK)),
        Case("texts and heads: two axes in front", tuple(part.reshape(2, 2, *part.shape[1:]) for part in _BATCH)),
    ),
    {
        "scores are dot products, Q @ K.swapaxes(-1, -2), and the output is weights @ V": _attention_with(
            lambda Q, K: Q @ K
        ),
        "the scores are not divided by sqrt(d_k)": _attention_with(_dots),
        "the scores are divided by sqrt(d_k), not the weights": lambda Q, K, V, mask=None: _attention_with(
            _dots, weigh=lambda z: softmax(z) / np.sqrt(Q.shape[-1])
        )(Q, K, V, mask),
        "the scores are divided by d_k; take its square root": _attention_with(lambda Q, K: _dots(Q, K) / Q.shape[-1]),
        "the scores are multiplied by sqrt(d_k); divide by it": _attention_with(
            lambda Q, K: _dots(Q, K) * np.sqrt(Q.shape[-1])
        ),
        "Q.shape holds all sizes; d_k is the last one, Q.shape[-1]": _attention_with(
            lambda Q, K: _dots(Q, K) / np.sqrt(Q.shape)
        ),
        "np.dot is not @ where there are more than two axes; take Q @ K.swapaxes(-1, -2)": _attention_with(
            lambda Q, K: np.dot(Q, K.swapaxes(-1, -2)) / np.sqrt(Q.shape[-1])
        ),
        "np.dot(weights, V) is not weights @ V where there are more than two axes": lambda *a: (
            np.dot(attention(*a)[1], a[2]),
            attention(*a)[1],
        ),
        "np.dot takes each matrix of a batch with every other; @ takes each with its own": _dotted,
        "sqrt(d_k) is rounded to a whole number; with d_k = 5 it is 2.236...": _attention_with(
            lambda Q, K: _dots(Q, K) / int(np.sqrt(Q.shape[-1]))
        ),
        "sqrt(d_k) is the size of a key, K.shape[-1], not the number of keys": _attention_with(
            lambda Q, K: _dots(Q, K) / np.sqrt(K.shape[-2])
        ),
        "sqrt(d_k) is the size of a key, K.shape[-1], not the number of queries": _attention_with(
            lambda Q, K: _dots(Q, K) / np.sqrt(Q.shape[-2])
        ),
        "sqrt(d_k) is the size of a key, K.shape[-1], not that of a value": lambda Q, K, V, mask=None: _attention_with(
            lambda Q, K: _dots(Q, K) / np.sqrt(V.shape[-1])
        )(Q, K, V, mask),
        "the softmax runs over the queries; a query's weights must add up to 1 over the keys: axis=-1": _attention_with(
            weigh=lambda z: softmax(z.swapaxes(-1, -2)).swapaxes(-1, -2)
        ),
        "the softmax runs over all scores at once; a query's weights must add up to 1": _attention_with(
            weigh=_over(None)
        ),
        "the softmax is missing: these weights are the scores": _attention_with(weigh=lambda z: z),
        "the second part is the weights, after the softmax; these are the scores": lambda *a: (
            attention(*a)[0],
            _scaled(*a[:2]),
        ),
        "each row of V has its weight: the output is weights @ V, and the weights are not turned around": lambda *a: (
            attention(*a)[1].swapaxes(-1, -2) @ a[2],
            attention(*a)[1],
        ),
        "the two parts are swapped: (output, weights)": lambda *a: attention(*a)[::-1],
        "the weights are transposed: a row for each query, a column for each key": lambda *a: (
            attention(*a)[0],
            attention(*a)[1].swapaxes(-1, -2),
        ),
        "the mask is inverted: True marks where a query MAY attend": _attention_with(
            masked=lambda z, mask: np.where(mask, -np.inf, z)
        ),
        "the mask is not used": _attention_with(masked=None),
        "masked scores are set to 0, which still gets weight (exp(0) = 1); take -inf": _attention_with(
            masked=lambda z, mask: z * mask
        ),
        "the mask is added as 1 and 0; a masked score must become -inf": _attention_with(
            masked=lambda z, mask: z + mask
        ),
        "inf - inf and 0 times -inf are nan and spoil the row: np.where(mask, scores, -np.inf)": _attention_with(
            masked=lambda z, mask: z + (1 - mask) * -np.inf
        ),
        "the masked scores are not low enough: another may lie below them. Take -inf": _attention_with(
            masked=lambda z, mask: np.where(mask, z, -100)
        ),
        "what is masked still gets weight, for -10 is not low enough. Take -inf": _attention_with(
            masked=lambda z, mask: np.where(mask, z, -10)
        ),
        "the mask comes after the softmax, so weights no longer add up to 1; mask the scores before it": _masked_after,
        "-inf is for scores, before the softmax; here weights become -inf": lambda *a: _masked_after(*a, fill=-np.inf),
        "an array is neither true nor false: ask `if mask is not None`": _asked_as_truth,
        "scores[~mask] fits one matrix of scores only; np.where(mask, scores, -np.inf) fits a batch too": (
            _attention_with(masked=_by_index)
        ),
        "K.T and np.transpose(K) turn all axes around; swap the last two: K.swapaxes(-1, -2)": _attention_with(
            lambda Q, K: Q @ K.T / np.sqrt(Q.shape[-1])
        ),
        "transpose(0, 2, 1) needs exactly three axes; K.swapaxes(-1, -2) works for any number": _attention_with(
            lambda Q, K: Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
        ),
        "two axes in front are a batch, too: swap the last two of any number, K.swapaxes(-1, -2)": _attention_with(
            lambda Q, K: Q @ (K.T if K.ndim == 2 else K.transpose(0, 2, 1)) / np.sqrt(Q.shape[-1])
        ),
    },
    parts=("output", "weights"),
)

_HEADS = _numbers(2, 4, 5, seed=8), _numbers(2, 4, 5, seed=9), _numbers(2, 4, 3, seed=10)
_SLOPES = np.array([0.5, 0.125])
NEAR_ATTENTION = Exercise(
    "near_attention",
    near_attention,
    (
        Case(
            "one token: there is nobody else", (np.ones((1, 1, 2)), np.ones((1, 1, 2)), np.ones((1, 1, 3)), np.ones(1))
        ),
        Case("slope 0: attention as before", (*(part[:1] for part in _HEADS), np.zeros(1))),
        Case("one head, equal keys", (np.zeros((1, 4, 5)), np.ones((1, 4, 5)), _HEADS[2][:1], np.ones(1))),
        Case("one head", (*(part[:1] for part in _HEADS), np.array([0.5]))),
        Case("two heads, each with its slope", (*_HEADS, _SLOPES)),
        Case("a mask", (*_HEADS, _SLOPES, causal_mask(4))),
    ),
    {
        "the penalty is added; subtract it, so that what is far gets less": _near_with(lambda m, s: -_distance(m, s)),
        "later tokens gain, however far they are: the distance has no sign, take |i - j|": _near_with(
            lambda m, s: m[:, None, None] * -s
        ),
        "earlier tokens gain, however far they are: the distance has no sign, take |i - j|": _near_with(
            lambda m, s: m[:, None, None] * s
        ),
        "the distance is not squared": _near_with(lambda m, s: _distance(m, s**2)),
        "the penalty is not used": _near_with(lambda m, s: 0),
        "n is the number of tokens, Q.shape[-2], not that of heads": _near_with(_distance, axis=0),
        "n is the number of tokens, Q.shape[-2], not d_k": _near_with(_distance, axis=-1),
        "K.T and np.transpose(K) turn all axes around; swap the last two: K.swapaxes(-1, -2)": _near_with(
            _distance, lambda Q, K: Q @ K.T / np.sqrt(Q.shape[-1])
        ),
        "the penalty is divided by sqrt(d_k) as well; take it off after the division": _near_with(
            lambda m, s: _distance(m, s) / np.sqrt(5)
        ),
        "the penalty comes off the weights; take it off the scores, before the softmax": _penalty_after,
        "the scores are not divided by sqrt(d_k)": _near_with(_distance, _dots),
        "the weights no longer add up to 1: the penalty comes off the scores, before the softmax": _weights_damped,
        "every head has its own slope, these all have the first": _near_with(lambda m, s: m[0] * abs(s)),
        "slopes has one number for each head; slopes[:, None, None] lines them up with (n_heads, n, n)": _near_with(
            lambda m, s: m * abs(s)
        ),
        "slopes[:, None] is a column; slopes has one number for each head: slopes[:, None, None]": _near_with(
            lambda m, s: m[:, None] * abs(s)
        ),
        "the mask is not used": _near_with(_distance, masked=None),
        "the mask is inverted: True marks where a query MAY attend": _near_with(
            _distance, masked=lambda z, mask: np.where(mask, -np.inf, z)
        ),
        "the mask replaces the penalty; both hold": lambda Q, K, V, m, mask=None: (
            near_attention(Q, K, V, m) if mask is None else attention(Q, K, V, mask)
        ),
    },
    parts=("output", "weights"),
)

CAUSAL_MASK = Exercise(
    "causal_mask",
    causal_mask,
    (Case("four tokens", (4,)), Case("one token", (1,)), Case("seven tokens", (7,))),
    {
        "it is upside down: row i is a query, and may attend to columns 0 to i": lambda n: causal_mask(n).T,
        "a token may attend to itself: the diagonal is True": lambda n: np.tril(np.ones((n, n)), -1),
        "a token sees the next one: above the diagonal all is False": lambda n: np.tril(np.ones((n, n)), 1),
        "this marks what is forbidden; True is where a query may attend": lambda n: ~causal_mask(n),
        "these are numbers to add to scores; a mask is True and False": lambda n: np.where(causal_mask(n), 0, -np.inf),
        "np.tril takes a matrix: np.tril(np.ones((n, n), dtype=bool))": lambda n: np.tril(n),
        "a shape is one thing: np.ones((n, n))": lambda n: np.tril(np.ones(n, n)),
        "n is an argument; this is always the mask of four tokens": lambda n: causal_mask(4),
        "every token sees all here": lambda n: np.ones((n, n)),
        "a token sees only itself here; it may also attend to those before it": np.eye,
    },
)


def _sinusoidal_with(frequencies=_frequencies, columns=_in_pairs(np.sin, np.cos), first=0):
    """Sinusoidal positions with other frequencies, an other order of columns, or another first position."""
    return lambda n, d: columns((first + np.arange(n))[:, None] * frequencies(d))


SINUSOIDAL = Exercise(
    "sinusoidal",
    sinusoidal,
    (Case("position 0", (1, 4)), Case("three positions, six columns", (3, 6)), Case("many positions", (100, 32))),
    {
        "sines and cosines stand in two halves; they alternate: sin, cos, sin, cos": _sinusoidal_with(
            columns=lambda angles: np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
        ),
        "sines and cosines are swapped: column 0 is a sine": _sinusoidal_with(columns=_in_pairs(np.cos, np.sin)),
        "the odd columns are cosines; these are all sines": _sinusoidal_with(columns=_in_pairs(np.sin, np.sin)),
        "positions are counted from 1; the first is 0": _sinusoidal_with(first=1),
        "each column has a frequency of its own; columns 2i and 2i + 1 share one, 10000^(-2i / d_model)": (
            _sinusoidal_with(
                lambda d: 10_000 ** (-np.arange(d) / d), lambda angles: _of_each_column(np.sin, np.cos, angles)
            )
        ),
        "i counts the pairs, not the columns: columns 2i and 2i + 1 have the exponent 2i / d_model": _sinusoidal_with(
            lambda d: 10_000 ** (-2 * np.arange(d) / d), lambda angles: _of_each_column(np.sin, np.cos, angles)
        ),
        "the exponent is 2i / d_model, not i / d_model, where i counts the pairs": _sinusoidal_with(
            lambda d: 10_000 ** (-np.arange(d // 2) / d)
        ),
        "the exponent is 2i / d_model; here a pair's number is doubled twice": _sinusoidal_with(
            lambda d: 10_000 ** (-2 * np.arange(0, d, 2) / d)
        ),
        "the last exponent is (d_model - 2) / d_model, not 1: divide 2i by d_model": _sinusoidal_with(
            lambda d: 10_000 ** (-np.linspace(0, 1, d // 2))
        ),
        "the exponent is rounded to a whole number: / divides, // rounds down": _sinusoidal_with(
            lambda d: 10_000.0 ** -(np.arange(0, d, 2) // d)
        ),
        "-2 * i // d_model is a whole number: // rounds down, / divides": _sinusoidal_with(
            lambda d: 10_000.0 ** (-2 * np.arange(d // 2) // d)
        ),
        "np.sin and np.cos take the angle as it is; here it is taken for degrees": _sinusoidal_with(
            lambda d: np.radians(_frequencies(d))
        ),
        "a position is divided by 10000^(2i / d_model); here it is multiplied by it": _sinusoidal_with(
            lambda d: 10_000 ** (np.arange(0, d, 2) / d)
        ),
        "there are d_model / 2 pairs, not d_model: i runs from 0 to d_model / 2 - 1": lambda n, d: _put(
            np.empty((n, d)), np.s_[:, 0::2], sinusoidal(n, d)
        ),
        "an index runs too far: there are n positions, and d_model / 2 pairs of columns": lambda n, d: sinusoidal(n, d)[
            :, d
        ],
        "the array holds whole numbers, so sines and cosines are cut down to 0; leave out the dtype": lambda n, d: (
            sinusoidal(n, d).astype(int)
        ),
        "the base is 10000, not 1000": _sinusoidal_with(lambda d: 1000 ** (-np.arange(0, d, 2) / d)),
        "a row for each position, a column for each number of it: this is transposed": lambda n, d: sinusoidal(n, d).T,
    },
)


def _shift_with(block=lambda a: [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]], frequencies=_frequencies):
    """The shift matrix with other 2 x 2 blocks, or with other frequencies."""
    return lambda k, d: _blocks(block, k * frequencies(d))


SHIFT_MATRIX = Exercise(
    "shift_matrix",
    shift_matrix,
    (Case("no shift: the identity", (0, 4)), Case("a shift by 1", (1, 4)), Case("a shift back by 3", (-3, 8))),
    {
        "it shifts the other way: check the signs of the sines": lambda k, d: shift_matrix(-k, d),
        "one of the two sines needs a minus": _shift_with(lambda a: [[np.cos(a), np.sin(a)], [np.sin(a), np.cos(a)]]),
        "only the first pair of columns has the frequency 1; the others turn more slowly": _shift_with(
            frequencies=lambda d: np.ones(d // 2)
        ),
        "the exponent is 2i / d_model, not i / d_model, where i counts the pairs": _shift_with(
            frequencies=lambda d: 10_000 ** (-np.arange(d // 2) / d)
        ),
        "this fits encodings with all sines first and then all cosines; here they alternate, so each pair has a 2 x 2 "
        "block on the diagonal": _halves,
        "the sines are missing: a position's sine and cosine mix": _shift_with(
            lambda a: [[np.cos(a), 0], [0, np.cos(a)]]
        ),
        "sines stand where the cosines belong: for k = 0, cos(0) = 1 is on the diagonal": _shift_with(
            lambda a: [[np.sin(a), np.cos(a)], [np.cos(a), -np.sin(a)]]
        ),
        "the matrix holds whole numbers, so sines and cosines are cut down to 0; leave out the dtype": lambda k, d: (
            shift_matrix(k, d).astype(int)
        ),
        "there are d_model / 2 pairs: i runs over range(d_model // 2)": lambda k, d: shift_matrix(k, d)[d, d],
        "k is not used: this is always the shift by 1": lambda k, d: shift_matrix(1, d),
        "k may be negative: a shift back turns the other way": lambda k, d: shift_matrix(abs(k), d),
    },
)


def _rotate_with(frequencies=_frequencies, sign=1, positions_of=lambda positions: positions):
    """The rotation with other frequencies, the other way round, or at other positions."""
    return lambda X, positions: _turned(X, sign * positions_of(positions)[:, None] * frequencies(X.shape[-1]))


_ROWS, _PLACES = _numbers(3, 8, seed=11), np.array([7, 2, 40])
ROTATE = Exercise(
    "rotate",
    rotate,
    (
        Case("position 0 turns nothing", (_numbers(1, 4), np.array([0]))),
        Case("one pair at position 1", (np.array([[1.0, 0.0]]), np.array([1]))),
        Case("another pair at position 1", (np.array([[1.0, 2.0]]), np.array([1]))),
        Case("three positions, four pairs", (_ROWS, np.arange(3))),
        Case("positions in any order", (_ROWS, _PLACES)),
        Case("texts and heads: axes in front", (_numbers(2, 4, 3, 8, seed=12), _PLACES)),
    ),
    {
        "it turns the other way: the minus stands with the sine in the even columns": _rotate_with(sign=-1),
        "columns 2i and 2i + 1 turn together; here column i turns with column i + d / 2": _rotated_halves,
        "the odd columns are made of even ones that have turned already: keep the old ones until both are done": (
            _overwritten
        ),
        "the even columns stand first and then the odd ones: put each pair side by side again": lambda X, positions: (
            np.concatenate([rotate(X, positions)[..., 0::2], rotate(X, positions)[..., 1::2]], axis=-1)
        ),
        "positions[:, None] times the frequencies has a row for each position": lambda X, positions: _turned(
            X, positions * _frequencies(X.shape[-1])
        ),
        "X[:, 0::2] cuts the second axis; the columns are the last one: X[..., 0::2]": lambda X, positions: (
            X[:, 0::2] * np.cos(positions[:, None] * _frequencies(X.shape[-1])) if X.ndim > 2 else rotate(X, positions)
        ),
        "Y[:, 0::2] cuts the second axis; the columns are the last one: Y[..., 0::2]": lambda X, positions: _put(
            rotate(X, positions), np.s_[:, 0::2], rotate(X, positions)[..., 0::2]
        ),
        "X[0::2] takes every second row; the even columns are X[..., 0::2]": _rows_for_columns,
        "X may have axes in front: its last size is X.shape[-1]": _of_two_axes,
        "the array holds whole numbers, so what is turned is cut down; leave out the dtype": lambda X, positions: (
            rotate(X, positions).astype(int)
        ),
        "np.cos and np.sin take the angle as it is; here it is taken for degrees": _rotate_with(
            lambda d: np.radians(_frequencies(d))
        ),
        "only the first pair has the frequency 1; the others turn more slowly": _rotate_with(lambda d: np.ones(d // 2)),
        "the exponent is 2i / d, not i / d, where i counts the pairs": _rotate_with(
            lambda d: 10_000 ** (-np.arange(d // 2) / d)
        ),
        "a row turns by its own position, which positions says; here it turns by its number": _rotate_with(
            positions_of=lambda positions: np.arange(len(positions))
        ),
        "a vector is turned; here the encoding of the position is added": lambda X, positions: (
            X + sinusoidal(max(positions) + 1, X.shape[-1])[positions]
        ),
        "the sines are missing: the two numbers of a pair mix": lambda X, positions: (
            X * np.cos(np.repeat(positions[:, None] * _frequencies(X.shape[-1]), 2, axis=-1))
        ),
    },
)


def check_softmax(student):
    """Check a softmax over the last axis: (..., n) -> (..., n).

    >>> check_softmax(lambda x: np.exp(x) / np.exp(x).sum())
    ✓ two equal scores
    ✓ three scores
    ✗ each row of a matrix: the value at [0, 0] is ..., ... Hint: the softmax runs over the whole array; take...
    False
    """
    return SOFTMAX.check(student)


def check_attention(student):
    """Check scaled dot-product attention: (Q, K, V, mask=None) -> (output, weights). mask: True = may attend."""
    return ATTENTION.check(student)


def check_near_attention(student):
    """Check attention with a penalty for distance: (Q, K, V, slopes, mask=None) -> (output, weights), for all heads."""
    return NEAR_ATTENTION.check(student)


def check_causal_mask(student):
    """Check a causal mask: n -> (n, n), True where the query of the row may attend to the key of the column."""
    return CAUSAL_MASK.check(student)


def check_sinusoidal(student):
    """Check the sinusoidal position encodings: (n, d_model) -> (n, d_model)."""
    return SINUSOIDAL.check(student)


def check_shift_matrix(student):
    """Check the matrix that shifts positions: (k, d_model) -> M with PE(pos + k) = M PE(pos)."""
    return SHIFT_MATRIX.check(student)


def check_rotate(student):
    """Check the turn of pairs of columns: (X (..., n, d), positions (n,)) -> (..., n, d)."""
    return ROTATE.check(student)
