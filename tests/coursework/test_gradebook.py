"""The gradebook, what formgrader shows, and the CSV files."""

import csv
import io
import json
import subprocess
import sys

import nbformat

from coursework import gradebook, sources
from coursework.__main__ import main
from tests.coursework.conftest import ASSIGNMENT, cell, rows

WRITTEN = "why-square-root"


def test_a_mark_that_nobody_gave_is_empty_and_not_zero(course):
    lines = rows(course / "grades.csv")
    assert {name: (line["score"], line["status"]) for name, line in lines.items()} == {
        "ada": ("", "written questions to mark"),
        "bob": ("", "written questions to mark"),
        "eve": ("", "needs a human"),
        "kim": ("", "no submission"),
    }
    assert lines["bob"]["last_name"] == "'=1+1"  # a spreadsheet computes nothing


def test_the_teachers_marks_are_kept_and_come_out(course, tmp_path):
    with gradebook.opened(course) as book:
        for student, points in (("ada", 3), ("bob", 1)):
            grade = book.find_grade("why-square-root", ASSIGNMENT, ASSIGNMENT, student)
            grade.manual_score, grade.needs_manual_grade = points, False
            comment = book.find_comment("why-square-root", ASSIGNMENT, ASSIGNMENT, student)
            comment.manual_comment = "Read <chapter> 4"
            book.db.commit()
    for command in (["grade", str(tmp_path / "submitted"), "--assignment", ASSIGNMENT], ["feedback"]):
        assert main([*command, "--to", str(course), "--roster", str(tmp_path / "class.csv")]) == 0
        lines = rows(course / "grades.csv")
        assert (lines["ada"]["score"], lines["ada"]["max_score"]) == ("39", "40")
        assert lines["bob"]["score"] == "17"
        canvas = list(csv.reader(io.StringIO((course / "canvas.csv").read_text())))
        assert canvas[1][0] == "    Points Possible" and canvas[1][-1] == "40"
        assert [line[-1] for line in canvas[2:]] == ["39", "17", "", ""]
    page = (course / "feedback" / "ada" / f"{ASSIGNMENT}.html").read_text()
    assert "39 of 40 points" in page and "Read &lt;chapter&gt; 4" in page


def test_a_broken_new_file_does_not_keep_the_old_mark(course, hand_in, tmp_path):
    hand_in("bob", "{")
    assert main(["grade", str(tmp_path / "submitted"), "--to", str(course), "--assignment", ASSIGNMENT]) == 0
    bob = rows(course / "grades.csv")["bob"]
    assert (bob["score"], bob["status"]) == ("", "needs a human")


def test_formgrader_shows_the_submission_with_nothing_of_the_students_but_text(course):
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    api = NbGraderAPI(CourseDirectory(root=str(course)))
    (assignment,) = api.get_assignments()
    assert (assignment["name"], assignment["num_submissions"], assignment["max_score"]) == (ASSIGNMENT, 2, 40)
    waiting = {line["student"]: line["needs_manual_grade"] for line in api.get_submissions(ASSIGNMENT)}
    assert waiting["ada"] and waiting["bob"]
    notebook = nbformat.read(course / "autograded" / "bob" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", 4)
    assert cell(notebook, "why-square-root").source == "**Because** < script>alert(1)< /script> $d_k$"
    released = {
        c.metadata.nbgrader.grade_id for c in sources.student_notebook(ASSIGNMENT).cells if "nbgrader" in c.metadata
    }
    assert {c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata} == released


def test_the_teacher_marks_a_written_answer_in_formgrader(course, formgrader):
    waiting = json.loads(formgrader(f"formgrader/api/submitted_notebooks/{ASSIGNMENT}/{ASSIGNMENT}"))
    (bob,) = [one["id"] for one in waiting if one["student"] == "bob"]
    page = formgrader(f"formgrader/submissions/{bob}")
    assert "ValueError" in page and "<strong>Because</strong>" in page
    assert "alert(1)" in page and "<script>alert" not in page
    (written,) = [
        one for one in json.loads(formgrader(f"formgrader/api/grades?submission_id={bob}")) if one["name"] == WRITTEN
    ]
    assert written["needs_manual_grade"] and written["max_score"] == 4
    formgrader(f"formgrader/api/grade/{written['id']}", manual_score=2)
    comments = json.loads(formgrader(f"formgrader/api/comments?submission_id={bob}"))
    (comment,) = [one["id"] for one in comments if one["name"] == WRITTEN]
    formgrader(f"formgrader/api/comment/{comment}", manual_comment="And the gradient?")
    assert main(["feedback", "--to", str(course)]) == 0
    assert rows(course / "grades.csv")["bob"]["score"] == "18"
    feedback_page = (course / "feedback" / "bob" / f"{ASSIGNMENT}.html").read_text()
    assert "2 of 4" in feedback_page and "And the gradient?" in feedback_page


def test_grading_needs_no_activated_environment(tmp_path):
    """nbgrader looks for its tools on PATH: they are found where this Python lies."""
    code = "import sys; from coursework import gradebook\nwith gradebook.opened(sys.argv[1]): pass"
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env={"PATH": "/usr/bin:/bin"}, timeout=120)
    assert run.returncode == 0


def test_grades_of_half_points_are_numbers():
    assert gradebook._number(2.5) == 2.5 and repr(gradebook._number(2.0)) == "2"
