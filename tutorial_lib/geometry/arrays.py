"""What comes in: vectors as NumPy arrays, checked once."""

import numpy as np


def as_vectors(name, X, least=1, copy=True):
    """The rows of X as a float64 array (n, d), NumPy's or torch's, from any device.

    A copy of X; with copy=False X itself, where it is such an array already: do not write to it. Raises TypeError where
    X holds no numbers, ValueError where it is no matrix, has fewer than `least` rows, or holds NaN or infinity; the
    message begins with `name`.

    >>> as_vectors("X", [[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    array = as_numbers(name, X, copy)
    if array.ndim != 2 or len(array) < least or array.shape[1] == 0:
        raise ValueError(f"{name} must be a matrix of {least} or more vectors, one a row, got shape {array.shape}")
    return array


def as_cloud(name, X, least=2, copy=True):
    """The rows of X as `as_vectors` has them, if they are not all the same; ValueError where they are.

    >>> as_cloud("X", [[1, 2], [1, 2]])
    Traceback (most recent call last):
    ...
    ValueError: X must hold at least two different vectors, got 2 times the same
    """
    X = as_vectors(name, X, least, copy)
    if (X[-1] == X[0]).all() and (X == X[0]).all():  # two rows mostly tell, without a look at all
        raise ValueError(f"{name} must hold at least two different vectors, got {len(X)} times the same")
    return X


def as_array(name, values):
    """Values of any kind as an array, NumPy's or torch's, from any device. Raises ValueError where rows differ.

    >>> as_array("labels", ["a", "b"]).shape
    (2,)
    """
    if hasattr(values, "detach"):  # a torch tensor, without importing torch
        values = values.detach().cpu()
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must have rows of one length, got {values!r:.60}") from None


def as_numbers(name, values, copy=True):
    """Values of any shape as a finite float64 array. Raises TypeError or ValueError that begins with `name`.

    >>> as_numbers("null", [1, 2])
    array([1., 2.])
    """
    if hasattr(values, "detach"):  # a torch tensor, without importing torch
        values = values.detach().cpu().double().numpy()
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            raise TypeError
        array = array.astype(np.float64, copy=copy)
    except (TypeError, ValueError):
        got = getattr(values, "dtype", type(values).__name__)
        raise TypeError(f"{name} must be an array of real numbers, got {got}") from None
    bad = np.count_nonzero(~np.isfinite(array))
    if bad:
        raise ValueError(f"{name} must be finite, got {bad} values that are NaN or infinite")
    return array
