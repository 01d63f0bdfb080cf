"""The project's files that a process reads: the modules that it imports and the data that it opens.

A chapter's kernel records them while it runs, and runs.py runs the chapter again if one of them changes.
"""

from __future__ import annotations

import importlib.util
import os
import sys

MADE = {"_build", ".git", ".venv"}  # folders of generated files


def note(log: str, *roots: str) -> None:
    """Add the path of each file below `roots` that this process opens from now on to the file `log`, one per line.

    A missing file counts, because it may appear later. So do files that forked processes read. Files read by other
    programs do not count, nor files that a library in another language opens.
    """
    out, seen = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT), set()

    def hook(event, arguments):
        if event == "open" and isinstance(arguments[0], (str, bytes)) and arguments[0] not in seen:
            seen.add(arguments[0])
            path = source(os.path.abspath(os.fsdecode(arguments[0])))
            if path and any(inside(path, root) for root in roots):
                os.write(out, os.fsencode(path) + b"\n")

    sys.addaudithook(hook)


def source(path: str) -> str | None:
    """Return the source of a file: for a compiled module its Python file, for other files in its folder None.

    >>> source("lib/__pycache__/bert.cpython-311.pyc"), source("lib/words.txt")
    ('lib/bert.py', 'lib/words.txt')
    """
    if "__pycache__" not in path:
        return path
    return importlib.util.source_from_cache(path) if path.endswith(".pyc") else None


def inside(path: str, root: str) -> bool:
    """Return whether a file lies below a folder and was not made there by a build.

    >>> inside("/book/lib/bert.py", "/book"), inside("/book/_build/x", "/book"), inside("/books/x", "/book")
    (True, False, False)
    """
    root = root.rstrip(os.sep) + os.sep
    return path.startswith(root) and path[len(root) :].split(os.sep)[0] not in MADE
