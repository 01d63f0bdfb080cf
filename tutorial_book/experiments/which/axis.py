"""The axis between two senses, and other ways to read a sense off."""

from typing import NamedTuple

import numpy as np

from tutorial_lib.geometry import bootstrap_interval
from tutorial_lib.vectors import embed


class Axis(NamedTuple):
    """Two directions, d of x and e of z, (d_model,) each; middle: (depths, 2); scale: (2,)."""

    d: np.ndarray
    e: np.ndarray
    middle: np.ndarray
    scale: np.ndarray

    def __call__(self, X) -> np.ndarray:
        """Return the positions (x, z) of vectors: (..., depths, d_model) -> (..., depths, 2)."""
        return (X @ np.stack([self.d, self.e], 1) - self.middle) / self.scale


def axis_between(X, sense, rounded=lambda direction: direction) -> Axis:
    """Return the axis between two senses.

    X: (n, depths, d_model), a word's vectors after 0, 1, ... layers. sense: n times 0 or 1. rounded: a function that
    both directions go through; middle and scale fit its results. e is the main direction, at right angles to d, in
    which the last vectors vary within the senses. The farthest use is at z = 1 or -1. Raises ValueError if both senses
    have the same mean.
    """
    sense = np.asarray(sense)
    means = np.stack([X[sense == k].mean(0) for k in (0, 1)])  # (2, depths, d_model)
    d = means[1, -1] - means[0, -1]
    if not d.any():
        raise ValueError("the two senses must differ, got the same mean vector after the last layer")
    within = X[:, -1] - means[sense, -1]
    beside = within - np.outer(within @ d, d) / (d @ d)
    e = np.linalg.svd(beside, full_matrices=False)[2][0]
    d, e = rounded(d), rounded(e * np.sign(e[np.abs(e).argmax()]))
    scale = [(means[1, -1] - means[0, -1]) @ d / 2, np.abs(within @ e).max()]
    return Axis(d, e, means.mean(0) @ np.stack([d, e], 1), np.array(scale))


def place_of(tokens, word) -> int:
    """Return the position of a word among tokens.

    Raises ValueError if it is not there exactly once, as one token.

    >>> place_of(["[CLS]", "a", "bank", "[SEP]"], "bank")
    2
    """
    if list(tokens).count(word) != 1:
        raise ValueError(f"each sentence must contain {word!r} exactly once, as one token, got {' '.join(tokens)}")
    return list(tokens).index(word)


def states(model, tok, texts, where) -> np.ndarray:
    """Return vectors after 0, 1, ... layers, (n, depths, d_model), of a word or at a position such as 0 for [CLS]."""
    found = embed(texts, model, "tokens", "all", tokenizer=tok)
    places = [place_of(tok.encode(text).tokens, where) if isinstance(where, str) else where for text in texts]
    return np.stack([X[:, place] for X, place in zip(found, places, strict=True)]).astype(float)


def by_neighbor(X, sense, x):
    """Return how much nearer to x the nearest use of sense 1 is than the nearest of sense 0, by cosine, (depths,)."""
    C = np.einsum("nld,ld->nl", X, x) / (np.linalg.norm(X, axis=-1) * np.linalg.norm(x, axis=-1))
    return C[sense == 1].max(0) - C[sense == 0].max(0)


def by_mean(X, sense, x):
    """Return how much nearer to x the mean of sense 1 is than the mean of sense 0, by cosine, (depths,)."""
    return by_neighbor(np.stack([X[sense == k].mean(0) for k in (0, 1)]), np.array([0, 1]), x)


def by_axis(X, sense, x):
    """Return the position of x on the axis, (depths,)."""
    return axis_between(X, sense)(x)[:, 0]


READ_OUTS = {"nearest use": by_neighbor, "nearest mean": by_mean, "one axis": by_axis}


def left_out(X, sense, read=by_axis) -> np.ndarray:
    """Read each use with the help of the others only: (n, depths), positive if its own sense is chosen."""
    sense = np.asarray(sense)
    others = ~np.eye(len(X), dtype=bool)
    return toward(sense)[:, None] * [read(X[rest], sense[rest], x) for rest, x in zip(others, X)]


def toward(sense):
    """Return the side of a sense: -1 for the first, +1 for the second."""
    return 2 * np.asarray(sense) - 1


def d_prime(scores, sense):
    """Return the distance of two groups' means in standard deviations within them: (n, ...) -> (...)."""
    groups = [np.asarray(scores)[np.asarray(sense) == k] for k in (0, 1)]
    return (groups[1].mean(0) - groups[0].mean(0)) / np.sqrt(np.mean([group.var(0, ddof=1) for group in groups], 0))


def interval(*samples):
    """Return the 95 % bootstrap interval of a mean, or of the difference of two; of two seeds the wider ends."""
    ends = [bootstrap_interval(lambda a, b=0: np.mean(a) - np.mean(b), *samples, seed=seed) for seed in (0, 1)]
    return min(low for low, _ in ends), max(high for _, high in ends)
