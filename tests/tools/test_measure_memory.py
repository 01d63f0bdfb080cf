"""The recipe of the stored memories writes what the library reads."""

import json
from dataclasses import replace

import numpy as np
import pytest

measure_memory = pytest.importorskip("measure_memory")

from tutorial_book.experiments import positions  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_what_is_stored_is_what_is_written():
    text = positions.FILE.read_text(encoding="utf-8")
    assert measure_memory.written(json.loads(text)) == text  # no hand has touched it


@pytest.mark.long
def test_a_short_record_can_be_read_and_nothing_is_remembered_yet(monkeypatch, tmp_path):
    kinds = dict.fromkeys(("LSTM", "decoder"), replace(measure_memory.SETTINGS, n_steps=2))
    file = tmp_path / "numbers.json"
    file.write_text(measure_memory.written(measure_memory.record(60, 150, kinds)), encoding="utf-8")
    monkeypatch.setattr(positions, "FILE", file)
    kept = positions.stored()
    lstm, decoder = (kept["kinds"][kind] for kind in kinds)
    assert abs(lstm["parameters"] - decoder["parameters"]) < 0.001 * decoder["parameters"]
    for one in (lstm, decoder):
        assert np.shape(one["gains"]) == (2, len(kept["starts"]), 3) and np.abs(one["gains"]).max() < 0.1
    assert len(kept["cases"]) == len(kept["starts"]) == len(kept["difference"])
