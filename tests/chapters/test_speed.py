"""The page on speed: the stored runs are complete and unedited, and contain everything that is judged."""

import json

import pytest

from tutorial_book.experiments import STORED, stored

JUDGED = {  # subject, peer, and the limit that the project has set itself
    ("forward", "transformers, sdpa", 0.85),
    ("forward", "transformers, sdpa", 1.0),
    ("embed", "sentence-transformers", 0.6),
    ("embed", "ONNX Runtime, float32", 1.0),
    ("all_pairs", "half the bare product", 1.3),
    ("two_nn", "scikit-dimension", 0.25),
    ("two_nn", "FAISS, exact search", 1.2),
    ("spectrum", "full SVD", 0.1),
    ("streaming", "reading and one product", 2.0),
}
LIVE = {("live", "onnxruntime-web, int8", 0.85), ("live", "plain JavaScript", 0.25)}  # not in runs without npm


@pytest.mark.parametrize("run", stored("speed")["runs"], ids=lambda run: run["date"])
def test_stored_runs_have_each_comparison_with_its_limit(run):
    judged = {(row["subject"], row["peer"], row["limit"]) for row in run["comparisons"] if row["limit"] is not None}
    assert judged - LIVE == JUDGED


def test_no_hand_has_touched_the_file():
    text = (STORED / "speed.json").read_text(encoding="utf-8")
    assert json.dumps(json.loads(text), indent=1) + "\n" == text
