"""For doctests and tests alike: figures are drawn without a screen, nothing is left behind, tests run side by side."""

import os
import sys

import pytest
from hypothesis import settings

from tests import left_behind, programs

settings.register_profile("book", deadline=None)  # how long an example takes says nothing on a busy machine
settings.load_profile("book")
left_behind.watch()
os.environ.setdefault("MPLBACKEND", "agg")
if "PYTEST_XDIST_WORKER_COUNT" in os.environ:  # the processes share the processor
    threads = (os.cpu_count() or 1) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, threads)))

ALONE = ("tests/book/test_browser.py",)  # each test is long and needs no other
TOGETHER = ("tests/claims/",)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """What runs together under `pytest -n 2`: the tests of a file, which share what is made once.

    The claims are one group, for they are computed once.
    xdist begins with the groups of most tests and ends with the groups of one test. (Its own `--dist loadgroup` does
    nothing under pytest 9.2: https://github.com/pytest-dev/pytest-xdist/issues/1386.)
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path = nodeid.split("::")[0]
            return nodeid if path in ALONE else path.rpartition("/")[0] if path.startswith(TOGETHER) else path

    return ByFile(config, log)


def pytest_terminal_summary(terminalreporter):
    """The last lines say what was not tested for want of a program."""
    if sentence := programs.not_tested([str(report.longrepr) for report in terminalreporter.getreports("skipped")]):
        terminalreporter.section("not tested", sep="-")
        terminalreporter.line(sentence)


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="run the tests that are marked long, too")
    parser.addoption("--timed", action="store_true", help="run the tests that are marked timed, and no others")


def pytest_collection_modifyitems(config, items):
    """Chapters with another model take longest, so they do not come last. Marked tests run when asked for."""
    items.sort(key=lambda item: not item.path.match("tests/book/test_other_models.py"))

    def runs(item):
        if config.option.timed or item.get_closest_marker("timed"):
            return config.option.timed and item.get_closest_marker("timed")
        return config.option.long or not item.get_closest_marker("long")

    config.hook.pytest_deselected(items=[item for item in items if not runs(item)])
    items[:] = [item for item in items if runs(item)]


@pytest.fixture(autouse=True)
def _nothing_left_behind():
    """A test that changes what others would notice fails itself, and not one that runs hours later."""
    yield from _watched()


@pytest.fixture(autouse=True, scope="module")
def _nothing_left_behind_by_a_module():
    """The same for what the tests of a module share."""
    yield from _watched()


def _watched():
    before = left_behind.state()
    n_written = len(left_behind.written)
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    changed = left_behind.changes(before, left_behind.state())
    changed += [f"written: {name}" for name in left_behind.written[n_written:]]
    assert not changed, f"left behind: {'; '.join(changed)}"
