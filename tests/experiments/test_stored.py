"""The stored numbers: complete, and from the current settings."""

import json
import re
from dataclasses import asdict

import pytest

from tutorial_book.experiments import shape_of_learning, since, sinks, stored, tokenization
from tutorial_book.experiments.virus import RUNS, trained_again
from tutorial_lib.texts import published
from tutorial_lib.training.recipes import HELD_OUT
from tutorial_lib.weights.catalog import DEFAULT, KNOWN


@pytest.mark.parametrize(
    "name, texts", [("real-texts", ["wikipedia", "tweets"]), ("luisto-pairs", ["luisto-pairs"])]
)
def test_stored_numbers_name_model_and_texts(name, texts):
    found = stored(name)
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found["date"]) and {"torch", "numpy"} < set(found["versions"])
    assert found["model"] == {"name": DEFAULT, "sha256": KNOWN[DEFAULT].sha256}
    sources = [source for name in texts for source in published.SOURCES[name]]
    assert found["sources"] == {source.file: source.sha256 for source in sources}
    assert stored("cased-vocabulary")["sources"] == KNOWN[tokenization.NAME].vocabulary_sha256


@pytest.mark.parametrize("name, module, n_settings", [("since", since, 10), ("sinks", sinks, 12)])
def test_stored_numbers_carry_the_settings_of_today(name, module, n_settings):
    kept = stored(name)
    settings = {name: getattr(module, name) for name in kept["settings"] if name != "training"}
    assert len(settings) == n_settings and list(kept["kinds"]) == list(module.KINDS)
    assert kept["settings"] == json.loads(json.dumps(settings | {"training": asdict(module.SETTINGS)}))


@pytest.mark.parametrize("name, loss", [("since", "as it is"), ("sinks", "loss"), ("shape-of-learning", "loss")])
def test_losses_of_all_seeds_are_stored_in_nats(name, loss):
    for values in stored(name, ["kinds"])["kinds"].values():
        assert len(values[loss]) == 5 and 0 < values[loss].min() < values[loss].max() < 8


def test_derived_numbers_are_those_of_today():
    counts = {kind: since.n_parameters(since.new_model(kind, 0)) for kind in since.KINDS}
    assert stored("since")["parameters"] == counts and max(counts.values()) < 1.005 * min(counts.values())
    judged = sinks.letters(HELD_OUT, sinks.N_JUDGED)
    assert stored("sinks")["floor"] == pytest.approx(sinks.floor(judged), abs=1e-4)
    assert stored("shape-of-learning")["steps"] == list(shape_of_learning.STEPS)
    assert list(trained_again()) == list(RUNS)
