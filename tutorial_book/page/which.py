"""Which sense of a word does a sentence mean? The picture on the front page: the word's way through the layers."""

from __future__ import annotations

import json
from pathlib import Path

from tutorial_lib.arguments import check_has, one_of
from tutorial_lib.views.base import View

FOLDER = Path(__file__).parent / "js"
PARTS = tuple(FOLDER / name for name in ("which_picture", "which_word"))


def which_view(words: dict, word: str) -> View:
    """A sentence's word rises through six layers, from one spot to uses of one sense, and switches break it.

    words: name -> what `experiments.which` knows of it, its stored uses, its axis, its examples. word: shown first.
    What is seen before a script runs is drawn by the same script, which runs here if mini-racer is installed.
    """
    check_has("words", words, "a dictionary of words", "items")
    one_of("word", word, list(words))
    label = f"Which {word} do you mean? A word in a sentence on its way through six layers."
    return View("which", {"words": words, "word": word}, _first(words, word), label, parts=PARTS, folder=FOLDER)


def _first(words, word):
    """The first state as HTML; without mini-racer a sentence in its place."""
    try:
        from py_mini_racer import MiniRacer
    except ModuleNotFoundError:
        return "<p>This picture is drawn by a script.</p>"
    machine = MiniRacer()
    try:
        machine.eval((FOLDER / "which_picture.js").read_text(encoding="utf-8"))
        first = f"Which.first({json.dumps(words)}, {json.dumps(word)})"
        return machine.eval(f"Which.page({first})")
    finally:
        machine.close()  # or the process never ends
