"""End to end: generate, solve, hand in, grade, export, and give back."""

import copy
import json
import os
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from coursework import checks, feedback, files, gradebook, grading, sandbox, sources
from coursework.__main__ import main
from tests.coursework.conftest import ASSIGNMENT, cell, with_code

FULL = sources.points(ASSIGNMENT, marks=("check",))
WRITTEN = "why-square-root"
HOW = ["--assignment", ASSIGNMENT]


@pytest.mark.parametrize("assignment", checks.names())
def test_the_solution_has_full_marks_and_the_blank_notebook_none(assignment, tmp_path, bubblewrap):
    for student, notebook in (
        ("solved", sources.solved_notebook(assignment)),
        ("blank", sources.student_notebook(assignment)),
    ):
        path = tmp_path / "submitted" / student / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    blank, solved = grading.grade_all(tmp_path / "submitted", tmp_path / "results", assignment)
    assert solved.assignment == assignment and solved.points == sources.points(assignment, marks=("check",))
    assert not solved.notes and not solved.reasons
    assert set(blank.points.values()) == {0} and blank.notes == ["as it was handed out: nothing was written"]


def test_each_question_is_marked_by_itself(solved, hand_in, grade):
    hand_in("ada", with_code(solved, "causal-mask", "def causal_mask(n):\n    return np.ones((n, n), dtype=bool)"))
    marks = grade()["ada"]
    lost = {name for name, points in marks.points.items() if not points}
    assert lost == {"causal-mask-public", "causal-mask-hidden"}


TRIES = {
    "a value": "output, attention = attention(np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3)))",
    "another function": "def softmax(x, T):\n    return np.exp(x / T)",
    "nothing": "softmax = attention = rotate = None",
    "the name of a module": "for np in range(3):\n    print(np)",
}


def test_a_try_in_a_cell_of_ones_own_costs_nothing(solved, hand_in, grade):
    for student, code in TRIES.items():
        tried = copy.deepcopy(solved)
        tried.cells.append(new_code_cell(code))
        hand_in(student, tried)
    blank = cell(sources.student_notebook(ASSIGNMENT), "softmax").source
    below = with_code(solved, "softmax", blank)  # the answer and then a try, both in new cells
    below.cells += [new_code_cell(cell(solved, "softmax").source), new_code_cell("softmax = softmax(np.ones(3))")]
    hand_in("below", below)
    for marks in grade().values():
        assert marks.points == FULL, (marks.student, marks.reasons)


STOPS = {
    "a-decorator": "import numba\n\n\n@numba.njit\n",
    "a-default": "import torch\n",
    "an-annotation": "import torch\ny: torch.Tensor = None\n",
    "a-picture": "import matplotlib.pyplot as plt\nplt.plot()\n",
    "input": "n = input()\n",
    "a-file": "text = open('my.txt').read()\n",
    "an-end": "import sys\nsys.exit()\n",
    "a-loop": "while True:\n    pass\n",
}


def test_a_cell_that_stops_above_its_function_costs_nothing(solved, hand_in, grade):
    own = cell(solved, "softmax").source
    for student, code in STOPS.items():
        annotated = own.replace("(x)", "(x: torch.Tensor)", 1) if student == "an-annotation" else own
        if student == "a-default":
            annotated = own.replace("(x)", "(x, kind=torch.float64, *, device=torch.device('cpu'))", 1)
        hand_in(student, with_code(solved, "softmax", code + annotated))
    marks = grade()
    for one in marks.values():
        assert one.points == FULL, (one.student, one.reasons)
    told = {student: " ".join(one.told) for student, one in marks.items()}
    assert not told["a-decorator"] and not told["an-annotation"] and not told["a-default"]
    assert "A cell was stopped because it took too long" in told["a-loop"]
    assert "stopped with NameError, in line 2" in told["a-picture"] and "Python and NumPy alone" in told["a-picture"]
    assert "take input() out" in told["input"] and "no files" in told["a-file"] and "SystemExit" in told["an-end"]


def test_of_many_files_the_fullest_are_graded_and_the_others_named(solved, hand_in, grade):
    begun = with_code(sources.student_notebook(ASSIGNMENT), "softmax", cell(solved, "softmax").source)
    for file, notebook in ((f"{ASSIGNMENT}.ipynb", begun), ("v2.ipynb", begun), ("v3.ipynb", solved)):
        hand_in("ada", notebook, file)
    ada = grade()["ada"]
    assert ada.points == FULL and ada.file == "ada/v3.ipynb" and "v2.ipynb" in " ".join(ada.told)


def test_a_mark_changes_by_a_newer_name_or_the_teachers_word_and_the_report_says_so(solved, hand_in, grade):
    poor = with_code(solved, "softmax", "def softmax(x):\n    return x")
    hand_in("ada", poor)
    old = grade()["ada"].points
    hand_in("ada", solved)  # the same name with another content
    for _ in range(2):  # the second time, what was told is told once
        ada = grade()["ada"]
        assert ada.points == old and len(ada.notes) == 1 and len(ada.told) == 1
        assert f"was left: the mark is that of ada/{ASSIGNMENT}.ipynb" in ada.notes[0] and "--again ada" in ada.notes[0]
        assert "was not graded: your mark is that of" in ada.told[0]
    assert grade(again=["bob"])["ada"].points == old
    ada = grade(again=["ada"])["ada"]
    assert ada.points == FULL and f"36 points) took the place of ada/{ASSIGNMENT}.ipynb (" in ada.notes[0]
    hand_in("ada", poor, f"{ASSIGNMENT} (1).ipynb")
    for _ in range(2):
        ada = grade()["ada"]
        assert ada.points == old and "(36 points)" in ada.notes[1] and f"{ASSIGNMENT}.ipynb, was not" in ada.told[0]


def test_what_cannot_be_graded_leaves_a_mark_as_it_is(solved, hand_in, grade, monkeypatch):
    path = hand_in("ada", solved)
    grade()
    for content in ("{", nbformat.writes(sources.solved_notebook("1-tokenization"))):
        path.write_text(content)
        ada = grade()["ada"]
        assert ada.points == FULL and "not graded: is" in ada.notes[-1] and "could not be graded" in ada.told[-1]
    path.write_text(nbformat.writes(with_code(solved, "softmax", "x = 1")))
    monkeypatch.setattr(grading, "grade", lambda *_, **__: 1 / 0)
    ada = grade(again=[])["ada"]
    assert ada.points == FULL and "ZeroDivisionError" in ada.notes[-1]


def test_a_mark_that_changes_with_the_assignment_says_so(solved, hand_in, grade, monkeypatch):
    hand_in("ada", with_code(solved, "softmax", "def softmax(x):\n    return x"))
    assert not grade()["ada"].notes
    monkeypatch.setattr(grading, "key", lambda *_: "another")
    points = sources.points(ASSIGNMENT, marks=("check",))
    monkeypatch.setattr(sources, "points", lambda *_, **__: {**points, "causal-mask-hidden": 0.5})
    (note,) = grade()["ada"].notes
    assert "the assignment, this program, its versions or the seed changed" in note and "points, before" in note


def test_a_function_that_is_defined_again_for_another_question_is_used_there(solved, hand_in, grade):
    at = solved.cells.index(cell(solved, "attention"))
    solved.cells.insert(
        at, new_code_cell("def softmax(x, axis):\n    e = np.exp(x)\n    return e / e.sum(axis, keepdims=True)")
    )
    source = cell(solved, "attention").source
    cell(solved, "attention").source = source.replace("softmax(", "softmax(axis=-1, x=")
    hand_in("ada", solved)
    lost = {name for name, points in grade()["ada"].points.items() if not points}
    assert not {"softmax-hidden", "attention-hidden"} & lost


def test_an_old_copy_of_a_function_is_not_used(solved, hand_in, grade):
    at = solved.cells.index(cell(solved, "attention"))
    solved.cells.insert(at, new_code_cell("def softmax(x):\n    return x"))
    hand_in("ada", solved)
    assert grade()["ada"].points == FULL


MAGIC = {
    "a command": "here = !pwd\n",
    "a magic": "t = %timeit -o 1 + 1\n",
    "several imports": "import torch, math, os\nassert math.pi\n",
}


def test_what_only_a_notebook_understands_costs_nothing(solved, hand_in, grade):
    for student, code in MAGIC.items():
        hand_in(student, with_code(solved, "softmax", code + cell(solved, "softmax").source))
    double = cell(solved, "softmax").source.replace(
        "powers =", "x = np.asarray(x, dtype=np.longdouble)\n    powers =", 1
    )
    hand_in("long double", with_code(solved, "softmax", double))
    for marks in grade().values():
        assert marks.points == FULL, (marks.student, marks.reasons)


HELPED = "def stable(x):\n    return x - x.max(axis=-1, keepdims=True)\n\n\n"


def test_a_question_finds_its_helpers_as_they_stood_after_its_cell(solved, hand_in, grade):
    code = "def softmax(x):\n    e = np.exp(stable(x))\n    return e / e.sum(axis=-1, keepdims=True)"
    own = with_code(solved, "softmax", HELPED + code)
    for student, last in {
        "a try": "stable = stable(np.ones((2, 3)))",
        "another helper": "def stable(x, where):\n    return None",
        "none": "del stable",
    }.items():
        tried = copy.deepcopy(own)
        tried.cells.append(new_code_cell(last))
        hand_in(student, tried)
    below = with_code(solved, "softmax", code)
    below.cells.append(new_code_cell(HELPED))
    hand_in("below", below)
    for marks in grade().values():
        assert marks.points == FULL, (marks.student, marks.reasons)


def test_a_helper_that_is_mended_below_is_told(solved, hand_in, grade):
    code = "def softmax(x):\n    e = np.exp(stable(x))\n    return e / e.sum(axis=-1, keepdims=True)"
    own = with_code(solved, "softmax", "def stable(x):\n    return 2 * x\n\n\n" + code)
    own.cells.append(new_code_cell(HELPED))
    hand_in("ada", own)
    ada = grade()["ada"]
    assert not ada.points["softmax-hidden"]
    assert "softmax uses stable, which a cell below defines again. The one above" in ada.reasons["softmax-hidden"]


SLIPS = {
    "a name": "def softmax(x):\n    return helper(x)",
    "a signature": "def softmax(x, axis):\n    return x",
}


def test_a_slip_is_in_the_report(solved, hand_in, grade):
    for student, code in SLIPS.items():
        hand_in(student, with_code(solved, "softmax", code))
    for marks in grade().values():
        assert "a slip may cost points in several questions" in str(marks.notes), marks.student


def test_what_stands_behind_time_runs(solved, hand_in, grade):
    own = cell(solved, "softmax").source
    hand_in("ada", with_code(solved, "softmax", "%%time\n" + own.replace("    powers =", "    %time powers =")))
    hand_in("bob", with_code(solved, "softmax", own.replace("    powers =", "    %timeit powers =")))
    marks = grade()
    assert marks["ada"].points == FULL
    assert "a line that begins with % does not run in grading" in marks["bob"].reasons["softmax-public"]


def test_marks_are_the_same_for_every_seed(solved, hand_in, grade, tmp_path):
    hand_in("ada", with_code(solved, "sinusoidal", "def sinusoidal(n, d_model):\n    return np.zeros((n, d_model))"))
    points = [grade(seed=seed)["ada"].points for seed in range(3)]
    assert points[0] == points[1] == points[2]


def test_inputs_are_fresh_and_the_same_for_all(tmp_path):
    (by_one, _, one), (_, _, other), (_, _, again) = (grading.prepare(ASSIGNMENT, seed) for seed in (1, 2, 1))
    assert any((one[name] != other[name]).any() for name in one if one[name].shape == other.get(name, one[name]).shape)
    assert all((one[name] == again[name]).all() for name in one)


def test_the_seed_is_the_courses_in_every_folder_and_on_every_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(grading, "COURSE", tmp_path / "course.json")
    seed = grading.seed_of(tmp_path / "one")
    assert seed == grading.seed_of(tmp_path / "one") == grading.seed_of(tmp_path / "other")
    monkeypatch.setattr(grading, "COURSE", tmp_path / "new" / "course.json")
    assert grading.seed_of(tmp_path / "other") == seed == grading.seed_of(tmp_path / "third")
    grading.write(tmp_path / "new" / "course.json", '{"seed": 7}')
    with pytest.raises(ValueError, match="hold two seeds, so that marks would differ: copy the course's"):
        grading.seed_of(tmp_path / "other")


def test_what_is_graded_is_not_graded_again(solved, hand_in, grade, monkeypatch):
    for student in ("ada", "bob", "eve"):
        hand_in(student, solved)
    original, graded = grading.grade, []

    def stops_at_the_third(submission, *rest, **how):
        graded.append(submission.student)
        if len(graded) == 3:
            raise KeyboardInterrupt
        return original(submission, *rest, **how)

    monkeypatch.setattr(grading, "grade", stops_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        grade(workers=1)
    marks = grade(workers=1)
    assert sorted(graded) == sorted(["ada", "bob", "eve", graded[2]])
    assert all(one.points == FULL for one in marks.values())


def test_a_grader_that_fails_on_one_submission_grades_the_others(solved, hand_in, grade, monkeypatch):
    original = grading.grade

    def fails_on_bob(submission, *rest, **how):
        if submission.student == "bob":
            raise RuntimeError("disk full")
        return original(submission, *rest, **how)

    monkeypatch.setattr(grading, "grade", fails_on_bob)
    hand_in("ada", solved), hand_in("bob", solved)
    marks = grade()
    assert marks["ada"].points == FULL
    assert not marks["bob"].points and "disk full" in marks["bob"].notes[0]


def test_students_who_handed_in_nothing_are_listed(solved, hand_in, grade):
    hand_in("ada", solved)
    marks = grade(roster=("ada", "bob"))
    assert marks["bob"].notes == ["no submission"] and not marks["bob"].submitted


def test_a_notebook_without_metadata_gets_its_marks(solved, hand_in, grade):
    for one in solved.cells:
        one.metadata = {}
    solved.metadata.pop("coursework")
    hand_in("ada", solved)
    marks = grade()
    assert marks["ada"].points == FULL and f"missing cells: {WRITTEN}" in marks["ada"].notes


@pytest.mark.parametrize(
    "where, student",
    [
        (("Ada L", "2-attention", "2-attention.ipynb"), "Ada-L"),
        (("ada.ipynb",), "ada"),
        (("lovelaceada_4711_99_2-attention-1.ipynb",), "lovelaceada"),
        (("lovelaceada_LATE_4711_99_x.ipynb",), "lovelaceada"),
        (("Ada Lovelace_815_assignsubmission_file_", "x.ipynb"), "Ada-Lovelace"),
    ],
)
def test_students_are_found_in_every_layout(where, student, tmp_path):
    path = tmp_path.joinpath(*where)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    assert [name for name, *_ in files.find(tmp_path)] == [student]


CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Assignment 1 (12)
    Points Possible,,,,,40
"Lovelace, Ada",4711,S1,al1815,A,12
"Hopper, Grace",4712,S2,,A,
"Student, Test",4999,,,A,
"""
MOODLE = "Identifier,Full name,Email address\nParticipant 815,Ada Lovelace,ada@example.org\n"


@pytest.mark.parametrize(
    "text, file, student",
    [
        (CANVAS, "lovelaceada_4711_99_x.ipynb", "al1815"),
        (CANVAS, "hoppergrace_LATE_4712_98_x.ipynb", "4712"),
        (CANVAS, "turingalan_4713_97_x.ipynb", "turingalan"),
        (MOODLE, "Ada Lovelace_815_assignsubmission_file_/x.ipynb", "ada@example.org"),
    ],
)
def test_an_lms_number_finds_the_student_of_the_roster(text, file, student, tmp_path):
    (tmp_path / "class.csv").write_text(text)
    path = tmp_path / "submitted" / file
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    roster = gradebook.read_roster(tmp_path / "class.csv")
    assert [name for name, *_ in files.find(tmp_path / "submitted", gradebook.numbers(roster))] == [student]
    assert student == "turingalan" or student in roster and "4999" not in roster


def test_checkpoints_are_no_submissions_where_there_is_a_notebook(tmp_path):
    for path in (".ipynb_checkpoints/x.ipynb", "ada/.ipynb_checkpoints/x.ipynb", "ada/y.ipynb"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("{}")
    assert [file for _, file, *_ in files.find(tmp_path)] == ["ada/y.ipynb"]


# --- what stops a grading before it starts ------------------------------------------------------------------------


def test_without_a_sandbox_nothing_runs(solved, hand_in, tmp_path, monkeypatch, capsys):
    hand_in("ada", solved)
    monkeypatch.setattr(sandbox.shutil, "which", lambda program: None)
    assert main(["grade", str(tmp_path / "submitted"), *HOW, "--to", str(tmp_path / "results")]) == 2
    assert "never runs without a sandbox" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_a_sandbox_that_does_not_work_stops_the_grading(solved, hand_in, tmp_path, monkeypatch, capsys):
    broken = tmp_path / "bin" / "docker"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho cannot connect to the daemon >&2\nexit 1\n")
    broken.chmod(0o755)
    hand_in("ada", solved)
    monkeypatch.setenv("PATH", str(broken.parent), prepend=":")
    command = ["grade", str(tmp_path / "submitted"), *HOW, "--to", str(tmp_path / "results"), "--sandbox", "docker"]
    assert main(command) == 2
    assert "cannot connect to the daemon" in capsys.readouterr().err


def test_checks_that_do_not_fit_the_notebook_stop_the_grading(solved, hand_in, grade, monkeypatch):
    hand_in("ada", solved)
    loaded = checks.load(ASSIGNMENT)
    fewer = {name: function for name, function in loaded.items() if name != "softmax-hidden"}
    monkeypatch.setattr(checks, "load", lambda assignment: fewer)
    with pytest.raises(ValueError, match="softmax-hidden"):
        grade()


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys, bubblewrap):
    assert main(["grade", str(tmp_path / "nowhere"), *HOW, "--to", str(tmp_path / "results")]) == 2
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("results", ["submitted/grading", "submitted", "."])
def test_results_and_submissions_do_not_lie_in_each_other(results, solved, hand_in, tmp_path, capsys):
    hand_in("ada", solved)
    before = sorted(tmp_path.rglob("*"))
    assert main(["grade", str(tmp_path / "submitted"), *HOW, "--to", str(tmp_path / results)]) == 2
    assert "must not lie in the folder of submissions" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_nothing_that_lies_among_submissions_is_imported(tmp_path, bubblewrap):
    """Not by the grader whose command is given there, and not by a process that it starts."""
    folder = tmp_path / "submitted"
    folder.mkdir()
    for name in ("tqdm", "signal", "jupytext", "multiprocessing", "alembic", "torch", "tutorial_lib"):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    run = [sys.executable, "-m", "coursework", "grade", ".", *HOW, "--to", "../results", "--seed", "1"]
    environment = {**os.environ, "PYTHONPATH": str(grading.ROOT)}
    done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0 and "Nothing odd was seen" in done.stdout, done.stderr
    assert not (tmp_path / "ran").exists() and (tmp_path / "results" / "grades.csv").exists()


def test_the_feedback_of_nothing_is_an_error(tmp_path, capsys):
    assert main(["feedback", "--to", str(tmp_path)]) == 2
    assert "holds no marks" in capsys.readouterr().err


def test_marks_of_another_version_are_not_read(tmp_path):
    grading.write(tmp_path / "ada.json", json.dumps({"version": 0, "marks": []}))
    assert grading.load(tmp_path / "ada.json") is None
    assert feedback.report([], {}).startswith("# What needs a human")


def test_the_command_says_what_it_can_do():
    run = subprocess.run([sys.executable, "-m", "coursework", "--help"], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and "grade" in run.stdout


def test_a_function_that_ends_a_run_is_not_called_again(monkeypatch):
    """Else a notebook takes a run for each check that calls it."""
    calls = [{"id": f"{part}.{i}", "part": part, "name": name} for part, name, i in (
        ("f-public", "f", 0), ("f-public", "g", 1), ("f-hidden", "f", 0), ("h", "h", 0), ("h", "f", 1), ("g", "g", 0),
    )]  # fmt: skip
    asked = []

    def run(job, arrays, limits, **how):
        asked.append([call["id"] for call in job["calls"]])
        hung = next((call for call in job["calls"] if call["name"] == "f"), None)
        done = job["calls"] if hung is None else job["calls"][: job["calls"].index(hung)]
        records = {call["id"]: {"value": 1, "error": None} for call in done}
        return sandbox.Outcome(records, last=hung["part"] if hung else "g", ended="timeout" if hung else "done")

    monkeypatch.setattr(sandbox, "run", run)
    records, code = grading.run([], calls, {})
    assert asked == [[call["id"] for call in calls], ["h.0", "g.0"]]
    assert set(records) == {"h.0", "g.0"} and code.ended == {"f-public": "timeout"}


ENDLESS = [f"def f{i}():\n    while True: pass" for i in range(7)]
DEAF = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass"


def _calls(*names):
    return [{"id": name, "part": name, "name": name, "arguments": []} for name in names]


def test_what_hangs_leaves_time_for_the_rest(bubblewrap):
    calls = _calls(*(f"f{i}" for i in range(8)))
    records, code = grading.run([*ENDLESS, "def f7(): return 7"], calls, {}, limits=sandbox.Limits(seconds=4))
    errors = [record["error"] and record["error"]["type"] for record in records.values()]
    assert errors == ["TookTooLong"] * 7 + [None] and records["f7"]["value"] == 7 and not code.ended


def test_what_is_slow_in_each_call_leaves_time_for_the_rest(bubblewrap):
    """The calls of a function share its time: else many of them, each within its share, would take all."""
    slow = "import time\ndef f(): time.sleep(0.4)\ndef g(): return 7"
    calls = [{"id": f"f.{i}", "part": "f", "name": "f", "arguments": []} for i in range(15)]
    records, code = grading.run([slow], [*calls, *_calls("g")], {}, limits=sandbox.Limits(seconds=4))
    errors = [record["error"] for record in records.values()]
    assert errors[0] is None and errors[14]["type"] == "TookTooLong"
    assert records["g"]["value"] == 7 and not code.ended


def test_all_runs_together_have_the_time_of_one(bubblewrap, monkeypatch):
    run, took = sandbox.run, []

    def noted(*job, **how):
        outcome = run(*job, **how)
        took.append(outcome.took)
        return outcome

    monkeypatch.setattr(sandbox, "run", noted)
    cells = [DEAF] * 8
    records, code = grading.run([*cells, "def f(): return 1"], _calls("f"), {}, limits=sandbox.Limits(seconds=2))
    assert not records and code.ended.pop("all runs") == "timeout"
    assert 1 < len(took) < 8 and sum(took) < 4 and set(code.ended.values()) == {"timeout"}


def test_what_runs_when_the_time_is_over_is_not_what_took_it(monkeypatch):
    ended = sandbox.Outcome({"a": {"value": 1, "error": None}}, last="b", ended="timeout", took=9.9)
    monkeypatch.setattr(sandbox, "run", lambda *_, **__: ended)
    records, code = grading.run([], _calls("a", "b"), {})
    assert set(records) == {"a"} and code.ended == {"all runs": "timeout"}
