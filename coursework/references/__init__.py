"""What is right: the functions that assignments ask for, and the usual mistakes in each, as edits of their source.

A module's RULES say which questions have several rules, of which a course's variant has one: functions -> {constant of
the module: its values}, the published one first. What stands between « and » in a notebook's source or in a hint is
computed with these constants: "at most «MOST» pieces". What students install holds what these functions gave: `text`.
"""

import argparse
import importlib.util
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

from coursework.references.mistakes import mistakes as read_mistakes
from tutorial_book.exercises.exercise import EXERCISES, Exercise, outcome, same
from tutorial_book.exercises.outcomes import FOLDER, Outcomes, drawn, written

HERE = Path(__file__).parent


@cache
def homes() -> list[str]:
    """The modules here, and of exercises with the same names: "attention" for assignment 2-attention."""
    return sorted(path.stem for path in HERE.glob("*.txt"))


def split(assignment: str) -> tuple[str, str]:
    """An assignment as it is published, and a course's variant of it or "".

    >>> split("3-bert-layer"), split("3-bert-layer-2027")
    (('3-bert-layer', ''), ('3-bert-layer', '2027'))
    """
    known = "|".join(homes()).replace("_", "-")
    match = re.fullmatch(rf"(\d+-(?:{known}))(?:-([a-z0-9]{{1,20}}))?", assignment)
    return match.groups("") if match else (assignment, "")


def known(assignment: str) -> str:
    """The name of an assignment, or of a variant of one, that a user gave."""
    if not (HERE.parent / "assignments" / split(assignment)[0] / "notebook.md").is_file():
        raise argparse.ArgumentTypeError(f"must be one such as 2-attention or 2-attention-2027, got {assignment!r}")
    return assignment


def varied(names: list[str], variant: str) -> list[str]:
    """Of assignments with these names, those that a variant has with rules of its own: "2-attention-2027"."""
    if split(f"{names[0]}-{variant}")[1] != variant:
        raise ValueError(f"a variant's name must be of small letters and digits, such as 2027, got {variant!r}")
    return [f"{name}-{variant}" for name in names if hasattr(of(name), "RULES")]


@cache
def of(assignment: str) -> ModuleType | None:
    """The right functions of an assignment, by the rules that its variant has; None where there are none here."""
    name, variant = split(assignment)
    home = name.partition("-")[2].replace("-", "_")
    return module(home, variant) if home in homes() else None


def module(home: str, variant: str = "") -> ModuleType:
    """Those of the assignment with this name: "attention"."""
    rules = _rules(home).values()
    return _with(home, tuple(drawn(variant, place, len(options)) for place, options in enumerate(rules)))


def mistakes(assignment: str) -> dict[str, dict[str, Callable]]:
    """Function -> its usual mistakes, hint -> function."""
    return mistakes_in(of(assignment)) if of(assignment) else {}


def filled(text: str, assignment: str) -> str:
    """A text with what stands between « and » computed, such as «MOST». VARIANT is for a check, TITLED for a title."""
    made, variant = of(assignment), split(assignment)[1]
    names = {"VARIANT": variant and f', "{variant}"', "TITLED": variant and f", {variant}"}
    return _fill(text, {**vars(made), **names}) if made else text


def _fill(text, names):
    return re.sub(r"«(.+?)»", lambda match: str(eval(match[1], dict(names))), text)


def _rules(home):
    """Functions that share a rule -> its options, each {constant: value}; the first is what the module has."""
    rules = getattr(importlib.import_module(f"{__name__}.{home}"), "RULES", {})
    return {functions: [dict(zip(names, one)) for one in zip(*names.values())] for functions, names in rules.items()}


@cache
def _with(home, chosen):
    """The module with these options of its rules. What is no variant is the module itself."""
    original = importlib.import_module(f"{__name__}.{home}")
    if not any(chosen):
        return original
    spec = importlib.util.spec_from_file_location(original.__name__, original.__file__)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    for number, options in zip(chosen, _rules(home).values(), strict=True):
        vars(made).update(options[number])
    return made


@cache
def mistakes_in(made: ModuleType) -> dict[str, dict[str, Callable]]:
    """Those in the functions of one of these modules."""
    path = Path(made.__file__).with_suffix(".txt")
    parts = (part.partition("\n") for part in path.read_text(encoding="utf-8").split("\n== ")[1:])
    return {name: read_mistakes(getattr(made, name), _fill(table.strip("\n"), vars(made))) for name, _, table in parts}


def computed(exercise: Exercise, function: Callable, mistakes: dict[str, Callable]) -> Outcomes:
    """What the right function and the usual mistakes give in an exercise's cases."""
    made = {hint: [outcome(mistake, case) for case in exercise.cases] for hint, mistake in mistakes.items()}
    return Outcomes([outcome(function, case) for case in exercise.cases], made)


def text(home: str) -> str:
    """The file of an assignment's outcomes, by each rule, for what students install."""
    rules = _rules(home)
    outcomes = {}
    for name, exercise in EXERCISES[home].items():
        place, options = next(((i, one) for i, (names, one) in enumerate(rules.items()) if name in names), (0, [{}]))
        made = [_with(home, tuple(number * (i == place) for i in range(len(rules)))) for number in range(len(options))]
        outcomes[name] = place, [computed(exercise, getattr(one, name), mistakes_in(one)[name]) for one in made]
    return written(outcomes)


def out_of_step(mend: bool = False) -> list[str]:
    """The names of such files that differ from `text` in more than last digits; to mend them is to write them."""
    stale = []
    for path, today in ((FOLDER / f"{home}.json", text(home)) for home in homes()):
        if not path.is_file() or not same(json.loads(path.read_text("utf-8")), json.loads(today), 1e-6):
            stale.append(path.name)
            if mend:
                path.write_text(today, encoding="utf-8")
    return [] if mend else stale
