"""The recipe of the stored small decoders writes what the library reads."""

import json

import pytest

measure_sinks = pytest.importorskip("measure_sinks")

from record import as_json  # noqa: E402

from tutorial_book.experiments import sinks  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_what_is_stored_is_what_is_written():
    text = sinks.FILE.read_text(encoding="utf-8")
    assert as_json(json.loads(text)) == text  # no hand has touched it


def test_a_short_record_can_be_read_after_each_seed(monkeypatch, tmp_path):
    monkeypatch.setattr(sinks, "N_JUDGED", 10)
    file = tmp_path / "numbers.json"
    monkeypatch.setattr(sinks, "FILE", file)
    two = ("pre-norm, plain", "post-norm, clipped")
    for n, found in enumerate(measure_sinks.record(two, range(2), until=2), 1):
        file.write_text(as_json(found), encoding="utf-8")
        kept = sinks.stored()
        assert list(kept["kinds"]) == list(two)
        assert kept["kinds"][two[0]]["loss"].shape == (n, 2)
    assert n == 2
    assert (kept["kinds"][two[0]]["loss"] > 2.5).all()  # it knows nothing yet: log 28 = 3.3
    assert kept["kinds"][two[1]]["peak, untrained"].shape == (2, sinks.N_LAYERS)
