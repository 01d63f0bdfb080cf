"""What the teacher's tables are written with: a page whose table sorts by any column, and a CSV file."""

from __future__ import annotations

import csv
import io
import re
from html import escape

FORMULA = re.compile(r"(^|[;,|\t\r\n])([\s\"']*)(?=[=+\-@＝＋－＠])")  # begins a cell that computes
SHORT = 24  # characters of a text that stays on one line

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  :root {{ color-scheme: light dark }}
  body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }}
  body {{ overflow-wrap: break-word }} h1 {{ line-height: 1.2 }} p, ul {{ max-width: 46rem }}
  .wide {{ overflow-x: auto; border: 1px solid GrayText; border-radius: .25rem; margin: 1rem 0 }}
  table {{ border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }}
  th, td {{ padding: .3rem .6rem; text-align: left; vertical-align: top; border-top: 1px solid #8884 }}
  td.short {{ white-space: nowrap }} td.number {{ text-align: right }}
  thead th {{ border-top: 0; vertical-align: bottom }}
  th button {{ font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0 }}
  th button {{ text-align: left; cursor: pointer; text-decoration: underline dotted; text-underline-offset: .2em }}
  th[aria-sort=ascending] button::after {{ content: " ▲" }} th[aria-sort=descending] button::after {{ content: " ▼" }}
  tr.mark td {{ background: #d9770633 }} tr.mark td:first-child {{ box-shadow: inset .3rem 0 #d97706 }}
</style></head><body>
<h1>{title}</h1>
{body}
<script>
for (const table of document.querySelectorAll("table"))
  table.tHead.addEventListener("click", event => {{
    const head = event.target.closest("th");
    if (!head) return;
    const column = head.cellIndex, was = head.getAttribute("aria-sort");
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    const number = row => parseFloat(row.cells[column].textContent);
    const numbers = [...table.tBodies[0].rows].some(row => row.cells[column].className == "number");
    const down = was ? was == "ascending" : numbers;
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const text = (a, b) => a.cells[column].textContent.localeCompare(b.cells[column].textContent);
    const order = numbers ? (a, b) => (number(a) || 0) - (number(b) || 0) : text;
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => down ? order(b, a) : order(a, b)));
  }});
</script>
</body></html>
"""


def page(title, body):
    """A page of HTML that loads nothing. body: HTML."""
    return PAGE.format(title=escape(title), body=body)


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
