import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import contrast_cosines

A, B = gaussian(12, 8), gaussian(9, 8, seed=1)


def test_cosines_of_contrasts_are_scikit_learns_of_averages():
    C = contrast_cosines({"a": A, "b": B, "c": -A})
    np.testing.assert_allclose(C, cosine_similarity([A.mean(0), B.mean(0), -A.mean(0)]))
    assert C[0, 2] == pytest.approx(-1)


def test_a_short_average_is_a_direction():
    assert contrast_cosines({"a": [[1.0, 1e-9], [-1.0, 1e-9]]}) == pytest.approx(1)
