"""A Sphinx extension: the directive `letters` is the table of book/letters.tsv.

    :::{letters} everywhere
    :::

has only the letters that all chapters share; without `everywhere`, it has all.
"""

from __future__ import annotations

from letters import ROOT, table
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)


class Letters(SphinxDirective):
    optional_arguments = 1

    def run(self):
        if self.arguments not in ([], ["everywhere"]):
            log.warning("letters: its argument must be everywhere, or none, got %s", self.arguments[0],
                        location=self.get_location())  # fmt: skip
            return []
        self.env.note_dependency(str(ROOT / "book" / "letters.tsv"))
        return self.parse_text_to_nodes(table(everywhere=self.arguments == ["everywhere"]))


def setup(app):
    app.add_directive("letters", Letters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
