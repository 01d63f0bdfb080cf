"""The stored trainings: of the runs that are named, and as the shipped models come out when they are measured now."""

import json

import pytest

from tutorial_lib.genomics import RECIPE, RUNS, Run, VariantBert, again, kmer_tokenizer, simulate, trained_again

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_run_changes_the_seeds_and_nothing_else():
    assert Run("book-virus").recipe == RECIPE
    recipe = Run("book-virus-frames", seed=2, tree=3).recipe
    assert (recipe.settings.seed, recipe.tree, recipe.n_frames) == (2, 3, 6)
    assert len(set(RUNS)) == len(RUNS) == 12


@pytest.mark.parametrize("name", ["book-virus", "book-virus-frames"])
def test_the_stored_numbers_of_seed_0_are_those_of_the_shipped_model(name):
    stored = trained_again()[Run(name)]
    found = again.measure_virus(VariantBert.from_pretrained(name, device="cpu"), kmer_tokenizer(), simulate())
    assert found.keys() == stored.keys()
    for key, value in found.items():  # rounding on another processor may turn a genome or a token
        assert value == pytest.approx(stored[key], rel=0.02, abs=0.02), key


def test_a_damaged_file_is_told_of(monkeypatch, tmp_path):
    file = tmp_path / "numbers.json"
    file.write_text(json.dumps({"runs": [{"name": "book-virus", "seed": 0, "tree": 0, "measured": {}}]}))
    monkeypatch.setattr(again, "FILE", file)
    with pytest.raises(ValueError, match="lacks 11 runs: write it again with tools/measure_virus.py"):
        trained_again()
