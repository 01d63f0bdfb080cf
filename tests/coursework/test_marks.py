"""What a mark depends on: fresh inputs, cases, the key, and what happens outside of the student's doing."""

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from coursework import causes, checks, comparison, exam, marks, results, runs, sandbox, sources, submissions, worker
from tests.coursework.conftest import ASSIGNMENT, grade_all, prepared, with_code

ROOT = results.ROOT


@pytest.mark.parametrize("assignment", sources.names())
def test_a_seed_gives_the_same_inputs_and_another_others(assignment):
    one, other = (prepared(checks.load, assignment, seed)[0] for seed in (1, 2))
    name = next(name for name in one if name.endswith("-hidden"))
    again = exam.drawn(assignment, name, checks.load(assignment)[name], 1)
    assert pickle.dumps([call.arguments for call in again]) == pickle.dumps([call.arguments for call in one[name]])
    for name, calls in one.items():
        inputs = [pickle.dumps([call.arguments for call in drawn]) for drawn in (calls, other[name])]
        # These two look at the student's own texts.
        assert inputs[0] != inputs[1] or name in ("collection-public", "report-public")


@pytest.mark.long
@pytest.mark.parametrize("assignment", sources.names())
def test_each_usual_mistake_fails_at_every_seed(assignment):
    hidden = {name: draw for name, draw in checks.load(assignment).items() if name.endswith("-hidden")}
    for seed in range(40):
        for name, draw in hidden.items():
            calls = exam.drawn(assignment, name, draw, seed)
            assert exam.unseen_mistake(assignment, calls) is None, (name, seed)


@pytest.mark.parametrize("right, points", [([1] * 5, 4), ([1, 0], 2), ([1, 1, 0], 2.5), ([0], 0)])
def test_points_by_case_are_rounded_down_to_halves(right, points):
    verdict = comparison.Verdict({f"case {number}": one for number, one in enumerate(right)}, reason="wrong numbers")
    submission, code = submissions.Submission("ada", ASSIGNMENT), causes.Code([], {}, {})
    made = marks.mark(runs.Work(submission, None, {}, code, {"softmax-hidden": verdict}))
    assert made.points == {"softmax-hidden": points} and bool(made.reasons) == (points < 4)
    assert made.cases == ({"softmax-hidden": list(verdict.cases.items())} if points < 4 else {})


@pytest.mark.parametrize("value", [
    ["x" * 100_000, *[""] * 7_000], [[1.0], [1.0, 2.0]], [[[]] * 9] * 9, {"shape": [2], "values": ["1", "2"]},
    {"shape": [2]}, 10**400, [10**400, 1], [float("nan"), 1], "12", None, [None, None], [True, "x"], {"pairs": 7},
], ids=str)  # fmt: skip
def test_made_up_value_fails_without_using_memory(value):
    tracemalloc.start()
    assert comparison.wrong(checks.call("f", expect=np.ones(2)), value)
    assert tracemalloc.get_traced_memory()[1] < 5 << 20
    tracemalloc.stop()


def test_a_deep_value_is_walked_through_once(monkeypatch):
    deep, walked, lists = 1, [], comparison._lists
    for _ in range(18):
        deep = [deep]
    monkeypatch.setattr(comparison, "_lists", lambda value: walked.append(value) or lists(value))
    assert comparison.wrong(checks.call("f", expect=deep), deep) is None and len(walked) == 19


@pytest.mark.parametrize("shape, told", [((3, 2), "wrong shape, (3, 2)"), ((1_000,), "shape"), ((1,) * 6, "shape")])
def test_a_shape_that_could_spell_inputs_is_not_told(shape, told):
    assert comparison.wrong(checks.call("f", expect=np.ones(2)), np.zeros(shape).tolist()).endswith(told)
    assert comparison.wrong(checks.call("f", expect=np.ones(2)), [[0] * 900] + [0] * 900).endswith("wrong shape")


@pytest.mark.parametrize("assignment", sources.names())
def test_every_check_has_calls_whose_right_values_fit(assignment):
    by_check, _ = prepared(checks.load, assignment, 1)
    calls = [call for calls in by_check.values() for call in calls]
    assert sum(call.most for call in calls) < sandbox.Limits().output
    assert all(by_check.values()) and all(call.case for name in sources.by_case(assignment) for call in by_check[name])
    for call in calls:
        assert call.judge or len(json.dumps(worker.plain(call.expected))) < call.most / 2


@pytest.mark.long
def test_the_key_covers_all_that_grading_imports():
    """All our own modules that a real grading has imported at its end. The grader's own process needs no torch."""
    code = (
        "import sys; from pathlib import Path; from coursework import checks, exam, grading, sources\n"
        "from coursework import feedback, words\n"
        "assert 'torch' not in sys.modules\n"
        "for name in sources.names(): by_check, *_ = exam.prepare(name, 0)\n"
        "print(*(m.__file__ for m in list(sys.modules.values()) if getattr(m, '__file__', None)), sep='\\n')"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    ours = {Path(line) for line in run.stdout.splitlines() if ROOT in Path(line).parents and ".venv" not in line}
    assert len(ours) > 30
    assert ours <= {*results.key_files()}


def test_a_mark_depends_on_code_seed_and_sandbox(tmp_path):
    code = tmp_path / "coursework" / "worker.py"
    code.parent.mkdir()
    code.write_text("x = 1\n")
    before = results.key(ASSIGNMENT, 1, root=tmp_path)
    assert before == results.key(ASSIGNMENT, 1, root=tmp_path)
    assert before != results.key(ASSIGNMENT, 2, root=tmp_path)
    code.write_text("x = 2\n")
    assert before != results.key(ASSIGNMENT, 1, root=tmp_path)


def test_a_run_killed_from_outside_is_tried_again(solved, hand_in, tmp_path, bubblewrap, monkeypatch):
    for student in ("ada", "bob", "eve"):
        hand_in(student, with_code(solved, "softmax", f"# {student}\ndef softmax(x):\n    return x"))
    original, tries = sandbox.run, []

    def killed(job, *rest, **how):
        student = next((cell.split()[1] for cell in job["cells"] if "return x" in cell), "the first try")
        tries.append(student)
        if student == "bob" or (student == "eve" and tries.count("eve") == 1):
            return sandbox.Outcome(ended="killed", last="cell 1")
        return original(job, *rest, **how)

    monkeypatch.setattr(sandbox, "run", killed)
    made = grade_all(tmp_path)
    assert tries.count("bob") == 2 and tries.count("eve") == 2 and tries.count("ada") == 1
    assert made["ada"].points == made["eve"].points and made["ada"].points["causal-mask-hidden"]
    bob = made["bob"]
    assert not bob.points and "not marked" in bob.notes[0] and "could not be graded" in bob.told[-1]
    monkeypatch.setattr(sandbox, "run", original)
    assert grade_all(tmp_path)["bob"].points == made["ada"].points


def grading_of(folder, results):
    command = [sys.executable, "-m", "coursework", "grade", folder, "--to", results, "--assignment", ASSIGNMENT]
    return subprocess.Popen([*command, "--seed", "5"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.long
def test_a_killed_grading_goes_on_and_leaves_nothing(solved, hand_in, tmp_path, bubblewrap):
    for number in range(3):
        hand_in(f"s{number}", with_code(solved, "softmax", f"def softmax(x):\n    return x * {number}"))
    began = time.monotonic()
    assert grading_of(tmp_path / "submitted", tmp_path / "reference").wait(1800) == 0
    took, rng = time.monotonic() - began, random.Random(7)
    for _ in range(2):
        process = grading_of(tmp_path / "submitted", tmp_path / "results")
        time.sleep(rng.uniform(0.3, 0.9) * took)
        process.send_signal(signal.SIGKILL)
        process.wait(1800)
    assert grading_of(tmp_path / "submitted", tmp_path / "results").wait(1800) == 0
    assert results.marks_in(tmp_path / "results", ASSIGNMENT) == results.marks_in(tmp_path / "reference", ASSIGNMENT)
    left = [path.name for path in (tmp_path / "results").rglob(".*") if path.is_file()]
    assert left == [".lock"]


GRADER = """
import os, time
from coursework import processes
if __name__ == "__main__":
    print(processes.judged(os.getpid), flush=True)
    processes.judged(time.sleep, 600)
"""


def goes_on(process):
    """Whether this Python runs: one that has ended and that nobody has waited for yet has no command line."""
    try:
        return b"python" in Path(f"/proc/{process}/cmdline").read_bytes()
    except FileNotFoundError:
        return False


def test_model_process_ends_with_the_grader(tmp_path):
    (tmp_path / "grader.py").write_text(GRADER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "env": environment}
    with subprocess.Popen([sys.executable, tmp_path / "grader.py"], **how) as grader:
        helper = int(grader.stdout.readline())
        assert goes_on(helper)
        grader.kill()
    until = time.monotonic() + 30
    while time.monotonic() < until and goes_on(helper):
        time.sleep(0.1)
    assert not goes_on(helper)
