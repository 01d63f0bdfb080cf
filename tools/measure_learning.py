"""Train the four kinds of small models, five seeds of each, and store their measures: stored/shape-of-learning.json.

    python tools/measure_learning.py        a quarter of an hour on one core

The chapter on the shape of learning shows these numbers; the weights are not kept. One thread, so that the same numbers
come out again on the same kind of processor.
"""

from __future__ import annotations

import torch
from record import as_json, measured_with

from tutorial_book.experiments.shape_of_learning import (
    CLOUDS,
    FILE,
    KINDS,
    MEASURES,
    OTHERS,
    SEEDS,
    STEPS,
    counted,
    follow,
)
from tutorial_lib.weights.files import write_text


def record(kinds=tuple(KINDS), seeds=SEEDS, until=STEPS[-1]) -> dict:
    """What is stored: where the numbers come from, and the numbers, in thousandths."""
    return {
        **measured_with("torch", "numpy"),
        "steps": [step for step in STEPS if step <= until],
        "counted": {name: thousandths(loss) for name, loss in counted().items()},
        "kinds": {kind: arranged([told(kind, seed, until) for seed in seeds]) for kind in kinds},
    }  # fmt: skip


def told(kind, seed, until):
    found = follow(kind, seed, until)
    print(f"{kind}, seed {seed}: loss {found[-1]['loss']:.2f}", flush=True)
    return found


def arranged(runs) -> dict:
    """name -> one number for each seed and step ("loss"), and each layer: cloud -> measure -> [seed][step][layer]."""
    found = {name: [[thousandths(step[name]) for step in run] for run in runs] for name in ("loss", *OTHERS)}
    return found | {
        which: {name: [[thousandths(step[which][name]) for step in run] for run in runs] for name in MEASURES}
        for which in CLOUDS
    }


def thousandths(value):
    """Numbers as whole thousandths, which take less room."""
    return [thousandths(one) for one in value] if isinstance(value, list) else round(1000 * value)


if __name__ == "__main__":
    torch.set_num_threads(1)
    write_text(FILE, as_json(record()))
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")
