"""Run the book's notebooks as Colab would: on a machine that has torch, numpy and transformers, but not this book.

    python tools/run_notebooks.py                     all notebooks, newest and oldest versions
    python tools/run_notebooks.py oldest heads bert   some of them, with the oldest versions only

The notebooks are the chapters, and the assignments twice: as students get them, and solved, where every
check must pass.

The newest versions are those of constraints.txt, the oldest the lower bounds of pyproject.toml; torch is the pinned one
in both. Each notebook starts where Colab starts: the library, the model and the vector database are taken away again,
and its first cell has to install them, from a copy of this working tree that stands in for the repository. At the end
nothing else may have changed in the environment. The environments lie in _build/colab.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from build_book import ROOT, chapters, say
from make_notebooks import BESIDES, WEIGHTS, Book
from packaging.requirements import Requirement

ADDED = ["tutorial_lib", WEIGHTS.split("==")[0], BESIDES["apsw"], BESIDES["sqlite_vec"]]
JUPYTER = ["ipykernel", "ipywidgets", "nbclient"]  # Colab has the first two; the third executes the notebooks
CELL_SECONDS = 300


def versions(root: Path, age: str) -> list[str]:
    """What the environment holds: the library's own requirements at one exact version each."""
    import tomllib  # Python 3.10 has none, and builds and tests the book all the same

    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", (root / "constraints.txt").read_text(encoding="utf-8"), re.M))
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    exact = {}
    for requirement in map(Requirement, project["dependencies"]):
        (lowest,) = [s.version for s in requirement.specifier if s.operator == ">="]
        newest = age == "newest" or requirement.name == "torch"
        exact[requirement.name] = pins[requirement.name] if newest else f"{lowest}.*"
    return [f"{name}=={version}" for name, version in exact.items() if name not in ADDED] + JUPYTER


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
    """What pip installs the library from as it stands in the working tree: the address of a git repository."""
    git = ["git", f"--git-dir={folder / '.git'}", f"--work-tree={root}", "-c", "user.name=us", "-c", "user.email=us"]
    folder.mkdir(parents=True)
    subprocess.run([*git, "init", "--quiet", "--initial-branch=main"], check=True)
    subprocess.run([*git, "add", "pyproject.toml", "README.md", "LICENSE", "tutorial_lib"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "the working tree"], check=True)
    return f"git+{folder.as_uri()}@main"


def packages(python: Path) -> set[str]:
    command = [python, "-m", "pip", "list", "--format=freeze"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def clean_variables() -> dict[str, str]:
    """The shell's variables without those that would let a notebook find this copy of the library."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {"HF_HUB_OFFLINE": "1"} | variables  # as in tools/build_book.py: no 440 MB without being asked


def complaints(notebook: dict) -> list[str]:
    """What cells wrote to stderr: a reader would see it in red."""
    streams = [out for cell in notebook["cells"] for out in cell.get("outputs", []) if out.get("name") == "stderr"]
    return [line for out in streams for line in "".join(out["text"]).splitlines() if line.strip()]


def install_from(notebook: dict, library: str) -> dict:
    """The notebook whose first code cell takes the library from there."""
    cell = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    cell["source"] = re.sub(r'(?m)^library = ".*"$', f'library = "{library}"', "".join(cell["source"]))
    return notebook


def run(python: Path, source: Path, folder: Path, library: str) -> str | None:
    """Execute one notebook in `folder`, with the library from there. Returns what went wrong."""
    target = folder / source.name
    notebook = json.loads(source.read_text(encoding="utf-8"))
    target.write_text(json.dumps(install_from(notebook, library)), encoding="utf-8")
    take_away = [python, "-m", "pip", "uninstall", "--quiet", "--yes", *ADDED]
    subprocess.run(take_away, check=True, stderr=subprocess.DEVNULL)
    before, start = packages(python), time.perf_counter()
    command = [python.with_name("jupyter-execute"), "--inplace", f"--timeout={CELL_SECONDS}", target]
    done = subprocess.run(command, cwd=folder, env=clean_variables(), capture_output=True, text=True)
    changed = sorted({line.split("==")[0] for line in packages(python) ^ before} - set(ADDED))
    failed = done.returncode or changed
    say(f"  {source.stem}: {'FAILED' if failed else 'ran'} in {time.perf_counter() - start:.0f} s")
    for line in complaints(json.loads(target.read_text(encoding="utf-8"))):
        say(f"    stderr: {line}")
    if done.returncode:
        return f"{source.name}: " + re.sub(r"\x1b\[[\d;]*m", "", done.stderr)[-3000:]
    if changed:
        return f"{source.name} changed what was installed: {', '.join(changed)}"
    wrong = [line for line in printed(json.loads(target.read_text(encoding="utf-8"))) if line.startswith("✗")]
    return f"{source.name}: {wrong[0]}" if wrong and source.stem.endswith("-solved") else None


def printed(notebook: dict) -> list[str]:
    """The lines that cells printed."""
    streams = [out for cell in notebook["cells"] for out in cell.get("outputs", []) if out.get("name") == "stdout"]
    return [line for out in streams for line in "".join(out["text"]).splitlines()]


def solved(root: Path, folder: Path, install: str) -> list[Path]:
    """The assignments with their solutions, written into a folder."""
    sys.path.insert(0, str(root))  # coursework is no installed package
    from coursework import checks, sources

    folder.mkdir(parents=True)
    for name in checks.names():
        text = json.dumps(sources.solved_notebook(name, install))
        (folder / f"{name}-solved.ipynb").write_text(text, encoding="utf-8")
    return sorted(folder.glob("*.ipynb"))


def main(arguments: list[str], root: Path = ROOT) -> int:
    ages = [age for age in ("newest", "oldest") if age in arguments] or ["newest", "oldest"]
    book = Book(root)
    written = [path.with_suffix(".ipynb") for path in chapters(root)]
    written += sorted((root / "coursework" / "notebooks").glob("*.ipynb"))
    failures = []
    for age in ages:
        python, work = environment(root, age), root / "_build" / "colab" / f"{age}-notebooks"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        library = repository(root, work / "repository")
        core = ("matplotlib=", "numpy=", "tokenizers=", "torch=", "transformers=")
        say(f"{age}: {', '.join(sorted(line for line in packages(python) if line.startswith(core)))}")
        files = written + solved(root, work / "solved", book.install)
        wanted = [path for path in files if path.stem in arguments or not set(arguments) - set(ages)]
        results = [run(python, path, work, library) for path in wanted]
        failures += [f"{age}: {result}" for result in results if result]
        if not any(results):
            say(f"{age}: all ran; {' and '.join(ADDED)} were added each time, and nothing else was touched")
    print(*failures, sep="\n\n", file=sys.stderr)
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
