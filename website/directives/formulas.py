"""A numbered formula explains its letters, one at a time: book/formulas.tsv says what each means in this formula.

Each of these letters becomes a part of the drawn formula that readers can point at, and a button below it, for keys and
touch: MathJax hides its drawing from screen readers, so nothing in it may take the focus. book/_static/speaks.js does
the rest; without it only the formula is shown.
"""

from __future__ import annotations

import csv
import re

from docutils import nodes

from website.directives.nodes import element
from website.project import ROOT

FILE = ROOT / "book" / "formulas.tsv"
WORDS = r"\\(?:text|mathrm|operatorname|begin|end|label)\{[^}]*\}|\\[A-Za-z]+"


def glosses() -> dict[str, dict[str, str]]:
    """Return the meanings of letters: formula's label -> letter -> meaning."""
    found: dict[str, dict[str, str]] = {}
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            found.setdefault(row["formula"], {}).update(dict.fromkeys(row["letters"].split(", "), row["meaning"]))
    return found


def marked(formula: str, letters: list[str]) -> str:
    r"""Return the formula with a class on each of the letters.

    >>> marked(r"\softmax(Q_i K) \text{is K}", ["Q", "K", "i"])
    '\\softmax(\\class{sym-0}{Q}_{\\class{sym-2}{i}} \\class{sym-1}{K}) \\text{is K}'
    """
    numbers = {letter: number for number, letter in enumerate(letters)}
    names = "|".join(re.escape(letter) for letter in sorted(letters, key=len, reverse=True))

    def mark(match: re.Match) -> str:
        letter = match[0]
        if letter not in numbers:
            return letter
        classed = rf"\class{{sym-{numbers[letter]}}}{{{letter}}}"
        return f"{{{classed}}}" if formula[: match.start()].endswith(("_", "^")) else classed

    return re.sub(rf"(?<![A-Za-z\\])(?:{names})(?![A-Za-z])|{WORDS}", mark, formula)


def told(meaning: str) -> list[nodes.Node]:
    """Return a meaning as nodes, its formulas too."""
    parts = meaning.split("$")
    return [nodes.math("", part) if number % 2 else nodes.Text(part) for number, part in enumerate(parts)]


def speak(block: nodes.math_block, meanings: dict[str, str]) -> None:
    """Mark a formula's letters, and add the buttons and their explanations below it."""
    block.children = [nodes.Text(marked(block.astext(), list(meanings)))]
    buttons = [
        element("button", nodes.math("", letter), type="button", data_sym=str(number), aria_label=letter.strip("\\"))
        for number, letter in enumerate(meanings)
    ]
    says = [element("span", *told(meaning), classes=["says"]) for meaning in meanings.values()]
    line = element("p", *says, classes=["sym-says"], aria_live="polite")
    place = block.parent.index(block)
    block.parent.insert(place + 1, element("div", *buttons, line, classes=["speaks"]))


def read(app, doctree: nodes.document) -> None:
    known = glosses()
    for block in list(doctree.findall(nodes.math_block)):
        if label := block.get("label"):
            app.env.note_dependency(str(FILE))
        if label in known:
            speak(block, known[label])


def setup(app):
    app.connect("doctree-read", read, priority=700)
