"""The class as a platform or a spreadsheet lists it, and who works together: one of a group hands in for all."""

import re
from dataclasses import asdict, dataclass, replace

from coursework import results, tables
from coursework.files import folded, student_name

# Headings of a student's name, in small letters, the best one first: of your own list, of Blackboard,
# GitHub Classroom, Gradescope and Moodle. Canvas has its own two.
NAMES = ("student", "student_id", "id", "username", "github_username", "identifier", "sid", "email address", "email")
CANVAS = ("SIS Login ID", "ID")
LAST, FIRST = ("last_name", "last name", "full name", "name"), ("first_name", "first name")
EMAIL = ("email", "email address")
OWN = ("group", "days_late")  # columns that a teacher adds
NO_STUDENTS = ("Points Possible", "Student, Test")
NUMBERED = ("ID", "Identifier")  # columns with the numbers that an LMS puts into the names of files
PARTICIPANT = "Participant "  # Moodle's number of a student in one assignment


@dataclass(frozen=True)
class Student:
    """A line of the roster. id: as files are named. shown: as the roster has it. row: its columns, for an LMS."""

    id: str
    last_name: str = ""
    first_name: str = ""
    email: str = ""
    row: tuple[tuple[str, str], ...] = ()
    shown: str = ""

    @property
    def name(self):
        """The student's name in tables: that of the roster."""
        return self.shown or self.id


def read_roster(path):
    """id -> `Student`, out of a CSV file with a heading of NAMES, such as the exports of the usual platforms."""
    headings, rows = tables.read(path)
    known = {heading.lower(): heading for heading in headings}
    of_canvas = {"Student", "ID"} <= set(headings)
    names = [known[name.lower()] for name in (CANVAS if of_canvas else NAMES) if name.lower() in known]
    if not rows or not names:
        came = ", ".join(filter(None, headings))[:200] or "nothing"
        remedy = 'Export it in English, or name the column that matches the files "student"'
        raise ValueError(f"{path} must have headings, one of them {', '.join(NAMES)}; got {came}. {remedy}")
    students = {}
    for row in rows:
        found = (row[name].strip() for name in names)
        id = next((text for text in found if text and not text.startswith(PARTICIPANT)), "")
        if not id or row.get("Student", "").strip() in NO_STUDENTS:
            continue
        there = ((row[known[one]].strip() for one in options if one in known) for options in (LAST, FIRST, EMAIL))
        last, first, email = (next(texts, "") for texts in there)
        if of_canvas and not last:
            last, first, *_ = map(str.strip, [*row["Student"].rsplit(",", 1), ""])  # "Cruz, Jr., Ana"
        columns = tuple((name.lower() if name.lower() in OWN else name, text) for name, text in row.items() if name)
        student = Student(student_name(id), last, first, email, columns, id)
        if student.id in students:
            raise ValueError(f"{path} names {student.id} twice")
        students[student.id] = student
    return students


def numbers(roster):
    """Number of an LMS -> student: Canvas's ID, and Moodle's "Participant 815"."""
    columns = [(student.id, text) for student in roster.values() for name, text in student.row if name in NUMBERED]
    texts = [(text.removeprefix(PARTICIPANT).strip(), id) for id, text in columns]
    return {text: id for text, id in texts if text.isdigit()}


def keep(where, assignment, students):
    """Keep the class of an assignment with its results, for later commands."""
    results.keep(where / f"roster-{assignment}.json", [asdict(student) for student in students.values()])


def kept(where, assignment):
    """The class of an assignment as it was kept; empty if there is none."""
    path = where / f"roster-{assignment}.json"
    found = results.kept(path, lambda rows: [Student(**{**row, "row": (*dict(row["row"]).items(),)}) for row in rows])
    return {student.id: student for student in found}


def of_another_name(all_marks, students):
    """Return sentences on students whose name in ME shares no word with the roster's line."""
    said = []
    for marks in all_marks:
        student = students.get(marks.student)
        if student and marks.me and marks.me != marks.student:
            known = [student.shown, student.id, student.last_name, student.first_name, student.email]
            known += [dict(student.row).get("Student", ""), student.last_name + student.first_name]
            mine, theirs = (set(re.findall(r"[^\W_]+", folded(text))) for text in (marks.me, " ".join(known)))
            if not mine & theirs:
                said.append(f"{marks.student}: the name in ME is {marks.me}, which does not match the roster.")
    return said


def members(roster):
    """Student -> group, of a roster with a column "group"."""
    named = {student.id: dict(student.row).get("group", "").strip() for student in roster.values()}
    return {student: group for student, group in named.items() if group}


def shared(scores, members):
    """Return (scores, sentences): a student without a file has what the one of the group has who handed in."""
    by_group, about, found = {}, [], []
    for one in scores:
        if one.marks.points and one.marks.student in members:
            by_group.setdefault(members[one.marks.student], []).append(one)
    for group, theirs in sorted(by_group.items()):
        if len(theirs) > 1:
            names = " and ".join(one.marks.student for one in theirs)
            about.append(f"Group {group}: {names} handed in; each keeps their own mark, and the others get none.")
    for one in scores:
        theirs = by_group.get(members.get(one.marks.student), [])
        if not one.marks.submitted and len(theirs) == 1:
            one = replace(theirs[0], marks=replace(theirs[0].marks, student=one.marks.student), oral=one.oral)
        found.append(one)
    if partners := [new.marks.student for one, new in zip(scores, found) if new is not one]:
        about.append(f"No LMS can match the pages of {', '.join(partners)}: pass them on by hand, from feedback/.")
    return found, about
