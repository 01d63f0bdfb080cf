"""A Sphinx extension: `lab` folds the section that it stands in, for a second visit; each exercise folds to its title.

    ### Would chance do this too?

    :::{lab}
    A hundred random curves of the same smoothness, and how often one is as round.
    :::

The heading stays, and below it one line: what is looked into, and what opens. So a chapter's thread is short, and each
side of it is a question that one enters, or not. A link into the section, a search, and paper open it.

In the section *Exercises*, "**1. Change a number.** Train with ..." begins an exercise, which ends where the next one
begins.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx_guess import element, opens

log = logging.getLogger(__name__)


class lab(nodes.General, nodes.Element):
    """Stands at the head of a section that is folded, until its cells are read."""


class Lab(SphinxDirective):
    has_content = True

    def run(self):
        content = self.parse_content_to_nodes()
        if len(content) != 1 or not isinstance(content[0], nodes.paragraph):
            log.warning("lab: one paragraph says what is looked into", location=self.get_location())
            return []
        place = lab("", *content)
        self.set_source_info(place)
        return [place]


def fold(app, doctree: nodes.document) -> None:
    """Put all of a section but its heading below the line that its `lab` says."""
    for place in list(doctree.findall(lab)):
        section = place.parent
        if not isinstance(section, nodes.section) or section.index(place) != 1:
            log.warning("lab: it must stand directly below a heading", location=place)
            place.parent.remove(place)
            continue
        title, _, *rest = section.children
        count = nodes.inline("", opens(rest, "a few lines"), classes=["lab-opens"])
        label = nodes.inline("", "Lab", classes=["lab-label"])
        line = nodes.paragraph("", "", label, *place[0].children, nodes.Text(" "), count)
        section.children = [title]
        section.append(element("details", element("summary", line), *rest, classes=["lab"]))


def title_of(node: nodes.Node) -> nodes.strong | None:
    """The title of the exercise that begins with this paragraph."""
    words = [child for child in node.children if child.astext()] if isinstance(node, nodes.paragraph) else []
    is_title = words and isinstance(words[0], nodes.strong) and re.match(r"\d+\. ", words[0].astext())
    return words[0] if is_title else None


def fold_exercises(app, doctree: nodes.document) -> None:
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


def setup(app):
    app.add_node(lab)
    app.add_directive("lab", Lab)
    app.connect("doctree-read", fold, priority=610)  # after guesses have taken what they hide
    app.connect("doctree-read", fold_exercises, priority=610)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
