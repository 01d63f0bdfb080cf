"""Inputs: vectors as NumPy arrays, checked once."""

import numpy as np


def as_vectors(name, X, least=1, copy=True):
    """Return the rows of X as a float64 array (n, d), NumPy's or torch's, from any device.

    This is a copy of X; with copy=False it is X itself if X is such an array already: do not write to it. Raises
    TypeError if X contains no numbers, ValueError if it is not a matrix, has fewer than `least` rows, or contains NaN,
    infinity, or only numbers whose squares would leave the range of float64; the message begins with `name`.

    >>> as_vectors("X", [[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    array = as_numbers(name, X, copy)
    if array.ndim != 2 or len(array) < least or array.shape[1] == 0:
        raise ValueError(f"{name} must be a matrix of {least} or more vectors, one per row, got shape {array.shape}")
    if len(array):
        _check_size(name, array, 1e-100, 1e100)
    return array


def as_cloud(name, X, least=2, copy=True):
    """Return the rows of X as `as_vectors` does, if they are not all the same; otherwise raise ValueError.

    >>> as_cloud("X", [[1, 2], [1, 2]])
    Traceback (most recent call last):
    ...
    ValueError: X must contain at least two different vectors, got 2 times the same
    """
    X = as_vectors(name, X, least, copy)
    if (X[-1] == X[0]).all() and (X == X[0]).all():  # two rows are usually enough to decide
        raise ValueError(f"{name} must contain at least two different vectors, got {len(X)} times the same")
    return X


def check_float32(name, X):
    """Reject vectors that would become infinite or 0 in float32, in which some libraries compute: ValueError."""
    _check_size(name, X, 1e-15, 1e15)


def _check_size(name, X, low, high):
    largest = max(X.max(), -X.min())
    if largest and not low < largest < high:
        raise ValueError(f"{name} must have its largest number in {low:g}..{high:g}, got {largest:g}. Rescale it")


def as_array(name, values):
    """Values of any kind as an array, NumPy's or torch's, from any device. Raises ValueError by name if rows differ.

    >>> as_array("labels", ["a", "b"]).shape
    (2,)
    """
    if hasattr(values, "detach"):  # a torch tensor, without importing torch
        values = values.detach().cpu()
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} must have no masked values, got {np.ma.count_masked(values)}: remove their rows")
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array with rows of one length, got {values!r:.60}") from None


def as_labels(name, labels, n):
    """Return the group of each of n vectors: the sorted labels, and for each vector the number of its own (n,).

    Raises ValueError if they are not n, or one is None or NaN; TypeError if they cannot be compared.

    >>> names, index = as_labels("labels", ["b", "a", "b"], 3)
    >>> names.tolist(), index.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    array = as_array(name, labels)
    if array.shape != (n,):
        raise ValueError(f"{name} must have one label per vector, {n}, got shape {array.shape}")
    if any(label is None or label != label for label in array.tolist()):
        raise ValueError(f"{name} must name each vector's group, got None or NaN")
    try:
        return np.unique(array, return_inverse=True)
    except TypeError:
        raise TypeError(f"{name} must be all texts or all numbers, got {array[:3].tolist()}") from None


def as_numbers(name, values, copy=True):
    """Values of any shape as a finite float64 array. Raises TypeError or ValueError that begins with `name`.

    >>> as_numbers("null", [1, 2])
    array([1., 2.])
    """
    if hasattr(values, "detach"):  # a torch tensor, without importing torch
        values = values.detach().cpu().double()
    array = as_array(name, values)
    if array.dtype.kind not in "biuf":
        got = getattr(values, "dtype", type(values).__name__)
        raise TypeError(f"{name} must be an array of real numbers, got {got}")
    array = array.astype(np.float64, copy=copy)
    bad = np.count_nonzero(~np.isfinite(array))
    if bad:
        raise ValueError(f"{name} must be finite, got {bad} values that are NaN or infinite")
    return array
