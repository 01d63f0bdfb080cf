"""What the measuring programs share: when and with what was measured, numbers by seed, and readable JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import numpy as np
import torch

import tutorial_lib
from tutorial_lib.atomic import write_text
from tutorial_lib.geometry import bootstrap_interval


def measured_with(*libraries: str) -> dict:
    """Return the date, and the versions that measured: the library's own and these."""
    versions = {name: version(name).partition("+")[0] for name in libraries}
    return {"date": date.today().isoformat(), "versions": {"tutorial_lib": tutorial_lib.__version__, **versions}}


def settings(experiment: ModuleType, names: str) -> dict:
    """Return all that was chosen for an experiment: these of its constants, and the settings of its training."""
    return {name: getattr(experiment, name) for name in names.split()} | {"training": asdict(experiment.SETTINGS)}


def each(value, change: Callable):
    """Change every number of a nested list.

    >>> each([1, [2, 3]], lambda number: 10 * number)
    [10, [20, 30]]
    """
    return [each(one, change) for one in value] if isinstance(value, list) else change(value)


def by_seed(runs: list, change: Callable):
    """Turn one record per seed into one record: name -> what each seed gave, every number changed.

    >>> by_seed([{"loss": 1.5, "of": {"a": [1]}}, {"loss": 2.5, "of": {"a": [2]}}], int)
    {'loss': [1, 2], 'of': {'a': [[1], [2]]}}
    """
    if isinstance(runs[0], dict):
        return {name: by_seed([run[name] for run in runs], change) for name in runs[0]}
    return [each(one, change) for one in runs]


def with_interval(values) -> list[float]:
    """Return the mean of some values, and its 95 % interval, to four places."""
    return [round(float(one), 4) for one in (np.mean(values), *bootstrap_interval(np.mean, values))]


def one_thread() -> None:
    """Compute on one thread, so that the same numbers come out again on the same kind of processor."""
    torch.set_num_threads(1)


def as_json(found: dict) -> str:
    """Return JSON with each list of numbers on one line."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    return re.sub(r"\[[-\d.,e\s\[\]]*\]", lambda numbers: re.sub(r"\s+", "", numbers[0]), text) + "\n"


def store(file: Path, found: dict, text: Callable[[dict], str] = as_json) -> None:
    """Write what was found, and say how much it is."""
    write_text(file, text(found))
    print(f"{file}: {file.stat().st_size:,} bytes")
