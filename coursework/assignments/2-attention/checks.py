"""The marks of assignment 2: fresh random inputs, and one head of the real BERT on a random text."""

from functools import partial

import numpy as np

from coursework.checks import call, calls_of


def softmax_public(rng):
    yield call("softmax", rng.normal(scale=3, size=4))
    yield call("softmax", rng.normal(size=(2, 3)))


def softmax_hidden(rng):
    yield call("softmax", rng.normal(scale=5, size=5), case="one row of scores")
    yield call("softmax", rng.normal(scale=5, size=(3, 7)), case="a matrix")
    yield call("softmax", rng.normal(scale=5, size=(2, 3, 4)), case="several matrices")
    far = rng.normal(size=(4, 6)) + np.array([[1e4], [-1e4], [0], [3]])  # the shift of one row must not hurt another
    yield call("softmax", far, case="rows of large and of small scores")
    one = np.arange(6) == rng.integers(6, size=(4, 1))  # in each row
    yield call("softmax", far + 3e3 * one, case="rows of large and of small scores")
    yield call("softmax", np.where(one, -np.inf, far), case="a score of -inf")


def _sizes(rng):
    """(n_q, n_k, d_k, d_v): all different, so that no axis can be mixed up, and sqrt(d_k) is not a whole number."""
    d_k = rng.choice([5, 6, 7, 8])
    n_q, n_k, d_v = rng.choice([n for n in range(2, 9) if n != d_k], size=3, replace=False)
    return n_q, n_k, d_k, d_v


def _inputs(rng, *batch):
    """Q, K, V and a mask in which each query may attend to something."""
    n_q, n_k, d_k, d_v = _sizes(rng)
    mask = rng.random((n_q, n_k)) < 0.6
    mask[np.arange(n_q), rng.integers(n_k, size=n_q)] = True
    return *(rng.normal(scale=2, size=(*batch, *shape)) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v))), mask


def attention_public(rng):
    Q, K, V, mask = _inputs(rng)
    yield call("attention", Q, K, V)
    yield call("attention", Q, K, V, mask)


def attention_hidden(rng):
    Q, K, V, mask = _inputs(rng)
    yield call("attention", Q, K, V, case="without a mask")
    yield call("attention", Q, K, V, mask, case="with a mask")
    for batch in ((3,), (2, 3)):
        Q, K, V, mask = _inputs(rng, *batch)
        yield call("attention", Q, K, V, case="a batch")
        yield call("attention", Q, K, V, mask, case="a batch with a mask")
    Q, K, V, mask = _inputs(rng)
    low = 100 * np.abs(Q), -100 * np.abs(K)  # scores far below -100, which some take for the lowest that there is
    yield call("attention", *low, V, mask, case="with a mask, and scores far below 0")


def attention_bert(rng):
    from tutorial_lib.bert import Bert
    from tutorial_lib.tokenization import WordPiece

    tok = WordPiece.from_pretrained()
    words = [token for token in tok.tokens if token.isascii() and token.isalpha()]
    text = " ".join(rng.choice(words, size=rng.integers(8, 16)))
    trace = Bert.from_pretrained(device="cpu").trace(**tok.batch([text]).inputs)
    layer, head = int(rng.integers(6)), int(rng.integers(12))
    names = ("queries", "keys", "values", "heads", "weights")
    Q, K, V, *expected = (trace[f"layer.{layer}.attention.{name}"][0, head].numpy() for name in names)
    yield call("attention", Q, K, V, expect=tuple(expected), tolerance=1e-4)


def causal_mask_public(rng, first=(), more=2):
    for n in (*first, *rng.integers(2, 40, size=more)):
        yield call("causal_mask", int(n))


def _heads(rng, n_heads):
    """Q, K, V for n_heads heads, and a slope for each."""
    n, d_k, d_v = rng.choice([5, 6, 7, 8, 10], size=3, replace=False)
    return *(rng.normal(size=(n_heads, n, d)) for d in (d_k, d_k, d_v)), rng.uniform(0.1, 1, n_heads)


def near_attention_hidden(rng):
    for n_heads in (3, 4):
        Q, K, V, slopes = _heads(rng, n_heads)
        yield call("near_attention", Q, K, V, slopes, case="without a mask")
        mask = (rng.random((Q.shape[1], Q.shape[1])) < 0.5) | np.eye(Q.shape[1], dtype=bool)
        yield call("near_attention", Q, K, V, slopes, mask, case="with a mask")


def _two(rng, least, below, below_half):
    """A number and an even one."""
    return int(rng.integers(least, below)), 2 * int(rng.integers(2, below_half))


def rotate_public(rng):
    n = int(rng.integers(3, 6))
    yield call("rotate", rng.normal(size=(n, 8)), np.arange(n))


def rotate_hidden(rng):
    for batch, case in (((), "one text"), ((3,), "a batch"), ((2, 3), "a batch")):
        n, half = rng.integers(4, 8, size=2)
        positions = rng.integers(500, size=n)
        yield call("rotate", rng.normal(size=(*batch, n, 2 * half)), positions, case=case)


causal_mask_hidden = partial(causal_mask_public, first=(1,), more=4)
near_attention_public = calls_of("near_attention", lambda rng: _heads(rng, 1))
sinusoidal_public = calls_of("sinusoidal", lambda rng: _two(rng, 2, 60, 30))
sinusoidal_hidden = calls_of("sinusoidal", lambda rng: _two(rng, 2, 40, 40), times=3)
shift_matrix_public = calls_of("shift_matrix", lambda rng: _two(rng, 1, 200, 10))
shift_matrix_hidden = calls_of("shift_matrix", lambda rng: _two(rng, -200, 200, 20), times=4)
