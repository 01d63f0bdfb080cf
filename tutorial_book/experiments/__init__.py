"""The computations of single chapters, each in the module with its chapter's name, and the stored numbers."""

from pathlib import Path

import numpy as np

from tutorial_lib.weights import read_json

STORED = Path(__file__).parent / "stored"  # measurements that took too long for a page


def stored(name, arrays=()) -> dict:
    """Return what `python -m tutorial_book measure` wrote into stored/NAME.json.

    arrays: the parts in which lists become arrays.

    >>> stored("shape-of-learning", ["kinds"])["kinds"]["decoder, pre-norm"]["loss"].shape  # seeds, steps
    (5, 8)
    """
    kept = read_json(STORED / f"{name}.json")
    return kept | {part: _as_arrays(kept[part]) for part in arrays}


def _as_arrays(values):
    if isinstance(values, dict):
        return {name: _as_arrays(one) for name, one in values.items()}
    return np.array(values)
