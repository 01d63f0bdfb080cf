"""How marks are given: the calls of an assignment's checks, with inputs that are drawn for each grading.

An assignment's `checks.py` has a function for each check of its notebook, `softmax_hidden` for "softmax-hidden". It
takes a random generator, from which all inputs are drawn, and yields `call`s of the student's functions. The value of
the solution of that name is right (`coursework.references`).
"""

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from coursework import references, sources, worker

KINDS = ("_public", "_hidden", "_bert")  # how the names of checks end
MOST_JUDGED = 700_000  # bytes that a judge reads: 120 texts of 400 characters, each character escaped in JSON


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
        """Bytes that its value may have: more than an honest mistake needs; a power of two tells little of it."""
        return MOST_JUDGED if self.judge else 1 << (20_000 + 60 * _size(worker.plain(self.expected))).bit_length()


def call(name, *arguments, expect=..., tolerance=1e-6, case=""):
    """`name(*arguments)` must give `expect` or what the references give, within tolerance. case: what it tries."""
    return Call(name, arguments, expect, tolerance, case=case)


def calls_of(name, draw, times=1):
    """A check that calls `name` this many times, with the arguments that draw(rng) gives each time."""
    return lambda rng: [call(name, *draw(rng)) for _ in range(times)]


def variable(name, judge):
    """`judge(value)` says what is wrong with the variable `name`, or None. It is a function of checks.py by its name.

    Several variables, "TEXTS, LABELS", come to the judge as a list. A dictionary comes as {"pairs": [...]}.
    """
    return Call(name, None, None, judge=judge)


@lru_cache
def load(assignment) -> dict[str, Callable]:
    """The checks of an assignment, out of its checks.py: id of the notebook's cell -> what yields the calls."""
    path = sources.ASSIGNMENTS / sources.split(assignment)[0] / "checks.py"
    spec = importlib.util.spec_from_file_location(f"coursework.assignments.{assignment.replace('-', '_')}", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # pickle finds the judges there
    spec.loader.exec_module(module)
    module.right = references.of(assignment)  # a variant's
    draws = {name.replace("_", "-"): one for name, one in vars(module).items() if name.endswith(KINDS)}
    return {id: partial(_with_what_is_right, draw, module.right) for id, draw in draws.items()}


def _with_what_is_right(draw, right, rng):
    for one in draw(rng):
        yield replace(one, expected=getattr(right, one.name)(*one.arguments)) if one.expected is ... else one


def _size(value):
    """How many numbers and characters a plain value holds."""
    if isinstance(value, (dict, list)):
        return sum(map(_size, value.values() if isinstance(value, dict) else value))
    return len(value) if isinstance(value, str) else 1
