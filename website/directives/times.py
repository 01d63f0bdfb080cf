"""The role {reading-time}`attention` says how long a chapter takes, by one rule for all of them.

A minute is 200 words or three cells; an interactive view takes two more. Folded parts take no time: a cell that is
completely hidden, a section of the lab, the proof.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from website.build.values import text_of
from website.directives.markdown import DIRECTIVE, blocks, split_directive
from website.directives.nodes import warn

WORDS_A_MINUTE = 200
SECONDS_A_CELL = 20
MINUTES_A_VIEW = 2

FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)
NOT_READ = re.compile(r"^\([\w-]+\)=$|^%.*$|\{[\w:-]+\}(?=`)|\]\([^)\s]*\)", re.M)  # labels, comments, roles, addresses
FORMULA = re.compile(r"\$\$.+?\$\$(?: *\([\w-]+\))?|(?<!\\)\$[^$]+\$", re.S)
WORD = re.compile(r"\w[\w'’.,-]*")
HEADING = re.compile(r"(#+) (.*)")


def thread(text: str) -> str:
    """Return a page's Markdown without the sections that are folded.

    >>> thread("## One\\n\\nA\\n\\n### Two\\n\\n:::{lab}\\nB\\n:::\\n\\nC\\n\\n## Proof\\n\\nD\\n\\n## End")
    '## One\\n\\nA\\n\\n## End'
    """
    kept, folded, in_code = [], None, False
    lines = text.split("\n")
    for number, line in enumerate(lines):
        in_code ^= line.startswith("```")
        heading = None if in_code else HEADING.match(line)
        if heading:
            level = len(heading[1])
            is_open = folded is None or level <= folded
            is_lab = ":::{lab}" in lines[number + 1 : number + 3]
            if is_open:
                folded = level if is_lab or heading[2] == "Proof" else None
        if folded is None:
            kept.append(line)
    return "\n".join(kept)


def exact_minutes(text: str) -> float:
    """Return the minutes needed to read and try a page. A formula counts as a word.

    >>> exact_minutes("A view:" + " word" * 198 + "\\n```{code-cell} python3\\nviews.slide()\\n```\\n")
    3.3333333333333335
    """
    minutes = 0.0
    for head, lines in blocks(FRONT_MATTER.sub("", text)):
        directive = DIRECTIVE.match(head or "")
        if head is None:
            plain = FORMULA.sub("x", NOT_READ.sub("", "\n".join(lines)))
            minutes += len(WORD.findall(plain)) / WORDS_A_MINUTE
        elif directive and directive["name"] == "code-cell":
            if "hide-cell" not in "".join(lines[:2]):
                shows_view = any(line.startswith(("views.", "page.", "live.")) for line in lines)
                minutes += SECONDS_A_CELL / 60 + MINUTES_A_VIEW * shows_view
        elif directive:  # its title and its text are read, its options are not
            minutes += exact_minutes("\n".join([directive["argument"], *split_directive(lines)[1]]))
    return minutes


def reading_time(text: str) -> str:
    """Return the time in words, in steps of five minutes.

    >>> reading_time("word " * 3100)
    '15 minutes'
    """
    return f"{max(1, round(exact_minutes(thread(text)) / 5)) * 5} minutes"


class ReadingTime(SphinxRole):
    def run(self):
        page = Path(self.env.doc2path(self.env.docname)).with_name(f"{self.text}.md")
        if not page.exists():
            warn(self, "reading-time: there is no page %s in this folder", self.text)
            return [], []
        self.env.note_dependency(str(page))
        return [nodes.Text(reading_time(text_of(Path(self.env.srcdir), page)))], []


def setup(app):
    app.add_role("reading-time", ReadingTime())
