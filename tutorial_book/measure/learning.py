"""Train the four kinds of small models, five seeds of each, and store their measures: stored/shape-of-learning.json.

    python -m tutorial_book measure learning        a quarter of an hour on one core

The chapter on the shape of learning shows these numbers; the weights are not kept. One thread, so that the same numbers
come out again on the same kind of processor.
"""

from __future__ import annotations

from tutorial_book.experiments.shape_of_learning import FILE, KINDS, SEEDS, STEPS, counted, follow
from tutorial_book.measure.record import by_seed, measured_with, one_thread, store


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
    return by_seed([by_seed(run, thousandths) for run in runs], int)


def thousandths(number):
    """Whole numbers take less room."""
    return round(1000 * number)


def main():
    one_thread()
    store(FILE, record())
