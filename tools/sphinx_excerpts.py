"""A Sphinx extension: what the search shows of the pages that it finds, as a script that works from files, too.

Sphinx's own search fetches each page that it lists, which a browser forbids to pages from files.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes

LEFT_OUT = {"book/api"}  # a third of all words; what it defines is found by name
SHOWN = (nodes.title, nodes.paragraph, nodes.caption)


def text_of(doctree: nodes.document) -> str:
    """The sentences of a page: its text, headings and captions, without code and formulas.

    A mark of a cell, a table of numbers or what a program prints would be no sentence.
    """
    parts = []
    for node in doctree.findall(lambda node: isinstance(node, SHOWN)):
        words = [part.astext() for part in node.findall(nodes.Text) if not isinstance(part.parent, nodes.math)]
        parts.append(" ".join("".join(words).split()))
    return " ".join(filter(None, parts))


def write(app, exception) -> None:
    if exception or app.builder.format != "html":
        return
    texts = {page: text_of(app.env.get_doctree(page)) for page in sorted(app.env.found_docs - LEFT_OUT)}
    target = Path(app.outdir, "_static", "excerpts.js")
    target.write_text(f"BOOK_TEXTS = {json.dumps(texts, ensure_ascii=False)};\n", encoding="utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
