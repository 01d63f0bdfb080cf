"""A Sphinx extension: the directive `opening` lets a chapter begin with one of its own figures, and the question to it.

    :::{opening} fig-heads-grid
    Twelve heads read one sentence. Why twelve?
    :::

The picture is shown again, small and without a number; the figure itself stands where it is explained.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx_guess import element

logger = logging.getLogger(__name__)


class opening(nodes.General, nodes.Element):
    """Stands at the head of a chapter until its figures are read."""


class Opening(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self):
        place = opening("", *self.parse_content_to_nodes(), figure=nodes.fully_normalize_name(self.arguments[0]))
        self.set_source_info(place)
        return [place]


def fill(app, doctree: nodes.document) -> None:
    """Put the figure's pictures beside the question; the figure itself keeps its alternative text and its number."""
    figures = {name: figure for figure in doctree.findall(nodes.figure) for name in figure["names"] + figure["ids"]}
    for place in list(doctree.findall(opening)):
        if place["figure"] not in figures:
            logger.warning("opening: this page has no figure %s", place["figure"], location=place)
            place.parent.remove(place)
            continue
        pictures = [picture.deepcopy() for picture in figures[place["figure"]].findall(nodes.image)]
        for picture in pictures:
            picture["alt"] = ""  # told where the figure stands
            picture["ids"], picture["names"] = [], []
        box = element("div", *pictures, *place.children, classes=["opening"])
        place.replace_self(box)


def setup(app):
    app.add_node(opening)
    app.add_directive("opening", Opening)
    app.connect("doctree-read", fill, priority=400)  # before the collector of images, at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
