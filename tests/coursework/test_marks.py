"""What a mark depends on: fresh inputs, cases, the key, and what happens outside of the student's doing."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
import numpy as np
import pytest

from coursework import checks, grading, references, sandbox, sources
from coursework.__main__ import main
from tests.coursework.conftest import ASSIGNMENT, QUICK, with_code

FULL = sources.points(ASSIGNMENT, marks=("check",))
ROOT = Path(grading.__file__).parents[1]


# --- fresh inputs ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drawn():
    """Assignment -> for each of five seeds: check -> its inputs as one text, for the checks that call functions."""
    return {name: [_inputs(name, seed) for seed in range(5)] for name in checks.names()}


def _inputs(assignment, seed):
    _, calls, arrays = grading.prepare(assignment, seed)
    texts = {}
    for call in calls:
        if call["arguments"] is not None:
            text = repr((call["name"], _spelled(call["arguments"], arrays)))
            texts[call["part"]] = texts.get(call["part"], "") + text
    return texts


def _spelled(value, arrays):
    if isinstance(value, dict) and "array" in value:
        array = arrays[value["array"]]
        return array.shape, hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
    if isinstance(value, dict):
        return {name: _spelled(item, arrays) for name, item in value.items()}
    return [_spelled(item, arrays) for item in value] if isinstance(value, list) else value


CHECKS = [(name, check) for name in checks.names() for check in sources.points(name, marks=("check",))]


@pytest.mark.parametrize("assignment, check", CHECKS, ids=[f"{a}: {c}" for a, c in CHECKS])
def test_no_table_holds_the_inputs_of_a_check(assignment, check, drawn):
    inputs = [texts[check] for texts in drawn[assignment] if check in texts]
    if not inputs:
        # These look at the student's own texts, or are drawn from the student's name.
        assert check in ("collection-public", "report-public") or check.startswith("own-")
        return
    assert len(set(inputs)) == len(inputs) == 5


HIDDEN = [name for name in checks.names() if any(one.endswith("-hidden") for one in sources.points(name))]


@pytest.mark.long
@pytest.mark.parametrize("assignment", HIDDEN)
def test_each_usual_mistake_fails_its_hidden_check_at_every_seed(assignment):
    hidden = {name: draw for name, draw in checks.load(assignment).items() if name.endswith("-hidden")}
    for seed in range(40):
        for name, draw in hidden.items():
            calls = grading._drawn(assignment, name, draw, seed)
            assert grading._unseen(assignment, calls) is None, (name, seed)
            assert all(checks.wrong(one, grading._given_by(reference(one.name), one)) is None for one in calls)


def reference(name):
    """The right function of this name."""
    return next(vars(one)[name] for one in map(references.module, references.homes()) if hasattr(one, name))


# --- points case by case ---------------------------------------------------------------------------------------------


@pytest.fixture
def softmax_by_case(monkeypatch):
    """The hidden check of softmax, 5 points, gives them by case: one of two cases is one row, the other is many."""

    @checks.check("softmax-hidden")
    def cases(rng):
        for shape, case in (((3,), "a row"), ((2, 3), "rows"), ((4, 5), "rows")):
            x = rng.normal(size=shape)
            yield checks.call("softmax", x, expect=np.exp(x) / np.exp(x).sum(-1, keepdims=True), case=case)

    loaded = {**checks.load(ASSIGNMENT), "softmax-hidden": cases}
    monkeypatch.setattr(checks, "load", lambda assignment: loaded)
    monkeypatch.setattr(grading, "_unseen", lambda *_: None)  # two cases do not tell all usual mistakes
    monkeypatch.setattr(sources, "by_case", lambda assignment: {"softmax-hidden"})
    monkeypatch.setattr(sources, "points", lambda *a, **k: {**FULL, "softmax-hidden": 5})
    return cases


def test_points_by_case_are_rounded_down_to_halves_and_named(softmax_by_case, solved, hand_in, grade):
    hand_in("ada", solved)
    hand_in("bob", with_code(solved, "softmax", "def softmax(x):\n    return np.exp(x) / np.exp(x).sum()"))
    hand_in("eve", with_code(solved, "softmax", "def softmax(x):\n    return x"))
    marks = grade()
    assert {name: one.points["softmax-hidden"] for name, one in marks.items()} == {"ada": 5, "bob": 2.5, "eve": 0}
    assert marks["bob"].cases["softmax-hidden"] == [["a row", True], ["rows", False]]
    assert "wrong numbers" in marks["bob"].reasons["softmax-hidden"] and not marks["ada"].cases


def test_a_check_by_case_names_every_case(softmax_by_case, monkeypatch):
    monkeypatch.setattr(sources, "by_case", lambda assignment: {"attention-public"})
    unnamed = {**checks.load(ASSIGNMENT), "attention-public": lambda rng: [checks.call("attention", expect=1)]}
    monkeypatch.setattr(checks, "load", lambda assignment: unnamed)
    with pytest.raises(ValueError, match="attention-public gives points by case, but a call of it names no case"):
        grading.prepare(ASSIGNMENT, 0)


# --- values that are too much ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        ["x" * 100_000, *[""] * 7_000], [[1.0], [1.0, 2.0]], [[[]] * 9] * 9, {"shape": [2], "values": ["1", "2"]},
        {"shape": [2]}, 10**400, [10**400, 1], [float("nan"), 1], "12", None, [None, None], [True, "x"], {"pairs": 7},
    ],
    ids=str,
)  # fmt: skip
def test_a_made_up_value_is_wrong_and_takes_no_memory(value):
    import tracemalloc

    tracemalloc.start()
    assert checks.wrong(checks.call("f", expect=np.ones(2)), value)
    assert tracemalloc.get_traced_memory()[1] < 5 << 20
    tracemalloc.stop()


def test_every_right_value_fits_into_its_limit():
    for assignment in checks.names():
        by_check, _, _ = grading.prepare(assignment, 0)
        most = [call.most for calls in by_check.values() for call in calls]
        assert sum(most) < sandbox.Limits().output
        for call in (call for calls in by_check.values() for call in calls if call.judge is None):
            assert len(json.dumps(checks._plain(call.expected))) < call.most / 2


# --- what a mark depends on ------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_key_covers_every_file_that_grading_imports(tmp_path):
    """All modules of ours that a real grading has imported at its end, the checks' own files too."""
    code = (
        "import sys; from pathlib import Path; from coursework import grading, checks\n"
        "from coursework import feedback, gradebook\n"
        "for name in checks.names(): by_check, *_ = grading.prepare(name, 0)\n"
        "print(*(m.__file__ for m in list(sys.modules.values()) if getattr(m, '__file__', None)), sep='\\n')"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    ours = {Path(line) for line in run.stdout.splitlines() if ROOT in Path(line).parents and ".venv" not in line}
    assert len(ours) > 30
    assert ours <= {path for name in checks.names() for path in grading.key_files(name)}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of all that the key of marks may look at."""
    root = tmp_path_factory.mktemp("copied")
    for name in ("coursework", *grading.OURS):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "*.safetensors"))
    return root


@pytest.mark.parametrize("file, counts", [
    ("tutorial_book/plots/meaning.py", False),
    ("tutorial_book/claims/attention.py", False),
    ("tutorial_book/page/tables.py", False),
    ("tutorial_lib/views/heads.py", False),
    ("coursework/assignments/1-tokenization/checks.py", False),
    (f"coursework/assignments/{ASSIGNMENT}/checks.py", True),
    ("coursework/worker.py", True),
    ("coursework/references/attention.txt", True),
    ("tutorial_lib/attention.py", True),
])  # fmt: skip
def test_a_mark_depends_on_what_grading_runs_and_on_no_figure_view_claim_or_page(file, counts, copied):
    before = grading.key(ASSIGNMENT, 1, root=copied)
    path = copied / file
    source = path.read_bytes()
    path.write_bytes(source + b"\n# changed\n")
    assert (grading.key(ASSIGNMENT, 1, root=copied) != before) == counts
    path.write_bytes(source)
    assert grading.key(ASSIGNMENT, 1, root=copied) == before


def test_a_mark_depends_on_the_seed_and_the_sandbox(copied):
    before = grading.key(ASSIGNMENT, 1, root=copied)
    assert before != grading.key(ASSIGNMENT, 2, root=copied)
    assert before != grading.key(ASSIGNMENT, 1, "podman", root=copied)


def test_what_is_told_of_a_file_is_fresh_where_its_marks_are_not(solved, hand_in, grade):
    hand_in("ada", solved)
    assert not grade()["ada"].notes
    hand_in("ada", "{", file="other.ipynb")
    assert [note for note in grade()["ada"].notes if "other.ipynb" in note]


def test_a_newcomer_displaces_nobody(solved, hand_in, grade):
    hand_in("ada", solved)
    assert grade()["ada"].points == FULL
    hand_in("ADA", with_code(solved, "softmax", "def softmax(x):\n    return x"))
    marks = grade()
    assert marks["ada"].points == FULL and len(marks) == 2
    assert all("reads" in " ".join(one.notes) for one in marks.values())


# --- what the student did not do -------------------------------------------------------------------------------------


def test_a_run_that_is_killed_from_outside_is_tried_again_and_is_no_mark(solved, hand_in, grade, monkeypatch, tmp_path):
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
    marks = grade()
    assert tries.count("bob") == 2 and tries.count("eve") == 2 and tries.count("ada") == 1
    assert marks["ada"].points == marks["eve"].points and marks["ada"].points["causal-mask-hidden"]
    bob = marks["bob"]
    assert not bob.points and "not marked" in bob.notes[0] and "could not be graded" in bob.told[-1]
    monkeypatch.setattr(sandbox, "run", original)
    assert grade()["bob"].points == marks["ada"].points


def test_a_second_grading_of_the_same_folder_waits_its_turn(tmp_path):
    with grading.alone(tmp_path), pytest.raises(ValueError, match="in use by another grading"):
        with grading.alone(tmp_path):
            pass
    with grading.alone(tmp_path / "new"):
        pass
    assert (tmp_path / ".lock").exists()  # who opened a lock that is gone would hold another one


@pytest.mark.long
def test_a_grading_that_is_killed_goes_on_and_leaves_nothing(solved, tmp_path, bubblewrap):
    """kill -9, again and again, at random moments."""
    for number in range(3):
        path = tmp_path / "submitted" / f"student-{number}" / f"{ASSIGNMENT}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(with_code(solved, "softmax", f"def softmax(x):\n    return x * {number}"), path)
    reference = tmp_path / "reference"
    began = time.monotonic()
    assert _grade(tmp_path / "submitted", reference).wait(200) == 0
    took, rng = time.monotonic() - began, random.Random(7)
    for _ in range(2):
        process = _grade(tmp_path / "submitted", tmp_path / "results")
        time.sleep(rng.uniform(0.3, 0.9) * took)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    assert _grade(tmp_path / "submitted", tmp_path / "results").wait(200) == 0
    assert _marks(tmp_path / "results") == _marks(reference)
    left = [path.name for path in (tmp_path / "results").rglob(".*") if path.is_file()]
    assert left == [".lock"] and not list(Path(tempfile.gettempdir()).glob(f"grade-{process.pid}-*"))


def test_the_process_with_the_models_ends_with_the_grader(tmp_path):
    code = (
        "import os, time; from coursework import checks\n"
        "if __name__ == '__main__':\n"
        "    process = checks.process()\n"
        "    name, _ = process.submit(os.getpid).result(), process.submit(time.sleep, 600)\n"
        "    time.sleep(1); print(name, flush=True); time.sleep(60)"
    )
    (tmp_path / "grader.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, tmp_path / "grader.py"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as grader:
        helper = int(grader.stdout.readline())
        grader.kill()
    until = time.monotonic() + 30
    while time.monotonic() < until and _is_python(helper):
        time.sleep(0.1)
    assert not _is_python(helper)


def _is_python(process):
    """Whether the process runs: one that has ended and that nobody has waited for yet has no command line."""
    try:
        return b"python" in Path(f"/proc/{process}/cmdline").read_bytes()
    except FileNotFoundError:
        return False


def _grade(submitted, results):
    command = [sys.executable, "-m", "coursework", "grade", submitted, "--to", results, "--seed", "5"]
    command += ["--assignment", ASSIGNMENT]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)


def _marks(results):
    return {one.student: (one.points, one.reasons, one.notes) for one in grading.marks_in(results, ASSIGNMENT)}


def test_the_report_says_which_bound_was_in_force(solved, hand_in, tmp_path, bubblewrap):
    hand_in("ada", solved)
    arguments = ["grade", tmp_path / "submitted", "--to", tmp_path / "results", "--assignment", ASSIGNMENT]
    assert main([str(argument) for argument in arguments]) == 0
    assert sandbox.bound("bubblewrap", QUICK).split()[0] in (tmp_path / "results" / "report.md").read_text()
