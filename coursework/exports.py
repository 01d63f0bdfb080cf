"""The marks as CSV files: for the teacher, for Canvas and for Moodle."""

from pathlib import Path

from coursework import sources, tables, words
from coursework.results import write
from coursework.rosters import Student

HEADINGS = ["assignment", "student_id", "last_name", "first_name", "email", "score", "max_score", "status"]
HEADINGS += ["automatic", "days_late", "oral"]


def export(results, all_marks, listed, all_scores, late=None):
    """Write RESULTS/grades.csv, a line for each student and assignment, and RESULTS/canvas.csv, as Canvas imports it.

    RESULTS/grades-ASSIGNMENT.csv has the lines of one, as Moodle imports them. A mark that is not known yet is an empty
    cell: never a 0 that nobody gave. The points of the checks, which are there before anybody has read the words, have
    a column of their own, and so has the result of the five minutes. listed: assignment -> its roster. late: (student,
    assignment) -> `lateness.Late`.
    """
    late, results = late or {}, Path(results)
    oral = {assignment: words.oral(results, assignment) for assignment in {one.assignment for one in all_marks}}
    by_assignment = {}
    for marks in all_marks:
        key = marks.student, marks.assignment
        roster, given = listed.get(marks.assignment, {}), all_scores[key]
        student = roster.get(marks.student, Student(marks.student))
        who = [marks.assignment, student.name, student.last_name, student.first_name, student.email]
        most, state = sum(sources.points(marks.assignment).values()), words.status(marks, given)
        automatic = _number(sum(marks.points.values())) if marks.points else ""
        minutes = _minutes(oral, key)
        line = [
            *who,
            _score(marks, given, late),
            most,
            state,
            automatic,
            late[key].days if key in late else "",
            minutes,
        ]
        by_assignment.setdefault(marks.assignment, []).append(line)
    for assignment, lines in by_assignment.items():
        write(results / f"grades-{assignment}.csv", tables.csv_text([HEADINGS, *lines]))
    everything = [line for lines in by_assignment.values() for line in lines]
    write(results / "grades.csv", tables.csv_text([HEADINGS, *everything]))
    write(results / "canvas.csv", tables.csv_text(_canvas(all_marks, listed, all_scores, late, oral)))


def _canvas(all_marks, listed, all_scores, late, oral):
    """The lines of Canvas's own gradebook. The five minutes are a column if anybody has a result of them."""
    assignments = sorted({marks.assignment for marks in all_marks})
    asked = [assignment for assignment in assignments if oral[assignment]]
    columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *map(sources.title, assignments)]
    columns += [f"{sources.title(assignment)}: five minutes" for assignment in asked]
    most = [*(sum(sources.points(assignment).values()) for assignment in assignments), *[words.MOST_ORAL] * len(asked)]
    lines = [columns, ["    Points Possible", "", "", "", "", *most]]
    roster = {id: student for students in listed.values() for id, student in students.items()}
    by_key = {(marks.student, marks.assignment): marks for marks in all_marks}
    for id in sorted({marks.student for marks in all_marks} | set(roster)):
        student = roster.get(id, Student(id))
        row = dict(student.row)
        name = row.get("Student") or ", ".join(filter(None, (student.last_name, student.first_name))) or student.name
        known = row.get("ID", ""), row.get("SIS User ID", ""), row.get("SIS Login ID") or student.name
        keys = [(id, assignment) for assignment in assignments]
        scores = [_score(by_key[key], all_scores.get(key, {}), late) if key in by_key else "" for key in keys]
        minutes = [_minutes(oral, (id, assignment)) for assignment in asked]
        lines.append([name, *known, row.get("Section", ""), *scores, *minutes])
    return lines


def _score(marks, given, late):
    """What counts, once everything is marked; empty before."""
    if words.status(marks, given) != "graded":
        return ""
    points = sum(points for points, *_ in given.values())
    days = late.get((marks.student, marks.assignment))
    return _number(days.points(points) if days else points)


def _minutes(oral, key):
    student, assignment = key
    return _number(oral[assignment][student][0]) if student in oral[assignment] else ""


def _number(value):
    """2.0 as 2, 2.5 as 2.5."""
    return int(value) if float(value).is_integer() else float(value)
