"""The answer to a guess: readable in a terminal, and on a page a piece of HTML that the build reads."""

import html
import json
import re

import numpy as np
import pytest
import torch

from tutorial_book.page import answer
from tutorial_book.page.guess import in_words


@pytest.mark.parametrize(
    "value, plain",
    [
        ("k<2>", "k<2>"),
        (3, 3),
        (np.float64(0.1), 0.1),
        (torch.tensor(7), 7),
        (("a", 'b"'), ["a", 'b"']),
        (np.array(["a", "b"]), ["a", "b"]),
    ],
)
def test_in_a_notebook_it_tells_the_build_the_exact_value(in_a_notebook, value, plain):
    answer("longer-key", value)
    found = re.match(r'<p data-guess="longer-key" data-answer="([^"]*)">', in_a_notebook[0]["text/html"])
    assert json.loads(html.unescape(found[1])) == plain
    assert html.escape(in_words(plain)) in in_a_notebook[0]["text/html"]
    assert in_a_notebook[0]["text/plain"] == f"The answer to longer-key: {in_words(plain)}"


@pytest.mark.parametrize(
    "number, text",
    [(0, "0"), (16, "16"), (0.0, "0"), (16.0, "16"), (0.00012345, "0.000123"), (-2.5, "-2.5"), (12345.6, "12,346")],
)
def test_a_number_is_read_with_three_digits_at_least_and_no_zeros_at_its_end(number, text):
    assert in_words(number) == text


@pytest.mark.parametrize("name", ["", "Two", "a b", "a--b", None, '"><'])
def test_a_name_is_small_letters_digits_and_hyphens(name):
    with pytest.raises(ValueError, match="name must be the guess's name"):
        answer(name, 1)


@pytest.mark.parametrize("value", [float("nan"), torch.tensor(float("inf"))])
def test_no_guess_is_compared_with_what_is_no_finite_number(value):
    with pytest.raises(ValueError, match="value must be a finite number"):
        answer("a", value)


@pytest.mark.parametrize("value", [True, None, [1, 2], torch.ones(2), {"a": 1}])
def test_another_kind_of_value_is_refused(value):
    with pytest.raises(TypeError, match="value must be a choice"):
        answer("a", value)
