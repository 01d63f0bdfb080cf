"""The sandbox that students' code runs in: bubblewrap on Linux, docker or podman elsewhere.

Inside there is Python, NumPy, one read-only folder with the job, and an empty /tmp. There is no network, no other file,
no other process, and no new process or thread. Time, memory, output and disk are limited. Where the sandbox cannot be
had, grading refuses to start: there is no way to run a student's code without it.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from coursework.said import understood

WORKER = Path(__file__).with_name("worker.py")
IMAGE = "tutorial-lib-sandbox"  # docker and podman: built from coursework/image/Dockerfile
KINDS = ("bubblewrap", "docker", "podman")
MOST = 1 << 20  # bytes of the answer to a call that says nothing else


class NoSandbox(RuntimeError):
    """The sandbox is not there or does not work; the message says what to do."""


class Stopped(RuntimeError):
    """The grading was stopped from outside: what ran in the sandbox was ended, and says nothing about the student."""


@dataclass(frozen=True)
class Limits:
    """What one run in the sandbox may use, and how long all runs of one submission may take."""

    step: int = 10  # seconds for one cell or one call; it is interrupted, and the next one runs
    seconds: int = 60  # of a run, for those that no interruption stops; the sandbox is killed
    all_runs: int = 240  # seconds
    memory: int = 2 << 30  # bytes of address space
    output: int = 8 << 20  # bytes of results
    printed: int = 1 << 20  # bytes that the student's cells print; what comes after is not kept
    disk: int = 64 << 20  # bytes in /tmp


@dataclass
class Outcome:
    """What came back. Everything in it is data: known labels and names, values as long as a right one can be.

    calls: id -> {"value", "error"}. cells: number -> {"error", "missing": [{"line", "module"}]}. An error is None or
    {"type", "cell", "line", "name"}, as worker.py says. last: the label of what started last, "" where nothing did.
    ended: "done"; by the code's own doing "crashed", "timeout", "too much output" or "memory"; "killed" from outside.
    said: bytes of results that were read. printed: the first words of what was printed.
    """

    calls: dict[str, dict] = field(default_factory=dict)
    cells: dict[int, dict] = field(default_factory=dict)
    last: str = ""
    ended: str = "done"
    said: int = 0
    printed: str = ""


def ready(kind="bubblewrap"):
    """Try the sandbox once; raise `NoSandbox` where it does not do its work."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    program = "bwrap" if kind == "bubblewrap" else kind
    if shutil.which(program) is None:
        install = "apt-get install bubblewrap, or dnf install bubblewrap" if kind == "bubblewrap" else f"install {kind}"
        raise NoSandbox(
            f"{program} is not on this machine, and students' code never runs without a sandbox: {install}, "
            f"or choose another with --sandbox ({', '.join(KINDS)})"
        )
    call = {"id": "answer", "part": "answer", "name": "answer", "arguments": None}
    job = {"cells": ["import numpy\nanswer = int(numpy.prod([6, 7]))"], "calls": [call]}
    outcome = run(job, {}, kind=kind, limits=Limits(seconds=30))
    if outcome.ended != "done" or outcome.calls != {"answer": {"value": 42, "error": None}}:
        raise NoSandbox(f"{program} is here but does not work: {outcome.printed.strip()[-500:] or outcome.ended}")


def run(job, arrays, kind="bubblewrap", limits=Limits(), stop=None):
    """Run a job in a fresh sandbox and collect what it says.

    job: {"cells": [source, ...], "calls": [{"id", "part", "name", "arguments", "most"}, ...], "leave_out": [cell]},
    where `most` is how many bytes the answer of a call may have. arrays: the arrays that arguments name. stop: a
    threading.Event; once it is set, the sandbox is ended and `Stopped` raised.
    """
    with tempfile.TemporaryDirectory(prefix="grade-") as folder:
        folder = Path(folder)
        if arrays:
            np.savez(folder / "arrays.npz", **arrays)
        shutil.copyfile(WORKER, folder / "worker.py")
        job = {"leave_out": [], **job, "arrays": bool(arrays), "path": ["/site"], "seconds": limits.step}
        job["calls"] = [{"most": MOST, **call} for call in job["calls"]]
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        command = _bubblewrap if kind == "bubblewrap" else _container
        return _collect(*command(folder, limits, kind), job, limits, stop)


def _bubblewrap(folder, limits, kind):
    """The command line of bubblewrap, and the descriptors that it inherits."""
    read, write = os.pipe()
    filter_read, filter_write = os.pipe()
    os.write(filter_write, no_new_process())
    os.close(filter_write)
    command = ["prlimit", f"--as={limits.memory}", f"--fsize={limits.disk}", "--core=0", "--nofile=256", "bwrap"]
    command += [
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
        "--clearenv",
    ]
    command += ["--cap-drop", "ALL", "--seccomp", str(filter_read)]
    for path in _system():
        command += ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path]
    python = Path(sys._base_executable).resolve()
    command += ["--ro-bind", str(python), str(python)]
    for path in _installed():
        command += ["--tmpfs", path, "--remount-ro", path]
    # All but /tmp is read-only. /proc too: a write to /proc/1/mem would run code in a process that has no filter.
    command += ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    command += ["--ro-bind", str(folder), "/job"]
    numpy = Path(np.__file__).parent
    for path in filter(Path.exists, (numpy, numpy.with_name("numpy.libs"))):  # the second: libraries of its wheel
        command += ["--ro-bind", str(path), f"/site/{path.name}"]
    command += ["--size", str(limits.disk), "--tmpfs", "/tmp", "--chdir", "/tmp", "--remount-ro", "/"]
    for name, value in _environment().items():
        command += ["--setenv", name, value]
    return (
        [*command, str(python), "-I", "-S", "-u", "-W", "ignore", "/job/worker.py", str(write)],
        read,
        (write, filter_read),
    )


def _system():
    """The folders that Python itself needs: the system's libraries, and those of the Python that runs this."""
    base = Path(sys.base_prefix).resolve()
    paths = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"]
    paths += [] if base == Path("/usr") else [str(base / "lib")]
    return list(filter(os.path.exists, paths))


def _installed():
    """The folders below `_system()` where installed packages lie, whichever Python they are for: nobody sees these."""
    base = Path(sys.base_prefix).resolve()
    roots = {Path("/usr/lib"), Path("/usr/lib64"), base / "lib"}
    found = {path.resolve() for root in roots for path in root.glob("python*/*-packages") if path.is_dir()}
    return sorted(str(path) for path in found if any(path.is_relative_to(root) for root in roots))


def _container(folder, limits, kind):
    """The command line of docker or podman. Results come on standard output; what the student prints is dropped."""
    command = [kind, "run", "--rm", "--interactive", "--network", "none", "--read-only", "--cap-drop", "ALL"]
    command += [
        "--security-opt",
        "no-new-privileges",
        "--pids-limit",
        "32",
        "--user",
        "65534:65534",
        "--stop-timeout",
        "0",
    ]
    command += ["--memory", str(limits.memory), "--memory-swap", str(limits.memory), "--workdir", "/tmp"]
    command += ["--tmpfs", f"/tmp:size={limits.disk}", "--volume", f"{folder}:/job:ro"]
    for name, value in _environment().items():
        command += ["--env", f"{name}={value}"]
    inner = 'exec timeout -s KILL "$0" python -I -u -W ignore /job/worker.py 3 3>&1 1>/dev/null 2>&1'
    return [*command, IMAGE, "sh", "-c", inner, str(limits.seconds)], None, ()


def _environment():
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", **threads}


# What the filter refuses (system calls by name -> number on x86_64, aarch64): what makes a process or a thread, memory
# that no limit counts, and ways into another process. `clone3` is not there, so that the C library takes `clone`.
REFUSED = {
    **{"fork": (57, None), "vfork": (58, None), "clone": (56, 220), "ptrace": (101, 117)},
    **{"shmget": (29, 194), "memfd_create": (319, 279), "memfd_secret": (447, 447), "io_uring_setup": (425, 425)},
    **{"process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438)},
    **{"add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "bpf": (321, 280)},
    **{"perf_event_open": (298, 241), "userfaultfd": (323, 282), "msgget": (68, 186), "mq_open": (240, 180)},
}
CLONE3 = 435


def no_new_process():
    """A seccomp filter: no process and no thread may start. So a fork bomb ends at its first fork, even for root.

    Process limits of the kernel (RLIMIT_NPROC) do not hold for root, who grades in many containers; this does.
    """
    machine = platform.machine()
    if machine not in ("x86_64", "aarch64", "arm64"):
        raise NoSandbox(
            f"bubblewrap's filter is written for x86_64 and aarch64, not for {machine}: use docker or podman"
        )
    column, architecture = (0, 0xC000003E) if machine == "x86_64" else (1, 0xC00000B7)
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06  # the four BPF instructions that are needed
    allow, kill, again, not_there = 0x7FFF0000, 0x80000000, 0x00050000 | 11, 0x00050000 | 38  # errno: EAGAIN, ENOSYS
    program = [(load, 0, 0, 4), (equal, 1, 0, architecture), (answer, 0, 0, kill)]
    program += [(load, 0, 0, 0), (at_least, 0, 1, 0x40000000), (answer, 0, 0, kill)]  # no second numbering of calls
    program += [(equal, 0, 1, CLONE3), (answer, 0, 0, not_there)]
    for numbers in REFUSED.values():
        if numbers[column] is not None:
            program += [(equal, 0, 1, numbers[column]), (answer, 0, 0, again)]
    program += [(answer, 0, 0, allow)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def _collect(command, results, inherited, job, limits, stop):
    """Start the command, read what it says and prints up to the limits, and end it in time, whatever it does."""
    outcome, said, printed = Outcome(), bytearray(), bytearray()
    errors = subprocess.STDOUT if results is not None else subprocess.PIPE
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        pass_fds=inherited,
        start_new_session=True,
        env={"PATH": os.environ.get("PATH", os.defpath)},  # the sandbox's first process shows its own to those inside
    )
    for descriptor in inherited:
        os.close(descriptor)
    said_by, printed_by = (
        (results, process.stdout.fileno()) if results else (process.stdout.fileno(), process.stderr.fileno())
    )
    deadline = time.monotonic() + limits.seconds
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(said_by, selectors.EVENT_READ, said)
            selector.register(printed_by, selectors.EVENT_READ, printed)
            while selector.get_map() and outcome.ended == "done":
                if stop is not None and stop.is_set():
                    raise Stopped("the grading was stopped")
                for key, _ in selector.select(min(0.5, max(0, deadline - time.monotonic()))):
                    block = os.read(key.fd, 1 << 16)
                    if not block:
                        selector.unregister(key.fd)
                    elif key.data is said or len(printed) < limits.printed:
                        key.data.extend(block)
                if len(said) > limits.output:
                    outcome.ended = "too much output"
                elif time.monotonic() >= deadline:
                    outcome.ended = "timeout"
        with contextlib.suppress(subprocess.TimeoutExpired):  # code that closed its channels and goes on is ended
            process.wait(5 if outcome.ended == "done" else 0)
    finally:
        process.kill()  # its children die with it: --die-with-parent, and a process namespace of their own
        process.wait()
        if results is not None:
            os.close(results)
        process.stdout.close()
        if process.stderr:
            process.stderr.close()
    outcome.calls, outcome.cells, outcome.last, done = understood(said, job)
    outcome.said, outcome.printed = len(said), printed[: limits.printed].decode("utf-8", "replace")
    if outcome.ended == "done" and not done:
        from_outside = process.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL) or not outcome.last
        outcome.ended = "killed" if from_outside else "crashed"
    return outcome
