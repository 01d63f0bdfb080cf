"""The marks of assignment 2: fresh random inputs, and one head of the real BERT on a random text."""

import numpy as np

from coursework.checks import call, trace_of_words

PUBLIC = {"softmax": 2, "attention": 2, "causal_mask": 2}


def softmax_hidden(rng):
    yield call("softmax", rng.normal(scale=5, size=5), case="one row of scores")
    yield call("softmax", rng.normal(scale=5, size=(3, 7)), case="a matrix")
    yield call("softmax", rng.normal(scale=5, size=(2, 3, 4)), case="several matrices")
    far = rng.normal(size=(4, 6)) + np.array([[1e4], [-1e4], [0], [3]])  # the shift of one row must not hurt another
    yield call("softmax", far, case="rows of large and of small scores")
    one = np.arange(6) == rng.integers(6, size=(4, 1))  # in each row
    yield call("softmax", far + 3e3 * one, case="rows of large and of small scores")
    yield call("softmax", np.where(one, -np.inf, far), case="a score of -inf")


def _inputs(rng, *batch):
    """Q, K, V and a mask in which each query may attend to something. Sizes differ, so that no axis is mixed up."""
    d_k = rng.choice([5, 6, 7, 8])  # its root is not a whole number
    n_q, n_k, d_v = rng.choice([n for n in range(2, 9) if n != d_k], size=3, replace=False)
    mask = rng.random((n_q, n_k)) < 0.6
    mask[np.arange(n_q), rng.integers(n_k, size=n_q)] = True
    return *(rng.normal(scale=2, size=(*batch, *shape)) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v))), mask


def attention_hidden(rng):
    for batch, name in (((), ""), ((3,), "a batch "), ((2, 3), "a batch ")):
        Q, K, V, mask = _inputs(rng, *batch)
        yield call("attention", Q, K, V, case=f"{name}without a mask")
        yield call("attention", Q, K, V, mask, case=f"{name}with a mask")
    Q, K, V, mask = _inputs(rng)
    low = 100 * np.abs(Q), -100 * np.abs(K)  # scores far below -100, which some take for the lowest that there is
    yield call("attention", *low, V, mask, case="with a mask, and scores far below 0")


def attention_bert(rng):
    _, _, trace = trace_of_words(rng, int(rng.integers(8, 16)))
    layer, head = int(rng.integers(6)), int(rng.integers(12))
    names = ("queries", "keys", "values", "heads", "weights")
    Q, K, V, *expected = (trace[f"layer.{layer}.attention.{name}"][0, head].numpy() for name in names)
    yield call("attention", Q, K, V, expect=tuple(expected), tolerance=1e-4)


def causal_mask_hidden(rng):
    for n in (*rng.integers(2, 40, size=4), 1):
        yield call("causal_mask", int(n))


def near_attention_hidden(rng):
    for n_heads in (3, 4):
        n, d_k, d_v = rng.choice([5, 6, 7, 8, 10], size=3, replace=False)
        Q, K, V = (rng.normal(size=(n_heads, n, d)) for d in (d_k, d_k, d_v))
        slopes = rng.uniform(0.1, 1, n_heads)
        yield call("near_attention", Q, K, V, slopes, case="without a mask")
        mask = (rng.random((n, n)) < 0.5) | np.eye(n, dtype=bool)
        yield call("near_attention", Q, K, V, slopes, mask, case="with a mask")


def sinusoidal_hidden(rng):
    for n, half in rng.integers(2, 40, size=(3, 2)).tolist():
        yield call("sinusoidal", n, 2 * half)


def shift_matrix_hidden(rng):
    for _ in range(4):
        yield call("shift_matrix", int(rng.integers(-200, 200)), 2 * int(rng.integers(2, 20)))


def rotate_hidden(rng):
    for batch, case in (((), "one text"), ((3,), "a batch"), ((2, 3), "a batch")):
        n, half = rng.integers(4, 8, size=2)
        positions = rng.integers(500, size=n)
        yield call("rotate", rng.normal(size=(*batch, n, 2 * half)), positions, case=case)
