"""A numbered formula explains its letters, one at a time, with the entries of book/letters.tsv.

Each letter that has an entry for this chapter becomes a part of the drawn formula that readers can point at, and a
button below it, for keys and touch: MathJax hides its drawing from screen readers, so nothing in it may take the focus.
book/_static/speaks.js does the rest; without it only the formula is shown.
"""

from __future__ import annotations

import re

from docutils import nodes

from website.directives.letters import Row, rows, symbols
from website.directives.nodes import element
from website.project import ROOT, numbered

WORDS = re.compile(r"(\\(?:text|mathrm|operatorname|begin|end|label)\{[^}]*\}|\\[A-Za-z]+(?![A-Za-z]))")
INDEX = re.compile(r"[_^]\{?[^{}\s]*$")  # text before a letter that is only an index
POWER = re.compile(r"(?<![A-Za-z\\])e\^\{")  # and text that makes it a number after all


def known(chapter: str) -> dict[str, Row]:
    """Return the letters that have a meaning in a chapter; of two rows for a letter, the narrower one wins."""
    order = numbered()
    found: dict[str, tuple[int, Row]] = {}
    for row in rows():
        names = row.chapters.split()
        if row.chapters == "all":
            width = len(order)
        elif row.chapters.endswith("+"):
            later = order[order.index(row.chapters[:-1]) :] if row.chapters[:-1] in order else []
            width = len(later) if chapter in later else 0
        else:
            width = len(names) * (chapter in names)
        for letter in row.letters if width else ():
            if letter not in found or width < found[letter][0]:
                found[letter] = width, row
    return {letter: row for letter, (_, row) in found.items()}


def marked(formula: str, letters: list[str]) -> str:
    r"""Return the formula with a class on each of the letters, except in an index.

    >>> marked(r"\softmax(Q_i K) \text{is K}", ["Q", "K"])
    '\\softmax(\\class{sym-0}{Q}_i \\class{sym-1}{K}) \\text{is K}'
    >>> marked("e^{z_i}", ["i", "z"])
    'e^{\\class{sym-1}{z}_i}'
    """
    numbers = {letter: number for number, letter in enumerate(letters)}
    names = "|".join(re.escape(letter) for letter in sorted(letters, key=len, reverse=True))
    exact = re.compile(rf"(?<![A-Za-z\\])(?:{names})(?![A-Za-z])")
    pieces, end = [], 0
    for match in re.finditer(rf"{WORDS.pattern}|{exact.pattern}", formula):
        letter = match[0]
        pieces.append(formula[end : match.start()])
        plain = letter not in numbers or INDEX.search(POWER.sub("", formula[: match.start()]))
        pieces.append(letter if plain else rf"\class{{sym-{numbers[letter]}}}{{{letter}}}")
        end = match.end()
    return "".join([*pieces, formula[end:]])


def told(row: Row, letter: str) -> list[nodes.Node]:
    """Return a letter's meaning, including formulas, and its name in code."""
    parts = row.meaning.split("$")
    words = [nodes.math("", part) if number % 2 else nodes.Text(part) for number, part in enumerate(parts)]
    codes = [code.strip() for code in row.code.split(",")]
    code = codes[row.letters.index(letter)] if len(codes) == len(row.letters) else ""
    return [*words, nodes.Text(" "), nodes.literal("", code)] if code else words


def speak(block: nodes.math_block, meanings: dict[str, Row]) -> None:
    """Mark a formula's letters, and add the buttons and their explanations below it."""
    formula = block.astext()
    letters = sorted(symbols(formula, set(meanings)) & set(meanings))  # a fixed order for two at one place
    letters.sort(key=formula.find)
    letters = [letter for letter in letters if rf"{{{letter}}}" in marked(formula, [letter])]
    if not letters:
        return
    block.children = [nodes.Text(marked(formula, letters))]
    buttons = [
        element("button", nodes.math("", letter), type="button", data_sym=str(number), aria_label=letter.strip("\\"))
        for number, letter in enumerate(letters)
    ]
    says = [element("span", *told(meanings[letter], letter), classes=["says"]) for letter in letters]
    line = element("p", *says, classes=["sym-says"], aria_live="polite")
    place = block.parent.index(block)
    block.parent.insert(place + 1, element("div", *buttons, line, classes=["speaks"]))


def read(app, doctree: nodes.document) -> None:
    chapter = app.env.docname.removeprefix("book/")
    if chapter not in numbered():
        return
    app.env.note_dependency(str(ROOT / "book" / "letters.tsv"))
    meanings = known(chapter)
    for block in list(doctree.findall(nodes.math_block)):
        if block.get("label"):
            speak(block, meanings)


def setup(app):
    app.connect("doctree-read", read, priority=700)
