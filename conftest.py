"""For doctests and tests alike: figures are drawn without a screen, none stays open, and tests can run side by side."""

import os
import sys

import pytest
from hypothesis import settings

settings.register_profile("book", deadline=None)  # how long an example takes says nothing on a busy machine
settings.load_profile("book")
os.environ.setdefault("MPLBACKEND", "agg")
if "PYTEST_XDIST_WORKER_COUNT" in os.environ:  # the processes share the processor
    threads = (os.cpu_count() or 1) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, threads)))

ALONE = ("tests/book/test_browser.py", "tests/book/test_other_models.py")  # each test is long and needs no other


def pytest_collection_modifyitems(config, items):
    """What runs together under `pytest -n 2 --dist loadgroup`: the tests of a file, which share what is made once.

    All of coursework is one group, for gradings wait for each other. xdist begins with the groups of most tests, this
    one first, and ends with the groups of one test, in the order that they have here: chapters with another model take
    longest, so they do not come last.
    """
    if not config.pluginmanager.hasplugin("xdist"):
        return
    for item in items:
        path = item.path.relative_to(config.rootpath).as_posix()
        group = item.nodeid if path in ALONE else "coursework" if path.startswith("tests/coursework/") else path
        item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: not item.path.match("tests/book/test_other_models.py"))


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
