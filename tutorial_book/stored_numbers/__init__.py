"""Measurements that take too long for a page: programs that store their numbers in `experiments/stored`.

`python -m tutorial_book measure` lists them, `python -m tutorial_book measure NAME` runs one: its `record` returns
stored file -> content. One thread, so that the results are identical on the same kind of processor.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from datetime import date
from importlib import import_module
from importlib.metadata import version
from inspect import signature
from pathlib import Path

from tutorial_book.experiments import STORED
from tutorial_lib.atomic import write_text

FOLDER = Path(__file__).parent
PACKAGES = ("tutorial_lib", "torch", "numpy", "scipy", "scikit-learn", "umap-learn")


def docstring(name: str) -> str:
    """Return a program's description, without importing it."""
    return ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8")))


def names() -> list[str]:
    """Return the names of all programs.

    >>> names()[:3]
    ['limits', 'memory', 'pruning']
    """
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def run(name: str | None, arguments: list[str]) -> int:
    """Run the program of this name with its arguments, or list all if there is no name. Return the exit code."""
    if name is None:
        for known in names():
            print(f"{known:10} {docstring(known).splitlines()[0]}")
        return 0
    if name not in names():
        print(f"NAME must be one of {', '.join(names())}, got {name}.", file=sys.stderr)
        return 2
    import torch

    record = import_module(f"{__name__}.{name}").record
    try:
        signature(record).bind(*arguments)
    except TypeError:
        print(docstring(name), file=sys.stderr)
        return 2
    torch.set_num_threads(1)
    for file, found in record(*arguments).items():
        path = STORED / f"{file}.json"
        write_text(path, as_json(found))
        print(f"{path}: {path.stat().st_size:,} bytes")
    return 0


def as_json(found: dict) -> str:
    """Return JSON: the date, the versions, and the results, with each list of numbers on one line."""
    versions = {package: version(package).partition("+")[0] for package in PACKAGES}
    text = json.dumps({"date": date.today().isoformat(), "versions": versions} | found, indent=1, ensure_ascii=False)
    return re.sub(r"\[[-\d.,e\s\[\]]*\]", lambda numbers: re.sub(r"\s+", "", numbers[0]), text) + "\n"
