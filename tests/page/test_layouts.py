"""A figure's other layouts: a phone and a slide show all of it, in readable letters."""

import base64
import re
import zlib

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

from tutorial_book import plots
from tutorial_book.page import layouts

PHONE = (358, 9999)  # pixels that a phone of 390 has for a figure
SLIDE = (1240, 545), (936, 621)  # above the caption, or beside it


@pytest.fixture(autouse=True)
def style():
    with plt.rc_context():
        plots.use_style()
        yield
    plt.close("all")


def curves(columns, figsize=(8, 3), **options):
    figure, axes = plt.subplots(1, columns, figsize=figsize, squeeze=False, **options)
    for ax in axes[0]:
        ax.plot([0, 1], [0, 1], label="measured")
        ax.set(xlabel="layer", title="a title")
    axes[0, 0].set_ylabel("cosine")
    return figure


def with_small_letters(figure):
    figure.axes[0].text(0.1, 0.5, "small", fontsize=6)
    figure.axes[0].tick_params(labelsize=5)
    return figure


def smallest_letter(figure, *screens):
    """In pixels, where the picture fills the largest of these screens, with the margin that a notebook adds."""
    figure.canvas.draw()
    box = figure.get_tightbbox()
    points = min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text())
    return points / 72 * max(min(width / (box.width + 0.2), height / (box.height + 0.2)) for width, height in screens)


def places(figure):
    return [(spec.rowspan.start, spec.colspan.start) for ax in figure.axes if (spec := ax.get_subplotspec())]


def assert_apart(labels, axis, overlap=0):
    """Labels that follow each other at an axis (0 or 1) do not overlap."""
    labels = [label for label in labels if label.get_text()]
    labels[0].figure.canvas.draw()
    ends = sorted((box.min[axis], box.max[axis]) for box in (label.get_window_extent() for label in labels))
    assert all(one[1] <= other[0] + overlap for one, other in zip(ends, ends[1:]))


def test_panels_below_each_other_say_their_units():
    figure = curves(3, sharey=True)
    layouts.narrow(figure)
    assert places(figure) == [(0, 0), (1, 0), (2, 0)]
    assert [ax.get_ylabel() for ax in figure.axes] == ["cosine"] * 3
    assert all(ax.yaxis.get_tick_params()["labelleft"] for ax in figure.axes)
    assert figure.get_figwidth() == layouts.PHONE.width


@pytest.mark.parametrize("columns", [4, 8])
def test_many_small_panels_have_two_columns(columns):
    """And an empty position takes none."""
    figure = curves(columns)
    figure.axes[-1].lines[0].remove()
    figure.axes[-1].axis("off")
    layouts.narrow(figure)
    assert len(figure.axes) == columns - 1 and max(column for _, column in places(figure)) == 1


def test_figures_may_ask_for_their_layout():
    figure = curves(3)
    figure.phone = {"columns": 3, "panel_height": 1.2}
    layouts.narrow(figure)
    assert places(figure) == [(0, 0), (0, 1), (0, 2)] and figure.get_figheight() == pytest.approx(1.2)
    figure = curves(2)
    figure.slide = {"columns": 1, "size": (6, 4)}
    layouts.for_slide(figure)
    assert places(figure) == [(0, 0), (1, 0)] and figure.get_size_inches().tolist() == [6, 4]


@pytest.mark.parametrize("n, shown", [(12, 12), (40, 20)])
def test_names_below_a_matrix_stay_apart(n, shown):
    figure, ax = plt.subplots(figsize=(6, 6))
    ax.imshow(np.zeros((n, n)))
    ax.set_xticks(range(n), [f"token{i}" for i in range(n)])
    layouts.narrow(figure)
    names = [label.get_text() for label in ax.get_xticklabels() if label.get_text()]
    assert names == [f"token{i}" for i in range(0, n, n // shown)]
    assert_apart(ax.get_xticklabels(), 0, 1)


def test_names_at_either_axis_stay_apart():
    words = "The serendipitous bear waited patiently for spring".split()
    ax = plt.subplots(figsize=(8, 3))[1]
    ax.bar(words, range(len(words)))
    layouts.narrow(ax.figure)
    if not ax.get_xticklabels()[0].get_rotation():
        assert_apart(ax.get_xticklabels(), 0)
    ax = plots.heatmap(np.eye(16), rows=[f"row {i}" for i in range(16)], ax=plt.subplots(figsize=(9, 3))[1])
    layouts.narrow(ax.figure)
    assert_apart(ax.get_yticklabels(), 1, 2)


def test_letters_stay_readable_on_a_phone():
    figure = with_small_letters(curves(2))
    layouts.narrow(figure)
    assert smallest_letter(figure, PHONE) >= 9
    ax = plots.heatmap(np.eye(12), ax=plt.subplots(figsize=(9, 4))[1], label="weight")
    layouts.narrow(ax.figure)
    assert len(ax.figure.axes) == 2 and smallest_letter(ax.figure, PHONE) >= 9  # with its scale of colors


def test_numbers_fit_their_cells():
    ax = plots.heatmap([[0.41, -0.05, 1.0, 10.07] * 3], digits=2, ax=plt.subplots(figsize=(9, 3))[1])
    layouts.narrow(ax.figure)
    assert [text.get_text() for text in ax.texts][:4] == [".41", "-.05", "1.0", "10.07"]


@pytest.mark.parametrize("anchor", [None, (1, 1)])
def test_legend_moves_above_the_panel(anchor):
    figure = curves(1)
    figure.axes[0].legend(loc="upper left", bbox_to_anchor=anchor)
    layouts.narrow(figure)
    figure.canvas.draw()
    [legend] = figure.legends
    assert figure.axes[0].get_legend() is None and [text.get_text() for text in legend.get_texts()] == ["measured"]
    assert legend.get_window_extent().y0 >= figure.axes[0].get_window_extent().y1


@pytest.mark.parametrize("name", ["points", "dots"])
def test_marks_of_a_legend_keep_their_size(name):
    figure = curves(1)
    points = figure.axes[0].scatter([0, 1], [1, 0], s=9, label="points")
    figure.legend([figure.axes[0].lines[0], points], ["measured", name], markerscale=2)
    for _ in range(2):
        assert figure.legends[0].legend_handles[1].get_sizes() == [36]
        layouts.narrow(figure)


def test_different_legends_stay_with_their_panels():
    figure = curves(2)
    figure.axes[1].plot([0, 1], label="another")
    for ax in figure.axes:
        ax.legend()
    layouts.narrow(figure)
    assert not figure.legends and all(ax.get_legend() for ax in figure.axes)


def test_only_wide_figures_have_a_phone_layout():
    wide = layouts.with_layouts(curves(2))
    second = zlib.decompress(base64.b64decode(re.search(r"<!--phone (\S+)-->\s*$", wide)[1])).decode()
    widths = [float(re.search(r'width="([\d.]+)pt"', svg)[1]) / 72 for svg in (wide, second)]
    assert widths[0] > 7.5 and widths[1] <= layouts.PHONE.width + 0.4
    assert "<!--phone" not in layouts.with_layouts(curves(1, figsize=(3.5, 3)))


@pytest.mark.parametrize("columns, figsize", [(1, (9, 5)), (3, (9, 3)), (1, (6, 6))])
def test_last_row_can_read_a_slide(columns, figsize):
    assert smallest_letter(layouts.for_slide(with_small_letters(curves(columns, figsize))), *SLIDE) >= 24


@pytest.mark.parametrize("n, figsize, expected", [(4, (5, 10), (2, 2)), (3, (4, 9), (1, 3)), (6, (4, 12), (2, 3))])
def test_panels_in_a_column_fill_a_slide(n, figsize, expected):
    figure, axes = plt.subplots(n, 1, figsize=figsize)
    for ax in axes:
        ax.plot([0, 1])
    layouts.for_slide(figure)
    assert all(ax.yaxis.get_tick_params()["labelleft"] for ax in axes)
    assert tuple(max(place) + 1 for place in zip(*places(figure), strict=True)) == expected


def test_grids_stay_and_many_names_get_height():
    figure = plt.subplots(2, 3, figsize=(9, 6))[0]
    layouts.for_slide(figure)
    assert places(figure) == [(row, column) for row in range(2) for column in range(3)]
    ax = plots.heatmap(np.eye(14), rows=[f"row {i}" for i in range(14)], ax=plt.subplots(figsize=(9, 3.8))[1])
    assert layouts.for_slide(ax.figure).get_figheight() == layouts.SLIDES[1].height


def test_numbers_at_a_low_axis_are_fewer():
    figure, axes = plt.subplots(4, 1, figsize=(8, 6), sharex=True)
    figure.slide = {"columns": 1, "size": (6.8, 2)}
    for ax in axes:
        ax.plot([0, 1])
    layouts.for_slide(figure)
    for ax in axes:
        assert {label.get_fontsize() for label in ax.get_yticklabels()} == {10}
        assert_apart(ax.get_yticklabels(), 1, 1)


def test_slide_layout_leaves_the_others_alone(monkeypatch):
    undated = {"metadata": {"Date": None}}
    without = layouts.with_layouts(curves(2), **undated)
    monkeypatch.setenv("TUTORIAL_BOOK_SLIDES", "1")
    before = plt.get_fignums()
    assert re.sub(r"<!--slide \S+-->\n", "", layouts.with_layouts(curves(2), **undated)) == without
    assert len(plt.get_fignums()) == len(before) + 1
