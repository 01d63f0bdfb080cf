"""What the documents print, item by item, and which claim checks it: the coverage.

`inventory.tsv` has a line for each printed number, table, list, formula and checkable sentence, in the order of the
documents: document, section, the item in a few words, and the claims that check it. Where there is none, the last
column says why, behind "- ". Two kinds of reasons are told apart:

- "no content: ..." stands where nothing could be right or wrong: notation, a definition, an opinion, a plan, a drawing,
  what others are said to have found, program text without output. Such a line is listed, so that nobody looks for it a
  second time, but is no item: it does not count.
- any other reason ("needs fine-tuning", "not checked: ...") leaves an item without a claim: it counts, as not covered.
"""

from collections import Counter
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

NO_CONTENT = "no content: "


class Item(NamedTuple):
    """Something that a document prints, and the ids of the claims that check it, or the reason why there are none."""

    source: str
    section: str
    text: str
    claims: tuple[str, ...]
    reason: str

    @property
    def counts(self) -> bool:
        """Whether it could be right or wrong."""
        return not self.reason.startswith(NO_CONTENT)


class Coverage(NamedTuple):
    """How many items of a document have a claim, of how many; and how many lines without content stand beside them."""

    covered: int
    items: int
    without_content: int

    def __str__(self):
        return f"{self.covered}/{self.items} {100 * self.covered / self.items:.1f} %"


@lru_cache
def inventory() -> tuple[Item, ...]:
    """All lines of the inventory.

    >>> inventory()[2].text, inventory()[2].claims
    ('entire sequences are processed in parallel, unlike in RNNs', ('R-3.1-parallel',))
    """
    lines = files("tutorial_book.claims").joinpath("inventory.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(map(_item, lines))


def _item(line: str) -> Item:
    source, section, text, checked_by = line.split("\t")
    reason = checked_by.removeprefix("- ") if checked_by.startswith("-") else ""
    return Item(source, section, text, () if reason else tuple(checked_by.split()), reason)


def coverage(source: str, sections: tuple[str, ...] = ("",)) -> Coverage:
    """The coverage of a document, or of those of its sections that begin like this.

    >>> coverage("A", ("0", "1", "2", "3", "4", "5")).items == coverage("A").items
    True
    """
    lines = [item for item in inventory() if item.source == source and item.section.startswith(sections)]
    counts = Counter((item.counts, bool(item.claims)) for item in lines)
    return Coverage(counts[True, True], counts[True, True] + counts[True, False], counts[False, False])


def gaps(known: set[str]) -> list[str]:
    """What is wrong with the inventory, in words: items with neither claim nor reason, claims that do not exist or that
    no item names.

    known: the ids of all claims.
    """
    named = {id for item in inventory() for id in item.claims}
    silent = [f"{item.source} {item.section}: {item.text!r} has neither claim nor reason"
              for item in inventory() if not item.claims and not item.reason]
    return silent + [f"no claim is called {id}" for id in sorted(named - known)] + [
        f"no item of the inventory names {id}" for id in sorted(known - named)
    ]
