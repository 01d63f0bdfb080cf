"""The table of claims: readable by eye, screen reader and terminal, and safe with any text."""

import re

from tutorial_book.claims import DIFFERS, FAILS, HOLDS, Claim, Item, Result, Table, readings, table
from tutorial_book.claims.table import COLUMNS, summary


def result(verdict=HOLDS, **changes):
    fields = dict(id="R-1.1-x", chapter="bert", statement="One.", printed=1.50, compute=lambda: 1.234, note="Why.")
    return Result(Claim(**{**fields, **changes}), 1.234, verdict)


def test_each_row_has_a_cell_for_each_column():
    html = Table([result(FAILS), result(FAILS)])._repr_html_()
    counts = {role: html.count(f'role="{role}"') for role in ("columnheader", "row", "rowheader", "cell")}
    assert counts == {"columnheader": len(COLUMNS), "row": 3, "rowheader": 2, "cell": 2 * (len(COLUMNS) - 1)}


def test_only_claims_that_do_not_hold_are_open():
    html = Table([result(), result(FAILS), result(DIFFERS), result("needs bert-base-cased")])._repr_html_()
    titles = re.findall(r"<details class=\"claims\"( open)?><summary>(.*?)</summary>", html)
    assert titles == [
        (" open", "1 ✗ does not hold"),
        ("", "1 ≠ differs on another model"),
        ("", "1 ✓ holds"),
        ("", "1 ? needs what is not on this machine"),
    ]
    assert "<summary>2 ✗ do not hold<" in Table([result(FAILS), result(FAILS)])._repr_html_()
    assert "? needs bert-base-cased. Why." in html


def test_brief_table_counts_what_holds():
    entries = [result(), result(), result(FAILS), result("needs bert-base-cased")]
    html = Table(entries, brief=True)._repr_html_()
    assert re.findall(r"<summary>(.*?)</summary>", html) == ["1 ✗ does not hold"]
    assert "2 of 4 hold; 1 waits for" in html and "2 of 4" not in Table(entries)._repr_html_()
    assert table("heads").brief and not table(source="G").brief


def test_texts_are_shown_and_never_run():
    nasty = "<img src=x onerror=alert(1)></script>"
    read = Item("L", "2", nasty, ("L-2-x",), "bert", nasty, nasty)
    html = Table([result(statement=nasty, printed=nasty, note=nasty), read])._repr_html_()
    assert "<img" not in html and "<script" not in html and "</script" not in html


def test_values_have_as_many_digits_as_were_printed():
    assert "printed   1.52\n  computed  1.23\n" in repr(Table([result(printed=1.52)]))
    assert "computed  nan" in repr(Table([Result(result(printed=1).claim, float("nan"), FAILS)]))
    shown = Table([result(printed=True, expected=1.5)])
    assert "expected  1.5\n  computed  1.2\n" in repr(shown) and "One. It implies 1.5.<" in shown._repr_html_()
    assert "printed" not in repr(shown)  # a plain statement has no value next to it
    assert "implies" not in Table([result(expected=True)])._repr_html_()
    assert repr(Table([result(FAILS)])).startswith("Rezaei 1.1  ✗ does not hold  (recomputed)  [R-1.1-x]\n  One.\n")


def test_tables_hold_claims_and_behind_them_readings():
    entries = table("heads").entries
    assert entries[-len(readings("heads")) :] == readings("heads")
    assert {(entry if isinstance(entry, Item) else entry.claim).chapter for entry in entries} == {"heads"}
    assert {(entry.source, entry.kind) for entry in table(source="G").entries} == {
        ("G", "recomputed"), ("G", "read")}  # fmt: skip
    read = readings("heads")[0]
    html, text = Table([read])._repr_html_(), repr(Table([read]))
    assert f"{read.source} {read.section}</th>" in html and f">{read.text}<" in html
    assert ">By reading: So Vaswani" in html
    assert text.startswith("Rezaei 9.2  ✓ holds  (read)  [R-9.2-per-head]\n  MultiHead") and read.reason in text


def test_summary_counts_verdicts():
    told = summary([result(), result(FAILS), result(DIFFERS), result("needs x")])
    assert told.startswith("4 claims: 1 hold, 1 do not hold, 1 differ on another model, 1 need what")
