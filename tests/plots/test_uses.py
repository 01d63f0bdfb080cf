"""Intervals under one another: what is drawn is what was given, and color says what leaves 0 out."""

import numpy as np
import pytest

from tutorial_book import plots

NAMES, VALUES = ["nurse", "tree", "soldier"], [0.1, 0.01, -0.07]
LOWS, HIGHS = [0.08, -0.01, -0.09], [0.12, 0.03, -0.05]


def test_rows_are_sorted_and_show_value_and_interval():
    ax = plots.uses.intervals(NAMES, VALUES, LOWS, HIGHS, label="leaning")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["soldier", "tree", "nurse"]
    lines, dots = ax.lines[1::2], ax.lines[2::2]
    for row, i in enumerate([2, 1, 0]):
        np.testing.assert_allclose(lines[row].get_xdata(), [LOWS[i], HIGHS[i]])
        assert dots[row].get_xdata() == [VALUES[i]] and dots[row].get_ydata() == [row]
    assert ax.get_xlabel() == "leaning"


def test_color_marks_intervals_that_leave_zero_out():
    ax = plots.uses.intervals(NAMES, VALUES, LOWS, HIGHS, sides=("man's", "woman's"))
    colors = [line.get_color() for line in ax.lines[2::2]]
    assert colors == [plots.COLORS[0], "0.45", plots.COLORS[1]]
    assert [text.get_text() for text in ax.texts] == ["man's", "woman's"]


def test_zero_stands_in_the_middle():
    left, right = plots.uses.intervals(NAMES, VALUES, LOWS, HIGHS).get_xlim()
    assert left == -right and right > 0.12


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="as many, got 3, 2, 3 and 3"):
        plots.uses.intervals(NAMES, VALUES[:2], LOWS, HIGHS)
