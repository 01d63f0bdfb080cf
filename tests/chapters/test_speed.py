"""What the page on speed shows: the stored runs are whole, no hand has touched them, and they hold what is judged."""

import json

import pytest

from tutorial_book.experiments import speed

JUDGED = {  # subject and peer -> the limits that the project has set itself
    ("forward", "transformers, sdpa"): {0.85, 1.0},
    ("embed", "sentence-transformers"): {0.6},
    ("embed", "ONNX Runtime, float32"): {1.0},
    ("all_pairs", "half the bare product"): {1.3},
    ("two_nn", "scikit-dimension"): {0.25},
    ("two_nn", "FAISS, exact search"): {1.2},
    ("spectrum", "full SVD"): {0.1},
    ("streaming", "reading and one product"): {2.0},
}


@pytest.mark.parametrize("run", speed.stored(), ids=lambda run: run["date"])
def test_a_run_holds_each_judged_comparison_with_its_limit(run):
    found = {}
    for row in run["comparisons"]:
        if row["limit"] is not None:
            found.setdefault((row["subject"], row["peer"]), set()).add(row["limit"])
    live = found.pop(("live", "onnxruntime-web, int8"), {0.85}), found.pop(("live", "plain JavaScript"), {0.25})
    assert found == JUDGED and live == ({0.85}, {0.25})  # runs without npm, or before the live model, have none


@pytest.mark.parametrize("run", speed.stored(), ids=lambda run: run["date"])
def test_a_ratio_lies_between_its_quartiles_and_its_verdict_follows_from_its_limit(run):
    for row in run["comparisons"]:
        assert row["low"] <= row["ratio"] <= row["high"] and row["pairs"] >= 3
        assert row["passed"] is (None if row["limit"] is None else row["ratio"] <= row["limit"])


def test_no_hand_has_touched_the_file():
    text = speed.FILE.read_text(encoding="utf-8")
    assert json.dumps(json.loads(text), indent=1) + "\n" == text


def test_no_two_runs_are_of_the_same_version_and_machine():
    kinds = [speed.which(run) for run in speed.stored()]
    assert len(set(kinds)) == len(kinds)


@pytest.mark.parametrize("text", ["{}", '{"runs": [{"date": "2026-01-01"}]}'])
def test_a_damaged_file_is_told(text, tmp_path, monkeypatch):
    monkeypatch.setattr(speed, "FILE", tmp_path / "speed.json")
    speed.FILE.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="python benchmarks --keep"):
        speed.stored()
