"""The content of axes, as plain lists, and the parts of a figure's arguments that they leave out."""

import importlib
import pkgutil
import re

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.text import Annotation

from tutorial_book import plots


def modules():
    """The modules of figures; `base`, `parts` and `cells` contain their parts."""
    found = {module.name for module in pkgutil.iter_modules(plots.__path__)} - {"base", "parts", "cells"}
    return [importlib.import_module(f"tutorial_book.plots.{name}") for name in sorted(found)]


def plain(value):
    """Nested lists of words and of rounded numbers."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return round(value, 6) + 0.0 if isinstance(value, float) else value


def said(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def names(axis):
    return [str(name) for name in axis.get_major_formatter().format_ticks(axis.get_majorticklocs()) if name]


def words(ax):
    entries = [text.get_text() for one in [ax.get_legend(), *ax.figure.legends] if one for text in one.get_texts()]
    titles = [ax.get_title(), ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()]
    return [*said(ax), *names(ax.xaxis), *names(ax.yaxis), *entries, *titles]


def xys(ax):
    return [line.get_xydata() for line in ax.lines]


def ys(ax):
    return [line.get_ydata() for line in ax.lines]


def boxes(ax):
    """Left end, end toward 0, width and height of each box."""
    return [(*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in ax.patches]


def images(ax):
    """The numbers that each image shows, and 9 where it shows none."""
    return [np.ma.filled(np.ma.masked_invalid(one.get_array().astype(float)), 9) for one in ax.images]


def corners(patch):
    return patch.get_patch_transform().transform(patch.get_path().vertices)


def points(ax):
    """The positions (n, 2) of everything drawn in data coordinates."""
    found = [line.get_xydata() for line in ax.lines if line.get_transform() == ax.transData]
    found += [corners(patch) for patch in ax.patches if patch.get_data_transform() == ax.transData]
    for one in ax.collections:
        scattered = isinstance(one, PathCollection)
        found += [np.ma.filled(one.get_offsets(), np.nan)] if scattered else [path.vertices for path in one.get_paths()]
    for text in ax.texts:
        if isinstance(text, Annotation):
            found += [text.xy] if text.xycoords == "data" else []
        elif text.get_transform() == ax.transData:
            found.append(text.get_position())
    return np.concatenate([np.empty((0, 2)), *(np.asarray(each, float).reshape(-1, 2) for each in found)])


def numbers(ax):
    """The numbers that lines, boxes, points and images are drawn from."""
    drawn = [points(ax), *xys(ax), *(np.ptp(corners(patch), axis=0) for patch in ax.patches)]
    arrays = [one.get_array() for one in [*ax.images, *ax.collections] if one.get_array() is not None]
    drawn += [np.ma.filled(np.ma.asarray(array, float), np.nan) for array in arrays]
    return np.concatenate([np.ravel(each).astype(float) for each in drawn])


def leaves(value):
    """The words and numbers in lists, dicts and arrays."""
    value = value.detach().numpy() if hasattr(value, "detach") else value
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple | set | range | np.ndarray):
        return {leaf for one in value for leaf in leaves(one)}
    return {value} if isinstance(value, str | int | float | np.number) and not isinstance(value, bool) else set()


def missing(given, figure):
    """The words and the numbers of the arguments that the figure neither draws nor writes."""
    text = "\n".join(word for ax in figure.axes for word in words(ax)).replace("−", "-")
    written = set(re.findall(r"-?[\d.,]*\d", text))
    shown = np.concatenate([numbers(ax) for ax in figure.axes])
    lost_words, lost_numbers = [], []
    for one in leaves(given):
        if isinstance(one, str):
            lost_words += [one] if one.strip() not in text else []
        elif not np.isclose(shown, one).any() and not {f"{one:g}", f"{one:.2f}", f"{one:,}"} & written:
            lost_numbers.append(one)
    return lost_words, lost_numbers


def outside(ax):
    """The points that lie beyond the ends of the axes."""
    low, high = np.sort([ax.get_xlim(), ax.get_ylim()]).T
    room = 1e-6 * (high - low)
    return [place.tolist() for place in points(ax) if (place < low - room).any() or (place > high + room).any()]


def alike(ax):
    """The names of curves that look like another one."""
    looks = {}
    for line in ax.lines:
        look = line.get_color(), line.get_linestyle(), line.get_marker(), line.get_markerfacecolor()
        looks.setdefault(str(look), set()).add(line.get_label())
    return [names for names in looks.values() if sum(not name.startswith("_") for name in names) > 1]
