"""What is right: the functions that assignments ask for, and the usual mistakes in each, as edits of their source.

None of this is in what students install: that holds what these functions gave, and `write` makes it.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

from coursework.references.mistakes import Mistakes
from tutorial_book.exercises.exercise import EXERCISES, Exercise, outcome, same
from tutorial_book.exercises.outcomes import FOLDER, Outcomes, written

HERE = Path(__file__).parent


def homes() -> list[str]:
    """The modules here, and of exercises with the same names: "attention" for assignment 2-attention."""
    return sorted(path.stem for path in HERE.glob("*.txt"))


@cache
def module(home: str) -> ModuleType:
    """The right functions of an assignment."""
    return importlib.import_module(f"{__name__}.{home}")


@cache
def mistakes(assignment: str) -> dict[str, Mistakes]:
    """Function -> its usual mistakes, hint -> function. assignment: its name, or that of the module."""
    home = assignment.lstrip("0123456789-").replace("-", "_")
    parts = (HERE / f"{home}.txt").read_text(encoding="utf-8").split("\n== ")[1:]
    tables = {name: table.strip("\n") for name, _, table in (part.partition("\n") for part in parts)}
    return {name: Mistakes(getattr(module(home), name), table) for name, table in tables.items()}


def computed(exercise: Exercise, function: Callable, mistakes: Mistakes) -> Outcomes:
    """What the right function and the usual mistakes give in an exercise's cases."""
    made = {hint: [outcome(mistake, case) for case in exercise.cases] for hint, mistake in mistakes.items()}
    return Outcomes([outcome(function, case) for case in exercise.cases], made)


def text(home: str) -> str:
    """The file of an assignment's outcomes, for what students install."""
    tables, right = mistakes(home), vars(module(home))
    return written({name: computed(one, right[name], tables[name]) for name, one in EXERCISES[home].items()})


def file(home: str) -> Path:
    """Where it stands."""
    return FOLDER / f"{home}.json"


def same_outcomes(one: str, other: str) -> bool:
    """Whether two such files say the same, but for the last digits of numbers, which differ between processors."""
    return same(json.loads(one), json.loads(other), 1e-6)
