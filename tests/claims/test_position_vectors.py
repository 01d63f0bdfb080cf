"""The distance of the segment vectors, computed a second time by the cosine rule's triangle."""

import numpy as np
import pytest


def test_the_distance_of_the_segment_vectors(computed):
    expected = np.hypot(0.70 - 0.72 * -0.065, 0.72 * np.sqrt(1 - 0.065**2))
    assert computed("L-4.2-segment-distance") == pytest.approx(expected, rel=1e-7)
