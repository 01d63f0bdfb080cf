"""Build the book: run the chapters that changed, let Jupyter Book make the pages that changed, then the slides.

    python -m website build
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tutorial_lib.atomic import write_text
from website import slides
from website.build import values
from website.build.runs import chapters, content_key, run_chapters
from website.origin import Origin
from website.project import ROOT, say

SOURCES = ["*", "book/**/*", "coursework/**/*", "tutorial_*/**/*", "website/**/*"]  # the source files of the site
FULL = 5_000_000  # bytes: a disk with less free space is full
NO_ROOM = "The disk is full. Make room, and run `make book` again. The results of finished chapters are kept."


# The inputs of all pages besides their own source: the code that makes them, and the terms and sources they refer to.
SHARED = ["_config.yml", "_toc.yml", "constraints.txt", "book/glossary.md", "book/references.bib", "website/**/*",
          "book/_static/**/*", "book/signs/**/*"]  # fmt: skip


def _joint_key(root: Path, patterns: list[str]) -> str:
    """Return a hash of the files of these patterns."""
    files = {path for pattern in patterns for path in root.glob(pattern)}
    sources = sorted(path for path in files if path.is_file() and "__pycache__" not in path.parts)
    text = "".join(f"{path.relative_to(root)} {content_key(path)}\n" for path in sources)
    return hashlib.sha256(text.encode()).hexdigest()


def build_pages(root: Path, made: dict[str, str]) -> int:
    """Let Jupyter Book make the pages that changed; a warning is an error. Returns the exit code.

    made: page -> a hash of its inputs, besides its source, which Sphinx checks. If no source has changed, and neither
    have the address and commit in the notebooks, Sphinx does not even run.
    """
    record = root / "_build" / "pages.json"
    sources = f"{_joint_key(root, SOURCES)} {Origin.of(root)}"
    now = {"": _joint_key(root, SHARED), "book/api": _joint_key(root, ["tutorial_*/**/*.py"]), **made}
    before = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    if before == now | {"sources": sources} and (root / "_build" / "html" / "index.html").exists():
        return 0
    record.unlink(missing_ok=True)  # warnings appear only once: after a failed build, all pages are made again
    again = [page for page, key in now.items() if before.get(page) != key]
    every = ["--all"] if "" in again else []
    again.append("book/figures")  # lists the content of all other pages
    log = root / "_build" / "sphinx.log"
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [jupyter_book, "build", "-W", "-n", "--keep-going", *every, root]
    environment = os.environ | {"OUTDATED_PAGES": " ".join(again)}
    with log.open("w", encoding="utf-8") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, cwd=root, env=environment).returncode
    if code:
        lines = log.read_text(encoding="utf-8").splitlines()
        told = [line for line in lines if re.search(r"WARNING|ERROR|CRITICAL|[Ee]xception", line)]
        print("\n".join(told or lines[-40:]), f"(the whole log: {log.relative_to(root)})", sep="\n", file=sys.stderr)
    else:
        write_text(record, json.dumps(now | {"sources": sources}))
    return code


def build(root: Path) -> int:
    """Build chapters, then pages. Returns the exit code."""
    start = time.perf_counter()
    paths = chapters(root)
    say(f"Chapters: {', '.join(path.stem for path in paths) or 'none'}")
    made, failures = {}, [str(mistake) for page in values.marked(root) for mistake in values.mistakes(root, page)]
    if not failures:  # report problems that are known before the chapters run
        made, failures = asyncio.run(run_chapters(root, paths))
    for failure in failures:
        say(f"\n{failure}", file=sys.stderr)
    if failures:
        return 1
    say(f"  all outputs ready after {time.perf_counter() - start:.1f} s; making the pages")
    if code := build_pages(root, made):
        return code
    if count := slides.make(root):
        say(f"  slides and sheets of {count} chapters")
    say(f"The book: _build/html/index.html ({time.perf_counter() - start:.1f} s)")
    return 0


def main(root: Path = ROOT) -> int:
    """Build everything, and report a full disk. Returns the exit code."""

    def full():
        return shutil.disk_usage(root).free <= FULL

    try:
        code = build(root)
    except Exception:  # a full disk raises many errors: a file's, SQLite's, a kernel's
        if not full():
            raise
        code = 1
    if code and full():
        say(NO_ROOM, file=sys.stderr)
    return code

