"""Claims as a table for a page, and as text for a terminal."""

from __future__ import annotations

from html import escape

from tutorial_book.claims.claim import FAILS, HOLDS, SOURCES, Result, decimals

COLUMNS = ("Where", "What the document says", "What we get")
SIGNS = {HOLDS: "✓", FAILS: "✗"}
# On a narrow screen each row becomes a block of its own, with the column's name before each cell. The roles are
# written out because `display: block` would take them away from a screen reader. Colors are the page's own.
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
    """Checked claims, in groups by verdict: HTML on a page, plain text elsewhere."""

    def __init__(self, results: list[Result]):
        self.results = list(results)
        for result in self.results:
            if not isinstance(result, Result):
                raise TypeError(f"results must be what check(claim) gives, got {type(result).__name__}")

    def __repr__(self):
        return "\n\n".join(map(as_text, self.results))

    def _repr_html_(self):
        """What does not hold stands open; the other groups are folded, and open without JavaScript."""
        fail = [result for result in self.results if result.verdict == FAILS]
        hold = [result for result in self.results if result.verdict == HOLDS]
        rest = [result for result in self.results if result.verdict not in (FAILS, HOLDS)]
        groups = ((_titles(SIGNS[FAILS], "does not hold", "do not hold"), fail, " open"),
                  (_titles(SIGNS[HOLDS], "holds", "hold"), hold, ""),
                  (_titles("?", "needs what is not on this machine", "need what is not on this machine"), rest, ""))
        return STYLE + "".join(
            f'\n<details class="claims"{state}><summary>{len(results)} {titles[len(results) > 1]}</summary>'
            f"\n{_table(results)}\n</details>"
            for titles, results, state in groups
            if results
        )


def _table(results: list[Result]) -> str:
    head = "".join(f'<th role="columnheader" scope="col">{column}</th>' for column in COLUMNS)
    body = "\n".join(map(_row, results))
    return (
        f'<table class="claims" role="table">\n<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{body}\n</tbody>\n</table>'
    )


def _titles(sign, one, many):
    return f"{sign} {one}", f"{sign} {many}"


def _row(result: Result) -> str:
    claim = result.claim
    says = escape(claim.statement) + ("" if claim.printed is True else _value(claim.printed, claim.printed))
    if result.verdict in SIGNS:
        gets = "" if result.computed is True else _value(result.computed, claim.wanted)
        if claim.expected not in (None, True):
            gets += f"Expected: {escape(as_printed(claim.expected, claim.expected)) or 'none'}. "
    else:
        gets = escape(_verdict(result)) + ". "
    cells = "".join(
        f'<td role="cell" data-label="{label}">{cell}</td>'
        for label, cell in zip(COLUMNS[1:], (says, gets + escape(claim.note)))
    )
    return f'<tr role="row"><th role="rowheader" scope="row">{claim.source} {claim.section}</th>{cells}</tr>'


def _value(value, printed) -> str:
    return f'<span class="value">{escape(as_printed(value, printed))}</span>'


def _verdict(result: Result) -> str:
    return f"{SIGNS.get(result.verdict, '?')} {result.verdict}"


def as_text(result: Result) -> str:
    """One claim in a few lines."""
    claim = result.claim
    head = f"{SOURCES[claim.source]} {claim.section}  {_verdict(result)}  ({claim.kind})  [{claim.id}]"
    lines = [head, f"  {claim.statement}"]
    if claim.printed is not True:  # a plain statement has no value beside it
        lines.append(f"  printed   {as_printed(claim.printed, claim.printed)}")
    if claim.expected is not None:
        lines.append(f"  expected  {as_printed(claim.expected, claim.expected)}")
    if result.computed is not None:
        lines.append(f"  computed  {as_printed(result.computed, claim.wanted)}")
    return "\n".join(lines + ([f"  {claim.note}"] if claim.note else []))


def summary(results: list[Result]) -> str:
    """How many hold, how many do not, how many wait for something.

    >>> summary([])
    '0 claims: 0 hold, 0 do not hold'
    """
    hold, fail = (sum(result.verdict == verdict for result in results) for verdict in (HOLDS, FAILS))
    rest = len(results) - hold - fail
    counts = f"{len(results)} claims: {hold} hold, {fail} do not hold"
    return f"{counts}, {rest} need what is not on this machine" if rest else counts


def as_printed(value, printed, comma=",") -> str:
    """A value with as many digits as the document printed, and commas in long numbers that stand alone.

    >>> as_printed([1.5404, 2.08], [1.41, 1.53]), as_printed(22_268_928, 22e6), as_printed([101, 1045], [101])
    ('1.54, 2.08', '22,268,928', '101, 1045')
    """
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, (list, tuple)) for item in value):
            return ", ".join(f"({as_printed(item, printed)})" for item in value)
        return ", ".join(as_printed(item, printed, comma="") for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, float):
        return value if isinstance(value, str) else f"{value:{comma}}"
    fraction = abs(value) < 1000 and abs(value % 1 - 0.5) < 0.5 - 1e-9  # a whole number was printed, this is none
    return f"{value:{comma}.{decimals(printed) or 3 * fraction}f}"
