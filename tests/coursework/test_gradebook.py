"""The gradebook, what formgrader shows, and the CSV files."""

import csv
import io
import json
import os
import subprocess
import sys

import nbformat
import pytest

from coursework import gradebook, pages, results, rosters, sources
from coursework.__main__ import main
from coursework.marks import Marks
from tests.coursework.conftest import ASSIGNMENT, FULL, WRITTEN, cell, grade_again, put_file, rows, with_code

WAITING = "written questions to mark"


def scores_of(course):
    return {name: (line["score"], line["status"]) for name, line in rows(course / "grades.csv").items()}


def points_of(course, student):
    return next(sum(one.points.values()) for one in results.marks_in(course, ASSIGNMENT) if one.student == student)


def give(course, **points):
    """The teacher's points for the words, and a comment."""
    with gradebook.opened(course) as book:
        for student, given in points.items():
            grade = book.find_grade(WRITTEN, ASSIGNMENT, ASSIGNMENT, student)
            grade.manual_score, grade.needs_manual_grade = given, False
            book.find_comment(WRITTEN, ASSIGNMENT, ASSIGNMENT, student).manual_comment = "Read <chapter> 4"
        book.db.commit()


def read_csv(path):
    return list(csv.reader(io.StringIO(path.read_text())))


def test_a_mark_nobody_gave_is_empty(course):
    assert scores_of(course) == {
        "ada": ("", WAITING), "bob": ("", WAITING), "eve": ("", "needs a human"), "kim": ("", "no submission")
    }  # fmt: skip
    lines = rows(course / "grades.csv")
    assert lines["bob"]["last_name"] == "'=1+1"  # a spreadsheet computes nothing
    assert [lines[name]["automatic"] for name in ("ada", "eve", "kim")] == ["36", "", ""]


def test_the_teachers_marks_are_kept_and_come_out(course, tmp_path):
    automatic = points_of(course, "bob")
    give(course, ada=3, bob=1)
    for command in (["grade", str(tmp_path / "submitted"), "--assignment", ASSIGNMENT], ["feedback"]):
        assert main([*command, "--to", str(course), "--roster", str(tmp_path / "class.csv")]) == 0
        lines = rows(course / "grades.csv")
        assert (lines["ada"]["score"], lines["ada"]["max_score"]) == ("39", "40")
        _, possible, *canvas = read_csv(course / "canvas.csv")
        assert possible[0] == "    Points Possible" and possible[-1] == "40"
        assert [line[-1] for line in canvas] == ["39", f"{automatic + 1:g}", "", ""]
    page = (course / "feedback" / "ada" / f"{ASSIGNMENT}.html").read_text()
    assert "39 of 40 points" in page and "Read &lt;chapter&gt; 4" in page


def test_a_file_without_words_is_shown_again(course, put, tmp_path):
    """The teacher's points stay until then. A new file that is broken leaves the mark as it was."""
    give(course, ada=3)
    blank = cell(sources.student_notebook(ASSIGNMENT), WRITTEN).source
    (tmp_path / "submitted" / "ada" / f"{ASSIGNMENT}.ipynb").unlink()
    put(f"ada/{ASSIGNMENT}-1.ipynb", with_code(sources.solved_notebook(ASSIGNMENT), WRITTEN, blank))
    put(f"bob/{ASSIGNMENT}.ipynb", "{")
    assert grade_again(tmp_path, course) == 0
    assert scores_of(course)["ada"][0] == "39" and scores_of(course)["bob"] == ("", WAITING)
    assert "not graded: is cut off" in (course / "report.md").read_text()
    with gradebook.opened(course) as book:
        assert book.find_grade(WRITTEN, ASSIGNMENT, ASSIGNMENT, "ada").needs_manual_grade
        assert not book.find_grade("softmax-hidden", ASSIGNMENT, ASSIGNMENT, "ada").needs_manual_grade


def test_a_second_assignment_leaves_the_first(course, tmp_path):
    """And a notebook of the first, among those of the second, is named and left."""
    before, marks = (course / f"grades-{ASSIGNMENT}.csv").read_text(), points_of(course, "ada")
    for student, name in (("kim", "1-tokenization"), ("ada", ASSIGNMENT)):
        put_file(tmp_path / "week 2" / student / "better-9.ipynb", sources.solved_notebook(name))
    how = ["--to", str(course), "--assignment", "1-tokenization", "--roster", str(tmp_path / "class.csv")]
    assert main(["grade", str(tmp_path / "week 2"), *how]) == 0
    assert (course / f"grades-{ASSIGNMENT}.csv").read_text() == before and points_of(course, "ada") == marks
    head, *lines = read_csv(course / "grades.csv")
    states = {tuple(line[:2]): line[head.index("status")] for line in lines}
    assert len(lines) == 8 and states[ASSIGNMENT, "ada"] == states["1-tokenization", "kim"] == WAITING
    assert states["1-tokenization", "ada"] == "needs a human" and states[ASSIGNMENT, "kim"] == "no submission"
    assert f"is the assignment {ASSIGNMENT}, and 1-tokenization was asked" in (course / "report.md").read_text()
    assert len(read_csv(course / "canvas.csv")[0]) == 7 and main(["feedback", "--to", str(course)]) == 0


def test_formgrader_shows_the_students_words_as_text(course):
    """The rubric stands below each answer, and a warning above all; no more cells than ours have names."""
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    api = NbGraderAPI(CourseDirectory(root=str(course)))
    (assignment,) = api.get_assignments()
    assert (assignment["name"], assignment["num_submissions"], assignment["max_score"]) == (ASSIGNMENT, 2, 40)
    waiting = {line["student"]: line["needs_manual_grade"] for line in api.get_submissions(ASSIGNMENT)}
    assert waiting["ada"] and waiting["bob"]
    notebook = nbformat.read(course / "autograded" / "bob" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", 4)
    nbformat.validate(notebook)
    answer = cell(notebook, WRITTEN)
    assert "<strong>Because</strong> &lt;script&gt;alert(1)&lt;/script&gt;" in answer.source
    assert "run nothing of it" in notebook.cells[0].source
    rubric = notebook.cells[notebook.cells.index(answer) + 1]
    assert rubric.cell_type == "markdown" and "1 point:" in rubric.source and "###" not in rubric.source
    both = notebook.cells, sources.student_notebook(ASSIGNMENT).cells
    ours, theirs = ([one.metadata.nbgrader.grade_id for one in some if "nbgrader" in one.metadata] for some in both)
    assert ours == theirs


@pytest.mark.long
def test_the_teacher_marks_a_written_answer_in_formgrader(course, formgrader):
    waiting = json.loads(formgrader(f"formgrader/api/submitted_notebooks/{ASSIGNMENT}/{ASSIGNMENT}"))
    (bob,) = [one["id"] for one in waiting if one["student"] == "bob"]
    page = formgrader(f"formgrader/submissions/{bob}")
    assert "ValueError" in page and "<strong>Because</strong>" in page
    assert "alert(1)" in page and "<script>alert" not in page
    grades = json.loads(formgrader(f"formgrader/api/grades?submission_id={bob}"))
    (written,) = [one for one in grades if one["name"] == WRITTEN]
    assert written["needs_manual_grade"] and written["max_score"] == 4
    formgrader(f"formgrader/api/grade/{written['id']}", manual_score=2)
    comments = json.loads(formgrader(f"formgrader/api/comments?submission_id={bob}"))
    (comment,) = [one["id"] for one in comments if one["name"] == WRITTEN]
    formgrader(f"formgrader/api/comment/{comment}", manual_comment="And the gradient?")
    assert main(["feedback", "--to", str(course)]) == 0
    assert scores_of(course)["bob"][0] == f"{points_of(course, 'bob') + 2:g}"
    feedback_page = (course / "feedback" / "bob" / f"{ASSIGNMENT}.html").read_text()
    assert "2 of 4" in feedback_page and "And the gradient?" in feedback_page


@pytest.mark.long
def test_grading_needs_no_activated_environment(tmp_path):
    """nbgrader looks for its tools on PATH: they are found where this Python lies."""
    code = "import sys; from coursework import gradebook\nwith gradebook.opened(sys.argv[1]): pass"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=environment, timeout=120)
    assert run.returncode == 0


# --- one gradebook, without a grading ---------------------------------------------------------------------------------


def marks_of(student, **points):
    points = {name.replace("_", "-"): given for name, given in points.items()}
    return Marks(student, ASSIGNMENT, points={**dict.fromkeys(FULL, 0), **points})


def test_a_gradebook_takes_half_points_comments_and_names(tmp_path):
    """Names are text in formgrader; a comment on code reaches the student; what has no mark has its line."""
    ada, broken = marks_of("ada", softmax_hidden=2.5, softmax_public=2.0), Marks("bob", ASSIGNMENT, "x.ipynb")
    ada.answers = {WRITTEN: cell(sources.student_notebook(ASSIGNMENT), WRITTEN).source}
    roster = {"ada": rosters.Student("ada", "<img src=x onerror=alert(1)>", "Ada", "a@x.org")}
    gradebook.record(tmp_path, [ada, broken], roster)
    with gradebook.opened(tmp_path) as book:
        assert "<" not in book.find_student("ada").last_name
        book.find_comment("softmax", ASSIGNMENT, ASSIGNMENT, "ada").manual_comment = "Use keepdims."
        book.db.commit()
    scores = gradebook.scores(tmp_path, [ada, broken])
    assert scores["ada", ASSIGNMENT]["softmax-public"][2] == "Use keepdims."
    gradebook.export(tmp_path, [ada, broken], {}, scores)
    assert scores_of(tmp_path) == {"ada": ("4.5", "graded"), "bob": ("", "needs a human")}
    assert "ada,,,ada,,4.5\n" in (tmp_path / "canvas.csv").read_text()
    assert cell(gradebook.clean_notebook(ada), "softmax-hidden").outputs[0].text.startswith("2.5 of ")


def test_a_cell_that_an_assignment_gains_is_marked(tmp_path, monkeypatch):
    """For those who were graded before, too."""
    solved, marks = sources.solved_notebook(ASSIGNMENT), [marks_of("ada", softmax_hidden=3)]
    fewer = solved.copy()
    fewer.cells = [one for one in solved.cells if "softmax" not in one.metadata.get("nbgrader", {}).get("grade_id", "")]
    with monkeypatch.context() as patch:
        patch.setattr(sources, "student_notebook", lambda name: fewer)
        patch.setattr(gradebook, "_released", lambda name: fewer)
        gradebook._given.cache_clear()
        gradebook.record(tmp_path, marks, {})
    gradebook._given.cache_clear()
    gradebook.record(tmp_path, marks, {})
    assert gradebook.scores(tmp_path, marks)["ada", ASSIGNMENT]["softmax-hidden"][0] == 3


def test_two_variants_are_two_columns_of_canvas(tmp_path):
    """Canvas knows a column by its heading, and takes a number in brackets at its end for its own."""
    both = [Marks("ada", f"1-tokenization-{year}", submitted=False) for year in (2027, 2028)]
    gradebook.export(tmp_path, both, {}, {("ada", one.assignment): {} for one in both})
    head = read_csv(tmp_path / "canvas.csv")[0]
    assert head[-2:] == [f"Assignment 1: from text to ids, {year}" for year in (2027, 2028)]


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
    assert next(csv.reader(io.StringIO(pages.csv_text([[text, -1.5]]), newline=""))) == [safe, "-1.5"]
    for separator in ",;\t|":
        cells = safe.replace("\r\n", separator).split(separator)
        assert not [one for one in cells if one.strip(' "').startswith(("=", "+", "-", "@", "＝"))]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_rosters_of_spreadsheets_are_read(mark, encoding, tmp_path):
    lines = [" student ", "last_name", "first_name"], ["ada", "Möller, von", "Jörg"], ["bob"], ["", "", ""]
    text = io.StringIO()
    csv.writer(text, delimiter=mark).writerows(lines)
    (tmp_path / "class.csv").write_bytes(text.getvalue().encode(encoding))
    ada, bob = rosters.read_roster(tmp_path / "class.csv").values()
    assert (ada.id, ada.last_name, ada.first_name) == ("ada", "Möller, von", "Jörg")
    assert (bob.id, bob.last_name) == ("bob", "")


@pytest.mark.parametrize("data", ["student,last_name\nada,Möller\n".encode("cp1252"), b"\xff\xfes\x00t"[:-1], b""])
def test_rosters_in_another_alphabet_are_refused(data, tmp_path):
    (tmp_path / "class.csv").write_bytes(data)
    with pytest.raises(ValueError, match="class.csv must "):
        rosters.read_roster(tmp_path / "class.csv")
