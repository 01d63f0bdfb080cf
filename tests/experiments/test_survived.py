"""Verdicts follow from two numbers, and a row's picture has both in their places."""

import re
from xml.etree import ElementTree

import pytest

from tutorial_book.experiments.survived import FAILED, PARTLY, PASSED, ROWS, Board, picture, stored, verdict

RIVAL, LEFT = (next(row for row in ROWS if row.left == left) for left in (False, True))


@pytest.mark.parametrize(
    "row, control, expected",
    [
        (RIVAL, 0.75, PASSED), (RIVAL, 0.8, PARTLY), (RIVAL, 0.85, FAILED), (RIVAL, 1.2, FAILED), (RIVAL, 0, PASSED),
        (LEFT, 0.67, PASSED), (LEFT, 0.5, PARTLY), (LEFT, 0.33, FAILED), (LEFT, -2, FAILED),
    ],
)  # fmt: skip
def test_a_rival_must_stay_behind_and_what_is_left_must_be_much(row, control, expected):
    assert verdict(row, 1, control) == expected


@pytest.mark.parametrize("found, control", [(0.5, 0.25), (4, -21), (0.15, 0.97), (1, 1)])
def test_dot_and_square_stand_where_the_numbers_are_inside_the_picture(found, control):
    drawing = ElementTree.fromstring(f"<div>{picture(found, control)}</div>")
    dot, square, line = (drawing.find(f".//{name}") for name in ("circle", "rect", "path"))
    low, high = min(0, found, control), max(0, found, control)
    zero = float(re.search(r"M([\d.]+) 6V16", line.get("d"))[1])
    for place, value in ((float(dot.get("cx")), found), (float(square.get("x")) + 5, control), (zero, 0)):
        assert place == pytest.approx(8 + 104 * (value - low) / (high - low), abs=0.06)


def test_a_board_says_the_same_in_a_page_a_notebook_and_a_terminal():
    board = Board(ROWS[:2], stored(), "Two findings.")
    page, notebook, terminal = board._repr_html_(), board._repr_markdown_(), repr(board)
    for text in (page, notebook, terminal):
        assert text.count("passed") == 2 and "0.99, and 0.66" in text and "Two findings." in text
    assert page.count("<svg") == 2 and 'html[data-theme="dark"]' in page
