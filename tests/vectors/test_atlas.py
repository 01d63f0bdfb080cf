"""A file for Embedding Atlas: places, and neighbors by cosine, the text itself first."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from tests.geometry.clouds import gaussian
from tutorial_lib.vectors import save_atlas

X = gaussian(40, 6)
TEXTS = [f"text {i}" for i in range(40)]


def test_neighbors_are_those_of_scikit_learn(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    save_atlas(tmp_path / "a.parquet", TEXTS, X, X[:, :2], n_neighbors=5, group=["a", "b"] * 20)
    rows = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    distances, ids = NearestNeighbors(n_neighbors=5, metric="cosine").fit(X).kneighbors(X)
    assert [row["text"] for row in rows] == TEXTS and [row["group"] for row in rows[:2]] == ["a", "b"]
    assert [row["neighbors"]["ids"] for row in rows] == ids.tolist()
    np.testing.assert_allclose([row["neighbors"]["distances"] for row in rows], distances, atol=1e-12)
    np.testing.assert_array_equal([[row["x"], row["y"]] for row in rows], X[:, :2])


def test_without_places_umap_finds_them(tmp_path):
    pytest.importorskip("umap")
    parquet = pytest.importorskip("pyarrow.parquet")
    save_atlas(tmp_path / "a.parquet", TEXTS, X)
    table = parquet.read_table(tmp_path / "a.parquet")
    assert len(set(table["x"].to_pylist())) == 40 and len(table["neighbors"][0]["ids"]) == 15


@pytest.mark.parametrize(
    "changed, message",
    [
        (dict(texts=TEXTS[:39]), "X must contain one for each of 39 texts"),
        (dict(places=X[:, :3]), "places must have two coordinates, got 3"),
        (dict(places=X[:9, :2]), "places must contain one for each of 40 texts, got 9"),
        (dict(n_neighbors=41), "n_neighbors must be from 2 to the number of texts, 40"),
        (dict(group=[1]), "group must contain one for each of 40 texts, got 1"),
        (dict(X=np.zeros((40, 2))), "X has no direction|zeros"),
    ],
)
def test_mismatched_arguments_are_rejected(changed, message, tmp_path):
    arguments = dict(path=tmp_path / "a.parquet", texts=TEXTS, X=X, places=X[:, :2]) | changed
    with pytest.raises(ValueError, match=message):
        save_atlas(**arguments)
    assert not list(tmp_path.iterdir())
