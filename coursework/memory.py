"""One bound on all memory of a sandbox, the kernel's own for it included: a memory cgroup, where the system lets us.

It comes on top of what is always there: the limit of address space, the filter of system calls and folders that nothing
can be written to, so that no other memory can be had.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from functools import lru_cache
from pathlib import Path

ENTER = 'echo $$ > "$0" && exec "$@"'  # a shell that goes into the group and becomes the command
# What is written into a new group, and whether it is one of those that a kernel may lack: swap is not counted by all.
FIRST = {"memory.limit_in_bytes": "{0}", "memory.memsw.limit_in_bytes": "{0}"}
SECOND = {"memory.max": "{0}", "memory.swap.max": "0", "memory.oom.group": "1"}


class Group:
    """A memory cgroup for one sandbox."""

    def __init__(self, path, limit):
        self.path, self.enter = path, ["sh", "-c", ENTER, str(path / "cgroup.procs")]
        path.mkdir()
        try:
            settings = SECOND if (path / "memory.max").exists() else FIRST
            for i, (name, value) in enumerate(settings.items()):
                if i == 0 or (path / name).exists():
                    (path / name).write_text(value.format(limit))
        except OSError:
            path.rmdir()
            raise

    def broke(self):
        """Whether the kernel killed something in the group for going beyond its bound, and not for want of memory."""
        if (self.path / "memory.events").exists():
            counts = dict(line.split() for line in (self.path / "memory.events").read_text().splitlines())
            return "0" not in (counts["oom"], counts["oom_kill"])
        counts = dict(line.split() for line in (self.path / "memory.oom_control").read_text().splitlines())
        most, limit = ((self.path / f"memory.{name}_in_bytes").read_text() for name in ("max_usage", "limit"))
        return counts["oom_kill"] != "0" and int(most) > int(limit) - (1 << 20)


@contextlib.contextmanager
def group(limit):
    """A group that no more than `limit` bytes of memory fit in, for as long as the context lasts; None without one."""
    parent = place()
    if parent is None:
        yield None
        return
    path = parent / f"grade-{os.getpid()}-{time.monotonic_ns()}"
    try:
        yield Group(path, limit)
    finally:
        _remove(path)


@lru_cache
def place():
    """The folder to make groups in, tried once; None where there is none."""
    for parent in _candidates():
        path = parent / f"grade-{os.getpid()}-try"
        try:
            tried = Group(path, 64 << 20)
            subprocess.run([*tried.enter, "true"], check=True, capture_output=True, timeout=30)
            tried.broke()
            return parent
        except (OSError, subprocess.SubprocessError, KeyError, ValueError):
            continue
        finally:
            _remove(path)
    return None


def _candidates():
    """Folders in which groups with a limit of memory may be had: of cgroup v1 our own, of v2 one that hands it on."""
    groups, mounts = {}, {}
    try:
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            groups["memory" if "memory" in controllers.split(",") else controllers] = path
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            fields, _, (kind, _, options) = (part.split() for part in line.partition(" - "))
            if kind == "cgroup2" or (kind == "cgroup" and "memory" in options.split(",")):
                mounts["" if kind == "cgroup2" else "memory"] = Path(fields[4]), fields[3]
    except (OSError, ValueError):
        return
    for name in ("memory", ""):
        if name in groups and name in mounts:
            top, root = mounts[name]
            own = Path(os.path.normpath(f"{top}/{os.path.relpath(groups[name], root)}"))
            inside = [path for path in (own, *own.parents) if path.is_relative_to(top)]
            if name == "memory":
                yield from inside[:1]
            else:
                with contextlib.suppress(OSError):
                    _stand_aside(own)
                yield from filter(_hands_on, inside)


def _stand_aside(own):
    """Go one below our own group of v2 where it is ours alone, as systemd delegates one: only an empty one hands on."""
    if (own / "cgroup.procs").read_text().split() == [str(os.getpid())]:
        (own / "grader").mkdir(exist_ok=True)
        (own / "grader" / "cgroup.procs").write_text(str(os.getpid()))
        (own / "cgroup.subtree_control").write_text("+memory")


def _hands_on(path):
    try:
        return "memory" in (path / "cgroup.subtree_control").read_text().split()
    except OSError:
        return False


def clean(alive):
    """Remove the groups of gradings that were killed. alive: says of a process id whether it still runs."""
    for path in place().glob("grade-*-*") if place() else ():
        if not alive(path.name.split("-")[1]):
            _remove(path)


def _remove(path):
    """Remove a group, and end what is left in it; what does not go now is removed at the next start."""
    until = time.monotonic() + 5
    while path.exists() and time.monotonic() < until:
        with contextlib.suppress(OSError):
            path.rmdir()
            return
        with contextlib.suppress(OSError):
            for process in map(int, (path / "cgroup.procs").read_text().split()):
                if process:  # 0 is one that we cannot see
                    os.kill(process, signal.SIGKILL)
        time.sleep(0.002)
