"""Where vocabulary files are found, and how they are written."""

import os
from pathlib import Path

from tutorial_lib import weights


def find_folder(name: str | os.PathLike | None) -> Path:
    """The folder with a model's vocabulary. Unlike for a model, a folder without weights will do."""
    if isinstance(name, (str, os.PathLike)) and os.path.isdir(name):
        return Path(name)
    return weights.resolve(name)


def write_text(path: Path, text: str) -> None:
    """Write beside and rename, so that nobody ever reads half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8", newline="\n")
    os.replace(beside, path)
