"""How far a word's vector depends on its text, and what is left of a cloud once its groups are taken out.

Sources: Ethayarajh 2019; Cai et al. 2021. None of these corrects for a cone: subtract the cloud's `average_cosine`.
"""

import numpy as np

from tutorial_lib.geometry.arrays import as_labels, as_vectors
from tutorial_lib.geometry.similarity import average_cosine, cosine


def self_similarity(X, words):
    """Return the average cosine of two occurrences of each word: one number per word, in the order of np.unique(words).

    X: (n, d), one row for each occurrence; words: (n,). 1 means that the text does not matter. Raises ValueError if a
    word occurs once. Source: Ethayarajh 2019, definition 1.

    >>> self_similarity([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0]], ["a", "a", "b", "b"])
    array([1., 0.])
    """
    return np.array([average_cosine(rows) for rows in _groups(X, "words", words, 2)])


def sentence_similarity(X, sentences):
    """Return the average cosine of each sentence's vectors with their mean, in the order of np.unique.

    X: (n, d), one row for each token; sentences: (n,), the sentence that it is in. Source: Ethayarajh 2019, definition
    2 ("intra-sentence similarity").

    >>> sentence_similarity([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]], [0, 0, 1]).round(3)
    array([0.707, 1.   ])
    """
    return np.array([cosine(rows, rows.mean(axis=0)).mean() for rows in _groups(X, "sentences", sentences, 1)])


def explainable_variance(X, words, centered=False):
    """Return the largest share of a word's squared length that lies along one direction: "maximum explainable".

    With the singular values s_i of a word's rows, s_1^2 / sum s_i^2: at most 1, at least 1 / occurrences. The paper's
    formula does not center the rows, so a shared part counts as explained; its authors' code does center them
    (sklearn.decomposition.PCA), and so measures how the rest varies. centered=True follows the code.
    X: (n, d); words: (n,). Raises ValueError if a word occurs once. Source: Ethayarajh 2019, definition 3.

    >>> X = [[3.0, 1.0], [3.0, -1.0], [1.0, 0.0], [1.0, 0.0]]
    >>> explainable_variance(X, ["a", "a", "b", "b"]), explainable_variance(X[:2], ["a", "a"], centered=True)
    (array([0.9, 1. ]), array([1.]))
    """
    shares = []
    for rows in _groups(X, "words", words, 2):
        rows = rows - rows.mean(axis=0) if centered else rows
        squares = np.linalg.eigvalsh(rows @ rows.T).clip(min=0)
        shares.append(squares[-1] / squares.sum() if squares.sum() else 1.0)
    return np.array(shares)


def center_groups(X, labels):
    """Return the vectors, each minus its group's mean: (n, d). A group of one becomes zeros. Source: Cai et al. 2021.

    >>> center_groups([[1.0, 0.0], [3.0, 0.0], [5.0, 1.0], [5.0, 3.0]], [0, 0, 1, 1]).tolist()
    [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0]]
    """
    X = as_vectors("X", X)
    _, index = as_labels("labels", labels, len(X))
    sums = np.zeros((index.max() + 1, X.shape[1]))
    np.add.at(sums, index, X)
    return X - (sums / np.bincount(index)[:, None])[index]


def _groups(X, name, labels, least):
    """Yield the rows of X of each group, in the order of the sorted labels. Raises ValueError for too few rows."""
    X = as_vectors("X", X)
    names, index = as_labels(name, labels, len(X))
    counts = np.bincount(index)
    if counts.min() < least:
        raise ValueError(f"{name} must each occur {least} times or more, got {str(names[counts.argmin()])!r} once")
    order = index.argsort(kind="stable")
    return np.split(X[order], counts.cumsum()[:-1])
