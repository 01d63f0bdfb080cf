"""The sandbox that students' code runs in: bubblewrap, on Linux.

Inside there is Python, its standard library, NumPy and one folder with the job; all of it can only be read. There is no
network, no other file, no other process, and no new process or thread. Time, memory and output are limited. What does
the work: namespaces and mounts (`_bubblewrap`), the list of system calls (seccomp.py), a bound on all memory
(memory.py), and that what comes out is only data (messages.py).
"""

import contextlib
import os
import pickle
import re
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from coursework import memory, messages, seccomp

WORKER = Path(__file__).with_name("worker.py")
START = 60  # seconds until the first cell starts; nothing of the student's runs before that
WAITS = 4  # the share of the seconds left, a quarter, that nothing may be said for
LATE = 0.5  # seconds that an interruption, or an end, may take
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
ENVIRONMENT |= {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
# The Python that runs this, outside of a virtual environment; NumPy and the libraries that came with it; the standard
# library; and the folders in it that may hold installed packages, which nobody sees.
PYTHON = str(Path(sys._base_executable).resolve())
NUMPY = [path for path in map(Path(np.__file__).parent.with_name, ("numpy", "numpy.libs")) if path.exists()]
STANDARD = Path(sysconfig.get_path("stdlib"))
HIDDEN = [path for path in (*STANDARD.glob("*-packages"), *STANDARD.glob("ensurepip")) if not path.is_symlink()]


class Interrupted(RuntimeError):
    """What ran says nothing about the student."""


class NoSandbox(Interrupted):
    """The sandbox is missing or does not work; the message says what to do."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use in the sandbox.

    A cell, or all calls of a function together, may take a fifth of the seconds that are left, of the processor's time,
    or a quarter of them by the clock; then the next one has its share. Code that evades this is killed soon after.
    """

    seconds: float = 10  # from the first cell's start; honest notebooks take one
    memory: int = 2 << 30  # bytes, of address space and, where there is a memory cgroup, of all together
    output: int = 8 << 20  # bytes of results


@dataclass
class Outcome:
    """What came back. Everything in it is data: known labels and names, values as long as a right one can be."""

    calls: dict[str, dict] = field(default_factory=dict)  # id -> {"value", "error"}, errors as worker.py says
    cells: dict[int, dict] = field(default_factory=dict)  # number -> {"error", "missing": [{"line", "module"}]}
    last: str = ""  # the label of what started last
    ended: str = "done"  # "crashed", "timeout", "too much output", "memory": its own doing; "killed": from outside
    said: int = 0  # bytes of results
    took: float = 0  # seconds, from the first cell's start


def ready():
    """Try the sandbox once; raise `NoSandbox` if it does not do its work."""
    if shutil.which("bwrap") is None:
        install = "apt-get install bubblewrap, or dnf install bubblewrap"
        raise NoSandbox(f"bwrap is not installed, and students' code never runs without a sandbox: {install}")
    call = {"id": "answer", "part": "answer", "name": "answer", "arguments": None, "most": 1000}
    job = {"cells": ["import numpy\nanswer = int(numpy.prod([6, 7]))"], "calls": [call]}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
        outcome = run(job, printed=printed)
        if outcome.ended != "done" or outcome.calls.get("answer", {}).get("value") != 42:
            printed.seek(0)
            raise NoSandbox(f"bwrap is installed but does not work: {printed.read().strip()[-500:] or outcome.ended}")


def bound(limits):
    """The bound on a sandbox's memory that is in force, in a sentence for the report."""
    size = f"{limits.memory / (1 << 30):.1f} GB"
    if memory.place() is not None:
        return f"A memory cgroup limited all memory of a sandbox to {size}. Its address space had the same limit."
    other = "other memory was limited by the list of allowed system calls and by folders that cannot be written to"
    return f"The address space of a sandbox was limited to {size}. This system offers no memory cgroup: {other}."


def run(job, limits=Limits(), stop=None, printed=subprocess.DEVNULL):
    """Run a job in a fresh sandbox and collect what it says.

    job: {"cells": [source, ...], "calls": [{"id", "part", "name", "arguments", "most" bytes of the answer}, ...],
    "leave_out": [cell], "keep": {cell: names whose value after that cell counts}}. arguments: pickled, or None for a
    variable. stop: a threading.Event; once it is set, the sandbox is ended and `Interrupted` raised. printed: a file
    for all that is printed, without a bound: for code of our own.
    """
    job = {"leave_out": [], "keep": {}, **job, "seconds": limits.seconds}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as allowed:  # no names: nothing can be left behind
        pickle.dump(job, given)
        allowed.write(seccomp.program())
        given.seek(0)
        allowed.seek(0)
        with memory.group(limits.memory) as group:
            results, write = os.pipe()
            inherited = given.fileno(), allowed.fileno(), write
            command = [*(group.enter if group else []), *_bubblewrap(limits, *inherited)]
            how = {"stdin": subprocess.DEVNULL, "stdout": printed, "stderr": subprocess.STDOUT}
            bare = {"PATH": os.environ.get("PATH", os.defpath)}
            process = subprocess.Popen(command, env=bare, pass_fds=inherited, start_new_session=True, **how)
            os.close(write)
            return _collect(process, results, group, job, limits, stop)


def _bubblewrap(limits, given, allowed, write):
    """The command that starts the worker. given, allowed, write: descriptors for the job, the filter, and results."""
    command = ["prlimit", f"--as={limits.memory}", "--core=0", "--nofile=256", "bwrap"]
    command += ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    command += ["--clearenv", "--cap-drop", "ALL", "--seccomp", str(allowed)]
    for path in (*_libraries(), STANDARD, PYTHON):
        command += ["--ro-bind", path, path]
    for path in HIDDEN:
        command += ["--tmpfs", path, "--remount-ro", path]
    for path in NUMPY:
        command += ["--ro-bind", path, f"/site/{path.name}"]
    for name in ("null", "zero", "random", "urandom"):
        command += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, value in ENVIRONMENT.items():
        command += ["--setenv", name, value]
    command += ["--ro-bind", WORKER, "/job/worker.py", "--ro-bind-data", str(given), "/job/job.pickle"]
    # No /proc: it tells the paths of the first process, and a write to its memory would run code that has no filter.
    command += ["--dir", "/tmp", "--chdir", "/tmp", "--remount-ro", "/"]
    return [*command, PYTHON, "-I", "-S", "-u", "-W", "ignore", "/job/worker.py", str(write)]


@lru_cache
def _libraries():
    """The system's libraries that Python and NumPy load, file by file: nothing else of the system is there."""
    compiled = [path for path in STANDARD.glob("lib-dynload/*.so") if "tkinter" not in path.name]  # no windows
    compiled += [path for folder in NUMPY for path in folder.rglob("*.so*")]
    told = subprocess.run(["ldd", PYTHON, *compiled], capture_output=True, text=True).stdout
    found = re.findall(r"^\t(?:.* => )?(/.*) \(0x[0-9a-f]+\)$", told, re.MULTILINE)
    found = {os.path.normpath(path) for path in [*found, "/etc/ld.so.cache"]}
    inside = tuple(map(str, (STANDARD, *NUMPY)))
    return sorted(path for path in found if os.path.exists(path) and not path.startswith(inside))


def _collect(process, results, group, job, limits, stop):
    """Read what the sandbox says up to the limits, and end it in time, whatever it does."""
    outcome, said = Outcome(), bytearray()
    began, deadline, block = None, time.monotonic() + START, True
    try:
        while block and outcome.ended == "done":
            if stop is not None and stop.is_set():
                raise Interrupted("the grading was stopped")
            if select.select([results], [], [], min(0.5, max(0, deadline - time.monotonic())))[0]:
                block = os.read(results, 1 << 16)
                said += block
                began = began or time.monotonic()
                left = began + limits.seconds - time.monotonic()
                deadline = time.monotonic() + min(left, left / WAITS + LATE)
            if len(said) > limits.output:
                outcome.ended = "too much output"
            elif time.monotonic() >= deadline:
                outcome.ended = "timeout"
        with contextlib.suppress(subprocess.TimeoutExpired):  # code that closed its channels and goes on is ended
            process.wait(max(LATE, deadline - time.monotonic()) if outcome.ended == "done" else 0)
    finally:
        goes_on = process.poll() is None
        process.kill()  # its children die with it: --die-with-parent, and a separate process namespace
        process.wait()
        os.close(results)
    outcome.calls, outcome.cells, outcome.last, done = messages.understood(said, job)
    outcome.said, outcome.took = len(said), time.monotonic() - began if began else 0
    if not done and outcome.ended in ("done", "timeout"):
        killed = process.returncode in (-signal.SIGKILL, seccomp.KILLED)  # no code in there can do either
        outcome.ended = "killed" if killed or not outcome.last else "crashed"
        if outcome.last and goes_on:
            outcome.ended = "timeout"
        elif outcome.last and group and group.broke():
            outcome.ended = "memory"
    return outcome
