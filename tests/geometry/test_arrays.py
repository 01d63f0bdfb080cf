"""Vectors come as lists, arrays and tensors; all measures read them by these functions."""

import numpy as np
import pytest
import torch

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry.arrays import as_array, as_cloud, as_numbers, as_vectors

X = gaussian(6, 3).round()  # so that short types represent the same values
READ_ONLY = X.copy()
READ_ONLY.flags.writeable = False
SAME = {
    "list": X.tolist(),
    "array": X,
    "columns first": np.asfortranarray(X),
    "strided": X[::-1][::-1],
    "read-only": READ_ONLY,
    "whole": X.astype(np.int8),
    "tensor": torch.tensor(X, requires_grad=True),
    "bfloat16": torch.tensor(X).bfloat16(),
}


@pytest.mark.parametrize("values", SAME.values(), ids=SAME)
@pytest.mark.parametrize("read", [as_vectors, as_cloud, as_numbers])
def test_lists_arrays_and_tensors_hold_the_same_numbers(read, values):
    found = read("X", values)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, X)
    if isinstance(values, np.ndarray):
        assert not np.shares_memory(found, values)
        assert np.shares_memory(read("X", values, copy=False), values) == (values.dtype == float)


def test_labels_may_be_anything_in_equal_rows():
    assert as_array("labels", torch.tensor([1.0, 2.0], requires_grad=True)).tolist() == [1, 2]
    with pytest.raises(ValueError, match="^labels must be an array with rows of one length"):
        as_array("labels", [[1], [1, 2]])


@pytest.mark.parametrize(
    "values, error, says",
    [
        (np.ones(3), ValueError, "^X must be a matrix of 2 or more vectors"),
        (np.ones((1, 3)), ValueError, "^X must be a matrix of 2 or more vectors"),
        (np.ones((2, 2, 2)), ValueError, "^X must be a matrix"),
        (np.ones((3, 0)), ValueError, "^X must be a matrix"),
        ([[1.0, np.nan]] * 2, ValueError, "^X must be finite, got 2 values"),
        ([[1.0, 2.0], [-np.inf, 1.0]], ValueError, "^X must be finite, got 1 values"),
        ([["a"], ["b"]], TypeError, "^X must be an array of real numbers"),
        (np.eye(2) + 1j, TypeError, "^X must be an array of real numbers, got complex128"),
        ([[1], [1, 2]], ValueError, "^X must be an array with rows of one length, got "),
    ],
)
def test_input_without_vectors_is_rejected(values, error, says):
    with pytest.raises(error, match=says):
        as_vectors("X", values, least=2)


def test_a_cloud_has_two_different_vectors():
    for same in (np.full((4, 3), 0.1), [[1.0, 2.0]] * 2):
        with pytest.raises(ValueError, match="^X must contain at least two different vectors"):
            as_cloud("X", same)
    assert len(as_cloud("X", [[1.0], [2.0], [1.0]])) == 3  # the first row is also the last
