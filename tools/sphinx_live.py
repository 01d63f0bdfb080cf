"""A Sphinx extension that puts the live models and the golden traces beside the pages, 50 MB in _static/live.

The models are what a press on a page loads. All are made
from the models' own files at each build in which these, the texts or the scripts changed.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIVE = ROOT / "tutorial_lib" / "views" / "live"
MODELS = ("all-MiniLM-L6-v2", "book-bert", "book-gpt", "book-gpt-20", "book-gpt-100", "book-gpt-400")
TEXTS = ("documents", "encyclopedia", "posts", "stories")  # what a reader's sentence is compared with


def key() -> str:
    """A hash of what the scripts are made of: the library's code, and the models' weights."""
    from tutorial_lib import weights

    files = [path for path in (ROOT / "tutorial_lib").rglob("*") if path.suffix in (".py", ".js", ".wasm", ".txt")]
    own = ROOT / "tutorial_book" / "experiments"
    files += [own / "golden.py", own / "since.py", *own.glob("stored/models/*/model.safetensors")]
    parts = [path.read_bytes() for path in sorted(files)]
    parts += [weights.sha256(weights.resolve(name) / "model.safetensors").encode() for name in MODELS]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def write(folder: Path) -> None:
    """Write the worker, each model with what a page compares with it, and the golden traces."""
    from tutorial_book.experiments.golden import write_golden
    from tutorial_book.experiments.since import rotary_gpt
    from tutorial_lib import load
    from tutorial_lib.texts import load_texts
    from tutorial_lib.views import live
    from tutorial_lib.weights import DEFAULT

    texts = list(dict.fromkeys(text for name in TEXTS for text in load_texts(name)))
    live.write_worker(folder)
    for name in MODELS:
        live.write_model(folder, name, *load(name, "cpu"), texts if name == DEFAULT else ())
    live.write_model(folder, "book-gpt-rotary", rotary_gpt(), load("book-gpt", "cpu")[1])
    (folder / "golden").mkdir(exist_ok=True)
    write_golden(folder / "golden")


def start(app) -> None:
    """page.js lies there before the pages are made: they name it by its checksum."""
    if app.builder.format == "html":
        folder = Path(app.outdir) / "_static" / "live"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(LIVE / "page.js", folder)


def finish(app, exception) -> None:
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static" / "live"
    made, now = folder / "made.txt", key()
    if not made.exists() or made.read_text(encoding="utf-8") != now:
        made.unlink(missing_ok=True)
        write(folder)
        made.write_text(now, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", start)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
