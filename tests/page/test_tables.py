"""Tables: one content as HTML on a page, Markdown in a notebook and text in a terminal; what does not fit is told."""

from html.parser import HTMLParser

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.page import table

VALUES = [[1, 0.5, "x"], [30522, 0.25, "y"]]
HEADS = ["size", "share", "kind"]


@pytest.fixture(autouse=True)
def on_a_page(monkeypatch):
    monkeypatch.setenv("TUTORIAL_LIB_STATIC", "1")


def example(**changes):
    usual = dict(values=VALUES, columns=HEADS, rows=["a", "b"], caption="Sizes.", form={"share": ".0%"})
    return table(**usual | changes)


class Reader(HTMLParser):
    """The table's cells: (tag, attributes, text)."""

    def __init__(self, text):
        super().__init__()
        self.cells = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag in ("th", "td", "caption", "mark"):
            self.cells.append((tag, dict(attributes), ""))

    def handle_data(self, data):
        tag, attributes, text = self.cells[-1]
        self.cells[-1] = (tag, attributes, text + data)


def test_on_a_page_it_is_a_table_with_a_caption_and_heads_that_say_what_they_head():
    cells = Reader(example(mark=[("b", "size")])._repr_html_()).cells
    assert cells[0] == ("caption", {}, "Sizes.")
    assert [(text, attributes["scope"]) for tag, attributes, text in cells if tag == "th"] == [
        ("size", "col"), ("share", "col"), ("kind", "col"), ("a", "row"), ("b", "row"),
    ]  # fmt: skip
    assert [text for tag, _, text in cells if tag == "mark"] == ["30,522"]


def test_numbers_line_up_at_the_right_and_words_at_the_left():
    for tag, attributes, text in Reader(example()._repr_html_()).cells:
        if tag == "td" and text:
            assert (attributes.get("class") == "number") == (text not in "xy"), text


def test_in_a_notebook_it_is_markdown(monkeypatch):
    monkeypatch.delenv("TUTORIAL_LIB_STATIC")
    shown = example(columns=["token", *HEADS], mark=[(1, 0)])
    assert shown._repr_html_() is None
    assert shown._repr_markdown_() == (
        "Sizes.\n\n| token | size | share | kind |\n| :-- | --: | --: | :-- |\n"
        "| **a** | 1 | 50% | x |\n| **b** | **30,522** | 25% | y |"
    )


def test_in_a_terminal_its_columns_are_aligned():
    assert repr(example(mark=[("a", "share")])).split("\n") == [
        "Sizes.", "     size  share  kind", "a       1   *50%  x", "b  30,522    25%  y",
    ]  # fmt: skip


@pytest.mark.parametrize("make", [np.array, torch.tensor, list])
def test_arrays_tensors_and_lists_give_the_same_table(make):
    assert repr(table(make([[1.0, 2.0]]), "ab", caption="", form=".1f")).split() == ["a", "b", "1.0", "2.0"]


def test_a_row_may_mix_tensors_and_numbers():
    assert repr(table([[torch.tensor(0.5), 1, None]], "abc", caption="")).split() == ["a", "b", "c", "0.50", "1"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_is_read_as_html(text):
    shown = table([[text]], [text], [text], caption=text)._repr_html_()
    inside, tags = shown, ("div", "table", "caption", "span", "thead", "tr", "th", "td")
    for tag in tags:
        inside = inside.replace(f"</{tag}>", "")
    opened = [piece.split(">")[0].split()[0] for piece in inside.split("<")[1:]]
    assert set(opened) <= set(tags)


def test_no_token_is_read_as_markdown(monkeypatch):
    shown = table([["a|b", "*c*"]], ["$d$", "_e_"], ["[f](g)"], caption="<i>")._repr_markdown_()
    assert r"a\|b | \*c\*" in shown and r"\$d\$ | \_e\_" in shown and r"\[f\](g)" in shown and "&lt;i&gt;" in shown


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(values=[]), "a table needs rows and columns, got 0 and 3"),
        (dict(rows=["a"]), "rows must name the 2 rows of values, got 1 names"),
        (dict(columns=["size"]), "columns names 1 columns, but row 0 of values has 3"),
        (dict(values=[VALUES[0], [1, 2]]), "columns names 3 columns, but row 1 of values has 2"),
        (dict(form={"shares": ".0%"}), r"form names the columns \['shares'\], but there are \['size', "),
        (dict(form={"share": "%d"}), "form must be such as '.2f', ',' or '.0%', got '%d' for 0.5"),
        (dict(mark=[("c", "size")]), r"mark must name a row \(a, b, or 0 to 1; a name that stands once\), got 'c'"),
        (dict(mark=[("a", 3)]), "mark must name a column .*, got 3"),
        (dict(rows=["a", "a"], mark=[("a", 0)]), "a name that stands once"),
    ],
)
def test_what_does_not_fit_is_told(changes, message):
    with pytest.raises(ValueError, match=message):
        example(**changes)
