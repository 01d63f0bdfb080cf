"""The sandbox itself: what is in it, what it lets code do, how much memory, and what is made of what comes out."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from coursework import memory, said, sandbox, seccomp, worker

SMALL = sandbox.Limits(memory=300 << 20)


@pytest.fixture
def bubbled(bubblewrap):
    """run(cell, ...): the outcome of cells in bubblewrap; calls and arrays by name."""
    return lambda *cells, **how: _run("bubblewrap", *cells, **how)


@pytest.fixture(params=sandbox.KINDS)
def run(request):
    """run(cell, ...) in each kind of sandbox that this machine has."""
    kind = request.param
    if kind == "bubblewrap":
        request.getfixturevalue("bubblewrap")
    elif shutil.which(kind) is None:
        pytest.skip(f"{kind} is not on this machine")
    else:
        image = subprocess.run([kind, "image", "inspect", sandbox.IMAGE], capture_output=True, text=True)
        if image.returncode:
            pytest.skip(f"no image {sandbox.IMAGE}: {image.stderr.strip()[-200:]}")
        try:
            sandbox.ready(kind)
        except sandbox.NoSandbox as error:
            pytest.skip(str(error))
    return lambda *cells, **how: _run(kind, *cells, **how)


def _run(kind, *cells, calls=(), arrays=None, limits=SMALL):
    calls = [
        {"part": "part", "arguments": None, "id": f"{call.get('name')}.{i}", **call} for i, call in enumerate(calls)
    ]
    return sandbox.run({"cells": list(cells), "calls": calls}, arrays or {}, kind=kind, limits=limits)


def _value(outcome, id):
    assert outcome.calls[id]["error"] is None, outcome
    return outcome.calls[id]["value"]


# --- what is in it ---------------------------------------------------------------------------------------------------

ALL_FILES = """
import os
def files():
    return [os.path.join(folder, name) for folder, _, names in os.walk("/") for name in names]
"""


def test_nothing_but_python_numpy_and_the_job_is_in_there(bubbled):
    """So no other package can be imported, however deep it lies, and nothing of the teacher's can be read."""
    outcome = bubbled(ALL_FILES, calls=[{"name": "files", "arguments": [], "most": 4 << 20}])
    known = (*sandbox._standard(), "/site/numpy/", "/site/numpy.libs/", "/job/", "/dev/")
    files = {path for path in _value(outcome, "files.0") if not path.startswith(known)}
    assert files <= {*sandbox._libraries(), sandbox._python()}
    assert not [path for path in _value(outcome, "files.0") if "-packages/" in path or "/ensurepip/" in path]


# --- what code may do ------------------------------------------------------------------------------------------------

ALL_CALLS = """
import ctypes
def there():
    # Left out are those that are allowed, also in part, and two of the kernel's own tracing: it asks no filter then,
    # and ends who calls them.
    call = ctypes.CDLL(None, use_errno=True).syscall
    found = []
    for number in range(1024):
        if number not in {allowed!r} | {{335, 336}}:
            ctypes.set_errno(0)
            if call(number, 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 38: found.append(number)
    return found
"""


def _numbers():
    text = ",".join([seccomp.ALLOWED, *seccomp.ONLY, seccomp.MAP, seccomp.READ_LIMIT, *seccomp.END])
    return set(seccomp._calls(text, 0 if os.uname().machine == "x86_64" else 1).values())


def test_a_system_call_that_is_not_in_the_list_does_not_exist(run):
    """Sockets of all families, semaphores, vmsplice, timers, keys, namespaces, mounts, and what will be invented."""
    outcome = run(ALL_CALLS.format(allowed=_numbers()), calls=[{"name": "there", "arguments": []}])
    assert _value(outcome, "there.0") == []


def test_the_numbers_of_the_list_are_those_of_the_kernel():
    for column, path in enumerate(
        ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm-generic/unistd.h")
    ):
        if not os.path.exists(path):
            pytest.skip(f"no {path}")
        numbers = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(path).read_text()))
        numbers |= {"newfstatat": numbers.get("newfstatat", numbers.get("fstatat"))}
        listed = ",".join([seccomp.ALLOWED, *seccomp.ONLY, seccomp.MAP, seccomp.READ_LIMIT, *seccomp.END])
        ours = seccomp._calls(listed, column)
        assert ours == {name: int(numbers[name]) for name in ours}


PARTLY = """
import fcntl, mmap, os, resource, signal
def tried():
    read, write = os.pipe()
    tries = {
        "a larger pipe": lambda: fcntl.fcntl(write, 1031, 1 << 20),
        "an owner of signals": lambda: fcntl.fcntl(read, fcntl.F_SETOWN, os.getpid()),
        "a signal of files": lambda: fcntl.fcntl(read, 10, signal.SIGKILL),
        "a lease": lambda: fcntl.fcntl(os.open("/job/job.json", 0), fcntl.F_SETLEASE, fcntl.F_RDLCK),
        "signals of a file": lambda: fcntl.ioctl(read, 0x5452, 1),
        "a signal": lambda: os.kill(os.getpid(), signal.SIGTERM),
        "a higher limit": lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40)),
        "more files": lambda: [os.pipe() for _ in range(200)],
        "shared memory": lambda: mmap.mmap(-1, 4096),
        "a shared file": lambda: mmap.mmap(os.open("/job/job.json", 0), 0, access=mmap.ACCESS_READ),
        "a thread": lambda: __import__("threading").Thread(target=print).start(),
        "a process": os.fork,
        "a file": lambda: open("x", "w"),
        "a folder": lambda: os.mkdir("x"),
        "a link": lambda: os.symlink("/job", "x"),
        "a pipe with a name": lambda: os.mkfifo("x"),
        "a file in memory": lambda: os.memfd_create("x"),
    }
    worked = []
    for name, action in tries.items():
        try:
            action()
            worked.append(name)
        except (OSError, RuntimeError, ValueError):
            pass
    return worked
"""


def test_calls_that_are_there_in_part_do_only_that(run):
    assert _value(run(PARTLY, calls=[{"name": "tried", "arguments": []}]), "tried.0") == []


def test_memory_of_its_own_may_be_mapped(run):
    code = (
        "import mmap\ndef mapped():\n    return len(mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))"
    )
    assert _value(run(code, calls=[{"name": "mapped", "arguments": []}]), "mapped.0") == 4096


ENDS = {
    "exit with the code of a kill": "import os; os._exit(137)",
    "the same and more": "import os; os._exit(137 + 256)",
    "a quiet exit": "import os; os._exit(0)",
    "abort": "import os; os.abort()",
    "a fault": "import ctypes; ctypes.string_at(0)",
    "another program": f"import os; os.execv({sandbox._python()!r}, ['python', '-c', ''])",
    "no way to tell": "import os\nfor i in range(3, 99):\n    try: os.close(i)\n    except OSError: pass",
}


@pytest.mark.parametrize("name", ENDS)
def test_who_ends_its_own_run_crashed_and_was_not_killed(name, bubbled):
    outcome = bubbled("x = 1", ENDS[name])
    assert (outcome.ended, outcome.last, outcome.cells[0]["error"]) == ("crashed", "cell 1", None)


ORDINARY = """
import asyncio, bisect, collections, copy, csv, ctypes, dataclasses, datetime, decimal, enum, fractions, functools
import hashlib, heapq, inspect, io, itertools, json, logging, math, operator, os, random, re, sqlite3, statistics
import string, textwrap, time, typing, unicodedata, unittest, uuid, warnings, zlib
import numpy as np
rng = np.random.default_rng(0)
a = rng.normal(size=(120, 120))
def works():
    np.linalg.svd(a), np.linalg.eigh(a @ a.T), np.fft.fft(a), np.einsum("ij,jk", a, a), np.sort(a)
    time.sleep(0.01), os.cpu_count(), os.listdir("/"), uuid.uuid4(), random.random(), datetime.datetime.now()
    return sum(open("/job/job.json", "rb").read()) > 0
"""


def test_ordinary_code_works(run):
    assert _value(run(ORDINARY, calls=[{"name": "works", "arguments": []}]), "works.0") is True


# --- memory ----------------------------------------------------------------------------------------------------------


DEAF = "import os, signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"


@pytest.mark.parametrize("code", ["while True: pass", "os.closerange(0, 99)\ntime.sleep(99)"])
def test_what_evades_its_interruption_is_ended_after_a_quarter_of_the_time(code, bubblewrap):
    outcome = sandbox.run({"cells": ["y = 2", DEAF + code], "calls": []}, {}, limits=sandbox.Limits(seconds=6))
    assert (outcome.ended, outcome.last) == ("timeout", "cell 1")


def test_too_large_an_array_is_an_exception_and_the_rest_runs(run):
    outcome = run("x = bytearray(400 << 20)", "y = 1")
    assert (outcome.ended, outcome.cells[0]["error"]["type"]) == ("done", "MemoryError")
    assert outcome.cells[1]["error"] is None


@pytest.fixture
def cgroup(bubblewrap):
    if memory.place() is None:
        pytest.skip("this machine gives no memory cgroup")
    return memory.place()


def _groups(folder):
    return [path for path in folder.glob(f"grade-{os.getpid()}-*") if path.is_dir()]


def test_the_group_bounds_all_memory_together(cgroup, bubbled, monkeypatch):
    """Here less than the address space, so that the group is what stops it."""
    assert bubbled("x = bytearray(150 << 20)").ended == "done"
    usual = memory.group
    monkeypatch.setattr(memory, "group", lambda limit: usual(100 << 20))
    outcome = bubbled("x = 1", "x = bytearray(150 << 20)")
    assert (outcome.ended, outcome.last) == ("memory", "cell 1") and not _groups(cgroup)


def test_the_group_counts_what_the_kernel_keeps(cgroup):
    """Pipes: memory that no limit of address space sees. Outside of the sandbox, whose filter lets none grow."""
    code = (
        "import fcntl, os\npipes = [os.pipe() for _ in range(100)]\n"
        "for _, write in pipes:\n    fcntl.fcntl(write, 1031, 1 << 20)\n    os.write(write, bytes(1 << 20))\n"
    )
    for limit, broke in ((300 << 20, False), (30 << 20, True)):
        with memory.group(limit) as group:
            subprocess.run([*group.enter, sys.executable, "-I", "-c", code], capture_output=True)
            assert group.broke() is broke
    assert not _groups(cgroup)


def test_a_group_of_the_second_version_is_bounded_with_its_swap(tmp_path, monkeypatch):
    """In folders that look like cgroup v2, where this machine has none with a memory controller."""
    make = Path.mkdir

    def like_the_kernel(path, *how, **more):
        make(path, *how, **more)
        for name in ("memory.max", "memory.swap.max", "memory.oom.group", "cgroup.procs", "cgroup.subtree_control"):
            (path / name).write_text("")

    monkeypatch.setattr(Path, "mkdir", like_the_kernel)
    group = memory.Group(tmp_path / "run", 1 << 20)
    told = [(group.path / name).read_text() for name in ("memory.max", "memory.swap.max", "memory.oom.group")]
    assert told == [str(1 << 20), "0", "1"]
    for events, broke in (("oom 0\noom_kill 0", False), ("oom 0\noom_kill 1", False), ("oom 3\noom_kill 1", True)):
        (group.path / "memory.events").write_text(f"low 0\nmax 7\n{events}\n")
        assert group.broke() is broke  # the second: killed because the whole machine had no memory left
    own = tmp_path / "scope"
    own.mkdir()
    memory._stand_aside(own)
    assert not memory._hands_on(own)  # others are in it: left alone
    (own / "cgroup.procs").write_text(f"{os.getpid()}\n")
    memory._stand_aside(own)
    assert memory._hands_on(own) is False or (own / "grader" / "cgroup.procs").read_text() == str(os.getpid())
    assert (own / "cgroup.subtree_control").read_text() == "+memory"


def test_the_report_says_which_bound_was_in_force(bubbled, monkeypatch):
    monkeypatch.setattr(memory, "place", lambda: None)
    assert "no memory cgroup" in sandbox.bound("bubblewrap", SMALL) and "0.3 GB" in sandbox.bound("bubblewrap", SMALL)
    assert bubbled("x = 1").ended == "done"  # and without one it works as well
    monkeypatch.setattr(memory, "place", lambda: Path("there"))
    assert "by a memory cgroup" in sandbox.bound("bubblewrap", SMALL)
    assert "by podman" in sandbox.bound("podman", SMALL)


# --- how it ends, and what stays -------------------------------------------------------------------------------------


def _told(path):
    """What a file of /proc says; nothing once its process is gone."""
    try:
        return path.read_text()
    except OSError:
        return ""


def _below(process):
    """The processes below a process; none where it has just ended."""
    try:
        tasks = os.listdir(f"/proc/{process}/task")
    except OSError:
        return []
    children = [child for task in tasks for child in _told(Path(f"/proc/{process}/task/{task}/children")).split()]
    return [int(child) for child in children] + [each for child in children for each in _below(child)]


def _inside(process):
    """The processes of the sandbox that a process runs, the code in it last, once that has begun."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        commands = {child: _told(Path(f"/proc/{child}/cmdline")) for child in _below(process)}
        found = [child for child, command in commands.items() if "worker.py" in command]
        if found and commands[found[-1]].startswith(sandbox._python()):
            return found
        time.sleep(0.05)
    raise AssertionError("no sandbox began")


@pytest.mark.parametrize("which", [0, -1], ids=["the sandbox", "the code in it"])
def test_what_is_killed_from_outside_is_told_so(bubblewrap, which):
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(_run("bubblewrap", "import time\ntime.sleep(30)")))
    thread.start()
    os.kill(_inside(os.getpid())[which], signal.SIGKILL)
    thread.join()
    assert outcomes[0].ended == "killed"


def test_a_sandbox_that_never_began_was_lost(bubblewrap, monkeypatch):
    monkeypatch.setattr(sandbox, "_python", lambda: "/bin/false")
    assert _run("bubblewrap", "x = 1").ended == "killed"


def test_what_a_killed_grading_left_goes_at_the_next_start(bubblewrap, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "from coursework import sandbox\nsandbox.run({'cells': ['import time\\ntime.sleep(60)'], 'calls': []}, {})"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(sandbox.__file__).parents[1])}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as process:
        inside = _inside(process.pid)
        process.kill()
    keep = [tmp_path / f"grade-{os.getpid()}-living", tmp_path / "grade-x-other", tmp_path / "grades"]
    for path in keep:
        path.mkdir()
    groups = [*memory.place().glob(f"grade-{process.pid}-*")] if memory.place() else []
    assert len(list(tmp_path.iterdir())) == 4
    sandbox._clean("bubblewrap")
    assert sorted(tmp_path.iterdir()) == sorted(keep) and not any(path.exists() for path in groups)
    until = time.monotonic() + 30
    while any(Path(f"/proc/{one}").exists() for one in inside) and time.monotonic() < until:
        time.sleep(0.01)
    assert time.monotonic() < until


# --- what comes out is data ------------------------------------------------------------------------------------------

JOB = {
    "cells": ["a\nb\nc", "x"],
    "calls": [{"id": "f.0", "part": "f", "most": 100}, {"id": "f.1", "part": "f", "most": 20_000}],
}
NOTHING = {"type": "Exception", "cell": None, "line": None, "name": None}


def _lines(*records):
    return "\n".join(one if isinstance(one, str) else json.dumps(one) for one in records).encode("utf-8", "replace")


def test_only_what_the_job_asked_for_is_taken():
    calls, cells, last, done = said.understood(
        _lines(
            {"start": "cell 1"}, {"start": "cell 2"}, {"start": "# Grade: 40"}, {"start": 7},
            {"call": "f.0", "value": 1, "error": None}, {"call": "f.0", "value": 2, "error": None},
            {"call": "f.2", "value": 1, "error": None}, {"call": ["f.1"], "value": 1}, {"value": 1, "call": "f.1"},
            {"cell": 7, "error": None}, {"cell": True, "error": None}, {"done": 1}, "[1]", "[" * 10**5,
            "\ud800", "", "{}"
        ),
        JOB,
    )  # fmt: skip
    assert calls == {"f.0": {"value": 1, "error": None}} and cells == {} and last == "cell 1" and not done
    assert said.understood(_lines({"start": "f"}, {"done": True}), JOB)[2:] == ("f", True)


@pytest.mark.parametrize(
    "error, right",
    [
        ({"type": "NameError", "cell": 0, "line": 2, "name": "erf"}, ("NameError", 0, 2, "erf")),
        ({"type": "ImportError", "cell": 1, "line": 1, "name": "a.b"}, ("ImportError", 1, 1, "a.b")),
        ({"type": "x" * 1000, "cell": 2, "line": 1, "name": "a" * 61}, ("Exception", None, None, None)),
        ({"type": "Secret_2e6a", "cell": -1, "line": 2, "name": "= 1"}, ("Exception", None, None, None)),
        ({"type": ["NameError"], "cell": 0, "line": 99, "name": 7}, ("Exception", 0, None, None)),
        ({"type": "KeyError", "cell": True, "line": 1.0, "name": "<b>"}, ("KeyError", None, None, None)),
        ("NameError: hidden input", ("Exception", None, None, None)),
        (False, ("Exception", None, None, None)),
    ],
)
def test_an_error_is_told_in_known_words(error, right):
    calls, cells, _, _ = said.understood(
        _lines({"call": "f.1", "value": 3, "error": error}, {"cell": 0, "error": error, "missing": error}), JOB
    )
    assert calls["f.1"]["value"] is None and tuple(calls["f.1"]["error"].values()) == right
    assert tuple(cells[0]["error"].values()) == right and cells[0]["missing"] == []


def test_what_is_longer_than_it_may_be_is_not_looked_into():
    large = {"call": "f.0", "value": [[] for _ in range(2_500_000)], "error": None}
    lines = _lines(large, {"call": "f.1", "value": 5, "error": None}, "{}\n" * 500_000, {"done": True})
    tracemalloc.start()
    calls, _, _, done = said.understood(lines, JOB)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * len(lines) and done  # parsed, it is 25 times as large
    assert calls["f.0"]["error"]["type"] == "TooLarge" and calls["f.1"]["value"] == 5


FLOODS = [b"\n", b"{}\n", b": : : \n", b'{"cell": 0, "error": \n', b'{"call": "f.0", "value": \n', b'{"x\n', b"{"]


@pytest.mark.timed
@pytest.mark.parametrize("line", FLOODS)
def test_a_flood_of_lines_takes_no_time_and_hides_nothing(line):
    flood = line * ((8 << 20) // len(line))
    text = flood + b"\n" + _lines({"call": "f.1", "value": 5, "error": None}, {"done": True})
    taken = []
    for _ in range(3):  # a busy core takes longer, never less
        began = time.process_time()
        calls, _, _, done = said.understood(text, JOB)
        taken.append(time.process_time() - began)
        assert done and calls["f.1"]["value"] == 5
    assert min(taken) < 4


@pytest.mark.parametrize("digits", [400, 5_000, 30_000])
def test_a_number_beyond_all_others_is_infinite(digits):
    lines = b'{"call": "f.0", "value": [' + b"9" * digits + b', 10000000000000000000], "error": null}'
    calls, *_ = said.understood(lines, {**JOB, "calls": [{**JOB["calls"][0], "most": 1 << 20}]})
    assert calls["f.0"]["value"] == [float("inf"), 10**19]


def test_the_worker_says_itself_that_a_value_is_too_large(run):
    outcome = run("x = [0] * 1000", calls=[{"name": "x", "most": 500}, {"name": "x", "most": 5000}])
    assert outcome.calls["x.0"]["error"]["type"] == "TooLarge" and len(_value(outcome, "x.1")) == 1000
    assert outcome.said < 6000


@pytest.mark.parametrize("of", ["x".__mul__, [0].__mul__, np.zeros], ids=["text", "list", "array"])
def test_a_huge_value_is_refused_before_it_is_written_down(of):
    with pytest.raises(worker.TooLarge):
        worker.plain([of(worker.MOST + 1)])


# --- what the worker makes of cells ----------------------------------------------------------------------------------


def test_an_import_of_what_is_not_there_costs_nothing_where_nothing_needs_it(bubbled):
    cell = "import torch\nfrom scipy.special import erf\ndef f(): return 1\n\ndef g():\n    return erf(1)"
    outcome = bubbled(cell, calls=[{"name": "f", "arguments": []}, {"name": "g", "arguments": []}])
    assert outcome.cells[0]["missing"] == [{"line": 1, "module": "torch"}, {"line": 2, "module": "scipy.special"}]
    assert outcome.cells[0]["error"] is None and _value(outcome, "f.0") == 1
    assert outcome.calls["g.1"]["error"] == {"type": "NameError", "cell": 0, "line": 6, "name": "erf"}


CAUSES = {
    "x = 1\ny = = 2": ("SyntaxError", 2, None),
    "def f():\n    return 1 / 0\n\nf()": ("ZeroDivisionError", 2, None),
    "import numpy as np\nnp.linalg.inv(\n    np.zeros((2, 2)))": ("LinAlgError", 2, None),
    "class Odd(KeyError): pass\nraise Odd('hidden input')": ("KeyError", 2, None),
    "raise type('x2e6a', (Exception,), {})": ("Exception", 1, None),
    "class Meta(type):\n    __name__ = property(lambda c: 1 / 0)\nclass E(Exception, metaclass=Meta): pass\nraise E": (
        "Exception", 4, None
    ),
    "if True:\n    import torch": ("ModuleNotFoundError", 2, "torch"),
    "eval('1 +')": ("SyntaxError", 1, None),
    "while True: pass": ("TookTooLong", 1, None),
    "nothing": ("NameError", 1, "nothing"),
}  # fmt: skip


@pytest.mark.parametrize("code", CAUSES)
def test_the_cause_is_told_with_the_line_of_the_students_own_cell(code, bubbled):
    limits = sandbox.Limits(seconds=5, memory=300 << 20)
    error = bubbled("ok = 1", code, limits=limits).cells[1]["error"]
    assert (error["type"], error["cell"], error["line"], error["name"]) == (CAUSES[code][0], 1, *CAUSES[code][1:])


def test_what_only_a_notebook_understands_is_passed_over(bubbled):
    cell = (
        "%matplotlib inline\nimport numpy as np\n!pip install 'torch\ntext = '''\n%d\n!\n'''\nx = (7\n  % 4)\nnp.sum?"
    )
    outcome = bubbled(cell, "from __future__ import annotations", "def f(x: what): pass", calls=[{"name": "text, x"}])
    assert _value(outcome, "text, x.0") == ["\n%d\n!\n", 3]
    assert [cell["error"] for cell in outcome.cells.values()] == [None] * 3


def test_a_call_does_not_spoil_the_inputs_of_the_next(bubbled):
    calls = [{"name": "f", "arguments": [{"array": "a"}]}] * 2
    outcome = bubbled("def f(x):\n    x[:] = 7\n    return x.sum()", calls=calls, arrays={"a": np.zeros(2)})
    other = bubbled("def f(x):\n    x += 1\n    return x", calls=calls, arrays={"a": np.zeros(2)})
    assert outcome.calls["f.0"] == outcome.calls["f.1"] and _value(other, "f.1")["values"] == [1, 1]
