"""Which sense of a word does a sentence mean? The picture on the front page: the word's way through the layers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tutorial_book.experiments.which import STRIP, data_for
from tutorial_lib import load
from tutorial_lib.arguments import check_has, one_of, whole_number
from tutorial_lib.views.base import View

FOLDER = Path(__file__).parent / "js"
PARTS = tuple(FOLDER / name for name in ("which_picture", "which_word"))


SWITCHES = ("hide", "mute", "after", "order")
PANELS = ("machine", "map")
TORN = "The bank by the river gave me a loan."


def which_view(words: dict, word: str, floor: dict | None = None) -> View:
    """Show a sentence's word rising through six layers, from one spot to uses of one sense, with switches.

    words: name -> the data of `experiments.which`: its stored uses, its axis, its examples. word: shown first. floor:
    None, or the settings of a chapter, {"at": a depth, "switches": some of `SWITCHES`, "panels": some of `PANELS`}:
    only one sentence.
    """
    check_has("words", words, "a dictionary of words", "items")
    one_of("word", word, list(words))
    label = f"Which {word} do you mean? A word in a sentence on its way through six layers."
    data = {"words": words, "word": word, "strip": STRIP, "floor": floor}
    return View("which", data, label, PARTS, FOLDER)


def bank_floor(at: int, switches: Sequence[str] = (), panels: Sequence[str] = PANELS) -> View:
    """Show a chapter's version of the front page's picture: "bank" in the sentence `TORN`, at a depth from 0 to 6.

    switches, panels: those that the chapter explains, some of `SWITCHES` and of `PANELS`.
    """
    at = whole_number("at", at, 0, "from 0 to 6", 6)
    for name, chosen, known in (("switches", switches, SWITCHES), ("panels", panels, PANELS)):
        for one in chosen:
            one_of(name, one, known)
    data = data_for(*load(device="cpu"), "bank", full=True, texts=[TORN])
    return which_view({"bank": data}, "bank", {"at": at, "switches": list(switches), "panels": list(panels)})
