"""The marks as CSV files: for the teacher, for Canvas and for Moodle."""

from coursework import rosters, sources, tables, words
from coursework.results import write

HEADINGS = "assignment student_id last_name first_name email score max_score status automatic days_late oral".split()


def export(results, listed, scores):
    """Write grades.csv, its lines of each assignment for Moodle, and canvas.csv. listed: assignment -> its roster."""
    # A mark that is not known yet is an empty cell: never a 0 that nobody gave.
    by_assignment, cells = {}, {}
    for one in scores:
        marks = one.marks
        student = listed.get(marks.assignment, {}).get(marks.student, rosters.Student(marks.student))
        score = _number(None if one.total is None else one.late.points(one.total))
        cells[marks.student, marks.assignment] = score, _number(one.oral.points)
        line = [marks.assignment, student.name, student.last_name, student.first_name, student.email, score]
        line += [sum(sources.points(marks.assignment).values()), one.status]
        line += map(_number, (marks.total if marks.points else None, one.late.days, one.oral.points))
        by_assignment.setdefault(marks.assignment, []).append(line)
    for assignment, lines in by_assignment.items():
        write(results / f"grades-{assignment}.csv", tables.csv_text([HEADINGS, *lines]))
    write(results / "grades.csv", tables.csv_text([HEADINGS, *sum(by_assignment.values(), [])]))
    asked = sorted({one.marks.assignment for one in scores if one.oral.points is not None})
    write(results / "canvas.csv", tables.csv_text(_canvas(cells, listed, asked)))


def _canvas(cells, listed, asked):
    """The lines of Canvas's own gradebook. cells: (student, assignment) -> (score, five minutes)."""
    assignments = sorted({assignment for _, assignment in cells})
    columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *map(sources.title, assignments)]
    columns += [f"{sources.title(assignment)}: five minutes" for assignment in asked]
    most = [*(sum(sources.points(assignment).values()) for assignment in assignments), *[words.MOST_ORAL] * len(asked)]
    lines = [columns, ["    Points Possible", "", "", "", "", *most]]
    people = [pair for students in listed.values() for pair in students.items()]
    roster = dict(sorted(people, key=lambda pair: "ID" in dict(pair[1].row)))  # Canvas's own lines go over others
    for id in sorted({student for student, _ in cells} | set(roster)):
        student = roster.get(id, rosters.Student(id))
        row = {"ID": "", "SIS User ID": "", "Section": "", **dict(student.row)}
        name = row.get("Student") or ", ".join(filter(None, (student.last_name, student.first_name))) or student.name
        known = row["ID"], row["SIS User ID"], row.get("SIS Login ID") or student.name, row["Section"]
        own = {assignment: cells.get((id, assignment), ("", "")) for assignment in assignments}
        lines.append([name, *known, *(score for score, _ in own.values()), *(own[one][1] for one in asked)])
    return lines


def _number(value):
    """Return 2.0 as 2, 2.5 as 2.5, and None as an empty cell."""
    return "" if value is None else int(value) if float(value).is_integer() else float(value)
