"""The inventory: every item of the documents has a claim or a reason, and every claim has an item."""

import re

import pytest

from tutorial_book.claims import CHAPTERS, claims, coverage, inventory, readings, report_coverage
from tutorial_book.claims.inventory import NO_CONTENT, Item, faults, gaps, parse

IDS = {claim.id for claim in claims()}
LARGEST_QUOTE = 8  # words in a row that an item may share with its document


def test_every_item_has_a_claim_or_a_reason_and_every_claim_an_item():
    assert gaps(IDS) == []


READING = "R\t2.2\tBERT-base has 12 layers.\tR-2.2-layers\tbert\tholds\tIt has."


def test_a_line_that_is_read_has_an_id_a_chapter_a_verdict_and_a_reason():
    item = parse(READING)
    assert (item.id, item.chapter, item.verdict, item.reason) == ("R-2.2-layers", "bert", "holds", "It has.")
    assert faults(item) == [] and faults(parse(READING.replace("holds", "needs a model"))) == []


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        ("holds", "perhaps", "has the verdict 'perhaps'"),
        ("holds", "", "has the verdict ''"),
        ("holds", "needs ", "has the verdict 'needs '"),
        ("\tbert\t", "\tgpt\t", "has the chapter 'gpt', which is none"),
        ("\tbert\t", "\t\t", "has the chapter '', which is none"),
        ("It has.", "", "has a verdict without a reason"),
        ("R-2.2-layers", "R-2.2", "names 'R-2.2', which should read like 'R-5.4-q-painted'"),
        ("R-2.2-layers", "X-2.2-layers", "names 'X-2.2-layers', which should read like 'R-5.4-q-painted'"),
        ("R-2.2-layers", "", "is read, and should have one id, with its own section or one above"),
        ("R-2.2-layers", "R-2.1-layers", "is read, and should have one id, with its own section or one above"),
        ("R-2.2-layers", "R-2.2-a R-2.2-b", "is read, and should have one id, with its own section or one above"),
    ],
)
def test_a_malformed_line_is_a_gap(monkeypatch, right, wrong, fault):
    item = parse(READING.replace(right, wrong))
    monkeypatch.setitem(gaps.__globals__, "inventory", lambda: (*inventory(), item))
    assert f"R 2.2: 'BERT-base has 12 layers.' {fault}" in gaps(IDS)


@pytest.mark.parametrize("line", [READING + "\t", READING.removesuffix("\tIt has."), "R\t2.2\tan item"])
def test_a_line_with_other_columns_is_refused(line):
    with pytest.raises(ValueError, match="4 columns, or 7 where it is read"):
        parse(line)


@pytest.mark.parametrize("id", ["R-5.4-x-painted", "R-5.4-q-painted"])
def test_an_id_is_taken_once(monkeypatch, id):
    item = parse(READING.replace("R-2.2-layers", id))
    monkeypatch.setitem(gaps.__globals__, "inventory", lambda: (*inventory(), item))
    assert f"{id} is taken twice" in gaps(IDS)


def test_readings_are_chosen_by_chapter_and_document():
    assert [item for chapter in CHAPTERS for item in readings(chapter)] != readings()  # those stand as in the documents
    assert {item for chapter in CHAPTERS for item in readings(chapter)} == set(readings())
    assert {item.source for item in readings(source="N")} == {"N"}


@pytest.mark.parametrize("item", readings(), ids=lambda item: item.id)
def test_what_is_read_is_whole_sentences(item):
    assert item.text[-1] in ".?!" and item.reason[-1] in ".?!)"


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
    assert all(item.reason == "" or not item.claims or item.verdict for item in lines)


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
    silent = (*inventory(), Item("A", "4.3", "a number"))
    monkeypatch.setitem(module, "inventory", lambda: silent)
    assert report_coverage() == 1
    assert "A 4.3: 'a number' has neither claim nor reason" in capsys.readouterr().out


def test_the_command_says_one_line_for_each_document(capsys):
    assert report_coverage() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [re.match(r"([RLNAG]) \d+/\d+ \d+\.\d % ", line)[1] for line in lines] == ["R", "L", "N", "A", "G"]


@pytest.mark.parametrize("item", [item for item in inventory() if not item.claims], ids=lambda item: item.text)
def test_a_reason_says_what_kind_it_is(item):
    assert re.match(f"{NO_CONTENT}|not checked: |needs ", item.reason)


def test_no_prose_of_the_documents_is_copied(documents):
    word = r"[^\W\d]+"  # numbers are what is checked
    words = {tag: " ".join(re.findall(word, text.lower())) for tag, text in documents.items()}
    for item in inventory():
        own = re.findall(word, item.text.lower())
        runs = [" ".join(own[i : i + LARGEST_QUOTE]) for i in range(len(own) - LARGEST_QUOTE + 1)]
        assert not [run for run in runs if run in words[item.source]]
