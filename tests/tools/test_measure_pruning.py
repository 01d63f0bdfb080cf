"""The recipe of the stored losses of pruned models writes what the library reads."""

import json

import numpy as np
import pytest

measure_pruning = pytest.importorskip("measure_pruning")

from record import as_json  # noqa: E402

from tutorial_book.experiments import questions  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_what_is_stored_is_what_is_written():
    text = questions.PRUNED.read_text(encoding="utf-8")
    assert as_json(json.loads(text)) == text  # no hand has touched it


def test_a_short_record_can_be_read(monkeypatch, tmp_path):
    monkeypatch.setattr(measure_pruning, "prune", lambda model, share, seed: model)  # tested on its own
    file = tmp_path / "numbers.json"
    file.write_text(as_json(measure_pruning.record((0, 0.5), 6, 4)), encoding="utf-8")
    monkeypatch.setattr(questions, "PRUNED", file)
    kept = questions.pruned_stored()
    assert kept["texts"] == {"loss": 4, "neighbors": 12} and "+" not in "".join(kept["versions"].values())
    for name in ("loss", "neighbors"):
        assert np.shape(list(kept[name]["curves"].values())) == (3, 2, 3)
        assert np.shape(kept[name]["difference"]) == (2, 3) and not np.any(kept[name]["difference"])


def test_neighbors_are_those_of_both_clouds():
    X = np.eye(4) + 0.1
    assert measure_pruning.same_neighbors(X, X, k=1).tolist() == [1] * 4
    line = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1]])
    assert measure_pruning.same_neighbors(line, line[[0, 2, 1, 3]], k=1).mean() < 1
