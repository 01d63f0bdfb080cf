"""Which coordinates determine a length, a distance or a cosine, and the usual ways to stop a few from dominating.

Sources: Timkey and van Schijndel 2021 (shares, standardizing); Mu and Viswanath 2018 (main directions); Su et al. 2021
(whitening).
"""

from typing import NamedTuple

import numpy as np

from tutorial_lib.arguments import check_has, check_seed, whole_number
from tutorial_lib.geometry.arrays import as_cloud, as_vectors
from tutorial_lib.geometry.similarity import unit


def cosine_parts(X):
    """Return what each coordinate adds to the average cosine of two different rows: (d,); the sum is `average_cosine`.

    A cosine is a sum over coordinates, u_i v_i of two unit vectors; this is the mean of each summand over all pairs.
    Divided by their sum they are shares, which mean little if that sum is near 0, because parts of both signs cancel.
    Raises ValueError for fewer than two rows and for a row of zeros. Source: Timkey and van Schijndel 2021.

    >>> cosine_parts([[3.0, 4.0], [3.0, -4.0]]).round(2)
    array([ 0.36, -0.64])
    """
    U = unit(as_vectors("X", X, least=2))
    n = len(U)
    return (np.square(U.sum(axis=0)) - np.square(U).sum(axis=0)) / (n * (n - 1))


def norm_shares(X):
    """Return each coordinate's share of a row's squared length, averaged over the rows: (d,), summing to 1.

    >>> norm_shares([[3.0, 4.0], [0.0, 1.0]]).round(2)
    array([0.18, 0.82])
    """
    return np.square(unit(as_vectors("X", X))).mean(axis=0)


def distance_shares(X):
    """Return each coordinate's share of all squared distances between rows: (d,), summing to 1.

    That is its share of the variance: summed over all pairs, (x_i - y_i)^2 is n^2 times the variance of coordinate i. A
    large coordinate with the same value in all rows has share 0. Raises ValueError if all rows are the same.

    >>> distance_shares([[9.0, 0.0], [9.0, 2.0]])
    array([0., 1.])
    """
    variances = as_cloud("X", X).var(axis=0)
    return variances / variances.sum()


class Control(NamedTuple):
    """A linear change of vectors, fitted once to a cloud: (X - shift) @ matrix, with shift (d,) and matrix (d, k)."""

    shift: np.ndarray
    matrix: np.ndarray

    def __call__(self, X):
        """Return the vectors (..., d) after the change, (..., k)."""
        return (np.asarray(X, dtype=np.float64) - self.shift) @ self.matrix

    def elsewhere(self, seed):
        """Return the same change after a random shuffle of the coordinates: its effect if there is nothing to remove.

        >>> leave_out([[1.0, 2.0, 3.0]], [0]).elsewhere(seed=0)([[1.0, 2.0, 3.0]])
        array([[3., 1.]])
        """
        order = np.random.default_rng(check_seed("seed", seed)).permutation(len(self.shift))
        return Control(self.shift[order], self.matrix[order])


def leave_out(X, coordinates):
    """Return a control that removes some coordinates. X: vectors (n, d); only their width matters.

    >>> leave_out([[1.0, 2.0, 3.0]], [1])([[4.0, 5.0, 6.0]])
    array([[4., 6.]])
    """
    d = as_vectors("X", X).shape[1]
    check_has("coordinates", coordinates, "numbers of coordinates", "__iter__")
    coordinates = [whole_number("coordinates", i, 0, f"from 0 to {d - 1}", d - 1) for i in coordinates]
    return Control(np.zeros(d), np.delete(np.eye(d), coordinates, axis=1))


def center(X):
    """Return a control that removes the mean of X.

    >>> center([[1.0, 2.0], [3.0, 2.0]])([[1.0, 2.0]])
    array([[-1.,  0.]])
    """
    X = as_vectors("X", X)
    return Control(X.mean(axis=0), np.eye(X.shape[1]))


def standardize(X):
    """Return a control that gives each coordinate of X mean 0 and standard deviation 1; a constant one becomes 0.

    >>> standardize([[1.0, 2.0], [5.0, 2.0]])([[1.0, 2.0]])
    array([[-1.,  0.]])
    """
    X = as_cloud("X", X)
    spread = X.std(axis=0)
    some = spread > 1e-12 * spread.max()
    return Control(X.mean(axis=0), np.diag(np.divide(1, spread, out=np.zeros_like(spread), where=some)))


def remove_main(X, n):
    """Return a control that removes the mean of X and its n principal directions, those along which it varies most.

    The paper removes about d / 100 of them. n: from 0 to d. Source: Mu and Viswanath 2018, "all but the top".

    >>> remove_main([[9.0, 1.0], [-9.0, 1.0], [0.0, 1.3]], 1)([[5.0, 2.1]]).round(2)
    array([[0., 1.]])
    """
    X = as_cloud("X", X)
    n = whole_number("n", n, 0, f"a number of directions from 0 to {X.shape[1]}", X.shape[1])
    _, V = _directions(X)
    return Control(X.mean(axis=0), np.eye(X.shape[1]) - V[:, :n] @ V[:, :n].T)


def whiten(X, n=None):
    """Return a control that gives X variance 1 along each of its n principal directions, and 0 along all others.

    n: at most the number of directions in which X varies, the default. With too few vectors the small variances are
    mostly chance, and whitening makes that noise as large as the signal; fewer directions help. Source: Su et al. 2021.

    >>> whiten([[8.0, 1.0], [-8.0, 1.0], [0.0, 3.0], [0.0, -1.0]])([[8.0, 3.0]]).round(3)
    array([[1.414, 1.414]])
    """
    X = as_cloud("X", X)
    variances, V = _directions(X)
    rank = np.count_nonzero(variances > 1e-10 * variances[0])
    n = rank if n is None else whole_number("n", n, 1, f"a number of directions from 1 to {rank}", rank)
    return Control(X.mean(axis=0), V[:, :n] / np.sqrt(variances[:n]))


def _directions(X):
    """Return the variances of X along its principal directions, largest first (d,), and the directions (d, d)."""
    variances, V = np.linalg.eigh(np.cov(X, rowvar=False, bias=True).reshape(X.shape[1], X.shape[1]))
    V = V[:, ::-1]
    largest = np.abs(V).argmax(axis=0)
    return variances[::-1], V * np.sign(V[largest, np.arange(V.shape[1])])  # the sign of a direction is arbitrary
