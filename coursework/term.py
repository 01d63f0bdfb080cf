"""What a term asks for beside marks: lateness, groups, and pages that go back into the LMS in one file."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from coursework.files import CANVAS, MOODLE, student_name
from coursework.grading import write

RULE = re.compile(r"(?P<percent>\d{1,3}(?:\.\d+)?)%/day(?:,(?P<most>\d{1,3}))?")
LATE = re.compile(r"(?:(\d+) days?\s*)?(?:(\d+) hours?\s*)?(?:(\d+) mins?\s*)?(?:\d+ secs?\s*)?\blate\b")  # Moodle's
UNKNOWN = "the file's name says that it is late, not by how much: it counts as one day"


@dataclass(frozen=True)
class Late:
    """How late a submission is, in days begun, and what that costs.

    rule: "10%/day,3" takes a tenth of the points for each day, and all of them after three days. "": nothing.
    """

    days: int = 0
    rule: str = ""

    def points(self, points):
        """What is left of points, rounded down to halves."""
        if not self.days or not self.rule:
            return points
        percent, most = checked(self.rule).groups()
        left = 0 if most and self.days > int(most) else max(0, 100 - self.days * Fraction(percent))
        return 2 * Fraction(points) * left // 100 / 2


def checked(rule):
    """A rule's parts. Raises ValueError where it is none."""
    parts = RULE.fullmatch(rule)
    if not parts:
        raise ValueError(
            f"a rule for what is late must be like 10%/day or 10%/day,3 (at most three days), got {rule!r}"
        )
    return parts


def note_late(results, assignment, all_marks, roster, rule=None):
    """Keep how late each submission of an assignment is, and the rule, in RESULTS/late.json. Sentences for the report.

    Canvas writes LATE into a file's name; Moodle's grading worksheet says how late; a column days_late says it too.
    What was known stays where this time nothing says it, and so does the rule.
    """
    kept = _read(results, "late.json")
    before = kept.get(assignment, {"rule": "", "days": {}})
    days, about = dict(before["days"]), []
    for marks in (one for one in all_marks if one.submitted):
        row = dict(roster[marks.student].row) if marks.student in roster else {}
        named = CANVAS.match(marks.file.split(": ")[-1])
        if row.get("days_late", "").strip().isdigit():
            days[marks.student] = int(row["days_late"])
        elif "Status" in row:
            days[marks.student] = _days(LATE.search(row["Status"]))
        elif named:
            days[marks.student] = int("_LATE_" in named[0])
            about += [f"{marks.student}: {UNKNOWN}"] if days[marks.student] else []
    kept[assignment] = {"rule": before["rule"] if rule is None else rule, "days": days}
    write(Path(results) / "late.json", json.dumps(kept))
    return about


def _days(said):
    return 0 if not said else int(said[1] or 0) + bool(int(said[2] or 0) or int(said[3] or 0) or not any(said.groups()))


def late(results, assignment):
    """Student -> `Late`."""
    kept = _read(results, "late.json").get(assignment, {"rule": "", "days": {}})
    return {student: Late(days, kept["rule"]) for student, days in kept["days"].items()}


def read_groups(path, read):
    """Student -> group, out of a CSV file with a column group beside that of students. read: of a roster."""
    columns = ("group", "Group", "group_name")
    students = read(path).values()
    found = {
        one.id: next((dict(one.row)[name].strip() for name in columns if dict(one.row).get(name)), "")
        for one in students
    }
    if not any(found.values()):
        raise ValueError(f"{path} must have a column with one of {', '.join(columns)}")
    return {student: group for student, group in found.items() if group}


def groups(results, new=None):
    """Student -> group, as the results folder keeps it. new: what it is from now on."""
    if new is not None:
        write(Path(results) / "groups.json", json.dumps(new))
    return _read(results, "groups.json")


def _read(results, name):
    path = Path(results) / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def shared(all_marks, given, late, members):
    """(marks, scores, late, sentences): who handed in nothing has what the one of the group has who did.

    Where two of a group did, each has the own mark, and the others have none until a teacher decides.
    """
    by_group, about = {}, []
    for marks in all_marks:
        if marks.points and marks.student in members:
            by_group.setdefault(members[marks.student], []).append(marks)
    for group, theirs in sorted(by_group.items()):
        if len(theirs) > 1:
            names = " and ".join(one.student for one in theirs)
            said = f"Group {group}: {names} handed in; each has the own mark, and no one else of the group has one."
            about.append(said)
    found, given, late = [], dict(given), dict(late)
    for marks in all_marks:
        theirs = by_group.get(members.get(marks.student), [])
        if not marks.submitted and len(theirs) == 1:
            (one,) = theirs
            given[marks.student, marks.assignment] = given.get((one.student, one.assignment), {})
            late[marks.student] = late.get(one.student, Late())
            marks = replace(one, student=marks.student)
        found.append(marks)
    return found, given, late, about


def without_covered(all_marks, members):
    """The marks without those of who handed in nothing while another of the group did."""
    handed_in = {members[one.student] for one in all_marks if one.points and one.student in members}
    return [one for one in all_marks if one.submitted or members.get(one.student) not in handed_in]


def write_zip(results, assignment, all_marks):
    """RESULTS/feedback-ASSIGNMENT.zip: each student's page, called as the LMS called what the student handed in."""
    results, names = Path(results), set()
    beside = results / f".feedback-{assignment}.zip.tmp"
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for marks in all_marks:
            page = results / "feedback" / marks.student / f"{assignment}.html"
            if not marks.submitted or not page.is_file():
                continue
            name = returned(marks)
            name = name if name not in names else f"{marks.student}/{assignment}.html"
            names.add(name)
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), page.read_bytes(), zipfile.ZIP_DEFLATED)
    beside.replace(results / f"feedback-{assignment}.zip")


def returned(marks):
    """The name in the archive: Canvas and Moodle know by it whose page it is."""
    parts = marks.file.split(": ")[-1].split("/")
    folder = len(parts) > 1 and MOODLE.fullmatch(parts[0])
    if folder and "\\" not in parts[0]:
        return f"{parts[0]}/{marks.assignment}.html"
    file = CANVAS.match(parts[0]) if len(parts) == 1 else None
    if file and "\\" not in file[0]:
        return f"{file[0]}{marks.assignment}.html"
    return f"{student_name(marks.student)}/{marks.assignment}.html"
