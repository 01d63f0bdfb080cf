"""Verdicts follow from two numbers, and a row's picture has both in their places."""

import re
from xml.etree import ElementTree

import pytest

from tutorial_book.experiments.survived import FAILED, OWN, PARTLY, PASSED, ROWS, numbers, picture, verdict

RIVAL, LEFT = (next(row for row in ROWS if row.left == left) for left in (False, True))


@pytest.mark.parametrize(
    "row, control, expected",
    [
        (RIVAL, 0.75, PASSED), (RIVAL, 0.8, PARTLY), (RIVAL, 0.85, FAILED), (RIVAL, 1.2, FAILED), (RIVAL, 0, PASSED),
        (LEFT, 0.67, PASSED), (LEFT, 0.5, PARTLY), (LEFT, 0.33, FAILED), (LEFT, -2, FAILED),
    ],
)  # fmt: skip
def test_verdict_follows_from_the_control(row, control, expected):
    assert verdict(row, 1, control) == expected
    assert numbers(0.15, 1.0) == "0.15, and 1.00"


@pytest.mark.parametrize("row", [RIVAL, LEFT])
def test_what_was_not_found_fails(row):
    assert verdict(row, -2.7, -18.7) == verdict(row, 0, 0) == FAILED


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_row_quotes_or_is_the_books_own(row):
    assert (row.where == OWN) == (not row.quote)
    assert row.model and row.control


@pytest.mark.parametrize("found, control", [(0.5, 0.25), (4, -21), (0.15, 0.97), (1, 1)])
def test_dot_and_square_are_at_the_numbers(found, control):
    drawing = ElementTree.fromstring(f"<div>{picture(found, control)}</div>")
    dot, square, line = (drawing.find(f".//{name}") for name in ("circle", "rect", "path"))
    low, high = min(0, found, control), max(0, found, control)
    zero = float(re.search(r"M([\d.]+) 6V16", line.get("d"))[1])
    for place, value in ((float(dot.get("cx")), found), (float(square.get("x")) + 5, control), (zero, 0)):
        assert place == pytest.approx(8 + 104 * (value - low) / (high - low), abs=0.06)
