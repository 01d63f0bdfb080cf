"""Checks of assignment 4: cosines, the shape of a cloud, a loud coordinate, contrasts and their two tests, in NumPy."""

from __future__ import annotations

import numpy as np

from tutorial_book.exercises.exercise import Case, Exercise


def _cosine(a, b):
    return a @ b / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b))


def _cosine_of_rows(a, b):
    return (a * b).sum(axis=-1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1))


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


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def cosine_matrix(X):
    """The right answer: the cosine of each row with each row; a row of zeros gets 0, with itself too."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)  # (n, 1)
    U = X / np.where(lengths == 0, 1, lengths)
    return U @ U.T


COSINE_MATRIX = Exercise(
    cosine_matrix,
    (
        Case("two vectors", (np.array([[3.0, 4.0], [1.0, 2.0]]),)),
        Case("four vectors in three dimensions", (_numbers(4, 3),)),
        Case("a row of zeros has the cosine 0", (np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [4.0, 0.0, 3.0]]),)),
    ),
    """
    these are dot products; divide by the lengths of both vectors
        U @ U.T -> X @ X.T
    the second factor is not transposed: rows times rows is U @ U.T
        np.where(lengths == 0, 1, lengths) -> lengths
        U @ U.T -> U @ U
    these lengths are squared; take the square root
        np.where(lengths == 0, 1, lengths) -> lengths**2
    the length of row i is divided by twice; divide by those of rows i and j
        U @ U.T -> X @ X.T / lengths**2
    these lengths add up absolute values; take the square root of the sum of squares
        np.linalg.norm(X, axis=1, keepdims=True) -> np.abs(X).sum(axis=1, keepdims=True)
        np.where(lengths == 0, 1, lengths) -> lengths
    the signs are lost; a cosine below 0 stays below 0
        U @ U.T -> np.abs(U @ U.T)
    cosines below 0 are cut off; they stay as they are
        U @ U.T -> np.maximum(U @ U.T, 0)
    one half of the matrix is empty; the cosine of i and j is that of j and i
        U @ U.T -> np.triu(U @ U.T)
    the diagonal is empty; the cosine of a row with itself is 1
        U @ U.T -> U @ U.T * (1 - np.eye(len(X)))
    only one of the two lengths is divided by, that of vector j
        U @ U.T -> X @ X.T / lengths.T
    only one of the two lengths is divided by, that of vector i
        U @ U.T -> X @ X.T / lengths
    the lengths are those of the columns; a vector is a row: axis=1
        axis=1 -> axis=0
    column i is divided by the length of row i; keep the lengths upright, keepdims=True
        , keepdims=True ->
        np.where(lengths == 0, 1, lengths) -> lengths
    the cosine matrix is that of the columns; a vector is a row
        axis=1 -> axis=0
        U @ U.T -> U.T @ U
    all is divided by the length of the whole matrix; each row has its own
        np.linalg.norm(X, axis=1, keepdims=True) -> np.linalg.norm(X)
    the vectors are centered first; these are correlations, not cosines
        -> np.corrcoef(X)
    these are cosine distances, 1 - cosine
        U @ U.T -> 1 - U @ U.T
    0 / 0 is nan; a row of zeros has the length 0: divide it by something else
        np.where(lengths == 0, 1, lengths) -> lengths
    rows of zeros are left out; they keep their place, with zeros
        U @ U.T -> cosine_matrix(X[X.any(axis=1)])
    a row of zeros has the cosine 0 with itself too; do not set the diagonal to 1
        U @ U.T -> np.where(np.eye(len(X)), 1, U @ U.T)
    """,
)


def check_cosine_matrix(student):
    """Check a cosine matrix: (n, d) -> (n, n), 0 for rows of zeros.

    >>> check_cosine_matrix(lambda X: X @ X.T)
    ✗ two vectors: the value at [0, 0] is 25, and 1 is right. Hint: these are dot products; divide by the lengths...
    False
    """
    return COSINE_MATRIX.check(student)


def average_cosine(X):
    """The right answer: the mean cosine over all pairs of different rows."""
    C = cosine_matrix(X)
    i, j = np.triu_indices(len(X), 1)
    return C[i, j].mean()


AVERAGE_COSINE = Exercise(
    average_cosine,
    (
        Case("three vectors in the plane", (np.array([[1.0, 0.0], [1.0, 1.0], [-1.0, 3.0]]),)),
        Case("many vectors around one direction", (_numbers(20, 5) + 1,)),
        Case("two rows that point the same way", (np.array([[1.0, 2.0], [2.0, 4.0], [3.0, -1.0], [-1.0, 1.0]]),)),
    ),
    """
    each vector's cosine with itself, 1, is counted too; only pairs of different vectors count
        C[i, j].mean() -> C.mean()
    the upper triangle holds the diagonal; begin one above it, k=1
        len(X), 1 -> len(X)
    the sum runs over n (n - 1) / 2 pairs, and is divided by n (n - 1)
        C[i, j].mean() -> C[i, j].sum() / (len(X) * (len(X) - 1))
    the sum runs over n (n - 1) ordered pairs, and is divided by n squared
        C[i, j].mean() -> 2 * C[i, j].sum() / len(X) ** 2
    the zeros below the diagonal are averaged too; take the entries above it alone
        C[i, j].mean() -> np.triu(C, 1).mean()
    cosines are left out because they equal 1; leave out the diagonal by its place
        C[i, j] -> C[~np.isclose(C, 1)]
    this is the median; take the mean
        C[i, j].mean() -> np.median(C[i, j])
    only rows next to each other are compared; take all pairs
        C[i, j] -> np.diag(C, 1)
    these are cosine distances; the mean of 1 - cosine
        C[i, j].mean() -> 1 - C[i, j].mean()
    this is the sum; divide by the number of pairs
        .mean() -> .sum()
    the diagonal still counts in the sum, but no longer in the number of pairs
        C[i, j].mean() -> C.sum() / (len(X) * (len(X) - 1))
    these are dot products, not cosines
        cosine_matrix(X) -> X @ X.T
    signs are lost; a cosine below 0 counts as it is
        C[i, j].mean() -> np.abs(C[i, j]).mean()
    these are cosines with the mean vector; take pairs of vectors
        C[i, j].mean() -> _cosine(X, X.mean(axis=0)).mean()
    """,
)


def check_average_cosine(student):
    """Check the average cosine over distinct pairs: (n, d) -> a number."""
    return AVERAGE_COSINE.check(student)


def anisotropy(X):
    """The right answer: s_1^2 / (s_1^2 + s_2^2 + ...), with the singular values s_i of the centered matrix."""
    centered = X - X.mean(axis=0)
    s = np.linalg.svd(centered, compute_uv=False)
    return s[0] ** 2 / (s**2).sum()


ANISOTROPY = Exercise(
    anisotropy,
    (
        Case("a cross around the origin", (np.array([[3.0, 1.0], [-3.0, -1.0], [1.0, -2.0], [-1.0, 2.0]]),)),
        Case("a cross along the axes", (np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 3.0], [0.0, -3.0]]),)),
        Case("a cloud away from the origin", (_numbers(12, 4) * [1, 2, 3, 4] + [5, 0, -2, 1],)),
        Case("fewer vectors than dimensions", (_numbers(4, 9, seed=1) + 1,)),
    ),
    """
    the matrix is not centered; subtract the mean vector first
        X - X.mean(axis=0) -> X
    each vector's own mean is subtracted; subtract the mean vector, axis=0
        axis=0 -> axis=1, keepdims=True
    one number, the mean of all, is subtracted; each coordinate has its own mean: axis=0
        axis=0 ->
    the singular values are not squared; variances are their squares
        s[0] ** 2 / (s**2).sum() -> s[0] / s.sum()
    the sum is squared; sum the squares
        (s**2).sum() -> s.sum() ** 2
    above the line stands a square, below it a sum of values that are none
        (s**2).sum() -> s.sum()
    the first direction is missing below the line; all of them stand there
        (s**2).sum() -> (s[1:] ** 2).sum()
    this is the share of all other directions, 1 minus what is asked
        return s[0] -> return 1 - s[0]
    this is the square root; the share of the variance is asked
        s[0] ** 2 / (s**2).sum() -> np.sqrt(s[0] ** 2 / (s**2).sum())
    squared once too often: eigenvalues of the covariance are variances already
        s[0] ** 2 / (s**2).sum() -> s[0] ** 4 / (s**4).sum()
    this is the smallest share: eigvalsh sorts upward, svd downward
        s[0] ** 2 / (s**2).sum() -> np.linalg.eigvalsh(np.cov(X.T))[0] / np.trace(np.cov(X.T))
    eig and eigvals do not sort; take the largest
        s[0] ** 2 / (s**2).sum() -> np.linalg.eigvals(np.cov(X.T))[0].real / np.trace(np.cov(X.T))
    svd gives back three things; ask for the singular values alone, compute_uv=False
        , compute_uv=False ->
        s[0] ** 2 / (s**2).sum() -> s**2
    this is a variance; divide it by the sum of all
        (s**2).sum() -> (len(X) - 1)
    this is the share of one coordinate; the principal direction may lie across them all
        s[0] ** 2 / (s**2).sum() -> X.var(axis=0).max() / X.var(axis=0).sum()
    the coordinates are divided by their standard deviations; only the mean is taken off
        X - X.mean(axis=0) -> (X - X.mean(axis=0)) / X.std(axis=0)
    """,
)


def check_anisotropy(student):
    """Check the share of the variance along the first principal direction: (n, d) -> a number. Source: A 2.3."""
    return ANISOTROPY.check(student)


def two_nn(X):
    """The right answer: (n - 1) / sum of log(r2 / r1), over the distances to each row's two nearest other rows."""
    distances = np.linalg.norm(X[:, None] - X[None, :], axis=-1)  # (n, n)
    np.fill_diagonal(distances, np.inf)
    first, second = np.sort(distances, axis=1)[:, [0, 1]].T
    log_mu = np.log(second / first)
    return (len(X) - 1) / log_mu.sum()


def _censored(log_mu):
    """The estimate without the largest tenth of the ratios, of which it counts only that they are larger."""
    kept = np.sort(log_mu)[: int(len(log_mu) * 0.9)]
    return (len(kept) - 1) / (kept.sum() + (len(log_mu) - len(kept)) * kept[-1])


def _slope(log_mu):
    """The estimate as the slope of a line, fitted to the distribution of the ratios."""
    x = np.sort(log_mu)[:-1]
    return x @ -np.log(1 - np.arange(1, len(log_mu)) / len(log_mu)) / (x @ x)


TWO_NN = Exercise(
    two_nn,
    (
        Case("four points on a line", (np.array([[0.0], [1.0], [3.0], [7.0]]),)),
        Case("points in the plane", (_numbers(30, 2),)),
        Case("a plane in five dimensions", (_numbers(40, 2, seed=1) @ _numbers(2, 5, seed=2) + 3,)),
    ),
    """
    a point counts as its own nearest neighbor, at distance 0; leave out the diagonal
        np.inf -> 0
    these are the second and the third neighbor: the point itself is left out twice
        [0, 1] -> [1, 2]
    these are the first and the third neighbor
        [0, 1] -> [0, 2]
    the distances are squared, which halves the dimension; take the square root
        np.sort(distances, axis=1) -> np.sort(distances**2, axis=1)
    the distances add up absolute differences; take Euclidean ones
        np.linalg.norm(X[:, None] - X[None, :], axis=-1) -> np.abs(X[:, None] - X[None, :]).sum(axis=-1)
    the ratio is upside down: r2 / r1 is at least 1, and its logarithm at least 0
        second / first -> first / second
    the logarithm has base 10; take the natural one, np.log
        np.log -> np.log10
    the logarithm has base 2; take the natural one, np.log
        np.log -> np.log2
    n - 1 stands above the line, not n (and 1 over the mean logarithm has n there)
        (len(X) - 1) -> len(X)
    this is 1 over the sum of the logarithms; n - 1 stands above the line
        (len(X) - 1) -> 1
    the logarithm of r2 is divided by that of r1; take the logarithm of r2 / r1
        np.log(second / first) -> np.log(second) / np.log(first)
    the logarithm is missing
        np.log(second / first) -> second / first
    this is the logarithm of 1 + r2 / r1
        np.log( -> np.log1p(
    the ratios are averaged before the logarithm; take the logarithm of each
        log_mu.sum() -> len(X) / np.log((second / first).mean())
    an estimate is made for each point, and these are averaged; add up the logarithms first
        (len(X) - 1) / log_mu.sum() -> (1 / log_mu).mean()
    this is the mean logarithm, one over the dimension
        (len(X) - 1) / log_mu.sum() -> log_mu.mean()
    this is the median of the logarithms, not their sum
        log_mu.sum() -> len(X) / np.median(log_mu)
    the largest ratios are left out; use all points
        (len(X) - 1) / log_mu.sum() -> _censored(log_mu)
    a line is fitted; here the likelihood gives the estimate, by the formula
        (len(X) - 1) / log_mu.sum() -> _slope(log_mu)
    """,
)


def check_two_nn(student):
    """Check TwoNN's maximum-likelihood estimate: (n, d) -> (n - 1) / sum of log(r2 / r1). Source: A 2.4."""
    return TWO_NN.check(student)


def without_loudest(X):
    """The right answer: the average cosine without the coordinate that adds most to it."""
    loudest = added(X).argmax()
    return average_cosine(np.delete(X, loudest, axis=1))


def added(X):
    """What each coordinate adds to the average cosine, (d,): the mean of u_ik u_jk over the pairs i < j."""
    return _products(_directions(X)) / (len(X) * (len(X) - 1))


def _directions(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _products(U):
    """For each coordinate, the sum of u_ik u_jk over all i and j that differ."""
    return U.sum(axis=0) ** 2 - (U**2).sum(axis=0)


_SMALL = np.array(  # all usual mistakes give something wrong here
    [[1.0, 0, -2, 4, 0, -3], [4, 4, 4, 1, -1, 2], [-2, -2, -2, 2, -1, -2], [4, 0, -4, -4, -2, 2]]
)
_BELOW = np.array([[3.0, 1, -2, 2, -4, 2], [-3, -4, 2, 0, -2, 4], [-3, 3, -4, 1, 3, -2]])
WITHOUT_LOUDEST = Exercise(
    without_loudest,
    (
        Case("three vectors, one coordinate that they share", (np.array([[3.0, 1, 0], [4.0, 0, -2], [2.0, -1, 1]]),)),
        Case("the largest numbers are not the ones that count", (_SMALL,)),
        Case("a coordinate that adds a number below 0", (_BELOW,)),
        Case("many vectors, of unequal lengths", (_numbers(30, 6, seed=62) * np.exp(_numbers(30, 1, seed=63)),)),
    ),
    """
    this is the average cosine of all coordinates; leave one out
        np.delete(X, loudest, axis=1) -> X
    this is what the coordinate adds; give back the average cosine of the others
        average_cosine(np.delete(X, loudest, axis=1)) -> added(X)[loudest]
    this is the coordinate; give back the average cosine without it
        average_cosine(np.delete(X, loudest, axis=1)) -> int(loudest)
    what the coordinate adds is subtracted; the shorter rows need new lengths
        average_cosine(np.delete(X, loudest, axis=1)) -> average_cosine(X) - added(X)[loudest]
    a row is left out; a coordinate is a column: axis=1
        axis=1 -> axis=0
    np.delete without axis makes one long row; leave out a column: axis=1
        , axis=1 ->
    this keeps the coordinate alone; leave it out and keep the others
        np.delete(X, loudest, axis=1) -> X[:, [loudest]]
    the coordinate that adds least is left out
        argmax -> argmin
    the sign counts: a coordinate that adds a number below 0 is not the loudest
        added(X) -> np.abs(added(X))
    the rows are not divided by their lengths before the products are added up
        added(X) -> _products(X)
    each row's product with itself counts too; only pairs of different rows count
        added(X) -> (_directions(X).sum(axis=0) ** 2)
    this takes the coordinate with the largest squares; signs may differ from row to row
        added(X) -> (_directions(X) ** 2).sum(axis=0)
    this takes the coordinate with the largest numbers in X; look at what it adds to the cosines
        added(X) -> np.abs(X).mean(axis=0)
    this takes the coordinate with the largest variance; look at what it adds to the cosines
        added(X) -> X.var(axis=0)
    this takes the coordinate with the largest mean; look at what it adds to the cosines
        added(X) -> np.abs(X.mean(axis=0))
    """,
)


def check_without_loudest(student):
    """Check the average cosine without the coordinate that adds most to it: (n, d) -> a number."""
    return WITHOUT_LOUDEST.check(student)


def contrast_cosine(first_a, second_a, first_b, second_b):
    """The right answer: the cosine of the two average difference vectors, second minus first."""
    a, b = second_a - first_a, second_b - first_b
    return _cosine(a.mean(axis=0), b.mean(axis=0))


CONTRAST_COSINE = Exercise(
    contrast_cosine,
    (
        Case("three pairs each", tuple(_numbers(4, 3, 5, seed=3))),
        Case("contrasts with unequal numbers of pairs", (*_numbers(2, 6, 4, seed=4), *_numbers(2, 3, 4, seed=5))),
    ),
    """
    one of the contrasts is turned around: both are second minus first
        second_b - first_b -> first_b - second_b
    only one of the lengths is divided by, that of contrast a
        return _cosine -> return np.linalg.norm(b.mean(axis=0)) * _cosine
    only one of the lengths is divided by, that of contrast b
        return _cosine -> return np.linalg.norm(a.mean(axis=0)) * _cosine
    this is a cosine distance; take the cosine itself
        return _cosine -> return 1 - _cosine
    the sign is lost; it says which way the contrasts run
        _cosine(a.mean(axis=0), b.mean(axis=0)) -> abs(_cosine(a.mean(axis=0), b.mean(axis=0)))
    this is an inner product; divide by the lengths of both average differences
        _cosine(a.mean(axis=0), b.mean(axis=0)) -> a.mean(axis=0) @ b.mean(axis=0)
    the mean runs over the coordinates; average over the pairs, axis=0
        a.mean(axis=0), b.mean(axis=0) -> a.mean(axis=1), b.mean(axis=1)
    a cosine is taken pair by pair and then averaged; average the differences first
        _cosine(a.mean(axis=0), b.mean(axis=0)) -> _cosine_of_rows(a, b).mean()
    the cosines of all differences are averaged; average the differences first
        _cosine(a.mean(axis=0), b.mean(axis=0)) -> np.mean([_cosine(a, difference) for difference in b])
    the differences are set to length 1 before the average; average them as they are
        a.mean(axis=0), b.mean(axis=0) -> _directions(a).mean(axis=0), _directions(b).mean(axis=0)
    these are averages of vectors, not of differences; subtract the first sentences
        second_a - first_a, second_b - first_b -> second_a, second_b
    the differences run from contrast to contrast; each stays within a pair
        second_a - first_a, second_b - first_b -> first_b - first_a, second_b - second_a
    """,
)


def check_contrast_cosine(student):
    """Check the cosine of two average difference vectors: four arrays of vectors -> a number. Source: L 4.4.2."""
    return CONTRAST_COSINE.check(student)


def sign_flip_p(differences_a, differences_b, signs):
    """The right answer: how often flipped signs of contrast a give an inner product as large as the observed one."""
    a, b = differences_a.mean(axis=0), differences_b.mean(axis=0)
    observed = a @ b
    flipped = signs @ differences_a / len(differences_a)  # (n_permutations, d): averages, with flipped signs
    null = flipped @ b
    as_large = np.count_nonzero(abs(null) >= abs(observed))
    return (1 + as_large) / (1 + len(null))


_ALIKE = np.vstack([np.ones((1, 8)), -np.ones((1, 8))])  # ties: all signs alike give the observed value, or minus it
_EXACT = (
    *exact_contrasts(np.random.default_rng(143)),  # a seed whose inputs tell all mistakes below apart
    np.vstack([_ALIKE, random_signs(np.random.default_rng(0), 37, 8)]),
)
SIGN_FLIP_P = Exercise(
    sign_flip_p,
    (
        Case("39 rows of signs", _EXACT),
        Case(
            "unequal numbers of pairs",
            (_numbers(12, 5), _numbers(9, 5), random_signs(np.random.default_rng(0), 99, 12)),
        ),
    ),
    """
    the observed arrangement counts too: 1 more above the line and below it
        1 + as_large -> as_large
        (1 + len(null)) -> len(null)
    the 1 is missing below the line
        (1 + len(null)) -> len(null)
    the 1 is missing above the line
        1 + as_large -> as_large
    values equal to the observed one count too: >=, not >
        >= -> >
    only values above count; the test has two sides: compare absolute values
        abs(null) >= abs(observed) -> null >= observed
    the absolute value is taken of one side of the comparison only
        abs(observed) -> observed
    the small values are counted; count those at least as large as the observed one
        >= -> <=
    the flipped differences are added up, and the observed ones averaged; divide by n in both
        / len(differences_a) ->
    this is 1 - p
        return (1 -> return 1 - (1
    this is the share of one side, doubled; compare absolute values
        abs(null) >= abs(observed) -> null >= observed
        (1 + as_large) / (1 + len(null)) -> min(1, 2 * (1 + as_large) / (1 + len(null)))
    contrast b is flipped; flip contrast a
        -> sign_flip_p(differences_b, differences_a, signs)
    each row of signs is averaged first; a sign belongs to its own pair
        signs @ differences_a / len(differences_a) -> np.outer(signs.mean(axis=1), a)
    the signs are multiplied with a row by row: signs @ differences_a adds up the pairs
        signs @ differences_a / len(differences_a) -> (signs * differences_a).mean(axis=0)
    both contrasts are flipped, with the same signs; flip contrast a alone
        flipped @ b -> (flipped * (signs @ differences_b / len(differences_b))).sum(axis=1)
    the statistic is the cosine, which cannot see that flips make the average shorter; take the inner product
        a @ b -> _cosine(a, b)
        flipped @ b -> _cosine(flipped, b)
    """,
)


def check_sign_flip_p(student):
    """Check the sign-flip test: (differences_a (n, d), differences_b (m, d), signs (n_permutations, n)) -> p."""
    return SIGN_FLIP_P.check(student)


def swap_p(direction, difference, words):
    """The right answer: how often the swap of two words lies as much along the direction as the difference does."""
    i, j = np.triu_indices(len(words), 1)
    swaps = words[j] - words[i]  # (n (n - 1) / 2, d)
    observed, null = _cosine(difference, direction), _cosine(swaps, direction)
    as_large = np.count_nonzero(abs(null) >= abs(observed))
    return (1 + as_large) / (1 + len(null))


_WORDS = np.array([[1.0, 1], [2, 3], [5, 0], [0, 4]])  # the second minus the first is (1, 2)
SWAP_P = Exercise(
    swap_p,
    (
        Case("six words", (np.array([1.0, 1.0]), np.array([1.0, 0.3]), _numbers(6, 2))),
        Case("against the direction", (np.array([1.0, 1.0]), np.array([-1.0, -0.3]), _numbers(6, 2))),
        Case(
            "a swap of two words that is just what you observed", (np.array([0.0, 2.0]), np.array([1.0, 2.0]), _WORDS)
        ),
        Case("many words", (_numbers(5, seed=1), _numbers(5, seed=2), _numbers(20, 5))),
    ),
    """
    the observed swap counts too: 1 more above the line and below it
        1 + as_large -> as_large
        (1 + len(null)) -> len(null)
    the 1 is missing below the line
        (1 + len(null)) -> len(null)
    the 1 is missing above the line
        1 + as_large -> as_large
    swaps equal to the observed one count too: >=, not >
        >= -> >
    the small cosines are counted; count those at least as large as the observed one
        >= -> <=
    the absolute value is taken of one side of the comparison only
        abs(observed) -> observed
    this is 1 - p
        return (1 -> return 1 - (1
    each word is swapped with itself too, which changes nothing; begin one above the diagonal, k=1
        len(words), 1 -> len(words)
    two words are added; a swap is their difference
        words[j] - words[i] -> words[j] + words[i]
    only one side counts; compare absolute values
        abs(null) >= abs(observed) -> null >= observed
    each pair of words is swapped in both directions; take it once
        np.triu_indices(len(words), 1) -> np.nonzero(~np.eye(len(words), dtype=bool))
    only words that stand next to each other are swapped; take all pairs
        words[j] - words[i] -> words[1:] - words[:-1]
    these are the cosines of words; a swap is the difference of two
        words[j] - words[i] -> words
    the statistic is the inner product, so long differences win; take the cosine
        _cosine(difference, direction), _cosine(swaps, direction) -> difference @ direction, swaps @ direction
    """,
)


def check_swap_p(student):
    """Check the swap test: (direction (d,), difference (d,), words (n, d)) -> p."""
    return SWAP_P.check(student)
