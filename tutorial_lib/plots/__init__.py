"""Matplotlib figures of the book, one module for each subject. `use_style()` first, then draw.

Every function draws into the axes that it is given (or its own new ones) and returns them; axes are named with units.
"""

from tutorial_lib.plots.base import COLORS, as_array, heatmap, use_style

__all__ = ["COLORS", "as_array", "heatmap", "use_style"]
