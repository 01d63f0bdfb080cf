"""Files, read with care and written beside: JSON and text whose damage is told by name, SHA-256, atomic writing."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path


def read_text(path: Path) -> str:
    """A file's text; ValueError with the file's name where it is no UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is damaged: it is not UTF-8 ({error})") from error


def read_json(path: Path) -> dict:
    """A file's JSON object; ValueError with the file's name where it is none."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # of UnicodeDecodeError and JSONDecodeError alike
        raise ValueError(f"{path} is damaged: it is not JSON in UTF-8 ({error})") from error
    if not isinstance(value, dict):
        raise ValueError(f"{path} must hold a JSON object, got {type(value).__name__}")
    return value


def read_sections(path: Path) -> dict[str, list[str]]:
    """The lines of a file by the [section] that they stand in, without comments (#) and empty lines."""
    sections = {}
    for line in read_text(path).splitlines():
        if line.startswith("["):
            lines = sections[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return sections


@contextmanager
def beside(path: str | os.PathLike) -> Iterator[Path]:
    """A name to write to, beside the file's own; where all went well, the file then gets its own name.

    A kill at any moment leaves the old file or the new one, and an error leaves the old one. The folder is made.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with beside(f"{folder}/bear.txt") as part:
    ...         _ = part.write_text("The bear sleeps.")
    ...     Path(folder, "bear.txt").read_text()
    'The bear sleeps.'
    """
    path = Path(path).expanduser()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        yield part
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def clear_parts(folder: Path) -> None:
    """Delete what a kill left half written; for one who alone writes into a folder."""
    for part in folder.glob("*.part"):
        part.unlink()


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write a text `beside` and rename, so that nobody ever reads half a file."""
    with beside(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def sha256(path: str | os.PathLike) -> str:
    """The SHA-256 of a file, as 64 hexadecimal digits."""
    stat = os.stat(path)
    return _sha256(os.fspath(path), stat.st_size, stat.st_mtime_ns)


@lru_cache
def _sha256(path: str, size: int, mtime_ns: int) -> str:
    """Hash a file once per process; size and time are the arguments that notice a change."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def check_sha256(path: str | os.PathLike, expected: str) -> None:
    """Refuse a file whose SHA-256 is not the expected one: ValueError with the expected and the real digest."""
    digest = sha256(path)
    if digest != expected:
        raise ValueError(
            f"{path} is damaged or belongs to another model: its SHA-256 must be {expected}, got {digest}; "
            "delete it and get it again"
        )
