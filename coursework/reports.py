"""What comes of marks: the gradebook, tables and pages of all assignments, and the report that the teacher reads."""

from __future__ import annotations

import re
from dataclasses import replace

from coursework import feedback, gradebook, groups, lateness, pages, results, sandbox, stats
from tutorial_book.exercises import own_code


def write(given, marks, students, together):
    """Gradebook, CSV files and pages of all that is graded, and what needs a human in this assignment.

    given: what the command was told, as `to`, `assignment` and `late`. together: student -> group, where that is new.
    """
    gradebook.record(given.to, marks, students)
    members = groups.groups(given.to, together)
    about = [sandbox.bound(given.sandbox, sandbox.Limits())]
    about += lateness.note_late(given.to, given.assignment, marks, students, given.late)
    said, scores = publish(given.to, students)
    marks = groups.without_covered(marks, members)
    about += [*said, *own_code.namesakes(marks)]
    results.write(given.to / "report.md", report(marks, scores, about))
    handed_in = [one for one in marks if one.submitted]
    noted = sum(bool(one.notes) for one in handed_in)
    needs = f"{noted} {'needs' if noted == 1 else 'need'} a human: {given.to / 'report.md'}"
    print(f"{len(handed_in)} submissions. {needs if noted else 'Nothing odd was seen.'}")


def publish(where, students):
    """Scores of all assignments out of the gradebook into CSV files and pages. Returns what to tell, and the scores."""
    everything, scores, late, about, lines = [], {}, {}, [], []
    members, assignments = groups.groups(where), results.assignments_in(where)
    for assignment in assignments:
        marks = results.marks_in(where, assignment, (*students, *members))
        given = gradebook.scores(where, marks)
        lines += stats.write_class(where, assignment, marks, given)
        marks, given, days, said = groups.shared(marks, given, lateness.late(where, assignment), members)
        feedback.write_pages(where, marks, given, days)
        feedback.write_zip(where, assignment, marks)
        scores |= given
        late |= {(student, assignment): one for student, one in days.items()}
        about += [f"{assignment}: {one}" for one in said]
        everything += [replace(one, answers={}, extra=[], pictures={}) for one in marks]  # these are what is large
    gradebook.export(where, everything, students, scores, late)
    results.write(where / "stats.csv", pages.csv_text([stats.HEADINGS, *lines]))
    made = "grades.csv, canvas.csv, stats.csv, feedback/, gradebook.db, and of each feedback-*.zip and class-*.html"
    print(f"{', '.join(assignments)} in {where}: {made}")
    return about, scores


def report(all_marks, all_scores, about=()):
    """What needs a human, apart from the marks, as Markdown; what is worst comes first. about: lines on the grading."""
    lines = ["# What needs a human", ""]
    states = [gradebook.status(marks, all_scores.get((marks.student, marks.assignment), {})) for marks in all_marks]
    counts = {state: states.count(state) for state in sorted(set(states))}
    lines += ["; ".join(f"{state}: {count}" for state, count in counts.items()) + ".", ""]
    for line in about:
        lines += [_one_line(line), ""]
    for assignment in sorted({marks.assignment for marks in all_marks if not marks.submitted}):
        absent = [marks.student for marks in all_marks if not marks.submitted and marks.assignment == assignment]
        lines += [f"No submission, {assignment}: {', '.join(absent)}.", ""]
    noted = [marks for marks in all_marks if marks.submitted and (marks.notes or marks.told)]
    for marks in sorted(noted, key=_urgency):
        lines += [f"## {marks.student}, {marks.assignment}", ""]
        told = [f"told: {' '.join(text.split())}" for text in marks.told]
        notes = [f"file: {marks.file}"] * bool(marks.file) + marks.notes + told
        if len(notes) > feedback.MOST_NOTES:
            notes = [*notes[:feedback.MOST_NOTES], f"and {len(notes) - feedback.MOST_NOTES} more"]
        lines += [*(f"- {_one_line(note)}" for note in notes), ""]
    if not noted:
        lines += ["Nothing odd was seen.", ""]
    return "\n".join(lines)


def _urgency(marks):
    """What has no points comes first, then whose it is in doubt, then what students are told."""
    doubt = any("another student" in note for note in marks.notes)
    return bool(marks.points), not doubt, not marks.told


def _one_line(text):
    """A note in one line, not too long, where no character of a file's name starts HTML, a link or a formula."""
    text = text if text.isprintable() else " ".join(ascii(text)[1:-1].split())
    return re.sub(r"[^\w\s.,:;()'\"/+=%@?>-]|:(?=//)", lambda odd: f"&#{ord(odd[0])};", text[:500])
