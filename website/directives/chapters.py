"""The directive `chapters` shows the chapters as pictures with their questions, part by part.

`chapters` alone shows those of the book; `chapters lab` shows those that begin with a question. Each picture is a file
in book/signs, in the colors that figures and views use for the same thing: a symbol of the chapter's subject, not data.
"""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes

from website.directives.nodes import Mark, find_places
from website.project import ROOT, parts

LAB = "Lab: "  # the first words of its parts' captions in _toc.yml
WIDTH, HEIGHT = 160, 100
SIGNS = ROOT / "book" / "signs"


@cache
def picture(name: str) -> str:
    """Return a chapter's picture as SVG, in the colors of the page's theme; "" if it has none."""
    path = SIGNS / f"{name}.svg"
    return "".join(path.read_text(encoding="utf-8").splitlines()) if path.exists() else ""


def card(app, docname: str, page: str) -> str:
    """Return a chapter's card: its picture, its title, its question; nothing for a page without a question."""
    ask, sign = app.env.metadata.get(page, {}).get("ask"), picture(page.rpartition("/")[2])
    if not ask or not sign:
        return ""
    address, title = app.builder.get_relative_uri(docname, page), app.env.titles[page].astext()
    return (
        f'<li><a class="card-link" href="{escape(address)}">{sign}'
        f"<b>{escape(title)}</b><span>{escape(ask)}</span></a></li>"
    )


def fill(app, doctree: nodes.document, docname: str) -> None:
    """Show the cards of the book's chapters, or of the lab's, part by part."""
    for place in find_places(doctree, "chapters"):
        shown = []
        for part in parts(Path(app.srcdir)):
            cards = "".join(card(app, docname, page) for page in part.pages)
            if cards and part.caption.startswith(LAB) == (place["about"] == "lab"):
                name = part.caption.removeprefix(LAB)
                title = f'<p class="part">{escape(name[0].upper() + name[1:])}</p>'
                count = cards.count("<li>")
                shown.append(f'<div style="--cards: {count}">{title}<ul class="cards">{cards}</ul></div>')
        place.replace_self(nodes.raw("", f'<div class="parts">{"".join(shown)}</div>', format="html"))


def setup(app):
    app.add_directive("chapters", Mark)
    app.connect("doctree-resolved", fill)
