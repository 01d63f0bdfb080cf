"""Run a function over many chunks: in this process, in several on this machine, or on the workers of a Dask scheduler.

Dask replaces a lost worker: if one is killed, another computes its chunk again.
"""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any

from tutorial_lib.arguments import needed, whole_number

if TYPE_CHECKING:
    from distributed import LocalCluster

AHEAD = 2  # chunks for each thread of a worker: the current one, and the next


@contextmanager
def workers(
    n: int = 1, address: str | None = None, threads: int = 1
) -> Iterator[Callable[..., Iterator[tuple[int, Any]]]]:
    """Yield a function that runs a function over tasks: `with workers(2) as run: ... in run(function, tasks)`.

    n: processes on this machine, each with this many threads; 1 is this process itself, with its own threads. address:
    a scheduler of Dask, in place of processes; its workers keep the threads that they were started with, and if there
    are none yet, run waits for one. tasks: (number, argument) pairs, drawn as they are needed. run yields (number,
    function(argument)) as they are done, in any order.

    Raises ModuleNotFoundError if Dask is needed and not installed; OSError if no scheduler answers, the cluster is
    lost, or a task's worker dies again and again. Exceptions of the function are raised by run.

    >>> with workers() as run:
    ...     list(run(len, [(0, "a bear"), (1, "a mouse")]))
    [(0, 6), (1, 7)]
    """
    n = whole_number("n", n, 1, "a number of workers (an int, 1 or more)")
    if n == 1 and address is None:
        yield lambda function, tasks: ((number, function(argument)) for number, argument in tasks)
        return
    with _environment_as_it_was():
        with needed("distributed", "a cluster, or any number of workers but 1,"):
            from distributed import Client
        with local(n, threads) if address is None else nullcontext(address) as cluster:
            try:
                client = Client(cluster)
            except (OSError, ValueError) as error:
                message = f"no Dask scheduler answers at {address} ({error}). Start one with `dask scheduler`"
                raise OSError(message) from error
            with client:
                yield lambda function, tasks: _run(client, function, tasks)


@contextmanager
def local(n: int, threads: int = 1) -> Iterator["LocalCluster"]:
    """Start a Dask cluster of n processes on this machine, each with this many threads. Killed workers are restarted.

    Other machines cannot reach it.
    """
    import dask
    from distributed import LocalCluster

    share = {f"{name}_NUM_THREADS": str(threads) for name in ("OMP", "MKL", "OPENBLAS")}
    share["OMP_WAIT_POLICY"] = "PASSIVE"  # waiting threads would waste the time of a busy machine
    # Otherwise Dask gives up a worker that was killed, restarted, and killed again when Dask checks, 15 s after the
    # first.
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1000 days"}):
        # Ctrl-C is for this process, which ends the workers.
        with _without_interrupts(), _environment_as_it_was():
            quiet = dict(silence_logs=logging.CRITICAL, dashboard_address="127.0.0.1:0")  # a lost worker is expected
            cluster = LocalCluster(n_workers=n, threads_per_worker=1, memory_limit=0, env=share, **quiet)
        with _environment_as_it_was(), cluster:  # restarted workers set it again
            yield cluster


@contextmanager
def _environment_as_it_was():
    """Restore the variables that Dask sets for its workers (threads, memory, hashing) in this process, too.

    Programs started later would otherwise run on one thread. A restarted worker brings its own variables.
    """
    before = dict(os.environ)
    try:
        yield
    finally:  # name by name: after clear(), other threads would see an empty environment
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


@contextmanager
def _without_interrupts():
    """Keep Ctrl-C from processes that are started meanwhile."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _run(client, function, tasks):
    from concurrent.futures import CancelledError

    from distributed import KilledWorker, as_completed

    tasks = iter(tasks)
    running = {}
    done = as_completed()

    def start():
        n = AHEAD * max(1, sum(client.nthreads().values())) - len(running)
        for number, argument in islice(tasks, max(0, n)):
            future = client.submit(function, argument, pure=False)  # pure: otherwise equal texts would be one task
            running[future] = number
            done.add(future)

    try:
        start()
        for future in done:
            answer = future.result()
            yield running.pop(future), answer
            start()
    except KilledWorker as error:
        remedy = "use fewer workers or smaller chunks if its memory is too small"
        raise OSError(f"the worker of a chunk died {error.allowed_failures + 1} times: {remedy}") from error
    except CancelledError as error:
        raise OSError("the Dask scheduler was lost. Start it again, and continue with the same command") from error
