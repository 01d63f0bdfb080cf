"""Show what a page writes: every line that has a value, filled in, and any errors.

    python -m website values seeing                  the lines of a page; for its plan: teach/seeing
    python -m website values seeing 'len(points)'    the value of an expression on that page

The chapter runs first if its cells changed.
"""

from __future__ import annotations

import asyncio
import sys

from website.build import values
from website.build.runs import chapters, current_runs
from website.project import ROOT


def main(arguments: list[str]) -> int:
    """Print the page's lines that have values, or the value of an expression on it."""
    page = "book/" + arguments[0].removeprefix("book/").removesuffix(".md") if arguments else ""
    if not (ROOT / f"{page}.md").exists():
        print(f"PAGE must be a page of the book, got {arguments[:1]}.\n\n{__doc__}", file=sys.stderr)
        return 2
    source = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    runs = asyncio.run(current_runs(ROOT, [path for path in chapters(ROOT) if path.stem in values.needed(ROOT, page)]))
    if failures := [run for run in runs.values() if isinstance(run, str)]:
        return print(*failures, sep="\n") or 1
    all_pages = values.Pages(ROOT, {name: run["names"] for name, run in runs.items()})
    if len(arguments) > 1:
        try:
            print(all_pages.values(page).evaluate(arguments[1]))
        except Exception as error:  # any exception of the expression
            print(f"{arguments[1]}: {error or type(error).__name__}", file=sys.stderr)
            return 1
        return 0
    text, problems, _ = values.fill(page, all_pages)
    for line in sorted({line for line, match, _ in values.marks(source) if match["inline"]}):
        print(f"{line}: {text.splitlines()[line - 1].strip()}\n")
    print(*(values.mistakes(ROOT, page) or problems), sep="\n")
    return int(bool(problems))

