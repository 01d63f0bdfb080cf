"""Files, read with checks: JSON and text with errors that name the file, and SHA-256."""

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path


def read_text(path: Path) -> str:
    """Return a file's text; ValueError with the file's name if it is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is damaged: it is not UTF-8 ({error})") from error


def read_json(path: Path) -> dict:
    """Return a file's JSON object; ValueError with the file's name if it is not one."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # both of UnicodeDecodeError and JSONDecodeError
        raise ValueError(f"{path} is damaged: it is not JSON in UTF-8 ({error})") from error
    if not isinstance(value, dict):
        raise ValueError(f"{path} must contain a JSON object, got {type(value).__name__}")
    return value


def read_sections(path: Path) -> dict[str, list[str]]:
    """Return the lines of a file by their [section], without comments (#) and empty lines."""
    sections = {}
    for line in read_text(path).splitlines():
        if line.startswith("["):
            lines = sections[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return sections


def sha256(path: str | os.PathLike) -> str:
    """Return the SHA-256 of a file, as 64 hexadecimal digits."""
    stat = os.stat(path)
    return _sha256(os.fspath(path), stat.st_size, stat.st_mtime_ns)


@lru_cache
def _sha256(path: str, size: int, mtime_ns: int) -> str:
    """Hash a file once per process; size and time are arguments so that a change is noticed."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def check_sha256(path: str | os.PathLike, expected: str) -> None:
    """Reject a file whose SHA-256 is not the expected one: ValueError with the expected and the real digest."""
    digest = sha256(path)
    if digest != expected:
        raise ValueError(
            f"{path} is damaged or belongs to another model: its SHA-256 must be {expected}, got {digest}. "
            "Delete it and get it again"
        )
