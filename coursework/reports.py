"""What is made from marks: the gradebook, tables and pages of all assignments, and the report for the teacher."""

import re
from collections import Counter
from dataclasses import replace

from coursework import exports, feedback, lateness, results, rosters, sandbox, sources, stats, tables, words

BY_HAND = "Pass these pages on by hand, from feedback/, because no LMS knows whose they are"
MAILED = "If a file was mailed, only a column days_late in the roster says how late it is"


def write(given, marks, students):
    """CSV files and pages of all that is graded, and the report. given: the command's."""
    rosters.keep(given.to, given.assignment, students)
    about = lateness.note_late(given.to, given.assignment, marks, students, given.late)
    said, scores = publish(given.to)
    about = [*of_another(given.assignment, marks), sandbox.bound(sandbox.Limits()), *about, *said]
    about += [*of_others(given.to, given.assignment, marks, students), *rosters.of_names(marks, students)]
    by_name = {one.student: one for one in marks}
    for (student, name), word in words.read(given.to, given.assignment).items():
        if student in by_name and words.changed(word, by_name[student], name):
            by_name[student].notes.append(f"its answer to {name} has changed since it was marked")
    results.write(given.to / "report.md", report(marks, scores, about, students))
    noted = [bool(one.notes or one.told) for one in marks if one.submitted]
    print(f"{len(noted)} submissions, {sum(noted)} of them with notes. Read {given.to / 'report.md'}")


def of_another(assignment, marks):
    """A sentence if most files are of another assignment, as after a slip in the command. It is printed, too."""
    handed_in = [one for one in marks if one.submitted]
    others = [one for one in handed_in if not one.points and "was asked for" in str(one.notes)]
    if 2 * len(others) <= len(handed_in):
        return []
    said = f"{len(others)} of {len(handed_in)} students handed in another assignment or variant. Is {assignment} right?"
    print(said)
    return [said]


def of_others(where, assignment, marks, students):
    """Sentences on students and variants that may not belong here, and how to remove them."""
    strangers = [one.student for one in marks if students and one.student not in students]
    mend = "If a file is a student's, call the file or its folder by the roster's login or full name, and grade again"
    remove = f"To remove a name, delete {where}/marks/{assignment}/NAME.json and {where}/feedback/NAME first"
    about = [f"Not in the roster: {', '.join(strangers)}. {mend}. {remove}."] if strangers else []
    there = [name for name in results.assignments_in(where) if sources.split(name)[0] == sources.split(assignment)[0]]
    if others := ", ".join(name for name in there if name != assignment):
        remove = f"To remove one, delete {where}/marks/VARIANT and the files with its name in {where}, and grade again"
        about.append(f"Other variants of this assignment are graded here: {others}. {remove}.")
    left = {name for name, one in results.stored(where, assignment).items() if one} - {one.student for one in marks}
    apart = "Two sections need two folders and two rosters"
    if left:
        about.append(f"Graded only in another variant: {rosters.people(students, sorted(left))}. {apart}.")
    return about


def publish(where):
    """Write scores of all assignments into CSV files and pages. Return sentences on them, and scores without texts."""
    everything, about, lines, listed = [], [], [], {}
    for assignment in results.assignments_in(where):
        students = listed[assignment] = rosters.kept(where, assignment)
        about += words.convert(where, assignment)
        unread = list(results.stored(where, assignment).values()).count(None)
        about += [f"{unread} marks are damaged or of an earlier version: grade again."] if unread else []
        scores = words.scores(where, assignment, results.marks_in(where, assignment, students))
        lines += stats.write_class(where, assignment, scores)
        scores, said = rosters.shared(scores, students)
        if by_hand := rosters.people(students, feedback.write_pages(where, assignment, scores)):
            said.append(f"{BY_HAND}: {by_hand}. {MAILED}.")
        about += [f"{assignment}: {one}" for one in said]
        everything += [replace(one, marks=replace(one.marks, answers={}, extra=[], pictures={})) for one in scores]
    exports.export(where, listed, everything)
    results.write(where / "stats.csv", tables.csv_text([stats.HEADINGS, *lines]))
    made = "grades.csv, canvas.csv, stats.csv, feedback/, and a feedback-*.zip and a class-*.html of each assignment"
    print(f"Written to {where}: {made}")
    return about, everything


def report(all_marks, scores, about=(), students=()):
    """Return the report, as Markdown: no points first, then doubts about whose work it is, then students' notes."""
    known = {(one.marks.student, one.marks.assignment): one for one in scores}
    status = {one.student: known.get((one.student, one.assignment), words.Score(one)).status for one in all_marks}
    counts = "; ".join(f"{state}: {count}" for state, count in sorted(Counter(status.values()).items()))
    lines = ["# What needs your attention", "", f"{counts}.", ""]
    absent = [one.student for one in all_marks if status[one.student] == "no submission"]  # nor a partner's
    told = [f"No submission, {all_marks[0].assignment}: {rosters.people(students, absent)}."] if absent else []
    for line in (*about, *told):
        lines += [_one_line(line, 10_000), ""]
    noted = [marks for marks in all_marks if marks.submitted and (marks.notes or marks.told)]
    noted.sort(key=lambda one: (bool(one.points), "another student" not in str(one.notes), not one.told))
    for marks in noted:
        lines += [f"## {_one_line(rosters.people(students, [marks.student]))}, {marks.assignment}", ""]
        told = [f"told to the student: {' '.join(text.split())}" for text in marks.told]
        notes = [f"file: {marks.file}"] * bool(marks.file) + marks.notes + told
        if len(notes) > feedback.MOST_NOTES:
            notes = [*notes[: feedback.MOST_NOTES], f"and {len(notes) - feedback.MOST_NOTES} more"]
        lines += [*(f"- {_one_line(note)}" for note in notes), ""]
    return "\n".join([*lines, *([] if noted else ["Nothing unusual was found.", ""])])


def _one_line(text, most=500):
    """A note in one line, not too long, where no character of a file's name starts HTML, a link or a formula."""
    text = text if re.sub("[\u200c\u200d]", "", text).isprintable() else " ".join(ascii(text)[1:-1].split())
    return re.sub(r"[^\w\s\u0080-\uffff.,:;()'\"/+=%@?>-]|:(?=//)", lambda odd: f"&#{ord(odd[0])};", text[:most])
