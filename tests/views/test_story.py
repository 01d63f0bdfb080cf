"""A decoder's predictions: the first picture and its sentence."""

import json
import re

import pytest

from tutorial_lib.gpt import GPT
from tutorial_lib.views import base, still, story_view
from tutorial_lib.views.story import TEMPERATURE


def test_default_state_shows_the_likeliest_tokens(book_gpt, book_bpe):
    view = story_view(book_gpt, book_bpe, "Mia had a kite. She lost it in the")
    z = book_gpt([book_bpe.encode("<|endoftext|>Mia had a kite. She lost it in the").ids])[0][0, -1]
    p = (z / TEMPERATURE).softmax(-1)
    shown = [float(x) for x in re.findall(r"<td>([\d.]+)</td>", view.default)]
    assert shown == pytest.approx(p.topk(10).values.tolist(), abs=6e-4)
    widths = [float(x) / 100 for x in re.findall(r"width:([\d.]+)%", view.default)]
    assert widths == pytest.approx(shown, abs=1.1e-3)
    assert f"“{book_bpe.decode([int(p.argmax())]).strip()}” is likeliest" in view.say
    assert view.data["told"] and view.data["live"] == "book-gpt"


def test_beginning_without_a_choice_says_so(book_gpt, book_bpe):
    assert story_view(book_gpt, book_bpe, "Leo had a").say.endswith("no other is likely.")
    assert story_view(book_gpt, book_bpe, "Leo went to the").say.endswith("tokens have a chance.")


def test_tokens_are_named_in_words():
    named = {" park": "park", "ing": "…ing", ".": ".", " ": "(space)", "\n": "(space)", "<|endoftext|>": "(the end)"}
    script = (base.JS / "spoken.js").read_text(encoding="utf-8")
    script += "function draw(view) { view.say(JSON.stringify(view.data.map(spoken))); }"
    assert json.loads(still.drawn(script, base.to_json(list(named)))[1]) == list(named.values())


def test_only_models_of_pages_are_live(book_gpt, book_bpe):
    assert story_view(GPT(book_gpt.config).eval(), book_bpe, "Mia").data["live"] is None
