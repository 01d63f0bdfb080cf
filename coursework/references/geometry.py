"""The right answers of assignment 4: cosines, the shape of a cloud, a loud coordinate and two tests, in NumPy."""

import numpy as np

from tutorial_book.exercises.geometry import exact_contrasts as exact_contrasts
from tutorial_book.exercises.geometry import random_signs as random_signs


def _cosine(a, b):
    return a @ b / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b))


def cosine_matrix(X):
    """The right answer: the cosine of each row with each row; a row of zeros gets 0, with itself too."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)  # (n, 1)
    U = X / np.where(lengths == 0, 1, lengths)
    return U @ U.T


def average_cosine(X):
    """The right answer: the mean cosine over all pairs of different rows."""
    C = cosine_matrix(X)
    i, j = np.triu_indices(len(X), 1)
    return C[i, j].mean()


def anisotropy(X):
    """The right answer: s_1^2 / (s_1^2 + s_2^2 + ...), with the singular values s_i of the centered matrix."""
    centered = X - X.mean(axis=0)
    s = np.linalg.svd(centered, compute_uv=False)
    return s[0] ** 2 / (s**2).sum()


def two_nn(X):
    """The right answer: (n - 1) / sum of log(r2 / r1), over the distances to each row's two nearest other rows."""
    distances = np.linalg.norm(X[:, None] - X[None, :], axis=-1)  # (n, n)
    np.fill_diagonal(distances, np.inf)
    first, second = np.sort(distances, axis=1)[:, [0, 1]].T
    log_mu = np.log(second / first)
    return (len(X) - 1) / log_mu.sum()


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


def contrast_cosine(first_a, second_a, first_b, second_b):
    """The right answer: the cosine of the two average difference vectors, second minus first."""
    a, b = second_a - first_a, second_b - first_b
    return _cosine(a.mean(axis=0), b.mean(axis=0))


def sign_flip_p(differences_a, differences_b, signs):
    """The right answer: how often flipped signs of contrast a give an inner product as large as the observed one."""
    a, b = differences_a.mean(axis=0), differences_b.mean(axis=0)
    observed = a @ b
    flipped = signs @ differences_a / len(differences_a)  # (n_permutations, d): averages, with flipped signs
    null = flipped @ b
    as_large = np.count_nonzero(abs(null) >= abs(observed))
    return (1 + as_large) / (1 + len(null))


def swap_p(direction, difference, words):
    """The right answer: how often the swap of two words lies as much along the direction as the difference does."""
    i, j = np.triu_indices(len(words), 1)
    swaps = words[j] - words[i]  # (n (n - 1) / 2, d)
    observed, null = _cosine(difference, direction), _cosine(swaps, direction)
    as_large = np.count_nonzero(abs(null) >= abs(observed))
    return (1 + as_large) / (1 + len(null))
