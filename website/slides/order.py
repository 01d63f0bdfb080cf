"""The order of a chapter's slides: first as its plan for a teacher shows things, then the rest of the chapter.

A guess comes before the content that answers it. If a step draws lines of the board picture, a slide shows the picture
up to them, with one more line at each press.
"""

from __future__ import annotations

from typing import NamedTuple

from website.slides.source import Chapter, Item, Plan, shows


class Quote(NamedTuple):
    """A sentence of the chapter that the plan sets apart."""

    text: str


class Entry(NamedTuple):
    step: int  # of the plan
    what: Item | Quote | str | None  # lines of the board picture: "2" or "2-4"; None: a step that shows nothing
    planned: bool = True  # False: a guess whose answer the plan shows


class Order(NamedTuple):
    lesson: list[Entry]
    asked: list[list[Item]]  # for each question to discuss, the items that it refers to and the lesson has not shown
    more: list[Item]


def plain(text: str) -> str:
    return text.replace("’", "'").replace("“", '"').replace("”", '"')


def order(chapter: Chapter, plan: Plan) -> Order:
    by_name = {item.name: item for item in chapter.items}
    findings = {plain(item.name): item for item in chapter.items if item.kind == "finding"}
    lesson: list[Entry] = []

    def shown(item: Item) -> bool:
        return any(entry.what is item for entry in lesson)

    def show(step: int, item: Item) -> None:
        if item.guess and not shown(by_name[item.guess]):  # otherwise its answer would come before it
            lesson.append(Entry(step, by_name[item.guess], planned=False))
        if item.kind == "figure" or not shown(item):
            lesson.append(Entry(step, item))

    for number, step in enumerate(plan.steps):
        before = len(lesson)
        for kind, name in step.shows:
            if kind == "board":
                lesson.append(Entry(number, name))
            elif kind == "quote":
                finding = next((item for start, item in findings.items() if plain(name).startswith(start)), None)
                if finding is None:
                    lesson.append(Entry(number, Quote(name)))
                elif not shown(finding):
                    show(number, finding)
            elif name in by_name:
                show(number, by_name[name])
        if len(lesson) == before:
            lesson.append(Entry(number, None))
    asked = [asked_for(question, by_name, lesson) for question in plan.questions]
    there = {id(entry.what) for entry in lesson} | {id(item) for items in asked for item in items}
    more = [item for item in chapter.items if not item.folded and id(item) not in there]
    return Order(lesson, asked, more)


def asked_for(question, by_name: dict[str, Item], lesson: list[Entry]) -> list[Item]:
    """Return the figures of the chapter that a question refers to and no slide has shown, each after its guess."""
    items = []
    for element in question:
        for kind, name in shows(element):
            item = by_name.get(name) if kind == "figure" else None
            known = [entry.what for entry in lesson] + items
            if item is not None and not any(item is other for other in known):
                guess = by_name.get(item.guess)
                items += [guess] if guess and not any(guess is other for other in known) else []
                items.append(item)
    return items


def place_of_answer(numbers: list[str], truth: float) -> int | None:
    """Return the index of the offered number that is the answer, rounded to as many decimals as any has, or None.

    >>> place_of_answer(["2", "4", "16"], 3.97), place_of_answer(["0", "0.3", "0.6"], 0.42)
    (1, None)
    """
    decimals = max(len(number.partition(".")[2]) for number in numbers)
    values = [float(number.replace(",", "").replace("−", "-")) for number in numbers]
    return values.index(round(truth, decimals)) if round(truth, decimals) in values else None
