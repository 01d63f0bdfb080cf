"""Paths: a vector's way through the layers, step by step, and where two of them part. Source: L 4.3.

A path is an array (n_layers + 1, d): a token's vector before the first layer and after each one. Several
paths through the same layers are (n_layers + 1, n, d).
"""

from typing import NamedTuple

import numpy as np

from tutorial_lib.arguments import check_seed, real_number
from tutorial_lib.geometry.arrays import as_array, as_numbers
from tutorial_lib.geometry.similarity import average_cosine, distance_matrix, unit


class Steps(NamedTuple):
    """The result of `steps`, for each path; all but the norms from one layer to the next.

    norms     (n_layers + 1, ...) distances from the origin
    lengths   (n_layers, ...)     Euclidean distances of neighbors on the path
    cosines   (n_layers, ...)     cosine similarities of neighbors
    radial    (n_layers, ...)     the share of the step's squared length that points away from the origin, or toward it
    """

    norms: np.ndarray
    lengths: np.ndarray
    cosines: np.ndarray
    radial: np.ndarray


def steps(paths):
    """Measure length, turn and radial share of each step of paths (n_layers + 1, ..., d); a `Steps`.

    From r to s, with cosine c between them, |s - r|^2 = (|s| - |r|)^2 + 2 |r| |s| (1 - c): a radial part, and a part
    that turns. A step of length 0 has radial share 0. Source: L 4.3 (Figure 22).

    >>> steps([[3.0, 0.0], [4.0, 0.0], [0.0, 4.0]]).radial
    array([1., 0.])
    """
    X = _as_paths(paths)
    U = unit(X, "paths")
    norms = np.linalg.norm(X, axis=-1)
    lengths = np.linalg.norm(np.diff(X, axis=0), axis=-1)
    radial = np.divide(np.diff(norms, axis=0) ** 2, lengths**2, out=np.zeros_like(lengths), where=lengths > 0)
    return Steps(norms, lengths, (U[1:] * U[:-1]).sum(-1).clip(-1, 1), radial)


def step_alignment(paths):
    """Measure how far paths (n_layers + 1, n, d) move in parallel: for each step, the average cosine of two paths.

    1: all move in parallel. 0: like random directions in many dimensions. Returns (n_layers,).

    >>> step_alignment([[[0, 0], [5, 5]], [[1, 0], [6, 5]], [[1, 1], [6, 4]]])
    array([ 1., -1.])
    """
    X = _as_paths(paths)
    if X.ndim != 3:
        raise ValueError(f"paths must have shape (n_layers + 1, n, d), got {X.shape}")
    return np.array([average_cosine(step) for step in np.diff(X, axis=0)])


def random_walks(paths, shared=0.0, seed=0):
    """Return paths with the same starts and step lengths as these, in random directions.

    shared: the share of each step's squared length that goes along one direction, the same for all paths and steps;
    with 0, all is random. Use it as a control for pictures: what they also show for random walks, they do not show
    about a model.

    >>> walks = random_walks([[3.0, 0.0], [0.0, 3.0], [0.0, 5.0]])
    >>> steps(walks).lengths.round(4)
    array([4.2426, 2.    ])
    """
    X = _as_paths(paths)
    shared = real_number("shared", shared, "a share from 0 to 1", 0, 1)
    rng = np.random.default_rng(check_seed("seed", seed))
    common = rng.standard_normal(X.shape[-1])
    common /= np.linalg.norm(common)
    H = np.diff(X, axis=0)
    own = rng.standard_normal(H.shape)
    own -= (own @ common)[..., None] * common  # at right angles to the shared direction
    own /= np.linalg.norm(own, axis=-1, keepdims=True)
    directions = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    moves = np.linalg.norm(H, axis=-1, keepdims=True) * directions
    return X[0] + np.concatenate([np.zeros_like(X[:1]), moves.cumsum(0)])


class GroupDistances(NamedTuple):
    """Average distances (1 - cosine) at each layer, (n_layers + 1,): within one group, and between two groups."""

    within: np.ndarray
    between: np.ndarray


def group_distances(paths, labels):
    """Measure where groups of paths part: average distance within a group and between groups, layer by layer.

    paths (n_layers + 1, n, d), labels n names. Distance is 1 - cosine. If the two averages are equal, the groups are
    not separated; their ratio says how far apart they are. Raises ValueError for a single group, or one with a single
    path.

    >>> group_distances([[[1, 0], [2, 0], [0, 1], [0, 3]]], ["a", "a", "b", "b"])
    GroupDistances(within=array([0.]), between=array([1.]))
    """
    X = _as_paths(paths)
    labels = as_array("labels", labels)
    if X.ndim != 3 or labels.shape != X.shape[1:2]:
        raise ValueError(f"labels must be one for each path, got {labels.shape} for paths of shape {X.shape}")
    _, sizes = np.unique(labels, return_counts=True)
    if len(sizes) < 2 or sizes.min() < 2:
        raise ValueError(f"labels must name 2 groups or more, of 2 paths or more each, got groups of {sizes.tolist()}")
    D = np.array([distance_matrix(layer, "cosine") for layer in X])  # (n_layers + 1, n, n)
    same = labels[:, None] == labels
    own = np.eye(len(labels), dtype=bool)
    return GroupDistances(D[:, same & ~own].mean(1), D[:, ~same].mean(1))


def _as_paths(paths):
    X = as_numbers("paths", paths)
    if X.ndim < 2 or len(X) < 1 or X.shape[-1] < 1:
        raise ValueError(f"paths must have shape (n_layers + 1, ..., d), got {X.shape}")
    return X
