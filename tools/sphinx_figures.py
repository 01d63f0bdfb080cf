"""A Sphinx extension: the directive `list-of-figures` lists every numbered figure of the book with its caption."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class figure_list(nodes.General, nodes.Element):
    """Stands where the list will be, until all pages are read."""


class ListOfFigures(SphinxDirective):
    def run(self):
        return [figure_list()]


def pages(env, docname: str | None = None) -> list[str]:
    """All pages in the book's order."""
    docname = docname or env.config.root_doc
    return [docname] + [page for child in env.toctree_includes.get(docname, []) for page in pages(env, child)]


def figures(app, page: str, from_page: str):
    """The numbered figures of a page: (number, address, caption as nodes that read the same on `from_page`)."""
    numbers = app.env.toc_fignumbers.get(page, {}).get("figure", {})
    for figure in app.env.get_doctree(page).findall(nodes.figure):
        name = next((name for name in figure["ids"] if name in numbers), None)
        caption = next(figure.findall(nodes.caption), None)
        if name and caption is not None:
            app.env.resolve_references(caption, from_page, app.builder)
            address = f"{app.builder.get_relative_uri(from_page, page)}#{name}"
            yield ".".join(map(str, numbers[name])), address, caption.children


def fill(app, doctree: nodes.document, docname: str) -> None:
    """Put the list where the directive stands: one part for each page, one item for each figure."""
    for place in list(doctree.findall(figure_list)):
        app.env.domains["math"].data["has_equations"][docname] = True  # captions bring formulas: load MathJax
        parts = []
        for page in pages(app.env):
            items = []
            for number, address, caption in figures(app, page, docname):
                link = nodes.reference("", f"Fig. {number}", internal=True, refuri=address)
                items.append(nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(" "), *caption)))
            if items:
                parts += [nodes.rubric("", app.env.titles[page].astext()), nodes.bullet_list("", *items)]
        place.replace_self(parts)


def setup(app):
    app.add_node(figure_list)
    app.add_directive("list-of-figures", ListOfFigures)
    app.connect("doctree-resolved", fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
