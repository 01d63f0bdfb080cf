"""Whether a notebook runs the code, and how to show something in it."""

import os
import sys


def shell() -> object:
    """IPython's shell, or None where plain Python runs."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
    return get_ipython()


def is_static() -> bool:
    """Whether the book's pages are being built: what is shown must do without a kernel."""
    return "TUTORIAL_LIB_STATIC" in os.environ


def display(data: dict) -> None:
    """Show one thing in a notebook. data: MIME type -> what stands for it there."""
    from IPython import display as ipython

    ipython.display(data, raw=True)
