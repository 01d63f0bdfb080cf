import matplotlib.pyplot as plt
import numpy as np
import pytest

from tutorial_book import plots
from tutorial_book.page import layouts
from tutorial_book.plots import parts
from tutorial_book.plots.base import COLORS
from tutorial_lib.training.pretraining import training_pairs


@pytest.fixture
def ax():
    return plt.subplots()[1]


def test_panels_fill_their_rows_and_what_is_left_of_the_last_row_is_empty():
    figure, axes = parts.panel_grid(5, 3, size=(1, 2), each=(2, 3), xlabel="x", ylabel="y")
    assert len(axes) == 5 and len(figure.axes) == 6 and not figure.axes[5].axison
    assert figure.get_size_inches().tolist() == [7, 8]
    assert [ax.get_xlabel() for ax in axes] == ["", "", "x", "x", "x"]  # what has nothing below it
    assert [ax.get_ylabel() for ax in axes] == ["y", "", "", "y", ""]


def test_fewer_panels_than_columns_make_a_narrower_figure():
    assert parts.panel_grid(2, 3, size=(0, 2), each=(2, 0))[0].get_size_inches().tolist() == [4, 2]


def test_each_curve_has_a_color_and_a_tuple_of_three_has_a_band(ax):
    parts.draw_curves(ax, {"a": [1, 2], "b": ([2, 3], [1, 2], [3, 5])}, [5, 6], markers="os", lines=("-", ":"))
    assert [line.get_color() for line in ax.lines] == COLORS[:2]
    assert [line.get_xdata().tolist() for line in ax.lines] == [[5, 6]] * 2
    assert [(line.get_marker(), line.get_linestyle()) for line in ax.lines] == [("o", "-"), ("s", ":")]
    [band] = ax.collections
    assert {tuple(point) for point in band.get_paths()[0].vertices} == {(5, 1), (6, 2), (6, 5), (5, 3)}


def test_an_outline_has_area_1_and_what_is_empty_has_none(ax):
    parts.draw_outlines(ax, {"a": [0.1, 0.2, 0.7], "nothing": []}, np.linspace(0, 1, 3))
    [outline] = ax.patches
    assert outline.get_path().vertices[:, 1].max() == pytest.approx(2 / 3 * 2)


def test_rows_stand_from_top_to_bottom_and_ticks_where_they_are_wanted(ax):
    parts.rows(ax, ["a", "b"])
    parts.ticks(ax.xaxis, [1, 2_000], "{:,}")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"] and ax.yaxis_inverted()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2,000"]


def test_a_box_and_an_ellipse_stand_around_their_points(ax):
    parts.box(ax, 1, 2, 4, 2)
    parts.ellipse(ax, (1, 2), [[1, 0], [0, 9]])
    box, ellipse = ax.patches
    assert (box.get_xy(), ellipse.center) == ((-1, 1), (1, 2))
    assert (ellipse.width, ellipse.height) == (12, 4) and abs(ellipse.angle) == 90


def test_a_head_that_is_not_sure_has_its_letter_in_brackets(ax):
    parts.letters(ax, [["open", "closed"]], [[True, False]], {"open": ("#FFFFFF", "O"), "closed": ("#000000", "C")})
    assert [text.get_text() for text in ax.texts] == ["O", "(C)"] and len(ax.patches) == 2


WORDS_IN_BOXES = {
    "heads on top": lambda: plots.bert.heads_on_top(
        ["[CLS]", "a", "b", "[MASK]", ".", "[SEP]", "c"], 0.6, 3, [("x", 0.5)], (128, 1_210)
    ),
    "mask": lambda: plots.heads.training_mask(training_pairs(["Karhut", "ovat", "karvaisia", "."]), np.eye(4)),
    "layers": plots.decoders.layers_side_by_side,
}


@pytest.mark.parametrize("name", WORDS_IN_BOXES)
def test_words_do_not_touch_the_sides_of_their_boxes_on_a_slide(name):
    with plt.rc_context():
        plots.use_style()
        WORDS_IN_BOXES[name]()
        figure = layouts.for_slide(plt.gcf())
        figure.canvas.draw()
    margins = {}
    for ax in figure.axes:
        boxes = [patch.get_window_extent() for patch in ax.patches]
        for text in (text for text in ax.texts if text.get_text()):
            word = text.get_window_extent()
            for box in boxes:
                if box.x0 < word.x0 + word.width / 2 < box.x1 and box.y0 < word.y0 and word.y1 < box.y1:
                    side = min(word.x0 - box.x0, box.x1 - word.x1) * 72 / figure.dpi  # points
                    margins[text.get_text()] = min(side, margins.get(text.get_text(), side))
    assert margins and {word: side for word, side in margins.items() if side < 3} == {}
