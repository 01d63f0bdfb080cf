"""A term by a teacher's commands: an assignment with two variants, for a section in Canvas and another one in Moodle.

Each score is written down here, next to the file that was handed in. The exports are read as Canvas and Moodle
document their imports, without the grader's code.
"""

import copy
import csv
import json
import re
import zipfile
from pathlib import Path

import pytest

from coursework import marking, reports, sources, words
from coursework.__main__ import main
from tests.coursework.conftest import WRITTEN, cell, solved_notebook

VARIANT = {"canvas": "2-attention-2027", "moodle": "2-attention-2028"}
RULE = {"canvas": "10%/day", "moodle": "12.5%/day,2"}
ARTICLE = r'<article [^>]*data-student="([^"]*)" data-question="([^"]*)" data-answer="([^"]*)">(.*?)</article>'
# term.tsv: what came first and second, days late, the score in the end and the points of the checks. The teacher gives
# 3.5 for the words, which are marked between the two; what was given stays. "solved again": the teacher says that the
# second counts. A file of the same name is no newer one. Seven of Canvas's is the first one's partner.
TERM = Path(__file__).with_name("term.tsv").read_text(encoding="utf-8").splitlines()[1:]
CLASS = {"canvas": {}, "moodle": {}}
for section, last, first, *what, days, score, automatic in (line.split("\t") for line in TERM):
    CLASS[section][last, first] = *(one or None for one in what), int(days), score, automatic


def content(section, what, number, second):
    others = {"another variant": VARIANT["moodle"], "another assignment": "3-bert-layer"}
    notebook = copy.deepcopy(solved_notebook(others.get(what, VARIANT[section])))
    notebook.metadata["student"] = number, second
    if what == "no mask":
        cell(notebook, "causal-mask").source = "def causal_mask(n):\n    raise ValueError"
    if what == "no words":
        cell(notebook, WRITTEN).source = cell(sources.student_notebook(VARIANT[section]), WRITTEN).source
    text = json.dumps(notebook).encode()
    return {"cut off": text[: len(text) // 2], "a document": b"PK\x03\x04 words"}.get(what, text)


def login(section, number):
    return f"{section}{number}@school.edu"


def path_of(section, what, number, second):
    """How the LMS calls a file. Canvas's number grows with each file, and it says which are late, not by how much."""
    (last, first), (*_, days, _, _) = list(CLASS[section].items())[number]
    file = f"x{' (1)' * what.endswith('(1)')}.{'docx' if what == 'a document' else 'ipynb'}"
    if section == "canvas":
        plain = "".join(filter(str.isalnum, f"{last}{first}".lower()))
        return f"{plain}{'_LATE' * days}_{4700 + number}_{100 + 50 * second + number}_{file}"
    return f"{first} {last}_{4700 + number}_assignsubmission_file_/{file}"


def roster(path, section):
    """The LMS's list of the class: Canvas's gradebook or Moodle's grading worksheet."""
    lines = [["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]]
    if section == "canvas":
        lines = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "group"]]
        lines.append(["    Points Possible"])
    for number, ((last, first), (what, _, days, _, _)) in enumerate(CLASS[section].items()):
        status = "Submitted for grading" + f" - {days - 1} days 3 hours late" * bool(days) if what else "No submission"
        group = "1" * (number in (0, 9))
        of_canvas = [f"{last}, {first}", 4700 + number, f"sis{number}", login(section, number), "A", group]
        of_moodle = [f"Participant {4700 + number}", f"{first} {last}", login(section, number), status, "", "40.00"]
        lines.append(of_canvas if section == "canvas" else of_moodle)
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows(lines)
    return str(path)


def grade(place, section, second):
    """The command that grades what lies in the LMS then: of each student the last file."""
    (place / f"{section}{second}").mkdir()
    with zipfile.ZipFile(place / f"{section}{second}" / "all.zip", "w") as archive:
        for number, (first, later, *_) in enumerate(CLASS[section].values()):
            what = later if second and later else first
            if what:
                is_second = bool(second and later)
                archive.writestr(path_of(section, what, number, is_second), content(section, what, number, is_second))
    again = [login(section, i) for i, (_, later, *_) in enumerate(CLASS[section].values()) if later == "solved again"]
    how = ["--again", *again] if second else ["--late", RULE[section]]  # the rule stays
    how += ["--assignment", VARIANT[section], "--roster", roster(place / "x.csv", section)]
    assert main(["grade", str(place / f"{section}{second}"), "--to", str(place / "results"), *how]) == 0


def mark_words(place, section):
    """3.5 points for each answer on the marking page that has none yet."""
    page, where, assignment = marking.page(place / "results", VARIANT[section]), place / "results", VARIANT[section]
    for student, question, answer, rest in re.findall(ARTICLE, page, re.S):
        if question == WRITTEN and 'value=""' in rest:
            words.give(where, assignment, {(student, question): words.Word(3.5, "", answer)})


@pytest.fixture(scope="module")
def place(tmp_path_factory, bubblewrap):
    """Where the results lie at the end of the term, and what each LMS is given: canvas.csv and moodle.csv."""
    place = tmp_path_factory.mktemp("term")
    for second in (False, True):
        for section in CLASS:
            grade(place, section, second)
            mark_words(place, section)
    for section, file in (("canvas", "canvas.csv"), ("moodle", f"grades-{VARIANT['moodle']}.csv")):
        assert main(["feedback", "--to", str(place / "results")]) == 0
        (place / f"{section}.csv").write_bytes((place / "results" / file).read_bytes())
    return place


def lines_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("section", CLASS)
def test_marks_are_those_of_the_table(place, section):
    head, *lines = lines_of(place / "results" / "grades.csv")
    lines = {(line[0], line[1]): dict(zip(head, line)) for line in lines}
    for number, (what, _, days, score, automatic) in enumerate(CLASS[section].values()):
        if what or score:
            line = lines[VARIANT[section], login(section, number)]
            assert (line["score"], line["automatic"], line["max_score"]) == (score, automatic, "40"), number
            assert not score or line["days_late"] == str(days)


def test_canvas_takes_its_file(place):
    """Five columns that must be there, then assignments; below, a line of the points possible."""
    head, possible, *lines = lines_of(place / "canvas.csv")
    assert head[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"] and len(set(head)) == 7
    assert not [one for one in head if one.endswith(")")]  # "(123)" at the end is Canvas's number of an assignment
    assert possible[0].strip() == "Points Possible" and possible[5:] == ["40", "40"]
    scores = {line[1]: line[head.index(sources.title(VARIANT["canvas"]))] for line in lines if line[1]}
    assert scores == {str(4700 + number): score for number, (*_, score, _) in enumerate(CLASS["canvas"].values())}


def test_moodle_takes_its_file(place):
    """By the columns email and score, which are mapped at Grades > Import > CSV file."""
    head, *lines = lines_of(place / "moodle.csv")
    scores = [(line[head.index("email")], line[head.index("score")]) for line in lines]
    right = [(login("moodle", number), score) for number, (*_, score, _) in enumerate(CLASS["moodle"].values())]
    assert sorted(one for one in scores if one[0]) == right


def whose(name, section):
    """The number of a student in the name of a page: Canvas and Moodle cut it at each _."""
    if section == "canvas":
        number, newest = [part for part in name.split("_") if part.isdigit()][:2]
        assert "/" not in name and int(newest) >= 100
    else:
        _, number, kind, plugin, file = name.split("_", 4)
        assert (kind, plugin, file.count("/")) == ("assignsubmission", "file", 1)
    return int(number) - 4700


@pytest.mark.parametrize("section", CLASS)
def test_the_lms_gives_each_page_to_its_student(place, section):
    with zipfile.ZipFile(place / "results" / f"feedback-{VARIANT[section]}.zip") as archive:
        names = [name for name in archive.namelist() if not name.startswith(login(section, 9))]  # the partner's
        pages = {whose(name, section): archive.read(name).decode("utf-8") for name in names}
    assert sorted(pages) == [number for number, (what, *_) in enumerate(CLASS[section].values()) if what]
    for number, page in pages.items():
        *_, days, score, _ = list(CLASS[section].values())[number]
        said = f": {score} points count" if days else f"{score} of 40 points"
        assert f"<strong>\u2068{login(section, number)}\u2069</strong>" in page and (not score or said in page)


def test_the_class_is_counted_and_the_report_written(place):
    head, *lines = lines_of(place / "results" / "stats.csv")
    masks = {line[3]: line[4:6] for line in lines if line[0] == VARIANT["canvas"] and "causal mask" in line[1]}
    assert masks["all points"] == ["6", "7"] and masks["no points"] == ["1", "7"]  # the partners count once
    report = (place / "results" / "report.md").read_text(encoding="utf-8")
    assert f"No submission, {VARIANT['moodle']}: {login('moodle', 7)} (B Eight)." in report
    assert f"{reports.BY_HAND}: {login('canvas', 9)} (A Seven)" in report
    assert f"{login('moodle', 6)}" in report
