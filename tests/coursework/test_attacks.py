"""Submissions that attack the grading: none gets more than its honest mark, changes another's, or stops the batch.

Each attack stands in a solved notebook, in the cell of softmax, so that its honest mark is known: with a wrong softmax
it loses that question and those that need it, and nothing else. All are graded in one batch with an honest neighbor on
each side.
"""

import copy
import errno
import json
import os
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

import nbformat
import pytest

from coursework import files, grading, sandbox, sources
from coursework.__main__ import main
from tests.coursework.conftest import ASSIGNMENT, QUICK, cell, with_code

FULL = sources.points(ASSIGNMENT, marks=("check",))
NEED = ("softmax", "attention", "near-attention", "own-")  # the questions that need a right softmax
REST = {name: worth for name, worth in FULL.items() if not name.startswith(NEED)}

GOOD = cell(sources.solved_notebook(ASSIGNMENT), "softmax").source + "\n"
WRONG = "def softmax(x):\n    return x\n"

# name -> (code in place of the solution of softmax, whether softmax is honestly right in it)
CODE = {
    "endless loop in a function": ("def softmax(x):\n    while True: pass", False),
    "endless loop that no exception ends": (
        "def softmax(x):\n    while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass", False
    ),
    "endless loop at the top": (GOOD + "while True: pass", True),
    "endless loop in __del__": (
        GOOD + "class Sticky:\n    def __del__(self):\n        while True: pass\nsticky = Sticky()\ndel sticky", True
    ),
    "fork bomb": (GOOD + "import os\nwhile True: os.fork()", True),
    "fork bomb in a function": ("import os\ndef softmax(x):\n    while True: os.fork()", False),
    "20 GB array": ("import numpy as np\ndef softmax(x):\n    return np.ones(20 << 27)", False),
    "1 GB printed": (GOOD + "for _ in range(1024): print('x' * (1 << 20))", True),
    "1 GB to every descriptor": (
        GOOD + "import os\nfor fd in range(3, 64):\n    try:\n"
        "        for _ in range(1024): os.write(fd, b'x' * (1 << 20))\n"
        "    except OSError: pass", None
    ),
    "1 GB on disk": (GOOD + "open('big', 'wb').write(bytes(1 << 30))", True),
    "a value of 1 GB": ("import numpy as np\ndef softmax(x):\n    return 'x' * (1 << 29)", False),
    "network": ("import socket\ndef softmax(x):\n    return socket.create_connection(('192.0.2.1', 80), 1)", False),
    "recursion": ("def softmax(x):\n    return softmax(x)", False),
    "nested value": ("def softmax(x):\n    y = []\n    for _ in range(100_000): y = [y]\n    return y", False),
    "patched numpy": (
        WRONG + "np.allclose = np.isclose = np.array_equal = lambda *a, **k: True\nnp.exp = lambda x: x", False
    ),
    "patched json": (WRONG + "import json\njson.dumps = lambda *a, **k: '{\"done\": true}'", None),
    "an object that equals everything": (
        "class Any:\n    shape = (2,)\n    def __eq__(self, other): return True\n"
        "    def __array__(self, *a, **k): return self\n"
        "    def tolist(self): return self\ndef softmax(x):\n    return Any()", False
    ),
    "an array that equals everything": (
        "class Any(np.ndarray):\n    def __eq__(self, other): return True\n    def tolist(self): return self\n"
        "def softmax(x):\n    return x.view(Any)", False
    ),
    "a mock": ("from unittest.mock import MagicMock\ndef softmax(x):\n    return MagicMock()", False),
    "nan": ("def softmax(x):\n    return x * float('nan')", False),
    "inf": ("def softmax(x):\n    return x * float('inf')", False),
    "calls the library": ("from tutorial_lib.attention import softmax", False),
    "calls the reference": ("from coursework.references.attention import softmax", False),
    "calls SciPy": ("from scipy.special import softmax as s\ndef softmax(x):\n    return s(x, axis=-1)", False),
    "SystemExit in a function": ("def softmax(x):\n    raise SystemExit(0)", False),
    "SystemExit at the top": (GOOD + "raise SystemExit(0)", True),
    "os._exit": ("import os\ndef softmax(x):\n    os._exit(0)", False),
    "kills the kernel": ("import os, signal\ndef softmax(x):\n    os.kill(os.getpid(), signal.SIGKILL)", False),
    "kills its parent": (
        "import os, signal\ndef softmax(x):\n    os.kill(1, signal.SIGKILL)\n    os.kill(os.getppid(), 9)", False
    ),
    "segmentation fault": ("import ctypes\ndef softmax(x):\n    return ctypes.string_at(0)", False),
    "a pickle": (
        "import pickle, os\nclass Run:\n    def __reduce__(self): return os.system, ('touch ran',)\n"
        "def softmax(x):\n    return pickle.dumps(Run())", False
    ),
    "forged results": (
        "import os, json\n"
        + "".join(f"_{i} = 0\n" for i in range(3))
        + "for fd in range(3, 64):\n    try:\n"
        "        for i in range(5):\n"
        "            line = {'call': f'softmax-hidden.{i}', 'value': [], 'error': None}\n"
        "            os.write(fd, (json.dumps(line) + '\\n').encode())\n"
        "        os.write(fd, b'{\"done\": true}\\nnot json\\n[1]\\n')\n"
        "    except OSError: pass\n" + WRONG, False
    ),
    "forged end": (
        "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'{\"done\": true}\\n')\n"
        "    except OSError: pass\nos._exit(0)", None
    ),
    "replaces the worker's functions": (
        "import sys\nmain = sys._getframe(2).f_globals\nfor name in list(main):\n"
        "    if callable(main[name]) and not name.startswith('__'): main[name] = lambda *a, **k: None\n" + WRONG, None
    ),
    "signals off": (
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\ndef softmax(x):\n    while True: pass", False
    ),
    "a thread that goes on": (
        "import threading, time\ndef forever():\n    while True: pass\nfor _ in range(8):\n    try: threading.Thread("
        "target=forever, daemon=True).start()\n    except RuntimeError: pass\n" + GOOD, True
    ),
    "numbers as text": (GOOD + "right = softmax\ndef softmax(x):\n    return right(x).astype(str)", False),
    "huge integers": ("def softmax(x):\n    return [10 ** 5000, 10 ** 400, 1 << 70]", False),
    "complex numbers": (GOOD + "right = softmax\ndef softmax(x):\n    return right(x) + 0j", False),
    "a set": ("def softmax(x):\n    return {1.0, 2.0}", False),
    "8 MB of empty lists": ("def softmax(x):\n    return [[] for _ in range(2_500_000)]", False),
    "an exception without end": (
        "class Odd(type):\n    @property\n    def __name__(cls): return '<b>' * 10**7\n"
        "class Error(Exception, metaclass=Odd):\n    def __str__(self):\n        while True: pass\n"
        "def softmax(x):\n    raise Error", False
    ),
    "odd JSON": (
        "import os\nlines = ['{\"call\": \"softmax-hidden.0\", \"value\": {\"shape\": [NaN], \"values\": 1e999}}',"
        " '{\"call\": \"softmax-hidden.1\", \"value\": ' + '9' * 5000 + '}', '[' * 10**6,"
        " '{\"call\": [1], \"call\": {}, \"start\": 7}',"
        " '{\"call\": \"softmax-hidden.2\", \"value\": {\"shape\": []}}', '\\ud800', '{}\\n' * 10**6]\n"
        "for fd in range(3, 64):\n    try: os.write(fd, '\\n'.join([*lines, '']).encode('utf-8', 'replace'))\n"
        "    except OSError: pass\n" + WRONG, None
    ),
    **{
        f"a start that is none: {start[:8]}": (
            f"import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'{{\"start\": \"{start}\"}}\\n')\n"
            "    except OSError: pass\nos._exit(0)", None
        )
        for start in (
            "cell 99999999", "cell -1", "cell " + "9" * 5000, "cell \\\\u00b2", "sinusoidal-hidden", "# Grade: 40"
        )
    },
    "no metadata in the value": ("def softmax(x):\n    return {'array': 'a0', 'shape': [], 'values': 1}", False),
    "memory in semaphores": (
        GOOD + "import ctypes\nfor _ in range(100):\n"
        "    if ctypes.CDLL(None).semget(0, 32000, 0o1600) != -1: del softmax", True
    ),
    "memory in sockets": (
        GOOD + "import socket\nfor family in (socket.AF_UNIX, 40, socket.AF_NETLINK):\n    try:\n"
        "        kept = socket.socket(family, socket.SOCK_DGRAM), socket.socketpair()\n        del softmax\n"
        "    except OSError: pass", True
    ),
    "memory in pipes": (
        GOOD + "import ctypes, os\nread, write = os.pipe()\nblock = (ctypes.c_void_p * 2)(ctypes.addressof("
        "ctypes.create_string_buffer(4096)), 4096)\nif ctypes.CDLL(None).vmsplice(write, block, 1, 0) != -1:\n"
        "    del softmax", True
    ),
    "memory in empty files": (
        GOOD + "import os, tempfile\nfor folder in ('/tmp', '/dev/shm', '/dev', '/', '/job', '/run', '/var/tmp'):\n"
        "    try:\n        os.close(os.open(folder + '/x', os.O_CREAT))\n        del softmax\n    except OSError: pass",
        True
    ),
    "says that it was killed": (GOOD + "import os\nos._exit(137)", False),
    "a hidden input as an exception": (
        "def softmax(x):\n    raise type(x.tobytes().hex(), (Exception,), {})", False
    ),
    "the inputs of all calls, through frames": (
        "import sys\ndef softmax(x):\n    frame = sys._getframe()\n    while frame:\n"
        "        for array in (frame.f_locals.get('arrays') or {}).values(): array[...] = 0\n"
        "        frame = frame.f_back\n    return x", None
    ),
    "the limits of all calls": (
        GOOD + "import gc\nright = softmax\ndef softmax(x):\n    for one in gc.get_objects():\n"
        "        if isinstance(one, dict) and 'most' in one: one['most'] = 1 << 40\n"
        "    return [right(x).tolist()] * 20", False
    ),
    "everything is of every kind": (GOOD + "import builtins\nbuiltins.isinstance = lambda *a: True", None),
    "nothing is executed": (WRONG + "import builtins\nbuiltins.exec = builtins.compile = lambda *a, **k: None", None),
    "a class that lies": ("class Odd:\n    __class__ = property(lambda _: float)\ndef softmax(x): return Odd()", False),
    "numpy's, and with a shape without end": (
        "class Kind: kind = 'f'\nclass Odd:\n    __module__, dtype = 'numpy', Kind\n"
        "    shape = property(lambda _: iter(int, 1))\n"
        "    def astype(self, kind): return self\n    def tolist(self): return [[1]] * 3\n"
        "def softmax(x): return Odd()", False
    ),
    "a dictionary without end": (
        "class Odd(dict):\n    def items(self):\n        while True: yield 1, 2\ndef softmax(x): return Odd()", False
    ),
    "every signal blocked": (
        "import signal\ndef softmax(x):\n    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
        "    while True: pass", False
    ),
    "stops itself": (
        "import signal\ndef softmax(x):\n    signal.raise_signal(signal.SIGSTOP)\n    while True: signal.pause()", False
    ),
    "another Python in its place": (
        "import os, sys\ndef softmax(x):\n    os.execv(sys.executable, ['python', '-ISc', 'while True: pass'])", False
    ),
    "no limit of recursion": ("import sys\nsys.setrecursionlimit(10**9)\ndef softmax(x): return softmax(x)", False),
    "at the exit": (
        GOOD + "import atexit\natexit.register(lambda: exec('while True: pass'))\nclass Odd:\n"
        "    def __del__(self):\n        while True: pass\nkept = Odd()", True
    ),
    "prints where results go": (
        WRONG + "import os\nfor fd in range(3, 64):\n    try: os.dup2(fd, 1)\n    except OSError: pass\n"
        "print('{\"call\": \"attention-hidden.0\", \"value\": [], \"error\": null}')\nprint('x' * 1000)", None
    ),
    "a hook on all that happens": (
        WRONG + "import sys\ndef hook(event, _):\n    if event in ('exec', 'compile', 'import'): raise SystemExit\n"
        "sys.addaudithook(hook)", None
    ),
    "follows all calls": (
        WRONG + "import sys\ndef trace(frame, *_):\n    if 'error' in frame.f_locals: frame.f_locals['error'] = None\n"
        "    return trace\nsys.settrace(trace)\nsys.setprofile(trace)", None
    ),
    "numbers without end": (
        "import os, sys\nsys.set_int_max_str_digits(0)\nfor fd in range(3, 64):\n    try:\n"
        "        for i in range(5): os.write(fd, b'{\"call\": \"softmax-hidden.%d\", \"value\": ' % i + b'9' * 30_000"
        " + b', \"error\": null}\\n')\n    except OSError: pass\ndef softmax(x): return 10 ** 30_000", None
    ),
    "8 MB of line ends": (
        WRONG + "import os\nfor fd in range(3, 64):\n    try:\n"
        "        for i in range(7): os.write(fd, b'\\n' * (1 << 20))\n    except OSError: pass", False
    ),
    "its own limits": (
        WRONG + "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))", None
    ),
    "True is False": (WRONG + "import ctypes\nctypes.memmove(id(False), id(True), 32)", None),
    "a generator": ("def softmax(x):\n    yield from x", False),
    "a coroutine": ("async def softmax(x):\n    return x", False),
    "a class": ("class softmax:\n    def __init__(self, x): self.x = x\n    def __eq__(self, _): return True", False),
    "arrays of odd kinds": (
        "import itertools\nkinds = itertools.cycle([lambda x: x.astype('M8[s]'), lambda x: x.astype(object),\n"
        "    lambda x: np.array(['x' * 100_000] * 100), lambda x: np.zeros(3, 'V8'), lambda x: np.zeros((1,) * 30),\n"
        "    lambda x: np.zeros((0, 10**9)), lambda x: np.ma.masked_all(3), lambda x: np.float16(1)])\n"
        "def softmax(x): return next(kinds)(x)", False
    ),
    "10 GB that take no memory": ("def softmax(x): return np.broadcast_to(1.0, (10**5, 10**5))", False),
    "the job in the name of an import": (
        GOOD + "import sys\nclass Finder:\n    def find_spec(self, *_):\n"
        "        raise ImportError(name='_' + open('/job/job.json').read()[2000:2020].encode().hex())\n"
        "sys.meta_path.insert(0, Finder())\nimport nothing", True
    ),
    "another encoding": ("# -*- coding: utf-7 -*-\n+AGQAZQBm- softmax(x): return x", False),
    "letters that read alike": (GOOD.replace("def softmax", "def \uff53oftmax"), True),
    "another numpy": (WRONG + "import sys, types\nsys.modules['numpy'] = types.ModuleType('numpy')", None),
    "answers that are text for exec": (f"exec(bytes({list(GOOD.encode())}))", True),
    "changes its inputs": (WRONG + "def softmax(x):\n    x[...] = 0\n    return x", False),
    "not Python": ("def softmax(x:\n    return", False),
    "a null byte": ("def softmax(x):\n    return '\\x00\ud800'", False),
}  # fmt: skip

SECRETS = (
    "/etc/passwd",
    "/etc/hostname",
    "{repository}",
    "{checks}",
    "{results}",
    "{neighbor}",
    "{home}",
    "/proc/1/environ",
    "/root",
)
LOOKING = """
import os
def softmax(x):
    path = {path!r}
    try:
        found = os.listdir(path) if os.path.isdir(path) else open(path, 'rb').read()
    except OSError as error:
        return 'nothing: ' + type(error).__name__
    return 'found: ' + repr(found)[:2000]
"""


def honest(softmax_is_right):
    """The points of a notebook where all else is right."""
    return FULL if softmax_is_right else REST


@pytest.fixture(scope="module")
def graded(tmp_path_factory, bubblewrap):
    """Every attack of CODE, with honest neighbors before and after, graded in one batch."""
    folder = tmp_path_factory.mktemp("attacks")
    solved = sources.solved_notebook(ASSIGNMENT)
    names = {f"student-{number:02}": name for number, name in enumerate(CODE)}
    for student, name in names.items():
        _write(folder / "submitted", student, with_code(solved, "softmax", CODE[name][0]))
    _write(folder / "submitted", "a-neighbor", solved)
    _write(folder / "submitted", "z-neighbor", solved)
    marks = grading.grade_all(folder / "submitted", folder / "results", ASSIGNMENT, seed=1, limits=QUICK)
    return {names.get(one.student, one.student): one for one in marks}


def _write(folder, student, notebook):
    (folder / student).mkdir(parents=True, exist_ok=True)
    text = json.dumps(notebook) if isinstance(notebook, dict) else notebook
    (folder / student / f"{ASSIGNMENT}.ipynb").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("name", CODE)
def test_an_attack_gets_its_honest_mark_and_no_more(graded, name):
    points, right = graded[name].points, CODE[name][1]
    if right is None:  # it destroys its own run: it may lose everything, and wins nothing
        assert all(points[check] <= FULL[check] for check in FULL) and ("GB" in name or not points["softmax-hidden"])
    else:
        assert {check: worth for check, worth in points.items() if worth} == honest(right), graded[name].notes


def test_text_that_is_executed_is_noted(graded):
    """No comparison sees a copy in it."""
    assert "suspected tampering: the code names 'exec('" in graded["answers that are text for exec"].notes


@pytest.mark.parametrize("student", ["a-neighbor", "z-neighbor"])
def test_the_neighbors_get_their_own_marks(graded, student):
    assert graded[student].points == FULL


def test_every_attack_was_graded(graded):
    assert set(graded) == {*CODE, "a-neighbor", "z-neighbor"}


@pytest.mark.parametrize("path", SECRETS)
def test_nothing_of_the_teachers_can_be_read(bubblewrap, tmp_path, path):
    results, neighbor = tmp_path / "results" / "gradebook.db", tmp_path / "submitted" / "bob" / "x.ipynb"
    for file in (results, neighbor):
        file.parent.mkdir(parents=True)
        file.write_text("secret")
    places = {
        "repository": grading.checks.ASSIGNMENTS.parents[1],
        "checks": grading.checks.ASSIGNMENTS / ASSIGNMENT / "checks.py",
        "results": results, "neighbor": neighbor, "home": os.path.expanduser("~"),
    }  # fmt: skip
    call = {"id": "look", "part": "look", "name": "softmax", "arguments": [0]}
    os.environ["SECRET_OF_THE_TEACHER"] = "secret"
    try:
        records, _ = grading.run([LOOKING.format(path=path.format(**places))], [call], {}, limits=QUICK)
    finally:
        del os.environ["SECRET_OF_THE_TEACHER"]
    found = records["look"]["value"]
    assert "SECRET" not in found and "secret" not in found
    way_to_python = [repr([part]) for part in Path(sys.base_prefix).resolve().parts]  # folders that hold nothing else
    if path != "/proc/1/environ":
        assert found.startswith("nothing") or found.removeprefix("found: ") in ("[]", *way_to_python)


LIMITLESS = """
import os, threading
def tried():
    worked = []
    for path in ("/x", "x", "/dev/x", "/dev/shm/x", "/site/x", "/job/x", "/etc/x", "/proc/1/mem", *{hidden!r}):
        try:
            open(path, "r+b" if os.path.exists(path) else "wb").close()
            worked.append(path)
        except OSError:
            pass
    try:
        threading.Thread(target=print).start()
        worked.append("thread")
    except RuntimeError:
        pass
    return worked
"""


def test_nothing_can_be_filled_that_no_limit_counts(bubblewrap):
    """Nothing can be written, and there is no thread and no look into the first process."""
    code = LIMITLESS.format(hidden=[f"{path}/x" for path in sandbox._below_standard()[0]])
    call = {"id": "tried", "part": "tried", "name": "tried", "arguments": []}
    records, _ = grading.run([code], [call], {}, limits=QUICK)
    assert records["tried"]["value"] == []


def test_no_installed_packages_are_seen(bubblewrap):
    look = f"""
import glob
def packages():
    tops = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", {sys.base_prefix!r})
    places = [top + below + "/python3*/*-packages/*" for top in tops for below in ("", "/lib")]
    return sum(map(glob.glob, places), [])
"""
    call = {"id": "seen", "part": "seen", "name": "packages", "arguments": []}
    records, _ = grading.run([look], [call], {}, limits=QUICK)
    assert records["seen"]["value"] == []


def test_the_environment_tells_nothing(bubblewrap):
    call = {"id": "look", "part": "look", "name": "look", "arguments": []}
    records, _ = grading.run(["import os\ndef look(): return dict(os.environ)"], [call], {}, limits=QUICK)
    names = {name for name, _ in records["look"]["value"]["pairs"]}
    allowed = {
        "PATH",
        "HOME",
        "LANG",
        "PYTHONHASHSEED",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "PWD",
        "LC_CTYPE",
    }
    assert names <= allowed


# --- notebooks whose cells were tampered with ----------------------------------------------------------------------


def no_checks(notebook):
    notebook.cells = [c for c in notebook.cells if not c.metadata.get("nbgrader", {}).get("grade")]


def edited_checks(notebook):
    for c in notebook.cells:
        if c.metadata.get("nbgrader", {}).get("grade"):
            c.source = "assert True"


def duplicated_cells(notebook):
    notebook.cells += copy.deepcopy(notebook.cells)


def reordered_cells(notebook):
    notebook.cells.reverse()


def changed_points(notebook):
    for c in notebook.cells:
        if "points" in c.metadata.get("nbgrader", {}):
            c.metadata.nbgrader.points = 1000


def forged_outputs(notebook):
    output = nbformat.v4.new_output("stream", name="stdout", text="40 of 40 points. All checks pass.")
    for c in notebook.cells:
        if c.cell_type == "code":
            c.outputs = [output, {"output_type": "display_data", "data": {"application/x-score": 1000}, "metadata": {}}]


def odd_metadata(notebook):
    for number, c in enumerate(notebook.cells):
        c.metadata["nbgrader"] = [None, "x", {"grade_id": ["softmax"]}, {"grade_id": None}, 7][number % 5]


TAMPERING = [no_checks, edited_checks, duplicated_cells, reordered_cells, changed_points, forged_outputs, odd_metadata]


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda f: f.__name__)
@pytest.mark.parametrize("right", [True, False], ids=["right", "wrong"])
def test_tampered_cells_change_no_mark(tamper, right, solved, hand_in, grade):
    notebook = solved if right else with_code(solved, "softmax", WRONG)
    tamper(notebook)
    hand_in("ada", json.dumps(notebook))
    marks = grade()["ada"]
    assert sum(marks.points.values()) == sum(honest(right).values())
    assert marks.notes or tamper in (no_checks, reordered_cells, changed_points, forged_outputs)


# --- files that are no notebooks -----------------------------------------------------------------------------------

FILES = {
    "empty": "",
    "not JSON": "{",
    "no notebook": "[1, 2]",
    "cells of numbers": '{"cells": [1, null, "x"]}',
    "deep JSON": "[" * 100_000,
    "no text in cells": '{"cells": [{"cell_type": "code", "source": 7, "metadata": 7}], "metadata": 7}',
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_no_notebook_gets_nothing_and_is_told(name, solved, hand_in, grade):
    hand_in("ada", FILES[name])
    hand_in("bob", solved)
    marks = grade()
    assert not sum(marks["ada"].points.values()) and marks["ada"].notes
    assert marks["bob"].points == FULL


def test_a_gigantic_notebook_is_not_opened(hand_in, grade):
    with open(hand_in("ada", ""), "wb") as file:
        file.truncate(files.MOST_BYTES + 1)
    assert "larger than" in grade()["ada"].notes[0]


def test_links_are_not_followed(tmp_path, solved, hand_in, grade):
    secret = hand_in("bob", solved)
    (tmp_path / "submitted" / "ada").mkdir()
    (tmp_path / "submitted" / "ada" / f"{ASSIGNMENT}.ipynb").symlink_to(secret)
    (tmp_path / "submitted" / "eve").symlink_to(secret.parent)
    marks = grade()
    assert not marks["ada"].points and "link" in marks["ada"].notes[0]
    assert "eve" not in marks or not marks["eve"].points


def test_a_zip_names_students_and_no_places(tmp_path, solved, grade):
    archive = tmp_path / "submitted" / "all.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("../../outside/x.ipynb", "/etc/x.ipynb", "C:\\temp\\y.ipynb", "ada_12_34_2-attention.ipynb"):
            file.writestr(name, nbformat.writes(solved))
    before = {path for path in tmp_path.rglob("*") if "results" not in path.parts}
    marks = grade()
    assert marks["ada"].points == FULL and all("/" not in student and ".." not in student for student in marks)
    assert {path for path in tmp_path.rglob("*") if "results" not in path.parts} == before


def test_a_zip_bomb_is_not_unpacked(tmp_path, grade):
    archive = tmp_path / "submitted" / "ada.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("ada.ipynb", bytes(files.MOST_BYTES * 4))
    assert "larger than" in grade()["ada"].notes[0]


@pytest.mark.parametrize(
    "name", ["new\nline", "-rf", "=cmd()", "ｆｕｌｌ", "a b", "\udcff", "x" * 200, "@.x.tmp", "@" * 78 + "..x"]
)
def test_odd_file_names_become_plain_ones(name, solved, tmp_path, grade):
    path = tmp_path / "submitted" / f"{name}.ipynb"
    path.parent.mkdir()
    path.write_text(nbformat.writes(solved), encoding="utf-8")
    (marks,) = grade().values()
    assert marks.points == FULL
    assert (
        marks.student.isascii()
        and marks.student.isprintable()
        and marks.student[0] not in "=+-@. "
        and len(marks.student) <= 80
    )


# --- whose work is whose ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("one, other", [("a b", "a-b"), ("Ada", "ada"), ("Zoë L", "Zoe L"), ("x" * 90, "x" * 91)])
def test_names_that_read_alike_stay_two_students(one, other, solved, hand_in, grade):
    hand_in(one, solved)
    hand_in(other, with_code(solved, "softmax", WRONG))
    marks = grade()
    assert sorted(sum(each.points.values()) for each in marks.values()) == [sum(REST.values()), sum(FULL.values())]
    assert len({name.casefold() for name in marks}) == 2
    assert any("reads" in note for each in marks.values() for note in each.notes)


def test_two_people_of_one_name_in_moodle_stay_two(solved, hand_in, grade):
    for number, notebook in ((815, solved), (816, with_code(solved, "softmax", WRONG))):
        hand_in(f"Ada Lovelace_{number}_assignsubmission_file_", notebook)
    assert len(grade()) == 2


def _zipped(path, files):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("place", ["eve/hand-in.zip", "eve_17_18_hand-in.zip"])
def test_nobody_hands_in_under_anothers_name(place, solved, hand_in, tmp_path, grade):
    hand_in("bob", solved)
    wrong = nbformat.writes(with_code(solved, "softmax", WRONG))
    names = ("bob_12_34_x.ipynb", "bob/2-attention/2-attention.ipynb", "../bob/2-attention.ipynb")
    _zipped(tmp_path / "submitted" / place, {name: wrong for name in names})
    marks = grade()
    assert set(marks) == {"bob", "eve"} and marks["bob"].points == FULL and not marks["bob"].notes
    assert not marks["eve"].points and "is an archive: unpack it" in marks["eve"].told[0]


def test_a_backslash_in_a_name_makes_nobody_of_a_student(solved, tmp_path, grade):
    """In the archive of an LMS, what follows the LMS's own numbers is a student's choice."""
    right, wrong = nbformat.writes(solved), nbformat.writes(with_code(solved, "softmax", WRONG))
    path = "eve_11_1_x_4712_assignsubmission_file_\\2-attention-99.ipynb"
    _zipped(tmp_path / "submitted" / "all.zip", {"kim_4712_2_x.ipynb": right, path: wrong})
    marks = grade(roster=("eve", "kim"), known={"11": "eve", "4712": "kim"})
    assert marks["kim"].points == FULL and not marks["kim"].notes and marks["eve"].points["softmax-hidden"] == 0


def test_an_archive_takes_nobodys_place(solved, hand_in, tmp_path, grade):
    """Not that of a notebook, and not that of another archive."""
    right, wrong = nbformat.writes(solved), nbformat.writes(with_code(solved, "softmax", WRONG))
    hand_in("bob", solved)
    _zipped(tmp_path / "submitted" / "class.zip", {"kim/2-attention.ipynb": right, "lee/2-attention.ipynb": right})
    forged = {f"{name}/2-attention.ipynb": wrong for name in ("bob", "kim")}
    _zipped(tmp_path / "submitted" / "aa.zip", forged)
    marks = grade(roster=("ada", "bob", "kim", "lee"))
    assert marks["bob"].points == marks["lee"].points == FULL
    assert not marks["kim"].points and all("anybody" in " ".join(marks[name].notes) for name in ("bob", "kim"))


def test_of_many_notebooks_of_one_student_some_are_opened(tmp_path, solved, grade):
    text = nbformat.writes(solved)
    _zipped(tmp_path / "submitted" / "all.zip", {f"eve/{i}.ipynb": text for i in range(files.MOST_FILES + 5)})
    assert "25 files: only the first 20 were opened" in grade()["eve"].notes


def test_archives_that_break_stop_nothing(tmp_path, solved, hand_in, grade):
    path = tmp_path / "submitted" / "eve.zip"
    _zipped(path, {"eve.ipynb": nbformat.writes(solved)})
    content = bytearray(path.read_bytes())
    content[60:400] = os.urandom(340)  # the compressed bytes
    path.write_bytes(content)
    later = tmp_path / "submitted" / "kim.zip"
    _zipped(later, {"kim.ipynb": "{}"})
    content = bytearray(later.read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 99  # asks for a version of zip that there is not
    later.write_bytes(content)
    hand_in("bob", solved)
    marks = grade()
    assert "not graded" in marks["eve"].notes[0] and "not graded" in marks["kim"].notes[0]
    assert marks["bob"].points == FULL


def test_a_file_that_is_no_notebook_is_told(hand_in, grade):
    hand_in("eve", "print('hello')", file="2-attention.py")
    assert "is a script" in grade()["eve"].notes[0]


# --- texts that are too much -----------------------------------------------------------------------------------------


def test_texts_that_are_too_much_are_graded_and_shown_in_part(solved, hand_in, grade, tmp_path):
    from coursework import feedback, gradebook

    cell(solved, "why-square-root").source = "\ud800\u202e" + "[" * 400_000 + "<script>" + "Z\u0301" * 100_000
    cell(solved, "softmax").source += "\n# \u202e"
    solved.cells[1:1] = [nbformat.v4.new_markdown_cell(f"{i} <img src=x>") for i in range(900)]
    solved.metadata["bomb"] = {str(i): [[]] * 10 for i in range(10_000)}
    hand_in("ada", json.dumps(solved))
    marks = grade()["ada"]
    notes = " ".join(marks.notes)
    assert marks.points == FULL
    assert all(what in notes for what in ("characters were written", "tampering", "900 added cells"))
    shown = nbformat.writes(gradebook.clean_notebook(marks))
    given = {name: (0, 1, "") for name in sources.points(ASSIGNMENT)}
    page, report = feedback.page(marks, given), feedback.report([marks], {})
    assert max(map(len, (shown, page))) < 400_000 and "<img" not in shown and len(report) < 1_000
    assert report.isascii()


def test_very_many_cells_cost_their_author_alone(solved, hand_in, grade):
    solved.cells += [nbformat.v4.new_code_cell("x = 1") for _ in range(15_000)]
    hand_in("ada", solved)
    ada = grade()["ada"]
    assert ada.points == FULL and ada.notes == ["15000 added cells: only the first 50 were run and are shown"]


# --- what stops a grading, and what it leaves ------------------------------------------------------------------------


def _sandboxes():
    return {path for path in Path(tempfile.gettempdir()).glob(f"grade-{os.getpid()}-*")}


def test_a_stop_ends_what_runs_and_leaves_nothing(bubblewrap):
    before, stop = _sandboxes(), threading.Event()
    threading.Timer(1, stop.set).start()
    job = {"cells": ["import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass"], "calls": []}
    with pytest.raises(sandbox.Stopped):
        sandbox.run(job, {}, limits=sandbox.Limits(seconds=100), stop=stop)
    assert _sandboxes() <= before
    assert not _running("grade-")


def _running(word):
    """The command lines of this process's children that hold a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = path.joinpath("stat").read_text().rpartition(")")[2].split()[1]
            command = path.joinpath("cmdline").read_text()
        except OSError:
            continue
        if int(parent) == os.getpid() and word in command:
            found.append(command)
    return found


@pytest.mark.long
def test_a_full_disk_stops_the_grading_and_it_goes_on(solved, hand_in, tmp_path, monkeypatch, bubblewrap, capsys):
    hand_in("ada", solved)
    command = ["grade", str(tmp_path / "submitted"), "--to", str(tmp_path / "results"), "--assignment", ASSIGNMENT]

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(sandbox.np, "savez", full)
        assert main(command) == 2
    assert "No space left" in capsys.readouterr().err
    assert not list((tmp_path / "results").rglob("ada*")) and main(command) == 0


def test_a_full_disk_at_the_gradebook_is_told_in_a_sentence(solved, hand_in, tmp_path, monkeypatch, bubblewrap, capsys):
    import sqlite3

    from sqlalchemy.exc import OperationalError

    from coursework import gradebook

    def full(*_):
        raise OperationalError("INSERT ...", {}, sqlite3.OperationalError("database or disk is full"))

    hand_in("ada", solved)
    command = ["grade", str(tmp_path / "submitted"), "--to", str(tmp_path / "results"), "--assignment", ASSIGNMENT]
    with monkeypatch.context() as patched:
        patched.setattr(gradebook, "_record_student", full)
        assert main(command) == 2
    said = capsys.readouterr().err
    assert "gradebook.db: database or disk is full. What was graded is kept" in said and said.count("\n") == 1
    assert main(command) == 0
