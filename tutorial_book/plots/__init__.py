"""Figures, one module for each chapter: `plots.meaning.difference_arrows(...)`.

`use_style()` first, then draw. Every function draws a new figure and returns its axes, which are named with units. What
the figures share stands in `base` and `parts`. A module loads when it is first named, so that a chapter depends on its
own figures alone and the book runs it again only when those change.
"""

from importlib import import_module
from pkgutil import iter_modules

from tutorial_book.plots.base import COLORS, heatmap, use_style

__all__ = ["COLORS", "heatmap", "use_style"]
_SUBJECTS = [module.name for module in iter_modules(__path__)]


def __getattr__(name):
    if name not in _SUBJECTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")


def __dir__():
    return sorted({*globals(), *_SUBJECTS})
