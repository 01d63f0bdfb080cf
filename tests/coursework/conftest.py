"""A sandbox to grade in, and submissions made from the assignment's own solution."""

import copy
import shutil
import subprocess

import nbformat
import pytest

sources = pytest.importorskip("coursework.sources")
from coursework import grading, sandbox  # noqa: E402

ASSIGNMENT = "2-attention"
QUICK = sandbox.Limits(step=1, seconds=4, all_runs=30, memory=2 << 30)


@pytest.fixture(scope="session")
def bubblewrap():
    """Skip where bubblewrap is not installed, or the machine lets no one use it. Else our own use of it must work."""
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not on this machine")
    bare = subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, text=True)
    if bare.returncode:
        pytest.skip(f"this machine does not let bubblewrap work: {bare.stderr.strip()}")
    sandbox.ready()


@pytest.fixture
def solved():
    """The solved notebook, to be spoiled; `cell(notebook, name)` finds its cells."""
    return copy.deepcopy(sources.solved_notebook(ASSIGNMENT))


@pytest.fixture
def hand_in(tmp_path):
    """hand_in(student, notebook): write it where a student's notebook lies. A string is written as it is."""

    def write(student, notebook, file=f"{ASSIGNMENT}.ipynb"):
        path = tmp_path / "submitted" / student / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook if isinstance(notebook, str) else nbformat.writes(notebook), encoding="utf-8")
        return path

    return write


@pytest.fixture
def grade(tmp_path, bubblewrap):
    """grade(): the marks of all that was handed in, by student."""

    def run(**how):
        options = {"seed": 1, "limits": QUICK, **how}
        marks = grading.grade_all(tmp_path / "submitted", tmp_path / "results", ASSIGNMENT, **options)
        return {one.student: one for one in marks}

    return run


def cell(notebook, name):
    """The cell of a notebook that has this nbgrader name."""
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == name)


def with_code(notebook, name, code):
    """A copy of the notebook where one cell holds other code."""
    changed = copy.deepcopy(notebook)
    cell(changed, name).source = code
    return changed
