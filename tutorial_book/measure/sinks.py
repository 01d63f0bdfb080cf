"""Train small decoders with a way out of attention and without, five seeds of each: stored/sinks.json.

    python -m tutorial_book measure sinks        some minutes on one core

The chapter on where heads rest shows these numbers; the weights are not kept. One thread, so that the same numbers come
out again on the same kind of processor. The file is written after each seed: who stops here keeps those before.
"""

from __future__ import annotations

from tutorial_book.experiments import sinks
from tutorial_book.experiments.sinks import FILE, KINDS, SEEDS, SETTINGS, floor, follow, letters
from tutorial_book.measure.record import by_seed, each, measured_with, one_thread, settings, store
from tutorial_lib.training.recipes import HELD_OUT

SHAPE = "N_TOKENS FROM N_TEXTS N_JUDGED BATCH SIGNALS WIDTH N_LAYERS N_HEADS BITS LOWEST OTHERS"


def record(kinds=KINDS, seeds=SEEDS, until=SETTINGS.n_steps):
    """What is stored, after each seed: where the numbers come from, and the numbers of all seeds so far."""
    runs = {kind: [] for kind in kinds}
    for seed in seeds:
        for kind, so_far in runs.items():
            so_far.append(told(kind, seed, until))
        yield {
            **measured_with("torch", "numpy"),
            "settings": settings(sinks, SHAPE),
            "floor": each(floor(letters(HELD_OUT, sinks.N_JUDGED)), small),
            "kinds": {kind: by_seed(found, small) for kind, found in runs.items()},
        }  # fmt: skip


def told(kind, seed, until):
    found = follow(kind, seed, until)
    print(f"{kind}, seed {seed}: loss {found['loss']}, weight at 0 {found['of others']}", flush=True)
    return found


def small(number):
    """Four digits behind the point are enough."""
    return round(number, 4)


def main():
    one_thread()
    for so_far in record():
        store(FILE, so_far)
