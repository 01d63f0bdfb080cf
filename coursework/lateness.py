"""How late a submission is, by what the LMS says, and what that costs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from coursework import results
from coursework.files import CANVAS

RULE = re.compile(r"(?P<percent>\d{1,3}(?:\.\d+)?)%/day(?:,(?P<most>\d{1,3}))?")
LATE = re.compile(r"(?:(\d+) days?\s*)?(?:(\d+) hours?\s*)?(?:(\d+) mins?\s*)?(?:\d+ secs?\s*)?\blate\b")  # Moodle's
UNKNOWN = "the file's name says that it is late, not by how much: it counts as one day"
NOTHING = {"rule": "", "days": {}}


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
        example = "10%/day or 10%/day,3 (at most three days)"
        raise ValueError(f"a rule for what is late must be like {example}, got {rule!r}")
    return parts


def note_late(where, assignment, all_marks, roster, rule=None):
    """Keep how late each submission of an assignment is, and the rule, in RESULTS/late.json. Sentences for the report.

    Canvas writes LATE into a file's name; Moodle's grading worksheet says how late; a column days_late says it too.
    What was known stays where this time nothing says it, and so does the rule.
    """
    kept = results.kept(where, "late")
    before = kept.get(assignment, NOTHING)
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
            about += [f"{marks.student}: {UNKNOWN}"] * days[marks.student]
    kept[assignment] = {"rule": before["rule"] if rule is None else rule, "days": days}
    results.keep(where, "late", kept)
    return about


def _days(said):
    return 0 if not said else int(said[1] or 0) + bool(int(said[2] or 0) or int(said[3] or 0) or not any(said.groups()))


def late(where, assignment):
    """Student -> `Late`."""
    kept = results.kept(where, "late").get(assignment, NOTHING)
    return {student: Late(days, kept["rule"]) for student, days in kept["days"].items()}
