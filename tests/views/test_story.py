"""What a decoder expects next: what Python says and draws, without a page."""

import re

import pytest

from tutorial_lib import load
from tutorial_lib.gpt import GPT
from tutorial_lib.tokenization import tokenizer_of
from tutorial_lib.views import story_view
from tutorial_lib.views.story import SHOWN, TEMPERATURE, spoken


@pytest.fixture(scope="module")
def view():
    return story_view(*load("book-gpt", "cpu"), "Mia had a kite. She lost it in the")


def test_the_default_state_tells_the_likeliest_tokens(view):
    gpt, tok = load("book-gpt", "cpu")
    z = gpt([tok.encode("<|endoftext|>Mia had a kite. She lost it in the").ids])[0][0, -1]
    p = (z / TEMPERATURE).softmax(-1)
    shown = [float(x) for x in re.findall(r"<td>([\d.]+)</td>", view.default)]
    assert len(shown) == SHOWN
    assert shown == pytest.approx(p.topk(SHOWN).values.tolist(), abs=6e-4)
    assert f"“{spoken(tok.decode([int(p.argmax())]))}” is likeliest" in view.say
    assert view.data["told"] and view.data["live"] == "book-gpt"


def test_what_a_view_tells_of_a_token():
    assert [spoken(piece) for piece in (" park", "ing", ".", " ", "\n", "<|endoftext|>")] == [
        "park", "…ing", ".", "(space)", "(space)", "(the end)"]  # fmt: skip


def test_a_beginning_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="text must be a str"):
        story_view(*load("book-gpt", "cpu"), 5)


def test_a_model_that_no_page_brings_is_not_live():
    gpt, _ = load("book-gpt", "cpu")
    assert story_view(GPT(gpt.config).eval(), tokenizer_of("book-gpt"), "Mia").data["live"] is None
