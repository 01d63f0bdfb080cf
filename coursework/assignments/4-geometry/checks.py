"""The marks of assignment 4: random clouds and contrasts, and the real BERT's token vectors and contrasts."""

from functools import lru_cache

import numpy as np

from coursework.checks import call, check
from tutorial_lib.coursework import geometry as right


def _of(name, *arguments):
    return call(name, *arguments, expect=getattr(right, name)(*arguments))


def _clouds(rng):
    """Clouds away from the origin, with more vectors than dimensions and with fewer."""
    for n, d in ((rng.integers(12, 30), rng.integers(3, 8)), (rng.integers(5, 9), rng.integers(10, 15))):
        scales = rng.permutation(np.linspace(1, 4, d))
        yield rng.normal(size=(n, d)) * scales @ rng.normal(size=(d, d)) + rng.normal(scale=3, size=d)


def _public(name, exercise):
    """The public check's own cases: whoever sees it pass has these points."""

    @check(f"{name}-public")
    def cases(rng):
        for case in exercise.cases:
            yield _of(exercise.name, *case.arguments)

    return cases


cosine_matrix_public = _public("cosine-matrix", right.COSINE_MATRIX)
average_cosine_public = _public("average-cosine", right.AVERAGE_COSINE)
anisotropy_public = _public("anisotropy", right.ANISOTROPY)
two_nn_public = _public("two-nn", right.TWO_NN)
contrast_cosine_public = _public("contrast-cosine", right.CONTRAST_COSINE)
sign_flip_public = _public("sign-flip", right.SIGN_FLIP_P)
swap_public = _public("swap", right.SWAP_P)


@check("cosine-matrix-hidden")
def cosine_matrix_random(rng):
    for X in _clouds(rng):
        yield _of("cosine_matrix", X)
        yield _of("cosine_matrix", X * (np.arange(len(X)) != rng.integers(len(X)))[:, None])  # a row of zeros


@check("average-cosine-hidden")
def average_cosine_random(rng):
    for X in _clouds(rng):
        yield _of("average_cosine", X)
    yield _of("average_cosine", rng.normal(size=(2, 3)))


@check("anisotropy-hidden")
def anisotropy_random(rng):
    for X in _clouds(rng):
        yield _of("anisotropy", X)


@check("two-nn-hidden")
def two_nn_random(rng):
    for X in _clouds(rng):
        yield _of("two_nn", X)
    n, d = rng.integers(40, 80), rng.integers(2, 5)
    yield _of("two_nn", rng.random((n, d)) @ rng.normal(size=(d, 8)) - 2)


@check("shape-bert")
def shape_of_bert(rng):
    X = token_vectors()[int(rng.integers(1, 7))]
    X = X[rng.choice(len(X), size=150, replace=False)]
    yield _of("anisotropy", X)
    yield _of("two_nn", X)


@check("contrast-cosine-hidden")
def contrast_cosine_random(rng):
    for n_a, n_b, d in ((4, 4, 6), (7, 3, 5), (1, 9, 30)):
        a, b = rng.normal(size=(2, n_a, d)), rng.normal(size=(2, n_b, d))
        yield _of("contrast_cosine", *a, *(b + 1))


@check("sign-flip-hidden")
def sign_flip_random(rng):
    for _ in range(3):
        a, b = right.exact_contrasts(rng)
        signs = right.random_signs(rng, 60, len(a))
        signs[rng.choice(60, size=6, replace=False)] = np.repeat([1.0, -1.0], 3)[:, None]  # ties, in exact numbers
        yield _of("sign_flip_p", a, b, signs)
        yield _of("sign_flip_p", -a, b, signs)
    yield _of("sign_flip_p", rng.normal(size=(14, 6)), rng.normal(size=(9, 6)), right.random_signs(rng, 199, 14))


@check("bias-bert")
def bias_of_bert(rng):
    vectors = pair_vectors()
    other = str(rng.choice(["finnish-czech", "monday-tuesday", "bright-dim", "funny-sad"]))
    for name in ("female-male", other):
        (first_a, second_a), (first_b, second_b) = vectors["doctor-nurse"], vectors[name]
        signs = right.random_signs(rng, 499, len(first_a))
        yield _of("contrast_cosine", first_a, second_a, first_b, second_b)
        yield _of("sign_flip_p", second_a - first_a, second_b - first_b, signs)


@check("swap-hidden")
def swap_random(rng):
    for n, d in ((12, 3), (25, 6)):
        words = rng.normal(size=(n, d)) * np.linspace(0.2, 4, n)[:, None]
        direction, difference = rng.normal(size=(2, d))
        for sign in (1, -1):
            yield _of("swap_p", sign * direction, difference, words)


@lru_cache
def token_vectors():
    """The default model's vectors of all tokens of some texts, in every layer: (7, n, 384)."""
    from tutorial_lib.texts import load_texts
    from tutorial_lib.vectors import embed

    texts = embed(load_texts("encyclopedia")[:12], pooling="tokens", layers="all", device="cpu")
    return np.concatenate(texts, axis=1).astype(np.float64)


@lru_cache
def pair_vectors():
    """Contrast -> the default model's vectors of the first and of the second sentences of its pairs, (16, 384) each."""
    from tutorial_lib.texts import load_texts
    from tutorial_lib.vectors import embed

    return {
        name: [embed(list(side), device="cpu").astype(np.float64) for side in zip(*pairs, strict=True)]
        for name, pairs in load_texts("sentence-pairs").items()
    }
