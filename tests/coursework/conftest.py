"""A sandbox to grade in, and submissions made from the assignment's own solution."""

import copy
import csv
import functools
import io
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest

sources = pytest.importorskip("coursework.sources")
import nbgrader.api  # noqa: E402

from coursework import checks, grading, sandbox  # noqa: E402
from coursework.__main__ import main  # noqa: E402
from tests.programs import program  # noqa: E402

ASSIGNMENT = "2-attention"
QUICK = sandbox.Limits(seconds=8)


@pytest.fixture(scope="session")
def bubblewrap():
    """Skip where bubblewrap is not installed, or the machine lets no one use it. Else our own use of it must work."""
    program("bubblewrap")
    bare = subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, text=True)
    if bare.returncode:
        pytest.skip(f"this machine does not let bubblewrap work: {bare.stderr.strip()}")
    sandbox.ready()


@pytest.fixture(scope="session", autouse=True)
def _alembic_asked_once():
    """nbgrader asks another program for the version of its tables, a second for each new gradebook."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nbgrader.api.get_alembic_version", functools.cache(nbgrader.api.get_alembic_version))
        yield


@pytest.fixture(scope="session", autouse=True)
def _models_imported_once():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checks, "STARTED", "forkserver")
        yield


@pytest.fixture(scope="session", autouse=True)
def _a_course_of_its_own(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grading, "COURSE", tmp_path_factory.mktemp("seed") / "course.json")
        yield


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


@functools.cache
def prepared(load, assignment, seed):
    """What checks ask. Inputs are drawn until each listed mistake fails, so this is done once for what loads checks."""
    return grading.prepare(assignment, seed)


@pytest.fixture
def grade(tmp_path, bubblewrap):
    """grade(): the marks of all that was handed in, by student."""

    def run(**how):
        options = {"seed": 1, "limits": QUICK, "prepared_by": functools.partial(prepared, checks.load), **how}
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


@pytest.fixture(scope="session")
def graded(tmp_path_factory, bubblewrap):
    """Three students, one with a broken file and one with nothing, graded by the command itself: once for all tests."""
    folder = tmp_path_factory.mktemp("course")
    solved = sources.solved_notebook(ASSIGNMENT)
    wrong = with_code(solved, "softmax", "def softmax(x):\n    raise ValueError('<b>' + str(x))")
    cell(wrong, "why-square-root").source = "**Because** <script>alert(1)</script> $d_k$"
    for student, text in (("ada", nbformat.writes(solved)), ("bob", nbformat.writes(wrong)), ("eve", "{")):
        path = folder / "submitted" / student / f"{ASSIGNMENT}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    names = "student,first_name,last_name\nada,Ada,Lovelace\nbob,Bob,=1+1\nkim,Kim,Lee\neve,Eve,E\n"
    (folder / "class.csv").write_text(names)
    arguments = ["grade", folder / "submitted", "--to", folder / "results", "--assignment", ASSIGNMENT]
    assert main([str(argument) for argument in [*arguments, "--roster", folder / "class.csv"]]) == 0
    return folder


@pytest.fixture
def course(graded, tmp_path):
    """The results of that grading, to be changed; what was handed in, and class.csv, lie beside."""
    shutil.copytree(graded, tmp_path, dirs_exist_ok=True)
    return tmp_path / "results"


def rows(path):
    return {row["student_id"]: row for row in csv.DictReader(io.StringIO(path.read_text()))}


@pytest.fixture
def formgrader(course, tmp_path):
    """get(path, **put): what nbgrader's formgrader answers, on a Jupyter server in the results folder, at get.url."""
    private = {name: str(tmp_path / "jupyter") for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "HOME")}
    command = [sys.executable, "-m", "jupyter", "server", "--no-browser", "--allow-root", "--port=0"]
    command += ["--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}"]
    command += ["--IdentityProvider.token=", "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True"]
    log = tmp_path / "server.log"
    with open(log, "w") as file:
        server = subprocess.Popen(command, cwd=course, env={**os.environ, **private}, stdout=file, stderr=file)
    try:
        until, running = time.monotonic() + 60, None
        while running is None and server.poll() is None and time.monotonic() < until:
            time.sleep(0.2)
            running = next(iter((tmp_path / "jupyter").glob("jpserver-*.json")), None)
        if running is None:
            pytest.skip(f"a Jupyter server does not start here: {log.read_text()[-300:]}")
        url = json.loads(running.read_text())["url"]

        def get(path, **put):
            body = json.dumps(put).encode() if put else None
            request = urllib.request.Request(url + path, body, method="PUT" if put else "GET")
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.read().decode()

        get.url = url
        yield get
    finally:
        server.terminate()
        server.wait(30)
