"""The pages in book/teach: the parts that a teacher's page takes from its chapter.

    :::{objectives}
    :::

is the list of the chapter's `outcomes`, so that both always agree, and a line with links to the chapter's slides.

    :::{hands} growth
    :offer: 2, 4, 16, 64
    Most say 16.
    :::

is the chapter's guess of that name, as a question for a show of hands: its question and choices, or the numbers to
choose from, then the text of the directive (what the class will say), then the answer, as the chapter's cell computed
it, and the reason.

    :::{board} 2-4
    :::

marks the place in a step at which these lines of the section *On the board* are drawn. A slide and its notes show the
picture up to them. The page itself shows nothing there.

    {live}`gaze_view: The nurse helped the doctor.`

is a link to a view of the chapter with this text in its box; separate two texts with " | ".

A page of this folder belongs to the chapter of the same name, which links to it at its foot (opening.py).
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote_plus, urlencode

from docutils import nodes
from sphinx.util.docutils import SphinxDirective, SphinxRole

from website.build.values import text_of
from website.directives.guess import hint
from website.directives.markdown import bodies
from website.directives.nodes import element, find_places, place, warn

FOLDER = "teach"


def guess(text: str, name: str) -> tuple[dict[str, str], str, str]:
    """Return a guess of a chapter: options, question with choices, and reason. Raises KeyError if there is none."""
    for argument, options, body in bodies(text, "guess"):
        if argument == name:
            question, _, because = body.rpartition("\n\n")
            return options, question, because
    raise KeyError(name)


def fragment(text: str) -> str:
    """Return the part after # in a link to a view, as live.js reads it.

    >>> fragment("context: I saw a bear. | We must bear it.")
    'view=context&text=I+saw+a+bear.&text2=We+must+bear+it.'
    """
    view, _, texts = text.partition(": ")
    pairs = [(f"text{number}" if number > 1 else "text", one) for number, one in enumerate(texts.split(" | "), 1)]
    return urlencode([("view", view), *pairs], quote_via=quote_plus)


def chapter_of(page: str) -> str:
    """Return the chapter of a teacher's page.

    >>> chapter_of("book/teach/heads")
    'book/heads'
    """
    folder, _, name = page.rpartition(f"{FOLDER}/")
    return folder + name


class FromChapter:
    """The context of a directive or a role on such a page: its chapter, and the chapter's source."""

    @property
    def chapter(self) -> str:
        return chapter_of(self.env.docname)

    def source(self) -> str:
        path = self.env.doc2path(self.chapter)
        self.env.note_dependency(path)
        return text_of(Path(self.env.srcdir), path)


class Objectives(FromChapter, SphinxDirective):
    def run(self):
        name = self.chapter.rpartition("/")[2]
        ((_, _, body),) = bodies(self.source(), "outcomes")
        objectives = "\n\n".join(part for part in body.split("\n\n") if part.startswith("- "))
        slides = nodes.reference("", "slides", internal=True, refuri=f"../../slides/{name}.html")
        sheet = nodes.reference("", "one page", internal=True, refuri=f"../../sheets/{name}.html")
        say = nodes.Text(" follow this plan, which is in their notes (press S). To hand out: the chapter on ")
        line = nodes.paragraph("", "", nodes.Text("The "), slides, say, sheet, nodes.Text("."), classes=["noprint"])
        return [*self.parse_text_to_nodes(f"Afterwards, students can\n\n{objectives}"), line]


class Board(SphinxDirective):
    required_arguments = 1

    def run(self):
        if not re.fullmatch(r"\d+(-\d+)?", self.arguments[0]):
            warn(self, "board: it must name lines of the board picture, such as 2 or 2-4, got %s", self.arguments[0])
            return []
        return [element("div", classes=["board"], data_board=self.arguments[0])]


class Hands(FromChapter, SphinxDirective):
    required_arguments = 1
    option_spec = {"offer": str}
    has_content = True

    def run(self):
        name = self.arguments[0]
        try:
            options, question, because = guess(self.source(), name)
        except KeyError:
            warn(self, "hands: %s has no guess %s", self.chapter, name)
            return []
        form = hint(options) if "order" in options else options.get("unit") and f"\\_\\_\\_ {options['unit']}"
        question += f"\n\n*{form}*" if form else ""
        offer = self.options.get("offer", "")
        question += f"\n\n*Offer {offer}.*" if offer else ""
        title = element("p", nodes.Text("A show of hands"), classes=["hands-title"])
        answer = place("truth", guess=name, chapter=self.chapter)
        why = self.parse_text_to_nodes(because)
        box = element("div", title, *self.parse_text_to_nodes(question), *self.parse_content_to_nodes(), answer, *why)
        box["classes"].append("hands")
        box["attributes"]["data_offer"] = offer
        self.set_source_info(box)
        return [box]


class Live(FromChapter, SphinxRole):
    def run(self):
        texts = self.text.partition(": ")[2].replace(" | ", " / ")
        address = f"../{self.chapter.rpartition('/')[2]}.html#{fragment(self.text)}"
        return [nodes.reference(self.rawtext, texts, internal=True, refuri=address)], []


def fill(app, doctree: nodes.document, docname: str) -> None:
    """Put the computed value of the chapter's cell into its mark; nothing if no cell ran."""
    for mark in find_places(doctree, "truth"):
        chapter = app.env.get_doctree(mark["chapter"])
        boxes = (box for box in chapter.findall(element) if box["attributes"].get("data_guess") == mark["guess"])
        answers = [node for box in boxes for node in box.findall(element) if "guess-truth" in node["classes"]]
        label = nodes.strong("", "The answer: ")
        if not answers:
            mark.parent.remove(mark)
        elif isinstance(answers[0][0], element):  # an order
            mark.replace_self([nodes.paragraph("", "", label), answers[0][0].deepcopy()])
        else:
            told = [node.deepcopy() for node in answers[0].children]
            mark.replace_self(nodes.paragraph("", "", label, *told, nodes.Text(".")))


def outdated(app, env, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Return the pages whose chapter is read again: a run of its cells may have changed an answer."""
    return [page for page in env.found_docs if chapter_of(page) != page and chapter_of(page) in added | changed]


def setup(app):
    app.add_directive("objectives", Objectives)
    app.add_directive("hands", Hands)
    app.add_directive("board", Board)
    app.add_role("live", Live())
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-resolved", fill)
