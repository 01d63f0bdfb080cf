"""The tool trains each run in a folder of its own, and the shipped models measured now give what is stored."""

import json
from datetime import date

import pytest

measure_virus = pytest.importorskip("measure_virus")

from tutorial_book.experiments.virus import Run, again, kmer_tokenizer, simulate, trained_again  # noqa: E402
from tutorial_lib.training.recipes import Recipe  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


def test_each_run_is_trained_by_its_recipe_on_its_tree(monkeypatch, tmp_path, capsys):
    made, trees = [], []
    monkeypatch.setattr(Recipe, "make", lambda recipe, name, folder: made.append((name, folder, recipe)))
    monkeypatch.setattr(measure_virus.VariantBert, "from_pretrained", lambda folder, device: folder)
    monkeypatch.setattr(measure_virus, "simulate", lambda seed: trees.append(seed))
    monkeypatch.setattr(measure_virus, "measured", lambda *_: {"lineages": 0.123456})
    runs = (Run("book-virus", seed=1), Run("book-virus", tree=2))
    found = measure_virus.record(tmp_path, runs)
    assert made == [("book-virus", tmp_path / "seed1-tree0", runs[0].recipe),
                    ("book-virus", tmp_path / "seed0-tree2", runs[1].recipe)]  # fmt: skip
    assert trees == [0, 2] and "12.3% of new sub-lineages" in capsys.readouterr().out
    assert found["date"] == date.today().isoformat() and "+" not in found["versions"]["torch"]
    monkeypatch.setattr(again, "FILE", tmp_path / "numbers.json")
    monkeypatch.setattr(again, "RUNS", runs)
    again.FILE.write_text(json.dumps(found))
    assert again.trained_again() == dict.fromkeys(runs, {"lineages": 0.1235})


@pytest.mark.long
@pytest.mark.parametrize("name", ["book-virus", "book-virus-frames"])
def test_the_stored_numbers_of_seed_0_are_those_of_the_shipped_model(name):
    stored = trained_again()[Run(name)]
    found = measure_virus.measured(
        measure_virus.VariantBert.from_pretrained(name, device="cpu"), kmer_tokenizer(), simulate()
    )
    assert found.keys() == stored.keys()
    for key, value in found.items():  # rounding on another processor may turn a genome or a token
        assert value == pytest.approx(stored[key], rel=0.02, abs=0.02), key
