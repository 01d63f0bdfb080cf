"""A Sphinx extension: what a page rests on is folded at its foot, and a source is a mark in the margin.

A chapter's section *Proof* holds its checks, what the documents print, and the claims: all below its heading is one
fold. In the text, "(R 6.1, eq. 18)" becomes a mark beside its line, which leads to the claims.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx_guess import above, element

PLACE = r"(?:[RLNAG] )?\d+(?:\.\d+)*(?:–\d+(?:\.\d+)*)?|(?:eqs?\.|Figures?|Tables?|steps?|footnotes?) \d+(?:–\d+)?"
SOURCE = re.compile(rf"\s*\((?P<source>[RLNAG] \d+(?:\.\d+)*(?:–\d+(?:\.\d+)*)?(?:(?:, | and |, and )(?:{PLACE}))*)\)")
SAYS = "Checks, what the documents print, and the claims"


def fold(doctree: nodes.document) -> None:
    """Put all below the heading *Proof* into one fold."""
    for section in doctree.findall(nodes.section):
        if "proof" in section["ids"]:
            title, *rest = section.children
            section.children = [title]
            section.append(element("details", element("summary", nodes.Text(SAYS)), *rest, classes=["proof"]))


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
            link = {"href": "#claims"} if claims else {}
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
