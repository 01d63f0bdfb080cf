"""Every number and checkable statement that the documents print, recomputed, with a verdict.

`claims()` lists them, `check(claim)` recomputes one, `table(chapter)` shows a chapter's on its page, and `report()`
prints all of them. `inventory()` lists the statements of the documents, item by item, and which claim checks each;
`readings()` are the items that are checked by reading and not by computing, with their own verdicts.
Each chapter's claims are in the module with its name, which is imported when they are first used: a chapter's page
loads no other chapter's claims. Sources: R; L 2-5; N; A; G. `UNNUMBERED` names the sections of N, A and G that have no
number there.
"""

from importlib import import_module

from tutorial_book.claims.claim import (
    ARITHMETIC,
    CHAPTERS,
    DIFFERS,
    FAILS,
    HOLDS,
    KINDS,
    OPEN,
    REGISTRY,
    SOURCES,
    UNNUMBERED,
    Claim,
)
from tutorial_book.claims.inventory import NEEDS, READ, Coverage, Item, coverage, gaps, inventory, readings
from tutorial_book.claims.table import Table, as_text, by_verdict, summary
from tutorial_book.claims.verdicts import Result, can_be_checked, check

__all__ = [
    "ARITHMETIC", "CHAPTERS", "DIFFERS", "FAILS", "HOLDS", "KINDS", "OPEN", "READ", "SOURCES", "Claim", "Coverage",
    "Item", "Result", "Table", "UNNUMBERED", "by_verdict", "can_be_checked", "check", "claims", "coverage", "inventory",
    "readings", "report", "report_coverage", "table",
]


def claims(chapter=None, source=None, section=None) -> list[Claim]:
    """Return the claims of a chapter ("attention"), a document ("R", "L", "N", "A", "G"), a section ("5.4"), or all.

    Raises ValueError if chapter or source is unknown.

    >>> [claim.id for claim in claims(source="R", section="5.4")]
    ['R-5.4-q-painted']
    """
    if chapter is not None and chapter not in CHAPTERS:
        raise ValueError(f"chapter must be one of {', '.join(CHAPTERS)}, got {chapter!r}")
    if source is not None and source not in SOURCES:
        raise ValueError(f"source must be one of {', '.join(SOURCES)}, got {source!r}")
    for name in CHAPTERS if chapter is None else [chapter]:
        import_module(f"tutorial_book.claims.{name.replace('-', '_')}")  # registers its claims
    chosen = [
        claim
        for claim in REGISTRY.values()
        if chapter in (None, claim.chapter) and source in (None, claim.source) and section in (None, claim.section)
    ]
    return sorted(chosen, key=_reading_order)


def _reading_order(claim: Claim) -> tuple:
    section = [int(part) for part in claim.section.split(".")]
    return list(SOURCES).index(claim.source), section, CHAPTERS.index(claim.chapter)


def table(chapter=None, source=None) -> Table:
    """Check the claims of a chapter, a document, or all, and return them as a table for a page, with the readings.

    A chapter's table is brief: it lists what does not hold.

    >>> print(table("heads"))  # doctest: +ELLIPSIS
    Rezaei 9.2  ✗ does not hold  (recomputed)  [R-9.2-partition]
    ...
    """
    return Table([*map(check, claims(chapter, source)), *readings(chapter, source)], brief=chapter is not None)


def report() -> int:
    """Check and print all claims and readings; return 0 if every verdict is the recorded one, else 1.

    This is what `python -m tutorial_book claims` runs.
    """
    results = [check(claim) for claim in claims()]
    everything = [*results, *readings()]
    for entry in everything:
        print(as_text(entry), end="\n\n")
    changed = [result for result in results if not result.as_recorded]
    for result in changed:
        print(f"{result.claim.id}: recorded {result.claim.verdict!r}, now {result.verdict!r}")
    for kind in (*KINDS, READ):
        print(f"{kind}: {summary([entry for entry in everything if entry.kind == kind])}")
    print(f"{summary(everything)}; {len(changed)} verdicts differ from the recorded ones")
    return 1 if changed else 0


def report_coverage() -> int:
    """Print how many items of each document are checked; return 0 if every item has a claim, a verdict or a reason.

    This is what `python -m tutorial_book claims --inventory` runs.
    """
    known = {claim.id: claim for claim in claims()}
    here = {id for id, claim in known.items() if can_be_checked(claim)}
    here |= {item.id for item in readings() if not item.verdict.startswith(NEEDS)}
    for source in SOURCES:
        covered = coverage(source)
        checked = sum(not here.isdisjoint(item.claims) for item in inventory() if item.source == source)
        print(f"{source} {covered}  ({checked} can be checked here; {covered.without_content} lines without content)")
    problems = gaps(set(known))
    for problem in problems:
        print(problem)
    return 1 if problems else 0
