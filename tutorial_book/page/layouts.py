"""More layouts of a figure: for a phone, panels below each other; for a slide, letters readable from the last row."""

from __future__ import annotations

import base64
import itertools
import json
import math
import os
import pickle
import re
import textwrap
import zlib
from typing import NamedTuple

from matplotlib import rcParams
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator


class Room(NamedTuple):
    """The size of a figure, in inches, without a height if it may grow; no letter is smaller, in points."""

    width: float
    smallest: float
    names: float  # except that many names at an axis may shrink to this, so that they do not overlap
    height: float | None = None


PHONE = Room(3.9, 7.6, 7.6)  # 394 pixels with its margin; a phone shrinks that to nine tenths: letters of 9
# On a screen of 1280 by 720, with the caption below it or beside it: letters of 24 pixels.
SLIDES = [Room(6.8, 10, 7, 2.85), Room(5.05, 10, 7, 3.3)]
LETTER = 0.0074  # inches that a letter takes on average, for each point of its size


def with_layouts(figure, **options):
    """Return a figure as SVG, with its other layouts packed into comments at the end, for a phone unless it is narrow.

    Each layout ends with a comment that says where its `axes` lie. website/directives/figures.py makes the files of a
    page from it. Only a chapter with slides has layouts for them.
    """
    from IPython.core.pylabtools import print_figure

    def drawn(figure):
        svg = print_figure(figure, fmt="svg", **options)
        return svg and f"{svg.rstrip()}\n<!--axes {json.dumps(axes(figure))}-->\n"

    wide = drawn(figure)
    if wide is None:
        return None
    made = [wide.rstrip()]

    def add(name, figure):
        made.append(f"<!--{name} {base64.b64encode(zlib.compress(drawn(figure).encode(), 9)).decode()}-->")

    if os.environ.get("TUTORIAL_BOOK_SLIDES"):
        add("slide", for_slide(copied(figure)))
    if figure.get_figwidth() > PHONE.width + 0.4:
        narrow(figure)
        add("phone", figure)
    return "\n".join(made) + "\n"


def axes(figure):
    """Return, for each panel of a drawn figure and both axes: the scale, the values at its ends, and their positions.

    The scale is matplotlib's, or "names" if the ticks have no numbers.
    Positions are shares of the drawing's width or height, from its upper left corner, cropped as `print_figure` does.
    """
    crop = figure.get_tightbbox().padded(rcParams["savefig.pad_inches"])  # in inches
    found = []
    for ax in figure.axes:
        box = ax.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
        x = [(end - crop.x0) / crop.width for end in (box.x0, box.x1)]
        y = [(crop.y1 - end) / crop.height for end in (box.y0, box.y1)]
        ends = {"x": (ax.xaxis, ax.get_xlim(), x), "y": (ax.yaxis, ax.get_ylim(), y)}
        panel = {}
        for name, (axis, limits, places) in ends.items():
            ticks = "".join(label.get_text() for label in axis.get_ticklabels())
            scale = "names" if ticks and not re.search(r"\d", ticks) else axis.get_scale()
            places = [round(place, 4) for place in places]
            panel[name] = {"scale": scale, "values": [*map(float, limits)], "places": places}
        found.append(panel)
    return found


def copied(figure):
    """Return a copy of the figure, not shown."""
    import matplotlib.pyplot as plt
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    copy = pickle.loads(pickle.dumps(figure))
    plt.close(copy)
    FigureCanvasAgg(copy)
    return copy


def narrow(figure):
    """Change a drawn figure's layout permanently, so that a phone shows all of it in readable letters.

    The drawing code can override it: `figure.phone = {"columns": 3, "panel_height": 1.2}`, in inches, or either.
    """
    wish = getattr(figure, "phone", {})
    (width, height), (rows, columns) = figure.get_size_inches(), _grid(figure)
    new_rows, new_columns = _restack(figure, wish.get("columns") or _phone_columns(figure))
    ratio = (PHONE.width / new_columns) / (width / columns)
    equal = any(ax.get_aspect() != "auto" and ax.get_adjustable() == "box" for ax in figure.axes)
    share = height / rows * min(1, ratio) ** (1 if equal else 0.5)
    share = share if equal else max(share, min(1.9, height / rows))
    _lay_out(figure, PHONE._replace(height=new_rows * wish.get("panel_height", share)), new_columns, grows=True)


def for_slide(figure):
    """Change a drawn figure's layout permanently to a slide's size, in letters readable from the last row.

    The drawing code can override it: `figure.slide = {"columns": 3, "size": (6, 4)}`, in inches, or either. The larger
    it is, the smaller are its letters on the slide.
    """
    wish, (width, height), (rows, columns) = getattr(figure, "slide", {}), figure.get_size_inches(), _grid(figure)
    n_panels = len(_filled(figure)) or 1
    most_names = max((len(ax.get_yticks()) for ax in figure.axes), default=0)

    def misfit(choice):
        """Score how much panels change shape, how much space is empty, and how crowded the names at an axis are."""
        room, new_columns = choice
        new_rows = -(-n_panels // new_columns)
        shape = room.width / new_columns / (room.height / new_rows) / (width / columns / (height / rows))
        crowd = most_names * 1.2 * room.smallest / 72 / max(0.1, (room.height - 0.6) / new_rows - 0.2)
        return abs(math.log(shape)) + 2 * math.log(new_rows * new_columns / n_panels) + 4 * math.log(max(1, crowd))

    rooms = [SLIDES[0]._replace(width=size[0], height=size[1]) for size in [wish.get("size")] if size] or SLIDES
    counts = [wish["columns"]] if "columns" in wish else _slide_columns(figure)
    room, new_columns = min(itertools.product(rooms, counts), key=misfit)
    _lay_out(figure, room, _restack(figure, new_columns)[1])
    return figure


def _lay_out(figure, room, columns, grows=False):
    """Apply the common part of both: large letters that do not overlap. grows: by the height of its legend."""
    figure.set_size_inches(room.width, room.height)
    _enlarge(figure, room.smallest)
    _wrap(figure, room.width / columns)
    legend = _legend_above(figure, room)
    if grows:
        figure.set_figheight(room.height + legend)
    figure.canvas.draw()
    _clear_ticks(figure, room.names)
    _fit_cells(figure)


def _panels(figure):
    """Return the axes at each position of the figure's grid, in reading order; none without a plain grid."""
    panels = {}
    for ax in figure.axes:
        if (spec := ax.get_subplotspec()) is not None:
            panels.setdefault((spec.rowspan.start, spec.colspan.start), []).append(ax)
    specs = [panel[0].get_subplotspec() for panel in panels.values()]
    plain = len({spec.get_gridspec() for spec in specs}) == 1
    plain &= all(len(spec.rowspan) == len(spec.colspan) == 1 for spec in specs)
    return dict(sorted(panels.items())) if plain else {}


def _grid(figure):
    panels = _panels(figure)
    return next(iter(panels.values()))[0].get_gridspec().get_geometry() if panels else (1, 1)


def _is_empty(ax):
    return not (ax.axison or ax.has_data() or ax.texts or getattr(ax, "_colorbars", []))


def _filled(figure):
    return {place: axes for place, axes in _panels(figure).items() if not all(map(_is_empty, axes))}


def _phone_columns(figure):
    """Return as many columns as fit."""
    panels, width = _filled(figure), figure.get_figwidth() / _grid(figure)[1]
    bare = not any(ax.get_xlabel() or len(ax.get_xticks()) for axes in panels.values() for ax in axes)
    square = all(axes[0].get_aspect() != "auto" for axes in panels.values())
    return min(_grid(figure)[1], 2 if bare or len(panels) > 4 or width < (2.7 if square else 2.3) else 1)


def _slide_columns(figure):
    """Return the possible numbers of columns: a line of panels may be broken, and rows that belong together stay."""
    rows, columns = _grid(figure)
    n_panels = len(_filled(figure))
    return range(1, n_panels + 1) if 1 in (rows, columns) and n_panels else [columns]


def _restack(figure, columns):
    """Arrange the panels in this many columns; returns the new rows and columns."""
    panels = _filled(figure)
    if not panels:
        return 1, 1
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    if columns == _grid(figure)[1]:
        return _grid(figure)
    for axes in _panels(figure).values():
        for ax in axes:
            if _is_empty(ax):
                ax.remove()
    grid = figure.add_gridspec(rows, columns)
    in_order = list(panels.values())
    first_of_row = {row: panels[row, column][0] for row, column in reversed(panels)}
    for k, ((row, _), axes) in enumerate(panels.items()):
        for ax in axes:
            ax.set_subplotspec(grid[k // columns, k % columns])
            first = first_of_row[row]
            if _shares(ax, first, "y"):
                ax.tick_params(labelleft=k % columns == 0 or not _shares(ax, in_order[k - 1][0], "y"))
                if columns == 1 and not ax.get_ylabel():
                    ax.set_ylabel(first.get_ylabel())
            if len(ax.get_shared_x_axes().get_siblings(ax)) > 1:
                ax.tick_params(labelbottom=k + columns >= len(panels))
    return rows, columns


def _shares(ax, other, axis):
    return other in getattr(ax, f"get_shared_{axis}_axes")().get_siblings(ax)


def _enlarge(figure, smallest):
    """Make no letter too small to read."""
    for text in figure.findobj(Text):
        if text.get_text() and text.get_fontsize() < smallest:
            text.set_fontsize(smallest)
    for ax in figure.axes:
        for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
            if any(label.get_fontsize() < smallest for label in axis.get_ticklabels()):
                ax.tick_params(axis=name, labelsize=smallest)


def _wrap(figure, width):
    """Break titles and names of axes into as many lines as they need; formulas stay whole."""
    for ax in figure.axes:
        height = ax.get_position().height * figure.get_figheight()
        for text, room in ((ax._left_title, width - 0.5), (ax.title, width - 0.3), (ax.xaxis.label, width - 0.3),
                           (ax.yaxis.label, max(height, 1.5))):  # fmt: skip
            said = text.get_text()
            if said and "$" not in said and "\n" not in said:
                letters, said = max(8, int(room / LETTER / text.get_fontsize())), said.replace(" = ", "\xa0=\xa0")
                text.set_text(textwrap.fill(said, letters, break_long_words=False))


def _legend_above(figure, room):
    """Move the legend above the panels, if all share one or one has it; returns the inches it takes."""
    legends = [*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend())]
    said = {tuple(text.get_text() for text in legend.get_texts()) for legend in legends}
    if len(said) != 1 or not any(said):
        return 0
    names, handles, scale = [*said.pop()], legends[0].legend_handles, 1
    for ax in figure.axes:  # the drawn objects themselves, if the legend shows them
        own = ax.get_legend_handles_labels()
        if [*own[1]] == names:
            handles, scale = own[0], legends[0].markerscale  # the legend's own marks already have it
    title = legends[0].get_title().get_text()
    size = max(room.smallest, legends[0].get_texts()[0].get_fontsize())
    for legend in legends:
        legend.remove()
    renderer = figure.canvas.get_renderer()
    for columns in range(min(round(room.width), len(names)), 0, -1):
        above = figure.legend(handles, names, title=title or None, fontsize=size, loc="outside upper left",
                              ncols=columns, columnspacing=1, handlelength=1.6, markerscale=scale)  # fmt: skip
        box = above.get_window_extent(renderer)
        if box.width <= room.width * figure.dpi or columns == 1:
            return box.height / figure.dpi
        above.remove()


def _clear_ticks(figure, smallest):
    """Rotate the names at a horizontal axis if they overlap, and thin out its numbers."""
    for ax in figure.axes:
        names = [label for label in ax.get_yticklabels() if label.get_visible() and label.get_text()]
        room = 72 * ax.get_window_extent().height / figure.dpi / max(1, len(names))  # points for each line
        is_crowded = names and 1.2 * names[0].get_fontsize() > room
        if is_crowded and isinstance(ax.yaxis.get_major_locator(), MaxNLocator):
            ax.locator_params(axis="y", nbins=max(1, int(len(names) * room / 1.5 / names[0].get_fontsize())))
        elif is_crowded:
            ax.tick_params(axis="y", labelsize=max(smallest, room / 1.2))
        labels = [label for label in ax.get_xticklabels() if label.get_visible() and label.get_text()]
        boxes = [label.get_window_extent() for label in labels]
        if all(left.x1 + 2 < right.x0 for left, right in zip(boxes, boxes[1:], strict=False)):
            continue
        if isinstance(ax.xaxis.get_major_locator(), MaxNLocator):
            ax.locator_params(axis="x", nbins=min(4, max(2, int(2 * ax.get_window_extent().width / figure.dpi))))
        elif all(re.fullmatch(r"[-−\d.,]+", label.get_text()) for label in labels):
            ax.set_xticks(ax.get_xticks()[::2], [label.get_text() for label in ax.get_xticklabels()][::2])
        elif labels[0].get_rotation() or len(labels) > 8:
            room = 72 * ax.get_window_extent().width / figure.dpi / len(labels)  # points for each name
            size = min(labels[0].get_fontsize(), max(smallest, room))
            ax.tick_params(axis="x", labelrotation=90, labelsize=size)
            if size > 1.1 * room and len(labels) == len(ax.get_xticks()):  # every second name can be read
                ax.set_xticks(ax.get_xticks()[::2], [label.get_text() for label in labels][::2])
        else:
            ax.tick_params(axis="x", labelrotation=45)


def _fit_cells(figure):
    """Shorten numbers that are wider than the cells of their matrix by their first or last zero: .41 and 1.0."""
    for ax in figure.axes:
        if not (ax.images and ax.texts):
            continue
        cell = ax.get_window_extent().width / ax.images[0].get_array().shape[1]
        if max(text.get_window_extent().width for text in ax.texts) > cell:
            for text in ax.texts:
                text.set_text(re.sub(r"(?<!\d)0(?=\.)|(?<=1\.0)0$", "", text.get_text()))
