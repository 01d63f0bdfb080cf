"""From what students hand in to their marks: what costs nothing, what costs points, and when a mark changes."""

import io
import json
import os
import pickle
import shutil
import subprocess
import sys

import pytest

from coursework import checks, exam, feedback, grading, reports, results, rosters, runs, sandbox, sources, words
from coursework.__main__ import main
from coursework.marks import Marks, noted
from tests.coursework.conftest import ASSIGNMENT, FULL, batch, cell, grade_all, put_file, solved_notebook, with_code

SOLVED = solved_notebook(ASSIGNMENT)
SOFTMAX = cell(SOLVED, "softmax").source
WRONG = "def softmax(x):\n    return x"


@pytest.mark.parametrize("assignment", sources.names())
def test_the_solution_has_all_points_blank_none(assignment, tmp_path, bubblewrap):
    handed_in = {"solved": solved_notebook(assignment), "blank": sources.student_notebook(assignment)}
    marks = batch(tmp_path, assignment, handed_in, limits=sandbox.Limits())
    solved, blank = marks["solved"], marks["blank"]
    assert solved.assignment == assignment and solved.points == sources.points(assignment, marks=("check",))
    assert not solved.notes and not solved.reasons
    assert set(blank.points.values()) == {0} and "unchanged from the one" in blank.told[0]
    assert "Start with the first wrong" not in feedback.page(words.Score(blank))


@pytest.fixture
def marked(tmp_path, monkeypatch):
    """marked(): the marks of all that was handed in, where nothing runs: a softmax that is not SOFTMAX loses 5 points.

    marked.graded: whose work was graded, in order.
    """
    graded = []

    def grade(submission, *_, **__):
        graded.append(submission.student)
        right = submission.answers["softmax"] == SOFTMAX
        lost = {} if right else {"softmax-public": 0, "softmax-hidden": 0}
        points = {**sources.points(ASSIGNMENT, marks=("check",)), **lost}
        of = submission.student, ASSIGNMENT, submission.file, submission.digest
        return noted(Marks(*of, answers=submission.answers, points=points), submission)

    monkeypatch.setattr(sandbox, "ready", lambda: None)
    monkeypatch.setattr(exam, "prepare_apart", lambda *_: None)
    monkeypatch.setattr(grading, "grade", grade)

    def run(**how):
        marks = grade_all(tmp_path, **how)
        return {student: (sum(one.points.values()), one) for student, one in marks.items()}

    run.graded = graded
    return run


def test_a_mark_changes_by_name_or_word_alone(solved, hand_in, marked):
    """By the name of a newer file or the teacher's word; the report says so."""
    poor = with_code(solved, "softmax", WRONG)
    hand_in("ada", poor)
    assert marked()["ada"][0] == 31
    hand_in("ada", solved)  # the same name with another content
    for _ in range(2):  # the second time, each sentence appears once
        points, ada = marked()["ada"]
        assert points == 31 and len(ada.notes) == len(ada.told) == 1
        assert all(one in ada.notes[0] for one in (f"one that counts, ada/{ASSIGNMENT}.ipynb", "--again ada"))
        assert "was not graded: it is not newer, by its name, than" in ada.told[0]
    with pytest.raises(ValueError, match="--again names bob: no file has that login"):
        marked(again=["ada", "bob"])
    people = {"ada": rosters.Student("ada", "L", "Ada"), "kim": rosters.Student("kim")}
    points, ada = marked(again=["'Ada L'"], students=people)["ada"]  # by the full name: the marks are called ada
    assert points == 36
    assert f"36 points) replaced ada/{ASSIGNMENT}.ipynb (31 points)" in ada.notes[0]
    hand_in("ada", poor, f"{ASSIGNMENT} (1).ipynb")
    for _ in range(2):
        points, ada = marked()["ada"]
        assert points == 31 and "(36 points)" in ada.notes[1] and f"{ASSIGNMENT}.ipynb, was not" in ada.told[0]
    assert marked.graded == ["ada"] * 3


@pytest.mark.parametrize("first, second, right", [(1, 2, 2), (2, 1, 2), (1, 9, 1), (9, 1, 1)])
def test_the_same_file_counts_together_and_one_after_the_other(first, second, right, hand_in, marked, tmp_path):
    for number in (first, second):
        notebook = with_code(SOLVED, "attention", "") if number == 9 else with_code(SOLVED, "softmax", f"x = {number}")
        hand_in("ada", notebook, f"a ({number}).ipynb")
        last = marked()["ada"][1]
    shutil.rmtree(tmp_path / "results")
    assert last.file == marked()["ada"][1].file == f"ada/a ({right}).ipynb"


def test_what_cannot_be_graded_leaves_the_mark_and_the_others(solved, hand_in, marked, monkeypatch):
    path = hand_in("ada", solved)
    marked()
    for content in ("{", json.dumps(solved_notebook("1-tokenization"))):
        path.write_text(content)
        points, ada = marked()["ada"]
        assert points == 36 and "not graded: is" in ada.notes[-1] and "could not be graded" in ada.told[-1]
    path.write_text(json.dumps(with_code(solved, "softmax", "x = 1")))
    hand_in("bob", solved)
    hand_in("eve", solved)
    original = grading.grade
    monkeypatch.setattr(grading, "grade", lambda one, *_, **__: original(one) if one.student == "eve" else 1 / 0)
    marks = marked(again=[], students={name: rosters.Student(name) for name in ("ada", "bob", "eve", "kim")})
    assert [points for points, _ in marks.values()] == [36, 0, 36, 0]
    assert all("ZeroDivisionError" in str(marks[name][1].notes) for name in ("ada", "bob"))
    assert marks["kim"][1].notes == ["no submission"] and not marks["kim"][1].submitted


def test_a_changed_assignment_is_told_with_its_mark(solved, hand_in, marked, monkeypatch):
    hand_in("ada", solved)
    assert not marked()["ada"][1].notes
    monkeypatch.setattr(results, "key", lambda *_: "another")
    assert not marked()["ada"][1].notes  # as many points
    monkeypatch.setattr(results, "key", lambda *_: "a third")
    monkeypatch.setattr(sources, "points", lambda *_, **__: {**FULL, "causal-mask-hidden": 0.5})
    (note,) = marked()["ada"][1].notes
    assert "the assignment, this program, its versions or the seed changed" in note and "points, 36 before" in note


def test_what_is_graded_is_not_graded_again(solved, hand_in, marked, monkeypatch):
    for student in ("ada", "bob", "eve"):
        hand_in(student, solved)
    original = grading.grade

    def stops_at_the_third(*submission, **how):
        marks = original(*submission, **how)
        if len(marked.graded) == 3:
            raise KeyboardInterrupt
        return marks

    monkeypatch.setattr(grading, "grade", stops_at_the_third)
    monkeypatch.setattr(grading, "_workers", lambda limits: 1)
    with pytest.raises(KeyboardInterrupt):
        marked()
    assert [points for points, _ in marked().values()] == [36, 36, 36]
    assert sorted(marked.graded) == sorted(["ada", "bob", "eve", marked.graded[2]])


def test_the_seed_is_the_courses_in_every_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "COURSE", tmp_path / "course.json")
    seed = results.seed_of(tmp_path / "one")
    assert seed == results.seed_of(tmp_path / "one") == results.seed_of(tmp_path / "other")
    monkeypatch.setattr(results, "COURSE", tmp_path / "new" / "course.json")
    assert results.seed_of(tmp_path / "other") == seed == results.seed_of(tmp_path / "third")
    results.write(tmp_path / "new" / "course.json", '{"seed": 7}')
    with pytest.raises(ValueError, match="contain two different seeds, so marks would differ: keep only the course's"):
        results.seed_of(tmp_path / "other")


def test_marks_of_another_version_are_not_read(tmp_path):
    results.save(tmp_path, Marks("ada", ASSIGNMENT))
    assert results.load(tmp_path, ASSIGNMENT, "ada").student == "ada"
    (path,) = tmp_path.rglob("ada.json")
    whole = path.read_text()
    for old, new in (('n": ', 'n": 1'), ('points": {}', 'points": {"x": []}'), ('told": []', 'told": 7')):
        results.write(path, whole.replace(old, new))
        assert results.load(tmp_path, ASSIGNMENT, "ada") is None
        assert any("1 marks are damaged or of an earlier version" in line for line in reports.publish(tmp_path)[0])


def test_feedback_writes_alone_and_on_any_terminal(tmp_path, monkeypatch, capsys):
    where = tmp_path / "Übung"
    results.save(where, Marks("ada", ASSIGNMENT))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    assert main(["feedback", "--to", str(where)]) == 0
    with results.alone(where):
        assert main(["feedback", "--to", str(where)]) == 2
    assert "is in use by another command: wait" in capsys.readouterr().err


LATE = ('{"rule": 7, "days": {}}', '{"rule": "", "days": {"ada": 1.5}}', '{"rule": "10%", "days": {}}')
LATE += ('{"rule": "", "days": {"ada": -1}}', '{"rule": "", "days": {}, "files": 7}')
FORMS = ["[", "[" * 9_999, "[7]", "7", '"x"', '{"x": 7}', '{"seed": 1e999}', *(f'{{"x": {one}}}' for one in LATE)]
FORMS += [f'[{{"id": {one}}}]' for one in ("7", '"a", "row": [["group", 7]]', '"a", "last_name": []', '"a", "x": ""')]


@pytest.mark.parametrize("text", FORMS)
@pytest.mark.parametrize("name", ["late", f"roster-{ASSIGNMENT}", "names", "seed"])
def test_a_damaged_file_of_the_course_is_named(name, text, tmp_path):
    results.save(tmp_path / "out", Marks("ada", ASSIGNMENT))
    (tmp_path / "out" / f"{name}.json").write_text(text)
    (tmp_path / "in").mkdir()
    with pytest.raises(ValueError, match=rf"{name}\.json is damaged: use an older copy of the file"):
        reports.publish(tmp_path / "out")
        grading.grade_all(tmp_path / "in", tmp_path / "out", ASSIGNMENT)


GRADE, APART = ["grade", "submitted", "--assignment", ASSIGNMENT, "--to"], "must not be inside each other"
REFUSED = {
    "no sandbox": ([*GRADE, "out"], "never runs without a sandbox"),
    "a broken sandbox": ([*GRADE, "out"], "does not work: no namespaces for you"),
    "no folder": (["grade", "nowhere", *GRADE[2:], "out"], "nowhere"),
    "a folder for a roster": ([*GRADE, "out", "--roster", "submitted"], "must be a CSV file, and is a folder"),
    "results among submissions": ([*GRADE, "submitted/grading"], APART),
    "results in their folder": ([*GRADE, "submitted"], APART),
    "submissions among results": ([*GRADE, "."], APART),
    "no marks to give back": (["feedback", "--to", "out"], "run `python -m coursework grade` first"),
    "no marks to compare": (["compare", *GRADE[2:], "out"], "run `python -m coursework grade` first"),
}
RULES = "10", "10%", "ten%/day", "10%/day,", "10%/day,x", "-1%/day", "1000%/day"
REFUSED |= {f"late: {rule}": ([*GRADE, "out", f"--late={rule}"], "must look like 10%/day") for rule in RULES}


@pytest.mark.parametrize("name", REFUSED)
def test_a_teachers_mistake_is_told_before_anything_happens(name, solved, hand_in, tmp_path, monkeypatch, capsys):
    command, told = REFUSED[name]
    hand_in("ada", solved)
    bwrap = tmp_path / "bin" / "bwrap"
    bwrap.parent.mkdir()
    if name != "no sandbox":
        bwrap.write_text("#!/bin/sh\necho no namespaces for you >&2\nexit 1\n")
        bwrap.chmod(0o755)
    monkeypatch.setenv("PATH", str(bwrap.parent) if name == "no sandbox" else f"{bwrap.parent}:{os.environ['PATH']}")
    if name == "no folder":
        monkeypatch.setattr(sandbox, "ready", lambda: None)
    monkeypatch.setattr("coursework.__main__.a_path", tmp_path.joinpath)
    before = sorted(tmp_path.rglob("*"))
    assert main(command) == 2
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1
    assert name == "no folder" or sorted(tmp_path.rglob("*")) == before


def test_checks_must_fit_the_notebook(monkeypatch):
    fewer = {name: function for name, function in checks.load(ASSIGNMENT).items() if name != "softmax-hidden"}
    monkeypatch.setattr(checks, "load", lambda assignment: fewer)
    with pytest.raises(ValueError, match="must have the same checks, but not softmax-hidden"):
        exam.prepare(ASSIGNMENT, 1)


def test_nothing_among_submissions_is_imported(tmp_path, bubblewrap):
    """Not by the grader whose command is given there, and not by a process that it starts."""
    folder = tmp_path / "submitted"
    folder.mkdir()
    for name in ("tqdm", "signal", "jupytext", "multiprocessing", "alembic", "torch", "tutorial_lib"):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    put_file(folder / "ada.ipynb", SOLVED)
    run = [sys.executable, "-m", "coursework", "grade", ".", "--assignment", ASSIGNMENT, "--to", "../results"]
    environment = {**os.environ, "PYTHONPATH": str(results.ROOT)}
    done = subprocess.run([*run, "--seed", "1"], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "0 of them with notes" in done.stdout, done.stderr
    assert not (tmp_path / "ran").exists() and (tmp_path / "results" / "grades.csv").exists()


def calls_of(*names):
    how = {"arguments": pickle.dumps([]), "most": 1000}
    return [{"id": name, "part": name, "name": name.split(".")[0], **how} for name in names]


def test_what_ends_a_run_is_not_called_again(monkeypatch):
    """Else a notebook takes a run for each check that calls it."""
    calls = [{"id": f"{part}.{i}", "part": part, "name": name} for part, name, i in (
        ("f-public", "f", 0), ("f-public", "g", 1), ("f-hidden", "f", 0), ("h", "h", 0), ("h", "f", 1), ("g", "g", 0),
    )]  # fmt: skip
    asked = []

    def run(job, limits, **how):
        asked.append([call["id"] for call in job["calls"]])
        hung = next((call for call in job["calls"] if call["name"] == "f"), None)
        done = job["calls"] if hung is None else job["calls"][: job["calls"].index(hung)]
        records = {call["id"]: {"value": 1, "error": None} for call in done}
        return sandbox.Outcome(records, last=hung["part"] if hung else "g", ended="timeout" if hung else "done")

    monkeypatch.setattr(sandbox, "run", run)
    records, code = runs.run([], calls)
    assert asked == [[call["id"] for call in calls], ["h.0", "g.0"]]
    assert set(records) == {"h.0", "g.0"} and code.ended == {"f-public": "timeout"}


def test_what_hangs_leaves_time_for_the_rest(bubblewrap):
    """The calls of a function share its time: else many of them, each within its share, would take all."""
    endless = [f"def f{i}():\n    while True: pass" for i in range(7)]
    slow = "import time\ndef slow(): time.sleep(0.4)\ndef right(): return 7"
    calls = calls_of(*(f"slow.{i}" for i in range(15)), *(f"f{i}" for i in range(7)), "right")
    records, code = runs.run([*endless, slow], calls, limits=sandbox.Limits(seconds=8))
    errors = {id: record["error"] and record["error"]["type"] for id, record in records.items()}
    assert [errors[f"f{i}"] for i in range(7)] == ["TookTooLong"] * 7
    assert errors["slow.0"] is None and errors["slow.14"] == "TookTooLong"
    assert records["right"]["value"] == 7 and not code.ended


def test_all_runs_together_have_the_time_of_one(bubblewrap, monkeypatch):
    run, took = sandbox.run, []

    def noted(*job, **how):
        outcome = run(*job, **how)
        took.append(outcome.took)
        return outcome

    monkeypatch.setattr(sandbox, "run", noted)
    deaf = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass"
    cells = [*[deaf] * 8, "def f(): return 1"]
    records, code = runs.run(cells, calls_of("f"), limits=sandbox.Limits(seconds=2))
    assert not records and code.ended.pop("all runs") == "timeout"
    assert 1 < len(took) < 8 and sum(took) < 4 and set(code.ended.values()) == {"timeout"}


def test_timeout_is_charged_to_all_runs_together(monkeypatch):
    ended = sandbox.Outcome({"a": {"value": 1, "error": None}}, last="b", ended="timeout", took=9.9)
    monkeypatch.setattr(sandbox, "run", lambda *_, **__: ended)
    records, code = runs.run([], calls_of("a", "b"))
    assert set(records) == {"a"} and code.ended == {"all runs": "timeout"}
