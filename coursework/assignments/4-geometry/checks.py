"""The marks of assignment 4: random clouds and contrasts, and the real BERT's token vectors and contrasts."""

import numpy as np

from coursework.checks import call
from tutorial_book.exercises.geometry import exact_contrasts, random_signs
from tutorial_lib.texts import load_texts

PUBLIC = {"cosine_matrix": 2, "anisotropy": 2, "without_loudest": 20, "contrast_cosine": 4, "sign_flip": 4, "swap": 3}


def _clouds(rng):
    """A cloud of more vectors than dimensions, and one of fewer, away from the origin, longer in some directions."""
    for n, d in ((rng.integers(12, 30), rng.integers(3, 8)), (rng.integers(5, 9), rng.integers(10, 15))):
        spread = rng.permutation(np.linspace(1, 4, d))[:, None] * rng.normal(size=(d, d))
        yield rng.normal(size=(n, d)) @ spread + rng.normal(scale=3, size=d)


def cosine_matrix_hidden(rng):
    for X in _clouds(rng):
        yield call("cosine_matrix", X, case="vectors that have directions")
        one_of_zeros = X * (np.arange(len(X)) != rng.integers(len(X)))[:, None]
        yield call("cosine_matrix", one_of_zeros, case="a row of zeros among them")


def average_cosine_hidden(rng):
    for X in _clouds(rng):
        yield call("average_cosine", np.vstack([X, 3 * X[:2]]))  # cosines of 1 off the diagonal
    yield call("average_cosine", rng.normal(size=(2, 3)))


def anisotropy_hidden(rng):
    arms = np.diag(np.cumsum(rng.uniform(0.5, 1, size=5)))  # longest on the last axis: there, nobody sorts eigenvalues
    for X in (np.vstack([arms, -arms]), *_clouds(rng)):
        yield call("anisotropy", X)


def two_nn_hidden(rng):
    for X in _clouds(rng):
        yield call("two_nn", X)
    n, d = rng.integers(40, 80), rng.integers(2, 5)
    yield call("two_nn", rng.random((n, d)) @ rng.normal(size=(d, 8)) - 2)


def without_loudest_hidden(rng):
    """Few rows of very unequal lengths: there, what looks loudest in other ways is often another coordinate."""
    for _ in range(30):
        n, d = rng.integers(3, 6), rng.integers(4, 7)
        X = rng.normal(size=(n, d)) * np.exp(rng.normal(size=(n, 1)))
        yield call("without_loudest", X, case="few vectors, of unequal lengths")
    for X in _clouds(rng):
        yield call("without_loudest", X, case="a cloud away from the origin")


def shape_bert(rng):
    """On vectors of all tokens of some texts, from a layer of the default model."""
    from tutorial_lib.vectors import embed

    texts = embed(load_texts("encyclopedia")[:12], pooling="tokens", layers="all", device="cpu")
    X = np.concatenate(texts, axis=1)[int(rng.integers(1, 7))].astype(np.float64)
    X = X[rng.choice(len(X), size=150, replace=False)]
    for name in ("anisotropy", "two_nn", "without_loudest"):
        yield call(name, X, case=name)


def contrast_cosine_hidden(rng):
    for n_a, n_b, d in ((4, 4, 6), (7, 3, 5), (1, 9, 30)):
        a, b = rng.normal(size=(2, n_a, d)), rng.normal(size=(2, n_b, d)) + 1
        case = "as many pairs in both" if n_a == n_b else "unequal numbers of pairs"
        for first_b, second_b in (b, b[::-1]):  # a cosine above 0 and one below
            yield call("contrast_cosine", *a, first_b, second_b, case=case)


def sign_flip_hidden(rng):
    a, b = rng.normal(size=(14, 6)), rng.normal(size=(9, 6))
    a = a * np.sign(a.mean(axis=0) @ b.mean(axis=0))
    for sign, name in ((1, "above"), (-1, "below")):
        yield call("sign_flip_p", sign * a, b, random_signs(rng, 199, 14), case=f"the observed value is {name} 0")
    for _ in range(3):  # small whole numbers, in which values equal to the observed one are exactly equal
        a, b = exact_contrasts(rng)
        signs = random_signs(rng, 60, len(a))
        signs[rng.choice(60, size=6, replace=False)] = np.repeat([1.0, -1.0], 3)[:, None]
        for sign in (1, -1):
            yield call("sign_flip_p", sign * a, b, signs, case="some values are equal to the observed one")


def bias_bert(rng):
    from tutorial_lib.vectors import embed

    pairs = load_texts("sentence-pairs")
    other = str(rng.choice(["finnish-czech", "monday-tuesday", "bright-dim", "funny-sad"]))
    for names in (("doctor-nurse", "female-male"), ("doctor-nurse", other)):
        some = rng.permutation(16)[:12]
        sides = [[side[i] for i in some] for name in names for side in zip(*pairs[name], strict=True)]
        first_a, second_a, first_b, second_b = (embed(side, device="cpu").astype(np.float64) for side in sides)
        signs = random_signs(rng, 499, 12)
        yield call("contrast_cosine", first_a, second_a, first_b, second_b, case="contrast_cosine")
        yield call("sign_flip_p", second_a - first_a, second_b - first_b, signs, case="sign_flip_p")


def swap_hidden(rng):
    direction, equal = np.array([0.0, 2.0]), 0  # whole numbers along an axis: equal cosines are exactly equal
    while equal != 1:  # no other swap, so that rounding cannot matter
        words = np.column_stack([rng.permutation(20)[:8], rng.integers(20, size=8)]).astype(float)
        i, j = np.triu_indices(8, k=1)
        cosines = np.abs((words[j] - words[i])[:, 1]) / np.linalg.norm(words[j] - words[i], axis=1)
        equal = np.count_nonzero(np.isclose(cosines, cosines[0]))
    yield call("swap_p", direction, words[1] - words[0], words, case="two of the words are the observed ones")
    for n, d in ((12, 3), (25, 6)):
        words = rng.normal(size=(n, d)) * np.linspace(0.2, 4, n)[:, None]
        direction, difference = rng.normal(size=(2, d))
        difference = difference * np.sign(direction @ difference)
        yield call("swap_p", direction, difference, words, case="along the direction")
        yield call("swap_p", -direction, difference, words, case="against the direction")
