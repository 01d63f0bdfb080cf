"""Figures: `charts` for many chapters, and a module for each chapter, as `plots.meaning.difference_arrows(...)`.

Call `use_style()` first, then draw. Every function draws a new figure and returns its axes, which are named with units.
The parts of figures are in `base` and `parts`. A module loads when it is first used, so a chapter depends only on the
figures that it draws, and the book runs it again only if those change.
"""

from pkgutil import iter_modules

from tutorial_book.plots.base import COLORS, WEIGHTS, heatmap, use_style
from tutorial_lib import late

__all__ = ["COLORS", "WEIGHTS", "heatmap", "use_style"]
__getattr__, __dir__, _ = late(__name__, {module.name: "" for module in iter_modules(__path__)})
