"""Where vocabulary files are found, and how they are written."""

import os
from pathlib import Path

from tutorial_lib import weights


def find_folder(name: str | os.PathLike | None) -> Path:
    """The folder with a model's vocabulary. Unlike for a model, a folder without weights will do."""
    if isinstance(name, (str, os.PathLike)) and os.path.isdir(name):
        return Path(name)
    return weights.resolve(name)


def read_text(path: Path) -> str:
    """A file's text; ValueError with the file's name where it is no UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is damaged: it is not UTF-8 ({error})") from error


def write_text(path: Path, text: str) -> None:
    """Write beside and rename, so that nobody ever reads half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8", newline="\n")
    os.replace(beside, path)
