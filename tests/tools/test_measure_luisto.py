"""The recipe of L's own material writes what the chapters read."""

import json

import pytest

measure_luisto = pytest.importorskip("measure_luisto")

from tutorial_book.experiments import meaning, tokenization  # noqa: E402
from tutorial_lib.texts import fetch  # noqa: E402


@pytest.mark.parametrize("experiment", [meaning, tokenization])
def test_what_is_written_is_what_is_stored(experiment):
    text = measure_luisto.written(experiment.stored())
    assert json.loads(text) == experiment.stored()
    assert text == experiment.FILE.read_text(encoding="utf-8")  # no hand has touched it


def test_the_records_have_all_that_the_chapters_ask_for(monkeypatch, tmp_path):
    monkeypatch.setattr(meaning, "measure", lambda table_7: dict.fromkeys(("pairs", "cls", "mean"), {}))
    file = tmp_path / "numbers.json"
    file.write_text(measure_luisto.written(measure_luisto.of_pairs()), encoding="utf-8")
    monkeypatch.setattr(meaning, "FILE", file)
    assert set(meaning.stored()) == {"date", "versions", "model", "sources", "pairs", "cls", "mean"}


def test_another_vocabulary_is_refused(tmp_path):
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n")
    with pytest.raises(ValueError, match="vocab.txt is damaged or belongs to another model"):
        measure_luisto.of_vocabulary(tmp_path)


def test_without_the_texts_nothing_is_written(monkeypatch, tmp_path):
    monkeypatch.setenv(fetch.VARIABLE, str(tmp_path))
    with pytest.raises(LookupError, match="'luisto-pairs' is not in the folder"):
        measure_luisto.of_pairs()


def test_lists_stand_on_one_line():
    assert measure_luisto.written({"a": [["x", "y"], [1, 2]]}).split("\n")[2:4] == ['  ["x", "y"],', "  [1, 2]"]
