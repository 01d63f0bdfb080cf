"""A sandbox to grade in, and submissions made from the assignment's own solution."""

import contextlib
import copy
import csv
import functools
import io
import json
import multiprocessing
import os
import pickle
import shutil
import subprocess
from pathlib import Path

import pytest

sources = pytest.importorskip("coursework.sources")
from coursework import checks, exam, grading, processes, results, sandbox, submissions  # noqa: E402
from coursework.__main__ import main  # noqa: E402
from tests.programs import program  # noqa: E402

ASSIGNMENT = "2-attention"
WRITTEN = "why-square-root"
solved_notebook = functools.partial(sources.student_notebook, solved=True)
FULL = sources.points(ASSIGNMENT, marks=("check",))
QUICK = sandbox.Limits(seconds=8)
SMALL = sandbox.Limits(memory=300 << 20)


@pytest.fixture(scope="session")
def bubblewrap():
    """Skip where bubblewrap is not installed, or the machine lets no one use it. Else our own use of it must work."""
    program("bubblewrap")
    bare = subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, text=True)
    if bare.returncode:
        pytest.skip(f"this machine does not let bubblewrap work: {bare.stderr.strip()}")
    sandbox.ready()


@pytest.fixture(scope="session")
def bubbled(bubblewrap):
    """bubbled(cell, ...): the outcome of cells. calls: (name, argument, ...) of functions, or names of variables."""

    def run(*cells, calls=(), limits=SMALL):
        asked = []
        for i, call in enumerate(calls):
            name, *arguments = [call] if isinstance(call, str) else call
            given = None if isinstance(call, str) else pickle.dumps(arguments)
            asked.append({"part": "part", "id": f"{name}.{i}", "name": name, "most": 4 << 20, "arguments": given})
        return sandbox.run({"cells": list(cells), "calls": asked}, limits=limits)

    return run


def value(outcome, id):
    assert outcome.calls[id]["error"] is None, outcome
    return outcome.calls[id]["value"]


@pytest.fixture(scope="session", autouse=True)
def _of_this_process(tmp_path_factory):
    """A course of its own for each process, and its share of the processors; what takes seconds is done once."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    with pytest.MonkeyPatch.context() as patch:
        if workers > 1:  # else all their sandboxes take each other's time
            patch.setattr(grading, "_workers", lambda limits: max(1, (os.cpu_count() or 1) // workers))
        patch.setattr(results, "COURSE", put_file(tmp_path_factory.mktemp("course") / "course.json", '{"seed": 1}'))
        patch.setattr(exam, "prepare_apart", lambda assignment, seed: prepared(checks.load, assignment, seed))
        patch.setattr(processes, "STARTED", "forkserver")  # models are imported once
        multiprocessing.set_forkserver_preload(["coursework.grading", "tutorial_lib.bert"])
        yield


def cell(notebook, name):
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == name)


def with_code(notebook, name, code):
    return with_cells(notebook, {name: code})


def with_cells(notebook, code):
    notebook = copy.deepcopy(notebook)
    for name, source in code.items():
        cell(notebook, name).source = source
    return notebook


def batch(folder, assignment, notebooks, limits=QUICK):
    """Name -> marks, of notebooks by any names, graded together: a sandbox for each, and the same inputs."""
    students = {f"s{number:03}": name for number, name in enumerate(notebooks)}
    for student, name in students.items():
        put_file(folder / assignment / student / "x.ipynb", notebooks[name])
    marks = grading.grade_all(folder / assignment, folder / "results", assignment, seed=1, limits=limits)
    return {students[one.student]: one for one in marks}


def blocks(file):
    """Heading -> text, of the parts of a file beside this one that begin with "### "."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    return dict(part.split("\n", 1) for part in text.split("\n### ")[1:])


def put_file(path, content):
    """Write a notebook, a text or bytes, and the folders above. (nbformat would repair damaged ones.)"""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = content if isinstance(content, (str, bytes)) else json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@functools.cache
def prepared(load, assignment, seed):
    """What checks ask. Inputs are drawn until each listed mistake fails, so this is done once for what loads checks."""
    return exam.prepare(assignment, seed)


def grade_all(folder, students=None, **how):
    """Student -> marks of what lies in folder/submitted."""
    marks = grading.grade_all(folder / "submitted", folder / "results", ASSIGNMENT, students, 1, limits=QUICK, **how)
    return {one.student: one for one in marks}


@pytest.fixture
def solved():
    """The solved notebook, to be spoiled; `cell(notebook, name)` finds its cells."""
    return copy.deepcopy(solved_notebook(ASSIGNMENT))


@pytest.fixture
def put(tmp_path):
    """put(path, content): write a file below the folder of submissions."""
    return lambda path, content: put_file(tmp_path / "submitted" / path, content)


@pytest.fixture
def hand_in(put):
    """hand_in(student, notebook): write it where a student's notebook lies."""
    return lambda student, notebook, file=f"{ASSIGNMENT}.ipynb": put(f"{student}/{file}", notebook)


@pytest.fixture
def sort_out(tmp_path):
    """sort_out(): student -> submission, of those that can be read and of those that cannot."""

    def run(assignment=ASSIGNMENT, **how):
        readable, unreadable = submissions.sorted_out(tmp_path / "submitted", assignment, **how)
        found = {one.student: one for one in [*unreadable, *readable]}
        assert len({name.casefold() for name in found}) == len(readable) + len(unreadable)
        return found

    return run


@pytest.fixture(scope="session")
def graded(tmp_path_factory, bubblewrap):
    """Three students, one with a broken file and one with nothing, graded by the command itself: once for all tests."""
    folder = tmp_path_factory.mktemp("graded")
    solved = solved_notebook(ASSIGNMENT)
    wrong = with_code(solved, "softmax", "def softmax(x):\n    raise ValueError('<b>' + str(x))")
    cell(wrong, WRITTEN).source = "**Because** <script>alert(1)</script> $d_k$"
    for student, content in (("ada", solved), ("bob", wrong), ("eve", "{")):
        put_file(folder / "submitted" / student / f"{ASSIGNMENT}.ipynb", content)
    names = "student,first_name,last_name\nada,Ada,Lovelace\nbob,Bob,=1+1\nkim,Kim,Lee\neve,Eve,E\n"
    (folder / "class.csv").write_text(names)
    assert grade_again(folder, folder / "results") == 0
    return folder


def grade_again(folder, results, *more):
    command = ["grade", folder / "submitted", "--to", results, "--assignment", ASSIGNMENT]
    return main([str(argument) for argument in [*command, "--roster", folder / "class.csv", *more]])


@pytest.fixture
def course(graded, tmp_path):
    """The results of that grading, to be changed; what was handed in, and class.csv, lie beside."""
    shutil.copytree(graded, tmp_path, dirs_exist_ok=True)
    return tmp_path / "results"


def rows(path):
    return {row["student_id"]: row for row in csv.DictReader(io.StringIO(path.read_text()))}


def below(process):
    """The processes below a process, as numbers; none where it has just ended."""
    found = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            children = [int(child) for child in (task / "children").read_text().split()]
            found += children + [each for child in children for each in below(child)]
    return found
