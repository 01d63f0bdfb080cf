"""The class as a platform or a spreadsheet lists it, and who works together: one of a group hands in for all."""

import re
from collections import Counter
from dataclasses import asdict, dataclass, replace

from coursework import results, sources, tables
from coursework.files import folded, plain, student_name
from tutorial_book.exercises import own_code

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
        return self.shown or self.id

    @property
    def full(self):
        return f"{self.first_name} {self.last_name}".strip()


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
    students, twice = {}, {}
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
            twice[student.id] = None  # in the order of the file
        students[student.id] = student
    if twice:
        raise ValueError(f"{path} names {', '.join(twice)} twice")
    return students


def known(roster):
    """Number of an LMS, as Canvas's ID and Moodle's "Participant 815", or full name that no other has -> student."""
    columns = [(text, one.id) for one in roster.values() for name, text in one.row if name in NUMBERED]
    texts = [(text.removeprefix(PARTICIPANT).strip(), id) for text, id in columns]
    pairs = {(plain(one.full), one.id) for one in roster.values() if one.last_name}
    pairs |= {(plain(f"{one.last_name} {one.first_name}"), one.id) for one in roster.values() if one.first_name}
    count, ids = Counter(name for name, _ in pairs), {folded(id): id for id in roster}
    people = {name: id for name, id in pairs if count[name] == 1 and ids.get(name, id) == id}
    return {**people, **{text: id for text, id in texts if text.isdigit()}}


def keep(where, assignment, students):
    results.keep(where / f"roster-{assignment}.json", [asdict(student) for student in students.values()])


def kept(where, assignment):
    path = where / f"roster-{assignment}.json"
    found = results.kept(path, lambda rows: [results.fitting(Student, one) for one in rows])
    return {one.id: replace(one, row=tuple(map(tuple, one.row))) for one in found}


def check_same_class(where, assignment, students):
    """Refuse the list of another class: the names, numbers and absent students of the one before would be lost."""
    before = kept(where, assignment)
    if before and students and not before.keys() & students.keys():
        said = f"the roster names none of the {len(before)} students of {assignment} in {where}"
        remedy = f"choose another folder with --to, or another variant's name, such as {sources.split(assignment)[0]}-b"
        path = where / f"roster-{assignment}.json"
        raise ValueError(f"{said}. For another section, {remedy}. If the new list is right, delete {path}")


def people(roster, students):
    """Students as their teacher knows them: "jsmith (Jane Smith), 4711"."""
    lines = [roster[one] if one in roster else Student(one) for one in students]
    return ", ".join(one.name if one.full in ("", one.name) else f"{one.name} ({one.full})" for one in lines)


def of_names(all_marks, students):
    """Return sentences on ME: without a name, with one that two students have, or with one that is not the roster's."""
    empty = [one.student for one in all_marks if one.points and not own_code.name_in(one.answers.get("me", ""))]
    said = [f"No name in ME: {people(students, empty)}."] if empty else []
    same = {}
    for marks in all_marks:
        same.setdefault(" ".join(marks.me.casefold().split()), []).append(marks.student)
        student = students.get(marks.student)
        if student and marks.me and marks.me != marks.student:
            known = student.shown, student.id, student.full, student.last_name + student.first_name, student.email
            mine, theirs = (set(re.findall(r"[^\W_]+", folded(text))) for text in (marks.me, " ".join(known)))
            if not mine & theirs:
                who = people(students, [student.id])
                said.append(f"{who}: the name in ME is {marks.me}, which does not match the roster.")
    shared = [people(students, one) for name, one in same.items() if name and len(one) > 1]
    return [*said, *(f"{one} have the same name in ME." for one in shared)]


def shared(scores, roster):
    """Return (scores, sentences): a student without a file has what the one of the group has who handed in."""
    groups = {one.id: dict(one.row).get("group", "").strip() for one in roster.values()}
    by_group, about, found = {}, [], []
    for one in scores:
        if one.marks.points and groups.get(one.marks.student):
            by_group.setdefault(groups[one.marks.student], []).append(one)
    for group, theirs in sorted(by_group.items()):
        if len(theirs) > 1:
            names = people(roster, [one.marks.student for one in theirs])
            said = f"Group {group}: {names} handed in; each keeps their own mark, and the others get none"
            mend = f"remove the other file, delete marks/{theirs[0].marks.assignment}/NAME.json, and grade again"
            about.append(f"{said}. If one file is to count for all, {mend}.")
    for one in scores:
        theirs = by_group.get(groups.get(one.marks.student), [])
        if not one.marks.submitted and len(theirs) == 1:
            marks = replace(theirs[0].marks, student=one.marks.student, file="")  # by its name, the LMS finds another
            one = replace(theirs[0], marks=marks, oral=one.oral)
        found.append(one)
    return found, about
