"""Make the slides and the sheets of the chapters that have a page for their teacher, out of the built site.

    python tools/classroom.py       (after `make book`, which does it by itself)

They are made again when one of their pages changed, or a file that makes them; a record says of what each was made.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path

import built_page
import sheets
import slides
from build_book import ROOT, say, write

MAKERS = ["built_page.py", "classroom.py", "sheets.py", "slide_order.py", "slides.py", "sphinx_chapters.py",
          "sphinx_figures.py"]  # fmt: skip


def names(root: Path) -> list[str]:
    return sorted(page.stem for page in (root / "book" / "teach").glob("*.md"))


def key(site: Path, name: str) -> str:
    """A hash of all that a chapter's slides and sheet are made of."""
    tools = [Path(__file__).with_name(maker) for maker in MAKERS]
    pages = [site / "book" / f"{name}.html", site / "book" / "teach" / f"{name}.html"]
    return hashlib.sha256(b"".join(file.read_bytes() for file in [*tools, *pages])).hexdigest()


def made(site: Path, name: str) -> list[Path]:
    return [site / folder / f"{name}.html" for folder in (slides.FOLDER, sheets.FOLDER)]


def make(root: Path) -> int:
    """Make what changed. Returns for how many chapters."""
    site, record = root / "_build" / "html", root / "_build" / "classroom.json"
    before = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    now = {name: key(site, name) for name in names(root)}
    again = [name for name in now if before.get(name) != now[name] or not all(map(Path.exists, made(site, name)))]
    if again:
        slides.copy_reveal(site / "_static")
    for name in again:
        chapter, plan = built_page.read_chapter(site, name), built_page.read_plan(site, root, name)
        slides.write(site, chapter, plan)
        sheets.write(site, chapter, plan)
    write(record, json.dumps(now).encode())
    return len(again)


if __name__ == "__main__":
    start = time.perf_counter()
    count = make(ROOT)
    say(f"Slides and sheets of {count} chapters: {time.perf_counter() - start:.1f} s")
    sys.exit(0)
