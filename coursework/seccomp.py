"""The system calls that code in the sandbox may make: what is not in this list does not exist there.

So no process or thread can start, even for root; nothing but pipes holds memory that no limit counts (sockets, shared
memory, files in memory, keys, timers, watches); no limit can be raised; and no signal sent, so who is killed was killed
from outside.
"""

import platform
import struct

# name, number on x86_64, number on aarch64
ALLOWED = """
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, lseek 8 62, open 2 -, openat 257 56, close 3 57,
close_range 436 436, dup 32 23, dup2 33 -, dup3 292 24, pipe 22 -, pipe2 293 59, poll 7 -, ppoll 271 73, select 23 -,
pselect6 270 72, stat 4 -, lstat 6 -, fstat 5 80, newfstatat 262 79, statx 332 291, statfs 137 43, fstatfs 138 44,
access 21 -, faccessat 269 48, faccessat2 439 439, readlink 89 -, readlinkat 267 78, getdents 78 -, getdents64 217 61,
getcwd 79 17, chdir 80 49, fchdir 81 50, umask 95 166,
brk 12 214, munmap 11 215, mremap 25 216, mprotect 10 226, madvise 28 233, membarrier 324 283,
execve 59 221, getpid 39 172, getppid 110 173, gettid 186 178, getpgrp 111 -, getpgid 121 155, getsid 124 156,
getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177, getgroups 115 158, getresuid 118 148,
getresgid 120 150, uname 63 160, sysinfo 99 179, getrusage 98 165, getrlimit 97 163, getpriority 140 141, times 100 153,
arch_prctl 158 -, set_tid_address 218 96, set_robust_list 273 99, get_robust_list 274 100, rseq 334 293, futex 202 98,
wait4 61 260, time 201 -, gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114, nanosleep 35 101,
clock_nanosleep 230 115, getitimer 36 102, setitimer 38 103, alarm 37 -, pause 34 -, getrandom 318 278, getcpu 309 168,
sched_yield 24 124, sched_getaffinity 204 123, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139,
rt_sigpending 127 136, rt_sigsuspend 130 133, rt_sigtimedwait 128 137, sigaltstack 131 132, restart_syscall 219 128
"""
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


def _calls(text, column):
    """name -> number, of those that a machine has."""
    rows = (entry.split() for entry in text.split(","))
    return {row[0]: int(row[1 + column]) for row in rows if row[1 + column] != "-"}


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
        steps += where(*_calls(text, column).values(), [argument(place), *tests, refuse])
    own = [argument(3), (keep_bits, 0, 0, SHARED), (equal, 0, 1, 0), allow, refuse]
    steps += where(*_calls(MAP, column).values(), own)
    zero = [argument(2), (equal, 0, 2, 0), argument(2, high=True), (equal, 1, 0, 0), refuse, allow]
    steps += where(*_calls(READ_LIMIT, column).values(), zero)
    for text in END:
        other = [argument(0), (keep_bits, 0, 0, 0xFF), (equal, 0, 1, KILLED), refuse, allow]
        steps += where(*_calls(text, column).values(), other)
    return b"".join(struct.pack("HBBI", *step) for step in [*steps, refuse])
