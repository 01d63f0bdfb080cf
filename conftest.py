"""For doctests and tests alike: figures are drawn without a screen, and none stays open."""

import os
import sys

import pytest
from hypothesis import settings

settings.register_profile("book", deadline=None)  # how long an example takes says nothing on a busy machine
settings.load_profile("book")
os.environ.setdefault("MPLBACKEND", "agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
