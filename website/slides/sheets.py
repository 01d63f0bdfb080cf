"""A chapter on one printed page: `sheets/NAME.html`, with its drawing, its numbered formulas and its findings.

All content is the chapter's own. The page fits on A4 and on Letter: sheets.js makes the letters as large as the paper
allows. If much of it stays empty, the first figure of the chapter's plan is also shown.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from website.directives.chapters import picture
from website.project import template
from website.slides.deck import Deck, meanings
from website.slides.order import order
from website.slides.source import Item, mathjax, tags, words

FOLDER = "sheets"
PAGE = Path(__file__).with_name("sheet.html")


def html(deck: Deck) -> str:
    """Return the sheet of the chapter of these slides."""
    chapter = deck.chapter
    formulas = [formula(deck, item) for item in chapter.items if item.kind == "formula"]
    findings = [finding(deck, item) for item in chapter.items if item.kind == "finding"]
    parts = [part("Formulas", formulas), part("What it found", findings)]
    return template(
        PAGE,
        meta=tags(chapter),
        mathjax=mathjax(chapter),
        name=chapter.name,
        number=f"{chapter.number}. " if chapter.number else "",
        title=escape(chapter.title),
        question=escape(chapter.question),
        picture=picture(chapter.name),
        parts="\n".join(filter(None, parts)),
        figure=figure(deck),
    )


def figure(deck: Deck) -> str:
    shown = (entry.what for entry in order(deck.chapter, deck.plan).lesson)
    made = deck.copied(next(item.element for item in shown if isinstance(item, Item) and item.kind == "figure"))
    for image in made.select("img"):
        del image["loading"]
    return str(made)


def part(title: str, lines: list[str]) -> str:
    return f"<section><h2>{title}</h2>{''.join(lines)}</section>" if lines else ""


def formula(deck: Deck, item: Item) -> str:
    made = deck.copied(item.element)
    number = words(made.select_one(".eqno").extract()).rstrip("#")
    return f'<div class="formula">{deck.link(item.name, number)}{made}{meanings(item.element)}</div>'


def finding(deck: Deck, item: Item) -> str:
    return f'<div class="finding">{deck.copied(item.element).decode_contents().strip()}</div>'
