"""Results so far, in a folder that stays intact if a process is killed: a stopped measurement continues from there."""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open

from tutorial_lib.atomic import clear_parts
from tutorial_lib.measure.sums import Job, clouds_of
from tutorial_lib.weights import checkpoints

SUMS = "sums.safetensors"  # the file's name in the folder


class Results:
    """The sums of the first `done` chunks, added in order, in one file; chunks that finish early wait in other files.

    So a folder stays small however long the corpus is. If a process is killed, each file is either in its old or in its
    new state. Files of another job are ignored.
    """

    def __init__(self, folder: Path, job: Job):
        about = json.dumps(asdict(replace(job, model="")))  # the model may have moved
        self.folder = folder
        self.digest = hashlib.sha256(about.encode()).hexdigest()
        self.done, self.sums = self._read(folder / SUMS) or (0, None)
        clear_parts(folder)
        for path in folder.glob("chunk-*"):
            if int(path.stem.removeprefix("chunk-")) < self.done:  # a kill between adding and deleting it
                path.unlink()
        self.early = {int(path.stem.removeprefix("chunk-")) for path in folder.glob("chunk-*") if self._read(path)}

    def __contains__(self, number):
        return number < self.done or number in self.early

    def __len__(self):
        return self.done + len(self.early)

    def put(self, number: int, sums: dict[str, np.ndarray]) -> None:
        """Keep the sums of a chunk: add them if all earlier ones are there, otherwise let them wait."""
        if number != self.done:
            self._write(self._file(number), number, sums)
            self.early.add(number)
            return
        first = self.done
        while sums is not None:
            self.sums = sums if self.sums is None else _together(self.sums, sums)
            self.done += 1
            _, sums = self._read(self._file(self.done)) if self.done in self.early else (0, None)
        self._write(self.folder / SUMS, self.done, self.sums)
        for waited in range(first + 1, self.done):
            self._file(waited).unlink()
        self.early -= set(range(self.done))

    def _file(self, number):
        return self.folder / f"chunk-{number:06}.safetensors"

    def _write(self, path, number, sums):
        tensors = {name: torch.from_numpy(np.array(array)) for name, array in sums.items()}
        checkpoints.write(path, tensors, {"job": self.digest, "number": str(number)})

    def _read(self, path):
        """Return (number, sums) of a file, or None if there is none, or if it is from another job."""
        if not path.exists():
            return None
        try:
            with safe_open(path, "np") as file:
                about = file.metadata() or {}
                if about.get("job") != self.digest:
                    return None
                return int(about["number"]), {name: file.get_tensor(name) for name in file.keys()}
        except SafetensorError as error:
            raise ValueError(f"{path} is damaged ({error}). Delete it; its chunks are then measured again") from error


def _together(sums, more):
    """Return the sums of two parts of the corpus. A part without texts has no layers."""
    ours, theirs = clouds_of(sums), clouds_of(more)
    for layer, cloud in theirs.items():
        ours[layer] = ours[layer].merge(cloud) if layer in ours else cloud
    arrays = {f"{layer}.{name}": array for layer, cloud in ours.items() for name, array in cloud.arrays().items()}
    return {name: sums[name] + more[name] for name in ("n_texts", "n_cut")} | arrays
