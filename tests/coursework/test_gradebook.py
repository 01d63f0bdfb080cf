"""The gradebook, what formgrader shows, and the CSV files."""

import csv
import io
import json
import subprocess
import sys

import nbformat
import pytest

from coursework import gradebook, grading, pages, sources
from coursework.__main__ import main
from tests.coursework.conftest import ASSIGNMENT, cell, rows, with_code

WRITTEN = "why-square-root"
NOTHING = dict.fromkeys(sources.points(ASSIGNMENT, marks=("check",)), 0)


def test_a_mark_that_nobody_gave_is_empty_and_not_zero(course):
    lines = rows(course / "grades.csv")
    assert {name: (line["score"], line["status"]) for name, line in lines.items()} == {
        "ada": ("", "written questions to mark"),
        "bob": ("", "written questions to mark"),
        "eve": ("", "needs a human"),
        "kim": ("", "no submission"),
    }
    assert lines["bob"]["last_name"] == "'=1+1"  # a spreadsheet computes nothing


def automatic_points(course, student):
    return next(sum(one.points.values()) for one in grading.marks_in(course, ASSIGNMENT) if one.student == student)


def test_the_teachers_marks_are_kept_and_come_out(course, tmp_path):
    automatic = automatic_points(course, "bob")
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
        assert lines["bob"]["score"] == f"{automatic + 1:g}"
        canvas = list(csv.reader(io.StringIO((course / "canvas.csv").read_text())))
        assert canvas[1][0] == "    Points Possible" and canvas[1][-1] == "40"
        assert [line[-1] for line in canvas[2:]] == ["39", f"{automatic + 1:g}", "", ""]
    page = (course / "feedback" / "ada" / f"{ASSIGNMENT}.html").read_text()
    assert "39 of 40 points" in page and "Read &lt;chapter&gt; 4" in page


def test_words_that_a_new_file_lacks_are_shown_to_the_teacher_whose_points_stay(course, hand_in, tmp_path):
    with gradebook.opened(course) as book:
        grade = book.find_grade(WRITTEN, ASSIGNMENT, ASSIGNMENT, "ada")
        grade.manual_score, grade.needs_manual_grade = 3, False
        book.db.commit()
    notebook = sources.solved_notebook(ASSIGNMENT)
    blank = cell(sources.student_notebook(ASSIGNMENT), WRITTEN).source
    hand_in("ada", with_code(notebook, WRITTEN, blank), file=f"{ASSIGNMENT}-1.ipynb")
    (tmp_path / "submitted" / "ada" / f"{ASSIGNMENT}.ipynb").unlink()
    assert main(["grade", str(tmp_path / "submitted"), "--to", str(course), "--assignment", ASSIGNMENT]) == 0
    assert rows(course / "grades.csv")["ada"]["score"] == "39"
    with gradebook.opened(course) as book:
        assert book.find_grade(WRITTEN, ASSIGNMENT, ASSIGNMENT, "ada").needs_manual_grade
        assert not book.find_grade("softmax-hidden", ASSIGNMENT, ASSIGNMENT, "ada").needs_manual_grade


def test_a_broken_new_file_leaves_the_old_mark_and_is_told(course, hand_in, tmp_path):
    hand_in("bob", "{")
    assert main(["grade", str(tmp_path / "submitted"), "--to", str(course), "--assignment", ASSIGNMENT]) == 0
    bob = rows(course / "grades.csv")["bob"]
    assert (bob["score"], bob["status"]) == ("", "written questions to mark")
    assert "not graded: is cut off" in (course / "report.md").read_text()


def test_a_second_assignment_leaves_the_first_as_it_was(course, tmp_path, bubblewrap):
    """And a notebook of the first, among those of the second, is named and left."""
    before, marks = (course / f"grades-{ASSIGNMENT}.csv").read_text(), automatic_points(course, "ada")
    folder = tmp_path / "week 2"
    for student, name in (("kim", "1-tokenization"), ("ada", ASSIGNMENT)):
        (folder / student).mkdir(parents=True)
        nbformat.write(sources.solved_notebook(name), folder / student / "better-9.ipynb")
    how = ["--to", str(course), "--assignment", "1-tokenization", "--roster", str(tmp_path / "class.csv")]
    assert main(["grade", str(folder), *how]) == 0
    assert (course / f"grades-{ASSIGNMENT}.csv").read_text() == before and automatic_points(course, "ada") == marks
    lines = list(csv.DictReader(io.StringIO((course / "grades.csv").read_text())))
    states = {(line["assignment"], line["student_id"]): line["status"] for line in lines}
    assert len(lines) == 8 and states[ASSIGNMENT, "ada"] == states["1-tokenization", "kim"] == (
        "written questions to mark"
    )
    assert states["1-tokenization", "ada"] == "needs a human" and states[ASSIGNMENT, "kim"] == "no submission"
    report = (course / "report.md").read_text()
    assert f"is the assignment {ASSIGNMENT}, and 1-tokenization was asked for" in report
    (heading, *_) = csv.reader(io.StringIO((course / "canvas.csv").read_text()))
    assert len(heading) == 7 and main(["feedback", "--to", str(course)]) == 0


def test_formgrader_shows_the_submission_with_nothing_of_the_students_but_text(course):
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    api = NbGraderAPI(CourseDirectory(root=str(course)))
    (assignment,) = api.get_assignments()
    assert (assignment["name"], assignment["num_submissions"], assignment["max_score"]) == (ASSIGNMENT, 2, 40)
    waiting = {line["student"]: line["needs_manual_grade"] for line in api.get_submissions(ASSIGNMENT)}
    assert waiting["ada"] and waiting["bob"]
    notebook = nbformat.read(course / "autograded" / "bob" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", 4)
    source = cell(notebook, "why-square-root").source
    assert "<strong>Because</strong> &lt;script&gt;alert(1)&lt;/script&gt;" in source
    released = {
        c.metadata.nbgrader.grade_id for c in sources.student_notebook(ASSIGNMENT).cells if "nbgrader" in c.metadata
    }
    assert {c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata} == released


@pytest.mark.long
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
    assert rows(course / "grades.csv")["bob"]["score"] == f"{automatic_points(course, 'bob') + 2:g}"
    feedback_page = (course / "feedback" / "bob" / f"{ASSIGNMENT}.html").read_text()
    assert "2 of 4" in feedback_page and "And the gradient?" in feedback_page


@pytest.mark.long
def test_grading_needs_no_activated_environment(tmp_path):
    """nbgrader looks for its tools on PATH: they are found where this Python lies."""
    code = "import sys; from coursework import gradebook\nwith gradebook.opened(sys.argv[1]): pass"
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env={"PATH": "/usr/bin:/bin"}, timeout=120)
    assert run.returncode == 0


def marks_of(student, points, **how):
    return grading.Marks(student, ASSIGNMENT, points={**NOTHING, **points}, **how)


def test_half_points_come_out_everywhere(tmp_path):
    given = sources.student_notebook(ASSIGNMENT)
    blank = {WRITTEN: cell(given, WRITTEN).source}
    marks = [marks_of("ada", {"softmax-hidden": 2.5, "softmax-public": 2.0}, answers=blank)]
    gradebook.record(tmp_path, marks, {})
    scores = gradebook.scores(tmp_path, marks)
    gradebook.export(tmp_path, marks, {}, scores)
    assert rows(tmp_path / "grades.csv")["ada"]["score"] == "4.5"
    assert (tmp_path / "canvas.csv").read_text().endswith("ada,,,ada,,4.5\n")
    (said,) = [cell(gradebook.clean_notebook(marks[0]), name).outputs[0].text for name in ("softmax-hidden",)]
    assert said.startswith("2.5 of ")


@pytest.mark.parametrize(
    "text, safe",
    [
        ("=1+1", "'=1+1"),
        ("x;=1+1", "x;'=1+1"),
        ("x;=1+1;y\t@z|-1", "x;'=1+1;y\t'@z|'-1"),
        ('x; "=1+1"', 'x; "\'=1+1"'),
        ("\r\n=1", "\r\n'=1"),
        ("＝1+1", "'＝1+1"),
        ("-1", "'-1"),
        *((name, name) for name in ("a+b@c.org", "Smith-Jones", "O'Neil", "Lovelace, Ada", "    Points Possible", "")),
    ],
)
def test_no_text_is_a_formula_whatever_separates_cells(text, safe):
    ((found, number),) = csv.reader(io.StringIO(pages.csv_text([[text, -1.5]]), newline=""))
    assert (found, number) == (safe, "-1.5")
    for separator in ",;\t|":
        cells = found.replace("\r\n", separator).split(separator)
        assert not [one for one in cells if one.strip(' "').startswith(("=", "+", "-", "@", "＝"))]


def test_names_are_text_in_formgrader(tmp_path):
    evil = gradebook.Student("eve", "<img src=x onerror=alert(1)>", "Eve", "e@x.org")
    gradebook.record(tmp_path, [marks_of("eve", {})], {"eve": evil})
    with gradebook.opened(tmp_path) as book:
        assert "<" not in book.find_student("eve").last_name


def test_a_cell_that_an_assignment_gains_is_marked_for_those_who_were_graded_before(tmp_path, monkeypatch):
    solved = sources.solved_notebook(ASSIGNMENT)
    fewer = solved.copy()
    fewer.cells = [one for one in solved.cells if "softmax" not in one.metadata.get("nbgrader", {}).get("grade_id", "")]
    marks = [marks_of("ada", {"softmax-hidden": 3})]
    with monkeypatch.context() as patch:
        patch.setattr(sources, "student_notebook", lambda name: fewer)
        patch.setattr(gradebook, "_released", lambda name: fewer)
        gradebook._given.cache_clear()
        gradebook.record(tmp_path, marks, {})
    gradebook._given.cache_clear()
    gradebook.record(tmp_path, marks, {})
    assert gradebook.scores(tmp_path, marks)["ada", ASSIGNMENT]["softmax-hidden"][0] == 3


def test_comments_on_code_reach_the_student(tmp_path):
    marks = [marks_of("ada", {})]
    gradebook.record(tmp_path, marks, {})
    with gradebook.opened(tmp_path) as book:
        book.find_comment("softmax", ASSIGNMENT, ASSIGNMENT, "ada").manual_comment = "Use keepdims."
        book.db.commit()
    assert gradebook.scores(tmp_path, marks)["ada", ASSIGNMENT]["softmax-public"][2] == "Use keepdims."


def test_a_file_that_could_not_be_graded_has_its_line(tmp_path):
    marks = [grading.Marks("ada", ASSIGNMENT, "x.ipynb", notes=["x"])]
    gradebook.export(tmp_path, marks, {}, gradebook.scores(tmp_path, marks))
    assert rows(tmp_path / "grades.csv")["ada"]["status"] == "needs a human"
