"""Find out whether code runs in a notebook, and display something in it."""

import os
import sys


def shell() -> object:
    """Return IPython's shell, or None in plain Python."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
    return get_ipython()


def is_static() -> bool:
    """Return whether the book's pages are being built: output must then work without a kernel."""
    return "TUTORIAL_LIB_STATIC" in os.environ


def display(data: dict) -> None:
    """Display one thing in a notebook. data: MIME type -> its representation."""
    from IPython import display as ipython

    ipython.display(data, raw=True)
