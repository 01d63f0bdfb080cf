"""Gather what the chapters' last runs say of each finding, and store it: experiments/stored/survived.json.

    python tools/gather_survived.py         seconds, where the chapters have run

The page *What survived* shows these numbers; a test compares them with the runs.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import build_book
from names import Names
from record import as_json, measured_with

from tutorial_book.experiments.survived import FILE, ROWS, gathered
from tutorial_lib.weights.files import write_text


def values_of(chapter: str) -> Names:
    """The values of a chapter's current run, which is made where there is none."""
    path = build_book.ROOT / "book" / f"{chapter}.md"
    (run,) = asyncio.run(build_book.current_runs(build_book.ROOT, [path]))
    if isinstance(run, str):
        raise SystemExit(run)
    return Names(chapter, run["names"].read_bytes())


def record(page_of=values_of) -> dict:
    """What is stored."""
    return {**measured_with("torch", "numpy"), "rows": gathered(page_of)}


def main(path: Path = FILE) -> None:
    write_text(path, as_json(record()))
    print(f"{len(ROWS)} findings: {path}")


if __name__ == "__main__":
    main()
