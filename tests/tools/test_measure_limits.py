"""The recipe of the stored numbers on LIMIT-small and on free vectors writes what the library reads."""

import json

import pytest

measure_limits = pytest.importorskip("measure_limits")

from record import as_json  # noqa: E402

from tutorial_book.experiments import limits  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_what_is_stored_is_what_is_written():
    text = limits.STORED.read_text(encoding="utf-8")
    assert as_json(json.loads(text)) == text  # no hand has touched it


def test_a_short_record_can_be_read(monkeypatch, tmp_path):
    texts, questions, pairs = limits.profiles(2)
    names = [text.split()[0] for text in texts]
    lines = {
        "corpus": [{"_id": name, "title": "", "text": text} for name, text in zip(names, texts, strict=True)],
        "queries": [{"_id": question, "text": question} for question in questions],
        "qrels": [{"query-id": question, "corpus-id": names[one], "score": 1}
                  for question, pair in zip(questions, pairs, strict=True) for one in pair],
    }  # fmt: skip
    for name, entries in lines.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    assert measure_limits.limit_small(tmp_path) == (texts, questions, pairs.tolist())
    monkeypatch.setattr(measure_limits, "critical", lambda d, seed, start: max(start, d + seed))
    file = tmp_path / "numbers.json"
    file.write_text(as_json(measure_limits.record(tmp_path, (2, 3))), encoding="utf-8")
    monkeypatch.setattr(limits, "STORED", file)
    kept = limits.stored()
    assert kept["critical"] == {"dimensions": [2, 3], "seed 0": [2, 3], "seed 1": [3, 4]}
    scores = kept["limit-small"]
    assert scores["texts"] == 46 and scores["recall"]["words (BM25)"] == [1, 1, 1]
    assert scores["recall"]["mean of the last layer"][0] > 0.8
