"""How marks are given: the calls of an assignment's checks, with inputs that are drawn anew.

An assignment's `checks.py` has a function for each check of its notebook, `softmax_hidden` for "softmax-hidden". It
takes a random generator and yields `call`s: a function of the student's and its arguments. All arguments are drawn from
that generator, so that no table of answers holds them. Right is what the function of that name in
`coursework.references` gives. A check gives all of its points where every call is right, else none; or, where the
notebook says `by_case: true`, its points case by case.
"""

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from coursework import references, worker

ASSIGNMENTS = Path(__file__).with_name("assignments")
KINDS = ("_public", "_hidden", "_bert")  # how the names of checks end
MOST_JUDGED = 700_000  # bytes of what a judge reads: 120 texts of 400 characters, each character escaped in JSON


@dataclass(frozen=True)
class Call:
    """One call of a student's function, or the look at a variable where arguments is None."""

    name: str
    arguments: tuple | None
    expected: Any = ...  # what the references give
    tolerance: float = 1e-6
    judge: Callable[[Any], str | None] | None = None  # instead of `expected`: says what is wrong, or None
    case: str = ""  # what it tries, in words that the student may read

    @property
    def most(self):
        """Bytes that what it gives back may have: several times what is right, and enough for an honest mistake.

        The sandbox is told it, so it is a power of two: it says little of how long the right answer is.
        """
        return MOST_JUDGED if self.judge else 1 << (20_000 + 60 * _size(worker.plain(self.expected))).bit_length()


def call(name, *arguments, expect=..., tolerance=1e-6, case=""):
    """`name(*arguments)` must give `expect`, numbers within tolerance (of the value, or of 1 where that is smaller).

    expect: if nothing is said, what the references give. case: what the call tries, such as "with a mask". The feedback
    page names it where points are given case by case.
    """
    return Call(name, arguments, expect, tolerance, case=case)


def once(name, draw):
    """A check that calls `name` once, with the arguments that draw(rng) gives."""
    return lambda rng: [call(name, *draw(rng))]


def variable(name, judge):
    """`judge(value)` says in a sentence what is wrong with the variable `name`, or None.

    Several variables, "TEXTS, LABELS", come to the judge as a list. They come as JSON, a dictionary as
    {"pairs": [...]}. A judge is a function of checks.py by its name, not a lambda.
    """
    return Call(name, None, None, judge=judge)


@lru_cache
def load(assignment) -> dict[str, Callable]:
    """The checks of an assignment, out of its checks.py: id of the notebook's cell -> what yields the calls.

    Raises ValueError where there is no such assignment.
    """
    path = ASSIGNMENTS / references.split(assignment)[0] / "checks.py"
    if not path.is_file():
        raise ValueError(f"assignment must be one of {', '.join(names())}, got {assignment!r}")
    spec = importlib.util.spec_from_file_location(f"coursework.assignments.{assignment.replace('-', '_')}", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # pickle finds the judges there
    spec.loader.exec_module(module)
    module.right = references.of(assignment)  # a variant's
    draws = {name.replace("_", "-"): one for name, one in vars(module).items() if name.endswith(KINDS)}
    return {id: partial(_with_what_is_right, draw, module.right) for id, draw in draws.items()}


def _with_what_is_right(draw, right, rng):
    for one in draw(rng):
        if one.expected is ...:
            one = replace(one, expected=getattr(right, one.name)(*one.arguments))
        yield one


def names():
    """The assignments, in order.

    >>> "2-attention" in names()
    True
    """
    return sorted(path.parent.name for path in ASSIGNMENTS.glob("*/notebook.md"))


def _size(value):
    """How many numbers and characters a plain value holds."""
    if isinstance(value, (dict, list)):
        return sum(map(_size, value.values() if isinstance(value, dict) else value))
    return len(value) if isinstance(value, str) else 1
