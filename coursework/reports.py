"""What comes of marks: the gradebook, tables and pages of all assignments, and the report that the teacher reads."""

import re
from dataclasses import replace

from coursework import exports, feedback, lateness, results, rosters, sandbox, stats, tables, words


def write(given, marks, students):
    """CSV files and pages of all that is graded, and what needs a human. given: the command's."""
    rosters.keep(given.to, given.assignment, students)
    about = lateness.note_late(given.to, given.assignment, marks, students, given.late)
    said, scores = publish(given.to)
    marks = rosters.without_covered(marks, rosters.members(students))
    about = [sandbox.bound(sandbox.Limits()), *about, *said]
    about += [*namesakes(marks), *rosters.of_another_name(marks, students)]
    for one in marks:
        one.notes += [f"its answer to {name} has changed since it was marked" for name in words.changed(given.to, one)]
    results.write(given.to / "report.md", report(marks, scores, about))
    handed_in = [one for one in marks if one.submitted]
    noted = sum(bool(one.notes) for one in handed_in)
    needs = f"{noted} {'needs' if noted == 1 else 'need'} a human: {given.to / 'report.md'}"
    print(f"{len(handed_in)} submissions. {needs if noted else 'Nothing odd was seen.'}")


def publish(where):
    """Scores of all assignments into CSV files and pages. Returns what to tell, and the scores."""
    everything, scores, late, about, lines, listed = [], {}, {}, [], [], {}
    assignments = results.assignments_in(where)
    for assignment in assignments:
        students = listed[assignment] = rosters.kept(where, assignment)
        marks = results.marks_in(where, assignment, students)
        about += words.convert(where, assignment)
        unread = results.unread(where, assignment)
        about += [f"{unread} marks of an earlier version were not read: grade again."] if unread else []
        given = words.scores(where, marks)
        lines += stats.write_class(where, assignment, marks, given)
        late_here = lateness.late(where, assignment)
        marks, given, days, said = rosters.shared(marks, given, late_here, rosters.members(students))
        feedback.write_pages(where, assignment, marks, given, days)
        scores |= given
        late |= {(student, assignment): one for student, one in days.items()}
        about += [f"{assignment}: {one}" for one in said]
        everything += [replace(one, answers={}, extra=[], pictures={}) for one in marks]  # these are what is large
    exports.export(where, everything, listed, scores, late)
    results.write(where / "stats.csv", tables.csv_text([stats.HEADINGS, *lines]))
    made = "grades.csv, canvas.csv, stats.csv, feedback/, and of each feedback-*.zip and class-*.html"
    print(f"{', '.join(assignments)} in {where}: {made}")
    return about, scores


def report(all_marks, all_scores, about=()):
    """What needs a human, as Markdown: no points first, then whose it is in doubt, then what students are told."""
    states = [words.status(marks, all_scores.get((marks.student, marks.assignment), {})) for marks in all_marks]
    counts = "; ".join(f"{state}: {states.count(state)}" for state in sorted(set(states)))
    lines = ["# What needs a human", "", f"{counts}.", ""]
    for line in about:
        lines += [_one_line(line), ""]
    for assignment in sorted({marks.assignment for marks in all_marks if not marks.submitted}):
        absent = [marks.student for marks in all_marks if not marks.submitted and marks.assignment == assignment]
        lines += [f"No submission, {assignment}: {', '.join(absent)}.", ""]
    noted = [marks for marks in all_marks if marks.submitted and (marks.notes or marks.told)]
    noted.sort(key=lambda one: (bool(one.points), "another student" not in str(one.notes), not one.told))
    for marks in noted:
        lines += [f"## {marks.student}, {marks.assignment}", ""]
        told = [f"told: {' '.join(text.split())}" for text in marks.told]
        notes = [f"file: {marks.file}"] * bool(marks.file) + marks.notes + told
        if len(notes) > feedback.MOST_NOTES:
            notes = [*notes[: feedback.MOST_NOTES], f"and {len(notes) - feedback.MOST_NOTES} more"]
        lines += [*(f"- {_one_line(note)}" for note in notes), ""]
    if not noted:
        lines += ["Nothing odd was seen.", ""]
    return "\n".join(lines)


def namesakes(all_marks):
    """Sentences on students who wrote the same name into ME: one of them may have handed in the other's notebook."""
    people = {}
    for marks in all_marks:
        people.setdefault(" ".join(marks.me.casefold().split()), []).append(marks.student)
    return [f"{', '.join(one)} have the same name in ME." for name, one in people.items() if name and len(one) > 1]


def _one_line(text):
    """A note in one line, not too long, where no character of a file's name starts HTML, a link or a formula."""
    text = text if text.isprintable() else " ".join(ascii(text)[1:-1].split())
    return re.sub(r"[^\w\s.,:;()'\"/+=%@?>-]|:(?=//)", lambda odd: f"&#{ord(odd[0])};", text[:500])
