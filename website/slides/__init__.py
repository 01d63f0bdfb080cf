"""Slides and sheets of the chapters that have a teacher's page, made from the built site.

    python -m website slides        (after `make book`, which runs it too)

They are made again if one of their pages changed, or a file that makes them; a record stores the inputs of each.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tutorial_lib.atomic import write_text
from website.directives import chapters, figures
from website.project import ROOT, say
from website.slides import deck, sheets, source

MAKERS = [Path(module.__file__) for module in (chapters, figures)]
MAKERS += [*Path(__file__).parent.iterdir(), *chapters.SIGNS.iterdir()]


def names(root: Path) -> list[str]:
    return sorted(page.stem for page in (root / "book" / "teach").glob("*.md"))


def key(site: Path, name: str) -> str:
    """Return a hash of all inputs of a chapter's slides and sheet."""
    pages = [site / "book" / f"{name}.html", site / "book" / "teach" / f"{name}.html"]
    files = [file for file in [*sorted(MAKERS), *pages] if file.is_file()]
    return hashlib.sha256(b"".join(map(Path.read_bytes, files))).hexdigest()


def made(site: Path, name: str) -> list[Path]:
    return [site / folder / f"{name}.html" for folder in (deck.FOLDER, sheets.FOLDER)]


def make(root: Path) -> int:
    """Make those that changed. Returns for how many chapters."""
    site, record = root / "_build" / "html", root / "_build" / "classroom.json"
    before = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    now = {name: key(site, name) for name in names(root)}
    again = [name for name in now if before.get(name) != now[name] or not all(map(Path.exists, made(site, name)))]
    if again:
        deck.copy_scripts(site / "_static")
    for name in again:
        chapter, plan = source.read_chapter(site, name), source.read_plan(site, root, name)
        slides = deck.Deck(chapter, plan, site)
        for file in made(site, name):
            file.parent.mkdir(exist_ok=True)  # first: slides read pictures by paths that begin in their folder
        for file, text in zip(made(site, name), (slides.html(), sheets.html(slides)), strict=True):
            file.write_text(text, encoding="utf-8")
    write_text(record, json.dumps(now))
    return len(again)


def main() -> int:
    """Make those that changed, and say for how many chapters."""
    say(f"Slides and sheets of {make(ROOT)} chapters.")
    return 0
