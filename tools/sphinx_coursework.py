"""A Sphinx extension: the directive `assignments` lists the coursework, out of its sources."""

from __future__ import annotations

import re
import sys
from urllib.parse import urlsplit

from build_book import ROOT
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


def table(repository: str, colab: str, branch: str) -> list[str]:
    """The assignments as lines of a Markdown table: title, time, points, and the notebook here and in Colab."""
    sys.path.insert(0, str(ROOT))  # coursework is no installed package
    from coursework import checks, sources

    lines = ["| Assignment | Time | Points | Notebook | In Colab |", "| --- | --- | --- | --- | --- |"]
    for name in checks.names():
        title = sources.title(name).removeprefix("Assignment ")
        time = re.search(r"\*\*Time:\*\* ([^.,;]+)", sources.source(name).cells[0].source)[1]
        file = f"coursework/notebooks/{name}.ipynb"
        address = f"{colab}/github{urlsplit(repository).path}/blob/{branch}/{file}"
        notebook = f"{{download}}`{name}.ipynb <../{file}>`"
        points = sum(sources.points(name).values())
        lines.append(f"| {title} | {time} | {points} | {notebook} | [open {name[0]}]({address}) |")
    return lines


class Assignments(SphinxDirective):
    def run(self):
        theme = self.config.html_theme_options
        colab = theme["launch_buttons"]["colab_url"]
        container = nodes.container()
        lines = table(theme["repository_url"], colab, theme["repository_branch"])
        self.state.nested_parse(StringList(lines), self.content_offset, container)
        for path in (ROOT / "coursework" / "assignments").glob("*/notebook.md"):
            self.env.note_dependency(str(path))
        return container.children


def setup(app):
    app.add_directive("assignments", Assignments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
