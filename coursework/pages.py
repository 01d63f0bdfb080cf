"""The parts of pages: HTML that loads nothing, with tables that sort by any column."""

import re
from html import escape
from itertools import zip_longest
from pathlib import Path
from string import Template

from markdown_it import MarkdownIt

SHORT = 24  # characters of a text that stays on one line
MOST_ANSWER = 50_000  # characters of one answer
TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")  # these change the direction of the text after them
TEX = ((r"\sqrt", "√"), (r"\gamma", "γ"), (r"\beta", "β"), (r"\frac12", "½"))  # in our rubrics
apart = "\u2068{}\u2069".format  # a name that is written from right to left turns nothing around it
PAGE = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
SORT = Path(__file__).with_name("sort.js").read_text(encoding="utf-8")


def page(title, body):
    """A page of HTML that loads nothing and runs nothing. body: HTML."""
    return PAGE.substitute(title=escape(title), body=body)


def page_of_tables(title, body):
    """The same, with its title as heading, for the teacher: its tables can be sorted."""
    return page(title, f"<h1>{escape(title)}</h1>\n{body}\n<script>\n{SORT}</script>")


def as_typed(text, attached=None):
    """Any text of a student's as HTML, in a time that grows as it does. attached: pictures, name -> (type, base64)."""
    text = TURNS.sub(lambda turn: f"\\u{ord(turn[0]):04x}", text.encode("utf-8", "backslashreplace").decode())
    more = len(text) - MOST_ANSWER
    if more > 0:
        text = f"{text[:MOST_ANSWER]}\n\n... {more} more characters are in the notebook itself"
    html = f'<pre dir="auto">{escape(text)}</pre>'
    for name, (kind, data) in (attached or {}).items():
        html += f'<img src="data:{escape(kind)};base64,{escape(data)}" alt="{escape(name)}">'
    return html


def markdown(text):
    """Return our own rubric as HTML, its short formulas as code."""
    for command, letter in TEX:
        text = text.replace(command, letter)
    text = re.sub(r"\$([^$]+)\$", lambda formula: f"`{re.sub('[{}]', '', formula[1])}`", text)
    return MarkdownIt("commonmark", {"html": False}).render(text)


def table(headings, rows, marked=()):
    """A table that sorts by the column whose heading is pressed. marked: for each row, whether it stands out."""
    head = "".join(f'<th scope="col"><button>{escape(heading)}</button></th>' for heading in headings)
    pairs = zip_longest(rows, marked, fillvalue=False)
    body = "\n".join(f"<tr{' class=mark' * mark}>{''.join(map(_cell, row))}</tr>" for row, mark in pairs)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _cell(value):
    if isinstance(value, str):
        return f"<td{' class=short' * (len(value) <= SHORT)}>{escape(value)}</td>"
    return f'<td class="number">{value:.2f}</td>' if isinstance(value, float) else f'<td class="number">{value}</td>'
