"""Texts with their vectors' neighbors and positions in a plane, in a file for Embedding Atlas."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from tutorial_lib import geometry
from tutorial_lib.arguments import check_path, check_texts, needed, whole_number
from tutorial_lib.atomic import beside
from tutorial_lib.geometry.arrays import as_vectors


def save_atlas(
    path: str | os.PathLike, texts: Sequence[str], X, places=None, n_neighbors: int = 15, **columns: Sequence
) -> None:
    """Write a Parquet file for `embedding-atlas FILE --text text --x x --y y --neighbors neighbors`.

    texts: n; X (n, d): their vectors, from `embed`. places (n, 2): their positions in the picture; None calls
    `geometry.umap` on the unit vectors. n_neighbors: including the text itself, at most n; the nearest by cosine,
    exact, with 1 - cosine as the distance. columns: other values for each text, by name. Raises ValueError, by name,
    for invalid arguments, ModuleNotFoundError without pyarrow.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_atlas(f"{folder}/bears.parquet", ["A bear.", "Two bears."], np.eye(2), np.eye(2), 2, n=[1, 2])
    ...     os.listdir(folder)
    ['bears.parquet']
    """
    path = check_path("path", path)
    texts = check_texts("texts", texts)
    U = geometry.similarity.unit(as_vectors("X", X))  # imports SciPy, which `embed` does not need
    places = geometry.umap(U) if places is None else as_vectors("places", places)
    if places.shape[1] != 2:
        raise ValueError(f"places must have two coordinates, got {places.shape[1]}")
    k = whole_number("n_neighbors", n_neighbors, 2, f"from 2 to the number of texts, {len(texts)}", len(texts))
    for name, values in {"X": U, "places": places, **columns}.items():
        if len(values) != len(texts):
            raise ValueError(f"{name} must have one entry per text, {len(texts)}, got {len(values)}")
    with needed("pyarrow", "Parquet"):
        import pyarrow
        from pyarrow.parquet import write_table

    distances, ids = geometry.nearest_neighbors(U, k - 1)
    found = zip(ids.tolist(), (distances**2 / 2).tolist(), strict=True)  # of unit vectors |u - v|^2 = 2 (1 - cosine)
    neighbors = [{"ids": [i, *near], "distances": [0.0, *far]} for i, (near, far) in enumerate(found)]
    x, y = np.asarray(places, dtype=float).T
    with beside(path) as part:
        write_table(pyarrow.table({**columns, "text": texts, "x": x, "y": y, "neighbors": neighbors}), part)
