"""What a map of low rank reads and where it writes: subspaces, the angles between them, and their share of a cloud.

Source: G 2 (directionality of subspace selection), which names the idea without a formula; Björck and Golub 1973.
A head compares two vectors by x (W_Q W_K^T) y^T and moves one by x (W_V W_O): two d_model x d_model matrices of rank
d_k at most. With the singular value decomposition U diag(s) V^T of such a matrix, the columns of U span the part of x
that it reads, those of V the part of y that it reads, or the space it writes to.
"""

import numpy as np

from tutorial_lib.arguments import check_seed, whole_number
from tutorial_lib.geometry.arrays import as_cloud, as_vectors
from tutorial_lib.geometry.shape import effective_number


def product_svd(down, up):
    """Return U (d, k), s (k,), V (m, k) of the product down @ up = U diag(s) V^T, from factors (d, k) and (k, m).

    The product itself, d x m, is never made: two QR decompositions leave a k x k matrix. s: largest first. k must be
    at most d and m. Raises ValueError if the shapes do not fit.

    >>> U, s, V = product_svd([[1.0], [0.0]], [[0.0, 3.0]])
    >>> s, abs(U[:, 0]), abs(V[:, 0])
    (array([3.]), array([1., 0.]), array([0., 1.]))
    """
    down, up = as_vectors("down", down), as_vectors("up", up)
    if down.shape[1] != up.shape[0] or len(up) > min(len(down), up.shape[1]):
        got = f"{down.shape} and {up.shape}"
        raise ValueError(f"down and up must be (d, k) and (k, m) with k at most d and m, got {got}")
    Q_down, R_down = np.linalg.qr(down)
    Q_up, R_up = np.linalg.qr(up.T)
    U, s, Vt = np.linalg.svd(R_down @ R_up.T)
    return Q_down @ U, s, Q_up @ Vt.T


def effective_rank(s):
    """Measure over how many directions a matrix with singular values s spreads: exp of the entropy of s_i^2 / sum.

    From 1 to the number of values. (Roy and Vetterli 2007 take s_i in place of s_i^2, which gives larger numbers; the
    squares are what `spectrum` has for a cloud.)

    >>> effective_rank([2.0, 2.0, 0.0]), round(effective_rank([3.0, 1.0]), 2)
    (2.0, 1.38)
    """
    squares = np.square(as_vectors("s", [s])[0])
    if not squares.any():
        raise ValueError("s must have at least one nonzero value")
    return float(effective_number(squares / squares.sum()))


def principal_angles(U, V):
    """Return the angles between two subspaces, in radians, smallest first: as many as the smaller one has dimensions.

    The first is the smallest angle between a vector of one and a vector of the other; the next one the same among those
    at right angles to the pair found, and so on. U: (d, k), V: (d, m): columns that span them, orthonormal or not.
    An angle below 1e-7 is rounding. Raises ValueError for columns that depend on each other. Source: Björck and Golub
    1973; scipy.linalg.subspace_angles gives the same, largest first.

    >>> principal_angles([[1, 0], [0, 1], [0, 0]], [[1, 0], [0, 0], [0, 1]]).round(3)
    array([0.   , 1.571])
    """
    cosines = np.linalg.svd(_basis("U", U).T @ _basis("V", V), compute_uv=False)
    return np.arccos(cosines.clip(max=1))


def subspace_overlap(U, V):
    """Return the mean squared cosine of the principal angles: 0 at right angles, 1 if one subspace contains the other.

    For random subspaces of d dimensions, expect m / d, with m the larger of their two sizes. U: (d, k), V: (d, m).

    >>> subspace_overlap([[1, 0], [0, 1], [0, 0]], [[1, 0], [0, 0], [0, 1]])
    0.5
    """
    return float(np.square(np.cos(principal_angles(U, V))).mean())


def variance_seen(X, U):
    """Return the share of a cloud's variance that lies in a subspace: 0 to 1.

    X: (n, d), centered here. U: (d, k), columns that span it. A random subspace sees k / d on average, whatever the
    cloud; no subspace of k dimensions sees more than the first k principal components.

    >>> round(variance_seen([[3, 0], [-3, 0], [0, 1], [0, -1]], [[1], [0]]), 3)
    0.9
    """
    X = as_cloud("X", X)
    U = _basis("U", U)
    if X.shape[1] != len(U):
        raise ValueError(f"U must have a row for each of the {X.shape[1]} coordinates of X, got {len(U)}")
    Xc = X - X.mean(0)
    return float(np.square(Xc @ U).sum() / np.square(Xc).sum())


def random_subspace(d, k, seed=0):
    """Orthonormal columns (d, k) that span a random subspace of k dimensions, each as likely as any other.

    >>> random_subspace(5, 2).shape
    (5, 2)
    """
    d = whole_number("d", d, 1, "a number of coordinates (an int, 1 or more)")
    k = whole_number("k", k, 1, f"a number of dimensions from 1 to {d}", d)
    return np.linalg.qr(np.random.default_rng(check_seed("seed", seed)).standard_normal((d, k)))[0]


def _basis(name, columns):
    """Return orthonormal columns that span the same subspace."""
    columns = as_vectors(name, columns)
    Q, R = np.linalg.qr(columns)
    sizes = np.abs(R.diagonal())
    if columns.shape[1] > len(columns) or sizes.min() <= 1e-10 * sizes.max():
        raise ValueError(f"{name} must have independent columns, got shape {columns.shape}")
    return Q
