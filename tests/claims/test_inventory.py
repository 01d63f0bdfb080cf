"""The inventory: every item of the documents has a claim or a reason, and every claim has an item."""

import re

import pytest

from tutorial_book.claims import claims, coverage, inventory, report_coverage
from tutorial_book.claims.inventory import NO_CONTENT, Item, faults, gaps, parse

IDS = {claim.id for claim in claims()}
LARGEST_QUOTE = 8  # words in a row that an item may share with its document
READING = "R\t2.2\tBERT-base has 12 layers.\tR-2.2-layers\tbert\tholds\tIt has."


@pytest.fixture
def added(monkeypatch):
    """Call it with an item to add it to the inventory."""
    return lambda item: monkeypatch.setitem(gaps.__globals__, "inventory", lambda: (*inventory(), item))


def test_every_item_is_checked_or_has_a_reason(capsys):
    """And the command prints one line for each document."""
    assert gaps(IDS) == [] and report_coverage() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [re.match(r"([RLNAG]) \d+/\d+ \d+\.\d % ", line)[1] for line in lines] == ["R", "L", "N", "A", "G"]


def test_readings_have_all_that_they_need():
    item = parse(READING)
    assert (item.id, item.chapter, item.verdict, item.reason) == ("R-2.2-layers", "bert", "holds", "It has.")
    assert faults(item) == [] and faults(parse(READING.replace("holds", "needs a model"))) == []


@pytest.mark.parametrize("right, wrong, fault", [
    ("holds", "perhaps", "has the verdict 'perhaps'"),
    ("holds", "needs ", "has the verdict 'needs '"),
    ("\tbert\t", "\tgpt\t", "has the chapter 'gpt', which is none"),
    ("It has.", "", "has a verdict without a reason"),
    ("R-2.2-layers", "R-2.2", "names 'R-2.2', which should read like 'R-5.4-q-painted'"),
    ("R-2.2-layers", "", "is read, and should have one id, with its own section or one above"),
    ("R-2.2-layers", "R-2.1-layers", "is read, and should have one id, with its own section or one above"),
    ("R-2.2-layers", "R-2.2-a R-2.2-b", "is read, and should have one id, with its own section or one above"),
])  # fmt: skip
def test_malformed_lines_are_gaps(added, right, wrong, fault):
    added(parse(READING.replace(right, wrong)))
    assert f"R 2.2: 'BERT-base has 12 layers.' {fault}" in gaps(IDS)


@pytest.mark.parametrize("line", [READING + "\t", READING.removesuffix("\tIt has."), "R\t2.2\tan item"])
def test_other_columns_are_rejected(line):
    with pytest.raises(ValueError, match="a line must have 4 columns, or 7 for a reading, got"):
        parse(line)


def test_missing_parts_are_reported(added, capsys):
    some = next(iter(IDS))
    assert gaps(IDS | {"R-1-new"}) == ["no item of the inventory names R-1-new"]
    assert gaps(IDS - {some}) == [f"no claim is called {some}"]
    for id in ("R-5.4-x-painted", "R-5.4-q-painted"):
        added(parse(READING.replace("R-2.2-layers", id)))
        assert f"{id} is taken twice" in gaps(IDS)
    added(Item("A", "4.3", "a number"))
    assert report_coverage() == 1
    assert "A 4.3: 'a number' has neither claim nor reason" in capsys.readouterr().out


def test_items_are_in_order_with_their_sections():
    """A claim has the section of an item that names it or one above."""
    places = [("RLNAG".index(item.source), *map(int, item.section.split("."))) for item in inventory()]
    assert places == sorted(places) and len(set(inventory())) == len(inventory())
    pairs = {(id, f"{item.source}-{item.section}.") for item in inventory() for id in item.claims}
    right = {id for id, place in pairs if place.startswith("-".join(id.split("-")[:2]) + ".")}
    assert not {id for id, _ in pairs} - right
    unchecked = [item.reason for item in inventory() if not item.claims]
    assert [reason for reason in unchecked if not re.match(f"{NO_CONTENT}|not checked: |needs ", reason)] == []


@pytest.mark.parametrize("source, sections, least", [
    ("R", ("",), 0.98), ("L", ("2", "3", "4", "5"), 0.95), ("N", ("",), 0.95), ("A", ("",), 0.95), ("G", ("",), 0.8),
])  # fmt: skip
def test_nearly_all_that_is_printed_has_a_claim(source, sections, least):
    found = coverage(source, sections)
    assert found.covered / found.items >= least, str(found)
    assert sum(not item.counts for item in inventory()) < 0.13 * len(inventory())  # of G much is outline


def test_no_prose_of_the_documents_is_copied(documents):
    word = r"[^\W\d]+"  # numbers are the checked part
    words = {tag: " ".join(re.findall(word, text.lower())) for tag, text in documents.items()}
    for item in inventory():
        own = re.findall(word, item.text.lower())
        runs = [" ".join(own[i : i + LARGEST_QUOTE]) for i in range(len(own) - LARGEST_QUOTE + 1)]
        assert not [run for run in runs if run in words[item.source]]
