"""The marks of assignment 2: fresh random inputs, and one head of the real BERT."""

import numpy as np

from coursework.checks import call, check
from tutorial_lib.coursework import attention as right


@check("softmax-public")
def softmax_small(rng):
    for x in ([0.0, 0.0], [1.0, 2.0, 3.0], [1000.0, 1000.0, 0.0]):
        yield call("softmax", np.array(x), expect=right.softmax(np.array(x)))


@check("softmax-hidden")
def softmax_random(rng):
    for shape in ((5,), (3, 7), (2, 3, 4)):
        x = rng.normal(scale=5, size=shape)
        yield call("softmax", x, expect=right.softmax(x))
    x = rng.normal(size=(4, 6)) + np.array([[1e4], [-1e4], [0], [3]])  # the shift of one row must not hurt another
    yield call("softmax", x, expect=right.softmax(x))


def _attention(Q, K, V, *mask):
    return call("attention", Q, K, V, *mask, expect=right.attention(Q, K, V, *mask))


@check("attention-public")
def attention_small(rng):
    yield _attention(np.ones((1, 4)), np.ones((3, 4)), np.arange(6.0).reshape(3, 2))
    yield _attention(rng.normal(size=(2, 4)), rng.normal(size=(3, 4)), rng.normal(size=(3, 5)))


@check("attention-hidden")
def attention_random(rng):
    for batch in ((), (3,), (2, 3)):
        n_q, n_k, d_k, d_v = rng.choice(
            np.arange(2, 9), size=4, replace=False
        )  # all different: no axis can be mixed up
        Q, K, V = (rng.normal(scale=2, size=(*batch, *shape)) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
        mask = rng.random((n_q, n_k)) < 0.6
        mask[np.arange(n_q), rng.integers(n_k, size=n_q)] = True  # each query may attend to something
        yield _attention(Q, K, V)
        yield _attention(Q, K, V, mask)


@check("attention-bert")
def attention_of_bert(rng):
    layer, head, trace = int(rng.integers(6)), int(rng.integers(12)), bert_trace()
    Q, K, V = (trace[f"layer.{layer}.attention.{part}"][0, head].numpy() for part in ("queries", "keys", "values"))
    weights, output = (trace[f"layer.{layer}.attention.{part}"][0, head].numpy() for part in ("weights", "heads"))
    yield call("attention", Q, K, V, expect=(output, weights), tolerance=1e-4)


def bert_trace():
    """The default model's way through a sentence."""
    from tutorial_lib.bert import Bert
    from tutorial_lib.tokenization import WordPiece

    sentence = "Then the bear waited for the door to open with a serendipitous smile."
    return Bert.from_pretrained(device="cpu").trace(**WordPiece.from_pretrained().batch([sentence]).inputs)


@check("causal-mask-public")
def causal_mask_small(rng):
    yield call("causal_mask", 4, expect=right.causal_mask(4))


@check("causal-mask-hidden")
def causal_mask_random(rng):
    for n in (1, *rng.integers(2, 30, size=3)):
        yield call("causal_mask", int(n), expect=right.causal_mask(int(n)))


@check("sinusoidal-public")
def sinusoidal_small(rng):
    yield call("sinusoidal", 3, 6, expect=right.sinusoidal(3, 6))


@check("sinusoidal-hidden")
def sinusoidal_random(rng):
    for n, half in rng.integers(2, 40, size=(3, 2)):
        yield call("sinusoidal", int(n), 2 * int(half), expect=right.sinusoidal(n, 2 * half))


@check("shift-matrix-public")
def shift_matrix_small(rng):
    yield call("shift_matrix", 1, 4, expect=right.shift_matrix(1, 4))


@check("shift-matrix-hidden")
def shift_matrix_random(rng):
    for k, half in zip(rng.integers(-50, 50, size=4), rng.integers(1, 20, size=4), strict=True):
        yield call("shift_matrix", int(k), 2 * int(half), expect=right.shift_matrix(k, 2 * half))
