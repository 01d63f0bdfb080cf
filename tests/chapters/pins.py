"""Pin the values on the pages: every value under three arithmetics, in tests/chapters/values.tsv.

    python -m tests.chapters.pins '' 'A=1 B=2' 'A=3'    run the chapters as they are and under each of these variables,
                                                  and write the table (`make pin`): its diff is what a reviewer reads
    python -m tests.chapters.pins heads 'A=1' 'A=3'  the same for one chapter and its plan (`make pin CHAPTER=heads`)
    python -m tests.chapters.pins sensitive          the chapters whose values differ, for `make portable`

A row has the page, the mark, its value as it is, and those under the other arithmetics if they differ.
"""

from __future__ import annotations

import asyncio
import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tutorial_lib.atomic import beside
from website.build import values
from website.build.runs import chapters, current_runs
from website.project import ROOT

TABLE = ROOT / "tests" / "chapters" / "values.tsv"
NUMBER = re.compile(r"−?\d[\d,]*(?:\.\d+)?")


def pinned(root: Path, chapter: str = "") -> dict[str, dict[str, str]] | None:
    """For each page, its marks and their values, from the chapters' current runs; None if an expression fails.

    chapter: only its page and its plan. Errors, and statements that do not hold, go to stderr.
    """
    marked = [page for page in values.marked(root) if chapter in ("", Path(page).name)]
    needed = set().union(*(values.needed(root, page) for page in marked))
    runs = asyncio.run(current_runs(root, [path for path in chapters(root) if path.stem in needed]))
    pages = values.Pages(root, {name: run["names"] for name, run in runs.items() if not isinstance(run, str)})
    filled = {page: values.fill(page, pages) for page in marked}
    problems = [problem for _, found, _ in filled.values() for problem in found]
    for problem in problems:
        print(problem, file=sys.stderr)
    return {page: found for page, (*_, found) in filled.items()} if all(each.false for each in problems) else None


def under(arithmetic: dict[str, str], chapter: str) -> dict[str, dict[str, str]] | None:
    """The result of `pinned` under other variables."""
    command = [sys.executable, "-m", "tests.chapters.pins", "print", chapter]
    options = {"cwd": ROOT, "env": os.environ | arithmetic, "stdout": subprocess.PIPE, "text": True}
    done = subprocess.run(command, check=True, **options)
    return json.loads(done.stdout.splitlines()[-1])


def read(table: Path = TABLE) -> dict[str, dict[str, list[str]]]:
    """Page -> mark -> its values, one for each arithmetic."""
    rows = {}
    with table.open(encoding="utf-8", newline="") as file:
        for page, mark, native, *others in csv.reader(file, delimiter="\t"):
            rows.setdefault(page, {})[mark] = [native, *(other or native for other in others)]
    return rows


def numbers(text: str) -> list[float]:
    return [float(number.replace(",", "").replace("−", "-")) for number in NUMBER.findall(text)]


def unit(number: str) -> float:
    """One in the last digit that is written."""
    return 10.0 ** -len(number.partition(".")[2])


def is_near(text: str, known: list[str]) -> bool:
    """Return whether a value is right: as under the three arithmetics, except for one in the last digit.

    >>> is_near("0.91", ["0.90", "0.90", "0.90"]), is_near("0.92", ["0.90", "0.90", "0.90"])
    (True, False)

    If the three differ, a fourth processor may lie outside of them by their range and a fifth of the value.

    >>> is_near("0.78", ["0.90", "0.95", "0.93"]), is_near("0.60", ["0.90", "0.95", "0.93"])
    (True, False)

    Words must be one of the three; where these differ, another processor may well have a fourth.

    >>> is_near("PCA", ["UMAP", "UMAP", "UMAP"]), is_near("PCA", ["UMAP", "t-SNE", "UMAP"])
    (False, True)
    """
    same = [other for other in known if NUMBER.sub("#", other) == NUMBER.sub("#", text)]
    if not same:
        return len(set(NUMBER.sub("#", other) for other in known)) > 1
    for place, (number, digits) in enumerate(zip(numbers(text), NUMBER.findall(text), strict=True)):
        others = [numbers(other)[place] for other in same]
        low, high = min(others), max(others)
        margin = 1.001 * unit(digits) + (high > low) * (high - low + 0.2 * max(abs(low), abs(high)))
        if not low - margin <= number <= high + margin:
            return False
    return True


def write(rows: dict[str, dict[str, list[str]]]) -> None:
    """Write the table as `read` reads it."""
    with beside(TABLE) as part, part.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        for page in values.marked(ROOT):
            for mark, (native, *others) in rows.get(page, {}).items():
                table.writerow([page, mark, native, *("" if other == native else other for other in others)])


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Write the table, or print what these arguments ask for."""
    if arguments[:1] == ["print"]:
        print(json.dumps(pinned(root, arguments[1])))
    elif arguments == ["sensitive"]:
        differ = {page for page, marks in read().items() if any(len(set(known)) > 1 for known in marks.values())}
        names = {Path(page).name for page in differ}
        print(" or ".join(sorted({*names, *(name.replace("-", "_") for name in names)})))
    else:
        chapter, *arithmetics = arguments
        found = [under(dict(pair.split("=") for pair in some.split()), chapter) for some in ["", *arithmetics]]
        if None in found:
            print("An expression fails, as said above: the table is as it was.", file=sys.stderr)
            return 1
        if chapter and not found[0]:
            print(f"{chapter} has no page with values: the table is as it was.", file=sys.stderr)
            return 1
        rows = {page: {mark: [one[page][mark] for one in found] for mark in marks} for page, marks in found[0].items()}
        write(read() | rows if chapter else rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
