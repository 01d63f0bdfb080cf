"""A formula's letters are marked where they stand as such, and mean what the chapter means by them."""

import pytest

speaks = pytest.importorskip("sphinx_speaks")


def test_a_letter_means_what_it_means_in_this_chapter():
    assert speaks.known("attention")["k"].meaning.startswith("a key")
    assert speaks.known("positions")["k"].meaning.startswith("a whole number")
    assert "E" not in speaks.known("tokenization") and "E" in speaks.known("attention")


@pytest.mark.parametrize(
    "formula, expected",
    [
        (r"Q K^\top", r"\class{sym-0}{Q} \class{sym-1}{K}^\top"),
        (r"\sqrt{d_k}", r"\sqrt{\class{sym-2}{d_k}}"),
        (r"x_K + K_i", r"x_K + \class{sym-1}{K}_i"),
        (r"x^{Q} + x^K", r"x^{Q} + x^K"),
        (r"e^{Q_K} / 2^{K}", r"e^{\class{sym-0}{Q}_K} / 2^{K}"),
        (r"\operatorname{QK}(Q)", r"\operatorname{QK}(\class{sym-0}{Q})"),
        (r"\text{Q and K}", r"\text{Q and K}"),
        (r"\begin{aligned} Q \end{aligned}", r"\begin{aligned} \class{sym-0}{Q} \end{aligned}"),
    ],
)
def test_letters_are_marked_and_words_are_not(formula, expected):
    assert speaks.marked(formula, ["Q", "K", "d_k"]) == expected


def test_what_is_told_has_the_formulas_and_the_name_in_code():
    row = speaks.known("attention")["d_k"]
    shown = speaks.told(row, "d_k")
    assert [node.tagname for node in shown] == ["#text", "math", "#text", "literal"] or shown[-1].astext() == "d_k"
    assert "query" in shown[0].astext()
