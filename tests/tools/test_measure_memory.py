"""The recipe of the stored memories writes what the library reads."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

measure_memory = pytest.importorskip("measure_memory")

from record import as_json  # noqa: E402

from tutorial_book.experiments import positions  # noqa: E402
from tutorial_lib.texts.generated import stories  # noqa: E402
from tutorial_lib.tokenization import BPE  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_what_is_stored_is_what_is_written():
    text = positions.FILE.read_text(encoding="utf-8")
    assert as_json(json.loads(text)) == text  # no hand has touched it


@pytest.mark.long
def test_a_short_record_can_be_read_and_nothing_is_remembered_yet(monkeypatch, tmp_path):
    kinds = dict.fromkeys(("LSTM", "decoder"), replace(measure_memory.SETTINGS, n_steps=2))
    file = tmp_path / "numbers.json"
    file.write_text(as_json(measure_memory.record(60, 150, kinds)), encoding="utf-8")
    monkeypatch.setattr(positions, "FILE", file)
    kept = positions.stored()
    lstm, decoder = (kept["kinds"][kind] for kind in kinds)
    assert abs(lstm["parameters"] - decoder["parameters"]) < 0.001 * decoder["parameters"]
    for one in (lstm, decoder):
        assert np.shape(one["gains"]) == (2, len(kept["starts"]), 3) and np.abs(one["gains"]).max() < 0.1
    assert len(kept["cases"]) == len(kept["starts"]) == len(kept["difference"])


@pytest.fixture(scope="module")
def cases():
    return measure_memory.second_mentions(stories(60, seed=1), BPE.from_pretrained("book-gpt"))


@torch.no_grad()
def test_an_lstm_sees_nothing_that_comes_later():
    torch.manual_seed(0)
    model = measure_memory.LSTM(50, 8, 6)
    ids = torch.arange(10)
    whole, _ = model(ids[None])
    start, _ = model(ids[None, :4])
    assert whole.shape == (1, 10, 50) and torch.allclose(whole[:, :4], start, atol=1e-6)


def test_in_a_case_one_token_is_exchanged_so_many_before_the_name(cases):
    assert len(cases) > 20
    for ids, swapped, name, distance in cases:
        [place] = [i for i, (a, b) in enumerate(zip(ids, swapped, strict=True)) if a != b]
        assert len(ids) - place == distance and name not in swapped


def test_what_copies_the_first_mention_gains_and_what_has_forgotten_does_not(cases):
    def copies(ids, fused):
        logits = torch.zeros(2, len(ids[0]), 1_500)
        for row, one in enumerate(ids):
            logits[row, -1, one] = 5.0  # whatever has been read is likelier
        return logits, None

    def forgets(ids, fused):
        return torch.zeros(2, len(ids[0]), 1_500), None

    gained = measure_memory.recall(copies, cases)
    assert (gained >= -1e-5).all() and gained.mean() > 1  # nothing is lost but by rounding
    assert not np.any(measure_memory.recall(forgets, cases))
