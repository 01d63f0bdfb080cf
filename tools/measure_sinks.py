"""Train small decoders with a way out of attention and without, five seeds of each: stored/sinks.json.

    python tools/measure_sinks.py        some minutes on one core

The chapter on where heads rest shows these numbers; the weights are not kept. One thread, so that the same numbers come
out again on the same kind of processor. The file is written after each seed: who stops here keeps those before.
"""

from __future__ import annotations

from dataclasses import asdict

import torch
from record import as_json, measured_with

from tutorial_book.experiments import sinks
from tutorial_book.experiments.sinks import FILE, KINDS, SEEDS, SETTINGS, floor, follow, letters
from tutorial_lib.training.recipes import HELD_OUT
from tutorial_lib.weights.files import write_text

SHAPE = "N_TOKENS FROM N_TEXTS N_JUDGED BATCH SIGNALS WIDTH N_LAYERS N_HEADS BITS LOWEST OTHERS".split()


def settings() -> dict:
    """All that was chosen: of `experiments.sinks`, and of its training."""
    return {name: getattr(sinks, name) for name in SHAPE} | {"training": asdict(SETTINGS)}


def record(kinds=KINDS, seeds=SEEDS, until=SETTINGS.n_steps):
    """What is stored, after each seed: where the numbers come from, and the numbers of all seeds so far."""
    runs = {kind: [] for kind in kinds}
    for seed in seeds:
        for kind, so_far in runs.items():
            so_far.append(told(kind, seed, until))
        yield {
            **measured_with("torch", "numpy"),
            "settings": settings(),
            "floor": small(floor(letters(HELD_OUT, sinks.N_JUDGED))),
            "kinds": {kind: by_seed(found) for kind, found in runs.items()},
        }  # fmt: skip


def told(kind, seed, until):
    found = follow(kind, seed, until)
    print(f"{kind}, seed {seed}: loss {found['loss']}, weight at 0 {found['of others']}", flush=True)
    return found


def by_seed(found):
    """name -> a list over seeds, out of a list of dictionaries; four digits behind the point are enough."""
    return {name: [small(one[name]) for one in found] for name in found[0]}


def small(value):
    return [small(one) for one in value] if isinstance(value, list) else round(value, 4)


if __name__ == "__main__":
    torch.set_num_threads(1)
    for so_far in record():
        write_text(FILE, as_json(so_far))
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")
