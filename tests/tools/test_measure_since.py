"""The recipe of the stored small decoders writes what the library reads."""

import json

import pytest

measure_since = pytest.importorskip("measure_since")

from record import as_json  # noqa: E402

from tutorial_book.experiments import since  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_what_is_stored_is_what_is_written():
    text = since.FILE.read_text(encoding="utf-8")
    assert as_json(json.loads(text)) == text  # no hand has touched it


@pytest.mark.long
def test_a_short_record_can_be_read(monkeypatch, tmp_path):
    monkeypatch.setattr(since, "N_JUDGED", 10)
    since.pieces.cache_clear()
    found = measure_since.record(("Llama's shape", "learned positions"), range(2), until=2)
    since.pieces.cache_clear()
    file = tmp_path / "numbers.json"
    file.write_text(as_json(found), encoding="utf-8")
    monkeypatch.setattr(since, "FILE", file)
    kept = since.stored()
    assert list(kept["kinds"]) == list(kept["parameters"]) == ["Llama's shape", "learned positions"]
    llama = kept["kinds"]["Llama's shape"]
    n = since.N_LONG // since.N_PLACES
    assert {name: llama[name].shape for name in ("as it is", "window", "closer")} == dict.fromkeys(
        ("as it is", "window", "closer"), (2, n)
    )
    assert llama["heads"]["size"].shape == llama["heads"]["distance, untrained"].shape == (2, 8, 8)
    assert llama["heads"]["without turning"].shape == (2, 8)
    assert (llama["as it is"] > 5).all()  # it knows nothing yet: log 512 = 6.2
