"""The values that a chapter's cells computed, for the test of the chapter's statements."""

import asyncio
import warnings
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from website.build import values
from website.build.namespace import Names
from website.build.runs import current_runs
from website.project import ROOT


@cache
def values_file(chapter: str) -> Path:
    """The values of the current run of a chapter. If there is none, it is made here and kept for the next time."""
    runs = ROOT / "_build" / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    path = ROOT / "book" / f"{chapter}.md"
    with FileLock(runs / f"{chapter}.lock"), warnings.catch_warnings():  # another process may be about to run it
        warnings.simplefilter("ignore")  # the kernel's own
        run = asyncio.run(current_runs(ROOT, [path]))[chapter]
    if isinstance(run, str):
        pytest.fail(run, pytrace=False)
    return run["names"]


def name_of_chapter(request) -> str:
    return request.path.stem.removeprefix("test_").replace("_", "-")


@pytest.fixture(scope="module")
def chapter(request):
    """Call it for the page. Values that are too large to keep, such as a model, may be given, and other values too."""
    for package in ("cloudpickle", "jupyter_cache", "myst_nb", "nbclient"):
        pytest.importorskip(package)
    name = name_of_chapter(request)
    return lambda **given: Names(name, values_file(name).read_bytes(), **given)


class Runs(dict):
    """Chapter -> the file with the values of its current run, which is made when it is asked for."""

    def __missing__(self, chapter):
        return values_file(chapter)


@pytest.fixture(scope="session")
def pages():
    """All pages of the book, with the values of the chapters' current runs."""
    return values.Pages(ROOT, Runs())


@pytest.fixture(scope="module")
def page(chapter):
    """The values of the chapter that a file tests, by their names in its cells."""
    return chapter()
