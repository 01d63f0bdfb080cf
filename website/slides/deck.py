"""The slides of a chapter: `slides/NAME.html`, made from its built page and from its teacher's page.

reveal.js, from the package sphinx-revealjs, turns the pages; layout.js chooses each slide's layout, and slides.js and
slides.css do the rest. The content of a slide is taken from the chapter, so the answer to a guess is the one that its
cell computed. The plan's minutes, and what to say, are in the speaker's notes.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from website.directives.figures import size
from website.project import package, template
from website.slides.order import Entry, Quote, order, place_of_answer
from website.slides.source import Chapter, Item, Plan, Step, mathjax, outside, tags, words

FOLDER = "slides"
ALONG = "<p><em>The plan does not ask this, and the next slide answers it. Ask for hands, or press twice.</em></p>"
REVEAL = ["reveal.js", "reveal.css"]
KEYS = [
    ("→", "on"),
    ("←", "back"),
    ("S", "notes"),
    ("B", "black"),
    ("Esc", "all slides"),
    ("F", "full screen"),
    ("D", "dark or light"),
    ("Z", "a picture’s parts, larger"),
]
PAGE = Path(__file__).with_name("slides.html")


def copy_scripts(static: Path) -> None:
    """Copy the scripts and styles of slides and sheets to `static`, and reveal.js to `static`/reveal."""
    source, target = package("sphinx_revealjs") / "_static" / "revealjs", static / "reveal"
    target.mkdir(parents=True, exist_ok=True)
    for file in [path for path in PAGE.parent.iterdir() if path.suffix in (".js", ".css")]:
        shutil.copy(file, static)
    for file in [source / "LICENSE", *(source / "dist" / name for name in REVEAL)]:
        text = file.read_text(encoding="utf-8")
        (target / file.name).write_text(re.sub(r"\n//# sourceMappingURL=\S+", "", text), encoding="utf-8")


def said(step: Step) -> str:
    """What the teacher says in a step that shows nothing else: the text behind "Say:"; "" if there is none."""
    for element in step.elements:
        _, say, text = words(element).partition("Say: ")
        if say:
            text = text.removesuffix("Give the homework.").strip()
            return f"<p>{escape(text[:1].upper() + text[1:])}</p>"
    return ""


class Deck:
    """One chapter's slides, as HTML."""

    def __init__(self, chapter: Chapter, plan: Plan, site: Path):
        self.chapter, self.plan, self.site = chapter, plan, site
        self.page, self.plan_page = f"book/{chapter.name}.html", f"book/teach/{chapter.name}.html"

    def html(self) -> str:
        slides = self.slides()
        views = [text for text in slides if 'class="tl-view' in text]
        return template(
            PAGE,
            meta=tags(self.chapter),
            title=escape(self.chapter.title),
            styles="".join(f"<style>{text}</style>" for text in self.chapter.styles) if views else "",
            mathjax=mathjax(self.chapter),
            live='<script src="../_static/live/page.js"></script>\n' if views else "",
            slides="\n".join(slides),
            scripts="".join(f"<script>{text}</script>" for text in self.chapter.scripts) if views else "",
        )

    def slides(self) -> list[str]:
        all_ = order(self.chapter, self.plan)
        made = [self.title(), *map(self.of_entry, all_.lesson), self.text("Homework", self.plan.homework)]
        for number, (question, items) in enumerate(zip(self.plan.questions, all_.asked, strict=True), 1):
            made.append(self.question(number, question))
            made += [self.of_item(item, self.from_plan(question, item.name)) for item in items]
        if all_.more:
            made.append(self.divider())
            made += [self.of_item(item, self.beyond(item)) for item in all_.more]
        return made

    # The content of a slide.

    def slide(self, kind: str, heading: str, body: str, notes: str) -> str:
        notes = notes.replace('class="math ', 'class="later ')  # slides.js draws them when a reader opens the notes
        return f'<section class="slide {kind}">\n{heading}\n{body}\n<aside class="notes">{notes}</aside>\n</section>'

    def link(self, anchor: str, text: str) -> str:
        return f'<a href="../{self.page}{anchor and "#" + anchor}">{text}</a>'

    def heading(self, item: Item) -> str:
        text = outside(item.heading, self.page, FOLDER).decode_contents().strip()
        text = self.chapter.title if item.heading.name == "h1" else text
        return f"<h2>{self.link(item.heading.parent.get('id', ''), text)}</h2>"

    def copied(self, element: Tag) -> Tag:
        return outside(element, self.page, FOLDER)

    def title(self) -> str:
        number = f"{self.chapter.number}. " if self.chapter.number else ""
        keys = "".join(f"<li><kbd>{key}</kbd> {what}</li>" for key, what in KEYS)
        body = f"""<p class="ask">{escape(self.chapter.question)}</p>
{"".join(str(self.copied(p)) for p in self.chapter.lead.find_all("p"))}
<ul class="keys" aria-label="Keys">{keys}</ul>"""
        heading = f"<h1>{self.link('', number + escape(self.chapter.title))}</h1>"
        return self.slide("title", heading, body, self.from_plan(self.plan.before))

    def of_entry(self, entry: Entry) -> str:
        step, what = self.plan.steps[entry.step], entry.what
        notes = f"<h3>{step.minutes}. {escape(step.title)}</h3>"
        notes += self.from_plan(step.elements, what.name if isinstance(what, Item) else "")
        if isinstance(what, Item):
            notes += self.tip(what)
            return self.of_item(what, notes if entry.planned else ALONG + notes, step.elements)
        if isinstance(what, str):
            heading = f"<h2>{escape(step.title)}</h2>"
            return self.slide("text", heading, f'<div class="drawn">{self.board(what)}</div>', notes + self.board(what))
        heading = f"<h2>{self.link('', escape(self.chapter.title))}</h2>"
        if isinstance(what, Quote):
            return self.slide("words", heading, f'<p class="ask">{escape(what.text)}</p>', notes)
        return self.slide("words", heading, f'<p class="ask">{escape(step.title)}</p>{said(step)}', notes)

    def of_item(self, item: Item, notes: str, step: Sequence[Tag] = ()) -> str:
        body = {"guess": self.poll, "finding": self.finding, "formula": self.formula}.get(item.kind)
        body = body(item) if body else self.figure(item, step)
        return self.slide("poll" if item.kind == "guess" else item.kind, self.heading(item), body, notes)

    def figure(self, item: Item, step: Sequence[Tag]) -> str:
        made = self.copied(item.element)
        for image in made.select("img"):
            del image["loading"]
        for image in made.select("picture > img"):
            self.add_own_layout(image)
        for file in made.select("picture :is(img, source)"):  # layout.js chooses the best layout
            drawing = self.site / FOLDER / (file.get("src") or file["srcset"])
            file["data-letters"] = smallest_letter(drawing.read_text(encoding="utf-8"))
        for tip in made.select("figcaption .legend"):
            tip.decompose()  # it is in the notes
        for number in made.select(".caption-number"):
            number.replace_with(*parsed(self.link(item.name, words(number))), " ")
        if item.kind == "view":
            made.figcaption.extend(parsed(self.sentences(item, step)))
        made["class"] = "stage"
        return str(made)

    def add_own_layout(self, image: Tag) -> None:
        """Add the layout for slides, which no page loads, next to the others of a picture."""
        file = re.sub(r"(-dark)?\.svg$", r"-slide\g<0>", image["src"])
        if (drawing := self.site / FOLDER / file).is_file():
            sizes = size(drawing.read_text(encoding="utf-8"))
            image.insert_before(*parsed(f'<source media="not all" srcset="{file}" {sizes}/>'))

    def sentences(self, item: Item, step: Sequence[Tag]) -> str:
        """Return links that enter a plan's texts into this view: slides.js fills the view of the slide with them."""
        kind = item.element.select_one("[data-view]")["data-view"].partition("-")[0]
        found = {}
        for element in step:
            for link in element.select(f"a[href*='#view={kind}&']"):
                found[link["href"]] = f"<li>{outside(link, self.plan_page, FOLDER)}</li>"
        return f'<ul class="try" aria-label="To try">{"".join(found.values())}</ul>' if found else ""

    def finding(self, item: Item) -> str:
        return f'<div class="says">{self.copied(item.element).decode_contents()}</div>'

    def formula(self, item: Item) -> str:
        made = self.copied(item.element)
        number = made.select_one(".eqno").extract()
        link = self.link(item.name, words(number).rstrip("#"))
        return f'<div class="formula">{made}{link}</div>{meanings(item.element)}'

    def poll(self, item: Item) -> str:
        box, kind = item.element, item.element["data-kind"]
        truth = box.select_one(".guess-truth")
        question = str(self.copied(box.select_one(".guess-question")))
        hint = ""
        if kind == "number":
            choices = self.numbers(item, json.loads(box["data-truth"]))
        else:
            right = words(truth) if kind == "choice" else None
            choices = "".join(
                f"<li{' data-true=✓' * (words(line) == right)}>{self.copied(line).decode_contents()}</li>"
                for line in box.select(".guess-items > li")
            )
            hint = f'<p class="hint">{escape(words(box.select_one(".guess-hint")))}</p>' if kind == "order" else ""
        choices = choices and f'<ul class="choices">{choices}</ul>'
        told = "".join(str(self.copied(element)) for element in (truth, box.select_one(".guess-because")))
        return f'{question}{hint}{choices}<div class="fragment answer">{told}</div>'

    def numbers(self, item: Item, truth: float) -> str:
        """Return the choices that a plan offers; the answer, if it is one, is marked ✓, or ≈ if it is rounded."""
        box = self.plan.hands.get(item.name)
        given = box["data-offer"].split(", ") if box and box["data-offer"] else []
        if not given:
            return ""
        unit, right = item.element["data-unit"], place_of_answer(given, truth)
        space = "" if unit[:1] in ("", "%", "°") else " "
        texts = [f"{number}{space}{escape(unit)}" for number in given]
        mark = " data-true=✓" if right is not None and given[right] == f"{truth:g}" else " data-true=≈"
        lines = (f"<li{mark * (place == right)}>{text}</li>" for place, text in enumerate(texts))
        return "".join(lines)

    def question(self, number: int, elements: list[Tag]) -> str:
        asked = "".join(str(outside(element, self.plan_page, FOLDER)) for element in elements[:1])
        asked = re.sub(r"(<strong>)\d\. ", r"\1", asked)
        return self.slide("words", f"<h2>To discuss, {number} of 3</h2>", f'<div class="says">{asked}</div>',
                          self.from_plan(elements))  # fmt: skip

    def text(self, title: str, elements: list[Tag]) -> str:
        body = "".join(str(outside(element, self.plan_page, FOLDER)) for element in elements)
        return self.slide("text", f"<h2>{title}</h2>", f"<div>{body}</div>", f"<p>{title}.</p>{body}")

    def board(self, lines: str) -> str:
        """Return the board picture up to these lines, with their tables and formulas. A press adds the next line."""
        first, _, last = lines.partition("-")
        parts, line = [], 1
        for element in self.plan.board:
            made = outside(element, self.plan_page, FOLDER)
            items = made.find_all("li", recursive=False)
            for line, item in enumerate(items, int(made.get("start", 1))):
                parts.append((line, *parsed(f'<ol start="{line}">{item}</ol>')))
            if not items:
                parts.append((line, made))
        drawn = [(line, part) for line, part in parts if line <= int(last or first)]
        for line, part in drawn[1:]:
            part["class"] = [*part.get("class", []), *["fragment"] * (line >= int(first))]
        return "".join(str(part) for _, part in drawn)

    def divider(self) -> str:
        what = "The rest of the chapter, in its order, which the plan of fifty minutes leaves out."
        heading = f"<h2>{self.link('', escape(self.chapter.title))}</h2>"
        return self.slide("words", heading, f'<p class="ask">More of this chapter</p><p>{what}</p>', f"<p>{what}</p>")

    # The speaker's notes.

    def from_plan(self, elements: list[Tag], now: str = "") -> str:
        made = [outside(element, self.plan_page, FOLDER) for element in elements]
        for element in made:
            for link in element.select("a[href]"):
                if now and link["href"].endswith(f"#{now}"):
                    link["class"] = "now"
            for box in element.select("[data-hands]") + [element] * element.has_attr("data-hands"):
                if box["data-hands"] == now:
                    box["class"] = ["hands", "now"]
                del box["data-hands"], box["data-offer"]
        return "".join(map(str, made))

    def tip(self, item: Item) -> str:
        """Return suggestions for a view."""
        legend = item.element.select_one("figcaption .legend")
        return f"<hr>{self.copied(legend).decode_contents()}" if legend else ""

    def beyond(self, item: Item) -> str:
        """Return notes for a slide that no step of the plan shows: its caption, or its reason."""
        source = item.element.figcaption or item.element.select_one(".guess-because") or item.element
        if item.kind == "formula":
            return f"<p>Formula {words(item.element.select_one('.eqno')).rstrip('#')} of the chapter.</p>"
        return f"<p><em>Not in the plan.</em></p><div>{self.copied(source).decode_contents()}</div>"


def meanings(formula: Tag) -> str:
    """Return the meanings of the letters of a numbered formula, as on the page: a list."""
    box = formula.find_next_sibling()
    found: dict[str, list[str]] = {}  # meaning -> letters
    if box is not None and "speaks" in box.get("class", []):
        for button, says in zip(box.select("button"), box.select(".says"), strict=True):
            found.setdefault(says.decode_contents().strip(), []).append(button.decode_contents().strip())
    lines = (f"<dt>{', '.join(symbols)}</dt><dd>{meaning}</dd>" for meaning, symbols in found.items())
    return f"<dl>{''.join(lines)}</dl>"


def smallest_letter(svg: str) -> float:
    """Return the smallest letters of a matplotlib drawing, in pixels; it writes 9 points as scale(0.09 -0.09).

    >>> smallest_letter('<g transform="rotate(9) scale(0.1 -0.1)"/><g transform="rotate(9) scale(0.09 -0.09)"/>')
    12.0
    """
    scales = re.findall(r"\) scale\(([\d.]+) -[\d.]+\)", svg)
    return round(min(map(float, scales), default=0.1) * 100 * 4 / 3, 2)


def parsed(html: str) -> list[Tag]:
    return list(BeautifulSoup(html, "html.parser").contents)
