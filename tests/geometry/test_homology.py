"""Persistent homology on shapes whose pieces and loops are known, and against single linkage."""

import sys

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import persistence

pytest.importorskip("ripser", reason="needs ripser: pip install ripser")


def circle(n, radius=1.0):
    angle = 2 * np.pi * np.arange(n) / n
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.mark.parametrize("n", [9, 20, 31, 60])
def test_a_circle_has_one_loop(n):
    """From the chord to the side of the first triangle around the center."""
    pieces, loops = persistence(circle(n, radius=2.5))
    chord, side = 5 * np.sin(np.pi / n), 5 * np.sin(np.pi * np.ceil(n / 3) / n)
    np.testing.assert_allclose(loops, [[chord, side]], rtol=1e-5)
    assert len(pieces) == n and pieces[0].tolist() == [0, np.inf]
    assert pieces[1:, 1] == pytest.approx(chord, rel=1e-5)


def test_a_torus_has_two_long_loops():
    """Every pair of points of two circles: each circle is a loop that nothing fills before its own triangle does."""
    X = np.array([[*a, *b] for a in circle(12) for b in circle(15, radius=1.5)])
    _, loops = persistence(X)
    lengths = loops[:, 1] - loops[:, 0]
    assert sorted(loops[:2, 0]) == pytest.approx([2 * np.sin(np.pi / 12), 3 * np.sin(np.pi / 15)], rel=1e-5)
    assert sorted(loops[:2, 1]) == pytest.approx([3**0.5, 1.5 * 3**0.5], rel=1e-5)
    assert lengths[1] > 1 and (lengths[2:] < 0.3).all()


def test_pieces_join_where_single_linkage_joins_them():
    X = gaussian(60, 2, seed=1)
    pieces, loops = persistence(X)
    joins = np.sort(linkage(X, "single")[:, 2])[::-1]  # the longest first
    assert pieces[1:, 1] == pytest.approx(joins, rel=1e-5)
    pieces, _ = persistence([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]])  # equal points are one
    assert pieces.tolist() == [[0, np.inf], [0, 1]]
    assert len(loops) > 3 and (np.diff(loops[:, 1] - loops[:, 0]) <= 0).all()


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ripser", None)
    with pytest.raises(ModuleNotFoundError, match="needs the package ripser: pip install ripser"):
        persistence(circle(5))
