"""Train small decoders that differ in one part, five seeds of each, and store their losses: stored/since.json.

    python -m tutorial_book measure since        some minutes on one core

The chapter on what changed since 2017 shows these numbers; the weights are not kept. One thread, so that the same
numbers come out again on the same kind of processor.
"""

from __future__ import annotations

from tutorial_book.experiments import since
from tutorial_book.experiments.since import FILE, KINDS, SEEDS, SETTINGS, follow, n_parameters, new_model
from tutorial_book.measure.record import by_seed, measured_with, one_thread, settings, store

SHAPE = "N_TOKENS N_LONG N_PLACES N_STORIES N_JUDGED BATCH VOCABULARY WIDTH N_LAYERS N_HEADS"


def record(kinds=tuple(KINDS), seeds=SEEDS, until=SETTINGS.n_steps) -> dict:
    """What is stored: where the numbers come from, and the numbers, in ten-thousandths."""
    runs = {kind: [told(kind, seed, until) for seed in seeds] for kind in kinds}
    return {
        **measured_with("torch", "numpy"),
        "settings": settings(since, SHAPE),
        "parameters": {kind: n_parameters(new_model(kind, 0)) for kind in kinds},
        "kinds": {kind: by_seed(found, ten_thousandths) for kind, found in runs.items()},
    }  # fmt: skip


def told(kind, seed, until):
    found = follow(kind, seed, until)
    first, last = found["as it is"][3], found["as it is"][-1]
    print(f"{kind}, seed {seed}: loss {first:.3f} within, {last:.3f} beyond", flush=True)
    return found


def ten_thousandths(number):
    """Whole numbers take less room."""
    return round(10_000 * number)


def main():
    one_thread()
    store(FILE, record())
