"""Files that are complete or absent, even if a process is killed; folders that one process at a time writes to."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PART = re.compile(r".+\.\d+\.part")  # the name of a file until it is complete: NAME.PROCESS.part


class Busy(OSError):
    """Another process writes to this folder."""


@contextmanager
def beside(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary name in the same folder to write to; after success, the file is renamed to its own name.

    If the process is killed, either the old file or the new one remains; after an error, the old one. Creates the
    folder.

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


def write_text(path: str | os.PathLike, text: str, errors: str = "strict") -> None:
    """Write a text in UTF-8 `beside` and rename, so that nobody ever reads half a file. errors: as for `open`."""
    with beside(path) as part:
        part.write_text(text, encoding="utf-8", errors=errors, newline="\n")


def clear_parts(folder: Path) -> None:
    """Delete half-written files that a killed process left below a folder; only one process may write there."""
    for path in folder.rglob("*.part"):
        if PART.fullmatch(path.name) and path.is_file():
            path.unlink()


@contextmanager
def locked(folder: str | os.PathLike, busy: str) -> Iterator[None]:
    """Keep other processes out of a folder, creating it if missing. The lock ends with the process, however it ends.

    Raises Busy with this sentence if another process has the lock. Windows and some file systems have no locks; nothing
    keeps other processes out there.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with open(folder / ".lock", "w") as file:  # never deleted: an open deleted file would be another lock
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(busy) from None
        except OSError:  # a file system without locks
            pass
        yield
