"""What takes too long for a page: programs that measure once and store their numbers in `experiments/stored`.

`python -m tutorial_book measure` lists them, `python -m tutorial_book measure NAME` runs one.
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

FOLDER = Path(__file__).parent


def docstring(name: str) -> str:
    """Return what a program says of itself, without importing it."""
    return ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8")))


def names() -> list[str]:
    """Return the names of all programs.

    >>> names()[:3]
    ['learning', 'limits', 'luisto']
    """
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "record"))


def run(name: str | None, arguments: list[str]) -> int:
    """Run the program of this name with its arguments, or list all if there is no name. Return the exit code."""
    if name is None:
        for known in names():
            print(f"{known:10} {docstring(known).splitlines()[0]}")
        return 0
    if name not in names():
        print(f"NAME must be one of {', '.join(names())}, got {name}.", file=sys.stderr)
        return 2
    main = import_module(f"{__name__}.{name}").main
    try:
        signature(main).bind(*arguments)
    except TypeError:
        print(docstring(name), file=sys.stderr)
        return 2
    main(*arguments)
    return 0
