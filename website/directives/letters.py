"""The letters of the formulas: book/letters.tsv gives the meaning of each, for all chapters.

A line of the file has letters (LaTeX, separated by commas; none for names that only occur in code), their names in
code, their meaning, and the chapters: `all` (also the front page), `heads+` (from that chapter on), or a list. The
directive `letters` shows them all as a table; `letters everywhere` only those that all chapters share.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import NamedTuple

from sphinx.util.docutils import SphinxDirective

from website.directives.nodes import warn
from website.project import ROOT

FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$((?:(?!\n\n)[^$])+)\$", re.S)


class Row(NamedTuple):
    letters: list[str]
    code: str
    meaning: str
    chapters: str


def rows(root: Path = ROOT) -> list[Row]:
    with (root / "book" / "letters.tsv").open(encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [Row([name for name in letters.split(", ") if name], *rest) for letters, *rest in lines]


def table(everywhere: bool = False, root: Path = ROOT) -> str:
    """Return the file as a Markdown table; everywhere: only the letters that all chapters share.

    The front page shows these without formulas: without MathJax it loads faster.
    """
    lines = ["| In formulas | In code | What it is |", "| --- | --- | --- |"]
    for row in rows(root):
        if row.chapters == "all" or not everywhere:
            names = ", ".join(f"${letter}$" for letter in row.letters), row.code and f"`{row.code}`"
            lines.append(f"| {names[0]} | {names[1]} | {row.meaning} |")
    text = "\n".join(lines)
    return FORMULA.sub(lambda formula: in_italics(formula[2]), text) if everywhere else text


def in_italics(formula: str) -> str:
    """Return a formula of letters and subscripts as text.

    >>> in_italics(r"d_{\\text{model}} / h")
    '*d*<sub>model</sub> / *h*'
    """
    text = re.sub(r"(?<![\\A-Za-z{])([A-Za-z])(?![A-Za-z])", r"*\1*", formula.replace("_", "␣"))
    return re.sub(r"␣(?:\{\\text\{(\w+)\}\}|\*?(\w)\*?)", r"<sub>\1\2</sub>", text)


class Letters(SphinxDirective):
    optional_arguments = 1

    def run(self):
        if self.arguments not in ([], ["everywhere"]):
            warn(self, "letters: its argument must be everywhere, or none, got %s", self.arguments[0])
            return []
        self.env.note_dependency(str(ROOT / "book" / "letters.tsv"))
        return self.parse_text_to_nodes(table(everywhere=self.arguments == ["everywhere"]))


def setup(app):
    app.add_directive("letters", Letters)
