"""Views on pages: each page contains its views' scripts once, and _static/live the models that run in them, 50 MB.

A view contains everything that it needs, so that it works in any notebook. On a page with several views the same code
would be repeated: here a page's views are found, their scripts and style sheets taken out, and each inserted once, the
style sheets before the page's text and the scripts after it.

The models are loaded when a reader presses a button, with the golden traces. All are made from the models' own files at
each build in which these, the texts or the scripts changed.
"""

from __future__ import annotations

import functools
import hashlib
import re
import shutil
from pathlib import Path

from tutorial_lib.views.base import shortened
from website.project import ROOT

LIVE = ROOT / "tutorial_lib" / "views" / "engine"
MODELS = ("all-MiniLM-L6-v2", "book-bert", "book-gpt", "book-gpt-20", "book-gpt-100", "book-gpt-400")
TEXTS = ("documents", "encyclopedia", "posts", "stories")  # the texts that a reader's sentence is compared with
FOLDERS = [ROOT / "tutorial_lib" / "views" / "js", *(ROOT / "tutorial_book" / "page").rglob("js")]
VIEW = re.compile(
    r'(?P<start><div class="tl-view [^>]*>)<style>(?P<style>.*?)</style>(?P<middle>.*?)'
    r"<script>\(function \(\) \{\n(?P<script>.*?)\n"
    r'TL\.start\("(?P<kind>[^"]+)-[^"-]+-[^"-]+", draw\);\n\}\)\(\);</script>',
    re.DOTALL,
)
STARTS = """document.querySelectorAll("[data-view]").forEach(function (view) {
var key = view.dataset.view;
try { TL.start(key, kinds[key.replace(/-[^-]+-[^-]+$/, "")]); } catch (error) { reportError(error); }
});"""


@functools.cache
def files(suffix: str) -> dict[str, str]:
    """Return the map from each file's content in a view to the file's name."""
    return {shortened(path): path.stem for folder in FOLDERS for path in sorted(folder.glob(f"*{suffix}"))}


def parts(text: str, suffix: str, between: str) -> list[str] | None:
    """Return the texts of the files that form a view's script or style sheet, in order; None if there are others.

    An unchanged page may have a view whose files have changed since: it keeps its own.
    """
    found = []
    while text:
        first = next((known for known in files(suffix) if known and (text + between).startswith(known + between)), None)
        if first is None:
            return None
        found.append(first)
        text = text[len(first) + len(between) :]
    return found


def once(body: str) -> str:
    """Return a page's HTML with each script and style sheet of its views once."""
    styles, shared, kinds = {}, {}, {}

    def take(match) -> str:
        style, script = parts(match["style"], ".css", ""), parts(match["script"], ".js", "\n")
        if style is None or script is None:
            return match[0]
        styles.update(dict.fromkeys(style))
        shared.update(dict.fromkeys(script[:-1]))
        kinds[match["kind"]] = script[-1]
        return match["start"] + match["middle"]

    body = VIEW.sub(take, body)
    if not kinds:
        return body
    own = [f'kinds["{kind}"] = (function () {{\n{script}\nreturn draw;\n}})();' for kind, script in kinds.items()]
    script = "\n".join([*shared, "var kinds = {};", *own, STARTS])
    return f"<style>{''.join(styles)}</style>{body}<script>(function () {{\n{script}\n}})();</script>"


def carry_once(app, name, template, context, doctree) -> None:
    if app.builder.format == "html" and "body" in context:
        context["body"] = once(context["body"])


def key() -> str:
    """Return a hash of the scripts' inputs: the library's code, and the models' weights."""
    from tutorial_lib import weights

    files = [path for path in (ROOT / "tutorial_lib").rglob("*") if path.suffix in (".py", ".js", ".wasm", ".txt")]
    own = ROOT / "tutorial_book" / "experiments"
    files += [own / "golden.py", own / "since.py", *own.glob("stored/models/*/model.safetensors")]
    parts = [path.read_bytes() for path in sorted(files)]
    parts += [weights.sha256(weights.resolve(name) / "model.safetensors").encode() for name in MODELS]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def write(folder: Path) -> None:
    """Write the worker, each model with the texts that a page compares, and the golden traces."""
    from tutorial_book.experiments.golden import write_golden
    from tutorial_book.experiments.since import rotary_gpt
    from tutorial_lib import load
    from tutorial_lib.texts import load_texts
    from tutorial_lib.texts.generated import stories
    from tutorial_lib.views import engine
    from tutorial_lib.views.training import N_STORIES
    from tutorial_lib.weights import DEFAULT

    texts = list(dict.fromkeys(text for name in TEXTS for text in load_texts(name)))
    engine.write_worker(folder)
    for name in MODELS:
        engine.write_model(folder, name, *load(name, "cpu"), texts if name == DEFAULT else ())
    engine.write_model(folder, "book-gpt-rotary", rotary_gpt(), load("book-gpt", "cpu")[1])
    engine.write_training(folder, load("book-gpt", "cpu")[1], [story.text for story in stories(N_STORIES)])
    (folder / "golden").mkdir(exist_ok=True)
    write_golden(folder / "golden")


def start(app) -> None:
    """page.js must exist before the pages are made: they name it by its checksum."""
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
    app.connect("html-page-context", carry_once)
    app.connect("builder-inited", start)
    app.connect("build-finished", finish)
