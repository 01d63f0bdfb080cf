"""`guess` asks before the chapter shows, `guessed` ends the hidden part, and `guesses` counts.

A guess is one of several choices, a number with a unit, or an order:

    :::{guess} longer-key          :::{guess} growth             :::{guess} nearest-words
    Which key wins?                :unit: times                  :order: from near to far
                                   :within: 20%                  In which order do they come?
    - k1                           By how much does it grow?
    - k2                                                         - car
                                   Because variances add up.     - kitten
    Because k2 is longer.          :::
    :::                                                          Because meaning decides.
                                                                 :::

The text never contains the answer: a later cell calls `answer("longer-key", value)` (of `tutorial_book.page`), and the
box takes the value from that cell's output. The content that answers the question opens after the guess: everything
between box and cell, the cell, and a finding that follows it. If more of the section reveals the answer, end that part
with a directive `guessed` of the same name. A guessed number is drawn into a figure that shows it on an axis with
`:drawn: fig-growth y`, or with the panel and the factor that converts the guess to the axis's unit, `:drawn: fig-growth
y 2 0.01`. With `:again:` it is asked again days later without its page (again.py). Without JavaScript all of it is
plain text; book/_static/guess.js makes the controls, compares, and keeps guesses in the browser.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from pathlib import Path

from bs4 import BeautifulSoup
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from tutorial_book.page.answers import in_words
from website.directives.figures import drawings, ruler
from website.directives.nodes import Mark, Misuse, above, element, find_places, is_cell, opens, warn

WITHIN = re.compile(r"(?P<share>\d+(?:\.\d+)?) ?%|a factor of (?P<factor>\d+(?:\.\d+)?)|(?P<units>\d+(?:\.\d+)?)")
DRAWN = re.compile(r"(?P<figure>\S+) (?P<axis>[xy])( (?P<panel>\d))?( (?P<factor>[\d.]+))?")


def complain(node: nodes.Node, name: str, error: str) -> None:
    warn(node, "guess %s: %s", name, error)


@contextmanager
def complaining(node: nodes.Node, name: str):
    """Report the block's errors, which an author must fix, as a warning about this node."""
    try:
        yield
    except Misuse as error:
        complain(node, name, str(error))


class Guess(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec = {
        "unit": directives.unchanged,
        "within": directives.unchanged,
        "order": directives.unchanged_required,
        "drawn": directives.unchanged_required,
        "again": directives.unchanged,
    }

    def run(self):
        name = self.arguments[0]
        box = element("div", classes=["guess"], ids=[f"guess-{name}"], data_guess=name)
        self.set_source_info(box)
        with complaining(box, name):
            self.fill(box)
            return [box]
        return []

    def fill(self, box: element) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", box["attributes"]["data_guess"]):
            raise Misuse("the name must be lower-case letters, digits and hyphens, as in longer-key")
        *question, because = self.parse_content_to_nodes() or [None]
        if not isinstance(because, nodes.paragraph) or not because.astext().startswith("Because "):
            raise Misuse('the last paragraph must give the reason and begin with "Because"')
        choices = question.pop() if question and isinstance(question[-1], nodes.bullet_list) else None
        if not question or any(isinstance(node, nodes.bullet_list) for node in question):
            raise Misuse("it must begin with a question, followed by at most one list")
        if "unit" in self.options:
            given = self.number(choices)
            parts = [element("p", nodes.Text(blank(self.options)), classes=["guess-blank"])]
        else:
            given, parts = self.items(choices)
        box["attributes"] |= given
        if "again" in self.options:
            box["again"] = self.options["again"]
            box["attributes"]["data_again"] = ""
        box.append(element("p", nodes.Text("Guess first"), classes=["guess-title"]))
        box.append(element("div", *question, classes=["guess-question"]))
        box.extend(parts)
        if text := hint(self.options):
            box.append(element("p", nodes.Text(text), classes=["guess-hint"]))
        because["classes"].append("guess-because")
        box.append(because)

    def number(self, choices: nodes.bullet_list | None) -> dict[str, str]:
        if choices is not None or "order" in self.options:
            raise Misuse("a number (:unit:) must not have a list or an order")
        match = WITHIN.fullmatch(self.options.get("within", "20%"))
        if not match:
            raise Misuse(f'within must be "20%", "a factor of 2" or "3", got "{self.options["within"]}"')
        kind = match.lastgroup
        given = {"data_kind": "number", "data_unit": self.options["unit"], f"data_{kind}": match[kind]}
        if "drawn" in self.options:
            if not DRAWN.fullmatch(self.options["drawn"]):
                raise Misuse(f'drawn must be "fig-growth y" or "fig-growth y 2 0.01", got "{self.options["drawn"]}"')
            given["data_drawn"] = self.options["drawn"]
        return given

    def items(self, choices: nodes.bullet_list | None) -> tuple[dict[str, str], list[nodes.Node]]:
        for option, told in (("within", "right within something"), ("drawn", "drawn into a figure")):
            if option in self.options:
                raise Misuse(f"only a number (:unit:) is {told}")
        if choices is None or len(choices) < 2:
            raise Misuse("it needs a list of at least two choices, or a :unit: if it asks for a number")
        lines = []
        for item in choices:
            if len(item) != 1 or not isinstance(item[0], nodes.paragraph):
                raise Misuse(f"each item of the list must be one line of text, got {item.astext()!r}")
            content = nodes.inline("", "", *item[0].children)  # a label cannot contain a paragraph
            lines.append(element("li", content, data_item=item.astext()))
        texts = [line["attributes"]["data_item"] for line in lines]
        if len(set(texts)) < len(texts):
            raise Misuse(f"the items of the list must differ, got {', '.join(texts)}")
        kind = "order" if "order" in self.options else "choice"
        return {"data_kind": kind}, [element("ul", *lines, classes=["guess-items"])]


def hint(options: dict[str, str]) -> str:
    """Return the hint of a guess with these options: what a reader has to know besides the question.

    >>> hint({"unit": "times", "within": "a factor of 2"}), hint({"order": "from near to far"})
    ('Within a factor of 2 is right.', 'In order, from near to far.')
    """
    if "order" in options:
        return f"In order, {options['order']}."
    if "unit" not in options:
        return ""
    within = options.get("within", "20%")
    return "Only the exact number is right." if within == "0" else f"Within {within} is right."


def blank(options: dict[str, str]) -> str:
    """Return the place for writing a number.

    >>> blank({"unit": "times"})
    'Your guess: ____ times'
    """
    return f"Your guess: ____ {options['unit']}".rstrip() if "unit" in options else ""


def take_answers(doctree: nodes.document) -> list[tuple[str, object, nodes.container]]:
    """Return the answers of a page: name, value and cell. Their output is removed, because the boxes show it.

    They are the values passed to `tutorial_book.page.answers.answer`.
    """
    answers = []
    for raw in [raw for raw in doctree.findall(nodes.raw) if "data-answer" in raw.astext()]:
        if (shown := BeautifulSoup(raw.astext(), "html.parser").select_one("[data-answer]")) is None:
            continue
        name, cell = shown["data-guess"], above(raw, is_cell)
        if above(raw, lambda node: isinstance(node, nodes.figure)):
            complain(cell, name, "its answer is in a cell that draws a figure. Move it into its own cell")
        bundle = above(raw, lambda node: node.get("nb_element") == "mime_bundle")
        outputs = bundle.parent
        outputs.remove(bundle)
        if not outputs.children:
            outputs.parent.remove(outputs)
        answers.append((name, json.loads(shown["data-answer"]), cell))
    return answers


def join(doctree: nodes.document) -> list[element]:
    """Give each guess its answer, and put the part that reveals it into one block. Returns those, in order."""
    answers, boxes, ends = take_answers(doctree), {}, {}
    places = {id(node): place for place, node in enumerate(doctree.findall())}
    for box in doctree.findall(lambda node: isinstance(node, element) and "data_guess" in node["attributes"]):
        name = box["attributes"]["data_guess"]
        if name in boxes:
            complain(box, name, "another guess of this page has the same name")
        boxes[name] = box
    for name, value, cell in answers:
        if name not in boxes:
            known = ", ".join(boxes) or "none"
            complain(cell, name, f"a cell has its answer, but the page has no guess of this name, only {known}")
        elif name in ends:
            complain(cell, name, "two cells answer it")
        elif places[id(boxes[name])] > places[id(cell)]:
            complain(cell, name, "its answer comes before the question")
        else:
            with complaining(cell, name):
                show_truth(boxes[name], value)
            ends[name] = cell
    for name, box in boxes.items():
        if name not in ends:
            complain(box, name, f'no cell below it answers it. Add answer("{name}", value) as a cell\'s last line')
    markers = {marker["about"]: marker for marker in find_places(doctree, "guessed")}
    for name, marker in markers.items():
        if name not in ends:
            complain(marker, name, "guessed: the page has no such guess above this line")
    for name, cell in ends.items():
        with complaining(boxes[name], name):
            wrap(boxes[name], cell, markers.get(name))
    for marker in markers.values():
        marker.parent.remove(marker)
    for name in ends:
        for text in leaks(boxes[name]) if "data_truth" in boxes[name]["attributes"] else ():
            complain(boxes[name], name, f"its answer is visible before the guess: {text[:120]}")
    return [box for name, box in boxes.items() if name in ends]


def wrap(box: element, cell: nodes.Node, marker: nodes.Node | None) -> None:
    """Put a box and everything that opens with it, up to its answer and the marker, into one block of the page."""
    page, start = box.parent, box.parent.index(box)
    last = start
    for end in (cell, marker):
        if end is None:
            continue
        sibling = above(end, lambda node: node.parent is page)
        if sibling is None:
            raise Misuse(
                "its answer, and the line that ends it, must be in the same section, under the same heading"
            )
        if page.index(sibling) < last:
            raise Misuse("the line that ends it comes before its answer")
        last = page.index(sibling)
    if marker is None and last + 1 < len(page) and "finding" in page[last + 1].get("classes", []):
        last += 1
    opened = page[start + 1 : last + 1]
    if any(isinstance(node, nodes.section) for node in opened):
        raise Misuse("there is a heading between it and its answer")
    del page[start : last + 1]
    hint = element("p", nodes.Text(opens(opened)), classes=["guess-opens"])
    box.append(hint)
    page.insert(start, element("div", box, element("div", *opened, classes=["guess-opened"]), classes=["guess-block"]))


def show_truth(box: element, value) -> None:
    """Put the computed value into its box, with the reason."""
    given = box["attributes"]
    lines = {line["attributes"]["data_item"]: line for line in box.findall(element) if line["tag"] == "li"}
    if given["data_kind"] == "number":
        if isinstance(value, (str, list)):
            raise Misuse(f"the answer must be a number, but the cell gives {value!r}")
        unit = given["data_unit"]
        space = "" if unit[:1] in ("", "%", "°") else " "
        truth = [nodes.Text(f"{in_words(value)}{space}{unit}")]
    elif given["data_kind"] == "choice":
        value = value if isinstance(value, str) else in_words(value)
        if value not in lines:
            raise Misuse(f"the answer must be one of {', '.join(lines)}, but the cell gives {value}")
        truth = [lines[value][0].deepcopy()]
    else:
        if not isinstance(value, list) or sorted(value) != sorted(lines):
            said = in_words(value)
            raise Misuse(f"the answer must be an order of {', '.join(lines)}, but the cell gives {said}")
        if value == list(lines):
            raise Misuse("the items are already in the true order. List them in another")
        truth = [element("ol", *(element("li", lines[item][0].deepcopy()) for item in value))]
    given["data_truth"] = json.dumps(value)
    content = element("div", *truth, classes=["guess-truth"])
    because = box.children.pop()
    summary = element("summary", nodes.Text("The answer"))
    box.append(element("details", summary, content, because, classes=["guess-answer"]))


def tells(text: str, truth, unit: str) -> bool:
    """Return whether a sentence reveals an answer: a number that rounds to it before its unit, or a choice's own words.

    A choice of a few words, such as "in the last layer", occurs in many sentences that do not answer: it takes five.

    >>> tells("It grows 4.0 times.", 3.97, "times"), tells("It grows 4 times.", 3.2, "times")
    (True, False)
    >>> tells("It cuts nothing at all at first.", "nothing at all at first", ""), tells("A key.", "key", "")
    (True, False)
    """
    if isinstance(truth, str):
        return truth.count(" ") >= 4 and re.search(rf"\b{re.escape(truth)}\b", text, re.IGNORECASE) is not None
    if isinstance(truth, list) or not unit:
        return False
    for number in re.findall(rf"([\d,]*\.?\d+) ?{re.escape(unit)}(?!\w)", text):
        digits = len(number.partition(".")[2])
        if round(float(number.replace(",", "")) - truth, 9) == 0 or number.replace(",", "") == f"{truth:.{digits}f}":
            return True
    return False


def leaks(box: element) -> list[str]:
    """Yield the text that reveals a guess's answer while it is closed: sentences, headings, captions, alternatives."""
    given, block = box["attributes"], box.parent
    truth, unit = json.loads(given["data_truth"]), given.get("data_unit", "")
    inside = (nodes.caption, nodes.image)  # of a cell; the rest is its output

    def is_section(node):
        return isinstance(node, nodes.section) and isinstance(node.parent.parent, nodes.document)

    def is_apart(node):
        return isinstance(node, element) and bool({"guess", "guess-opened", "hero"} & set(node["classes"]))

    section = above(block, is_section)
    found = []
    for node in section.findall() if section else ():
        if not isinstance(node, (nodes.paragraph, nodes.title, *inside)) or above(node, is_apart):
            continue
        text = node.get("alt", "") if isinstance(node, nodes.image) else node.astext()
        if (isinstance(node, inside) or not above(node, is_cell)) and tells(text, truth, unit):
            found.append(text)
    return found


def count(doctree: nodes.document, boxes: list[element]) -> None:
    """Put the list of a page's guesses in place of `guesses`; the script adds each result."""
    for place in find_places(doctree, "guesses"):
        if not boxes:
            warn(place, "guesses: this page has no guess to count")
        lines = []
        for box in boxes:
            name = box["attributes"]["data_guess"]
            section = above(box, lambda node: isinstance(node, nodes.section))
            title = [child.deepcopy() for child in section[0].children] if section else [nodes.Text(name)]
            link = nodes.reference("", "", *title, internal=True, refuri=f"#guess-{name}")
            lines.append(element("li", nodes.inline("", "", link), data_guess=name))
        many = "One question" if len(boxes) == 1 else f"{len(boxes)} questions"
        text = nodes.Text(f"{many} to guess at, by section:")
        place.replace_self(
            element("div", element("p", text, classes=["guess-count"]), element("ul", *lines), classes=["guess-tally"])
        )


def read(app, doctree: nodes.document) -> None:
    count(doctree, join(doctree))


def draw(app, doctree: nodes.document, docname: str) -> None:
    """Tell each box whose guess is drawn into a figure where its numbers lie there, in both layouts."""
    figures = {name: figure for figure in doctree.findall(nodes.figure) for name in figure["ids"]}
    for box in doctree.findall(lambda node: isinstance(node, element) and "data_drawn" in node["attributes"]):
        given = box["attributes"]
        wish = DRAWN.fullmatch(given.pop("data_drawn"))
        try:
            if above(figures[wish["figure"]], lambda node, block=box.parent: node is block) is None:
                raise ValueError("the guess does not open it")
            picture = next(figures[wish["figure"]].findall(nodes.image))
            files = drawings(Path(app.srcdir, picture["uri"]).read_text(encoding="utf-8"))
            place = {"figure": wish["figure"], "axis": wish["axis"], "factor": float(wish["factor"] or 1)}
            for layout, end in (("wide", ""), ("phone", "-phone")):
                place[layout] = ruler(files.get(end, files[""]), wish["axis"], int(wish["panel"] or 1))
        except (KeyError, StopIteration):
            complain(box, given["data_guess"], f"drawn: no cell of the page draws a figure {wish['figure']}")
        except ValueError as error:
            complain(box, given["data_guess"], f"drawn: {wish['figure']}: {error}")
        else:
            given["data_drawn"] = json.dumps(place)


def setup(app):
    app.add_directive("guess", Guess)
    app.add_directive("guessed", Mark)
    app.add_directive("guesses", Mark)
    app.connect("doctree-read", read)
    app.connect("doctree-resolved", draw)
