"""The sentences: words in two senses, and the purpose of each sentence."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

KINDS = {"": "plain", "!": "hard", "?": "open", "x": "third"}


class Use(NamedTuple):
    """A sentence. sense: 0, 1 or None. kind: "stored", or one of `KINDS`. set: 1 or 2, of stored ones 0.

    place: among the examples on the front page, or 0.
    """

    sense: int | None
    kind: str
    set: int
    text: str
    place: int = 0


class Word(NamedTuple):
    """A word, the names of its two senses, and its sentences."""

    name: str
    senses: list[str]
    uses: list[Use]

    def pick(self, kind, *sets) -> list[Use]:
        """Return the sentences of a kind, of these sets if any are given."""
        return [use for use in self.uses if use.kind == kind and (not sets or use.set in sets)]

    @property
    def examples(self) -> list[str]:
        """Return the sentences of the front page, in their order."""
        return [use.text for use in sorted(self.uses, key=lambda use: use.place) if use.place]


@cache
def words() -> dict[str, Word]:
    """Return the words of sentences.txt by name. The last three are controls: one sense, two topics.

    >>> words()["bank"].pick("hard", 1)[0].text
    'The bank was steep.'
    """
    found = {}
    for line in Path(__file__).with_name("sentences.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            name, *senses = (part.strip() for part in line.strip("[]").split("|"))
            found[name] = Word(name, senses, [])
        elif "\t" in line and not line.startswith("#"):
            code, text, *place = line.split("\t")
            sense = "ab".index(code[0]) if code[0] in "ab" else None
            number = int("".join(filter(str.isdigit, code)) or 0)
            kind = KINDS[code.strip("ab12")] if number else "stored"
            found[name].uses.append(Use(sense, kind, number, text, *map(int, place)))
    return found


HOMONYMS, CONTROLS = list(words())[:7], list(words())[7:]
