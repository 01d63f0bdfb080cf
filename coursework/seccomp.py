"""The system calls that code in the sandbox may make: no other one exists there.

So no process or thread can start, even for root; nothing but pipes holds memory that no limit counts (sockets, shared
memory, files in memory, keys, timers, watches); no limit can be raised; and no signal sent, so who is killed was killed
from outside.
"""

import platform
import struct
from pathlib import Path

CALLS = Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()  # name, number on x86_64, on aarch64
SHARED = 1  # a bit of the flags of mmap, its fourth argument
KILLED = 128 + 9
NOT_THERE = 38  # ENOSYS: the C library then takes another way, or says that it cannot


def calls(column):
    """name -> number, of the calls that are there on a machine."""
    rows = map(str.split, CALLS)
    return {name: int(number[column]) for name, *number in rows if number[column] != "-"}


def program():
    """The filter as bubblewrap takes it: instructions of the kernel's packet filter (BPF), run at every system call."""
    machine = platform.machine()
    if machine not in ("x86_64", "aarch64", "arm64"):
        raise ValueError(f"the filter of system calls is written for x86_64 and aarch64, not for {machine}")
    column, architecture = (0, 0xC000003E) if machine == "x86_64" else (1, 0xC00000B7)
    load, equal, at_least, keep_bits, answer = 0x20, 0x15, 0x35, 0x54, 0x06  # the BPF instructions that are needed
    allow, kill, refuse = (answer, 0, 0, 0x7FFF0000), (answer, 0, 0, 0x80000000), (answer, 0, 0, 0x00050000 | NOT_THERE)

    def argument(place, high=False):
        return (load, 0, 0, 16 + 8 * place + 4 * high)

    def where(number, then):
        return [(equal, 0, len(then), number), *then]

    def one_of(place, values):
        return [argument(place), *(step for value in values for step in where(value, [allow])), refuse]

    partly = {  # what is there with some values of its arguments only
        "fcntl": one_of(1, (0, 1, 2, 3, 4, 1030)),  # duplicate, flags; no owner, signal, lock, lease, larger pipe
        "ioctl": one_of(1, (0x5401, 0x5413, 0x5421, 0x5450, 0x5451)),  # a terminal, its size; blocking, inheriting
        # Only memory of one's own: what is shared stays, uncounted, after most of it is given back.
        "mmap": [argument(3), (keep_bits, 0, 0, SHARED), (equal, 0, 1, 0), allow, refuse],
        # Without a new limit.
        "prlimit64": [argument(2), (equal, 0, 2, 0), argument(2, high=True), (equal, 1, 0, 0), refuse, allow],
    }
    # Not with the code that says killed.
    partly["exit"] = [argument(0), (keep_bits, 0, 0, 0xFF), (equal, 0, 1, KILLED), refuse, allow]
    partly["exit_group"] = partly["exit"]
    steps = [(load, 0, 0, 4), (equal, 1, 0, architecture), kill]
    steps += [(load, 0, 0, 0), (at_least, 0, 1, 0x40000000), kill]  # no second numbering of calls
    for name, number in calls(column).items():
        steps += where(number, partly.get(name, [allow]))
    return b"".join(struct.pack("HBBI", *step) for step in [*steps, refuse])
