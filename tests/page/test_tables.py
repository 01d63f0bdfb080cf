"""Tables and answers: one content as HTML on a page, Markdown in a notebook and text in a terminal."""

import html
import json
import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.page import answer, table
from tutorial_book.page.answers import in_words

VALUES = [[1, 0.5, "x"], [30522, 0.25, "y"]]
HEADS = ["size", "share", "kind"]
TAGS = ("div", "table", "caption", "span", "thead", "tr", "th", "td")


@pytest.fixture(autouse=True)
def on_a_page(monkeypatch):
    monkeypatch.setenv("TUTORIAL_LIB_STATIC", "1")


def example(**changes):
    usual = dict(values=VALUES, columns=HEADS, rows=["a", "b"], caption="Sizes.", form={"share": ".0%"})
    return table(**usual | changes)


def cells(shown):
    """The table's cells: (tag, attributes, text)."""
    return re.findall(r"<(caption|th|td|mark)\b([^>]*)>(?:<span>)?([^<]*)", shown._repr_html_())


def test_table_on_a_page_has_caption_and_headers():
    """Numbers are at the right, words at the left."""
    found = cells(example(mark=[("b", "size")]))
    assert found[0] == ("caption", "", "Sizes.")
    scopes = {text: attributes.split('"')[1] for tag, attributes, text in found if tag == "th"}
    assert scopes == dict.fromkeys(HEADS, "col") | dict.fromkeys("ab", "row")
    assert [text for tag, _, text in found if tag == "mark"] == ["30,522"]
    numbers = {text: "number" in attributes for tag, attributes, text in found if tag == "td" and text}
    assert numbers == {"1": True, "50%": True, "x": False, "25%": True, "y": False}


def test_table_is_markdown_in_a_notebook(monkeypatch):
    monkeypatch.delenv("TUTORIAL_LIB_STATIC")
    shown = example(columns=["token", *HEADS], mark=[(1, 0)])
    assert shown._repr_html_() is None
    assert shown._repr_markdown_() == (
        "Sizes.\n\n| token | size | share | kind |\n| :-- | --: | --: | :-- |\n"
        "| **a** | 1 | 50% | x |\n| **b** | **30,522** | 25% | y |"
    )


def test_columns_are_aligned_in_a_terminal():
    assert repr(example(mark=[("a", "share")])).split("\n") == [
        "Sizes.", "     size  share  kind", "a       1   *50%  x", "b  30,522    25%  y",
    ]  # fmt: skip


@pytest.mark.parametrize("values", [np.array([[1.0, 2.0]]), torch.tensor([[1.0, 2.0]]), [[torch.tensor(1.0), 2.0]]])
def test_arrays_tensors_and_lists_give_the_same(values):
    assert repr(table(values, "ab", caption="", form=".1f")).split() == ["a", "b", "1.0", "2.0"]
    assert repr(table([[torch.tensor(0.5), 1, None]], "abc", caption="")).split() == ["a", "b", "c", "0.50", "1"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_is_read_as_html(text):
    inside = table([[text]], [text], [text], caption=text)._repr_html_()
    for tag in TAGS:
        inside = inside.replace(f"</{tag}>", "")
    opened = [piece.split(">")[0].split()[0] for piece in inside.split("<")[1:]]
    assert set(opened) <= set(TAGS)


def test_no_token_is_read_as_markdown():
    shown = table([["a|b", "*c*"]], ["$d$", "_e_"], ["[f](g)"], caption="<i>")._repr_markdown_()
    assert r"a\|b | \*c\*" in shown and r"\$d\$ | \_e\_" in shown and r"\[f\](g)" in shown and "&lt;i&gt;" in shown


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(values=[]), "values must have at least one row and one column, got 0 and 3"),
        (dict(rows=["a"]), "rows must name the 2 rows of values, got 1 names"),
        (dict(columns=["size"]), "columns must match values: it names 1, but row 0 has 3"),
        (dict(values=[VALUES[0], [1, 2]]), "columns must match values: it names 3, but row 1 has 2"),
        (dict(form={"shares": ".0%"}), r"form must name columns of \['size', "),
        (dict(form={"share": "%d"}), "form must be a format such as '.2f', ',' or '.0%', got '%d' for 0.5"),
        (dict(mark=[("c", "size")]), r"mark must name a row \(a, b, or 0 to 1\) whose name is unique, got 'c'"),
        (dict(mark=[("a", 3)]), "mark must name a column .*, got 3"),
        (dict(rows=["a", "a"], mark=[("a", 0)]), "whose name is unique"),
    ],
)
def test_bad_tables_are_rejected(changes, message):
    with pytest.raises(ValueError, match=message):
        example(**changes)


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
def test_answer_tells_the_build_the_value(in_a_notebook, value, plain):
    answer("longer-key", value)
    page = in_a_notebook[0]["text/html"]
    found = re.match(r'<p data-guess="longer-key" data-answer="([^"]*)">', page)
    assert json.loads(html.unescape(found[1])) == plain
    assert html.escape(in_words(plain)) in page
    assert in_a_notebook[0]["text/plain"] == f"The answer to longer-key: {in_words(plain)}"


@pytest.mark.parametrize(
    "number, text",
    [(0, "0"), (16, "16"), (0.0, "0"), (16.0, "16"), (0.00012345, "0.000123"), (-2.5, "-2.5"), (12345.6, "12,346")],
)
def test_answers_have_three_digits(number, text):
    assert in_words(number) == text


@pytest.mark.parametrize(
    "name, value, message",
    [
        *((name, 1, "name must be the guess's name") for name in ("", "Two", "a b", "a--b", None, '"><')),
        *(("a", value, "value must be a finite number") for value in (float("nan"), torch.tensor(float("inf")))),
        *(("a", value, "value must be a choice") for value in (True, None, [1, 2], torch.ones(2), {"a": 1})),
    ],
)
def test_bad_answers_are_rejected(name, value, message):
    with pytest.raises((TypeError, ValueError), match=message):
        answer(name, value)
