"""A drawing becomes the files of the site: its layouts, each in the colors of two themes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tutorial_book import plots
from tutorial_book.page import layouts
from tutorial_book.plots.base import DARK, ON_DEEP_CELL, ON_PALE_CELL

sphinx_figures = pytest.importorskip("sphinx_figures")


def drawing(**options):
    figure, ax = plt.subplots(figsize=(7, 3))
    ax.plot([0, 1], **options)
    return figure


def test_a_wide_drawing_gives_four_files_and_a_narrow_one_two():
    svg = layouts.with_layouts(drawing())
    for text in (svg, svg.rstrip()):  # a cell's output may lose its last line end
        assert list(sphinx_figures.layouts(text)) == ["", "-phone", "-dark", "-phone-dark"]
    figure = drawing()
    figure.set_size_inches(3, 2)
    assert list(sphinx_figures.layouts(layouts.with_layouts(figure))) == ["", "-dark"]


def test_one_that_slides_show_has_a_layout_for_them(monkeypatch):
    monkeypatch.setenv("TUTORIAL_BOOK_SLIDES", "1")
    files = sphinx_figures.layouts(layouts.with_layouts(drawing()))
    assert sorted(files) == ["", "-dark", "-phone", "-phone-dark", "-slide", "-slide-dark"]
    assert len({sphinx_figures.size(files[end]) for end in ("", "-phone", "-slide")}) == 3
    assert files["-slide-dark"] == sphinx_figures.in_dark(files["-slide"])


def test_the_first_layout_no_longer_carries_the_others(monkeypatch):
    monkeypatch.setenv("TUTORIAL_BOOK_SLIDES", "1")
    files = sphinx_figures.layouts(layouts.with_layouts(drawing()))
    assert not any("<!--phone" in text or "<!--slide" in text for text in files.values())
    assert all(text.rstrip().endswith("</svg>") for text in files.values())


@pytest.mark.parametrize("color", plots.COLORS)
def test_the_dark_theme_has_a_color_for_each_of_the_palette(color):
    with plt.rc_context():
        plots.use_style()
        light = layouts.with_layouts(drawing(color=color))
    dark = sphinx_figures.layouts(light)["-dark"]
    assert f"stroke: {color.lower()}" in light and f"stroke: {color.lower()}" not in dark
    assert f"stroke: {DARK[color].lower()}" in dark


def test_a_matrix_turns_round_in_the_dark_with_the_ink_on_it_and_paper():
    ax = plots.heatmap([[0.0, 1.0]], digits=0, ax=plt.subplots(figsize=(7, 3))[1])
    light = layouts.with_layouts(ax.figure)
    dark = sphinx_figures.layouts(light)["-dark"]
    assert dark.count("<image ") == dark.count('<image filter="url(#turn)"') > 0 and dark.count('id="turn"') == 1
    for cell in (ON_PALE_CELL, ON_DEEP_CELL):
        assert f"fill: {cell.lower()}" in light and f"fill: {cell.lower()}" in dark
    assert [text.get_text() for text in ax.texts] == ["0", "1"]
    assert "fill: #ffffff" not in dark and f"fill: {DARK['#FFFFFF'].lower()}" in dark


def test_the_place_of_a_picture_is_known_before_it_loads():
    svg = '<svg xmlns="x" width="72pt" height="36pt" viewBox="0 0 72 36">'
    assert sphinx_figures.size(svg) == 'width="96" height="48"'


def panels(scale="linear", **options):
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), **options)
    for ax in axes:
        ax.plot([1, 10, 1000], [-0.5, 0.2, 0.3])
        ax.set_xscale(scale)
    return figure, axes


def place(ruler, value):
    """Where the page's script puts a number, by what the build told it."""
    scale = np.log if ruler["log"] else float
    (low, high), (start, end) = map(scale, ruler["values"]), ruler["places"]
    return start + (scale(value) - low) / (high - low) * (end - start)


@pytest.mark.parametrize("scale, values", [("linear", (0, 250, 999)), ("log", (2, 30, 999))])
def test_a_number_lies_where_matplotlib_puts_it(scale, values):
    figure, axes = panels(scale)
    text = sphinx_figures.layouts(layouts.with_layouts(figure))["-phone"]  # the layout that the figure is left in
    for panel, ax in enumerate(axes, 1):
        ruler = sphinx_figures.ruler(text, "x", panel)
        assert ruler["log"] == (scale == "log")
        low, high = ax.get_window_extent().intervalx
        for value in values:
            x = ax.transData.transform((value, 0))[0]
            share = (place(ruler, value) - ruler["along"][0]) / (ruler["along"][1] - ruler["along"][0])
            assert share == pytest.approx((x - low) / (high - low), abs=2e-3)


def test_two_powers_of_ten_are_a_logarithmic_axis():
    figure, axes = panels("log")
    axes[0].set_xticks([1, 1000], ["1", "1,000"])
    assert sphinx_figures.ruler(sphinx_figures.layouts(layouts.with_layouts(figure))[""], "x")["log"]


def test_panels_that_share_an_axis_count_by_the_numbers_of_the_first():
    figure, _ = panels(sharey=True)
    text = sphinx_figures.layouts(layouts.with_layouts(figure))[""]
    first, second = (sphinx_figures.ruler(text, "y", panel) for panel in (1, 2))
    assert first["values"] == second["values"] and first["places"] == second["places"]
    assert first["across"][1] < second["across"][0]
    top, bottom = (place(first, value) for value in (0.3, -0.5))
    assert first["along"][0] < top < bottom < first["along"][1]  # the page counts from above


def test_an_axis_without_numbers_counts_nothing():
    figure, axes = panels()
    for ax in axes:
        ax.set_xticks([1, 10], ["few", "many"])
    text = sphinx_figures.layouts(layouts.with_layouts(figure))[""]
    with pytest.raises(ValueError, match="panel 2 has no two ticks with numbers on its x axis"):
        sphinx_figures.ruler(text, "x", 2)
    with pytest.raises(ValueError, match="the drawing has no panel 3, it has 2"):
        sphinx_figures.ruler(text, "x", 3)
