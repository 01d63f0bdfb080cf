"""The system calls that code in the sandbox may make: no other one exists there.

So no process or thread can start, even for root; nothing but pipes holds memory that no limit counts (sockets, shared
memory, files in memory, keys, timers, watches); no limit can be raised; and no signal sent, so who is killed was killed
from outside.
"""

import platform
import struct
from pathlib import Path

ALLOWED = Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()  # name, number on x86_64, on aarch64
# Those that are there with some values of one argument: (its place, the values).
ONLY = {
    "fcntl 72 25": (1, (0, 1, 2, 3, 4, 1030)),  # duplicate, flags; no owner, signal, lock, lease, larger pipe
    "ioctl 16 29": (1, (0x5401, 0x5413, 0x5421, 0x5450, 0x5451)),  # is it a terminal, its size; blocking, inheriting
}
MAP = "mmap 9 222"  # only memory of one's own: what is shared stays, uncounted, after most of it is given back
SHARED = 1  # a bit of its flags, its fourth argument
READ_LIMIT = "prlimit64 302 261"  # only without a new limit
END = ("exit 60 93", "exit_group 231 94")  # not with the code that says killed
KILLED = 128 + 9
NOT_THERE = 38  # ENOSYS: the C library then takes another way, or says that it cannot


def _calls(rows, column):
    """name -> number, of those that a machine has."""
    return {name: int(number[column]) for name, *number in map(str.split, rows) if number[column] != "-"}


def program(machine=None):
    """The filter as bubblewrap takes it: instructions of the kernel's packet filter (BPF), run at every system call."""
    machine = machine or platform.machine()
    if machine not in ("x86_64", "aarch64", "arm64"):
        raise ValueError(f"the filter of system calls is written for x86_64 and aarch64, not for {machine}")
    column, architecture = (0, 0xC000003E) if machine == "x86_64" else (1, 0xC00000B7)
    load, equal, at_least, keep_bits, answer = 0x20, 0x15, 0x35, 0x54, 0x06  # the BPF instructions that are needed
    allow, kill, refuse = (answer, 0, 0, 0x7FFF0000), (answer, 0, 0, 0x80000000), (answer, 0, 0, 0x00050000 | NOT_THERE)

    def argument(place, high=False):
        return (load, 0, 0, 16 + 8 * place + 4 * high)

    def where(number, then):
        return [(equal, 0, len(then), number), *then]

    steps = [(load, 0, 0, 4), (equal, 1, 0, architecture), kill]
    steps += [(load, 0, 0, 0), (at_least, 0, 1, 0x40000000), kill]  # no second numbering of calls
    for number in _calls(ALLOWED, column).values():
        steps += where(number, [allow])
    for text, (place, values) in ONLY.items():
        tests = [step for value in values for step in where(value, [allow])]
        steps += where(*_calls([text], column).values(), [argument(place), *tests, refuse])
    own = [argument(3), (keep_bits, 0, 0, SHARED), (equal, 0, 1, 0), allow, refuse]
    steps += where(*_calls([MAP], column).values(), own)
    zero = [argument(2), (equal, 0, 2, 0), argument(2, high=True), (equal, 1, 0, 0), refuse, allow]
    steps += where(*_calls([READ_LIMIT], column).values(), zero)
    for text in END:
        other = [argument(0), (keep_bits, 0, 0, 0xFF), (equal, 0, 1, KILLED), refuse, allow]
        steps += where(*_calls([text], column).values(), other)
    return b"".join(struct.pack("HBBI", *step) for step in [*steps, refuse])
