"""Run the book's notebooks as Colab would: on a machine that has torch, numpy and transformers, but not this book.

    python -m tests.colab                     all notebooks, newest, Colab's and oldest versions
    python -m tests.colab oldest heads bert   some of them, with the oldest versions only

The notebooks are the chapters, and the assignments twice: as students get them, and solved, when every check must pass.

The newest versions are those of constraints.txt, the oldest the lower bounds of pyproject.toml, Colab's those of autumn
2026; torch is the pinned one in all three (Colab's is 2.11). The install cell starts with Colab's environment: the
library, the model and the vector database are removed, and it has to install them, from a copy of this working tree
that represents the repository. All notebooks have the same install cell, so it does this once; then they run, two at a
time, and find the library installed. At the end, nothing else may have changed in the environment. The environments are
in _build/colab.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from website.notebooks.convert import BESIDES, FILES, INSTALL
from website.project import ROOT, say

ADDED = ["tutorial_lib", *(name.split("==")[0] for name in FILES),
         *map(BESIDES.get, ("apsw", "sqlite_vec", "dnaio", "ripser")),
         "xopen", "isal", "zlib-ng", "backports.zstd",  # come with dnaio
         "Cython", "Deprecated", "persim", "wrapt"]  # come with ripser  # fmt: skip
JUPYTER = ["ipykernel", "ipywidgets", "nbclient"]  # Colab has the first two; the third executes the notebooks
COLAB = {  # differences from the newest; transformers 5.15 rejects version 2 or later of the hub's library
    "numpy": "2.1.3",
    "transformers": "5.15.*",
    "huggingface_hub": "1.*",
    "ipywidgets": "7.7.1",
}
CELL_SECONDS = 300
JOBS = 2  # notebooks at a time
AGES = ["newest", "colab", "oldest"]


def versions(root: Path, age: str) -> list[str]:
    """The packages of the environment: the library's own requirements at one exact version each."""
    import tomllib  # Python 3.10 lacks it, but still builds and tests the book

    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", (root / "constraints.txt").read_text(encoding="utf-8"), re.M))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    exact = {}
    extras = project["optional-dependencies"]
    for requirement in map(Requirement, [*project["dependencies"], *extras["chapters"], *extras["parity"]]):
        (lowest,) = [s.version for s in requirement.specifier if s.operator == ">="]
        newest = age != "oldest" or requirement.name == "torch"
        exact[requirement.name] = pins[requirement.name] if newest else f"{lowest}.*"
    exact |= COLAB if age == "colab" else {}
    exact = {name: version for name, version in exact.items() if name not in ADDED}
    return [f"{name}=={version}" for name, version in exact.items()] + [name for name in JUPYTER if name not in exact]


def environment(root: Path, age: str) -> Path:
    """The Python of a virtual environment like Colab's, made unless it is there already."""
    folder, wanted = root / "_build" / "colab" / age, versions(root, age)
    python, stamp = folder / "bin" / "python", folder / "versions"
    if not (stamp.exists() and stamp.read_text() == str(wanted)):
        say(f"{age}: making the environment: {', '.join(wanted)}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        stamp.write_text(str(wanted))
    return python


def repository(root: Path, folder: Path) -> str:
    """Return the source from which pip installs the working tree's library: the address of a git repository."""
    git = ["git", f"--git-dir={folder / '.git'}", f"--work-tree={root}", "-c", "user.name=us", "-c", "user.email=us"]
    folder.mkdir(parents=True)
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    subprocess.run([*git, "add", "pyproject.toml", "README.md", "LICENSE", "tutorial_lib", "tutorial_book"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "the working tree"], check=True)
    return f"git+{folder.as_uri()}@main"


def packages(python: Path) -> set[str]:
    command = [python, "-m", "pip", "list", "--format=freeze"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def clean_variables() -> dict[str, str]:
    """The shell's variables without those that would let a notebook find this copy of the library."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    threads = str(max(1, (os.cpu_count() or 1) // JOBS))  # notebooks that run side by side share the processor
    # HF_HUB_OFFLINE as in website/build/runs.py: no 440 MB without being asked
    return {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": threads} | variables


def complaints(notebook: dict) -> list[str]:
    """What cells wrote to stderr: a reader would see it in red."""
    streams = [out for cell in notebook["cells"] for out in cell.get("outputs", []) if out.get("name") == "stderr"]
    return [line for out in streams for line in "".join(out["text"]).splitlines() if line.strip()]


def install_cell(notebook: dict) -> dict:
    return next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def install_from(notebook: dict, library: str) -> dict:
    """The notebook whose first code cell takes the library from there."""
    cell = install_cell(notebook)
    cell["source"] = re.sub(r'(?m)^library = ".*"$', f'library = "{library}"', "".join(cell["source"]))
    return notebook


def install(python: Path, notebooks: list[dict], folder: Path) -> str | None:
    """Start with Colab's environment, and run each install cell of the notebooks. Returns the errors."""
    for source in dict.fromkeys("".join(install_cell(notebook)["source"]) for notebook in notebooks):
        take_away = [python, "-m", "pip", "uninstall", "--quiet", "--yes", *ADDED]
        subprocess.run(take_away, check=True, stderr=subprocess.DEVNULL)
        before, start = packages(python), time.perf_counter()
        cell = {"cell_type": "code", "id": "install", "metadata": {}, "outputs": [], "execution_count": None}
        notebook = {"cells": [cell | {"source": source}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        if failure := execute(python, notebook, folder / "install.ipynb"):
            return failure
        say(f"  the install cell: ran in {time.perf_counter() - start:.0f} s")
        if failure := changes(python, before):
            return f"the install cell {failure}"
    return None


def changes(python: Path, before: set[str]) -> str | None:
    """Return installed packages that differ from before, apart from those that the install cell may add."""
    names = {canonicalize_name(line.split("==")[0]) for line in packages(python) ^ before}
    changed = sorted(names - set(map(canonicalize_name, ADDED)))  # pip writes some names with _ for -
    return f"changed what was installed: {', '.join(changed)}" if changed else None


def execute(python: Path, notebook: dict, target: Path) -> str | None:
    """Run all cells, and keep the notebook with its outputs. Returns the errors."""
    target.write_text(json.dumps(notebook), encoding="utf-8")
    command = [python.with_name("jupyter-execute"), "--inplace", f"--timeout={CELL_SECONDS}", target]
    done = subprocess.run(command, cwd=target.parent, env=clean_variables(), capture_output=True, text=True)
    for line in complaints(json.loads(target.read_text(encoding="utf-8"))):
        say(f"    {target.stem}, stderr: {line}")
    return f"{target.name}: " + re.sub(r"\x1b\[[\d;]*m", "", done.stderr)[-3000:] if done.returncode else None


def run(python: Path, notebook: dict, target: Path) -> str | None:
    """Execute one notebook. Returns the errors."""
    start = time.perf_counter()
    failure = execute(python, notebook, target)
    say(f"  {target.stem}: {'FAILED' if failure else 'ran'} in {time.perf_counter() - start:.0f} s")
    if failure or not target.stem.endswith("-solved"):
        return failure
    wrong = [line for line in printed(json.loads(target.read_text(encoding="utf-8"))) if line.startswith("✗")]
    return f"{target.name}: {wrong[0]}" if wrong else None


def printed(notebook: dict) -> list[str]:
    """The lines that cells printed."""
    streams = [out for cell in notebook["cells"] for out in cell.get("outputs", []) if out.get("name") == "stdout"]
    return [line for out in streams for line in "".join(out["text"]).splitlines()]


def solved(folder: Path) -> list[Path]:
    """The assignments with their solutions, written into a folder."""
    from coursework import sources

    folder.mkdir(parents=True)
    for name in sources.names():
        text = json.dumps(sources.student_notebook(name, INSTALL, solved=True))
        (folder / f"{name}-solved.ipynb").write_text(text, encoding="utf-8")
    return sorted(folder.glob("*.ipynb"))


def main(arguments: list[str], root: Path = ROOT) -> int:
    ages = [age for age in AGES if age in arguments] or AGES
    written = sorted((root / "_build" / "html" / "notebooks").glob("*.ipynb"))  # `make book` has written them
    failures = []
    for age in ages:
        start = time.perf_counter()
        python, work = environment(root, age), root / "_build" / "colab" / f"{age}-notebooks"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        library = repository(root, work / "repository")
        core = ("matplotlib=", "numpy=", "tokenizers=", "torch=", "transformers=")
        say(f"{age}: {', '.join(sorted(line for line in packages(python) if line.startswith(core)))}")
        files = written + solved(work / "solved")
        wanted = [path for path in files if path.stem in arguments or not set(arguments) - set(ages)]
        notebooks = [install_from(json.loads(path.read_text(encoding="utf-8")), library) for path in wanted]
        results = [install(python, notebooks, work)]
        if not results[0]:
            before = packages(python)
            with ThreadPoolExecutor(JOBS) as pool:
                targets = [work / path.name for path in wanted]
                results += pool.map(partial(run, python), notebooks, targets)
            if failure := changes(python, before):
                results.append(f"some notebook {failure}")
        failures += [f"{age}: {result}" for result in results if result]
        if not any(results):
            say(f"{age}: all ran; {' and '.join(ADDED)} were added, and nothing else was touched")
        say(f"{age}: {(time.perf_counter() - start) / 60:.1f} minutes")
    print(*failures, sep="\n\n", file=sys.stderr)
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
