"""A function over chunks on several processes: nothing is lost, and errors are reported."""

import os
import signal

import pytest

from tutorial_lib.measure.workers import _without_interrupts, local, workers

pytest.importorskip("distributed", reason="without Dask there is one process")


@pytest.fixture
def impatient():
    """A cluster of one worker, which gives up a task that has killed it once."""
    import dask

    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), local(1) as cluster:
        yield cluster


def test_workers_do_each_task_once_with_their_threads():
    def about(text):  # a function defined in a test travels by value
        import os

        return text.upper(), os.getpid(), os.environ["OMP_NUM_THREADS"]

    drawn = []

    def tasks():
        for number in range(40):
            drawn.append(number)
            yield number, f"text {number % 3}"

    with workers(2, threads=3) as run:
        found = run(about, tasks())
        first = next(found)
        assert len(drawn) <= 6  # a few tasks ahead of two workers, not the whole corpus
        found = dict([first, *found])
        assert sorted(run(len, [(0, "equal"), (1, "equal"), (2, "another")])) == [(0, 5), (1, 5), (2, 7)]
        with pytest.raises(ZeroDivisionError):
            list(run(lambda number: 1 / number, [(0, 1), (1, 0)]))
    assert [text for text, _, _ in map(found.get, range(40))] == [f"TEXT {number % 3}" for number in range(40)]
    processes = {pid for _, pid, _ in found.values()}
    assert os.getpid() not in processes and len(processes) <= 2
    assert {threads for _, _, threads in found.values()} == {"3"}


def test_the_environment_stays_as_it_was():
    """Otherwise a program started after measuring a corpus would run on one thread, and return its memory."""
    before = dict(os.environ)
    with workers(2) as run:
        assert dict(os.environ) == before
        assert sorted(run(len, [(0, "bear"), (1, "bears")])) == [(0, 4), (1, 5)]
    assert dict(os.environ) == before


def test_killed_workers_are_kept_and_ignore_interrupts(impatient):
    """Dask gives up a worker that is away again 15 s after its first kill: eventually all of them, in a long run."""
    import dask

    assert dask.utils.parse_timedelta(dask.config.get("distributed.deploy.lost-worker-timeout")) > 1e6
    with workers(address=impatient.scheduler_address) as run:
        found = run(lambda number: __import__("signal").getsignal(number), [(0, int(signal.SIGINT))])
        assert list(found) == [(0, signal.SIG_IGN)]
    assert impatient.scheduler_address.startswith("tcp://127.0.0.1:")


def test_interrupts_are_ignored_only_while_workers_start():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with _without_interrupts():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_task_that_kills_its_worker_raises_an_error(impatient):
    def die(signum):
        import os

        os.kill(os.getpid(), signum)

    with workers(address=impatient.scheduler_address) as run:
        with pytest.raises(OSError, match="the worker of a chunk died 1 times: use fewer workers"):
            list(run(die, [(0, signal.SIGKILL)]))


def test_missing_scheduler_raises_an_error():
    import dask

    for address in ("tcp://127.0.0.1:1", "nowhere://here"):
        with pytest.raises(OSError, match="no Dask scheduler answers at .*. Start one with `dask scheduler`"):
            with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), workers(address=address):
                pass
