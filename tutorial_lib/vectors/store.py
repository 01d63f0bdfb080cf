"""Where finished vectors are stored: in memory, or in a file that survives an interruption."""

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np

from tutorial_lib.atomic import write_text
from tutorial_lib.weights.files import read_json


class Memory:
    """Finished rows in memory."""

    def __init__(self, shape: tuple[int, ...]):
        self.rows = np.empty(shape, np.float32)
        self.done = 0

    def finish(self, n_texts: int) -> None:
        self.done += n_texts

    def close(self) -> np.ndarray:
        return self.rows


class File(Memory):
    """Finished rows in a file that survives an interruption.

    NAME.part.npy fills up while NAME.json records the work and how many texts are done; in the end the first is renamed
    to NAME.npy. NAME.json stays, so that the same call finds its result, and another call is rejected.
    """

    def __init__(self, path: Path, shape: tuple[int, ...], fingerprint: str):
        self.path = path
        self.part = path.with_suffix(".part.npy")
        self.log = path.with_suffix(".json")
        self.work = fingerprint
        self.done = 0
        if self.log.is_file():
            self._resume()
        elif path.exists():
            raise ValueError(f"save_to must be a new file: {path} exists, but no {self.log.name} describes it")
        if path.exists():
            self.rows = np.load(path, mmap_mode="c")
        elif self.done:
            self.rows = np.lib.format.open_memmap(self.part, "r+")
        else:
            self._write_log()
            self.rows = np.lib.format.open_memmap(self.part, "w+", np.float32, shape)
        if not path.exists():
            self._reserve()

    def _reserve(self):
        """Reserve the space for all rows at once: if the disk fills up under a mapped file, the process is killed.

        Raises OSError that says how much is needed; finished rows stay.
        """
        size = self.part.stat().st_size
        try:
            with open(self.part, "r+b") as file:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                elif shutil.disk_usage(self.part).free < size:  # macOS and Windows
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                return  # a file system that reserves nothing
            del self.rows  # Windows does not delete open files
            if not self.done:
                self.part.unlink()
                self.log.unlink()
            what = f"{self.path} needs {size / 1e6:.0f} MB, which the disk does not have"
            raise OSError(errno.ENOSPC, f"{what}. Make room; the same call then continues", str(self.path)) from None

    def _resume(self):
        try:
            log = read_json(self.log)
            work = log["work"]
            done = int(log["done"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"save_to cannot continue: {self.log} is damaged. Delete it and its .npy files") from error
        if work != self.work:
            what = f"{self.log} describes other texts, another model, pooling or layers. Delete it and its .npy files"
            raise ValueError(f"save_to must be a new file: {what}, or choose another name")
        self.done = done if self.path.exists() or self.part.exists() else 0

    def _write_log(self):
        write_text(self.log, json.dumps({"work": self.work, "done": self.done}))

    def finish(self, n_texts: int) -> None:
        self.rows.flush()
        self.done += n_texts
        self._write_log()

    def close(self) -> np.ndarray:
        if self.part.exists() and not self.path.exists():
            self.rows.flush()
            del self.rows  # Windows does not rename open files
            os.replace(self.part, self.path)
            self.rows = np.load(self.path, mmap_mode="c")
        return self.rows
