"""The runs that are named and stored."""

import json

import pytest

from tutorial_book.experiments.virus import RECIPE, RUNS, Run, again, trained_again, unequal


def test_a_run_changes_the_seeds_and_nothing_else():
    assert Run("book-virus").recipe == RECIPE
    recipe = Run("book-virus-frames", seed=2, tree=3).recipe
    assert (recipe.settings.seed, recipe.tree, recipe.n_frames) == (2, 3, 6)
    assert len(set(RUNS)) == len(RUNS) == 12


def test_a_damaged_file_is_told_of(monkeypatch, tmp_path):
    file = tmp_path / "numbers.json"
    file.write_text(json.dumps({"runs": [{"name": "book-virus", "seed": 0, "tree": 0, "measured": {}}]}))
    monkeypatch.setattr(again, "FILE", file)
    with pytest.raises(ValueError, match="lacks 11 runs: write it again with tools/measure_virus.py"):
        trained_again()


def test_a_damaged_file_of_unequal_variants_is_told_of(monkeypatch, tmp_path):
    monkeypatch.setattr(again, "UNEQUAL", tmp_path / "numbers.json")
    again.UNEQUAL.write_text('{"counts": []}')
    with pytest.raises(ValueError, match="lacks trees: write it again with tools/measure_unequal.py"):
        unequal()
