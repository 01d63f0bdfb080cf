"""Paths through the layers: what a step is made of, random walks as control, and when groups part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from tutorial_lib.geometry.paths import group_distances, random_walks, step_alignment, steps


def cloud(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@given(st.integers(0, 2**31), st.floats(0.1, 10), st.integers(2, 40))
def test_a_step_is_a_radial_part_and_a_turn(seed, scale, d):
    X = cloud(4, 3, d, seed=seed) * scale
    norms, lengths, cosines, radial = steps(X)
    turn = 2 * norms[1:] * norms[:-1] * (1 - cosines)
    np.testing.assert_allclose(lengths**2, np.diff(norms, axis=0) ** 2 + turn, atol=1e-9)
    np.testing.assert_allclose(radial, np.diff(norms, axis=0) ** 2 / lengths**2)
    assert (radial <= 1 + 1e-12).all()


def test_steps_are_scipy_s_distances_and_cosines():
    X = cloud(5, 8)
    _, lengths, cosines, _ = steps(X)
    for i in range(4):
        assert lengths[i] == pytest.approx(cdist(X[i : i + 1], X[i + 1 : i + 2])[0, 0])
        assert cosines[i] == pytest.approx(1 - cdist(X[i : i + 1], X[i + 1 : i + 2], "cosine")[0, 0])


def test_a_path_away_from_the_origin_is_all_radial_and_one_around_it_not_at_all():
    out, around = np.array([[1.0, 2], [2, 4], [3, 6]]), np.array([[0.0, 5], [3, 4], [5, 0]])
    np.testing.assert_allclose(steps(out).radial, 1)
    np.testing.assert_allclose(steps(around).radial, 0, atol=1e-12)
    assert steps([[1.0, 0], [1, 0]]).radial.tolist() == [0]


def test_step_alignment_is_the_average_over_a_double_loop():
    X = cloud(4, 5, 7)
    H = np.diff(X, axis=0)
    for i, value in enumerate(step_alignment(X)):
        cosines = [1 - cdist(H[i, j : j + 1], H[i, k : k + 1], "cosine")[0, 0] for j in range(5) for k in range(j)]
        assert value == pytest.approx(np.mean(cosines))


def test_paths_moved_apart_go_together_as_before():
    X = cloud(4, 5, 7)
    np.testing.assert_allclose(step_alignment(X + 10 * cloud(5, 7, seed=1)), step_alignment(X))


@pytest.mark.parametrize("shared", [0.0, 0.3, 1.0])
def test_random_walks_keep_starts_and_lengths_and_share_as_much_as_they_are_told(shared):
    X = cloud(7, 50, 400)
    walks = random_walks(X, shared=shared, seed=2)
    assert np.array_equal(walks[0], X[0])
    np.testing.assert_allclose(steps(walks).lengths, steps(X).lengths)
    np.testing.assert_allclose(step_alignment(walks), shared, atol=0.01)
    along = np.diff(walks, axis=0).mean((0, 1))
    assert np.linalg.norm(along) / steps(X).lengths.mean() == pytest.approx(shared**0.5, abs=0.1)


def test_random_walks_are_the_seed_s():
    X = cloud(3, 4)
    assert np.array_equal(random_walks(X, seed=1), random_walks(X, seed=1))
    assert not np.array_equal(random_walks(X, seed=1), random_walks(X, seed=2))


def test_group_distances_are_the_average_of_scipy_s_cosine_distances():
    X, labels = cloud(3, 6, 4), np.array(list("aabbba"))
    within, between = group_distances(X, labels)
    for i in range(3):
        D = cdist(X[i], X[i], "cosine")
        pairs = [(j, k) for j in range(6) for k in range(j)]
        assert within[i] == pytest.approx(np.mean([D[p] for p in pairs if labels[p[0]] == labels[p[1]]]))
        assert between[i] == pytest.approx(np.mean([D[p] for p in pairs if labels[p[0]] != labels[p[1]]]))


def test_equal_vectors_are_not_apart():
    X = np.repeat(cloud(2, 1, 300), 4, axis=1)
    within, between = group_distances(X, [0, 0, 1, 1])
    assert within.tolist() == between.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: steps([[0.0, 0], [1, 1]]), "paths must have no row of zeros"),
        (lambda: steps([1.0, 2]), r"paths must have shape \(n_layers \+ 1, ..., d\), got \(2,\)"),
        (lambda: steps([[np.nan, 1]]), "paths must be finite, got 1 values"),
        (lambda: step_alignment(cloud(3, 4)), r"paths must have shape \(n_layers \+ 1, n, d\)"),
        (lambda: step_alignment(cloud(3, 1, 4)), "must be a matrix of 2 or more vectors"),
        (lambda: step_alignment(np.ones((3, 2, 4))), "no row of zeros"),
        (lambda: random_walks(cloud(3, 4), shared=2), "shared must be a share from 0 to 1, got 2"),
        (lambda: group_distances(cloud(3, 4, 5), [0, 0, 0, 0]), r"2 groups or more.*got groups of \[4\]"),
        (lambda: group_distances(cloud(3, 4, 5), [0, 0, 0, 1]), r"2 paths or more each, got groups of \[3, 1\]"),
        (lambda: group_distances(cloud(3, 4, 5), [0, 1]), "labels must be one for each path"),
    ],
)
def test_what_cannot_be_measured_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_words_are_no_paths():
    with pytest.raises(TypeError, match="paths must be an array of real numbers"):
        steps(["mouse"])
