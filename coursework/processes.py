"""Processes beside the grader's: bounded ones for untrusted data, and one with the models that checks ask."""

import contextlib
import errno
import multiprocessing
import os
import resource
import signal
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache

SECONDS = 3  # of the processor: an honest notebook takes a twentieth of one
MEMORY = 256 << 20  # bytes that are added to those that this process has
WAIT = 120  # seconds by the clock, for a machine that is busy with something else
TOO_MUCH = "takes too much time or memory to read: clear all outputs, save it, and hand it in again"
NOT_NOW = "could not be read now, through no fault of the student: grade again when the machine is idle"
OURS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE)  # no fault of the student: grading stops
STARTED = "spawn"  # how it starts: so it has least memory
ONE_START = threading.Lock()  # workers that ask for the first time at once would start a process each, of 230 MB


def each(function, waiting):
    """`attempted(function, *arguments)` for each, in a process of its own: one that takes too much costs no other."""
    return (_computed(function, arguments) for arguments in waiting)


def attempted(function, *arguments):
    """(what a function gives, None), or (None, why it gives nothing); raise an error that no student caused."""
    try:
        return function(*arguments), None
    except MemoryError:
        return None, TOO_MUCH
    except OSError as error:
        if error.errno in OURS:
            raise
        return None, f"could not be opened: {error.strerror}"  # without the path on the teacher's machine
    except Exception as error:  # bytes that nobody of us wrote may break any reader
        return None, str(error)[:300] if type(error) is ValueError else f"is broken: {type(error).__name__}"


def _computed(function, arguments):
    """Return the answer of a bounded copy of this process, or the problem if it ended."""
    context = multiprocessing.get_context("fork")  # a new Python would need seconds for its imports, for each process
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, function, arguments))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: the copy waits for none of them
        process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(WAIT) else (None, NOT_NOW)
    except EOFError:
        process.join()
        return None, NOT_NOW if process.exitcode == -signal.SIGKILL else TOO_MUCH
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()


def _answer(pipe, function, arguments):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits gets the signal, and ends this
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))  # its signal differs from one from outside
    with contextlib.suppress(OSError, ValueError):  # where the system counts no address space
        with open("/proc/self/statm", encoding="ascii") as file:
            have = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (have + MEMORY,) * 2)
    try:
        pipe.send(attempted(function, *arguments))
    finally:
        os._exit(0)  # nothing of this process's is to be done twice


@lru_cache
def _judges():
    return ProcessPoolExecutor(1, multiprocessing.get_context(STARTED), initializer=_begin)


def judged(function, *given):
    """What a function that needs a model gives: its memory is that of a process which stays until `end_judges`."""
    with ONE_START:
        judges = _judges()
    return judges.submit(function, *given).result()


def end_judges():
    if _judges.cache_info().currsize:
        _judges().shutdown()
    _judges.cache_clear()


def _begin():
    os.environ["TQDM_DISABLE"] = "1"  # the grader has its own bar

    def end_with_the_grader():  # if it is killed, nothing else tells this process, which would wait for work forever
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=end_with_the_grader, daemon=True).start()

    import torch

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader gets the signal, and ends this
    torch.set_num_threads(1)  # sandboxes keep the processors busy: threads that wait for each other are slower than one
