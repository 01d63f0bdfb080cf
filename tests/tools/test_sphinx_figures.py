"""A drawing becomes the files of a page: two layouts, each in the colors of two themes."""

import matplotlib.pyplot as plt
import pytest

from tutorial_book import plots
from tutorial_book.page import phone
from tutorial_book.plots.base import DARK, ON_DEEP_CELL, ON_PALE_CELL

sphinx_figures = pytest.importorskip("sphinx_figures")


def drawing(**options):
    figure, ax = plt.subplots(figsize=(7, 3))
    ax.plot([0, 1], **options)
    return figure


def test_a_wide_drawing_gives_four_files_and_a_narrow_one_two():
    assert list(sphinx_figures.layouts(phone.both_layouts(drawing()))) == ["", "-dark", "-phone", "-phone-dark"]
    figure = drawing()
    figure.set_size_inches(3, 2)
    assert list(sphinx_figures.layouts(phone.both_layouts(figure))) == ["", "-dark"]


def test_the_first_layout_no_longer_carries_the_second():
    files = sphinx_figures.layouts(phone.both_layouts(drawing()))
    assert not any("<!--phone" in text for text in files.values())
    assert all(text.rstrip().endswith("</svg>") for text in files.values())


@pytest.mark.parametrize("color", plots.COLORS)
def test_the_dark_theme_has_a_color_for_each_of_the_palette(color):
    with plt.rc_context():
        plots.use_style()
        light = phone.both_layouts(drawing(color=color))
    dark = sphinx_figures.layouts(light)["-dark"]
    assert f"stroke: {color.lower()}" in light and f"stroke: {color.lower()}" not in dark
    assert f"stroke: {DARK[color].lower()}" in dark


def test_a_matrix_turns_round_in_the_dark_with_the_ink_on_it_and_paper():
    ax = plots.heatmap([[0.0, 1.0]], digits=0, ax=plt.subplots(figsize=(7, 3))[1])
    light = phone.both_layouts(ax.figure)
    dark = sphinx_figures.layouts(light)["-dark"]
    assert dark.count("<image ") == dark.count('<image filter="url(#turn)"') > 0 and dark.count('id="turn"') == 1
    for cell in (ON_PALE_CELL, ON_DEEP_CELL):
        assert f"fill: {cell.lower()}" in light and f"fill: {cell.lower()}" in dark
    assert [text.get_text() for text in ax.texts] == ["0", "1"]
    assert "fill: #ffffff" not in dark and f"fill: {DARK['#FFFFFF'].lower()}" in dark


def test_the_place_of_a_picture_is_known_before_it_loads():
    svg = '<svg xmlns="x" width="72pt" height="36pt" viewBox="0 0 72 36">'
    assert sphinx_figures.size(svg) == 'width="96" height="48"'
