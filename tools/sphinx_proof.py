"""A Sphinx extension: what a page rests on is folded at its foot, and a source is a mark in the margin.

A chapter's section *Proof* holds its checks, what the documents print, and the claims: all below its heading is one
fold, which begins with the documents that the page names. In the text, "(R 6.1, eq. 18)" becomes a mark beside its
line, which leads to the claims and knows which document its letter stands for.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx_guess import above, element

DOCUMENTS = {
    "R": "Rezaei, Mathematics of Transformers: A Tutorial",
    "L": "Luisto, a master's thesis on the structure of BERT's embedding spaces",
    "N": "NickyP, LLM Basics: Embedding Spaces",
    "A": "Razzhigaev and others, The Shape of Learning",
    "G": "a summary of The geometry of BERT",
}
NUMBER = r"\d+(?:\.\d+)*(?:–\d+(?:\.\d+)*)?"
PLACE = rf"(?:[RLNAG] )?{NUMBER}|(?:eqs?\.|Definition|Figures?|Tables?|steps?|footnotes?) {NUMBER}|the comments"
SOURCE = re.compile(rf"\s*\((?P<source>[RLNAG](?: {NUMBER}|(?=,))(?:(?:, | and |, and )(?:{PLACE}))*)\)")
LETTER = re.compile(rf"\b([RLNAG])(?= {NUMBER}|, (?:{PLACE}))")
SAYS = "Checks, what the documents print, and the claims"


def meaning(sources: list[str]) -> str:
    """Which documents the letters in these sources stand for.

    >>> meaning(["G 2, and A 3.1", "A, Table 2"])
    'A: Razzhigaev and others, The Shape of Learning; G: a summary of The geometry of BERT'
    """
    letters = {letter for source in sources for letter in LETTER.findall(source)}
    return "; ".join(f"{letter}: {DOCUMENTS[letter]}" for letter in sorted(letters))


def fold(doctree: nodes.document) -> None:
    """Put all below the heading *Proof* into one fold."""
    for section in doctree.findall(nodes.section):
        if "proof" in section["ids"]:
            title, *rest = section.children
            named = [bold.astext() for bold in section.findall(nodes.strong)]
            named += [mark.astext() for mark in doctree.findall(element) if "src" in mark["classes"]]
            key = nodes.paragraph("", f"{meaning(named)}.", classes=["documents"]) if meaning(named) else None
            section.children = [title]
            inside = [element("summary", nodes.Text(SAYS)), *filter(None, [key]), *rest]
            section.append(element("details", *inside, classes=["proof"]))


def stays(text: nodes.Text) -> bool:
    """Whether a source is named where no mark can stand: in a title, a caption, a table, a fold, code."""
    apart = (nodes.title, nodes.caption, nodes.table, nodes.literal, nodes.container, nodes.raw, element)
    paragraph = above(text.parent, lambda node: isinstance(node, (nodes.paragraph, *apart)))
    inside = above(paragraph, lambda node: isinstance(node, (nodes.table, nodes.caption, nodes.container)))
    return not isinstance(paragraph, nodes.paragraph) or inside is not None


def mark(doctree: nodes.document) -> None:
    """Take the sources that stand in brackets out of the sentences."""
    claims = any("claims" in section["ids"] for section in doctree.findall(nodes.section))
    for text in list(doctree.findall(nodes.Text)):
        if not SOURCE.search(text) or stays(text):
            continue
        parts, end = [], 0
        for match in SOURCE.finditer(text):
            link = {"title": meaning([match["source"]])} | ({"href": "#claims"} if claims else {})
            parts.append(nodes.Text(text[end : match.start()]))
            parts.append(element("a" if claims else "span", nodes.Text(match["source"]), classes=["src"], **link))
            end = match.end()
        parts.append(nodes.Text(text[end:]))
        text.parent.replace(text, parts)


def read(app, doctree: nodes.document) -> None:
    mark(doctree)
    fold(doctree)


def setup(app):
    app.connect("doctree-read", read, priority=600)  # after guesses have taken what they hide
    return {"parallel_read_safe": True, "parallel_write_safe": True}
