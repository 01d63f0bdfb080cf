"""Nearest neighbors: the fast tiles against the definition."""

import numpy as np
import pytest

from tests.geometry.clouds import gaussian
from tutorial_lib.geometry import nearest_neighbors, tiles
from tutorial_lib.geometry.neighbors import nearest_by_definition

# Their distances are below the rounding of |x|^2 + |y|^2 - 2 x y, so the fast pass cannot distinguish them.
NEAR_COPIES = np.repeat(1000 * gaussian(6, 40), 20, axis=0) + 1e-9 * gaussian(120, 40, seed=1)
CLOUDS = {
    "near copies": NEAR_COPIES,
    "one far": np.concatenate([gaussian(400, 10), np.full((1, 10), 1e9)]),
    "small beside large": np.r_[np.arange(1.0, 20.0) ** 2 * 1e-30, 1.0][:, None],
    "a line": gaussian(4, 1),
    "a group and one": gaussian(17, 7),
    "whole groups": gaussian(256, 7),
    "three tiles": gaussian(700, 7),
    "a grid": np.stack(np.meshgrid(*[np.arange(6.0)] * 3), axis=-1).reshape(-1, 3),
    "opposites": np.concatenate([gaussian(20, 3), -gaussian(20, 3)]),
}


def test_the_definition_is_a_double_loop():
    X = gaussian(12, 3)
    distances, indices = nearest_by_definition(X, 4)
    for i, x in enumerate(X):
        others = sorted((np.linalg.norm(x - y), j) for j, y in enumerate(X) if j != i)[:4]
        assert distances[i] == pytest.approx([distance for distance, _ in others])
        assert indices[i].tolist() == [j for _, j in others]


@pytest.mark.parametrize("X", CLOUDS.values(), ids=CLOUDS)
def test_tiles_find_what_the_definition_says(X, monkeypatch):
    monkeypatch.setattr(tiles, "TILE", 256)
    for k in (1, 2, min(9, len(X) - 1)):
        fast, plain = nearest_neighbors(X, k), nearest_by_definition(X, k)
        np.testing.assert_allclose(fast[0], plain[0], rtol=1e-9)
        # Others may be equally near: then their distance is equal, if not their number.
        np.testing.assert_allclose(np.linalg.norm(X[fast[1]] - X[:, None], axis=-1), plain[0], rtol=1e-9)
        assert all(len({i, *row}) == k + 1 for i, row in enumerate(fast[1].tolist()))


def test_small_tiles_give_what_large_ones_give(monkeypatch):
    X = gaussian(257, 12)
    whole = nearest_neighbors(X, 3)
    monkeypatch.setattr(tiles, "TILE", 32)
    for ours, theirs in zip(nearest_neighbors(X, 3), whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("size", [2.0**-300, 2.0**300])
def test_distances_are_in_the_unit_of_the_cloud(size):
    X = gaussian(40, 3)
    np.testing.assert_array_equal(nearest_neighbors(size * X)[0], size * nearest_neighbors(X)[0])


@pytest.mark.parametrize("X, dtypes", [(gaussian(300, 20), [32]), (NEAR_COPIES, [32, 64])], ids=["clear", "copies"])
def test_only_rows_in_doubt_are_searched_again(X, dtypes, monkeypatch):
    searches, search = [], tiles._candidates
    monkeypatch.setattr(tiles, "_candidates", lambda *args: searches.append(args[-1].itemsize * 8) or search(*args))
    nearest_neighbors(X)
    assert searches == dtypes
