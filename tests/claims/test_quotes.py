"""Text in quotation marks that is attributed to a document occurs there, in the section that is named."""

import re
from pathlib import Path

from tutorial_book.claims import claims, readings

PAGES = sorted((Path(__file__).parents[2] / "book").glob("*.md"))
PLACE = re.compile(r"\b([RLNAG]) (\d+(?:\.\d+)*)")  # R 6.1
HEADING = re.compile(r"^[\f ]*#* *(\d+(?:\.\d+)*) +[A-Z]", re.MULTILINE)
OMITTED = r"\.\.\.|…|\[[^\]]*\]"


def words(text):
    """A text's words in lower case: no marks, no commands of formulas, and none cut at a line's end."""
    text = re.sub(r"\\[a-z]+|-\s*\n\s*|[-‐–]", "", text, flags=re.IGNORECASE)
    return " " + " ".join(re.findall(r"[^\W_]+", text.lower())) + " "


def quotes(text):
    """The text between quotation marks, of either kind; and whether it has two words or more.

    A single word is not a quotation.
    """
    found = [a or b for a, b in re.findall(r'"([^"]+)"|“([^”]+)”', text)]
    return [(quote, words(quote).count(" ") > 2) for quote in found]


def quoted_on(page):
    """The long quotations on a page, except code and comments, each with the places that its paragraph names."""
    text = re.sub(r"^(`{3,}).*?^\1|`[^`\n]*`|^% [^\n]*$", "", page, flags=re.MULTILINE | re.DOTALL)
    for passage in re.split(r"\n\s*\n|\n(?=- |\d+\. )", text):
        if places := set(PLACE.findall(passage)):
            yield from ((quote, places) for quote, is_long in quotes(PLACE.sub("", passage)) if is_long)


def quoted():
    """Every quotation of the pages, the claims and the readings, with the places where it may occur."""
    for page in PAGES:
        yield from quoted_on(page.read_text(encoding="utf-8"))
    parts = [(claim, *re.split(r"\(here\b", claim.statement), claim.note) for claim in claims()]
    parts += [(item, item.text, item.reason) for item in readings()]
    for one, theirs, *ours in parts:
        for quote, is_long in quotes(theirs):
            yield quote, {(one.source, one.section if is_long else "")}
        yield from ((quote, {(one.source, "")}) for quote, is_long in quotes(" ".join(ours)) if is_long)


def stands_in(sections, quote, tag, number):
    """Whether a quotation, without its omissions, occurs in a section or one below it; "": anywhere in a document.

    Its parts must be in one section, in their order.
    """
    parts = ".*".join(re.escape(words(part)[:-1]) + r"\b" for part in re.split(OMITTED, quote) if words(part).strip())
    return any(re.search(parts, text) for place, text in sections.items()
               if place[0] == tag and f"{place[1]}.".startswith(number and f"{number}."))  # fmt: skip


def test_quotations_are_those_of_the_documents(documents):
    sections = {}
    for tag, text in documents.items():
        starts = [(match[1], match.start()) for match in HEADING.finditer(text)]
        for (number, start), (_, end) in zip(starts, [*starts[1:], ("", len(text))], strict=True):
            sections[tag, number] = sections.get((tag, number), "") + words(text[start:end])
    found = list(quoted())
    assert len(found) > 100
    wrong = [quote for quote, places in found if not any(stands_in(sections, quote, *place) for place in places)]
    assert not wrong
    assert not stands_in(sections, "high dot product indicates irrelevance", "R", "")  # R 6.1 has relevance
