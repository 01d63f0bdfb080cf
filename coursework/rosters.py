"""The class as an LMS or a spreadsheet lists it."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from coursework.files import student_name

NAMES = ("student", "student_id", "id", "SIS Login ID", "ID", "Email address")  # headings of a student's name


@dataclass(frozen=True)
class Student:
    """A line of the roster. `row`: its columns as they came, for an LMS that wants them back."""

    id: str
    last_name: str = ""
    first_name: str = ""
    email: str = ""
    row: tuple[tuple[str, str], ...] = ()


def read_roster(path):
    """The students of a class out of a CSV file: a column student, id or student_id, or what Canvas or Moodle exports.

    Columns may be parted by commas, semicolons or tabs, as spreadsheets do. Raises ValueError where the file has none
    of these columns, names a student twice, or is neither UTF-8 nor UTF-16: a guess could spoil names.
    """
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-16" if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        remedy = "In Excel: Save as, CSV UTF-8. Elsewhere: export again as UTF-8"
        raise ValueError(f"{path} must be UTF-8, and line {line} is not. {remedy}") from None
    mark = max(",;\t", key=text.partition("\n")[0].count)  # the first where none is there
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    columns = [column.strip() for column in next(lines, [])]
    rows = [dict(zip_longest(columns, line[: len(columns)], fillvalue="")) for line in lines if line]
    if not rows or not set(NAMES) & set(columns):
        raise ValueError(f"{path} must have a line of headings with one of {', '.join(NAMES)}, and a student a line")
    students = {}
    for row in rows:
        id = next(filter(None, (row.get(column, "").strip() for column in NAMES)), "")
        if not id or row.get("Student", "").strip() in ("Points Possible", "Student, Test"):
            continue
        last, _, first = (row.get("Student") or row.get("Full name", "")).partition(",")
        names = row.get("last_name") or last.strip(), row.get("first_name") or first.strip()
        email = row.get("email") or row.get("Email address", "")
        student = Student(student_name(id), *names, email, tuple((name, text) for name, text in row.items() if name))
        if student.id in students:
            raise ValueError(f"{path} names {student.id} twice")
        students[student.id] = student
    return students


def numbers(roster):
    """Number of an LMS -> student: Canvas's ID, and Moodle's "Participant 815", stand in the names of files."""
    found = {}
    for student in roster.values():
        row = dict(student.row)
        texts = row.get("ID", "").strip(), row.get("Identifier", "").removeprefix("Participant ").strip()
        found |= {text: student.id for text in texts if text.isdigit()}
    return found
