"""The numbers that are stored: whole, from the settings of today, and refused where a file is damaged."""

import json
import re
from dataclasses import asdict

import pytest

from tutorial_book.experiments import (
    collections,
    limits,
    meaning,
    questions,
    shape_of_learning,
    since,
    sinks,
    survived,
    tokenization,
    which,
)
from tutorial_book.experiments.virus import again
from tutorial_lib.texts import published
from tutorial_lib.training.recipes import HELD_OUT
from tutorial_lib.weights.catalog import DEFAULT, KNOWN

READERS = [  # who reads, where the path stands, which program writes the file
    (collections, "stored", "FILE", "texts"),
    (limits, "stored", "STORED", "limits"),
    (meaning, "stored", "FILE", "luisto"),
    (questions, "pruned_stored", "PRUNED", "pruning"),
    (shape_of_learning, "stored", "FILE", "learning"),
    (since, "stored", "FILE", "since"),
    (sinks, "stored", "FILE", "sinks"),
    (survived, "stored", "FILE", "survived"),
    (tokenization, "stored", "FILE", "luisto"),
    (which, "stored", "FILE", "which"),
    (again, "trained_again", "FILE", "virus"),
    (again, "unequal", "UNEQUAL", "unequal"),
]


@pytest.mark.parametrize("module, read, file, program", READERS, ids=lambda value: getattr(value, "__name__", None))
def test_damaged_files_are_refused(module, read, file, program, monkeypatch, tmp_path):
    kept = json.loads(getattr(module, file).read_text(encoding="utf-8"))
    kept.popitem()
    if read == "trained_again":
        kept = {"runs": [{"name": "book-virus", "seed": 0, "tree": 0, "measured": {}}]}
    (tmp_path / "numbers.json").write_text(json.dumps(kept), encoding="utf-8")
    monkeypatch.setattr(module, file, tmp_path / "numbers.json")
    with pytest.raises(ValueError, match=rf"numbers.json lacks .*: write it again: .* measure {program}"):
        getattr(module, read)()


@pytest.mark.parametrize(
    "module, texts", [(collections, ["wikipedia", "tweets", "luisto-pairs"]), (meaning, ["luisto-pairs"])]
)
def test_stored_numbers_name_model_and_texts(module, texts):
    found = module.stored()
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found["date"]) and {"torch", "numpy"} < set(found["versions"])
    assert found["model"] == {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256}
    sources = [source for name in texts for source in published.SOURCES[name]]
    assert found["sources"] == {source.file: source.sha256 for source in sources}
    assert tokenization.stored()["sources"] == KNOWN[tokenization.NAME].vocabulary_sha256


@pytest.mark.parametrize("module, n_settings", [(since, 10), (sinks, 12)])
def test_stored_numbers_carry_the_settings_of_today(module, n_settings):
    kept = module.stored()
    settings = {name: getattr(module, name) for name in kept["settings"] if name != "training"}
    assert len(settings) == n_settings and list(kept["kinds"]) == list(module.KINDS)
    assert kept["settings"] == json.loads(json.dumps(settings | {"training": asdict(module.SETTINGS)}))


@pytest.mark.parametrize("module, name", [(since, "as it is"), (sinks, "loss"), (shape_of_learning, "loss")])
def test_losses_of_all_seeds_are_stored_in_nats(module, name):
    for values in module.stored()["kinds"].values():
        assert len(values[name]) == len(module.SEEDS) and 0 < values[name].min() < values[name].max() < 8


def test_derived_numbers_are_those_of_today():
    counts = {kind: since.n_parameters(since.new_model(kind, 0)) for kind in since.KINDS}
    assert since.stored()["parameters"] == counts and max(counts.values()) < 1.005 * min(counts.values())
    judged = sinks.letters(HELD_OUT, sinks.N_JUDGED)
    assert sinks.stored()["floor"] == pytest.approx(sinks.floor(judged), abs=1e-4)
    assert shape_of_learning.stored()["steps"] == list(shape_of_learning.STEPS)
