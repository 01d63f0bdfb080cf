"""The inventory: every item of the documents has a claim or a reason, and every claim has an item."""

import re

import pytest

from tutorial_book.claims import claims, coverage, inventory, report_coverage
from tutorial_book.claims.inventory import NO_CONTENT, Item, gaps

IDS = {claim.id for claim in claims()}
LARGEST_QUOTE = 8  # words in a row that an item may share with its document


def test_every_item_has_a_claim_or_a_reason_and_every_claim_an_item():
    assert gaps(IDS) == []


def test_a_claim_has_the_section_of_an_item_that_names_it_or_one_above():
    places = {(id, f"{item.source}-{item.section}.") for item in inventory() for id in item.claims}
    right = {id for id, place in places if place.startswith("-".join(id.split("-")[:2]) + ".")}
    assert not {id for id, _ in places} - right


@pytest.mark.parametrize(
    ("source", "sections", "least"),
    [("R", ("",), 0.98), ("L", ("2", "3", "4", "5"), 0.95), ("N", ("",), 0.95), ("A", ("",), 0.95),
     ("G", ("",), 0.8)],
)
def test_nearly_all_that_is_printed_has_a_claim(source, sections, least):
    found = coverage(source, sections)
    assert found.covered / found.items >= least, str(found)


def test_what_does_not_count_stays_a_small_part():
    lines = inventory()
    assert sum(not item.counts for item in lines) < 0.11 * len(lines)  # of G, a summary page, much is outline
    assert all(item.reason == "" or not item.claims for item in lines)


def test_items_come_in_the_order_of_the_documents_and_none_twice():
    places = [("RLNAG".index(item.source), *map(int, item.section.split("."))) for item in inventory()]
    assert places == sorted(places)
    assert len(set(inventory())) == len(inventory())


def test_what_is_missing_is_said():
    some = next(iter(IDS))
    assert gaps(IDS | {"R-1-new"}) == ["no item of the inventory names R-1-new"]
    assert gaps(IDS - {some}) == [f"no claim is called {some}"]


def test_a_silent_item_makes_the_command_fail(monkeypatch, capsys):
    module = gaps.__globals__
    silent = (*inventory(), Item("A", "4.3", "a number", (), ""))
    monkeypatch.setitem(module, "inventory", lambda: silent)
    assert report_coverage() == 1
    assert "A 4.3: 'a number' has neither claim nor reason" in capsys.readouterr().out


def test_the_command_says_one_line_for_each_document(capsys):
    assert report_coverage() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [re.match(r"([RLNAG]) \d+/\d+ \d+\.\d % ", line)[1] for line in lines] == ["R", "L", "N", "A", "G"]


@pytest.mark.parametrize("item", [item for item in inventory() if item.reason], ids=lambda item: item.text)
def test_a_reason_says_what_kind_it_is(item):
    assert re.match(f"{NO_CONTENT}|not checked: |needs ", item.reason)


def test_no_prose_of_the_documents_is_copied(documents):
    words = {tag: " ".join(re.findall(r"\w+", text.lower())) for tag, text in documents.items()}
    for item in inventory():
        own = re.findall(r"\w+", item.text.lower())
        runs = [" ".join(own[i : i + LARGEST_QUOTE]) for i in range(len(own) - LARGEST_QUOTE + 1)]
        assert not [run for run in runs if run in words[item.source]]
