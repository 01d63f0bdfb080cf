"""The recipe of the stored measurements writes what the library reads."""

import json

import pytest

measure_texts = pytest.importorskip("measure_texts")

from record import as_json  # noqa: E402

from tutorial_book.experiments import collections as real_texts  # noqa: E402
from tutorial_lib.texts import fetch  # noqa: E402


def test_what_is_written_is_what_is_stored():
    stored = real_texts.stored()
    text = as_json(stored)
    assert json.loads(text) == stored
    assert text == real_texts.FILE.read_text(encoding="utf-8")  # no hand has touched it
    assert max(map(len, text.splitlines())) < 20_000 and text.count("\n") < 500


def test_the_record_has_all_that_the_library_asks_for(monkeypatch, tmp_path):
    pairs = {"up-down": [("It went up.", "It went down."), ("A meeting is on.", "A meeting is off.")]}
    monkeypatch.setattr(measure_texts, "load_texts", {"luisto-pairs": pairs}.__getitem__)
    monkeypatch.setattr(measure_texts, "measure", lambda: dict.fromkeys(("texts", "tokens", "clouds", "maps"), {}))
    found = measure_texts.record()
    assert found["pairs"] == {"up-down": 2} and found["meetings"] == 2
    assert "+" not in "".join(found["versions"].values())
    file = tmp_path / "numbers.json"
    file.write_text(as_json(found), encoding="utf-8")
    monkeypatch.setattr(real_texts, "FILE", file)
    assert real_texts.stored() == found


def test_without_the_texts_nothing_is_written(monkeypatch, tmp_path):
    monkeypatch.setenv(fetch.VARIABLE, str(tmp_path))
    with pytest.raises(LookupError, match="'luisto-pairs' is not in the folder"):
        measure_texts.record()
