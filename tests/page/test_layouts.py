"""A figure's other layouts: a phone and a slide show all of it, in letters that can be read."""

import base64
import re
import zlib

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

from tutorial_book import plots
from tutorial_book.page import layouts

SCREEN = 358  # pixels that a phone of 390 has for a figure


@pytest.fixture(autouse=True)
def style():
    with plt.rc_context():
        plots.use_style()
        yield


def curves(columns, figsize=(8, 3), **options):
    figure, axes = plt.subplots(1, columns, figsize=figsize, squeeze=False, **options)
    for ax in axes[0]:
        ax.plot([0, 1], [0, 1], label="measured")
        ax.set(xlabel="layer", title="a title")
    axes[0, 0].set_ylabel("cosine")
    return figure


def smallest_letter(figure):
    """In pixels, on the screen of a phone."""
    figure.canvas.draw()
    wide = figure.get_tightbbox().width + 0.2  # inches, with the margin that a notebook adds
    points = min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text())
    return points / 72 / wide * SCREEN


def places(figure):
    return [(spec.rowspan.start, spec.colspan.start) for ax in figure.axes if (spec := ax.get_subplotspec())]


def test_panels_stand_below_each_other_and_each_says_its_units():
    figure = curves(3, sharey=True)
    layouts.narrow(figure)
    assert places(figure) == [(0, 0), (1, 0), (2, 0)]
    assert [ax.get_ylabel() for ax in figure.axes] == ["cosine"] * 3
    assert all(ax.yaxis.get_tick_params()["labelleft"] for ax in figure.axes)
    assert figure.get_figwidth() == layouts.PHONE.width


@pytest.mark.parametrize("columns, expected", [(4, 2), (8, 2)])
def test_small_panels_and_many_stand_in_two_columns(columns, expected):
    figure = curves(columns)
    layouts.narrow(figure)
    assert max(column for _, column in places(figure)) + 1 == expected


def test_a_figure_may_ask_for_its_layout():
    figure = curves(3)
    figure.phone = {"columns": 3, "panel_height": 1.2}
    layouts.narrow(figure)
    assert places(figure) == [(0, 0), (0, 1), (0, 2)] and figure.get_figheight() == pytest.approx(1.2)


def test_places_that_are_empty_take_none():
    figure, axes = plt.subplots(2, 3, figsize=(8, 5))
    for ax in axes.flat[:5]:
        ax.plot([0, 1])
    axes.flat[5].axis("off")
    layouts.narrow(figure)
    assert len(figure.axes) == 5


@pytest.mark.parametrize("n, shown", [(12, 12), (40, 20)])
def test_names_below_a_matrix_do_not_run_into_each_other(n, shown):
    figure, ax = plt.subplots(figsize=(6, 6))
    ax.imshow(np.zeros((n, n)))
    ax.set_xticks(range(n), [f"token{i}" for i in range(n)])
    layouts.narrow(figure)
    names = [label for label in ax.get_xticklabels() if label.get_text()]
    assert [label.get_text() for label in names] == [f"token{i}" for i in range(0, n, n // shown)]
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in names]
    assert all(one.x1 <= other.x0 + 1 for one, other in zip(boxes, boxes[1:], strict=False))


def test_letters_stay_large_enough():
    figure = curves(2)
    figure.axes[0].text(0.1, 0.5, "small", fontsize=6)
    figure.axes[0].tick_params(labelsize=5)
    layouts.narrow(figure)
    assert smallest_letter(figure) >= 9


@pytest.mark.parametrize("anchor", [None, (1, 1)])
def test_one_legend_stands_above(anchor):
    figure = curves(1)
    figure.axes[0].legend(loc="upper left", bbox_to_anchor=anchor)
    layouts.narrow(figure)
    figure.canvas.draw()
    [legend] = figure.legends
    assert figure.axes[0].get_legend() is None and [text.get_text() for text in legend.get_texts()] == ["measured"]
    assert legend.get_window_extent().y0 >= figure.axes[0].get_window_extent().y1


@pytest.mark.parametrize("own", [True, False])
def test_the_marks_of_a_legend_stay_as_large_as_they_were(own):
    figure = curves(1)
    points = figure.axes[0].scatter([0, 1], [1, 0], s=9, label="points")
    handles = [figure.axes[0].lines[0], points]
    figure.legend(handles, ["measured", "points" if own else "dots"], markerscale=2)
    assert figure.legends[0].legend_handles[1].get_sizes() == [36]
    layouts.narrow(figure)
    assert figure.legends[0].legend_handles[1].get_sizes() == [36]


def test_legends_that_differ_stay_with_their_panels():
    figure = curves(2)
    figure.axes[1].plot([0, 1], label="another")
    for ax in figure.axes:
        ax.legend()
    layouts.narrow(figure)
    assert not figure.legends and all(ax.get_legend() for ax in figure.axes)


def test_names_at_an_axis_do_not_run_into_each_other():
    words = "The serendipitous bear waited patiently for spring".split()
    _, ax = plt.subplots(figsize=(8, 3))
    ax.bar(words, range(len(words)))
    layouts.narrow(ax.figure)
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert ax.get_xticklabels()[0].get_rotation() or all(a.x1 < b.x0 for a, b in zip(boxes, boxes[1:]))


def test_a_wide_figure_carries_its_second_layout_and_a_narrow_one_has_none():
    wide = layouts.with_layouts(curves(2))
    packed = re.search(r"<!--phone (\S+)-->\s*$", wide)[1]
    second = zlib.decompress(base64.b64decode(packed)).decode()
    widths = [float(re.search(r'width="([\d.]+)pt"', svg)[1]) / 72 for svg in (wide, second)]
    assert widths[0] > 7.5 and widths[1] <= layouts.PHONE.width + 0.4
    assert "<!--phone" not in layouts.with_layouts(curves(1, figsize=(3.5, 3)))


def test_a_matrix_keeps_its_scale_of_colors():
    ax = plots.heatmap(np.eye(12), ax=plt.subplots(figsize=(9, 4))[1], label="weight")
    layouts.narrow(ax.figure)
    assert len(ax.figure.axes) == 2 and smallest_letter(ax.figure) >= 9


def test_numbers_fit_their_cells():
    ax = plots.heatmap([[0.41, -0.05, 1.0, 10.07] * 3], digits=2, ax=plt.subplots(figsize=(9, 3))[1])
    layouts.narrow(ax.figure)
    assert [text.get_text() for text in ax.texts][:4] == [".41", "-.05", "1.0", "10.07"]


def test_lines_of_names_at_the_other_axis_do_not_run_into_each_other():
    ax = plots.heatmap(np.eye(16), rows=[f"row {i}" for i in range(16)], ax=plt.subplots(figsize=(9, 3))[1])
    layouts.narrow(ax.figure)
    ax.figure.canvas.draw()
    boxes = sorted((label.get_window_extent() for label in ax.get_yticklabels()), key=lambda box: box.y0)
    assert all(low.y1 - 2 <= high.y0 for low, high in zip(boxes, boxes[1:]))


def on_slide(figure):
    """The smallest letters, in pixels, where the picture fills the room above its caption or beside it."""
    figure.canvas.draw()
    box = figure.get_tightbbox()
    width, height = box.width + 0.2, box.height + 0.2
    points = min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text())
    return points / 72 * max(min(1240 / width, 545 / height), min(936 / width, 621 / height))


@pytest.mark.parametrize("columns, figsize", [(1, (9, 5)), (2, (8, 3)), (3, (9, 3)), (1, (6, 6))])
def test_the_last_row_reads_what_a_slide_shows(columns, figsize):
    figure = curves(columns, figsize)
    figure.axes[0].text(0.1, 0.5, "small", fontsize=6)
    figure.axes[0].tick_params(labelsize=5)
    assert on_slide(layouts.for_slide(figure)) >= 24


@pytest.mark.parametrize("n, figsize, expected", [(4, (5, 10), (2, 2)), (3, (4, 9), (1, 3)), (6, (4, 12), (2, 3))])
def test_panels_in_a_column_fill_a_slide(n, figsize, expected):
    figure, axes = plt.subplots(n, 1, figsize=figsize)
    for ax in axes:
        ax.plot([0, 1])
    layouts.for_slide(figure)
    assert all(ax.yaxis.get_tick_params()["labelleft"] for ax in axes)
    assert tuple(max(place) + 1 for place in zip(*places(figure), strict=True)) == expected


def test_rows_that_belong_to_each_other_stay():
    figure, axes = plt.subplots(2, 3, figsize=(9, 6))
    layouts.for_slide(figure)
    assert places(figure) == [(row, column) for row in range(2) for column in range(3)]


def test_many_names_get_the_higher_room():
    ax = plots.heatmap(np.eye(14), rows=[f"row {i}" for i in range(14)], ax=plt.subplots(figsize=(9, 3.8))[1])
    assert layouts.for_slide(ax.figure).get_figheight() == layouts.SLIDES[1].height


def test_a_figure_may_ask_for_its_layout_on_a_slide():
    figure = curves(2)
    figure.slide = {"columns": 1, "size": (6, 4)}
    layouts.for_slide(figure)
    assert places(figure) == [(0, 0), (1, 0)] and figure.get_size_inches().tolist() == [6, 4]


def test_numbers_at_a_low_axis_are_thinned_out():
    figure, axes = plt.subplots(4, 1, figsize=(8, 6), sharex=True)
    figure.slide = {"columns": 1, "size": (6.8, 2)}
    for ax in axes:
        ax.plot([0, 1])
    layouts.for_slide(figure)
    figure.canvas.draw()
    for ax in axes:
        boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
        assert label_sizes(ax) == {10} and all(low.y1 <= high.y0 + 1 for low, high in zip(boxes, boxes[1:]))


def label_sizes(ax):
    return {label.get_fontsize() for label in ax.get_yticklabels()}


def test_the_layout_for_slides_leaves_the_others_as_they_are(monkeypatch):
    undated = {"metadata": {"Date": None}}
    without = layouts.with_layouts(curves(3), **undated)
    monkeypatch.setenv("TUTORIAL_BOOK_SLIDES", "1")
    before = plt.get_fignums()
    assert re.sub(r"<!--slide \S+-->\n", "", layouts.with_layouts(curves(3), **undated)) == without
    assert len(plt.get_fignums()) == len(before) + 1
