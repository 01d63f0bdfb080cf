"""A Sphinx extension: the directive `finding` sets apart what a section found.

    :::{finding} A key can win by its direction or by its length.
    The sentence above stands in bold; this text, if there is any, follows it.
    :::
"""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from sphinx_guess import element


class Finding(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self):
        sentence, messages = self.parse_inline(self.arguments[0])
        lead = nodes.paragraph("", "", nodes.strong("", "", *sentence))
        text = self.parse_content_to_nodes()
        box = element("div", lead, *text, classes=["finding"], role="note", aria_label="Finding")
        self.set_source_info(box)
        return [box, *messages]


def setup(app):
    app.add_directive("finding", Finding)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
