"""What a page writes: every line that has a value, filled, and what is wrong.

    python tools/show_values.py seeing                  the lines of a page; of its plan: teach/seeing
    python tools/show_values.py seeing 'len(points)'    the value of an expression on that page

The chapter runs first if its cells changed.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import build_book
import values


def main(arguments: list[str]) -> int:
    root = build_book.ROOT
    page = "book/" + arguments[0].removeprefix("book/").removesuffix(".md") if arguments else ""
    if not (root / f"{page}.md").exists():
        print(f"PAGE must be a page of the book, got {arguments[:1]}.\n\n{__doc__}", file=sys.stderr)
        return 2
    source, chapters = (root / f"{page}.md").read_text(encoding="utf-8"), build_book.chapters(root)
    needed = {Path(page).name, *(name.replace("_", "-") for name in re.findall(r"\bpages\.(\w+)", source))}
    needed = [path for path in chapters if path.stem in needed]
    runs = dict(zip(needed, asyncio.run(build_book.current_runs(root, needed)), strict=True))
    if failures := [run for run in runs.values() if isinstance(run, str)]:
        return print(*failures, sep="\n") or 1
    all_pages = values.Pages(root, {path.stem: run["names"] for path, run in runs.items()})
    if len(arguments) > 1:
        try:
            print(all_pages.values(page).evaluate(arguments[1]))
        except Exception as error:  # whatever an expression raises
            print(f"{arguments[1]}: {error or type(error).__name__}", file=sys.stderr)
            return 1
        return 0
    text, problems, _ = values.fill(page, all_pages)
    for line in sorted({line for line, match, _ in values.marks(source) if match["inline"]}):
        print(f"{line}: {text.splitlines()[line - 1].strip()}\n")
    print(*(values.mistakes(root, page) or problems), sep="\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
