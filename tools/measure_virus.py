"""Train the case study's models again, from other seeds and on other trees, and store what they reach.

    python tools/measure_virus.py FOLDER     a quarter of an hour on one core

The chapter on the virus shows these numbers, of data/virus-again.json. The weights stay in FOLDER: a run that was cut
off goes on from there. One thread, so that the same numbers come out again on the same kind of processor.
"""

from __future__ import annotations

import json
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

import torch

import tutorial_lib
from tutorial_lib.genomics import VariantBert, kmer_tokenizer, make_virus, simulate
from tutorial_lib.genomics.again import FILE, RUNS, measure_virus
from tutorial_lib.tokenization.files import write_text


def record(folder, runs=RUNS) -> dict:
    """What is stored: where the numbers come from, and the numbers, in four digits."""
    return {
        "date": date.today().isoformat(),
        "versions": {"tutorial_lib": tutorial_lib.__version__,
                     **{name: version(name).partition("+")[0] for name in ("torch", "numpy", "scikit-learn")}},
        "runs": [{**vars(run), "measured": told(run, Path(folder))} for run in runs],
    }  # fmt: skip


def told(run, folder):
    place = folder / f"seed{run.seed}-tree{run.tree}"
    make_virus(run.name, place, recipe=run.recipe)
    model = VariantBert.from_pretrained(place / run.name, device="cpu")
    found = measure_virus(model, kmer_tokenizer(), simulate(seed=run.tree))
    print(f"{run}: {found['lineages']:.1%} of new sub-lineages", flush=True)
    return {name: round(value, 4) for name, value in found.items()}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    write_text(FILE, json.dumps(record(sys.argv[1]), indent=1) + "\n")
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")
