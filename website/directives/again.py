"""The guesses that are asked again without their page, as a script that also works from files.

An author marks a guess with `:again:`, and may rephrase the question so that it does not need the page:

    :::{guess} growth
    :unit: times
    :again: A dot product gets 16 times as many coordinates. How much larger does its typical size become?

Each becomes a card in plain text, with the answer that a cell computed. A formula that cannot be written as text stops
the build, and a test finds words that need the page, such as "below". book/_static/again.js asks the cards.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from docutils import nodes
from docutils.utils import smartquotes

from website.directives.guess import complaining
from website.directives.nodes import Misuse, element

SIGNS = {
    r"\cdot": "·", r"\times": "×", r"\approx": "≈", r"\le": "≤", r"\ge": "≥", r"\pm": "±", r"\infty": "∞",
    r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\varepsilon": "ε", r"\lambda": "λ", r"\mu": "μ", r"\pi": "π",
    r"\sigma": "σ", r"\omega": "ω", r"\LN": "LayerNorm", r"\softmax": "softmax", r"\,": " ", r"\%": "%", "-": "−",
}  # fmt: skip
MEASURES = ("unit", "share", "factor", "units")  # the unit of a number, and how close a guess must be
RAISED = str.maketrans("0123456789−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ")


def in_plain_text(formula: str) -> str:
    r"""Return a short formula as you would type it.

    >>> in_plain_text(r"d_{\text{ff}} = 4\,d_{\text{model}}"), in_plain_text(r"10000^{1/3} \cdot 10^{-9}")
    ('d_ff = 4 d_model', '10000^(1/3) · 10⁻⁹')
    """
    text = re.sub(r"\\(?:text|operatorname|mathrm)\{(\w*)\}", r"\1", formula)
    text = re.sub(r"\\[A-Za-z]+|\\[,%]|-", lambda sign: SIGNS.get(sign[0], sign[0]), text)
    text = re.sub(r"\\sqrt ?\{?(\w+)\}?", r"√\1", text)
    text = re.sub(r"_\{(\w+)\}", r"_\1", text)
    text = re.sub(r"\^(?:\{([^{}]*)\}|(\w))", lambda power: raised(power[1] or power[2]), text)
    if re.search(r"[\\{}]", text):
        raise Misuse(f"it is asked again in plain text, which cannot show {formula}. Write it in words")
    return " ".join(text.split())


def raised(power: str) -> str:
    return power.translate(RAISED) if re.fullmatch(r"[\d−n]+", power) else f"^({power})" if power[1:] else f"^{power}"


def plain(node: nodes.Node) -> str:
    """Return the visible text of a node, with formulas as you would type them."""
    if isinstance(node, nodes.math):
        return in_plain_text(node.astext())
    if isinstance(node, nodes.Text):
        return node.astext()
    if "refuri" in node or "reftarget" in node:
        if not node.astext():
            raise Misuse("it is asked again without its page, so each link must have its own text")
    return (" " if any(isinstance(child, nodes.paragraph) for child in node) else "").join(map(plain, node))


def card(box: element) -> dict:
    """Return everything needed to ask a guess without its page, in plain text."""
    given = box["attributes"]

    def part(name: str) -> str:
        found = [plain(node) for node in box.findall(nodes.Element) if name in node["classes"]]
        return " ".join(found[0].split()) if found else ""

    lines = [line for line in box.findall(element) if "data_item" in line["attributes"]]
    items = {line["attributes"]["data_item"]: plain(line) for line in lines}
    truth = json.loads(given["data_truth"])
    truth = [items[item] for item in truth] if isinstance(truth, list) else items.get(truth, truth)
    in_other_words = re.sub(r"\$([^$]+)\$", lambda formula: in_plain_text(formula[1]), box["again"])
    return {
        "name": given["data_guess"],
        "kind": given["data_kind"],
        "question": smartquotes.smartyPants(in_other_words, "q") or part("guess-question"),
        "items": list(items.values()),
        "hint": part("guess-hint"),
        "truth": truth,
        "told": ", ".join(truth) if isinstance(truth, list) else part("guess-truth"),
        "because": part("guess-because"),
        "given": {key: given[f"data_{key}"] for key in MEASURES if f"data_{key}" in given},
    }


def read(app, doctree: nodes.document) -> None:
    """Give each guess that is asked again its card. Its answer is known by now."""
    for box in doctree.findall(lambda node: isinstance(node, element) and "again" in node):
        with complaining(box, box["attributes"]["data_guess"]):
            if "data_truth" in box["attributes"]:
                box["card"] = card(box)


def write(app, exception) -> None:
    if exception or app.builder.format != "html":
        return
    cards = []
    for docname in sorted(app.env.found_docs):
        doctree, page = app.env.get_doctree(docname), docname.rpartition("/")[2]
        title = next(doctree.findall(nodes.title), nodes.Text("")).astext()
        boxes = doctree.findall(lambda node: isinstance(node, element) and "card" in node)
        cards += [{"page": page, "title": title, **box["card"]} for box in boxes]
    target = Path(app.outdir, "_static", "cards.js")
    target.write_text(f"BOOK_CARDS = {json.dumps(cards, ensure_ascii=False)};\n", encoding="utf-8")


def setup(app):
    app.connect("doctree-read", read, priority=600)  # after guess.py, which adds the answers
    app.connect("build-finished", write)
