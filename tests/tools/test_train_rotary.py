"""The recipe of the rotary book-gpt writes what the library reads, and the stored one is what its card names."""

import json
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

train_rotary = pytest.importorskip("train_rotary")

from record import as_json  # noqa: E402

from tutorial_book.experiments.since import ROTARY  # noqa: E402
from tutorial_lib import gpt  # noqa: E402
from tutorial_lib.training.recipes import RECIPES  # noqa: E402
from tutorial_lib.weights import sha256  # noqa: E402

WEIGHTS = ROTARY / "model.safetensors"
pytestmark = pytest.mark.usefixtures("one_thread")


def test_what_is_stored_is_what_was_written_and_its_training_was_book_gpts():
    text = (ROTARY / "curves.json").read_text(encoding="utf-8")
    kept = json.loads(text)
    assert as_json(kept) == text  # no hand has touched it
    assert len(kept["loss"]) == RECIPES["book-gpt"].settings.n_steps
    assert sha256(WEIGHTS) in (ROTARY / "README.md").read_text(encoding="utf-8")
    names = set(load_file(WEIGHTS)) | {"unembedding.weight", "embeddings.positions.weight"}
    assert names == set(gpt.GPT.from_pretrained("book-gpt", device="cpu").state_dict())
    assert WEIGHTS.stat().st_size < 2.1e6


def test_a_short_run_can_be_read(monkeypatch, tmp_path):
    monkeypatch.setattr(train_rotary, "RECIPE", replace(RECIPES["book-gpt-small"], n_stories=50))
    monkeypatch.setattr("tutorial_lib.training.recipes.N_HELD_OUT", 4)
    monkeypatch.setattr("tutorial_lib.training.judge.N_SAMPLES", 2)
    train_rotary.main(tmp_path / "run", tmp_path, until=2)
    kept = json.loads((tmp_path / "curves.json").read_text(encoding="utf-8"))
    assert len(kept["loss"]) == 2 and 4 < kept["held_out"] < 8
    assert {tensor.dtype for tensor in load_file(tmp_path / "model.safetensors").values()} == {torch.float16}
    assert "seed 0, first weights" in (tmp_path / "README.md").read_text(encoding="utf-8")
