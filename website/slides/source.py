"""A chapter's built page, and its teacher's page, parsed for slides and sheets.

`read_chapter` returns the content of a chapter, in its order: figures and views, guesses, findings, numbered formulas,
each with its heading. `read_plan` returns the lesson: its steps, what each of them shows, its questions. Both read
Sphinx's output, so answers, numbers and links are the same as on the page.
"""

from __future__ import annotations

import copy
import posixpath
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from bs4 import BeautifulSoup, Tag

from website.directives.markdown import bodies

CODE = re.compile(r'<div class="highlight"><pre>.*?</pre></div>', re.S)  # most of a page, and on no slide
SHOWN = "figure[id], .guess[data-guess], .finding, div.math[id]"
KINDS = {"guess": "guess", "finding": "finding", "math": "formula"}
NAMED = "a:has(> .std-numref), a[href*='#equation-']"  # the links to figures and formulas
FOLDED = {"lab", "proof", "exercise"}


class Item(NamedTuple):
    """One item of a chapter."""

    kind: str  # figure, view, guess, finding or formula
    name: str  # a figure's or a formula's anchor, a guess's name; a finding's first sentence
    element: Tag
    part: str  # the title of the chapter's part, "" in its opening
    heading: Tag  # the nearest one above
    guess: str  # the one that must be made before, ""
    folded: bool  # in the lab, the proof or an exercise, or the front page's picture: shown only if the plan names it


class Chapter(NamedTuple):
    name: str
    title: str
    number: str
    question: str
    lead: Tag
    head: Tag
    items: list[Item]
    scripts: list[str]  # those of its views, and their style sheets
    styles: list[str]


class Step(NamedTuple):
    minutes: str  # "6–18", "" without a time
    title: str
    elements: list[Tag]
    shows: list[tuple[str, str]]  # (figure or formula, anchor), (guess, name), (quote, text), (board, lines)


class Plan(NamedTuple):
    before: list[Tag]  # the text before the first minute
    steps: list[Step]
    questions: list[list[Tag]]
    board: list[Tag]
    homework: list[Tag]
    hands: dict[str, Tag]  # the shows of hands, by guess


def soup(page: Path) -> BeautifulSoup:
    return BeautifulSoup(CODE.sub("", page.read_text(encoding="utf-8")), "html.parser")


def words(element: Tag) -> str:
    """Return an element's text, with one space between words.

    >>> words(BeautifulSoup("<p>Two <b>\\n words</b>.</p>", "html.parser"))
    'Two words.'
    """
    return " ".join(element.get_text().split())


def outside(element: Tag, page: str, here: str) -> Tag:
    """Copy an element of a page for another page: its links lead back, and it has no anchor.

    >>> text = BeautifulSoup('<a id="b" href="#fig-a">A</a> <a href="heads.html">B</a>', "html.parser")
    >>> outside(text, "book/attention.html", "slides")
    <a href="../book/attention.html#fig-a">A</a> <a href="../book/heads.html">B</a>
    """
    made = copy.copy(element)
    for inner in made.select(".headerlink, .tl-save"):
        inner.decompose()
    for inner in [made, *made.find_all(True)]:
        if inner.has_attr("id") and not inner.find_parent(class_="tl-view") and "tl-view" not in inner.get("class", []):
            del inner["id"]
        if inner.name == "a" and inner.has_attr("href") and not urlsplit(inner["href"]).scheme:
            path, hash_, anchor = inner["href"].partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
            inner["href"] = posixpath.relpath(target, here) + hash_ + anchor
    return made


def tags(chapter: Chapter) -> str:
    """Return the chapter's description for other programs, from its head."""
    found = chapter.head.select("meta[property^='og:'], meta[name=description]")
    return "\n".join(map(str, found)).replace('content="article"', 'content="website"')


def mathjax(chapter: Chapter) -> str:
    """Return the scripts that draw formulas, "" if the chapter has none."""
    return "\n".join(str(script) for script in chapter.head.find_all("script") if "mathjax" in str(script).casefold())


def read_chapter(site: Path, name: str) -> Chapter:
    page = soup(site / "book" / f"{name}.html")
    article = page.select_one("article.bd-article")
    number = article.h1.select_one(".section-number")
    title = words(article.h1).rstrip("#").removeprefix(words(number) if number else "").strip()
    items = [item for element in article.select(SHOWN) if (item := read_item(element))]
    return Chapter(
        name=name,
        title=title,
        number=words(number).rstrip(".") if number else "",
        question=words(article.select_one(".hero > .ask")),
        lead=article.select_one(".hero > .lead"),
        head=page.head,
        items=items,
        scripts=[script.string for script in article.find_all("script", recursive=False)],
        styles=[style.string for style in article.find_all("style", recursive=False)],
    )


def read_item(element: Tag) -> Item | None:
    """None for an item without a name: a figure without an anchor, a formula without a number."""
    css = element.get("class") or []
    kind = next((kind for name, kind in KINDS.items() if name in css), "figure")
    if kind == "figure" and element.select_one(".tl-view"):
        kind = "view"
    if kind == "formula" and not element.select_one(".eqno"):
        return None
    name = element.get("data-guess") or element.get("id") or words(element.p)
    sections = element.find_parents("section")
    part = sections[-2].find(["h1", "h2"]) if len(sections) > 1 else None
    opened = element.find_parent(class_="guess-opened")
    return Item(
        kind=kind,
        name=name,
        element=element,
        part=words(part).rstrip("#") if part else "",
        heading=sections[0].find(["h1", "h2", "h3", "h4"]),
        guess=opened.parent.select_one(".guess")["data-guess"] if opened else "",
        folded="thread" in css or any(FOLDED & set(up.get("class") or []) for up in element.find_parents("details")),
    )


def read_plan(site: Path, root: Path, name: str) -> Plan:
    article = soup(site / "book" / "teach" / f"{name}.html").select_one("article.bd-article")
    parts = {words(part.h2).rstrip("#"): part for part in article.section.find_all("section", recursive=False)}
    source = (root / "book" / "teach" / f"{name}.md").read_text(encoding="utf-8")
    asked = (argument for argument, _, _ in bodies(source, "hands"))
    hands = dict(zip(asked, article.select(".hands"), strict=True))
    for guess, box in hands.items():
        box["data-hands"] = guess
    questions: list[list[Tag]] = []
    for element in below(parts["Three questions to discuss"]):
        if element.name == "p" and re.match(r"\d\. ", words(element)):
            questions.append([])
        questions[-1].append(element)
    return Plan(
        before=[element for element in below(article.section) if element.name != "section"],
        steps=[read_step(part) for part in parts["Fifty minutes"].find_all("section", recursive=False)],
        questions=questions,
        board=below(parts["On the board"]),
        homework=below(parts["Homework"]),
        hands=hands,
    )


def below(section: Tag) -> list[Tag]:
    """Return the content of a section, without its heading."""
    children = section.find_all(True, recursive=False)
    return [child for child in children if child.name not in ("h1", "h2", "h3") and not child.has_attr("data-board")]


def read_step(section: Tag) -> Step:
    minutes, _, title = words(section.h3).rstrip("#").partition(". ")
    return Step(minutes, title, below(section), shows(section))


def shows(element: Tag) -> list[tuple[str, str]]:
    """Return what a part of a plan shows, in order: figures, formulas, shows of hands, quotations, the board."""
    found = []
    for inner in element.select(f"{NAMED}, .hands, blockquote, [data-board]"):
        if inner.name == "a":
            anchor = inner["href"].partition("#")[2]
            found.append(("formula" if anchor.startswith("equation-") else "figure", anchor))
        elif inner.name == "blockquote":
            found.append(("quote", words(inner)))
        elif inner.has_attr("data-board"):
            found.append(("board", inner["data-board"]))
        else:
            found.append(("guess", inner["data-hands"]))
    return found
