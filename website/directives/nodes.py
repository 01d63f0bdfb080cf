"""Shared parts of the Sphinx extensions: nodes of HTML, places to fill later, warnings."""

from __future__ import annotations

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)
INLINE = ("a", "span")  # in these elements a line's end would be a space


class element(nodes.General, nodes.Element):
    """An element of HTML: its tag, and the rest of its start tag. Inline nodes in it go into a nodes.inline."""

    def __init__(self, tag: str, *children, classes=(), ids=(), **attributes):
        super().__init__("", *children, classes=list(classes), ids=list(ids), tag=tag, attributes=attributes)


def visit(translator, node: element) -> None:
    attributes = {name.replace("_", "-"): value for name, value in node["attributes"].items()}
    end = "" if node["tag"] in INLINE else "\n"
    translator.body.append(translator.starttag(node, node["tag"], end, **attributes))


def depart(translator, node: element) -> None:
    translator.body.append(f"</{node['tag']}>" + ("" if node["tag"] in INLINE else "\n"))


class place(nodes.General, nodes.Element):
    """A placeholder for content that is added after all cells or all pages are read."""

    def __init__(self, kind: str, *children, rawsource="", **about):
        super().__init__(rawsource, *children, kind=kind, **about)


def find_places(doctree: nodes.document, kind: str) -> list[place]:
    return [node for node in doctree.findall(place) if node["kind"] == kind]


class Mark(SphinxDirective):
    """A directive that only marks a position: a `place` of the directive's name, with its argument."""

    optional_arguments = 1

    def run(self):
        mark = place(self.name, about="".join(self.arguments))
        self.set_source_info(mark)
        return [mark]


class Misuse(ValueError):
    """A mistake that an author has to fix: the build fails and says where."""


def warn(where, text: str, *parts) -> None:
    """Warn about a node, or about the place of a directive: a warning fails the build."""
    log.warning(text, *parts, location=where if isinstance(where, nodes.Node) else where.get_location())


def is_cell(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def above(node: nodes.Node, condition) -> nodes.Node | None:
    """Return the nearest node around this one for which a condition is true."""
    while node is not None and not condition(node):
        node = node.parent
    return node


def opens(hidden: list[nodes.Node], otherwise: str = "the answer") -> str:
    """Return the counted contents of a fold.

    >>> opens([element("div", classes=["finding"])])
    'Opens 1 finding.'
    """
    counts = {"figure": 0, "table": 0, "finding": 0}
    for part in hidden:
        for node in part.findall():
            counts["figure"] += isinstance(node, nodes.figure)
            counts["table"] += isinstance(node, nodes.raw) and '<table class="result' in node.astext()
            counts["finding"] += isinstance(node, element) and "finding" in node["classes"]
    words = [f"{count} {kind}{'s' * (count > 1)}" for kind, count in counts.items() if count]
    return f"Opens {' and '.join(filter(None, [', '.join(words[:-1]), *words[-1:]])) or otherwise}."


def setup(app) -> None:
    app.add_node(element, html=(visit, depart))
    app.add_node(place)
