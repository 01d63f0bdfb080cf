"""The statements of the documents, item by item, and their checks: the coverage, and the readings.

`inventory.tsv` has a line for each printed number, table, list, formula and checkable sentence, in the order of the
documents. Its tab-separated columns are: document, section, the item in a few words, and the claims that check it.

An item that is read and not computed has its own verdict: a sentence that is compared with another place of the
document, a product of two of its numbers, a formula as printed, a published model's size, a result that only others
can compute. Its item is the whole sentence, its fourth column its own id, which other lines may name like a claim.
Three more columns give the chapter that shows it, the verdict ("holds", "does not hold", "differs on another model",
or "needs " and the requirement), and the reason, with the correct value.

If nothing checks an item, the fourth column says why, after "- ". There are two kinds of such reasons:

- "no content: ..." means that nothing could be right or wrong: notation, a definition, an opinion, a plan, a drawing,
results attributed to others, program text without output. Such a line is listed so that nobody looks for it again, but
it is not an item and does not count.
- any other reason ("needs fine-tuning", "not checked: ...") leaves an item unchecked: it counts, as not covered.
"""

import re
from collections import Counter
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from tutorial_book.claims.claim import CHAPTERS, DIFFERS, FAILS, HOLDS, is_id

READ = "read"  # the kind of items with their own verdict, besides the kinds of claims
NEEDS = "needs "
NO_CONTENT = "no content: "


class Item(NamedTuple):
    """Something that a document prints, and the result of its check.

    claims are the ids of its checks. A reading has its own id there, and chapter, verdict and reason; an unchecked item
    has only a reason.
    """

    source: str
    section: str
    text: str
    claims: tuple[str, ...] = ()
    chapter: str = ""
    verdict: str = ""
    reason: str = ""
    kind = READ  # of those that have a verdict

    @property
    def id(self) -> str:
        """Return the id by which other lines name it, if it is a reading."""
        return self.claims[0] if self.claims else ""

    @property
    def counts(self) -> bool:
        """Return whether it could be right or wrong."""
        return not self.reason.startswith(NO_CONTENT)


class Coverage(NamedTuple):
    """How many of a document's items are checked, and how many lines without content there are."""

    covered: int
    items: int
    without_content: int

    def __str__(self):
        return f"{self.covered}/{self.items} {100 * self.covered / self.items:.1f} %"


@lru_cache
def inventory() -> tuple[Item, ...]:
    """Return all lines of the inventory.

    >>> inventory()[2].text, inventory()[2].claims
    ('entire sequences are processed in parallel, unlike in RNNs', ('R-3.1-parallel',))
    """
    head, *lines = files("tutorial_book.claims").joinpath("inventory.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(map(parse, lines))


def parse(line: str) -> Item:
    """Return a line of the inventory.

    >>> parse("R\\t2.2\\tBERT-base has 12 layers.\\tR-2.2-bert-layers\\tbert\\tholds\\tIt has.").verdict
    'holds'
    """
    columns = line.split("\t")
    if len(columns) not in (4, 7):
        raise ValueError(f"a line must have 4 columns, or 7 for a reading, got {len(columns)}: {line!r}")
    source, section, text, checked_by, *read = columns
    if checked_by.startswith("- "):
        return Item(source, section, text, reason=checked_by.removeprefix("- "))
    return Item(source, section, text, tuple(checked_by.split()), *read)


def readings(chapter=None, source=None) -> list[Item]:
    """Return the readings of a chapter ("attention"), a document ("R", "L", "N", "A", "G"), or all.

    >>> readings("heads")[0].text, readings("heads")[0].verdict
    ('MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O.', 'holds')
    """
    return [
        item
        for item in inventory()
        if item.verdict and chapter in (None, item.chapter) and source in (None, item.source)
    ]


def coverage(source: str, sections: tuple[str, ...] = ("",)) -> Coverage:
    """Return the coverage of a document, or of its sections that begin like this.

    >>> coverage("A", ("0", "1", "2", "3", "4", "5")).items == coverage("A").items
    True
    """
    lines = [item for item in inventory() if item.source == source and item.section.startswith(sections)]
    counts = Counter((item.counts, bool(item.claims)) for item in lines)
    return Coverage(counts[True, True], counts[True, True] + counts[True, False], counts[False, False])


def gaps(known: set[str]) -> list[str]:
    """Return the errors of the inventory, in words: malformed lines, items with neither claim nor reason, claims that
    do not exist or that no item names.

    known: the ids of all claims.
    """
    named = {id for item in inventory() for id in item.claims}
    read = Counter(item.id for item in readings())
    problems = [f"{item.source} {item.section}: {item.text!r} {fault}"
                for item in inventory() for fault in faults(item)]
    problems += [f"{id} is taken twice" for id, times in read.items() if times + (id in known) > 1]
    problems += [f"no claim is called {id}" for id in sorted(named - known - set(read))]
    return problems + [f"no item of the inventory names {id}" for id in sorted(known - named)]


def faults(item: Item) -> list[str]:
    """Return the errors of a single line, in words.

    >>> faults(Item("R", "2.2", "BERT-base has 12 layers.", ("R-2.2-layers",), "bert", "perhaps", "It has."))
    ["has the verdict 'perhaps'"]
    """
    problems = [f"names {id!r}, which should read like 'R-5.4-q-painted'" for id in item.claims if not is_id(id)]
    is_read = item.chapter or item.verdict or item.claims and item.reason
    if not is_read:
        return problems if item.claims or item.reason else ["has neither claim nor reason"]
    if len(item.claims) != 1 or not f"{item.source}-{item.section}.".startswith(_place(item.id)):
        problems.append("is read, and should have one id, with its own section or one above")
    if item.chapter not in CHAPTERS:
        problems.append(f"has the chapter {item.chapter!r}, which is none")
    if item.verdict not in (HOLDS, FAILS, DIFFERS) and not re.match(f"{NEEDS}\\w", item.verdict):
        problems.append(f"has the verdict {item.verdict!r}")
    if not item.reason:
        problems.append("has a verdict without a reason")
    return problems


def _place(id: str) -> str:
    """Return document and section of an id, as "R-5.4."."""
    return "-".join(id.split("-")[:2]) + "."
