"""Checks of assignment 2: softmax, attention, masks and positions, in NumPy, and two variants that no chapter prints.

Of these, `near_attention` is known as ALiBi and `rotate` as RoPE.
"""

from __future__ import annotations

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).round(1)  # one digit, so that printed values can be typed in


SOFTMAX = Exercise(
    "attention.softmax",
    (
        Case("two equal scores", (np.array([0.0, 0.0]),)),
        Case("three scores", (np.array([1.0, 2.0, 3.0]),)),
        Case("each row of a matrix", (_numbers(2, 3),)),
        Case("large scores", (np.array([1000.0, 1000.0, 0.0]),)),
        Case("one score far above the others", (np.array([1000.0, 0.0, 0.0, 0.0]),)),
        Case("a score of -inf has weight 0", (np.array([0.0, -np.inf, 1.0]),)),
        Case("large scores that differ little", (np.array([10000.1, 10000.2, 10000.4]),)),
        Case("several matrices at once", (_numbers(2, 3, 4, seed=1),)),
        Case("whole numbers", (np.array([1, 2, 3]),)),
        Case("one row far below the other", (np.array([[0.0, 1.0, 2.0], [-1002.0, -1001.0, -1000.0]]),)),
    ),
)


_Q, _K, _V = _numbers(2, 5, seed=2), _numbers(3, 5, seed=3), _numbers(3, 6, seed=4)
_MASK = np.array([[True, False, True], [True, True, False]])
_BATCH = _numbers(4, 2, 5, seed=5), _numbers(4, 3, 5, seed=6), _numbers(4, 3, 7, seed=7)
_FAR = np.array([[-200.0, 0.0]]), np.array([[1.0, 2.0], [1.1, 0.0], [1.2, 5.0]])  # scores of -140 to -170
ATTENTION = Exercise(
    "attention.attention",
    (
        Case("one query, equal keys: the average of the values", (np.ones((1, 4)), np.ones((3, 4)), _V)),
        Case("two queries, three keys", (_Q, _K, _V)),
        Case("a mask: True where a query may attend", (_Q, _K, _V, _MASK)),
        Case("a mask, and scores far below 0", (*_FAR, _V, np.array([[False, True, True]]))),
        Case("a batch of matrices", _BATCH),
        Case("a batch and a mask", (*_BATCH, _MASK)),
        Case("texts and heads: two axes in front", tuple(part.reshape(2, 2, *part.shape[1:]) for part in _BATCH)),
    ),
    parts=("output", "weights"),
)


CAUSAL_MASK = Exercise(
    "attention.causal_mask",
    (Case("four tokens", (4,)), Case("one token", (1,)), Case("seven tokens", (7,))),
)


_HEADS = _numbers(2, 4, 5, seed=8), _numbers(2, 4, 5, seed=9), _numbers(2, 4, 3, seed=10)
_SLOPES = np.array([0.5, 0.125])
NEAR_ATTENTION = Exercise(
    "attention.near_attention",
    (
        Case(
            "one token: there is nobody else", (np.ones((1, 1, 2)), np.ones((1, 1, 2)), np.ones((1, 1, 3)), np.ones(1))
        ),
        Case("slope 0: attention as before", (*(part[:1] for part in _HEADS), np.zeros(1))),
        Case("one head, equal keys", (np.zeros((1, 4, 5)), np.ones((1, 4, 5)), _HEADS[2][:1], np.ones(1))),
        Case("one head", (*(part[:1] for part in _HEADS), np.array([0.5]))),
        Case("two heads, each with its slope", (*_HEADS, _SLOPES)),
        Case("a mask", (*_HEADS, _SLOPES, np.tri(4, dtype=bool))),
    ),
    parts=("output", "weights"),
)


SINUSOIDAL = Exercise(
    "attention.sinusoidal",
    (Case("position 0", (1, 4)), Case("three positions, six columns", (3, 6)), Case("many positions", (20, 6))),
)


SHIFT_MATRIX = Exercise(
    "attention.shift_matrix",
    (Case("no shift: the identity", (0, 4)), Case("a shift by 1", (1, 4)), Case("a shift back by 3", (-3, 8))),
)


_ROWS, _PLACES = _numbers(3, 8, seed=11), np.array([7, 2, 40])
ROTATE = Exercise(
    "attention.rotate",
    (
        Case("position 0 turns nothing", (_numbers(1, 4), np.array([0]))),
        Case("one pair at position 1", (np.array([[1.0, 0.0]]), np.array([1]))),
        Case("another pair at position 1", (np.array([[1.0, 2.0]]), np.array([1]))),
        Case("three positions, four pairs", (_ROWS, np.arange(3))),
        Case("positions in any order", (_ROWS, _PLACES)),
        Case("whole numbers", (np.array([[1, 2]]), np.array([1]))),
        Case("texts and heads: axes in front", (_numbers(2, 4, 3, 8, seed=12), _PLACES)),
    ),
)
