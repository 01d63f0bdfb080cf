"""A Sphinx extension: Sphinx reads each page as tools/values.py has filled it."""

from __future__ import annotations

from pathlib import Path

from values import text_of


def read(app, docname: str, source: list[str]) -> None:
    if app.env.doc2path(docname).endswith(".md"):
        source[0] = text_of(Path(app.srcdir), docname)


def setup(app):
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
