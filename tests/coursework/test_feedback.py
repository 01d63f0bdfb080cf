"""What students get back, and the report that the teacher reads."""

from coursework import checks
from tests.coursework.conftest import ASSIGNMENT


def test_feedback_shows_the_answers_as_text_and_no_hidden_check(course):
    page = (course / "feedback" / "bob" / f"{ASSIGNMENT}.html").read_text()
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert "softmax stopped with ValueError" in page and "array(" not in page.split("What you handed in")[0]
    source = (checks.ASSIGNMENTS / ASSIGNMENT / "checks.py").read_text()
    assert not [line for line in source.splitlines() if len(line.strip()) > 25 and line.strip() in page]


def test_the_report_lists_what_needs_a_human(course):
    report = (course / "report.md").read_text()
    assert "## eve" in report and "not JSON" in report and "## kim" in report and "no submission" in report
    assert "## ada" not in report
