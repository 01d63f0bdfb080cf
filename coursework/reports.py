"""What is made from marks: the gradebook, tables and pages of all assignments, and the report for the teacher."""

import re
from collections import Counter
from dataclasses import replace

from coursework import exports, feedback, lateness, results, rosters, sandbox, stats, tables, words


def write(given, marks, students):
    """CSV files and pages of all that is graded, and the report. given: the command's."""
    rosters.keep(given.to, given.assignment, students)
    about = lateness.note_late(given.to, given.assignment, marks, students, given.late)
    said, scores = publish(given.to)
    by_name, stored = {one.student: one for one in marks}, results.stored(given.to, given.assignment)
    left = sorted(name for name, one in stored.items() if one and name not in by_name)
    apart = "Two sections need two folders and two rosters"
    about += [f"Graded only in another variant: {', '.join(left)}. {apart}."] if left else []
    said += [*namesakes(marks), *rosters.of_another_name(marks, students)]
    about = [sandbox.bound(sandbox.Limits()), *about, *said]
    for (student, name), word in words.read(given.to, given.assignment).items():
        if student in by_name and words.changed(word, by_name[student], name):
            by_name[student].notes.append(f"its answer to {name} has changed since it was marked")
    results.write(given.to / "report.md", report(marks, scores, about))
    noted = [bool(one.notes or one.told) for one in marks if one.submitted]
    print(f"{len(noted)} submissions, {sum(noted)} of them with notes. Read {given.to / 'report.md'}")


def publish(where):
    """Write scores of all assignments into CSV files and pages. Return sentences for the teacher, and the scores."""
    everything, about, lines, listed = [], [], [], {}
    for assignment in results.assignments_in(where):
        students = listed[assignment] = rosters.kept(where, assignment)
        about += words.convert(where, assignment)
        unread = list(results.stored(where, assignment).values()).count(None)
        about += [f"{unread} marks of an earlier version were not read: grade again."] if unread else []
        scores = words.scores(where, assignment, results.marks_in(where, assignment, students))
        lines += stats.write_class(where, assignment, scores)
        scores, said = rosters.shared(scores, rosters.members(students))
        feedback.write_pages(where, assignment, scores)
        about += [f"{assignment}: {one}" for one in said]
        for one in scores:  # texts and pictures are large
            everything.append(replace(one, marks=replace(one.marks, answers={}, extra=[], pictures={})))
    exports.export(where, listed, everything)
    results.write(where / "stats.csv", tables.csv_text([stats.HEADINGS, *lines]))
    made = "grades.csv, canvas.csv, stats.csv, feedback/, and for each a feedback-*.zip and a class-*.html"
    print(f"{', '.join(listed)} in {where}: {made}")
    return about, everything


def report(all_marks, scores, about=()):
    """Return the report, as Markdown: no points first, then doubts about whose work it is, then students' notes."""
    known = {(one.marks.student, one.marks.assignment): one for one in scores}
    status = {one.student: known.get((one.student, one.assignment), words.Score(one)).status for one in all_marks}
    counts = "; ".join(f"{state}: {count}" for state, count in sorted(Counter(status.values()).items()))
    lines = ["# What needs your attention", "", f"{counts}.", ""]
    for line in about:
        lines += [_one_line(line), ""]
    absent = [one for one in all_marks if status[one.student] == "no submission"]  # nor a partner's
    if absent:
        lines += [f"No submission, {absent[0].assignment}: {', '.join(one.student for one in absent)}.", ""]
    noted = [marks for marks in all_marks if marks.submitted and (marks.notes or marks.told)]
    noted.sort(key=lambda one: (bool(one.points), "another student" not in str(one.notes), not one.told))
    for marks in noted:
        lines += [f"## {marks.student}, {marks.assignment}", ""]
        told = [f"told to the student: {' '.join(text.split())}" for text in marks.told]
        notes = [f"file: {marks.file}"] * bool(marks.file) + marks.notes + told
        if len(notes) > feedback.MOST_NOTES:
            notes = [*notes[: feedback.MOST_NOTES], f"and {len(notes) - feedback.MOST_NOTES} more"]
        lines += [*(f"- {_one_line(note)}" for note in notes), ""]
    if not noted:
        lines += ["Nothing unusual was found.", ""]
    return "\n".join(lines)


def namesakes(all_marks):
    """Sentences on students who wrote the same name into ME: one of them may have handed in the other's notebook."""
    people = {}
    for marks in all_marks:
        people.setdefault(" ".join(marks.me.casefold().split()), []).append(marks.student)
    return [f"{', '.join(one)} have the same name in ME." for name, one in people.items() if name and len(one) > 1]


def _one_line(text):
    """A note in one line, not too long, where no character of a file's name starts HTML, a link or a formula."""
    text = text if re.sub("[\u200c\u200d]", "", text).isprintable() else " ".join(ascii(text)[1:-1].split())
    return re.sub(r"[^\w\s\u0080-\uffff.,:;()'\"/+=%@?>-]|:(?=//)", lambda odd: f"&#{ord(odd[0])};", text[:500])
