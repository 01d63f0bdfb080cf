"""What goes back to the students, and the report that the teacher reads: plain pages, with no hidden check in them."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from coursework import gradebook, sources
from coursework.grading import write

MOST_NOTES = 30  # of one submission in the report

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: {student}</title>
<style>
  :root {{ color-scheme: light dark }}
  body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }}
  pre {{ overflow-x: auto; padding: .75rem; border: 1px solid GrayText; border-radius: .25rem; white-space: pre-wrap }}
  table {{ border-collapse: collapse; width: 100% }}
  th, td {{ text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid GrayText }}
  td:last-child, h1, p {{ overflow-wrap: anywhere }} td:nth-child(2) {{ white-space: nowrap }}
</style></head><body>
<h1>{title}</h1>
<p>{student}: {total}</p>
<table>
<thead><tr><th scope="col">Question</th><th scope="col">Points</th><th scope="col">What was seen</th></tr></thead>
<tbody>{rows}</tbody></table>
<h2>What you handed in</h2>
{answers}
</body></html>
"""


def page(marks, given):
    """The feedback page of one student: points, reasons and comments, and the student's own answers, all as text."""
    rows, known = [], [points for points, *_ in given.values() if points is not None]
    for name, (points, most, comment) in given.items():
        seen = " ".join(filter(None, (marks.reasons.get(name, ""), comment)))
        shown = "not marked yet" if points is None else f"{points:g} of {most:g}"
        rows.append(f"<tr><td>{escape(name)}</td><td>{shown}</td><td>{escape(seen)}</td></tr>")
    total = f"{sum(known):g} of {sum(most for _, most, _ in given.values()):g} points"
    if len(known) < len(given):
        total += " so far; your teacher still reads the written answers"
    shown = {name: gradebook.shortened(text) for name, text in marks.answers.items()}
    answers = [f"<h3>{escape(name)}</h3>\n<pre>{escape(text)}</pre>" for name, text in shown.items()]
    filled = {
        "title": escape(sources.title(marks.assignment)),
        "student": escape(marks.student),
        "total": escape(total),
    }
    return PAGE.format(**filled, rows="\n".join(rows), answers="\n".join(answers) or "<p>No answers were found.</p>")


def write_pages(results, all_marks, all_scores):
    """RESULTS/feedback/STUDENT/ASSIGNMENT.html for each graded submission."""
    for marks in all_marks:
        given = all_scores.get((marks.student, marks.assignment))
        if given:
            write(Path(results) / "feedback" / marks.student / f"{marks.assignment}.html", page(marks, given))


def report(all_marks, all_scores):
    """What needs a human, apart from the marks, as Markdown."""
    lines = ["# What needs a human", ""]
    states = [gradebook.status(marks, all_scores.get((marks.student, marks.assignment), {})) for marks in all_marks]
    counts = {state: states.count(state) for state in sorted(set(states))}
    lines += ["; ".join(f"{count} {state}" for state, count in counts.items()) + ".", ""]
    noted = [marks for marks in all_marks if marks.notes]
    for marks in noted:
        lines += [f"## {marks.student}, {marks.assignment or 'unknown assignment'}", ""]
        notes = ([f"file: {marks.file}"] if marks.file else []) + marks.notes
        if len(notes) > MOST_NOTES:
            notes = [*notes[:MOST_NOTES], f"and {len(notes) - MOST_NOTES} more"]
        lines += [*(f"- {_one_line(note)}" for note in notes), ""]
    if not noted:
        lines += ["Nothing odd was seen.", ""]
    return "\n".join(lines)


def _one_line(text):
    """A note in one line, not too long, where no character of a file's name starts HTML or a link."""
    text = text if text.isprintable() else " ".join(ascii(text)[1:-1].split())
    return re.sub(r"[<>\[\]`|]", lambda odd: f"\\{odd[0]}", text[:500])
