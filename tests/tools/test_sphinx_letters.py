"""The directive `letters` has one argument, and says so."""

from types import SimpleNamespace

import pytest

sphinx_letters = pytest.importorskip("sphinx_letters")


def directive(*arguments):
    """A directive whose table is its own text."""
    made = object.__new__(sphinx_letters.Letters)
    settings = SimpleNamespace(env=SimpleNamespace(note_dependency=lambda name: None))
    made.arguments, made.state = list(arguments), SimpleNamespace(document=SimpleNamespace(settings=settings))
    made.parse_text_to_nodes = lambda text: text
    made.get_location = lambda: "page.md:1"
    return made


def test_the_table_has_all_letters_or_those_of_everywhere():
    every, shared = directive().run(), directive("everywhere").run()
    assert len(shared) < len(every) and shared.count("\n") > 5


def test_another_argument_stops_the_build(monkeypatch):
    told = []
    monkeypatch.setattr(sphinx_letters.log, "warning", lambda text, *rest, **where: told.append((text % rest, where)))
    assert directive("everwhere").run() == []
    assert told == [("letters: its argument must be everywhere, or none, got everwhere", {"location": "page.md:1"})]
