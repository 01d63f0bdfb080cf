"""Checks of assignment 4: cosines, the shape of a cloud, a loud coordinate, contrasts and their two tests, in NumPy."""

from __future__ import annotations

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise


def cosine_matrix(X):
    """The right answer: the cosine of each row with each row; a row of zeros gets 0, with itself too."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)  # (n, 1)
    U = X / np.where(lengths == 0, 1, lengths)
    return U @ U.T


def average_cosine(X):
    """The right answer: the mean cosine over all pairs of different rows."""
    return _upper(cosine_matrix(X)).mean()


def anisotropy(X):
    """The right answer: s_1^2 / (s_1^2 + s_2^2 + ...), with the singular values s_i of the centered matrix."""
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return s[0] ** 2 / (s**2).sum()


def two_nn(X):
    """The right answer: (n - 1) / sum of log(r2 / r1), over the distances to each row's two nearest other rows."""
    return _two_nn_with()(X)


def without_loudest(X):
    """The right answer: the average cosine without the coordinate that adds most to it."""
    return _without(X, added(X).argmax())


def added(X):
    """What each coordinate adds to the average cosine, (d,): the mean of u_ik u_jk over the pairs i < j."""
    U = _directions(X)
    return _products(U) / (len(X) * (len(X) - 1))


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


def _directions(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _upper(C):
    return C[np.triu_indices(len(C), 1)]


def _products(U):
    """For each coordinate, the sum of u_ik u_jk over all i and j that differ."""
    return U.sum(axis=0) ** 2 - (U**2).sum(axis=0)


def _without(X, k):
    return average_cosine(np.delete(X, k, axis=1))


def _share(variances):
    return variances.max() / variances.sum()


def _gram(X):
    return X @ X.T


def _singular(X):
    return np.linalg.svd(X, compute_uv=False)


def _two_nn_with(
    distance=lambda X: np.linalg.norm(X, axis=-1),
    own=np.inf,
    columns=(0, 1),
    log_ratio=lambda first, second: np.log(second / first),
    estimate=lambda log_mu: (len(log_mu) - 1) / log_mu.sum(),
):
    """TwoNN with one step made otherwise: a usual mistake. own: what stands on the diagonal of the distances."""

    def made(X):
        distances = distance(X[:, None] - X[None, :])  # (n, n)
        np.fill_diagonal(distances, own)
        return estimate(log_ratio(*np.sort(distances, axis=1)[:, columns].T))

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


def _without_the_largest(log_mu):
    kept = np.sort(log_mu)[: int(len(log_mu) * 0.9)]
    return (len(kept) - 1) / (kept.sum() + (len(log_mu) - len(kept)) * kept[-1])


def _fitted_line(log_mu):
    x = np.sort(log_mu)[:-1]
    return x @ -np.log(1 - np.arange(1, len(log_mu)) / len(log_mu)) / (x @ x)


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


_SMALL = np.array(  # all usual mistakes give something wrong here
    [[1.0, 0, -2, 4, 0, -3], [4, 4, 4, 1, -1, 2], [-2, -2, -2, 2, -1, -2], [4, 0, -4, -4, -2, 2]]
)
_BELOW = np.array([[3.0, 1, -2, 2, -4, 2], [-3, -4, 2, 0, -2, 4], [-3, 3, -4, 1, 3, -2]])

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
        "the second factor is not transposed: rows times rows is U @ U.T": lambda X: _directions(X) @ _directions(X),
        "these lengths are squared; take the square root": lambda X: _gram(X / (X**2).sum(axis=1, keepdims=True)),
        "the length of row i is divided by twice; divide by those of rows i and j": lambda X: (
            X @ X.T / (X**2).sum(axis=1, keepdims=True)
        ),
        "these lengths add up absolute values; take the square root of the sum of squares": lambda X: _gram(
            X / np.abs(X).sum(axis=1, keepdims=True)
        ),
        "the signs are lost; a cosine below 0 stays below 0": lambda X: np.abs(cosine_matrix(X)),
        "cosines below 0 are cut off; they stay as they are": lambda X: np.maximum(cosine_matrix(X), 0),
        "one half of the matrix is empty; the cosine of i and j is that of j and i": lambda X: np.triu(
            cosine_matrix(X)
        ),
        "the diagonal is empty; the cosine of a row with itself is 1": lambda X: (
            cosine_matrix(X) * (1 - np.eye(len(X)))
        ),
        "only one of the two lengths is divided by, that of vector j": lambda X: X @ X.T / np.linalg.norm(X, axis=1),
        "only one of the two lengths is divided by, that of vector i": lambda X: (
            X @ X.T / np.linalg.norm(X, axis=1, keepdims=True)
        ),
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
        "rows of zeros are left out; they keep their place, with zeros": lambda X: cosine_matrix(X[X.any(axis=1)]),
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
        Case("two rows that point the same way", (np.array([[1.0, 2.0], [2.0, 4.0], [3.0, -1.0], [-1.0, 1.0]]),)),
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
        "the zeros below the diagonal are averaged too; take the entries above it alone": lambda X: np.triu(
            cosine_matrix(X), 1
        ).mean(),
        "cosines are left out because they equal 1; leave out the diagonal by its place": lambda X: cosine_matrix(X)[
            ~np.isclose(cosine_matrix(X), 1)
        ].mean(),
        "this is the median; take the mean": lambda X: np.median(_upper(cosine_matrix(X))),
        "only rows next to each other are compared; take all pairs": lambda X: np.diag(cosine_matrix(X), 1).mean(),
        "these are cosine distances; the mean of 1 - cosine": lambda X: 1 - average_cosine(X),
        "this is the sum; divide by the number of pairs": lambda X: average_cosine(X) * len(X) * (len(X) - 1) / 2,
        "the diagonal still counts in the sum, but no longer in the number of pairs": lambda X: (
            cosine_matrix(X).sum() / (len(X) * (len(X) - 1))
        ),
        "these are dot products, not cosines": lambda X: _upper(X @ X.T).mean(),
        "signs are lost; a cosine below 0 counts as it is": lambda X: np.abs(_upper(cosine_matrix(X))).mean(),
        "these are cosines with the mean vector; take pairs of vectors": lambda X: _cosine(X, X.mean(axis=0)).mean(),
    },
)

ANISOTROPY = Exercise(
    "anisotropy",
    anisotropy,
    (
        Case("a cross around the origin", (np.array([[3.0, 1.0], [-3.0, -1.0], [1.0, -2.0], [-1.0, 2.0]]),)),
        Case("a cross along the axes", (np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 3.0], [0.0, -3.0]]),)),
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
        "the sum is squared; sum the squares": lambda X: (
            _singular(X - X.mean(axis=0))[0] ** 2 / _singular(X - X.mean(axis=0)).sum() ** 2
        ),
        "above the line stands a square, below it a sum of values that are none": lambda X: (
            _singular(X - X.mean(axis=0))[0] ** 2 / _singular(X - X.mean(axis=0)).sum()
        ),
        "the first direction is missing below the line; all of them stand there": lambda X: (
            anisotropy(X) / (1 - anisotropy(X))
        ),
        "this is the share of all other directions, 1 minus what is asked": lambda X: 1 - anisotropy(X),
        "this is the square root; the share of the variance is asked": lambda X: np.sqrt(anisotropy(X)),
        "squared once too often: eigenvalues of the covariance are variances already": lambda X: _share(
            _singular(X - X.mean(axis=0)) ** 4
        ),
        "this is the smallest share: eigvalsh sorts upward, svd downward": lambda X: (
            np.linalg.eigvalsh(np.cov(X.T))[0] / np.trace(np.cov(X.T))
        ),
        "eig and eigvals do not sort; take the largest": lambda X: (
            np.linalg.eigvals(np.cov(X.T))[0].real / np.trace(np.cov(X.T))
        ),
        "svd gives back three things; ask for the singular values alone, compute_uv=False": lambda X: (
            np.linalg.svd(X - X.mean(axis=0)) ** 2
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
        "this is 1 over the sum of the logarithms; n - 1 stands above the line": lambda X: two_nn(X) / (len(X) - 1),
        "the logarithm of r2 is divided by that of r1; take the logarithm of r2 / r1": _two_nn_with(
            log_ratio=lambda first, second: np.log(second) / np.log(first)
        ),
        "the logarithm is missing": _two_nn_with(log_ratio=lambda first, second: second / first),
        "this is the logarithm of 1 + r2 / r1": _two_nn_with(log_ratio=lambda first, second: np.log1p(second / first)),
        "the ratios are averaged before the logarithm; take the logarithm of each": _two_nn_with(
            estimate=lambda log_mu: (len(log_mu) - 1) / len(log_mu) / np.log(np.exp(log_mu).mean())
        ),
        "an estimate is made for each point, and these are averaged; add up the logarithms first": _two_nn_with(
            estimate=lambda log_mu: (1 / log_mu).mean()
        ),
        "this is the mean logarithm, one over the dimension": _two_nn_with(estimate=np.mean),
        "this is the median of the logarithms, not their sum": _two_nn_with(
            estimate=lambda log_mu: (len(log_mu) - 1) / len(log_mu) / np.median(log_mu)
        ),
        "the largest ratios are left out; use all points": _two_nn_with(estimate=_without_the_largest),
        "a line is fitted; here the likelihood gives the estimate, by the formula": _two_nn_with(estimate=_fitted_line),
    },
)

WITHOUT_LOUDEST = Exercise(
    "without_loudest",
    without_loudest,
    (
        Case("three vectors, one coordinate that they share", (np.array([[3.0, 1, 0], [4.0, 0, -2], [2.0, -1, 1]]),)),
        Case("the largest numbers are not the ones that count", (_SMALL,)),
        Case("a coordinate that adds a number below 0", (_BELOW,)),
        Case("many vectors, of unequal lengths", (_numbers(30, 6, seed=62) * np.exp(_numbers(30, 1, seed=63)),)),
    ),
    {
        "this is the average cosine of all coordinates; leave one out": average_cosine,
        "this is what the coordinate adds; give back the average cosine of the others": lambda X: added(X).max(),
        "this is the coordinate; give back the average cosine without it": lambda X: int(added(X).argmax()),
        "what the coordinate adds is subtracted; the shorter rows need new lengths": lambda X: (
            average_cosine(X) - added(X).max()
        ),
        "a row is left out; a coordinate is a column: axis=1": lambda X: average_cosine(
            np.delete(X, added(X).argmax(), axis=0)
        ),
        "np.delete without axis makes one long row; leave out a column: axis=1": lambda X: average_cosine(
            np.delete(X, added(X).argmax())
        ),
        "this keeps the coordinate alone; leave it out and keep the others": lambda X: average_cosine(
            X[:, [added(X).argmax()]]
        ),
        "the coordinate that adds least is left out": lambda X: _without(X, added(X).argmin()),
        "the sign counts: a coordinate that adds a number below 0 is not the loudest": lambda X: _without(
            X, np.abs(added(X)).argmax()
        ),
        "the rows are not divided by their lengths before the products are added up": lambda X: _without(
            X, _products(X).argmax()
        ),
        "each row's product with itself counts too; only pairs of different rows count": lambda X: _without(
            X, (_directions(X).sum(axis=0) ** 2).argmax()
        ),
        "this takes the coordinate with the largest squares; signs may differ from row to row": lambda X: _without(
            X, (_directions(X) ** 2).sum(axis=0).argmax()
        ),
        "this takes the coordinate with the largest numbers in X; look at what it adds to the cosines": lambda X: (
            _without(X, np.abs(X).mean(axis=0).argmax())
        ),
        "this takes the coordinate with the largest variance; look at what it adds to the cosines": lambda X: _without(
            X, X.var(axis=0).argmax()
        ),
        "this takes the coordinate with the largest mean; look at what it adds to the cosines": lambda X: _without(
            X, np.abs(X.mean(axis=0)).argmax()
        ),
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
        "only one of the lengths is divided by, that of contrast a": lambda a, A, b, B: (
            contrast_cosine(a, A, b, B) * np.linalg.norm((B - b).mean(axis=0))
        ),
        "only one of the lengths is divided by, that of contrast b": lambda a, A, b, B: (
            contrast_cosine(a, A, b, B) * np.linalg.norm((A - a).mean(axis=0))
        ),
        "this is a cosine distance; take the cosine itself": lambda a, A, b, B: 1 - contrast_cosine(a, A, b, B),
        "the sign is lost; it says which way the contrasts run": lambda a, A, b, B: abs(contrast_cosine(a, A, b, B)),
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
        "the flipped differences are added up, and the observed ones averaged; divide by n in both": (
            _sign_flip_p_with(flip=lambda a, b, signs: (signs @ a, b.mean(axis=0)))
        ),
        "this is 1 - p": lambda a, b, signs: 1 - sign_flip_p(a, b, signs),
        "this is the share of one side, doubled; compare absolute values": _sign_flip_p_with(
            p=lambda observed, null: min(1, 2 * (1 + np.count_nonzero(null >= observed)) / (1 + len(null)))
        ),
        "contrast b is flipped; flip contrast a": lambda a, b, signs: sign_flip_p(b, a, signs),
        "each row of signs is averaged first; a sign belongs to its own pair": _sign_flip_p_with(
            flip=lambda a, b, signs: (signs.mean(axis=1)[:, None] * a.mean(axis=0), b.mean(axis=0))
        ),
        "the signs are multiplied with a row by row: signs @ differences_a adds up the pairs": _sign_flip_p_with(
            flip=lambda a, b, signs: ((signs * a).mean(axis=0), b.mean(axis=0))
        ),
        "both contrasts are flipped, with the same signs; flip contrast a alone": _sign_flip_p_with(_both_flipped),
        "the statistic is the cosine, which cannot see that flips make the average shorter; take the inner product": (
            _sign_flip_p_with(statistic=_cosine_rows)
        ),
    },
)

_WORDS = np.array([[1.0, 1], [2, 3], [5, 0], [0, 4]])  # the second minus the first is (1, 2)

SWAP_P = Exercise(
    "swap_p",
    swap_p,
    (
        Case("six words", (np.array([1.0, 1.0]), np.array([1.0, 0.3]), _numbers(6, 2))),
        Case("against the direction", (np.array([1.0, 1.0]), np.array([-1.0, -0.3]), _numbers(6, 2))),
        Case(
            "a swap of two words that is just what you observed", (np.array([0.0, 2.0]), np.array([1.0, 2.0]), _WORDS)
        ),
        Case("many words", (_numbers(5, seed=1), _numbers(5, seed=2), _numbers(20, 5))),
    ),
    {
        "the observed swap counts too: 1 more above the line and below it": _swap_p_with(
            p=lambda observed, null: np.mean(np.abs(null) >= abs(observed))
        ),
        "the 1 is missing below the line": _swap_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) >= abs(observed))) / len(null)
        ),
        "the 1 is missing above the line": _swap_p_with(
            p=lambda observed, null: np.count_nonzero(np.abs(null) >= abs(observed)) / (1 + len(null))
        ),
        "swaps equal to the observed one count too: >=, not >": _swap_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) > abs(observed))) / (1 + len(null))
        ),
        "the small cosines are counted; count those at least as large as the observed one": _swap_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) <= abs(observed))) / (1 + len(null))
        ),
        "the absolute value is taken of one side of the comparison only": _swap_p_with(
            p=lambda observed, null: (1 + np.count_nonzero(np.abs(null) >= observed)) / (1 + len(null))
        ),
        "this is 1 - p": lambda *arguments: 1 - swap_p(*arguments),
        "each word is swapped with itself too, which changes nothing; begin one above the diagonal, k=1": _swap_p_with(
            lambda words: words[np.triu_indices(len(words))[1]] - words[np.triu_indices(len(words))[0]]
        ),
        "two words are added; a swap is their difference": _swap_p_with(
            lambda words: words[np.triu_indices(len(words), 1)[1]] + words[np.triu_indices(len(words), 1)[0]]
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


def check_without_loudest(student):
    """Check the average cosine without the coordinate that adds most to it: (n, d) -> a number."""
    return WITHOUT_LOUDEST.check(student)


def check_contrast_cosine(student):
    """Check the cosine of two average difference vectors: four arrays of vectors -> a number. Source: L 4.4.2."""
    return CONTRAST_COSINE.check(student)


def check_sign_flip_p(student):
    """Check the sign-flip test: (differences_a (n, d), differences_b (m, d), signs (n_permutations, n)) -> p."""
    return SIGN_FLIP_P.check(student)


def check_swap_p(student):
    """Check the swap test: (direction (d,), difference (d,), words (n, d)) -> p."""
    return SWAP_P.check(student)
