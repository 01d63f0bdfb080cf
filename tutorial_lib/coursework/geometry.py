"""Checks of assignment 4: cosines, anisotropy, intrinsic dimension, contrasts and their two tests, in NumPy."""

from __future__ import annotations

import numpy as np

from tutorial_lib.coursework.exercise import Case, Exercise


def cosine_matrix(X):
    """The right answer: the cosine of each row with each row; a row of zeros gets 0, with itself too."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)  # (n, 1)
    U = X / np.where(lengths == 0, 1, lengths)
    return U @ U.T


def average_cosine(X):
    """The right answer: the mean cosine over all pairs of different rows."""
    return cosine_matrix(X)[np.triu_indices(len(X), 1)].mean()


def anisotropy(X):
    """The right answer: s_1^2 / (s_1^2 + s_2^2 + ...), with the singular values s_i of the centered matrix."""
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return s[0] ** 2 / (s**2).sum()


def two_nn(X):
    """The right answer: (n - 1) / sum of log(r2 / r1), over the distances to each row's two nearest other rows."""
    return _two_nn_with()(X)


def contrast_cosine(first_a, second_a, first_b, second_b):
    """The right answer: the cosine of the two average difference vectors, second minus first."""
    return _cosine((second_a - first_a).mean(axis=0), (second_b - first_b).mean(axis=0))


def sign_flip_p(differences_a, differences_b, signs):
    """The right answer: how often flipped signs of contrast a give an inner product as large as the observed one."""
    return _sign_flip_p_with()(differences_a, differences_b, signs)


def swap_p(direction, difference, words):
    """The right answer: how often the swap of two words lies as much along the direction as the difference does."""
    return _swap_p_with()(direction, difference, words)


def random_signs(rng, n_permutations, n_pairs):
    """Signs, (n_permutations, n_pairs), 1 or -1, and in no row all alike: that would tie with what was observed."""
    signs = rng.choice([-1.0, 1.0], size=(n_permutations, n_pairs))
    signs[np.abs(signs.sum(axis=1)) == n_pairs, 0] *= -1
    return signs


def exact_contrasts(rng, n_a=8, n_b=8, d=3):
    """Two contrasts of small whole numbers. Their averages are exact, so that equal inner products are equal."""
    while True:
        a, b = (rng.integers(-3, 4, size=(n, d)).astype(float) for n in (n_a, n_b))
        if a.mean(axis=0) @ b.mean(axis=0):
            return a, b


# --- the usual mistakes --------------------------------------------------------------------------------------------


def _cosine(a, b):
    return a @ b / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b))


def _share(variances):
    return variances.max() / variances.sum()


def _gram(X):
    return X @ X.T


def _singular(X):
    return np.linalg.svd(X, compute_uv=False)


def _two_nn_with(distance=lambda X: np.linalg.norm(X, axis=-1), own=np.inf, columns=(0, 1), estimate=None):
    """TwoNN with one step made otherwise: a usual mistake. own: what stands on the diagonal of the distances."""

    def made(X):
        distances = distance(X[:, None] - X[None, :])  # (n, n)
        np.fill_diagonal(distances, own)
        first, second = np.sort(distances, axis=1)[:, columns].T
        return estimate(second / first) if estimate else (len(X) - 1) / np.log(second / first).sum()

    return made


def _sign_flip_p_with(
    flip=lambda a, b, signs: (signs @ a / len(a), b.mean(axis=0)),
    statistic=lambda a, b: (a * b).sum(axis=-1),
    p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) >= abs(observed))) / (1 + len(null)),
):
    """The sign-flip test with one step made otherwise: a usual mistake."""

    def made(differences_a, differences_b, signs):
        observed = statistic(differences_a.mean(axis=0), differences_b.mean(axis=0))
        return p(observed, statistic(*flip(differences_a, differences_b, signs)))

    return made


def _both_flipped(a, b, signs):
    return signs @ a / len(a), signs @ b / len(b)


def _cosine_rows(a, b):
    return (a * b).sum(axis=-1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))


def _swap_p_with(
    swaps=lambda words: words[np.triu_indices(len(words), 1)[1]] - words[np.triu_indices(len(words), 1)[0]],
    statistic=_cosine,
    p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) >= abs(observed))) / (1 + len(null)),
):
    """The swap test with one step made otherwise: a usual mistake."""
    return lambda direction, difference, words: p(statistic(difference, direction), statistic(swaps(words), direction))


def _neighbors_only(words):
    return words[1:] - words[:-1]


def _all_ordered(words):
    i, j = np.nonzero(~np.eye(len(words), dtype=bool))
    return words[j] - words[i]


# --- the exercises -------------------------------------------------------------------------------------------------


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


COSINE_MATRIX = Exercise(
    "cosine_matrix",
    cosine_matrix,
    (
        Case("two vectors", (np.array([[3.0, 4.0], [1.0, 2.0]]),)),
        Case("four vectors in three dimensions", (_numbers(4, 3),)),
        Case("a row of zeros has the cosine 0", (np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [4.0, 0.0, 3.0]]),)),
    ),
    {
        "these are dot products; divide by the lengths of both vectors": _gram,
        "only one of the two lengths is divided by": lambda X: X @ X.T / np.linalg.norm(X, axis=1, keepdims=True),
        "the lengths are those of the columns; a vector is a row: axis=1": lambda X: _gram(
            X / np.linalg.norm(X, axis=0)
        ),
        "column i is divided by the length of row i; keep the lengths upright, keepdims=True": lambda X: _gram(
            X / np.linalg.norm(X, axis=1)
        ),
        "the cosine matrix is that of the columns; a vector is a row": lambda X: cosine_matrix(X.T),
        "all is divided by the length of the whole matrix; each row has its own": lambda X: X @ X.T / (X**2).sum(),
        "the vectors are centered first; these are correlations, not cosines": np.corrcoef,
        "these are cosine distances, 1 - cosine": lambda X: 1 - cosine_matrix(X),
        "0 / 0 is nan; a row of zeros has the length 0: divide it by something else": lambda X: (
            X @ X.T / np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(X, axis=1))
        ),
        "a row of zeros has the cosine 0 with itself too; do not set the diagonal to 1": lambda X: (
            cosine_matrix(X) * (1 - np.eye(len(X))) + np.eye(len(X))
        ),
    },
)

AVERAGE_COSINE = Exercise(
    "average_cosine",
    average_cosine,
    (
        Case("three vectors in the plane", (np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 3.0]]),)),
        Case("many vectors around one direction", (_numbers(20, 5) + 1,)),
    ),
    {
        "each vector's cosine with itself, 1, is counted too; only pairs of different vectors count": lambda X: (
            cosine_matrix(X).mean()
        ),
        "the upper triangle holds the diagonal; begin one above it, k=1": lambda X: cosine_matrix(X)[
            np.triu_indices(len(X))
        ].mean(),
        "the sum runs over n (n - 1) / 2 pairs, and is divided by n (n - 1)": lambda X: average_cosine(X) / 2,
        "the sum runs over n (n - 1) ordered pairs, and is divided by n squared": lambda X: (
            average_cosine(X) * (len(X) - 1) / len(X)
        ),
        "this is the sum; divide by the number of pairs": lambda X: average_cosine(X) * len(X) * (len(X) - 1) / 2,
        "the diagonal still counts in the sum, but no longer in the number of pairs": lambda X: (
            cosine_matrix(X).sum() / (len(X) * (len(X) - 1))
        ),
        "these are dot products, not cosines": lambda X: (X @ X.T)[np.triu_indices(len(X), 1)].mean(),
        "signs are lost; a cosine below 0 counts as it is": lambda X: np.abs(
            cosine_matrix(X)[np.triu_indices(len(X), 1)]
        ).mean(),
        "these are cosines with the mean vector; take pairs of vectors": lambda X: _cosine(X, X.mean(axis=0)).mean(),
    },
)

ANISOTROPY = Exercise(
    "anisotropy",
    anisotropy,
    (
        Case("a cross around the origin", (np.array([[3.0, 1.0], [-3.0, -1.0], [1.0, -2.0], [-1.0, 2.0]]),)),
        Case("a cloud away from the origin", (_numbers(12, 4) * [1, 2, 3, 4] + [5, 0, -2, 1],)),
        Case("fewer vectors than dimensions", (_numbers(4, 9, seed=1) + 1,)),
    ),
    {
        "the matrix is not centered; subtract the mean vector first": lambda X: _share(_singular(X) ** 2),
        "each vector's own mean is subtracted; subtract the mean vector, axis=0": lambda X: _share(
            _singular(X - X.mean(axis=1, keepdims=True)) ** 2
        ),
        "one number, the mean of all, is subtracted; each coordinate has its own mean: axis=0": lambda X: _share(
            _singular(X - X.mean()) ** 2
        ),
        "the singular values are not squared; variances are their squares": lambda X: _share(
            _singular(X - X.mean(axis=0))
        ),
        "squared once too often: eigenvalues of the covariance are variances already": lambda X: _share(
            _singular(X - X.mean(axis=0)) ** 4
        ),
        "this is the smallest share: eigvalsh sorts upward, svd downward": lambda X: (
            np.linalg.eigvalsh(np.cov(X.T))[0] / np.trace(np.cov(X.T))
        ),
        "this is a variance; divide it by the sum of all": lambda X: np.linalg.eigvalsh(np.cov(X.T))[-1],
        "this is the share of one coordinate; the principal direction may lie across them all": lambda X: _share(
            X.var(axis=0)
        ),
        "the coordinates are divided by their standard deviations; only the mean is taken off": lambda X: _share(
            _singular((X - X.mean(axis=0)) / X.std(axis=0)) ** 2
        ),
    },
)

TWO_NN = Exercise(
    "two_nn",
    two_nn,
    (
        Case("four points on a line", (np.array([[0.0], [1.0], [3.0], [7.0]]),)),
        Case("points in the plane", (_numbers(30, 2),)),
        Case("a plane in five dimensions", (_numbers(40, 2, seed=1) @ _numbers(2, 5, seed=2) + 3,)),
    ),
    {
        "a point counts as its own nearest neighbor, at distance 0; leave out the diagonal": _two_nn_with(own=0),
        "these are the second and the third neighbor: the point itself is left out twice": _two_nn_with(columns=(1, 2)),
        "these are the first and the third neighbor": _two_nn_with(columns=(0, 2)),
        "the distances are squared, which halves the dimension; take the square root": _two_nn_with(
            lambda X: (X**2).sum(axis=-1)
        ),
        "the distances add up absolute differences; take Euclidean ones": _two_nn_with(
            lambda X: np.abs(X).sum(axis=-1)
        ),
        "the ratio is upside down: r2 / r1 is at least 1, and its logarithm at least 0": lambda X: -two_nn(X),
        "the logarithm has base 10; take the natural one, np.log": lambda X: two_nn(X) * np.log(10),
        "the logarithm has base 2; take the natural one, np.log": lambda X: two_nn(X) * np.log(2),
        "n - 1 stands above the line, not n (and 1 over the mean logarithm has n there)": lambda X: (
            two_nn(X) * len(X) / (len(X) - 1)
        ),
        "the logarithm is missing": _two_nn_with(estimate=lambda mu: (len(mu) - 1) / mu.sum()),
        "the ratios are averaged before the logarithm; take the logarithm of each": _two_nn_with(
            estimate=lambda mu: (len(mu) - 1) / len(mu) / np.log(mu.mean())
        ),
        "an estimate is made for each point, and these are averaged; add up the logarithms first": _two_nn_with(
            estimate=lambda mu: (1 / np.log(mu)).mean()
        ),
        "this is the mean logarithm, one over the dimension": _two_nn_with(estimate=lambda mu: np.log(mu).mean()),
    },
)

CONTRAST_COSINE = Exercise(
    "contrast_cosine",
    contrast_cosine,
    (
        Case("three pairs each", tuple(_numbers(4, 3, 5, seed=3))),
        Case("contrasts with unequal numbers of pairs", (*_numbers(2, 6, 4, seed=4), *_numbers(2, 3, 4, seed=5))),
    ),
    {
        "one of the contrasts is turned around: both are second minus first": lambda a, A, b, B: (
            -contrast_cosine(a, A, b, B)
        ),
        "this is an inner product; divide by the lengths of both average differences": lambda a, A, b, B: (
            (A - a).mean(axis=0) @ (B - b).mean(axis=0)
        ),
        "the mean runs over the coordinates; average over the pairs, axis=0": lambda a, A, b, B: _cosine(
            (A - a).mean(axis=1), (B - b).mean(axis=1)
        ),
        "a cosine is taken pair by pair and then averaged; average the differences first": lambda a, A, b, B: (
            _cosine_rows(A - a, B - b).mean()
        ),
        "the cosines of all differences are averaged; average the differences first": lambda a, A, b, B: np.mean(
            [_cosine(A - a, difference) for difference in B - b]
        ),
        "the differences are set to length 1 before the average; average them as they are": lambda a, A, b, B: _cosine(
            *((D / np.linalg.norm(D, axis=1, keepdims=True)).mean(axis=0) for D in (A - a, B - b))
        ),
        "these are averages of vectors, not of differences; subtract the first sentences": lambda a, A, b, B: _cosine(
            A.mean(axis=0), B.mean(axis=0)
        ),
        "the differences run from contrast to contrast; each stays within a pair": lambda a, A, b, B: _cosine(
            (b - a).mean(axis=0), (B - A).mean(axis=0)
        ),
    },
)

_ALIKE = np.vstack([np.ones((1, 8)), -np.ones((1, 8))])  # ties: all signs alike give the observed value, or minus it
_EXACT = (
    *exact_contrasts(np.random.default_rng(143)),  # a seed whose inputs tell all mistakes below apart
    np.vstack([_ALIKE, random_signs(np.random.default_rng(0), 37, 8)]),
)
SIGN_FLIP_P = Exercise(
    "sign_flip_p",
    sign_flip_p,
    (
        Case("39 rows of signs", _EXACT),
        Case(
            "unequal numbers of pairs",
            (_numbers(12, 5), _numbers(9, 5), random_signs(np.random.default_rng(0), 99, 12)),
        ),
    ),
    {
        "the observed arrangement counts too: 1 more above the line and below it": _sign_flip_p_with(
            p=lambda observed, null: np.mean(np.abs(null) >= abs(observed))
        ),
        "the 1 is missing below the line": _sign_flip_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) >= abs(observed))) / len(null)
        ),
        "the 1 is missing above the line": _sign_flip_p_with(
            p=lambda observed, null: np.count_nonzero(np.abs(null) >= abs(observed)) / (1 + len(null))
        ),
        "values equal to the observed one count too: >=, not >": _sign_flip_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) > abs(observed))) / (1 + len(null))
        ),
        "only values above count; the test has two sides: compare absolute values": _sign_flip_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(null >= observed)) / (1 + len(null))
        ),
        "the absolute value is taken of one side of the comparison only": _sign_flip_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) >= observed)) / (1 + len(null))
        ),
        "the small values are counted; count those at least as large as the observed one": _sign_flip_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) <= abs(observed))) / (1 + len(null))
        ),
        "both contrasts are flipped, with the same signs; flip contrast a alone": _sign_flip_p_with(_both_flipped),
        "the statistic is the cosine, which cannot see that flips make the average shorter; take the inner product": (
            _sign_flip_p_with(statistic=_cosine_rows)
        ),
    },
)

SWAP_P = Exercise(
    "swap_p",
    swap_p,
    (
        Case("six words", (np.array([1.0, 1.0]), np.array([1.0, 0.3]), _numbers(6, 2))),
        Case("many words", (_numbers(5, seed=1), _numbers(5, seed=2), _numbers(20, 5))),
    ),
    {
        "the observed swap counts too: 1 more above the line and below it": _swap_p_with(
            p=lambda observed, null: np.mean(np.abs(null) >= abs(observed))
        ),
        "only one side counts; compare absolute values": _swap_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(null >= observed)) / (1 + len(null))
        ),
        "each pair of words is swapped in both directions; take it once": _swap_p_with(_all_ordered),
        "only words that stand next to each other are swapped; take all pairs": _swap_p_with(_neighbors_only),
        "these are the cosines of words; a swap is the difference of two": _swap_p_with(lambda words: words),
        "the statistic is the inner product, so long differences win; take the cosine": _swap_p_with(
            statistic=lambda a, b: a @ b
        ),
    },
)


def check_cosine_matrix(student):
    """Check a cosine matrix: (n, d) -> (n, n), 0 for rows of zeros.

    >>> check_cosine_matrix(lambda X: X @ X.T)
    ✗ two vectors: the value at [0, 0] is 25, and 1 is right. Hint: these are dot products; divide by the lengths...
    False
    """
    return COSINE_MATRIX.check(student)


def check_average_cosine(student):
    """Check the average cosine over distinct pairs: (n, d) -> a number."""
    return AVERAGE_COSINE.check(student)


def check_anisotropy(student):
    """Check the share of the variance along the first principal direction: (n, d) -> a number. Source: A 2.3."""
    return ANISOTROPY.check(student)


def check_two_nn(student):
    """Check TwoNN's maximum-likelihood estimate: (n, d) -> (n - 1) / sum of log(r2 / r1). Source: A 2.4."""
    return TWO_NN.check(student)


def check_contrast_cosine(student):
    """Check the cosine of two average difference vectors: four arrays of vectors -> a number. Source: L 4.4.2."""
    return CONTRAST_COSINE.check(student)


def check_sign_flip_p(student):
    """Check the sign-flip test: (differences_a (n, d), differences_b (m, d), signs (n_permutations, n)) -> p."""
    return SIGN_FLIP_P.check(student)


def check_swap_p(student):
    """Check the swap test: (direction (d,), difference (d,), words (n, d)) -> p."""
    return SWAP_P.check(student)
