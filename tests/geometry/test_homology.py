"""Persistent homology on shapes whose pieces and loops are known, and against ranks of matrices over Z/2."""

import sys
from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

from tutorial_lib.geometry import persistence

pytest.importorskip("ripser", reason="needs ripser: pip install ripser")


def circle(n, radius=1.0):
    angle = 2 * np.pi * np.arange(n) / n
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.mark.parametrize("n", [12, 20, 31, 60])
def test_a_circle_has_one_loop_from_its_chord_to_the_side_of_the_first_triangle_around_its_center(n):
    pieces, loops = persistence(circle(n, radius=2.5))
    chord, side = 5 * np.sin(np.pi / n), 5 * np.sin(np.pi * np.ceil(n / 3) / n)
    assert loops[0] == pytest.approx([chord, side], rel=1e-5)
    assert len(pieces) == n and pieces[0].tolist() == [0, np.inf] and pieces[1:, 1] == pytest.approx(chord, rel=1e-5)


def test_the_loop_of_a_circle_of_evenly_spaced_points_is_the_only_one():
    assert [len(persistence(circle(n))[1]) for n in (9, 30, 60)] == [1, 1, 1]


def test_two_blobs_are_two_pieces_until_their_gap_is_bridged():
    blob = np.random.default_rng(0).normal(size=(30, 5))
    X = np.concatenate([blob, blob + 20])
    gap = np.linalg.norm(X[:30, None] - X[None, 30:], axis=-1).min()
    pieces, _ = persistence(X)
    assert pieces[1, 1] == pytest.approx(gap, rel=1e-5) and pieces[2, 1] < gap / 5


def test_a_line_and_a_walk_in_many_dimensions_have_no_loop():
    assert len(persistence(np.arange(40)[:, None] * [1.0, 2.0])[1]) == 0
    walk = np.random.default_rng(0).normal(size=(100, 400)).cumsum(0)
    assert len(persistence(walk)[1]) == 0


def test_a_torus_has_two_long_loops():
    """Every pair of points of two circles: each circle is a loop that nothing fills before its own triangle does."""
    X = np.array([[*a, *b] for a in circle(12) for b in circle(15, radius=1.5)])
    _, loops = persistence(X)
    lengths = loops[:, 1] - loops[:, 0]
    assert sorted(loops[:2, 0]) == pytest.approx([2 * np.sin(np.pi / 12), 3 * np.sin(np.pi / 15)], rel=1e-5)
    assert sorted(loops[:2, 1]) == pytest.approx([3**0.5, 1.5 * 3**0.5], rel=1e-5)
    assert lengths[1] > 1 and (len(lengths) == 2 or lengths[2] < 0.3)


def rank(matrix):
    """The rank over Z/2, by elimination."""
    rows, count = [int("".join(map(str, row)) or "0", 2) for row in matrix], 0
    while rows:
        pivot = rows.pop()
        if pivot:
            count += 1
            low = pivot & -pivot
            rows = [row ^ pivot if row & low else row for row in rows]
    return count


def betti(D, r):
    """How many pieces and loops the Vietoris-Rips complex at r has, by its boundary matrices."""
    corners = range(len(D))
    edges = [pair for pair in combinations(corners, 2) if D[pair] <= r]
    triangles = [three for three in combinations(corners, 3) if all(pair in edges for pair in combinations(three, 2))]
    of_edges = rank([[int(corner in edge) for edge in edges] for corner in corners])
    of_triangles = rank([[int(set(edge) <= set(three)) for three in triangles] for edge in edges])
    return len(D) - of_edges, len(edges) - of_edges - of_triangles


@pytest.mark.parametrize("seed", range(6))
def test_as_many_live_at_each_distance_as_the_boundary_matrices_say(seed):
    X = np.random.default_rng(seed).normal(size=(8 + seed % 3, 2 + seed % 2))
    if seed == 0:
        X = circle(9)[:8] + 0.1 * X  # a loop that lives long
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    scales = np.unique(D[np.triu_indices(len(D), 1)])
    between = [scales[0] / 2, *((scales[1:] + scales[:-1]) / 2), scales[-1] + 1]
    alive = [tuple(int(((bar[:, 0] <= r) & (r < bar[:, 1])).sum()) for bar in persistence(X)) for r in between]
    assert alive == [betti(D, r) for r in between]
    assert max(loops for _, loops in alive) >= (seed == 0)


def test_pieces_join_where_single_linkage_joins_them():
    X = np.random.default_rng(3).normal(size=(40, 6))
    joins = np.sort(linkage(X, "single")[:, 2])[::-1]
    assert persistence(X)[0][1:, 1] == pytest.approx(joins, rel=1e-5)


def test_the_longest_comes_first_and_equal_points_are_one_piece():
    pieces, loops = persistence(np.random.default_rng(1).normal(size=(60, 2)))
    assert len(loops) > 3 and (np.diff(loops[:, 1] - loops[:, 0]) <= 0).all() and (np.diff(pieces[1:, 1]) <= 0).all()
    pieces, _ = persistence([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    assert pieces.tolist() == [[0, np.inf], [0, 1]]


def test_mistakes_are_named(monkeypatch):
    with pytest.raises(ValueError, match="X must hold at least two different vectors"):
        persistence(np.ones((5, 2)))
    monkeypatch.setitem(sys.modules, "ripser", None)
    with pytest.raises(ModuleNotFoundError, match="needs the package ripser: pip install ripser"):
        persistence(circle(5))
