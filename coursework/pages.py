"""What pages and tables are written with: HTML that loads nothing, with tables that sort by any column, and CSV."""

from __future__ import annotations

import csv
import io
import re
from html import escape
from pathlib import Path
from string import Template

FORMULA = re.compile(r"(^|[;,|\t\r\n])([\s\"']*)(?=[=+\-@＝＋－＠])")  # begins a cell that computes
SHORT = 24  # characters of a text that stays on one line

PAGE = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
SORT = Path(__file__).with_name("sort.js").read_text(encoding="utf-8")


def page(title, body):
    """A page of HTML that loads nothing and runs nothing. body: HTML."""
    return PAGE.substitute(title=escape(title), body=body)


def page_of_tables(title, body):
    """The same, with its title as heading, for the teacher: its tables can be sorted."""
    return page(title, f"<h1>{escape(title)}</h1>\n{body}\n<script>\n{SORT}</script>")


def table(headings, rows, marked=()):
    """A table that sorts by the column whose heading is pressed. marked: for each row, whether it stands out."""
    marked = [*marked, *[False] * len(rows)]
    head = "".join(f'<th scope="col"><button>{escape(heading)}</button></th>' for heading in headings)
    body = "\n".join(
        f"<tr{' class=mark' * mark}>{''.join(map(_cell, row))}</tr>" for row, mark in zip(rows, marked, strict=False)
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _cell(value):
    if isinstance(value, str):
        return f"<td{' class=short' * (len(value) <= SHORT)}>{escape(value)}</td>"
    return f'<td class="number">{value:.2f}</td>' if isinstance(value, float) else f'<td class="number">{value}</td>'


def csv_text(lines):
    """Text of a CSV file. A text gets a quote where a spreadsheet, with whatever separator, would see a formula."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for line in lines:
        writer.writerow(FORMULA.sub(r"\1\2'", item) if isinstance(item, str) else item for item in line)
    return file.getvalue()
