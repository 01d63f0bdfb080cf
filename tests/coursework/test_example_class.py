"""The reports that the teachers' page shows lines of: what the grader says today of the same students."""

import re

import pytest

from coursework import example_class
from website.pages import coursework

AGAIN = ["bob", "fay", "hal"]  # one with three mistakes, one who is late, and one whose file is cut off


def about(report):
    """The lines that name one of them, and what stands below a heading with such a name."""
    lines = [line for line in report.splitlines() if re.search(rf"\b({'|'.join(AGAIN)})\b", line)]
    return set(lines) | {part.strip() for part in report.split("\n## ") if part.startswith(tuple(AGAIN))}


@pytest.mark.long
def test_stored_reports_are_todays(bubblewrap):
    today, stored = example_class.reports(AGAIN), example_class.stored()
    assert today.keys() == stored.keys()
    for report in ("report.md", "grades.csv", "oral"):
        assert set() != about(today[report]) <= about(stored[report])
    mistakes = [line for line in today["stats.csv"].splitlines() if ",mistake," in line]
    assert len(mistakes) == 2 and all(line.partition(",1,")[0] in stored["stats.csv"] for line in mistakes)


def test_lines_of_a_stored_report_are_shown():
    lines = coursework.reported("grades.csv", ["assignment,", "", "2-attention,bob"])
    assert lines[0].startswith("assignment,student_id") and lines[1] == "" and "bob" in lines[2]
    with pytest.raises(ValueError, match="no line of grades.csv begins with '2-attention,ada'"):
        coursework.reported("grades.csv", ["2-attention,bob", "2-attention,ada"])
