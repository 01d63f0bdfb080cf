"""Train small decoders that differ in one part, five seeds of each, and store their losses: stored/since.json.

    python tools/measure_since.py        some minutes on one core

The chapter on what changed since 2017 shows these numbers; the weights are not kept. One thread, so that the same
numbers come out again on the same kind of processor.
"""

from __future__ import annotations

from dataclasses import asdict

import torch
from record import as_json, measured_with

from tutorial_book.experiments import since
from tutorial_book.experiments.since import FILE, KINDS, SEEDS, SETTINGS, follow, n_parameters, new_model
from tutorial_lib.weights.files import write_text

SHAPE = "N_TOKENS N_LONG N_PLACES N_STORIES N_JUDGED BATCH VOCABULARY WIDTH N_LAYERS N_HEADS".split()


def settings() -> dict:
    """All that was chosen: of `experiments.since`, and of its training."""
    return {name: getattr(since, name) for name in SHAPE} | {"training": asdict(SETTINGS)}


def record(kinds=tuple(KINDS), seeds=SEEDS, until=SETTINGS.n_steps) -> dict:
    """What is stored: where the numbers come from, and the numbers, in ten-thousandths."""
    runs = {kind: [told(kind, seed, until) for seed in seeds] for kind in kinds}
    return {
        **measured_with("torch", "numpy"),
        "settings": settings(),
        "parameters": {kind: n_parameters(new_model(kind, 0)) for kind in kinds},
        "kinds": {kind: by_seed(found) for kind, found in runs.items()},
    }  # fmt: skip


def told(kind, seed, until):
    found = follow(kind, seed, until)
    first, last = found["as it is"][3], found["as it is"][-1]
    print(f"{kind}, seed {seed}: loss {first:.3f} within, {last:.3f} beyond", flush=True)
    return found


def by_seed(found):
    """name -> a list over seeds, out of a list of dictionaries; whole ten-thousandths, which take less room."""
    if isinstance(found[0], dict):
        return {name: by_seed([one[name] for one in found]) for name in found[0]}
    return [small(one) for one in found]


def small(value):
    return [small(one) for one in value] if isinstance(value, list) else round(10_000 * value)


if __name__ == "__main__":
    torch.set_num_threads(1)
    write_text(FILE, as_json(record()))
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")
