"""The teacher's points and comments: kept in a CSV file, read without a guess, and never points for code."""

import csv
import io
import sqlite3
from pathlib import Path

import pytest

from coursework import results, sources, tables, words
from coursework.__main__ import main
from coursework.marks import Marks
from tests.coursework.conftest import ASSIGNMENT, FULL, WRITTEN, cell, grade_again, rows, solved_notebook, with_code

WAITING = "written questions to mark"
HEAD = "student,question,points,comment,answer\n"


def scores_of(course):
    return {name: (line["score"], line["status"]) for name, line in rows(course / "grades.csv").items()}


def give(course, **points):
    marks = {one.student: one for one in results.marks_in(course, ASSIGNMENT)}
    for student, given in points.items():
        answer = words.digest(marks[student], WRITTEN)
        words.give(course, ASSIGNMENT, {(student, WRITTEN): words.Word(given, "Read <chapter> 4", answer)})


def test_a_mark_nobody_gave_is_empty(course):
    assert scores_of(course) == {
        "ada": ("", WAITING), "bob": ("", WAITING), "eve": ("", "needs your attention"), "kim": ("", "no submission")
    }  # fmt: skip
    lines = rows(course / "grades.csv")
    assert lines["bob"]["last_name"] == "'=1+1"  # a spreadsheet computes nothing
    assert [lines[name]["automatic"] for name in ("ada", "eve", "kim")] == ["36", "", ""]


def test_the_teachers_marks_are_kept_and_come_out(course, tmp_path):
    automatic = sum(results.load(course, ASSIGNMENT, "bob").points.values())
    give(course, ada=3, bob=1)
    words.give(course, ASSIGNMENT, {("ada", words.ORAL): words.Word(2.5, "Knew the mask")})
    for command in (["grade", str(tmp_path / "submitted"), "--assignment", ASSIGNMENT], ["feedback"]):
        assert main([*command, "--to", str(course)]) == 0  # the roster of before
        lines = rows(course / "grades.csv")
        assert (lines["ada"]["score"], lines["ada"]["max_score"], lines["ada"]["oral"]) == ("39", "40", "2.5")
        head, possible, *canvas = csv.reader(io.StringIO((course / "canvas.csv").read_text()))
        assert possible[0] == "    Points Possible" and possible[-2:] == ["40", "4"]
        assert [line[-2:] for line in canvas] == [["39", "2.5"], [f"{automatic + 1:g}", ""], ["", ""], ["", ""]]
    page = (course / "feedback" / "ada" / f"{ASSIGNMENT}.html").read_text()
    assert "39 of 40 points" in page and "Read &lt;chapter&gt; 4" in page and "Knew the mask" in page


def test_an_answer_that_changed_is_told(course, put, tmp_path):
    """The teacher's points stay until then. A new file that is broken leaves the mark as it was."""
    give(course, ada=3)
    (tmp_path / "submitted" / "ada" / f"{ASSIGNMENT}.ipynb").unlink()
    put(f"ada/{ASSIGNMENT}-1.ipynb", with_code(solved_notebook(ASSIGNMENT), WRITTEN, "Other words."))
    put(f"bob/{ASSIGNMENT}.ipynb", "{")
    assert grade_again(tmp_path, course) == 0
    assert scores_of(course)["ada"][0] == "39" and scores_of(course)["bob"] == ("", WAITING)
    report = (course / "report.md").read_text()
    assert "not graded: is cut off" in report and f"its answer to {WRITTEN} has changed since it was marked" in report


def score_of(where, marks):
    return words.scores(where, ASSIGNMENT, [marks])[0]


WRONG = {
    f"ada,{WRITTEN},5,,": "must be a number from 0 to 4, got '5'",
    f"ada,{WRITTEN},-1,,": "must be a number from 0 to 4", f"ada,{WRITTEN},nan,,": "must be a number from 0 to 4",
    f"ada,{WRITTEN},good,,": "must be a number from 0 to 4, got 'good'",
    "ada,oral,5,,": "must be a number from 0 to 4", "ada,why,1,,": "'why' is not a question of 2-attention",
    f"ada,{WRITTEN},1,,\nada,{WRITTEN},2,,": "line 3: ada and why-square-root already have a line",
    "ada,softmax-hidden,4,,": "line 2: the points of softmax-hidden come from grading",
    f"adda,{WRITTEN},1,,": "line 2: adda is not in the roster and has handed in nothing",
}  # fmt: skip


@pytest.mark.parametrize("lines", WRONG)
def test_a_line_that_cannot_be_right_is_refused(lines, tmp_path):
    words.path_of(tmp_path, ASSIGNMENT).write_text(f"{HEAD}{lines}\n")
    results.save(tmp_path, Marks("ada", ASSIGNMENT))
    with pytest.raises(ValueError, match="words-2-attention.csv, line ") as error:
        words.read(tmp_path, ASSIGNMENT)
    assert WRONG[lines] in str(error.value)


def test_a_file_that_excel_saved_is_read(tmp_path):
    text = HEAD.replace(",", ";") + f"sean.o'brien;{WRITTEN};3,5;Why? Say more;\n"
    words.path_of(tmp_path, ASSIGNMENT).write_bytes(text.encode("utf-8-sig"))
    assert words.read(tmp_path, ASSIGNMENT) == {("sean.o-brien", WRITTEN): words.Word(3.5, "Why? Say more", "")}
    assert [words.checked(ASSIGNMENT, WRITTEN, text) for text in (".5", "3.", "0,25", "")] == [0.5, 3, 0.25, None]
    words.path_of(tmp_path, ASSIGNMENT).write_text("student,points\nada,3\n")
    with pytest.raises(ValueError, match="question, comment is missing"):
        words.read(tmp_path, ASSIGNMENT)


@pytest.mark.parametrize("comment", ["=1+1", "-1: why?", 'two\nlines; =x, "y"', "'-1", "𝄞 ünï", ""])
def test_every_comment_comes_back_as_it_was(comment, tmp_path):
    words.give(tmp_path, ASSIGNMENT, {("李明", WRITTEN): words.Word(0.5, comment, "12ab")})
    words.give(tmp_path, ASSIGNMENT, {("eve", WRITTEN): words.Word(None, comment)})
    found = words.read(tmp_path, ASSIGNMENT)
    assert found == {("李明", WRITTEN): words.Word(0.5, comment, "12ab"), ("eve", WRITTEN): words.Word(None, comment)}
    assert "\n=" not in words.path_of(tmp_path, ASSIGNMENT).read_text()


def test_an_empty_answer_has_no_points_and_code_has_its_own(tmp_path):
    words.give(tmp_path, ASSIGNMENT, {("ada", "softmax-hidden"): words.Word(None, "Use keepdims.")})
    marks = Marks("ada", ASSIGNMENT, points={**FULL, "softmax-hidden": 2.5})
    assert score_of(tmp_path, marks).cells["softmax-hidden"] == (2.5, 4, "Use keepdims.")
    ada = Marks("ada", ASSIGNMENT, points=dict(FULL))
    given = cell(sources.student_notebook(ASSIGNMENT), WRITTEN).source
    for text in (given, "", f"\n{given} "):
        ada.answers = {WRITTEN: text}
        assert score_of(tmp_path, ada).cells[WRITTEN] == (0, 4, words.NO_ANSWER)
    words.give(tmp_path, ASSIGNMENT, {("ada", WRITTEN): words.Word(1, "On paper")})
    assert score_of(tmp_path, ada).cells[WRITTEN] == (1, 4, "On paper")
    words.path_of(tmp_path, ASSIGNMENT).unlink()
    ada.extra = [("markdown", "My answer is here. " * 5)]  # only a person can say what this answers
    assert score_of(tmp_path, ada).cells[WRITTEN][0] is None
    assert score_of(tmp_path, ada).status == WAITING


def test_marks_of_the_old_gradebook_are_taken_over_once(tmp_path):
    with sqlite3.connect(tmp_path / "gradebook.db") as book:
        book.executescript(Path(__file__).with_name("gradebook.sql").read_text(encoding="utf-8"))
    taken, left = words.convert(tmp_path, ASSIGNMENT)
    assert taken.startswith("2 points and comments were taken over") and left.endswith("bob, softmax-hidden: 1.")
    given = {"ada": words.Word(2.5, "Read <ch> 4"), "bob": words.Word(None, "See me")}
    assert words.read(tmp_path, ASSIGNMENT) == {(student, WRITTEN): word for student, word in given.items()}
    words.give(tmp_path, ASSIGNMENT, {("ada", WRITTEN): words.Word(4)})
    assert words.convert(tmp_path, ASSIGNMENT) == [] and words.read(tmp_path, ASSIGNMENT)["ada", WRITTEN].points == 4


@pytest.mark.parametrize("text, safe", [
    ("=1+1", "'=1+1"), ("x;=1+1", "x;'=1+1"), ("x;=1+1;y\t@z|-1", "x;'=1+1;y\t'@z|'-1"), ("-1", "'-1"),
    ('x; "=1+1"', 'x; "\'=1+1"'), ("\r\n=1", "\r\n'=1"), ("＝1+1", "'＝1+1"),
    *((name, name) for name in ("a+b@c.org", "Smith-Jones", "O'Neil", "Lovelace, Ada", "    Points Possible", "")),
])  # fmt: skip
def test_no_text_is_a_formula_whatever_separates_cells(text, safe):
    assert next(csv.reader(io.StringIO(tables.csv_text([[text, -1.5]]), newline=""))) == [safe, "-1.5"]
    for separator in ",;\t|":
        cells = safe.replace("\r\n", separator).split(separator)
        assert not [one for one in cells if one.strip(' "').startswith(("=", "+", "-", "@", "＝"))]
    assert tables.unquoted(safe) == text
