"""Tokens as directions: what an unembedding reads from a state, and how near is near.

An unembedding is a matrix with one row per token, (vocab_size, d). A token's score for a state x (d,) is the dot
product of its row with x. Source: N.

The path of a state through the layers is read in two ways: through the whole unembedding (`logit_lens`) and in the
plane of two tokens (`token_plane`). The lens takes the model's own last LayerNorm and its unembedding, as functions;
all other functions work on arrays.
"""

import sys
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

from tutorial_lib.arguments import check_has, one_of, whole_number
from tutorial_lib.geometry.arrays import as_numbers, as_vectors
from tutorial_lib.geometry.similarity import unit

CHUNK = 256  # states that are compared with a whole vocabulary at once: five matrices of 100 MB for 50,000 tokens
INVERSES = ("transpose", "normalized transpose", "pseudo-inverse")
MEASURES = ("distance", "dot", "cosine")


class Nearest(NamedTuple):
    """The result of `nearest_by_measure`: row numbers (n, k), nearest first, by each of `MEASURES`."""

    distance: np.ndarray
    dot: np.ndarray
    cosine: np.ndarray


class TokenPlane(NamedTuple):
    """The result of `token_plane`: two orthonormal axes (2, d), and the two tokens' coordinates, one per row (2, 2)."""

    axes: np.ndarray
    tokens: np.ndarray


class PlanePath(NamedTuple):
    """The result of `plane_path`: coordinates (..., 2), shares of squared length (...), and both scores (..., 2)."""

    coordinates: np.ndarray
    shares: np.ndarray
    scores: np.ndarray


def logit_lens(states, norm, unembedding):
    """Return the scores of all tokens for the states after each layer, (n_layers, ..., vocab_size), in float64.

    states: of each layer, (..., d), as computed by the model, arrays or tensors: those of a `trace` or of
    `layer_states`. (Not the last layer of `embed`, to which the norm is already applied.) norm, unembedding: functions,
    the model's last LayerNorm and the map from its result to scores, or for the latter its matrix (vocab_size, d), such
    as `model.unembedding.weight` or an array; a bias is then left out. Both run on one layer's states at a time; a
    module gets a tensor of its weights' type, and computes in it, without gradients. The rounding of a sum depends on
    how many rows a product has: the last layer's scores are the model's logits to the last bit if the states are all
    those that the model computed at once. For a `gpt.GPT` and its `trace`:

        states = [stops[f"layer.{i}.output"] for i in range(model.config.n_layers)]
        logit_lens(states, model.norm, model.unembedding)

    Raises ValueError if there is no layer, if the matrix does not have d columns, or if layers' scores differ in shape
    or are not finite. Source: N,
    "Non-symmetric Embeddings"; nostalgebraist, "interpreting GPT: the logit lens" (2020).

    >>> E = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])  # three tokens
    >>> logit_lens([[3.0, 1.0], [1.0, 3.0]], lambda x: x - np.mean(x), lambda x: x @ E.T)
    array([[ 1., -1.,  0.],
           [-1.,  1.,  0.]])
    """
    check_has("states", states, "the states of each layer", "__len__")
    check_has("norm", norm, "a function", "__call__")
    if not (callable(unembedding) or np.ndim(unembedding) == 2 and hasattr(unembedding, "T")):
        raise TypeError(f"unembedding must be a function or a matrix (vocab_size, d), got {unembedding!r:.60}")
    shapes = [np.shape(as_numbers("states", X)) for X in states]
    if len(set(shapes)) != 1 or not shapes[0]:
        raise ValueError(f"states must be one or more layers of the same shape, (..., d), got {shapes}")
    if not callable(unembedding) and unembedding.shape[1] != shapes[0][-1]:
        raise ValueError(f"unembedding must be (vocab_size, {shapes[0][-1]}), got shape {tuple(unembedding.shape)}")
    with sys.modules["torch"].no_grad() if "torch" in sys.modules else nullcontext():
        return np.stack([as_numbers("scores", _scores(unembedding, norm(_taken(norm, X)))) for X in states])


def _scores(unembedding, X):
    """Apply a function, or multiply by a matrix: as tensors if X is one, otherwise as arrays."""
    if callable(unembedding):
        return unembedding(_taken(unembedding, X))
    if not hasattr(X, "detach"):
        return as_numbers("states", X) @ as_numbers("unembedding", unembedding).T
    return X @ sys.modules["torch"].as_tensor(unembedding, dtype=X.dtype, device=X.device).T


def _taken(function, X):
    """Return X as a function takes it: unchanged, but for a torch module as a tensor of its weights' type."""
    if not hasattr(function, "parameters"):
        return X
    weight = next(function.parameters(), None)
    like = {} if weight is None else {"dtype": weight.dtype, "device": weight.device}
    return sys.modules["torch"].as_tensor(X, **like)


def layer_agreement(scores):
    """Return how often each layer's top token is the last layer's: (n_layers,) of scores (n_layers, ..., vocab_size).

    The last share is 1. Raises ValueError if there are not two axes, or one is empty. Source: N, as `logit_lens`.

    >>> layer_agreement([[[2, 1], [1, 2]], [[2, 1], [2, 1]], [[2, 1], [1, 2]]])
    array([1. , 0.5, 1. ])
    """
    scores = as_numbers("scores", scores)
    if scores.ndim < 2 or not scores.size:
        raise ValueError(f"scores must have shape (n_layers, ..., vocab_size), none of it 0, got {scores.shape}")
    top = scores.argmax(axis=-1)  # (n_layers, ...)
    return (top == top[-1]).reshape(len(top), -1).mean(axis=1)


def nearest_by_measure(queries, rows, k=10, leave_out=None):
    """Return the k rows nearest to each query by Euclidean distance, by dot product and by cosine: a `Nearest`.

    queries (n, d), rows (m, d), such as states and an unembedding. leave_out: for each query, the number of a row to
    exclude (n,), such as its own. From |x - y|^2 = |x|^2 + |y|^2 - 2 x y: for one x, the smallest distance is the
    largest x y - |y|^2 / 2. So for rows y of equal length, all three measures agree. Of equally near rows, the first
    come first; at the end of the list, it is undefined which of them are included. Raises ValueError for a row of
    zeros, which has no cosine, if widths differ, or if k is larger than the rest. Source: N, TL;DR and "Directions in
    Space".

    >>> near = nearest_by_measure([[2.0, 1.0]], [[2.0, 0.0], [4.0, 2.0], [9.0, 0.0]], k=2)
    >>> near.distance.tolist(), near.dot.tolist(), near.cosine.tolist()
    ([[0, 1]], [[2, 1]], [[1, 0]])
    """
    X, Y = _as_pair("queries", queries, "rows", rows)
    out = None if leave_out is None else as_numbers("leave_out", leave_out)  # (n,)
    if out is not None and (out.shape != (len(X),) or not np.isin(out, range(len(Y))).all()):
        what = f"one number of a row, 0 to {len(Y) - 1}, for each query, {len(X)}"
        raise ValueError(f"leave_out must contain {what}, got {leave_out!r:.60}")
    most = len(Y) - (out is not None)
    k = whole_number("k", k, 1, f"a number of neighbors (an int from 1 to {most})", most)
    _lengths("queries", X)
    lengths = _lengths("rows", Y)  # (m,)
    nearest = []
    for at in range(0, len(X), CHUNK):
        dots = X[at : at + CHUNK] @ Y.T  # (b, m)
        closeness = dots - lengths**2 / 2, dots, dots / lengths
        if out is not None:
            for S in closeness:
                S[np.arange(len(S)), out[at : at + CHUNK].astype(int)] = -np.inf
        nearest.append([_largest(S, k) for S in closeness])
    return Nearest(*map(np.concatenate, zip(*nearest)))


def measure_overlap(near):
    """Return the average share of neighbors that two measures have in common: (3, 3), in the order of `MEASURES`.

    near: a `Nearest`, or three arrays (n, k). With k = 1: how often both measures agree. Source: as above.

    >>> measure_overlap(Nearest([[0, 1]], [[2, 1]], [[1, 0]]))
    array([[1. , 0.5, 1. ],
           [0.5, 1. , 0.5],
           [1. , 0.5, 1. ]])
    """
    lists = as_numbers("near", near)
    if lists.ndim != 3 or not lists.size:
        raise ValueError(f"near must contain a list (n, k) for each measure, got shape {lists.shape}")
    same = lists[:, None, :, :, None] == lists[None, :, :, None, :]  # (3, 3, n, k, k)
    return same.any(axis=-1).mean(axis=(-2, -1))


def top_tokens(states, unembedding):
    """Return the number of the token with the largest score for each state: (n, d) and (vocab_size, d) -> (n,).

    For an embedding's own rows as states: which token results for each token that is embedded and unembedded at once.
    Raises ValueError if the widths differ. Source: N 1.2, N 3.2.

    >>> top_tokens([[1.0, 0.1], [-1.0, 3.0]], [[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    array([2, 1])
    """
    X, W = _as_pair("states", states, "unembedding", unembedding)
    return np.concatenate([(X[at : at + CHUNK] @ W.T).argmax(axis=1) for at in range(0, len(X), CHUNK)])


def inverse_unembedding(E, kind):
    """Return an unembedding (vocab_size, d) for the embedding E (vocab_size, d), of one of three kinds (`INVERSES`).

    "transpose": E itself, as in tied models; a token's score for its own row is the row's squared length. "normalized
    transpose": each row divided by its squared length, which makes that score 1. "pseudo-inverse": the rows E (E^T
    E)^-1, whose transpose (E^T E)^-1 E^T is the left inverse; a token's own score is then at most 1, and all of them
    add up to the rank. (If E^T E has no inverse, its pseudo-inverse is used; singular values of E below a millionth of
    the largest count as 0.)

    Raises ValueError for another kind, or a row of zeros to be normalized. Source: N 1.2, N 3.2.

    >>> E = [[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> inverse_unembedding(E, "normalized transpose")
    array([[0.5, 0. ],
           [0. , 1. ],
           [0.5, 0.5]])
    >>> np.allclose(inverse_unembedding(E, "pseudo-inverse").T @ E, np.eye(2))
    True
    """
    E = as_vectors("E", E)
    if one_of("kind", kind, INVERSES) == "transpose":
        return E
    if kind == "normalized transpose":
        return E / _lengths("E", E)[:, None] ** 2
    return E @ np.linalg.pinv(E.T @ E, rcond=1e-12, hermitian=True)  # (m, d) (d, d)


def own_scores(E, unembedding):
    """Return the score of each token for its own row of the embedding: (vocab_size, d) twice -> (vocab_size,).

    These are the peaks that remain of the 1 in a token's one-hot vector. Raises ValueError if the shapes differ.
    Source: N 1.2.

    >>> own_scores([[2.0, 0.0], [0.0, 1.0]], [[0.5, 0.0], [0.0, 3.0]])
    array([1., 3.])
    """
    E, W = _as_pair("E", E, "unembedding", unembedding)
    if len(E) != len(W):
        raise ValueError(f"unembedding must have a row for each row of E, {len(E)}, got {len(W)}")
    return (E * W).sum(axis=1)


def token_plane(a, b):
    """Return the plane through 0 and two tokens' rows of the unembedding, a and b, (d,) each: a `TokenPlane`.

    The first axis points to a, the second is at right angles to it, on b's side. Raises ValueError if a and b are not
    two vectors of the same width, or lie on one line and so span no plane. Source: N, "The Effect of Vector Length".

    >>> token_plane([0.0, 2.0, 0.0], [3.0, 1.0, 0.0])
    TokenPlane(axes=array([[0., 1., 0.],
           [1., 0., 0.]]), tokens=array([[2., 0.],
           [1., 3.]]))
    """
    a, b = as_numbers("a", a), as_numbers("b", b)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise ValueError(f"a and b must be vectors of the same width, 2 or more, got shapes {a.shape} and {b.shape}")
    Q, R = np.linalg.qr(np.stack([a, b], axis=1))  # (d, 2), (2, 2)
    if abs(R[1, 1]) <= 1e-12 * np.linalg.norm(b) or not a.any():
        raise ValueError("a and b must point in different directions, got vectors on one line")
    signs = np.where(R.diagonal() < 0, -1.0, 1.0)
    return TokenPlane((Q * signs).T + 0.0, (R.T * signs) + 0.0)  # + 0.0: no -0.0


def plane_path(plane, states):
    """Return where states (..., d) lie in the plane of two tokens, and what the plane shows of them: a `PlanePath`.

    states: the inputs of the unembedding, so those after the last LayerNorm. shares: the part of the squared length
    that lies in the plane; for a random direction 2 / d on average. scores: both tokens' dot products with the state.
    Their rows lie in the plane, so the two coordinates determine both scores, however small the share.

    Raises ValueError if the states' width differs from the plane's, or for states of zeros. Source: as `token_plane`.

    >>> path = plane_path(token_plane([0.0, 2.0, 0.0], [3.0, 1.0, 0.0]), [[0.0, 0.0, 5.0], [1.0, 2.0, 2.0]])
    >>> path.coordinates.tolist(), path.shares.round(3).tolist(), path.scores.tolist()
    ([[0.0, 0.0], [2.0, 1.0]], [0.0, 0.556], [[0.0, 0.0], [4.0, 5.0]])
    """
    check_has("plane", plane, "two directions", "__len__")
    if len(plane) != 2:
        raise ValueError(f"plane must be two directions and two tokens, got {len(plane)} parts")
    plane = [as_numbers("plane", direction) for direction in plane]
    axes, tokens = as_vectors("plane", plane[0]), as_vectors("plane", plane[1])
    X = as_numbers("states", states)
    if not X.ndim or X.shape[-1] != axes.shape[1]:
        raise ValueError(f"states must be vectors of the plane's width, {axes.shape[1]}, got shape {X.shape}")
    coordinates = X @ axes.T  # (..., 2)
    shares = ((unit(X, "states") @ axes.T) ** 2).sum(axis=-1)  # (...)
    return PlanePath(coordinates, np.minimum(shares, 1), coordinates @ tokens.T)


def best_probability(scores, scales):
    """Return the probability of the best token if the state is `scales` times as long, (n, ...).

    scores: of all tokens, (..., vocab_size), from an unembedding without bias: a state c times as long then has c times
    the scores. That is the softmax at temperature 1 / c, and the best token's part of it is 1 / sum exp(c (z - max z)).
    scales: (n,), 0 or more. At 0 all tokens are equally likely. No scale above 0 changes which token is best.

    Raises ValueError for a negative scale or another shape. Source: N 3.3, N, "The Effect of Vector Length".

    >>> best_probability([2.0, 1.0, 0.0], [0, 1, 10]).round(3)
    array([0.333, 0.665, 1.   ])
    """
    z, scales = as_numbers("scores", scores), as_numbers("scales", scales)
    if not z.ndim or not z.size:
        raise ValueError(f"scores must have shape (..., vocab_size), none of it 0, got {z.shape}")
    if scales.ndim != 1 or not len(scales) or scales.min() < 0:
        raise ValueError(f"scales must be a list of numbers, 0 or more, got {scales.tolist()!r:.60}")
    below = z - z.max(axis=-1, keepdims=True)  # (..., vocab_size), the best is 0
    return np.stack([1 / np.exp(c * below).sum(axis=-1) for c in scales])


def _as_pair(first_name, first, second_name, second):
    """Return both as float64 arrays of the same width, (n, d) and (m, d)."""
    X, Y = as_vectors(first_name, first), as_vectors(second_name, second)
    if X.shape[1] != Y.shape[1]:
        raise ValueError(f"{second_name} must be as wide as {first_name}, {X.shape[1]}, got {Y.shape[1]}")
    return X, Y


def _lengths(name, X):
    """Return the lengths (n,) of the rows of X (n, d), none of them 0."""
    lengths = np.linalg.norm(X, axis=1)
    if not lengths.all():
        raise ValueError(f"{name} must have no row of zeros, which has no direction, got row {lengths.argmin()}")
    return lengths


def _largest(S, k):
    """Return the columns of the k largest of each row of S (n, m), largest first, ties by index: (n, k)."""
    near = np.sort(np.argpartition(-S, k - 1, axis=1)[:, :k], axis=1)
    order = np.argsort(-np.take_along_axis(S, near, axis=1), axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1)
