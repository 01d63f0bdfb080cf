"""The text of all pages as a script, in which book/_static/search.js searches.

Sphinx's own search finds no page that lacks one of the words, and fetches each page that it lists, which browsers
forbid for pages opened from files. So its index is not built.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.search.en import SearchEnglish

from website.directives.again import in_plain_text
from website.directives.nodes import Misuse

LIBRARY = "book/api"  # only the names are searched: its text is a third of all words
SHOWN = (nodes.title, nodes.term, nodes.paragraph, nodes.caption, addnodes.desc_signature)


def text_of(node: nodes.Node) -> str:
    """Return the words of a heading, a paragraph or a caption. Formulas that plain text cannot show are left out."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        try:
            return in_plain_text(node.astext())
        except Misuse:
            return ""
    return "".join(map(text_of, node.children))


def parts_of(doctree: nodes.document, page: str) -> list[list[str]]:
    """Return the parts of a page: [anchor, heading, text], and for a glossary term the page that explains it.

    Code, tables and program output are left out: they are not sentences.
    """
    parts = [["", "", ""]]
    for node in doctree.findall(lambda node: isinstance(node, SHOWN)):
        text = " ".join(text_of(node).split())
        if isinstance(node, addnodes.desc_signature):
            parts.append([node["ids"][0], node["fullname"], ""])
        elif isinstance(node, nodes.term) and node["ids"]:
            if node.parent.index(node):  # another name of the same term
                parts[-1][1] += f", {text}"
            else:
                parts.append([node["ids"][0], text, ""])
        elif isinstance(node, nodes.title) and isinstance(node.parent, nodes.section):
            parts.append([node.parent["ids"][0], text, ""])
        elif text and page != LIBRARY:
            parts[-1][2] = f"{parts[-1][2]} {text}".strip()
            if isinstance(node.parent.parent, nodes.definition_list_item):
                parts[-1] += [link["refuri"] for link in node.findall(nodes.reference)][-1:]
    return parts


def keep(app, doctree, docname) -> None:
    app.search_texts[docname] = parts_of(doctree, docname)


def begin(app) -> None:
    app.search_texts, app.builder.search = {}, False


def add_scripts(app, name, template, context, doctree) -> None:
    if name == "search":
        app.add_js_file("texts.js", loading_method="defer")
        app.add_js_file("search.js", loading_method="defer")


def write(app, exception) -> None:
    """Write the script. Pages that this build did not make are taken from the last build."""
    if exception or app.builder.format != "html":
        return
    target = Path(app.outdir, "_static", "texts.js")
    before = target.read_text(encoding="utf-8").rpartition("BOOK_TEXTS = ")[2] if target.exists() else "{}"
    texts = json.loads(before) | app.search_texts
    for page in app.env.found_docs - texts.keys():
        texts[page] = parts_of(app.env.get_and_resolve_doctree(page, app.builder), page)
    texts = {page: texts[page] for page in sorted(app.env.found_docs)}
    script = f"{SearchEnglish.js_stemmer_code}\nBOOK_TEXTS = {json.dumps(texts, ensure_ascii=False)}\n"
    target.write_text(script, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", begin)
    app.connect("doctree-resolved", keep, priority=999)  # after everything that changes the text
    app.connect("html-collect-pages", lambda app: [("search", {}, "search.html")])  # only for HTML
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write)
