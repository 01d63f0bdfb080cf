"""A Sphinx extension: a page carries each script and style sheet of its views once.

A view brings all that it needs, so that it works in any notebook. On a page with several they would bring the same
many times: here a page's views are found, their scripts and style sheets taken out, and each put back once, the style
sheets before the page's text and the scripts after it.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from tutorial_lib.views.base import shortened

ROOT = Path(__file__).resolve().parent.parent
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
    """What a view carries of each file, to the file's name."""
    return {shortened(path): path.stem for folder in FOLDERS for path in sorted(folder.glob(f"*{suffix}"))}


def parts(text: str, suffix: str, between: str) -> list[str] | None:
    """The files' texts that a view's script or style sheet is made of, in order; None where it is made of others.

    A page that was not made anew may have a view whose files have changed since: it keeps its own.
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
    """A page's HTML with each script and style sheet of its views once."""
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


def change(app, name, template, context, doctree) -> None:
    if app.builder.format == "html" and "body" in context:
        context["body"] = once(context["body"])


def setup(app):
    app.connect("html-page-context", change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
