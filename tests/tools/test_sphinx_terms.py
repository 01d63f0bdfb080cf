"""Glossary terms are found in running text, once for each definition, and nothing else is."""

import re

import pytest

nodes = pytest.importorskip("docutils.nodes")
sphinx_terms = pytest.importorskip("sphinx_terms")
build_book = pytest.importorskip("build_book")

GLOSSARY = (build_book.ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
TERMS = {
    "head": ("term-head", "Looks."),
    "attention head": ("term-attention-head", "Looks."),
    "BERT": ("term-BERT", "A model."),
    "[CLS]": ("term-CLS", "Stands first."),
}


def marked(text: str) -> list[str]:
    """What becomes a link in a paragraph of this text."""
    paragraph = nodes.paragraph("", "", nodes.Text(text))
    sphinx_terms.mark_text(paragraph.children[0], dict(TERMS), "glossary.html")
    assert paragraph.astext() == text
    return [link.astext() for link in paragraph.findall(nodes.reference)]


@pytest.mark.parametrize(
    "text, links",
    [
        ("A head, and a head.", ["head"]),
        ("Heads of BERT.", ["Heads", "BERT"]),
        ("Two attention heads; a head.", ["attention heads"]),
        ("Go ahead, head-on.", []),
        ("bert is a name.", []),
        ("Then [CLS] stands first.", ["[CLS]"]),
    ],
)
def test_the_first_use_of_a_term_is_marked(text, links):
    assert marked(text) == links


def test_a_link_knows_the_definition_and_the_place():
    paragraph = nodes.paragraph("", "", nodes.Text("BERT"))
    sphinx_terms.mark_text(paragraph.children[0], dict(TERMS), "glossary.html")
    (link,) = paragraph.findall(nodes.reference)
    assert (link["refuri"], link["reftitle"]) == ("glossary.html#term-BERT", "A model.")


def entries() -> list[list[str]]:
    """The glossary's entries: lines of terms, then the definition, which is indented."""
    body = GLOSSARY[GLOSSARY.index(":::{glossary}\n") :].removeprefix(":::{glossary}\n").removesuffix(":::\n")
    return [entry.split("\n") for entry in body.strip().split("\n\n")]


def test_the_terms_stand_in_the_order_of_the_alphabet():
    first = [re.sub(r"[^a-z0-9 ]", "", entry[0].lower().replace("-", " ")) for entry in entries()]
    assert first == sorted(first)


def test_a_definition_is_short_says_its_chapter_and_has_no_formula():
    for *terms, definition in entries():
        assert definition.startswith("  ") and len(definition) < 240, terms
        assert re.search(r" See \{doc\}`[\w-]+`\.$", definition), terms
        assert "$" not in definition, f"{terms}: a note shows plain text"
