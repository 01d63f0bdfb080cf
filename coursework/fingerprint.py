"""What a mark depends on besides the notebook: if it changes, what was graded is graded again."""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import platform
from functools import cache

from coursework import references
from coursework.results import ROOT

OURS = ("tutorial_lib", "tutorial_book")  # the packages, beside coursework
OTHERS = ("jupytext", "nbformat", "numpy", "tokenizers", "torch", "transformers")  # that grading computes with


def key(assignment, seed, root=ROOT):
    """The digest of the assignment, all code that grading may import, versions, and the seed."""
    versions = {package: importlib.metadata.version(package) for package in OTHERS}
    digest = hashlib.sha256(repr((assignment, seed, platform.python_version(), versions)).encode())
    for file in key_files(assignment, root):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def key_files(assignment, root=ROOT):
    """The files that the marks of an assignment depend on: coursework's, its own two, and the rooms that these import.

    A room counts whole, with its data, and so does each room that any of its files imports, wherever in the file. That
    is more than one grading runs; what it never runs, such as figures, views and claims, is left out.
    """
    home, own = root / "coursework", root / "coursework" / "assignments" / references.split(assignment)[0]
    waiting = [*home.glob("*"), *(home / "references").glob("*"), *own.rglob("*")]
    waiting += [root / package / "__init__.py" for package in OURS]
    files = set()
    while waiting:
        path = waiting.pop()
        if not path.is_file() or path in files or "__pycache__" in path.parts:
            continue
        files.add(path)
        if path.suffix == ".py":
            for room in _rooms(path.read_bytes(), root):
                waiting += room.rglob("*") if room.is_dir() else [room]
    return sorted(files)


@cache
def _rooms(code, root):
    """The rooms of the two packages that a file's code imports from: folders, and modules at a package's root."""
    imports = [node for node in ast.walk(ast.parse(code)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    named = [(getattr(node, "module", None), alias.name) for node in imports for alias in node.names]
    parts = [".".join(filter(None, pair)).split(".") for pair in named]
    folders = [root / package / room[0] for package, *room in parts if package in OURS and room]
    return [folder if folder.is_dir() else folder.with_suffix(".py") for folder in folders]
