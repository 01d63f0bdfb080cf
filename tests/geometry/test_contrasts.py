import numpy as np
import pytest
import torch
from sklearn.metrics.pairwise import cosine_similarity

from tutorial_lib.geometry import average_cosine, contrast_cosines, difference_vectors

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(12, 8)), RNG.normal(size=(9, 8))
UP = np.eye(8)[0]


def test_the_difference_goes_from_the_first_to_the_second():
    assert (difference_vectors(torch.ones(2, 3), 3 * torch.ones(2, 3)) == 2).all()
    assert (difference_vectors(A, A[::-1]) == -difference_vectors(A[::-1], A)).all()


def test_cosines_are_scikit_learns_of_the_averages():
    C = contrast_cosines({"a": A, "b": B, "c": -A})
    means = [A.mean(axis=0), B.mean(axis=0), -A.mean(axis=0)]
    assert np.allclose(C, cosine_similarity(means))
    assert C[0, 2] == pytest.approx(-1) and np.array_equal(C, C.T)


def test_the_average_cosine_says_how_much_differences_agree():
    C = cosine_similarity(A)
    assert average_cosine(A) == pytest.approx(np.mean([C[i, j] for i in range(12) for j in range(12) if i != j]))
    assert average_cosine([UP, 2 * UP, 5 * UP]) == pytest.approx(1)
    assert average_cosine([UP, -UP]) == pytest.approx(-1)


@pytest.mark.parametrize(
    ("function", "arguments", "says"),
    [
        (difference_vectors, (A, B), r"first and second must have one shape, got \(12, 8\) and \(9, 8\)"),
        (difference_vectors, ([[np.nan]], [[1.0]]), "first must be finite"),
        (contrast_cosines, ({},), "differences must hold at least one contrast"),
        (contrast_cosines, ({"a": A, "b": [[1.0]]},), r"a and b must have vectors of one width, got \[1, 8\]"),
        (contrast_cosines, ({"a": A, "b": [UP, -UP]},), "b must have a direction, but its average difference is zero"),
        (contrast_cosines, ({"b": [[0.1, 0.2], [0.2, 0.1], [-0.3, -0.3]]},), "b must have a direction"),
        (contrast_cosines, ({"a": np.zeros((0, 8))},), r"differences\['a'\] must be a matrix of 1 or more vectors"),
    ],
)
def test_bad_input_is_refused_by_name(function, arguments, says):
    with pytest.raises(ValueError, match=says):
        function(*arguments)
