"""The house: no room imports from a higher floor, one knows transformers, and the front door is light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tutorial_lib

PACKAGE = Path(tutorial_lib.__file__).parent
ROOMS = {
    "arguments": 1, "weights": 1, "catalog": 1, "texts": 1, "toy": 1,
    "tokenization": 2, "positions": 2, "attention": 2, "trace": 2, "decoding": 2,
    "pretraining": 2,
    "bert": 3, "checkpoints": 3,
    "parity": 4,
    "vectors": 5,
    "geometry": 6,
    "search": 7, "probing": 7, "quantization": 7,
    "show": 8, "plots": 8, "views": 8,
    "claims": 9, "coursework": 9,
    "__main__": 10,
}  # fmt: skip
FILES = sorted(file for file in PACKAGE.rglob("*.py") if file != PACKAGE / "__init__.py")


def room(file):
    """The name of the room that a file stands in: a module, or a folder with its modules."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(file):
    """The full names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            if node.module == "tutorial_lib":
                yield from (f"tutorial_lib.{alias.name}" for alias in node.names)
            else:
                yield node.module


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_a_room_imports_only_from_its_own_floor_and_below(file):
    assert room(file) in ROOMS, f"say in tests/test_rooms.py on which floor {room(file)} stands"
    for name in imports(file):
        if not name.startswith("tutorial_lib.") or name == "tutorial_lib.__version__":
            continue
        other = name.split(".")[1]
        assert ROOMS[other] <= ROOMS[room(file)], f"{room(file)} must not import {other}"


def test_only_parity_and_its_command_import_transformers():
    for file in FILES:
        libraries = {name.split(".")[0] for name in imports(file)}
        assert "transformers" not in libraries or room(file) in ("parity", "__main__")


@pytest.mark.parametrize("module", ["", ".weights", ".texts", ".show"])
def test_importing_it_loads_nothing_heavy(module):
    heavy = ("torch", "numpy", "transformers", "matplotlib", "huggingface_hub", "IPython")
    code = f"import sys, tutorial_lib{module}; print(sorted(set({heavy}) & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr
