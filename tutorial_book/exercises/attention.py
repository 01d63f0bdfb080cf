"""Checks of assignment 2: softmax, attention, masks and positions, in NumPy, and two variants that no chapter prints.

Of these, `near_attention` is known as ALiBi and `rotate` as RoPE.
"""

from __future__ import annotations

import math

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).round(1)  # one digit: what is printed can be typed in


def softmax(x):
    """The right answer: over the last axis, with the largest score taken off first."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _exp_of_each(x):
    return np.array([math.exp(score) for score in x])


SOFTMAX = Exercise(
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
    """
    the softmax runs over the first axis; take axis=-1, so that each row adds up to 1
        x.max(axis=-1 -> x.max(axis=0
        powers.sum(axis=-1 -> powers.sum(axis=0
    the sum runs over the first axis; take axis=-1, so that each row adds up to 1
        powers.sum(axis=-1 -> powers.sum(axis=0
    the softmax runs over the whole array; take axis=-1, so that each row adds up to 1
        x.max(axis=-1 -> x.max(axis=None
        powers.sum(axis=-1 -> powers.sum(axis=None
    the sum runs over the whole array; take axis=-1, so that each row adds up to 1
        powers.sum(axis=-1 -> powers.sum(axis=None
    axis=1 is the last axis of a matrix only; axis=-1 is the last of any array
        x.max(axis=-1 -> x.max(axis=1
        powers.sum(axis=-1 -> powers.sum(axis=1
    each row's largest score and sum must keep their axis to line up with the rows: keepdims=True
        x.max(axis=-1, keepdims=True) -> x.max(axis=-1)
        powers.sum(axis=-1, keepdims=True) -> powers.sum(axis=-1)
    exp of a large number overflows, and inf / inf is nan; subtract the largest score of each row first
        x - x.max(axis=-1, keepdims=True) -> x
    the largest score of all rows is subtracted, so that a row far below it becomes 0 / 0, nan; take each row's own,
    with axis=-1
        x.max(axis=-1 -> x.max(axis=None
    the largest of each column is subtracted, which changes a row's weights; take each row's own, with axis=-1
        x.max(axis=-1 -> x.max(axis=0
    the smallest score is subtracted, and exp of a large rest overflows; subtract the largest
        x.max -> x.min
    the sum of the scores is subtracted, so exp of the rest is 0 or overflows; subtract the largest
        x.max -> x.sum
    the mean of the scores is subtracted, and exp of a large rest overflows; subtract the largest
        x.max -> x.mean
    max(x) compares the rows of a matrix; x.max(axis=-1, keepdims=True) is each row's largest
        x.max(axis=-1, keepdims=True) -> max(x)
    math.exp takes one number; np.exp takes an array
        np.exp(x - x.max(axis=-1, keepdims=True)) -> math.exp(x)
    a loop over x meets the rows of a matrix; np.exp takes an array of any shape
        np.exp(x - x.max(axis=-1, keepdims=True)) -> _exp_of_each(x)
    the exponentials are divided by their sum; here it is subtracted
        x - x.max(axis=-1, keepdims=True) -> x
        powers / -> powers -
    the exponentials are not divided by their sum
        x - x.max(axis=-1, keepdims=True) -> x
        / powers.sum(axis=-1, keepdims=True) ->
    the exponentials are not divided by their sum; without the largest they are at most 1
        / powers.sum(axis=-1, keepdims=True) ->
    the base of the powers is e, not 2
        np.exp(x - x.max(axis=-1, keepdims=True)) -> 2**x
    these are the logarithms of the softmax; leave out the log
        powers / powers.sum(axis=-1, keepdims=True) -> np.log(powers / powers.sum(axis=-1, keepdims=True))
    the scores themselves are divided by their sum; take exp of them first
        np.exp(x - x.max(axis=-1, keepdims=True)) -> x
    """,
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


def attention(Q, K, V, mask=None):
    """The right answer: weighted sums of the rows of V, and the weights. mask: True where a query may attend."""
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (..., n_q, n_k)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights


_Q, _K, _V = _numbers(2, 5, seed=2), _numbers(3, 5, seed=3), _numbers(3, 6, seed=4)
_MASK = np.array([[True, False, True], [True, True, False]])
_BATCH = _numbers(4, 2, 5, seed=5), _numbers(4, 3, 5, seed=6), _numbers(4, 3, 7, seed=7)
_FAR = np.array([[-200.0, 0.0]]), np.array([[1.0, 2.0], [1.1, 0.0], [1.2, 5.0]])  # scores of -140 to -170
ATTENTION = Exercise(
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
    """
    scores are dot products, Q @ K.swapaxes(-1, -2), and the output is weights @ V
        Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]) -> Q @ K
    the scores are not divided by sqrt(d_k)
        / np.sqrt(Q.shape[-1]) ->
    the scores are divided by sqrt(d_k), not the weights
        / np.sqrt(Q.shape[-1]) ->
        softmax(scores) -> softmax(scores) / np.sqrt(Q.shape[-1])
    the scores are divided by d_k; take its square root
        np.sqrt(Q.shape[-1]) -> Q.shape[-1]
    the scores are multiplied by sqrt(d_k); divide by it
        / np.sqrt -> * np.sqrt
    Q.shape holds all sizes; d_k is the last one, Q.shape[-1]
        Q.shape[-1] -> Q.shape
    np.dot is not @ where there are more than two axes; take Q @ K.swapaxes(-1, -2)
        Q @ K.swapaxes(-1, -2) -> np.dot(Q, K.swapaxes(-1, -2))
    np.dot(weights, V) is not weights @ V where there are more than two axes
        weights @ V -> np.dot(weights, V)
    np.dot takes each matrix of a batch with every other; @ takes each with its own
        Q @ K.swapaxes(-1, -2) -> np.dot(Q, K.swapaxes(-1, -2))
        weights @ V -> np.dot(weights, V)
    sqrt(d_k) is rounded to a whole number; with d_k = 5 it is 2.236...
        np.sqrt(Q.shape[-1]) -> int(np.sqrt(Q.shape[-1]))
    sqrt(d_k) is the size of a key, K.shape[-1], not the number of keys
        Q.shape[-1] -> K.shape[-2]
    sqrt(d_k) is the size of a key, K.shape[-1], not the number of queries
        Q.shape[-1] -> Q.shape[-2]
    sqrt(d_k) is the size of a key, K.shape[-1], not that of a value
        Q.shape[-1] -> V.shape[-1]
    the softmax runs over the queries; a query's weights must add up to 1 over the keys: axis=-1
        softmax(scores) -> softmax(scores.swapaxes(-1, -2)).swapaxes(-1, -2)
    the softmax runs over all scores at once; a query's weights must add up to 1
        softmax(scores) -> softmax(scores.ravel()).reshape(scores.shape)
    the softmax is missing: these weights are the scores
        softmax(scores) -> scores
    the second part is the weights, after the softmax; these are the scores
        return weights @ V, weights -> return weights @ V, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    each row of V has its weight: the output is weights @ V, and the weights are not turned around
        weights @ V -> weights.swapaxes(-1, -2) @ V
    the two parts are swapped: (output, weights)
        weights @ V, weights -> weights, weights @ V
    the weights are transposed: a row for each query, a column for each key
        weights @ V, weights -> weights @ V, weights.swapaxes(-1, -2)
    the mask is inverted: True marks where a query MAY attend
        mask, scores, -np.inf -> mask, -np.inf, scores
    the mask is not used
        np.where(mask, scores, -np.inf) -> scores
    masked scores are set to 0, which still gets weight (exp(0) = 1); take -inf
        np.where(mask, scores, -np.inf) -> scores * mask
    the mask is added as 1 and 0; a masked score must become -inf
        np.where(mask, scores, -np.inf) -> scores + mask
    inf - inf and 0 times -inf are nan and spoil the row: np.where(mask, scores, -np.inf)
        np.where(mask, scores, -np.inf) -> scores + (1 - mask) * -np.inf
    the masked scores are not low enough: another may lie below them. Take -inf
        -np.inf -> -100
    what is masked still gets weight, for -10 is not low enough. Take -inf
        -np.inf -> -10
    the mask comes after the softmax, so weights no longer add up to 1; mask the scores before it
        np.where(mask, scores, -np.inf) -> scores
        softmax(scores) -> softmax(scores) * (1 if mask is None else mask)
    -inf is for scores, before the softmax; here weights become -inf
        np.where(mask, scores, -np.inf) -> scores
        softmax(scores) -> np.where(True if mask is None else mask, softmax(scores), -np.inf)
    an array is neither true nor false: ask `if mask is not None`
        mask is not None -> mask
    scores[~mask] fits one matrix of scores only; np.where(mask, scores, -np.inf) fits a batch too
        scores = np.where(mask, scores, -np.inf) -> scores[~mask] = -np.inf
    K.T and np.transpose(K) turn all axes around; swap the last two: K.swapaxes(-1, -2)
        K.swapaxes(-1, -2) -> K.T
    transpose(0, 2, 1) needs exactly three axes; K.swapaxes(-1, -2) works for any number
        K.swapaxes(-1, -2) -> K.transpose(0, 2, 1)
    two axes in front are a batch, too: swap the last two of any number, K.swapaxes(-1, -2)
        K.swapaxes(-1, -2) -> (K.T if K.ndim == 2 else K.transpose(0, 2, 1))
    """,
    parts=("output", "weights"),
)


def check_attention(student):
    """Check scaled dot-product attention: (Q, K, V, mask=None) -> (output, weights). mask: True = may attend."""
    return ATTENTION.check(student)


def causal_mask(n):
    """The right answer: True on and below the diagonal."""
    return np.tril(np.ones((n, n), dtype=bool))


CAUSAL_MASK = Exercise(
    causal_mask,
    (Case("four tokens", (4,)), Case("one token", (1,)), Case("seven tokens", (7,))),
    """
    it is upside down: row i is a query, and may attend to columns 0 to i
        np.tril -> np.triu
    a token may attend to itself: the diagonal is True
        dtype=bool) -> dtype=bool), -1
    a token sees the next one: above the diagonal all is False
        dtype=bool) -> dtype=bool), 1
    this marks what is forbidden; True is where a query may attend
        np.tril -> ~np.tril
    these are numbers to add to scores; a mask is True and False
        np.tril(np.ones((n, n), dtype=bool)) -> np.where(np.tril(np.ones((n, n))), 0, -np.inf)
    np.tril takes a matrix: np.tril(np.ones((n, n), dtype=bool))
        np.ones((n, n), dtype=bool) -> n
    a shape is one thing: np.ones((n, n))
        np.ones((n, n), dtype=bool) -> np.ones(n, n)
    n is an argument; this is always the mask of four tokens
        (n, n) -> (4, 4)
    every token sees all here
        np.tril(np.ones((n, n), dtype=bool)) -> np.ones((n, n))
    a token sees only itself here; it may also attend to those before it
        np.tril(np.ones((n, n), dtype=bool)) -> np.eye(n)
    """,
)


def check_causal_mask(student):
    """Check a causal mask: n -> (n, n), True where the query of the row may attend to the key of the column."""
    return CAUSAL_MASK.check(student)


def near_attention(Q, K, V, slopes, mask=None):
    """The right answer: attention where each head takes its slope times the distance of two tokens off the score."""
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])  # (n_heads, n, n)
    places = np.arange(Q.shape[-2])
    steps = places - places[:, None]  # (n, n): key minus query
    scores = scores - slopes[:, None, None] * abs(steps)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights


_HEADS = _numbers(2, 4, 5, seed=8), _numbers(2, 4, 5, seed=9), _numbers(2, 4, 3, seed=10)
_SLOPES = np.array([0.5, 0.125])
NEAR_ATTENTION = Exercise(
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
    """
    the penalty is added; subtract it, so that what is far gets less
        scores - slopes -> scores + slopes
    later tokens gain, however far they are: the distance has no sign, take |i - j|
        abs(steps) -> -steps
    earlier tokens gain, however far they are: the distance has no sign, take |i - j|
        abs(steps) -> steps
    the distance is not squared
        abs(steps) -> steps**2
    the penalty is not used
        scores - slopes[:, None, None] * abs(steps) -> scores
    n is the number of tokens, Q.shape[-2], not that of heads
        Q.shape[-2] -> len(Q)
    n is the number of tokens, Q.shape[-2], not d_k
        Q.shape[-2] -> Q.shape[-1]
    K.T and np.transpose(K) turn all axes around; swap the last two: K.swapaxes(-1, -2)
        K.swapaxes(-1, -2) -> K.T
    the penalty is divided by sqrt(d_k) as well; take it off after the division
        abs(steps) -> abs(steps) / np.sqrt(5)
    the penalty comes off the weights; take it off the scores, before the softmax
        scores - slopes[:, None, None] * abs(steps) -> scores
        softmax(scores) -> softmax(scores) - slopes[:, None, None] * abs(steps)
    the scores are not divided by sqrt(d_k)
        / np.sqrt(Q.shape[-1]) ->
    the weights no longer add up to 1: the penalty comes off the scores, before the softmax
        scores - slopes[:, None, None] * abs(steps) -> scores
        softmax(scores) -> softmax(scores) * np.exp(-slopes[:, None, None] * abs(steps))
    every head has its own slope, these all have the first
        slopes[:, None, None] -> slopes[0]
    slopes has one number for each head; slopes[:, None, None] lines them up with (n_heads, n, n)
        slopes[:, None, None] -> slopes
    slopes[:, None] is a column; slopes has one number for each head: slopes[:, None, None]
        slopes[:, None, None] -> slopes[:, None]
    the mask is not used
        np.where(mask, scores, -np.inf) -> scores
    the mask is inverted: True marks where a query MAY attend
        mask, scores, -np.inf -> mask, -np.inf, scores
    the mask replaces the penalty; both hold
        scores = np.where(mask, scores, -np.inf) -> return attention(Q, K, V, mask)
    """,
    parts=("output", "weights"),
)


def check_near_attention(student):
    """Check attention with a penalty for distance: (Q, K, V, slopes, mask=None) -> (output, weights), for all heads."""
    return NEAR_ATTENTION.check(student)


def sinusoidal(n, d_model):
    """The right answer: sines in the even columns, cosines of the same angles in the odd ones."""
    exponents = np.arange(0, d_model, 2) / d_model  # (d_model / 2,)
    angles = np.arange(n)[:, None] * 10_000.0**-exponents  # (n, d_model / 2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, -1)


def _sines_and_cosines(angles):
    """Sines in the even columns and cosines in the odd ones, where each column has an angle of its own."""
    return np.where(np.arange(angles.shape[1]) % 2, np.cos(angles), np.sin(angles))


SINUSOIDAL = Exercise(
    sinusoidal,
    (Case("position 0", (1, 4)), Case("three positions, six columns", (3, 6)), Case("many positions", (100, 32))),
    """
    sines and cosines stand in two halves; they alternate: sin, cos, sin, cos
        np.stack -> np.hstack
        , axis=-1).reshape(n, -1) -> )
    sines and cosines are swapped: column 0 is a sine
        np.sin(angles), np.cos(angles) -> np.cos(angles), np.sin(angles)
    the odd columns are cosines; these are all sines
        np.cos -> np.sin
    positions are counted from 1; the first is 0
        np.arange(n) -> np.arange(1, n + 1)
    each column has a frequency of its own; columns 2i and 2i + 1 share one, 10000^(-2i / d_model)
        np.arange(0, d_model, 2) -> np.arange(d_model)
        np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, -1) -> _sines_and_cosines(angles)
    i counts the pairs, not the columns: columns 2i and 2i + 1 have the exponent 2i / d_model
        np.arange(0, d_model, 2) -> 2 * np.arange(d_model)
        np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, -1) -> _sines_and_cosines(angles)
    the exponent is 2i / d_model, not i / d_model, where i counts the pairs
        np.arange(0, d_model, 2) -> np.arange(d_model // 2)
    the exponent is 2i / d_model; here a pair's number is doubled twice
        np.arange(0, d_model, 2) -> 2 * np.arange(0, d_model, 2)
    the last exponent is (d_model - 2) / d_model, not 1: divide 2i by d_model
        np.arange(0, d_model, 2) / d_model -> np.linspace(0, 1, d_model // 2)
    the exponent is rounded to a whole number: / divides, // rounds down
        / d_model -> // d_model
    -2 * i // d_model is a whole number: // rounds down, / divides
        np.arange(0, d_model, 2) / d_model -> -(-np.arange(0, d_model, 2) // d_model)
    np.sin and np.cos take the angle as it is; here it is taken for degrees
        10_000.0**-exponents -> np.radians(10_000.0**-exponents)
    a position is divided by 10000^(2i / d_model); here it is multiplied by it
        **-exponents -> **exponents
    there are d_model / 2 pairs, not d_model: i runs from 0 to d_model / 2 - 1
        return np.stack -> np.empty((n, d_model))[:, 0::2] = np.stack
    an index runs too far: there are n positions, and d_model / 2 pairs of columns
        .reshape(n, -1) -> .reshape(n, -1)[:, d_model]
    the array holds whole numbers, so sines and cosines are cut down to 0; leave out the dtype
        .reshape(n, -1) -> .reshape(n, -1).astype(int)
    the base is 10000, not 1000
        10_000 -> 1000
    a row for each position, a column for each number of it: this is transposed
        .reshape(n, -1) -> .reshape(n, -1).T
    """,
)


def check_sinusoidal(student):
    """Check the sinusoidal position encodings: (n, d_model) -> (n, d_model)."""
    return SINUSOIDAL.check(student)


def shift_matrix(k, d_model):
    """The right answer: a rotation by k * frequency for each pair of columns, so that PE(pos + k) = M PE(pos)."""
    M = np.zeros((d_model, d_model))
    for i in range(0, d_model, 2):
        angle = k * 10_000 ** (-i / d_model)
        sine, cosine = np.sin(angle), np.cos(angle)
        M[i : i + 2, i : i + 2] = [[cosine, sine], [-sine, cosine]]
    return M


SHIFT_MATRIX = Exercise(
    shift_matrix,
    (Case("no shift: the identity", (0, 4)), Case("a shift by 1", (1, 4)), Case("a shift back by 3", (-3, 8))),
    """
    it shifts the other way: check the signs of the sines
        [[cosine, sine], [-sine, cosine]] -> [[cosine, -sine], [sine, cosine]]
    one of the two sines needs a minus
        -sine -> sine
    only the first pair of columns has the frequency 1; the others turn more slowly
        k * 10_000 ** (-i / d_model) -> k
    the exponent is 2i / d_model, not i / d_model, where i counts the pairs
        -i / d_model -> -i / 2 / d_model
    this fits encodings with all sines first and then all cosines; here they alternate, so each pair has a 2 x 2
    block on the diagonal
        M[i : i + 2, i : i + 2] -> M[i // 2 :: d_model // 2, i // 2 :: d_model // 2]
    the sines are missing: a position's sine and cosine mix
        [[cosine, sine], [-sine, cosine]] -> [[cosine, 0], [0, cosine]]
    sines stand where the cosines belong: for k = 0, cos(0) = 1 is on the diagonal
        [[cosine, sine], [-sine, cosine]] -> [[sine, cosine], [cosine, -sine]]
    the matrix holds whole numbers, so sines and cosines are cut down to 0; leave out the dtype
        np.zeros((d_model, d_model)) -> np.zeros((d_model, d_model), dtype=int)
    there are d_model / 2 pairs: i runs over range(d_model // 2)
        return M -> return M[d_model, d_model]
    k is not used: this is always the shift by 1
        k * 10_000 -> 10_000
    k may be negative: a shift back turns the other way
        k * 10_000 -> abs(k) * 10_000
    """,
)


def check_shift_matrix(student):
    """Check the matrix that shifts positions: (k, d_model) -> M with PE(pos + k) = M PE(pos)."""
    return SHIFT_MATRIX.check(student)


def rotate(X, positions):
    """The right answer: each pair of columns turned by the position of its row times the frequency of the pair."""
    d = X.shape[-1]
    frequencies = 10_000 ** (-np.arange(0, d, 2) / d)  # (d / 2,)
    angles = positions[:, None] * frequencies  # (n, d / 2)
    x, y = X[..., 0::2], X[..., 1::2]
    even = x * np.cos(angles) - y * np.sin(angles)
    odd = x * np.sin(angles) + y * np.cos(angles)
    return np.stack([even, odd], axis=-1).reshape(X.shape)


_ROWS, _PLACES = _numbers(3, 8, seed=11), np.array([7, 2, 40])
ROTATE = Exercise(
    rotate,
    (
        Case("position 0 turns nothing", (_numbers(1, 4), np.array([0]))),
        Case("one pair at position 1", (np.array([[1.0, 0.0]]), np.array([1]))),
        Case("another pair at position 1", (np.array([[1.0, 2.0]]), np.array([1]))),
        Case("three positions, four pairs", (_ROWS, np.arange(3))),
        Case("positions in any order", (_ROWS, _PLACES)),
        Case("texts and heads: axes in front", (_numbers(2, 4, 3, 8, seed=12), _PLACES)),
    ),
    """
    it turns the other way: the minus stands with the sine in the even columns
        positions[:, None] -> -positions[:, None]
    columns 2i and 2i + 1 turn together; here column i turns with column i + d / 2
        X[..., 0::2], X[..., 1::2] -> np.split(X, 2, axis=-1)
        np.stack([even, odd], axis=-1).reshape(X.shape) -> np.concatenate([even, odd], axis=-1)
    the odd columns are made of even ones that have turned already: keep the old ones until both are done
        x * np.sin(angles) + y -> even * np.sin(angles) + y
    the even columns stand first and then the odd ones: put each pair side by side again
        np.stack([even, odd], axis=-1).reshape(X.shape) -> np.concatenate([even, odd], axis=-1)
    positions[:, None] times the frequencies has a row for each position
        positions[:, None] -> positions
    X[:, 0::2] cuts the second axis; the columns are the last one: X[..., 0::2]
        X[..., 0::2], X[..., 1::2] -> X[:, 0::2], X[:, 1::2]
    Y[:, 0::2] cuts the second axis; the columns are the last one: Y[..., 0::2]
        return np.stack([even, odd], axis=-1).reshape(X.shape) -> Y = rotate(X, positions); Y[:, 0::2] = even; return Y
    X[0::2] takes every second row; the even columns are X[..., 0::2]
        X[..., 0::2], X[..., 1::2] -> X[0::2], X[1::2]
        np.stack([even, odd], axis=-1).reshape(X.shape) -> even
    X may have axes in front: its last size is X.shape[-1]
        d = X.shape[-1] -> n, d = X.shape
    the array holds whole numbers, so what is turned is cut down; leave out the dtype
        .reshape(X.shape) -> .reshape(X.shape).astype(int)
    np.cos and np.sin take the angle as it is; here it is taken for degrees
        positions[:, None] * frequencies -> np.radians(positions[:, None] * frequencies)
    only the first pair has the frequency 1; the others turn more slowly
        10_000 ** (-np.arange(0, d, 2) / d) -> np.ones(d // 2)
    the exponent is 2i / d, not i / d, where i counts the pairs
        np.arange(0, d, 2) -> np.arange(d // 2)
    a row turns by its own position, which positions says; here it turns by its number
        positions[:, None] -> np.arange(len(positions))[:, None]
    a vector is turned; here the encoding of the position is added
        np.stack([even, odd], axis=-1).reshape(X.shape) -> X + sinusoidal(max(positions) + 1, d)[positions]
    the sines are missing: the two numbers of a pair mix
        - y * np.sin(angles) ->
        x * np.sin(angles) + ->
    """,
)


def check_rotate(student):
    """Check the turn of pairs of columns: (X (..., n, d), positions (n,)) -> (..., n, d)."""
    return ROTATE.check(student)
