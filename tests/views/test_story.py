"""What a decoder expects next: what Python says and draws, without a page."""

import re

import pytest

from tutorial_lib.gpt import GPT
from tutorial_lib.views import story_view
from tutorial_lib.views.story import SHOWN, TEMPERATURE, spoken


def test_default_state_shows_the_likeliest_tokens(book_gpt, book_bpe):
    view = story_view(book_gpt, book_bpe, "Mia had a kite. She lost it in the")
    z = book_gpt([book_bpe.encode("<|endoftext|>Mia had a kite. She lost it in the").ids])[0][0, -1]
    p = (z / TEMPERATURE).softmax(-1)
    shown = [float(x) for x in re.findall(r"<td>([\d.]+)</td>", view.default)]
    assert len(shown) == SHOWN
    assert shown == pytest.approx(p.topk(SHOWN).values.tolist(), abs=6e-4)
    assert f"“{spoken(book_bpe.decode([int(p.argmax())]))}” is likeliest" in view.say
    assert view.data["told"] and view.data["live"] == "book-gpt"


def test_beginning_without_a_choice_says_so(book_gpt, book_bpe):
    assert story_view(book_gpt, book_bpe, "Leo had a").say.endswith("no other is likely.")
    assert story_view(book_gpt, book_bpe, "Leo went to the").say.endswith("tokens may come.")


def test_tokens_are_named_in_words():
    named = {" park": "park", "ing": "…ing", ".": ".", " ": "(space)", "\n": "(space)", "<|endoftext|>": "(the end)"}
    assert {piece: spoken(piece) for piece in named} == named


def test_only_models_of_pages_are_live(book_gpt, book_bpe):
    assert story_view(GPT(book_gpt.config).eval(), book_bpe, "Mia").data["live"] is None
