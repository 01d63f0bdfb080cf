"""A term: what is late, who works together, what goes back into the LMS, and what the class is told to learn again."""

import csv
import json
import re
import shutil
import zipfile
from fractions import Fraction

import nbformat
import pytest

from coursework import feedback, files, gradebook, grading, sources, stats, term
from coursework.__main__ import main
from tests.coursework.conftest import ASSIGNMENT, cell, rows, with_code

POINTS = sources.points(ASSIGNMENT)
CHECKS = sources.points(ASSIGNMENT, marks=("check",))
WRITTEN = "why-square-root"


def marks_of(student, file="x.ipynb", **how):
    return grading.Marks(student, ASSIGNMENT, file, points=dict(CHECKS), **how)


def given_to(*all_marks):
    """(student, assignment) -> scores: all points that the checks gave, and 4 for the words."""
    return {
        (one.student, ASSIGNMENT): {name: (one.points.get(name, 4), most, "") for name, most in POINTS.items()}
        for one in all_marks
    }


# --- late -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule, days, left",
    [
        ("10%/day", 0, 39.5), ("10%/day", 1, 35.5), ("10%/day", 3, 27.5), ("10%/day,3", 3, 27.5), ("10%/day,3", 4, 0),
        ("", 5, 39.5), ("2.5%/day", 2, 37.5), ("40%/day", 3, 0), ("100%/day", 0, 39.5), ("100%/day", 1, 0),
    ],
)  # fmt: skip
def test_a_rule_takes_its_share_for_each_day(rule, days, left):
    assert term.Late(days, rule).points(39.5) == left


@pytest.mark.parametrize("percent, days", [("10", 8), ("5", 17), ("2.5", 3), ("1", 11), ("33.5", 2), ("50", 3)])
def test_no_rounding_of_the_machine_takes_half_a_point(percent, days):
    for halves in range(81):
        left = Fraction(halves) * max(0, 100 - days * Fraction(percent)) / 100
        assert term.Late(days, f"{percent}%/day").points(halves / 2) == int(left) / 2


@pytest.mark.parametrize("rule", ["10", "10%", "ten%/day", "10%/day,", "10%/day,x", "-1%/day", "1000%/day"])
def test_what_is_no_rule_is_told_before_anything_is_graded(rule, tmp_path, capsys):
    (tmp_path / "in").mkdir()
    how = ["--assignment", ASSIGNMENT, "--to", str(tmp_path / "out"), f"--late={rule}"]
    assert main(["grade", str(tmp_path / "in"), *how]) == 2
    assert "10%/day" in capsys.readouterr().err and not (tmp_path / "out").exists()


def student(name, **row):
    return gradebook.Student(name, row=tuple(row.items()))


@pytest.mark.parametrize(
    "file, row, days, told",
    [
        ("doeada_LATE_12_34_2-attention.ipynb", {}, 1, True),
        ("all.zip: doeada_LATE_12_34_2-attention.ipynb", {}, 1, True),
        ("doeada_12_34_2-attention_LATE_.ipynb", {}, 0, False),
        ("doeada_LATE_12_34_x.ipynb", {"days_late": "3"}, 3, False),
        ("doeada_LATE_12_34_x.ipynb", {"days_late": " 2 "}, 2, False),
        ("LATEada_12_34_x.ipynb", {}, 0, False),
        ("Ada_1_assignsubmission_file_/x.ipynb", {"Status": "Submitted for grading - 2 days 3 hours late"}, 3, False),
        ("Ada_1_assignsubmission_file_/x.ipynb", {"Status": "Submitted for grading2 days late"}, 2, False),
        ("Ada_1_assignsubmission_file_/x.ipynb", {"Status": "Submitted for grading - 5 mins 2 secs late"}, 1, False),
        ("Ada_1_assignsubmission_file_/x.ipynb", {"Status": "Submitted for grading - 1 day 0 hours late"}, 1, False),
        ("Ada_1_assignsubmission_file_/x.ipynb", {"Status": "Submitted for grading - 1 day 1 hour late"}, 2, False),
        ("Ada_1_assignsubmission_file_/x.ipynb", {"Status": "Submitted for grading - 1 hour 1 min late"}, 1, False),
        ("Ada_1_assignsubmission_file_/x.ipynb", {"Status": "Submitted for grading - 3 days 1 min late"}, 4, False),
        (
            "Ada_1_assignsubmission_file_/x.ipynb",
            {"Status": "Submitted for grading - 3 days 1 min 1 sec late"},
            4,
            False,
        ),
        ("Ada_1_assignsubmission_file_/x.ipynb", {"Status": "Submitted for grading - late"}, 1, False),
        ("Ada_1_assignsubmission_file_/x.ipynb", {"Status": "Submitted for grading"}, 0, False),
        ("ada/2-attention.ipynb", {}, 0, False),
    ],
)
def test_the_lms_says_what_is_late(file, row, days, told, tmp_path):
    about = term.note_late(tmp_path, ASSIGNMENT, [marks_of("ada", file)], {"ada": student("ada", **row)}, "10%/day")
    assert term.late(tmp_path, ASSIGNMENT).get("ada", term.Late(0, "10%/day")) == term.Late(days, "10%/day")
    assert bool(about) == told


def test_in_time_nothing_is_rounded_and_who_handed_in_nothing_is_not_late(tmp_path):
    assert term.Late(0, "10%/day").points(39.25) == 39.25
    term.note_late(tmp_path, ASSIGNMENT, [absent("kim")], {"kim": student("kim", Status="3 days late")}, "10%/day")
    assert term.late(tmp_path, ASSIGNMENT) == {}


def test_what_was_known_of_lateness_stays_and_a_new_file_in_time_changes_it(tmp_path):
    late, again = marks_of("ada", "a_LATE_1_2_x.ipynb"), marks_of("ada", "a_1_5_x.ipynb")
    by_moodle = marks_of("bob", "Bob_7_assignsubmission_file_/x.ipynb")
    term.note_late(tmp_path, ASSIGNMENT, [late, by_moodle], {"bob": student("bob", Status="1 day late")}, "10%/day")
    term.note_late(tmp_path, "1-tokenization", [], {}, "50%/day")
    term.note_late(tmp_path, ASSIGNMENT, [again, by_moodle], {})
    assert term.late(tmp_path, ASSIGNMENT) == {"ada": term.Late(0, "10%/day"), "bob": term.Late(1, "10%/day")}


def test_late_days_stand_in_the_tables_and_on_the_page(tmp_path):
    marks = [marks_of("ada"), marks_of("bob")]
    late = {"ada": term.Late(2, "10%/day")}
    given = given_to(*marks)
    gradebook.export(tmp_path, marks, {}, given, {("ada", ASSIGNMENT): late["ada"]})
    lines = rows(tmp_path / "grades.csv")
    assert [(one["score"], one["automatic"], one["days_late"]) for one in (lines["ada"], lines["bob"])] == [
        ("32", "36", "2"),
        ("40", "36", ""),
    ]
    assert "ada,,,ada,,32\n" in (tmp_path / "canvas.csv").read_text()
    feedback.write_pages(tmp_path, marks, given, late)
    pages = {one.student: (tmp_path / "feedback" / one.student / f"{ASSIGNMENT}.html").read_text() for one in marks}
    assert "40 of 40 points. It came 2 days late: 32 of these count" in pages["ada"] and "late" not in pages["bob"]


def test_two_variants_of_an_assignment_are_two_columns_of_canvas(tmp_path):
    """Canvas knows a column by its heading, and takes a number in brackets at its end for its own."""
    both = [grading.Marks("ada", f"1-tokenization-{year}", submitted=False) for year in (2027, 2028)]
    gradebook.export(tmp_path, both, {}, {("ada", one.assignment): {} for one in both})
    *_, first, second = next(csv.reader((tmp_path / "canvas.csv").read_text().splitlines()))
    assert [first, second] == [f"Assignment 1: from text to ids, {year}" for year in (2027, 2028)]
    assert sources.title("1-tokenization") == "Assignment 1: from text to ids"


def test_automatic_points_are_there_before_the_words_are_marked(course):
    assert {name: (line["score"], line["automatic"]) for name, line in rows(course / "grades.csv").items()} == {
        "ada": ("", "36"),
        "bob": ("", rows(course / "grades.csv")["bob"]["automatic"]),
        "eve": ("", ""),
        "kim": ("", ""),
    }


# --- groups ---------------------------------------------------------------------------------------------------------


def absent(student):
    return grading.Marks(student, ASSIGNMENT, notes=["no submission"], submitted=False)


def test_one_of_a_group_hands_in_for_all():
    marks = [marks_of("ada"), absent("bob"), marks_of("eve"), marks_of("kim"), absent("lea"), absent("max")]
    groups = {"ada": "1", "bob": "1", "eve": "2", "kim": "2", "lea": "2"}
    late = {"ada": term.Late(1, "10%/day")}
    found, given, late, about = term.shared(marks, given_to(marks[0], *marks[2:4]), late, groups)
    assert [one.student for one in found] == [one.student for one in marks]
    assert [bool(given.get((one.student, ASSIGNMENT))) for one in found] == [True, True, True, True, False, False]
    assert late["bob"].days == 1 and len(about) == 1 and "Group 2: eve and kim" in about[0]
    assert [one.student for one in term.without_covered(marks, groups)] == ["ada", "eve", "kim", "max"]


def test_groups_come_out_of_a_csv_file_and_stay(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text("student,group\nada,red\nbob,\n")
    assert term.groups(tmp_path, term.read_groups(path, gradebook.read_roster)) == {"ada": "red"}
    assert term.groups(tmp_path) == {"ada": "red"}
    path.write_text("student\nada\n")
    with pytest.raises(ValueError, match="must have a column"):
        term.read_groups(path, gradebook.read_roster)


def test_a_damaged_file_of_one_takes_no_mark_from_the_group_and_covers_nobody():
    damaged, good = marks_of("eve"), marks_of("kim")
    damaged.points = {}
    marks, groups = [damaged, good, absent("lea")], dict.fromkeys(("eve", "kim", "lea"), "2")
    found, given, _, about = term.shared(marks, given_to(good), {}, groups)
    assert not found[0].points and not about and found[2].points == good.points and ("eve", ASSIGNMENT) not in given
    alone = [damaged, absent("lea")]
    assert term.without_covered(alone, groups) == alone


def test_a_group_has_a_name_as_an_lms_writes_it_and_may_go(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text("student,Group\nada, red \n")
    assert term.groups(tmp_path, term.read_groups(path, gradebook.read_roster)) == {"ada": "red"}
    assert term.groups(tmp_path, {}) == {} == term.groups(tmp_path)


def test_a_rule_may_go(tmp_path):
    late = marks_of("ada", "a_LATE_1_2_x.ipynb")
    term.note_late(tmp_path, ASSIGNMENT, [late], {}, "10%/day")
    assert term.note_late(tmp_path, ASSIGNMENT, [late], {}, "") == [f"ada: {term.UNKNOWN}"]
    assert term.late(tmp_path, ASSIGNMENT) == {"ada": term.Late(1, "")}
    assert term.note_late(tmp_path, ASSIGNMENT, [marks_of("ada", "a_1_2_x.ipynb")], {}) == []


# --- what goes back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file, name",
    [
        ("doeada_LATE_12_34_2-attention-1.ipynb", f"doeada_LATE_12_34_{ASSIGNMENT}.html"),
        ("all.zip: doeada_12_34_x.ipynb", f"doeada_12_34_{ASSIGNMENT}.html"),
        ("Ada Doe_815_assignsubmission_file_/x.ipynb", f"Ada Doe_815_assignsubmission_file_/{ASSIGNMENT}.html"),
        ("all.zip: Ada_8_assignsubmission_file_/x.ipynb", f"Ada_8_assignsubmission_file_/{ASSIGNMENT}.html"),
        ("ada/2-attention.ipynb", f"ada/{ASSIGNMENT}.html"),
        ("ada.ipynb", f"ada/{ASSIGNMENT}.html"),
        ("all.zip: ../Ada_8_assignsubmission_file_/x.ipynb", f"ada/{ASSIGNMENT}.html"),
        ("..\\a_12_34_x.ipynb", f"ada/{ASSIGNMENT}.html"),
        ("..\\Ada_8_assignsubmission_file_/x.ipynb", f"ada/{ASSIGNMENT}.html"),
        ("Ada_8_assignsubmission_file_x/y.ipynb", f"ada/{ASSIGNMENT}.html"),
        ("a_12_34_b/x.ipynb", f"ada/{ASSIGNMENT}.html"),
    ],
)
def test_a_page_goes_back_under_the_name_that_the_lms_knows(file, name):
    assert term.returned(marks_of("ada", file)) == name


LONG = f"{'d' * 200}_816_assignsubmission_file_"


@pytest.mark.parametrize("path, name", [
    ("eve_LATE_12_34_x: kim_56_78_y.ipynb", "eve_LATE_12_34_{}.html"),
    ("eve_12_34_x.zip: kim_56_78_y.ipynb", "eve_12_34_{}.html"),
    ("Eve_8_assignsubmission_file_/x: Kim_9_assignsubmission_file_/y.ipynb", "Eve_8_assignsubmission_file_/{}.html"),
    (f"Eve_815_assignsubmission_file_/{LONG}/{'f' * 66}.ipynb", "Eve_815_assignsubmission_file_/{}.html"),
    ("Zoë \"Z\" O'Neil_815_assignsubmission_file_/x.ipynb", "Zoë \"Z\" O'Neil_815_assignsubmission_file_/{}.html"),
    ("Eve\u00a0Doe_815_assignsubmission_file_/x.ipynb", "Eve-Doe_815_assignsubmission_file_/{}.html"),
])  # fmt: skip
@pytest.mark.parametrize("zipped", [False, True])
def test_no_name_of_a_file_sends_a_page_to_somebody_else_or_hides_that_it_is_late(path, name, zipped, tmp_path):
    folder = tmp_path / "submitted"
    folder.mkdir()
    if zipped:
        with zipfile.ZipFile(folder / "all.zip", "w") as archive:
            archive.writestr(path, "{}")
    else:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("{}")
    ((_, file, _, _),) = files.find(folder)
    assert term.returned(marks_of("eve", file)) == name.format(ASSIGNMENT)
    term.note_late(tmp_path, ASSIGNMENT, [marks_of("eve", file)], {})
    assert term.late(tmp_path, ASSIGNMENT).get("eve", term.Late()).days == int("LATE" in path)


def test_the_archive_holds_each_page_once(tmp_path):
    marks = [marks_of("ada", "a_1_2_x.ipynb"), marks_of("bob", "a_1_2_x.ipynb"), absent("kim")]
    feedback.write_pages(tmp_path, marks, given_to(*marks[:2]))
    term.write_zip(tmp_path, ASSIGNMENT, marks)
    with zipfile.ZipFile(tmp_path / f"feedback-{ASSIGNMENT}.zip") as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert sorted(texts) == [f"a_1_2_{ASSIGNMENT}.html", f"bob/{ASSIGNMENT}.html"]
    assert "<strong>bob</strong>" in texts[f"bob/{ASSIGNMENT}.html"]


def test_the_archive_holds_no_page_of_who_handed_in_nothing(tmp_path):
    """Nor does it ask for one that is not there."""
    feedback.write_pages(tmp_path, [marks_of("kim")], given_to(marks_of("kim")))
    term.write_zip(tmp_path, ASSIGNMENT, [absent("kim"), marks_of("bob")])
    with zipfile.ZipFile(tmp_path / f"feedback-{ASSIGNMENT}.zip") as archive:
        assert archive.namelist() == []


# --- what the class knows -------------------------------------------------------------------------------------------


WRONG_AXIS = "def softmax(x):\n    e = np.exp(x - x.max(axis=0))\n    return e / e.sum(axis=0)"


def test_a_usual_mistake_is_recognized_by_its_values_and_told_with_its_hint(hand_in, grade, solved):
    hand_in("ada", solved)
    hand_in("bob", with_code(solved, "causal-mask", "def causal_mask(n):\n    return np.tri(n, k=-1, dtype=bool)"))
    hand_in("eve", with_code(solved, "softmax", WRONG_AXIS))
    marks = grade()
    assert marks["ada"].hints == {}
    (hint,) = set(marks["bob"].hints.values())
    assert "diagonal" in hint and f"Hint: {hint}." in marks["bob"].reasons["causal-mask-hidden"]
    assert "first axis" in marks["eve"].hints["softmax-hidden"]
    assert not [name for name in marks["eve"].hints if name.startswith("attention")]  # that is softmax's doing


def class_of_three():
    hint = "take <axis=-1>"
    wrong = {"softmax-public": 0, "softmax-hidden": 1}
    cases = {"softmax-hidden": [("a matrix", False), ("a vector", True)]}
    one = marks_of("bob", hints={"softmax-public": hint, "softmax-hidden": hint}, cases=cases)
    two = marks_of("kim", hints={"softmax-hidden": hint})
    one.points, two.points = {**CHECKS, **wrong}, {**CHECKS, **wrong}
    return [marks_of("ada"), one, two, absent("eve")]


def softmax_lines(marks, given):
    """(the lines of stats.csv about softmax, all of its lines), without the assignment and the question."""
    lines = stats.rows(ASSIGNMENT, marks, given)
    return [line[2:] for line in lines if line[1] == "Question 1: softmax"], lines


def test_statistics_are_those_of_a_plain_count():
    marks = class_of_three()
    broken = grading.Marks("max", ASSIGNMENT, "x.ipynb")
    softmax, lines = softmax_lines([*marks, broken], {**given_to(*marks[:3]), ("max", ASSIGNMENT): {}})
    assert softmax == [
        ["question", "all points", 1, 3, round((5 + 1 + 1) / 3, 2), 5],
        ["question", "no points", 0, 3, "", ""],
        ["case failed", "a matrix", 1, 3, "", ""],
        ["mistake", "take <axis=-1>", 2, 3, "", ""],
    ]
    assert len(lines) == 2 * 8 + 2


def test_half_a_point_is_not_none_and_extra_credit_is_all():
    marks = [marks_of(name) for name in ("ada", "bob", "eve")]
    given = given_to(*marks)
    for student, public, hidden in (("ada", 2, 4), ("bob", 0, 0.5), ("eve", 0, 0)):
        given[student, ASSIGNMENT] |= {"softmax-public": (public, 2, ""), "softmax-hidden": (hidden, 3, "")}
    softmax, _ = softmax_lines(marks, given)
    assert softmax == [
        ["question", "all points", 1, 3, round((6 + 0.5) / 3, 2), 5],
        ["question", "no points", 1, 3, "", ""],
    ]


def test_a_check_that_is_newer_than_the_marks_is_no_zero():
    """The assignment got a check, and the command `feedback` reads the gradebook of before."""
    marks = class_of_three()
    given = given_to(*marks[:3])
    given["ada", ASSIGNMENT]["softmax-public"] = (0, 2, "")
    del given["ada", ASSIGNMENT]["softmax-hidden"]
    softmax, _ = softmax_lines(marks, given)
    assert [line[1:5] for line in softmax] == [
        ["all points", 0, 2, 1],
        ["no points", 0, 2, ""],
        ["a matrix", 1, 3, ""],
        ["take <axis=-1>", 2, 3, ""],
    ]


def test_what_most_failed_comes_first_then_the_order_of_the_check():
    """And who fails a case in two checks of a question is one student."""
    cases = ["one row of scores", "a matrix", "several matrices", "rows of large and small scores", "a score of -inf"]

    def one(student, check, hint, failed):
        return marks_of(student, cases={check: [(case, case not in failed) for case in cases]}, hints={check: hint})

    marks = [
        one("ada", "softmax-hidden", "z first, of one", cases[2:]),
        one("bob", "softmax-hidden", "of two", cases[:3]),
        one("eve", "softmax-hidden", "of two", cases[2:3]),
        one("kim", "softmax-public", "a second, of one", []),
    ]
    marks[2].cases["softmax-public"] = marks[2].cases["softmax-hidden"]
    softmax, _ = softmax_lines(marks, given_to(*marks))
    assert [line[1:4] for line in softmax[2:]] == [
        ["several matrices", 3, 4],
        *([case, 1, 4] for case in cases if case != "several matrices"),
        ["of two", 2, 4],
        ["z first, of one", 1, 4],
        ["a second, of one", 1, 4],
    ]


def test_words_that_are_not_marked_yet_are_no_zero():
    marks = class_of_three()
    given = given_to(*marks[:3])
    given["ada", ASSIGNMENT][WRITTEN] = (None, 4, "")
    (line,) = [one for one in stats.rows(ASSIGNMENT, marks, given) if one[1].startswith("Question 8")][:1]
    assert line[4:7] == [2, 2, 4]


def test_the_class_page_says_what_to_teach_again(tmp_path):
    marks = class_of_three()
    stats.write_class(tmp_path, ASSIGNMENT, marks, given_to(*marks[:3]))
    page = (tmp_path / f"class-{ASSIGNMENT}.html").read_text()
    assert "<strong>Question 1: softmax</strong>: 47 % of its points on average. “take &lt;axis=-1&gt;” (2)" in page
    assert "3 fully marked: mean 37.3 and median 36 of 40 points" in page and "ada" not in page


def test_what_is_weakest_comes_first_with_its_own_mistakes_and_three_fifths_are_enough():
    titles = [f"Question {number}: n < m" for number in (1, 2, 3)]
    means = [(2.98, 5), (3.1, 10), (6, 10)]
    lines = [["x", title, "question", "all points", 1, 9, *mean] for title, mean in zip(titles, means)]
    lines += [["x", title, "question", "no points", 2, 9, "", ""] for title in titles]
    lines += [["x", titles[0], "mistake", f"hint {number}", 4, 9, "", ""] for number in range(4)]
    lines += [["x", titles[0], "case failed", case, 3, 9, "", ""] for case in ("no points", "all points")]
    lines += [
        ["x", titles[1], "mistake", "of the second", 3, 9, "", ""],
        ["x", titles[1], "case failed", "a case", 7, 9, "", ""],
    ]
    page = stats.page(ASSIGNMENT, lines, [40, 10.5, 1])
    again = page.partition("<h2>Questions</h2>")[0]
    second = "Question 2: n &lt; m</strong>: 31 % of its points on average. “of the second” (3)</p>"
    first = "60 % of its points on average. “hint 0” (4); “hint 1” (4); “hint 2” (4)</p>"
    assert again.index(second) < again.index(first)
    assert "Question 3" not in again and "mean 17.2 and median 10.5 of 25 points" in again
    assert page.count("<tr class=mark>") == 2 and "No question has less" not in page
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page)
    assert cells[:7] == ["Question 1: n &lt; m", "2.98", "5", "60", "1", "2", "9"]
    assert cells[-3:] == ["Question 2: n &lt; m", "7", "a case"]
    assert cells.count("of the second") == cells.count("a case") == 1
    assert re.findall(r"<button>(.*?)</button>", page) == [
        *("question", "mean", "of", "percent", "all points", "no points", "students"),
        *("question", "students", "hint"),
        *("question", "students", "case"),
    ]
    page = stats.page(ASSIGNMENT, [line for line in lines if line[1] == titles[2]], [6])
    assert "1 fully marked: mean 6.0 and median 6 of 10 points" in page
    assert "No question has less than 60 % of its points" in page and '<td class="number">60</td>' in page


def test_a_question_that_nobody_could_do_is_the_weakest():
    lines = [["x", "One", "question", "all points", 0, 9, 2, 4], ["x", "Two", "question", "all points", 0, 9, 0, 4]]
    lines += [["x", title, "question", "no points", 9, 9, "", ""] for title in ("One", "Two")]
    page = stats.page(ASSIGNMENT, lines, [2])
    assert 0 < page.find("Two</strong>: 0 % of its points") < page.find("One</strong>: 50 % of its points")


def test_who_is_not_fully_marked_is_in_no_mean_of_the_class(tmp_path):
    marks = class_of_three()
    given = given_to(*marks[:3])
    given["ada", ASSIGNMENT][WRITTEN], given["max", ASSIGNMENT] = (None, 4, ""), {}
    broken = grading.Marks("max", ASSIGNMENT, "x.ipynb")
    stats.write_class(tmp_path, ASSIGNMENT, [*marks, broken], given)
    page = (tmp_path / f"class-{ASSIGNMENT}.html").read_text()
    assert f"<h1>The class: {sources.title(ASSIGNMENT)}</h1>" in page and "2 fully marked: mean 36.0" in page


def test_the_page_of_nobody_is_there(tmp_path):
    stats.write_class(tmp_path, ASSIGNMENT, [absent("ada")], {})
    page = (tmp_path / f"class-{ASSIGNMENT}.html").read_text()
    assert "0 fully marked." in page and "No question has less" in page


@pytest.mark.parametrize("scheme, width", [("light", 390), ("dark", 1280)])
def test_the_class_page_fits_its_screen(browser, tmp_path, scheme, width):
    marks = class_of_three()
    stats.write_class(tmp_path, ASSIGNMENT, marks, given_to(*marks[:3]))
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto((tmp_path / f"class-{ASSIGNMENT}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


# --- formgrader -----------------------------------------------------------------------------------------------------


def test_formgrader_has_the_rubric_beside_each_answer_and_says_not_to_run(course):
    notebook = nbformat.read(course / "autograded" / "bob" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", 4)
    nbformat.validate(notebook)
    assert "run nothing of it" in notebook.cells[0].source
    after = notebook.cells[notebook.cells.index(cell(notebook, WRITTEN)) + 1]
    assert after.cell_type == "markdown" and "1 point:" in after.source and "###" not in after.source
    released = nbformat.writes(sources.student_notebook(ASSIGNMENT))
    assert "How it is marked.** 1" not in released


# --- the page for teachers ------------------------------------------------------------------------------------------


def test_the_reports_that_the_page_for_teachers_shows_have_the_form_of_the_files(course):
    """They are stored; tests/tools/test_make_term.py grades some of their students again."""
    stored = json.loads((grading.ROOT / "coursework" / "term.json").read_text(encoding="utf-8"))
    head, *lines = csv.reader(stored["stats.csv"].splitlines())
    assert head == stats.HEADINGS and {len(line) for line in lines} == {len(head)}
    assert stored["grades.csv"].splitlines()[0] == (course / "grades.csv").read_text().splitlines()[0]
    assert term.UNKNOWN in stored["report.md"]
    text = (grading.ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
    assert all(f"```{{reported}} {report}\n" in text for report in stored)


# --- all of it ------------------------------------------------------------------------------------------------------


def test_a_term_is_played_by_the_commands(course, tmp_path):
    """Late files out of Canvas, a group, a second submission in time; then the words, and everything once more."""
    (tmp_path / "class.csv").write_text("student,group\nada,1\nkim,1\nbob,2\neve,2\n")
    solved = nbformat.writes(sources.solved_notebook(ASSIGNMENT))
    folder = tmp_path / "week"
    folder.mkdir()
    (folder / f"eve_LATE_7_70_{ASSIGNMENT}.ipynb").write_text(solved)
    shutil.copytree(tmp_path / "submitted" / "ada", folder / "ada")
    how = ["--to", str(course), "--roster", str(tmp_path / "class.csv")]
    late = ["--late", "25%/day", "--groups", str(tmp_path / "class.csv")]
    assert main(["grade", str(folder), "--assignment", ASSIGNMENT, *how, *late]) == 0
    with gradebook.opened(course) as book:
        for name in ("ada", "bob", "eve"):
            grade = book.find_grade(WRITTEN, ASSIGNMENT, ASSIGNMENT, name)
            grade.manual_score, grade.needs_manual_grade = 4, False
        book.db.commit()
    assert main(["feedback", *how]) == 0
    lines = rows(course / "grades.csv")
    assert {name: lines[name]["score"] for name in ("ada", "kim", "eve")} == {"ada": "40", "kim": "40", "eve": "30"}
    report = (course / "report.md").read_text()
    assert "Group 2: bob and eve handed in" in report and "eve: the file" in report and "No submission" not in report
    assert {path.name for path in (course / "feedback").iterdir()} == {"ada", "bob", "eve", "kim"}
    with zipfile.ZipFile(course / f"feedback-{ASSIGNMENT}.zip") as archive:
        assert f"eve_LATE_7_70_{ASSIGNMENT}.html" in archive.namelist()
    (folder / f"eve_7_99_{ASSIGNMENT}.ipynb").write_text(solved + "\n")
    (folder / f"eve_LATE_7_70_{ASSIGNMENT}.ipynb").unlink()
    assert main(["grade", str(folder), "--assignment", ASSIGNMENT, *how]) == 0
    assert rows(course / "grades.csv")["eve"]["score"] == "40"
    assert json.loads((course / "late.json").read_text())[ASSIGNMENT]["rule"] == "25%/day"
    head, *lines = csv.reader((course / "stats.csv").read_text().splitlines())
    assert head == stats.HEADINGS and len({line[1] for line in lines}) == 8
    assert {line[5] for line in lines} == {"3"}  # kim's work is ada's, and counts once
