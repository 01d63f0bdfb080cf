"""Claims and readings, as a table for a page and as text for a terminal."""

from __future__ import annotations

from html import escape

from tutorial_book.claims.claim import DIFFERS, FAILS, HOLDS, SOURCES
from tutorial_book.claims.inventory import Item
from tutorial_book.claims.verdicts import Result, decimals

COLUMNS = ("Where", "What the document says", "What we get")
SIGNS = {HOLDS: "✓", FAILS: "✗", DIFFERS: "≠"}
# On a narrow screen each row becomes its own block, with the column's name before each cell. The roles are written out
# because `display: block` would hide them from a screen reader. Colors are the page's own.
STYLE = """<style>
details.claims { margin: 0.5em 0 }
details.claims > summary { cursor: pointer; font-weight: bold; padding: 0.4em 0 }
table.claims { width: 100%; border-collapse: collapse; font-size: 0.9em; table-layout: fixed }
table.claims td, table.claims th { padding: 0.5em 0.6em; text-align: left; vertical-align: top; white-space: normal;
  overflow-wrap: anywhere; border-bottom: 1px solid currentColor }
table.claims th:first-child { width: 5.25rem }
table.claims .value { display: block; font-family: monospace, monospace; font-size: 1em }
@media (max-width: 50rem) {
  table.claims thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden }
  table.claims, table.claims tbody, table.claims tr, table.claims td { display: block }
  table.claims th[scope=row] { display: block; width: auto; border: 0; padding-bottom: 0 }
  table.claims td { border: 0; padding-block: 0.2em }
  table.claims tr { border-bottom: 1px solid currentColor; padding-bottom: 0.5em }
  table.claims td:empty { display: none }
  table.claims td[data-label]::before { content: attr(data-label) ": "; font-weight: bold }
}
</style>"""


class Table:
    """Checked claims and readings, in groups by verdict: HTML on a page, plain text elsewhere.

    brief: claims that hold, or that wait for a model, are counted and not listed. The page of all claims lists them.
    """

    def __init__(self, entries: list[Result | Item], brief: bool = False):
        self.entries, self.brief = list(entries), brief
        for entry in self.entries:
            if not isinstance(entry, (Result, Item)):
                raise TypeError(f"entries must come from check(claim) or readings(), got {type(entry).__name__}")

    def __repr__(self):
        return "\n\n".join(map(as_text, self.entries))

    def _repr_html_(self):
        """Return HTML in which claims that do not hold are open; other groups are folded, also without JavaScript."""
        fail, differ, hold, rest = by_verdict(self.entries)
        told = ""
        if self.brief:
            others = [f"{len(hold)} of {len(self.entries)} hold"] * bool(hold)
            wait = "waits" if len(rest) == 1 else "wait"
            others += [f"{len(rest)} {wait} for a model or a record that is not here"] * bool(rest)
            told = f"<p>{'; '.join(others)}. The page of all claims lists them.</p>" if others else ""
            hold = rest = []
        groups = ((_titles(SIGNS[FAILS], "does not hold", "do not hold"), fail, " open"),
                  (_titles(SIGNS[DIFFERS], DIFFERS, "differ on another model"), differ, ""),
                  (_titles(SIGNS[HOLDS], "holds", "hold"), hold, ""),
                  (_titles("?", "needs what is not on this machine", "need what is not on this machine"), rest, ""))
        return STYLE + told + "".join(
            f'\n<details class="claims"{state}><summary>{len(entries)} {titles[len(entries) > 1]}</summary>'
            f"\n{_table(entries)}\n</details>"
            for titles, entries, state in groups
            if entries
        )


def by_verdict(entries: list[Result | Item]) -> list[list[Result | Item]]:
    """Return four lists: claims that do not hold, that differ on another model, that hold, that need something."""
    told = [[entry for entry in entries if entry.verdict == verdict] for verdict in (FAILS, DIFFERS, HOLDS)]
    return [*told, [entry for entry in entries if entry.verdict not in SIGNS]]


def _table(entries: list[Result | Item]) -> str:
    head = "".join(f'<th role="columnheader" scope="col">{column}</th>' for column in COLUMNS)
    body = "\n".join(map(_row, entries))
    return (
        f'<table class="claims" role="table">\n<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{body}\n</tbody>\n</table>'
    )


def _titles(sign, one, many):
    return f"{sign} {one}", f"{sign} {many}"


def _row(entry: Result | Item) -> str:
    place, says, gets = _cells_of_reading(entry) if isinstance(entry, Item) else _cells_of_claim(entry)
    cells = "".join(
        f'<td role="cell" data-label="{label}">{cell}</td>' for label, cell in zip(COLUMNS[1:], (says, gets))
    )
    return f'<tr role="row"><th role="rowheader" scope="row">{place}</th>{cells}</tr>'


def _cells_of_reading(item: Item) -> tuple[str, str, str]:
    how = "By reading: " if item.verdict in SIGNS else f"{_verdict(item)}. "
    return f"{item.source} {item.section}", escape(item.text), escape(how + item.reason)


def _cells_of_claim(result: Result) -> tuple[str, str, str]:
    claim = result.claim
    says = escape(claim.statement) + ("" if claim.printed is True else _value(claim.printed, claim.printed))
    if result.verdict in SIGNS:
        gets = "" if result.computed is True else _value(result.computed, claim.wanted)
        if claim.expected not in (None, True):
            says += f" It implies {escape(as_printed(claim.expected, claim.expected)) or 'none'}."
    else:
        gets = escape(_verdict(result)) + ". "
    return f"{claim.source} {claim.section}", says, gets + escape(claim.note)


def _value(value, printed) -> str:
    return f'<span class="value">{escape(as_printed(value, printed))}</span>'


def _verdict(entry: Result | Item) -> str:
    return f"{SIGNS.get(entry.verdict, '?')} {entry.verdict}"


def _head(entry: Result | Item, section: str, id: str) -> str:
    return f"{SOURCES[entry.source]} {section}  {_verdict(entry)}  ({entry.kind})  [{id}]"


def as_text(entry: Result | Item) -> str:
    """Return one claim or reading as a few lines."""
    if isinstance(entry, Item):
        return "\n".join([_head(entry, entry.section, entry.id), f"  {entry.text}", f"  {entry.reason}"])
    claim, computed = entry.claim, entry.computed
    head = _head(entry, claim.section, claim.id)
    lines = [head, f"  {claim.statement}"]
    if claim.printed is not True:  # a plain statement has no value next to it
        lines.append(f"  printed   {as_printed(claim.printed, claim.printed)}")
    if claim.expected is not None:
        lines.append(f"  expected  {as_printed(claim.expected, claim.expected)}")
    if computed is not None:
        lines.append(f"  computed  {as_printed(computed, claim.wanted)}")
    return "\n".join(lines + ([f"  {claim.note}"] if claim.note else []))


def summary(entries: list[Result | Item]) -> str:
    """Count the claims that hold, that do not hold, that differ on another model, and that need something.

    >>> summary([])
    '0 claims: 0 hold, 0 do not hold'
    """
    fail, differ, hold, rest = map(len, by_verdict(entries))
    counts = f"{len(entries)} claims: {hold} hold, {fail} do not hold"
    counts += f", {differ} differ on another model" if differ else ""
    return f"{counts}, {rest} need what is not on this machine" if rest else counts


def as_printed(value, printed, comma=",") -> str:
    """Return a value with as many digits as the document printed, and commas in long single numbers.

    >>> as_printed([1.5404, 2.08], [1.41, 1.53]), as_printed(22_268_928, 22e6), as_printed([101, 1045], [101])
    ('1.54, 2.08', '22,268,928', '101, 1045')
    """
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, (list, tuple)) for item in value):
            of_each = printed if isinstance(printed, (list, tuple)) else [printed] * len(value)
            return ", ".join(f"({as_printed(item, one)})" for item, one in zip(value, of_each))
        return ", ".join(as_printed(item, printed, comma="") for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return value if isinstance(value, str) else f"{value:{comma}}"
    fraction = abs(value) < 1000 and abs(value % 1 - 0.5) < 0.5 - 1e-9  # the printed number was whole, this one is not
    return f"{value:{comma}.{decimals(printed) or 3 * fraction}f}"
