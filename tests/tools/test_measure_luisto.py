"""The recipe of L's own material writes what the chapters read."""

import json

import numpy as np
import pytest

measure_luisto = pytest.importorskip("measure_luisto")

from tutorial_book.claims.meaning import TABLE_7  # noqa: E402
from tutorial_book.experiments import meaning, tokenization  # noqa: E402
from tutorial_lib.texts import fetch, load_texts  # noqa: E402
from tutorial_lib.vectors import embed  # noqa: E402


@pytest.mark.parametrize("experiment", [meaning, tokenization])
def test_what_is_written_is_what_is_stored(experiment):
    text = measure_luisto.written(experiment.stored())
    assert json.loads(text) == experiment.stored()
    assert text == experiment.FILE.read_text(encoding="utf-8")  # no hand has touched it


def test_the_records_have_all_that_the_chapters_ask_for(monkeypatch, tmp_path):
    monkeypatch.setattr(measure_luisto, "measure", lambda table_7: dict.fromkeys(("pairs", "cls", "mean"), {}))
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


def test_the_six_contrasts_stand_in_l_s_order():
    pairs = [(measure_luisto.SIX[i], measure_luisto.SIX[j]) for i, j in zip(*measure_luisto.PAIRS, strict=True)]
    assert pairs == [(one.lower(), other.lower()) for one, other in TABLE_7]


def test_it_measures_what_it_says(monkeypatch):
    """L's pairs replaced by half of this book's, and with no function of the library between vector and number."""
    pairs = load_texts("sentence-pairs")
    half = {name: pairs[name][:8] for name in measure_luisto.SIX}
    monkeypatch.setattr(measure_luisto, "load_texts", {"luisto-pairs": half, "sentence-pairs": pairs}.__getitem__)
    found = measure_luisto.measure([*TABLE_7.values()], n=2)
    assert found["pairs"] == dict.fromkeys(measure_luisto.SIX, 8)
    arrows = []
    for name in measure_luisto.SIX:
        first, second = (embed([pair[side] for pair in half[name]], pooling="cls").astype(float) for side in (0, 1))
        arrows.append((second - first).mean(0))
    U = np.stack(arrows) / np.linalg.norm(arrows, axis=1, keepdims=True)
    assert found["cls"]["cosines"] == pytest.approx((U @ U.T)[np.triu_indices(6, 1)], abs=2e-3)


def test_l_s_file_gives_the_stored_numbers(monkeypatch, real_folder):
    monkeypatch.setenv(fetch.VARIABLE, str(real_folder))
    now, stored = measure_luisto.measure([*TABLE_7.values()], n=200), meaning.stored()
    assert now["pairs"] == stored["pairs"]
    for pooling in ("cls", "mean"):
        for key, most in (("cosines", 2e-3), ("within", 2e-3), ("correlations", 0.02), ("intervals", 0.03)):
            np.testing.assert_allclose(now[pooling][key], stored[pooling][key], atol=most)
