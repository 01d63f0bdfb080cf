"""The first use of a glossary term in a chapter becomes a link with its definition.

Authors mark nothing. A term of book/glossary.md is found in the text of a page, in the singular or plural, and its
first use gets the definition as its title; book/_static/notes.js shows it. A term with a word in brackets, such as
"value (of a token)", is too common a word to be found: only {term}`value <value (of a token)>` links to it.
"""

from __future__ import annotations

import re
from functools import cache

from docutils import nodes

GLOSSARY = "book/glossary"
UNMARKED = {GLOSSARY, "book/api", "book/bibliography", "book/figures"}
NO_TEXT = (nodes.reference, nodes.literal, nodes.math, nodes.title, nodes.raw)


@cache  # cached while Sphinx runs; each page asks for it, and so does each caption in the list of figures
def definitions(app) -> dict[str, tuple[str, str]]:
    """Return the glossary: term -> (its anchor, its definition as plain text)."""
    found, glossary = {}, app.env.get_doctree(GLOSSARY)
    app.env.resolve_references(glossary, GLOSSARY, app.builder)  # "See bert" becomes "See BERT, layer by layer"
    for item in glossary.findall(nodes.definition_list_item):
        meaning = " ".join(item.children[-1].astext().split())
        for term in item.findall(nodes.term):
            found[term.astext()] = (term["ids"][0], meaning)
    return found


@cache
def pattern(term: str) -> re.Pattern:
    """Finds a term as whole words, in the singular or plural. Capitals count only in a term that has some.

    >>> pattern("head").findall("Heads, an ahead"), pattern("MLM head").findall("mlm heads, MLM  heads")
    (['Heads'], ['MLM  heads'])
    """
    words = r"\s+".join(map(re.escape, term.split()))
    words = f"(?i:{words})" if term == term.lower() else words
    return re.compile(rf"(?<![\w\[-]){words}{'(?:e?s)?' if term[-1].isalpha() else ''}(?![\w\]-])")


def mark_text(text: nodes.Text, pending: dict[str, tuple[str, str]], page: str) -> None:
    """Turn the first uses of pending terms in one piece of text into links, and remove them from the list."""
    pieces, end, string = [], 0, text.astext()
    while True:
        uses = {term: match for term in pending if (match := pattern(term).search(string, end))}
        if not uses:
            break
        term, match = min(uses.items(), key=lambda use: (use[1].start(), -len(use[0])))  # first, then longest
        anchor, meaning = pending[term]
        link = nodes.reference("", match[0], internal=True, refuri=f"{page}#{anchor}", reftitle=meaning)
        link["classes"].append("term")
        pieces += [nodes.Text(string[end : match.start()]), link]
        end = match.end()
        for other in [name for name, entry in pending.items() if entry[1] == meaning]:  # "head", "attention head"
            del pending[other]
    if pieces:
        text.parent.replace(text, [*pieces, nodes.Text(string[end:])])


def mark_terms(app, doctree: nodes.document, docname: str) -> None:
    """Give every {term} its definition, then mark the first use of all other terms."""
    if docname in UNMARKED or app.builder.name != "html" or GLOSSARY not in app.env.found_docs:
        return
    known = definitions(app)
    pending = {term: entry for term, entry in known.items() if "(" not in term}
    meanings = dict(known.values())
    for link in doctree.findall(nodes.reference):
        anchor = link.get("refuri", "").rpartition("#")[2]
        if anchor in meanings:
            link["reftitle"] = meanings[anchor]
            link["classes"].append("term")
            pending = {term: entry for term, entry in pending.items() if entry[1] != meanings[anchor]}
    page = app.builder.get_relative_uri(docname, GLOSSARY)
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if "ask" in paragraph["classes"]:
            continue  # a chapter's question stays unchanged
        if paragraph.parent.get("tag") == "summary":
            continue  # the line that opens a fold must not contain a link: a press would follow it
        for text in list(paragraph.findall(nodes.Text)):
            parent = text.parent
            # A space inside a cited name ("van der Maaten") is one shared object: its parents are unreliable.
            while parent not in (paragraph, None) and not isinstance(parent, NO_TEXT):
                parent = parent.parent
            if parent is paragraph:
                mark_text(text, pending, page)


def setup(app):
    app.connect("doctree-resolved", mark_terms)
