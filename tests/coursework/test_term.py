"""A term: what is late, who works together, what goes back into the LMS, and what the class is told to learn again."""

import re
import zipfile
from fractions import Fraction

import pytest

from coursework import feedback, files, lateness, reports, rosters, sources, stats, words
from coursework.marks import Marks
from tests.coursework.conftest import ASSIGNMENT, FULL, WRITTEN

POINTS = sources.points(ASSIGNMENT)


def marks_of(student, file="x.ipynb", **how):
    return Marks(student, ASSIGNMENT, file, **{"points": dict(FULL), **how})


def absent(student):
    return Marks(student, ASSIGNMENT, notes=["no submission"], submitted=False)


def scored(*all_marks, late=None):
    """The scores: all points that the checks gave, and 4 for the words."""

    def cells(one):
        return {name: (one.points.get(name, 4), most, "") for name, most in POINTS.items()} if one.points else {}

    return [words.Score(one, cells(one), (late or {}).get(one.student, lateness.Late())) for one in all_marks]


def listed(name, **row):
    return {name: rosters.Student(name, row=tuple(row.items()))}


@pytest.mark.parametrize("rule, days, left", [
    ("10%/day", 3, 27.5), ("10%/day,3", 3, 27.5), ("10%/day,3", 4, 0), ("", 5, 39.5), ("40%/day", 3, 0),
])  # fmt: skip
def test_a_rule_takes_its_share_for_each_day(rule, days, left):
    assert lateness.Late(days, rule).points(39.5) == left


@pytest.mark.parametrize("percent, days", [("10", 8), ("5", 17), ("2.5", 3), ("1", 11), ("33.5", 2), ("50", 3)])
def test_rounding_takes_no_half_point(percent, days):
    for halves in range(81):
        left = Fraction(halves) * max(0, 100 - days * Fraction(percent)) / 100
        assert lateness.Late(days, f"{percent}%/day").points(halves / 2) == int(left) / 2
    assert lateness.Late(0, f"{percent}%/day").points(39.25) == 39.25  # in time nothing is rounded


SAID = [
    ("doeada_LATE_12_34_2-attention.ipynb", {}, 1), ("all.zip: doeada_LATE_12_34_2-attention.ipynb", {}, 1),
    ("doeada_12_34_2-attention_LATE_.ipynb", {}, 0), ("LATEada_12_34_x.ipynb", {}, 0),
    ("ada/2-attention.ipynb", {}, 0), ("doeada_LATE_12_34_x.ipynb", {"days_late": "3"}, 3),
    ("doeada_LATE_12_34_x.ipynb", {"days_late": " 2 "}, 2),
]  # fmt: skip
SAID += [("Ada_1_assignsubmission_file_/x", {"Status": "Submitted for grading - 1 day 1 hour late"}, 2)]


@pytest.mark.parametrize("file, row, days", SAID)
def test_the_lms_says_what_is_late(file, row, days, tmp_path):
    about = lateness.note_late(tmp_path, ASSIGNMENT, [marks_of("ada", file)], listed("ada", **row), "10%/day")
    assert lateness.late(tmp_path, ASSIGNMENT).get("ada", lateness.Late(0, "10%/day")) == lateness.Late(days, "10%/day")
    assert about == ([f"{lateness.UNKNOWN}ada. {lateness.REMEDY}."] if days and not row else [])


def test_what_was_known_of_lateness_stays(tmp_path):
    """A new file in time changes it; another assignment does not; and a rule may go."""
    late, again = marks_of("ada", "a_LATE_1_2_x.ipynb"), marks_of("ada", "a_1_5_x.ipynb")
    by_moodle = marks_of("bob", "Bob_7_assignsubmission_file_/x.ipynb")
    roster = listed("bob", Status="1 day late") | listed("kim", Status="3 days late")
    lateness.note_late(tmp_path, ASSIGNMENT, [late, by_moodle, absent("kim")], roster, "10%/day")
    lateness.note_late(tmp_path, "1-tokenization", [], {}, "50%/day")
    lateness.note_late(tmp_path, ASSIGNMENT, [again, by_moodle], {})
    known = {"ada": lateness.Late(0, "10%/day"), "bob": lateness.Late(1, "10%/day")}
    assert lateness.late(tmp_path, ASSIGNMENT) == known
    assert lateness.NO_RULE in lateness.note_late(tmp_path, ASSIGNMENT, [late], {}, "")[0]  # LATE deducts nothing
    assert lateness.late(tmp_path, ASSIGNMENT)["ada"] == lateness.Late(1, "")


def test_one_of_a_group_hands_in_for_all():
    marks = [marks_of("ada"), absent("bob"), marks_of("eve"), marks_of("kim"), absent("lea"), absent("max")]
    marks.append(marks_of("zoe", points={}))  # a damaged file costs the group nothing
    groups = {"ada": "1", "bob": "1", "eve": "2", "kim": "2", "lea": "2", "zoe": "1"}
    scores = scored(*marks, late={"ada": lateness.Late(1, "10%/day")})
    roster = {name: rosters.Student(name, row=(("group", group),)) for name, group in groups.items()}
    found, about = rosters.shared(scores, roster)
    assert [one.marks.student for one in found] == [one.student for one in marks]
    assert [bool(one.cells) for one in found] == [True, True, True, True, False, False, False]
    assert found[1].late.days == 1 and not found[1].marks.file and "Group 2: eve, kim" in about[0]
    assert "If one file is to count for all, remove the other file, delete marks/2-attention/NAME.json" in about[0]
    assert "No submission, 2-attention: lea, max." in reports.report(marks, found)


LONG = f"{'d' * 200}_816_assignsubmission_file_"


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("path, name", [
    ("eve_LATE_12_34_x: kim_56_78_y.ipynb", "eve_LATE_12_34_{}.html"), ("eve/x.ipynb", "eve/{}.html"),
    ("x_eve_attempt_2026-11-03-10-15-00_LATE_1_2_x.ipynb", "x_eve_attempt_2026-11-03-10-15-00_{}.html"),
    ("x\\Eve_8_assignsubmission_file_/x.ipynb", "eve/{}.html"),
    ("Eve_8_assignsubmission_file_x/y.ipynb", "eve/{}.html"), ("a_12_34_b/x.ipynb", "eve/{}.html"),
    ("eve_12_34_x.zip: kim_56_78_y.ipynb", "eve_12_34_{}.html"),
    ("Eve_8_assignsubmission_file_/x: Kim_9_assignsubmission_file_/y.ipynb", "Eve_8_assignsubmission_file_/{}.html"),
    (f"Eve_815_assignsubmission_file_/{LONG}/{'f' * 66}.ipynb", "Eve_815_assignsubmission_file_/{}.html"),
    ("Zoë \"Z\" O'Neil_815_assignsubmission_file_/x.ipynb", "Zoë \"Z\" O'Neil_815_assignsubmission_file_/{}.html"),
    ("Eve\u00a0Doe_815_assignsubmission_file_/x.ipynb", "Eve-Doe_815_assignsubmission_file_/{}.html"),
])  # fmt: skip
def test_no_file_name_redirects_a_page(path, name, zipped, put, tmp_path):
    """Nor does it hide that the file is late."""
    if zipped:
        with zipfile.ZipFile(put("all.zip", ""), "w") as archive:
            archive.writestr(path, "{}")
    else:
        put(path, "{}")
    ((_, (found,), _),) = files.find(tmp_path / "submitted")
    assert feedback.returned(marks_of("eve", found.shown)) == name.format(ASSIGNMENT)
    lateness.note_late(tmp_path, ASSIGNMENT, [marks_of("eve", found.shown)], {})
    assert lateness.late(tmp_path, ASSIGNMENT).get("eve", lateness.Late(0)).days == int(path.startswith("eve_LATE"))


def test_the_archive_holds_each_page_once(tmp_path):
    """It has no page for a student who handed in nothing."""
    marks = [marks_of("ada", "a_1_2_x.ipynb"), marks_of("bob", "a_1_2_x.ipynb")]
    assert feedback.write_pages(tmp_path, ASSIGNMENT, scored(marks_of("ada"), absent("kim"))) == []
    assert feedback.write_pages(tmp_path, ASSIGNMENT, scored(*marks, absent("kim"))) == ["bob"]
    with zipfile.ZipFile(tmp_path / f"feedback-{ASSIGNMENT}.zip") as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert sorted(texts) == [f"a_1_2_{ASSIGNMENT}.html", f"bob/{ASSIGNMENT}.html"]
    assert "<strong>\u2068bob\u2069</strong>" in texts[f"bob/{ASSIGNMENT}.html"]


def test_what_most_failed_comes_first():
    """Then the order of the check. A student who fails a case in two checks counts once."""
    cases, marks = ["one row", "a matrix", "several matrices", "large and small scores", "a score of -inf"], []
    for student, hint, failed in (
        ("ada", "z first, of one", cases[2:]), ("bob", "of two", cases[:3]), ("eve", "of two", cases[2:3]),
        ("kim", "a second, of one", []),
    ):  # fmt: skip
        tried = [(case, case not in failed) for case in cases]
        how = {"softmax-hidden": tried, "softmax-public": tried}
        marks.append(marks_of(student, cases=how, hints={"softmax-hidden": hint}))
    lines = [line[3:6] for line in stats.rows(ASSIGNMENT, scored(*marks)) if line[1] == "Question 1: softmax"]
    assert lines[2:] == [
        ["several matrices", 3, 4], *([case, 1, 4] for case in cases if case != "several matrices"),
        ["of two", 2, 4], ["z first, of one", 1, 4], ["a second, of one", 1, 4],
    ]  # fmt: skip


WEAK = "<strong>Question 1: softmax</strong> (47% of its points on average) “take &lt;axis=-1&gt;” (2)"
POOR = {"points": {**FULL, "softmax-public": 0, "softmax-hidden": 1}, "hints": {"softmax-hidden": "take <axis=-1>"}}
CLASS = {"ada": {}, "bob": POOR, "kim": POOR, "max": {"points": {}}}


@pytest.mark.parametrize("students, unmarked, told", [
    (CLASS, "", [WEAK, "fully marked: 3 submissions, mean 37.3 and median 36 of 40 points"]),
    (CLASS, "ada", [WEAK, "fully marked: 2 submissions, mean 36.0"]),
    (CLASS, "ada bob kim", [WEAK, "Code: 3 submissions, mean 33.3", "not marked yet are left out"]),
    (CLASS, "ada bob kim-blank", [WEAK, "Code: 3 submissions, mean 33.3", "not marked yet are left out"]),
    ((), "", ["<p>Deductions for late days", "No question has less"]),
])  # fmt: skip
def test_the_class_page_says_what_to_teach_again(students, unmarked, told, tmp_path):
    """Its means are of those who are fully marked."""
    scores = scored(*(marks_of(one, **CLASS[one]) for one in students), absent("eve"))
    for one in unmarked.split():
        student, _, blank = one.partition("-")
        score = (0, 4, words.NO_ANSWER) if blank else (None, 4, "")
        scores[list(students).index(student)].cells[WRITTEN] = score
    stats.write_class(tmp_path, ASSIGNMENT, scores)
    page = (tmp_path / f"class-{ASSIGNMENT}.html").read_text()
    assert all(one in page for one in told) and "ada" not in page and "(0%" not in page


def test_the_weakest_question_comes_first_with_its_mistakes():
    """Three fifths of the points are enough; the three most frequent mistakes are listed."""
    titles, means = [f"Question {number}: n < m" for number in (1, 2, 3, 4)], [(2.98, 5), (3.1, 10), (6, 10), (0, 4)]
    lines = [["x", title, "question", "all points", 1, 9, *mean] for title, mean in zip(titles, means)]
    lines += [["x", title, "question", "no points", 2, 9, "", ""] for title in titles]
    lines += [["x", titles[0], "mistake", f"hint {number}", 4, 9, "", ""] for number in range(4)]
    lines += [["x", titles[1], "mistake", "of the second", 3, 9, "", ""]]
    lines += [["x", titles[1], "case failed", case, 7, 9, "", ""] for case in ("no points", "all points")]
    page = stats.page(ASSIGNMENT, lines, [40, 10.5, 1], [36])
    again = page.partition("<h2>Questions</h2>")[0]
    assert re.findall(r"Question (\d): n &lt; m</strong> \((\d+)% of its points on average\) (.*?)</p>", again) == [
        ("4", "0", ""), ("2", "31", "“of the second” (3)"), ("1", "60", "“hint 0” (4); “hint 1” (4); “hint 2” (4)")
    ]  # fmt: skip
    assert "mean 17.2 and median 10.5 of 29 points" in again and page.count("<tr class=mark>") == 3
    page = stats.page(ASSIGNMENT, [line for line in lines if line[1] == titles[2]], [6], [6])
    assert "fully marked: 1 submissions, mean 6.0 and median 6 of 10 points" in page
    assert "No question has less than 60% of its points" in page and '<td class="number">60</td>' in page
