"""Paths through the layers: the parts of a step, random walks as control, and where groups part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist, pdist

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry.paths import group_distances, random_walks, step_alignment, steps


@given(st.integers(0, 2**31), st.floats(0.1, 10), st.integers(2, 40))
def test_a_step_moves_outward_and_turns(seed, scale, d):
    norms, lengths, cosines, radial = steps(gaussian(4, 3, d, seed=seed) * scale)
    turn = 2 * norms[1:] * norms[:-1] * (1 - cosines)
    np.testing.assert_allclose(lengths**2, np.diff(norms, axis=0) ** 2 + turn, atol=1e-9)
    np.testing.assert_allclose(radial, np.diff(norms, axis=0) ** 2 / lengths**2)
    assert (radial <= 1 + 1e-12).all()


def test_steps_are_scipys_distances_and_cosines():
    X = gaussian(5, 8)
    norms, lengths, cosines, _ = steps(X)
    np.testing.assert_allclose(norms, cdist(X, np.zeros((1, 8)))[:, 0])
    np.testing.assert_allclose(lengths, np.diagonal(cdist(X, X), 1))
    np.testing.assert_allclose(cosines, 1 - np.diagonal(cdist(X, X, "cosine"), 1))


@pytest.mark.parametrize(
    "path, radial",
    [([[1, 2], [2, 4], [3, 6]], [1, 1]), ([[0, 5], [3, 4], [5, 0]], [0, 0]), ([[1, 0], [1, 0], [2, 0]], [0, 1])],
    ids=["away from the origin", "around it", "standing first"],
)
def test_radial_shares_of_known_paths(path, radial):
    np.testing.assert_allclose(steps(path).radial, radial, atol=1e-12)


def test_step_alignment_is_the_average_of_scipys_cosines():
    X = gaussian(4, 5, 7)
    expected = [1 - pdist(step, "cosine").mean() for step in np.diff(X, axis=0)]
    np.testing.assert_allclose(step_alignment(X), expected)
    np.testing.assert_allclose(step_alignment(X + 10 * gaussian(5, 7, seed=1)), expected)  # wherever paths begin


@pytest.mark.parametrize("shared", [0.0, 0.3, 1.0])
def test_random_walks_share_what_they_are_reported(shared):
    X = gaussian(7, 50, 400) * np.arange(1, 8)[:, None, None]
    walks = random_walks(X, shared, seed=2)
    assert not np.array_equal(walks, random_walks(X, shared, seed=1))
    np.testing.assert_array_equal(walks[0], X[0])
    np.testing.assert_allclose(steps(walks).lengths, steps(X).lengths)
    np.testing.assert_allclose(step_alignment(walks), shared, atol=0.01)
    directions = np.diff(walks, axis=0) / steps(X).lengths[..., None]
    assert np.linalg.norm(directions.mean((0, 1))) == pytest.approx(shared**0.5, abs=0.1)


def test_group_distances_are_the_average_of_scipys():
    X, labels = gaussian(3, 6, 4), np.array(list("aabbba"))
    same = pdist(labels[:, None] == "a", "hamming") == 0
    D = np.array([pdist(layer, "cosine") for layer in X])
    within, between = group_distances(X, labels)
    np.testing.assert_allclose(within, D[:, same].mean(1))
    np.testing.assert_allclose(between, D[:, ~same].mean(1))


def test_equal_vectors_are_not_apart():
    X = np.repeat(gaussian(2, 1, 300), 4, axis=1)
    within, between = group_distances(X, [0, 0, 1, 1])
    assert within.tolist() == between.tolist() == [0, 0]
