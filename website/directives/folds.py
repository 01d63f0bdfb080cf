"""What is folded: proofs, sections of the lab, exercises. And sources become marks in the margin.

A chapter's section *Proof* contains its checks, what the documents print, and the claims: everything below its heading
is one fold, which begins with the documents that the page cites. In the text, "(R 6.1, eq. 18)" becomes a mark next to
its line, which links to the claims and names the document of its letter.

`lab` folds its section, for a second visit:

    ### Would chance do this too?

    :::{lab}
    A hundred random curves of the same smoothness, and how often one is as round.
    :::

The heading stays, and below it one line: what the section investigates, and what opens. So a chapter's main text is
short, and each optional section is a question that readers can open or skip. A link into the section, a search, and
printing open it.

In the section *Exercises*, "**1. Change a number.** Train with ..." begins an exercise, which ends at the beginning of
the next one; each is folded to its title.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from website.directives.nodes import above, element, find_places, opens, place, warn

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
    """Return which documents the letters in these sources mean.

    >>> meaning(["G 2, and A 3.1", "A, Table 2"])
    'A: Razzhigaev and others, The Shape of Learning; G: a summary of The geometry of BERT'
    """
    letters = {letter for source in sources for letter in LETTER.findall(source)}
    return "; ".join(f"{letter}: {DOCUMENTS[letter]}" for letter in sorted(letters))


def fold_proof(doctree: nodes.document) -> None:
    """Put everything below the heading *Proof* into one fold."""
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
    """Return whether a source is in a place that cannot have a mark: a title, a caption, a table, a fold, code."""
    apart = (nodes.title, nodes.caption, nodes.table, nodes.literal, nodes.container, nodes.raw, element)
    paragraph = above(text.parent, lambda node: isinstance(node, (nodes.paragraph, *apart)))
    inside = above(paragraph, lambda node: isinstance(node, (nodes.table, nodes.caption, nodes.container)))
    return not isinstance(paragraph, nodes.paragraph) or inside is not None


def mark_sources(doctree: nodes.document) -> None:
    """Move the sources in brackets out of the sentences."""
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


class Lab(SphinxDirective):
    has_content = True

    def run(self):
        content = self.parse_content_to_nodes()
        if len(content) != 1 or not isinstance(content[0], nodes.paragraph):
            warn(self, "lab: one paragraph must say what the section investigates")
            return []
        mark = place("lab", *content)
        self.set_source_info(mark)
        return [mark]


def fold_labs(doctree: nodes.document) -> None:
    """Put everything in a section except its heading below the line of its `lab`."""
    for mark in find_places(doctree, "lab"):
        section = mark.parent
        if not isinstance(section, nodes.section) or section.index(mark) != 1:
            warn(mark, "lab: it must come directly below a heading")
            mark.parent.remove(mark)
            continue
        title, _, *rest = section.children
        count = nodes.inline("", opens(rest, "a few lines"), classes=["lab-opens"])
        label = nodes.inline("", "Lab", classes=["lab-label"])
        line = nodes.paragraph("", "", label, *mark[0].children, nodes.Text(" "), count)
        section.children = [title]
        section.append(element("details", element("summary", line), *rest, classes=["lab"]))


def title_of(node: nodes.Node) -> nodes.strong | None:
    """Return the title of the exercise that begins with this paragraph."""
    words = [child for child in node.children if child.astext()] if isinstance(node, nodes.paragraph) else []
    is_title = words and isinstance(words[0], nodes.strong) and re.match(r"\d+\. ", words[0].astext())
    return words[0] if is_title else None


def fold_exercises(doctree: nodes.document) -> None:
    """Put each exercise below its title."""
    for section in doctree.findall(nodes.section):
        if "exercises" not in section["ids"]:
            continue
        box, children = None, section.children
        section.children = []
        for node in children:
            if title := title_of(node):
                node.remove(title)
                box = element("details", element("summary", nodes.paragraph("", "", title)), classes=["exercise"])
                section.append(box)
            (section if box is None else box).append(node)


def read(app, doctree: nodes.document) -> None:
    mark_sources(doctree)
    fold_proof(doctree)


def read_labs(app, doctree: nodes.document) -> None:
    fold_labs(doctree)
    fold_exercises(doctree)


def setup(app):
    app.add_directive("lab", Lab)
    app.connect("doctree-read", read, priority=600)  # after guesses have moved the content that they hide
    app.connect("doctree-read", read_labs, priority=610)
