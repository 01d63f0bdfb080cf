"""The table of claims: readable by eye, screen reader and terminal, and safe with any text."""

import re
from html.parser import HTMLParser

from tutorial_book.claims import DIFFERS, FAILS, HOLDS, Claim, Item, Result, Table, readings, table
from tutorial_book.claims.table import COLUMNS, summary


def result(verdict=HOLDS, **changes):
    fields = dict(id="R-1.1-x", chapter="bert", statement="One.", printed=1.50, compute=lambda: 1.234, note="Why.")
    return Result(Claim(**{**fields, **changes}), 1.234, verdict)


class Cells(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.opened, self.roles = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.opened.append(tag)
        self.roles.append(dict(attrs).get("role"))


def test_every_row_has_a_cell_for_every_column():
    html = Table([result(FAILS), result(FAILS)])._repr_html_()
    cells = Cells(html)
    assert cells.roles.count("columnheader") == len(COLUMNS)
    assert cells.roles.count("row") == 3 and cells.roles.count("rowheader") == 2
    assert cells.roles.count("cell") == 2 * (len(COLUMNS) - 1)
    assert cells.opened.count("table") == html.count("</table>") == 1


def test_only_what_does_not_hold_stands_open():
    html = Table([result(), result(FAILS), result(DIFFERS), result("needs bert-base-cased")])._repr_html_()
    titles = re.findall(r"<details class=\"claims\"( open)?><summary>(.*?)</summary>", html)
    assert titles == [(" open", "1 ✗ does not hold"), ("", "1 ≠ differs on another model"), ("", "1 ✓ holds"),
                      ("", "1 ? needs what is not on this machine")]
    assert "<summary>2 ✗ do not hold<" in Table([result(FAILS), result(FAILS)])._repr_html_()


def test_the_verdict_is_said_in_words():
    html = Table([result(), result(FAILS), result("needs bert-base-cased")])._repr_html_()
    assert all(words in html for words in ("✓ holds", "✗ does not hold", "? needs bert-base-cased"))


def test_no_color_is_set_so_that_dark_mode_keeps_its_own():
    style = re.search(r"<style>(.*?)</style>", table("heads")._repr_html_(), re.DOTALL)[1]
    assert not re.search(r"#[0-9a-f]{3}|rgb|background|[^-]color:", style)


def test_texts_are_shown_and_never_run():
    nasty = "<img src=x onerror=alert(1)></script>"
    cells = Cells(Table([result(statement=nasty, printed=nasty, note=nasty)])._repr_html_())
    assert "img" not in cells.opened and "script" not in cells.opened


def test_a_value_has_as_many_digits_as_were_printed():
    assert "computed  1.23\n" in repr(Table([result(printed=1.52)]))


def test_what_the_check_wants_stands_beside_what_is_printed():
    shown = Table([result(printed=True, expected=1.5)])
    assert "expected  1.5\n  computed  1.2\n" in repr(shown) and "Expected: 1.5. Why." in shown._repr_html_()


def test_a_plain_statement_has_no_printed_value_beside_it():
    text = repr(Table([result(printed=True)]))
    assert "printed" not in text and "One." in text


def test_nan_can_be_shown():
    assert "computed  nan" in repr(Table([Result(result(printed=1).claim, float("nan"), FAILS)]))


def test_the_text_names_document_section_verdict_and_reason():
    assert repr(Table([result(FAILS)])).startswith("Rezaei 1.1  ✗ does not hold  (recomputed)  [R-1.1-x]\n  One.\n")
    assert repr(Table([result(FAILS)])).endswith("  Why.")


def test_a_chapter_s_table_holds_its_claims_only():
    chapters = [(entry if isinstance(entry, Item) else entry.claim).chapter for entry in table("heads").entries]
    assert set(chapters) == {"heads"}


def test_a_document_s_table_holds_its_claims_and_what_is_read_of_it():
    assert {entry.source for entry in table(source="G").entries} == {"G"}
    assert {entry.kind for entry in table(source="G").entries} == {"recomputed", "arithmetic", "read"}


def test_what_is_read_comes_behind_the_claims_and_says_so():
    entries = table("heads").entries
    assert entries[-len(readings("heads")) :] == readings("heads")
    read = readings("heads")[0]
    html, text = Table([read])._repr_html_(), repr(Table([read]))
    assert f"{read.source} {read.section}</th>" in html and f">{read.text}<" in html and ">Read: Such a Q is" in html
    assert text.startswith("Rezaei 9.2  ✗ does not hold  (read)  [R-9.2-equation-42]\n  head_i") and read.reason in text


def test_what_only_others_can_compute_says_what_it_needs():
    item = Item("L", "2.2", "30 % <can> go.", ("L-2.2-x",), "seeing", "needs a pruned BERT", "It is theirs.")
    html = Table([item])._repr_html_()
    assert "1 ? needs what is not" in html and "? needs a pruned BERT. It is theirs." in html and "&lt;can&gt;" in html


def test_the_summary_counts():
    told = summary([result(), result(FAILS), result(DIFFERS), result("needs x")])
    assert told.startswith("4 claims: 1 hold, 1 do not hold, 1 differ on another model, 1 need what")
