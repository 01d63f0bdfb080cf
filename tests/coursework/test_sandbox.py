"""The sandbox itself: what is in it, what it lets code do, how a run ends, and how much memory it has."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from coursework import memory, sandbox, seccomp, sources
from tests.coursework.conftest import ASSIGNMENT, SMALL, below, blocks, value

CODE = blocks("sandboxed.txt")

WRITABLE = ["/x", "x", "/dev/x", "/dev/shm/x", "/site/x", "/job/x", "/job/job.pickle", "/job/worker.py", "/proc/1/mem"]
SECRETS = {
    "passwords": "/etc/passwd", "host name": "/etc/hostname", "another process": "/proc/1/environ", "root": "/root",
    "home": os.path.expanduser("~"), "repository": str(sources.ASSIGNMENTS.parents[1]),
    "checks": str(sources.ASSIGNMENTS / ASSIGNMENT / "checks.py"),
    "results": "{folder}/results/words-2-attention.csv", "neighbor": "{folder}/submitted/bob/x.ipynb",
}  # fmt: skip


@pytest.fixture(scope="module")
def looked(bubbled, tmp_path_factory):
    """What code in the sandbox sees: its files, what stands at each of SECRETS, variables, and what it may write."""
    folder = tmp_path_factory.mktemp("secret")
    places = {name: path.format(folder=folder) for name, path in SECRETS.items()}
    for name in ("results", "neighbor"):
        Path(places[name]).parent.mkdir(parents=True)
        Path(places[name]).write_text("secret")
    hidden = [f"{path}/x" for path in sandbox.HIDDEN]
    calls = [("files",), ("look", [*places.values()]), ("environment",), ("written", WRITABLE + hidden)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET_OF_THE_TEACHER", "secret")
        outcome = bubbled(CODE["look"], calls=[*calls, ("open_files",)])
    seen = dict(value(outcome, "look.1")["pairs"])
    return {
        "files": value(outcome, "files.0"),
        **{name: seen[path] for name, path in places.items()},
        "environment": dict(value(outcome, "environment.2")["pairs"]),
        "written": value(outcome, "written.3"),
        "open files": value(outcome, "open_files.4"),
    }


def test_only_python_numpy_and_the_job_are_there(looked):
    """So no other package can be imported, however deep it lies, and nothing of the teacher's can be read."""
    known = (str(sandbox.STANDARD), "/site/numpy/", "/site/numpy.libs/", "/job/", "/dev/")
    files = {path for path in looked["files"] if not path.startswith(known)}
    assert files <= {*sandbox._libraries(), sandbox.PYTHON}
    assert not [path for path in looked["files"] if "-packages/" in path or "/ensurepip/" in path]


def test_code_reads_and_writes_nothing_of_the_teachers(looked):
    """It writes nothing in a place that no limit counts, and nothing into the first process."""
    way_to_python = [[part] for part in Path(sys.base_prefix).resolve().parts]  # folders that hold nothing else
    assert not [name for name in SECRETS if looked[name] not in (None, [], *way_to_python)]
    assert looked["environment"].keys() <= {*sandbox.ENVIRONMENT, "PWD", "LC_CTYPE"}
    assert looked["written"] == [] and looked["open files"] == []


def test_no_other_system_call_exists(bubbled):
    """Sockets of all families, semaphores, vmsplice, timers, keys, namespaces, mounts, and what will be invented."""
    allowed = set(seccomp.calls(0 if os.uname().machine == "x86_64" else 1).values())
    code = CODE["all system calls"].replace("ALLOWED", repr(allowed))
    assert value(bubbled(code, calls=[("there",)]), "there.0") == []


@pytest.mark.parametrize("column, path", [(0, "x86_64-linux-gnu/asm/unistd_64.h"), (1, "asm-generic/unistd.h")])
def test_numbers_of_calls_are_the_kernels(column, path):
    path = Path("/usr/include", path)
    if not path.exists():
        pytest.skip(f"no {path}")
    numbers = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", path.read_text()))
    numbers |= {"newfstatat": numbers.get("newfstatat", numbers.get("fstatat"))}
    ours = seccomp.calls(column)
    assert ours == {name: int(numbers[name]) for name in ours}


def test_partly_allowed_calls_and_ordinary_code_work(bubbled):
    assert value(bubbled(CODE["calls that are there in part"], calls=[("tried",)]), "tried.0") == ["memory of its own"]
    assert value(bubbled(CODE["ordinary"], calls=[("works",)]), "works.0") is True


ENDS = [name for name in CODE if ": " in name]


@pytest.mark.parametrize("what", ENDS)
def test_who_ends_its_own_run_was_not_killed(what, bubbled):
    """Code that evades its interruption is ended after a quarter of the time."""
    outcome = bubbled("x = 1", CODE[what], limits=sandbox.Limits(seconds=6, memory=300 << 20))
    assert (outcome.ended, outcome.last, outcome.cells[0]["error"]) == (what.partition(":")[0], "cell 1", None)


def inside(process):
    """The processes of the sandbox that a process runs, the code in it last, once that has begun."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with contextlib.suppress(OSError):  # one of them has just ended
            commands = {child: Path(f"/proc/{child}/cmdline").read_text() for child in below(process)}
            found = [child for child, command in commands.items() if "worker.py" in command]
            if found and commands[found[-1]].startswith(sandbox.PYTHON):
                return found
        time.sleep(0.05)
    raise AssertionError("no sandbox began")


@pytest.mark.parametrize("which", [0, -1], ids=["the sandbox", "the code in it"])
def test_what_is_killed_from_outside_is_told_so(bubbled, which):
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(bubbled("import time\ntime.sleep(30)")))
    thread.start()
    os.kill(inside(os.getpid())[which], signal.SIGKILL)
    thread.join()
    assert outcomes[0].ended == "killed"


def test_a_sandbox_that_never_began_was_killed(bubbled, monkeypatch):
    monkeypatch.setattr(sandbox, "PYTHON", "/bin/false")
    assert bubbled("x = 1").ended == "killed"


def test_a_killed_grader_leaves_no_file_and_no_process(bubblewrap, tmp_path):
    code = "from coursework import sandbox\nsandbox.run({'cells': ['import time\\ntime.sleep(60)'], 'calls': []})"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(sandbox.__file__).parents[1])}
    with subprocess.Popen([sys.executable, "-c", code], env=environment) as process:
        left = inside(process.pid)
        process.kill()
    until = time.monotonic() + 30
    while any(Path(f"/proc/{one}").exists() for one in left) and time.monotonic() < until:
        time.sleep(0.01)
    assert time.monotonic() < until and not list(tmp_path.iterdir())


@pytest.fixture
def cgroup(bubblewrap):
    if memory.place() is None:
        pytest.skip("this machine gives no memory cgroup")
    yield
    assert not [path for path in memory.place().glob(f"grade-{os.getpid()}-*") if path.is_dir()]


def test_too_large_an_array_is_an_exception(bubbled):
    outcome = bubbled("x = bytearray(400 << 20)", "y = 1")
    assert (outcome.ended, outcome.cells[0]["error"]["type"]) == ("done", "MemoryError")
    assert outcome.cells[1]["error"] is None


def test_the_group_bounds_all_memory_together(cgroup, bubbled, monkeypatch):
    """Here less than the address space, so that the group is what stops it."""
    assert bubbled("x = bytearray(150 << 20)").ended == "done"
    usual = memory.group
    monkeypatch.setattr(memory, "group", lambda limit: usual(100 << 20))
    outcome = bubbled("x = 1", "x = bytearray(150 << 20)")
    assert (outcome.ended, outcome.last) == ("memory", "cell 1")


@pytest.mark.parametrize("limit, broke", [(300 << 20, False), (30 << 20, True)])
def test_the_group_counts_what_the_kernel_keeps(cgroup, limit, broke):
    """Pipes: memory that no limit of address space sees. Outside of the sandbox, whose filter lets none grow."""
    with memory.group(limit) as group:
        subprocess.run([*group.enter, sys.executable, "-I", "-c", CODE["pipes"]], capture_output=True)
        assert group.broke() is broke


def test_a_group_of_the_second_version(tmp_path, monkeypatch):
    """In folders that look like cgroup v2, where this machine has none with a memory controller."""
    make = Path.mkdir

    def like_the_kernel(path, *how, **more):
        make(path, *how, **more)
        for name in ("memory.max", "memory.swap.max", "memory.oom.group"):
            (path / name).write_text("")

    monkeypatch.setattr(Path, "mkdir", like_the_kernel)
    group = memory.Group(tmp_path / "run", 1 << 20)
    bounds = [(group.path / name).read_text() for name in ("memory.max", "memory.swap.max", "memory.oom.group")]
    assert bounds == [str(1 << 20), "0", "1"]
    for events, broke in (("oom 0\noom_kill 0", False), ("oom 0\noom_kill 1", False), ("oom 3\noom_kill 1", True)):
        (group.path / "memory.events").write_text(f"low 0\nmax 7\n{events}\n")
        assert group.broke() is broke  # the second: killed because the whole machine had no memory left


def test_it_works_without_a_memory_cgroup(bubbled, monkeypatch):
    monkeypatch.setattr(memory, "place", lambda: None)
    assert bubbled("x = 1").ended == "done" and "no memory cgroup" in sandbox.bound(SMALL)
