"""How late a submission is, according to the LMS, and the deduction for it."""

import re
from dataclasses import dataclass
from fractions import Fraction

from coursework import results, rosters
from coursework.files import CANVAS, of_an_lms

RULE = re.compile(r"(?P<percent>\d{1,3}(?:\.\d+)?)%/day(?:,(?P<most>\d{1,3}))?")
STATUS = re.compile("submitted for grading|no submission|draft|graded|reopened|nothing submitted|$")  # Moodle's
NO_FILE = re.compile(" *(no submission|nothing submitted|reopened)", re.I)  # an earlier file may count
UNITS = "".join(rf"(?:(\d+) {unit}s? ?)?" for unit in ("year", "day", "hour", "min", "sec"))  # Moodle: the two largest
LATE = re.compile(rf"(?:{STATUS.pattern})?[ -]*{UNITS}late")  # a whole status
UNKNOWN = "Canvas marked these files LATE without a number of days, so each counts as one day late: "
REMEDY = "Give the days in a column days_late of the roster"
NO_RULE = "No points are deducted, because no --late rule is in force"
NOTHING = {"rule": "", "days": {}, "files": {}}


@dataclass(frozen=True)
class Late:
    """How late a submission is, in days begun, None if it is not known, and the rule for deductions."""

    days: int | None = None
    rule: str = ""  # "10%/day,3" takes a tenth of the points for each day, and all of them after three days

    def points(self, points):
        """What is left of points, rounded down to halves."""
        if not self.days or not self.rule:
            return points
        percent, most = checked(self.rule).groups()
        left = 0 if most and self.days > int(most) else max(0, 100 - self.days * Fraction(percent))
        return 2 * Fraction(points) * left // 100 / 2


def checked(rule):
    """A rule's parts. Raises ValueError if it is not a rule."""
    if parts := RULE.fullmatch(rule):
        return parts
    example = "10%/day or 10%/day,3 (no points after three days)"
    raise ValueError(f"a rule for late days must look like {example}, got {rule!r}")


def note_late(where, assignment, all_marks, roster, rule=None):
    """Keep how late each submission of an assignment is, and the rule, in late.json. Return sentences on it."""
    # A column days_late decides, else Moodle's Status, else Canvas's LATE in a file's name; else what was known stays.
    # A status is that of a student's last file, which may not be the one that counts: it makes no known one later.
    kept = results.kept(where / "late.json", _of_all)
    before = kept.get(assignment, NOTHING)
    days, files, unknown = dict(before["days"]), dict(before["files"]), []
    for student, marks in ((one.student, one) for one in all_marks if one.submitted):
        row = dict(roster[student].row) if student in roster else {}
        named = of_an_lms(marks.file.split(": ")[-1])
        if said := row.get("days_late", "").strip():
            if not (whole := re.fullmatch("([0-9]{1,4})(?:[.,]0)?", said)):  # pandas writes 2 as 2.0
                raise ValueError(f"days_late of {student} in the roster must be a whole number, got {said[:80]!r}")
            days[student] = int(whole[1])
        elif "Status" in row:
            said = _days(row["Status"], student)
            same = student in days and files.get(student) == marks.digest
            if not (same and NO_FILE.match(row["Status"])):
                days[student] = min(said, days[student]) if same else said
        elif named and named.re is CANVAS:
            is_late = "_LATE_" in named[0]
            days[student] = int(is_late)
            if is_late:
                unknown.append(student)
        files[student] = marks.digest
    kept[assignment] = {"rule": before["rule"] if rule is None else rule, "days": days, "files": files}
    results.keep(where / "late.json", kept)
    no_rule = "" if kept[assignment]["rule"] else f" {NO_RULE}."
    return [f"{UNKNOWN}{rosters.people(roster, unknown)}. {REMEDY}.{no_rule}"] if unknown else []


def _days(status, student):
    """The days begun that a status of Moodle's says. Raises ValueError if it is not understood, and so no guess."""
    text = " ".join(status.lower().split())
    if late := LATE.fullmatch(text):
        years, days, *rest = (int(number or 0) for number in late.groups())
        return 365 * years + days + bool(any(rest) or not any(late.groups()))
    if "late" in text or not STATUS.match(text):
        remedy = "Export the worksheet in English, or add a column days_late"
        raise ValueError(f"the roster's Status of {student} is not understood: {status[:80]!r}. {remedy}")
    return 0


def late(where, assignment):
    """Student -> `Late`."""
    kept = results.kept(where / "late.json", _of_all).get(assignment, NOTHING)
    return {student: Late(days, kept["rule"]) for student, days in kept["days"].items()}


def _of_all(found):
    for one in found.values():
        checked(one["rule"] or "0%/day")
        if not all(type(count) is int and 0 <= count <= 9999 for count in one["days"].values()):
            raise TypeError("days late must be whole numbers")
    return {assignment: NOTHING | one | {"files": dict(one.get("files", {}))} for assignment, one in found.items()}
