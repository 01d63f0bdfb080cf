"""What may take too long or too much, since anybody made it up, is computed in a process that ends by then."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import warnings

SECONDS = 3  # of the processor: an honest notebook takes a twentieth of one
MEMORY = 256 << 20  # bytes that are added to those that this process has
WAIT = 120  # seconds by the clock, for a machine that is busy with something else
TOO_MUCH = "takes too much time or memory to read: clear all outputs, save it, and hand it in again"
NOT_NOW = "could not be read now, by no doing of the student's: grade again when the machine is idle"


def call(function, *arguments):
    """`function(*arguments)`, a value that pickle can carry, computed in a copy of this process.

    Raises ValueError with what the function said, or that it broke, or that it took too long or too much memory.
    """
    context = multiprocessing.get_context("fork")  # a new Python would need seconds for its imports, for each file
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, function, arguments))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: the copy waits for none of them
        process.start()
    theirs.close()
    try:
        value, problem = ours.recv() if ours.poll(WAIT) else (None, NOT_NOW)
    except EOFError:
        process.join()
        value, problem = None, NOT_NOW if process.exitcode == -signal.SIGKILL else TOO_MUCH
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
    if problem:
        raise ValueError(problem)
    return value


def _answer(pipe, function, arguments):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits is told, and ends this
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))  # it ends by another signal than from outside
    with contextlib.suppress(OSError, ValueError):  # where the system counts no address space
        with open("/proc/self/statm", encoding="ascii") as file:
            have = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (have + MEMORY,) * 2)
    try:
        answer = function(*arguments), None
    except MemoryError:
        answer = None, TOO_MUCH
    except Exception as error:  # bytes that nobody of us wrote may break any reader
        answer = None, str(error)[:300] if type(error) is ValueError else f"is broken: {type(error).__name__}"
    try:
        pipe.send(answer)
    finally:
        os._exit(0)  # nothing of this process's is to be done twice
