"""A chapter's `opening` is a question and its picture across the page; its `outcomes` end the page.

    # What a model costs                    the page's title, small

    :::{opening} Why does twice the text take more than twice as long?
    :figure: fig-cost-seconds
    A layer has two terms.
    :::

    (a cell with the view or the picture that shows the chapter's subject)

    :::{outcomes}
    :mirrors: L 3.2.8

    - count what a layer multiplies;
    - look at neighbors only.

    *Measured here:* the default model.
    :::

The question comes first, then the output of the cells between, then the text. If there is no cell between, `figure`
names one of the page's own figures, which moves up here. Each of the two also works without the other. The outcomes end
with links to the chapter's page in the folder `teach`, if it has one, and to its slides and sheet (website/slides).

    :::{finding} A key can win by its direction or by its length.
    The sentence above is bold; this text, if there is any, follows it.
    :::

sets apart the result of a section.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from website.build.values import text_of
from website.directives.nodes import element, find_places, place, warn
from website.directives.times import reading_time


class Opening(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"figure": directives.unchanged_required, "class": directives.class_option}
    has_content = True

    def run(self):
        question, messages = self.parse_inline(self.arguments[0])
        ask = nodes.paragraph("", "", *question, classes=["ask"])
        lead = element("div", *self.parse_content_to_nodes(), classes=["lead"])
        figure = self.options.get("figure")
        mark = place("opening", ask, lead, figure=figure and nodes.fully_normalize_name(figure))
        mark["classes"] += self.options.get("class", [])
        self.set_source_info(mark)
        return [mark, *messages]


class Outcomes(SphinxDirective):
    option_spec = {"mirrors": directives.unchanged_required}
    has_content = True

    def run(self):
        content = self.parse_content_to_nodes()
        if not content or not isinstance(content[0], nodes.bullet_list):
            warn(self, "outcomes: it must begin with a list of what readers can do afterwards")
            return []
        source = Path(self.env.doc2path(self.env.docname))
        minutes = reading_time(text_of(Path(self.env.srcdir), source)).replace("minutes", "min")
        line = nodes.paragraph("", "", nodes.inline("", minutes, classes=["chip"]))
        if "mirrors" in self.options:
            line += nodes.Text(" ")
            line += nodes.reference("", f"Mirrors {self.options['mirrors']}.", internal=True, refuri="#claims")
        if (source.parent / "teach" / f"{source.stem}.md").exists():  # see teach.py
            links = nodes.inline(classes=["noprint"])
            for text, address in (("Teach it", "teach"), ("Slides", "../slides"), ("On one page", "../sheets")):
                links += nodes.Text(" · " if links.children else " ")
                links += nodes.reference("", text, internal=True, refuri=f"{address}/{source.stem}.html")
            line += links
        can = element("div", nodes.paragraph("", "After this chapter you can"), content[0])
        box = element("div", can, element("div", line, *content[1:]), classes=["outcomes"])
        self.set_source_info(box)
        return [box]


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


def fill(app, doctree: nodes.document) -> None:
    """Make one block of a question and the content up to the outcomes, and move the outcomes to the foot."""
    figures = {name: figure for figure in doctree.findall(nodes.figure) for name in figure["names"] + figure["ids"]}
    for mark in find_places(doctree, "opening"):
        page, start = mark.parent, mark.parent.index(mark)
        ask, lead = mark.children
        below = page.children[start + 1 :]
        length = next((i for i, node in enumerate(below) if "outcomes" in node.get("classes", [])), 0)
        between = below[:length]
        if mark["figure"] and mark["figure"] not in figures:
            warn(mark, "opening: this page has no figure %s", mark["figure"])
        things = []
        if mark["figure"] in figures:
            figure = figures[mark["figure"]]
            cell_output = figure.parent
            cell_output.remove(figure)
            if not cell_output.children:
                cell_output.parent.remove(cell_output)
            things.append(element("div", figure, classes=["thing"]))
        for node in between:
            page.remove(node)
        app.env.metadata[app.env.docname]["ask"] = ask.astext()  # the page before links here by it
        mark.replace_self(element("div", ask, *things, *between, lead, classes=["hero", *mark["classes"]]))
    for box in [node for node in doctree.findall(element) if "outcomes" in node["classes"]]:
        box.parent.append(box.parent.pop(box.parent.index(box)))


def setup(app):
    app.add_directive("opening", Opening)
    app.add_directive("outcomes", Outcomes)
    app.add_directive("finding", Finding)
    app.connect("doctree-read", fill, priority=400)  # before the collector of images, at 500
