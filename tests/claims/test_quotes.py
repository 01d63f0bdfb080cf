"""What stands in quotation marks, and is said to stand in a document, stands there, in the section that is named."""

import re
from pathlib import Path

import pytest

from tutorial_book.claims import CHAPTERS, claims, readings

PAGES = sorted((Path(__file__).parents[2] / "book").glob("*.md"))
PLACE = re.compile(r"\b([RLNAG]) (\d+(?:\.\d+)*)")  # R 6.1
HEADING = re.compile(r"^[\f ]*#* *(\d+(?:\.\d+)*) +[A-Z]", re.MULTILINE)
OMITTED = r"\.\.\.|…|\[[^\]]*\]"


def words(text):
    """A text's words in small letters: no marks, no commands of formulas, and none cut at a line's end."""
    text = re.sub(r"\\[a-z]+|-\s*\n\s*|[-‐–]", "", text, flags=re.IGNORECASE)
    return " " + " ".join(re.findall(r"[^\W_]+", text.lower())) + " "


def quotes(text):
    """What stands between a text's quotation marks, of either kind."""
    return [a or b for a, b in re.findall(r'"([^"]+)"|“([^”]+)”', text)]


def is_long(quote):
    """Whether it has two words or more: a single one may be anybody's."""
    return words(quote).count(" ") > 2


def quoted_on(page):
    """The long quotations on a page, but for code and comments, each with the places that its paragraph names."""
    text = re.sub(r"^(`{3,}).*?^\1|`[^`\n]*`|^% [^\n]*$", "", page, flags=re.MULTILINE | re.DOTALL)
    for passage in re.split(r"\n\s*\n|\n(?=- |\d+\. )", text):
        if places := set(PLACE.findall(passage)):
            yield from ((quote, places) for quote in quotes(PLACE.sub("", passage)) if is_long(quote))


@pytest.fixture(scope="module")
def sections(documents):
    """The words of each section of the documents, by document and number."""
    found = {}
    for tag, text in documents.items():
        starts = [(match[1], match.start()) for match in HEADING.finditer(text)]
        for (number, start), (_, end) in zip(starts, [*starts[1:], ("", len(text))], strict=True):
            found[tag, number] = found.get((tag, number), "") + words(text[start:end])
    return found


def stands_in(sections, quote, tag, number=None):
    """Whether a quotation, but for what it omits, stands in a section or one below it; None: anywhere in a document.

    Its parts must stand in one section, in their order.
    """
    parts = ".*".join(re.escape(words(part)[:-1]) + r"\b" for part in re.split(OMITTED, quote) if words(part).strip())
    return any(re.search(parts, text) for place, text in sections.items()
               if place[0] == tag and (number is None or f"{place[1]}.".startswith(f"{number}.")))  # fmt: skip


def test_a_quotation_is_found_with_the_places_of_its_paragraph():
    page = 'R 6.1 says "one two".\nand "three".\n\n- "four five" (L 2)\n\n"six seven"\n\n```\n"eight nine" R 1\n```\n'
    assert list(quoted_on(page)) == [("one two", {("R", "6.1")}), ("four five", {("L", "2")})]


def test_a_changed_quotation_is_seen():
    sections = {("R", "6.1"): words("A high dot product indi-\ncates relevance."), ("R", "6"): words("Why?")}
    assert stands_in(sections, "dot product indicates [...] relevance", "R")
    assert stands_in(sections, "dot product", "R", "6") and stands_in(sections, "dot product", "R", "6.1")
    assert not stands_in(sections, "dot product means relevance", "R")
    assert not stands_in(sections, "relevance … dot product", "R"), "what is omitted lies between"
    assert not stands_in(sections, "Why … relevance", "R"), "parts of two sections are no quotation"
    assert not stands_in(sections, "a high dot prod", "R") and stands_in(sections, "… relevance …", "R")
    assert not stands_in(sections, "dot product", "R", "6.2") and not stands_in(sections, "dot product", "L", "6.1")


def test_there_are_quotations_to_be_held():
    assert sum(len(list(quoted_on(page.read_text(encoding="utf-8")))) for page in PAGES) >= 50


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_quotations_on_a_page_are_the_documents(page, sections):
    found = quoted_on(page.read_text(encoding="utf-8"))
    assert not [quote for quote, places in found if not any(stands_in(sections, quote, *place) for place in places)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_a_claim_quotes_is_its_document_s(chapter, sections):
    for claim in claims(chapter):
        said, *ours = re.split(r"\(here\b", claim.statement)  # what follows is what we make of it
        places = [(quote, claim.section if is_long(quote) else None) for quote in quotes(said)]
        places += [(quote, None) for quote in quotes("".join(ours) + claim.note) if is_long(quote)]
        assert not [quote for quote, number in places if not stands_in(sections, quote, claim.source, number)], claim.id


@pytest.mark.parametrize("item", readings(), ids=lambda item: item.id)
def test_what_is_read_quotes_its_document(item, sections):
    places = [(quote, item.section if is_long(quote) else None) for quote in quotes(item.text)]
    places += [(quote, None) for quote in quotes(item.reason) if is_long(quote)]
    assert not [quote for quote, number in places if not stands_in(sections, quote, item.source, number)]
