"""How marks are given: calls with fresh inputs, and values that are compared here, outside the sandbox.

An assignment's `checks.py` holds functions under `@check("softmax-hidden")`. Each takes a random generator and yields
`call`s: a function of the student's, its arguments, and the value that is right. A check gives all of its points where
every call is right, else none; so guessing does not pay, and the points stand in the notebook alone.
"""

from __future__ import annotations

import importlib.util
import math
import numbers
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

ASSIGNMENTS = Path(__file__).with_name("assignments")
MOST_WORDS = 300  # characters of a reason: a judge may quote what a student made up


@dataclass(frozen=True)
class Call:
    """One call of a student's function, or the look at a variable where arguments is None."""

    name: str
    arguments: tuple | None
    expected: Any
    tolerance: float
    judge: Callable[[Any], str | None] | None = None  # instead of `expected`: says what is wrong, or None


def check(id):
    """Say that the decorated function yields the calls of the notebook's cell `id`."""

    def register(function):
        function.check_id = id
        return function

    return register


def call(name, *arguments, expect, tolerance=1e-6):
    """`name(*arguments)` must give `expect`, numbers within tolerance (of the value, or of 1 where that is smaller)."""
    return Call(name, arguments, expect, tolerance)


def variable(name, expect=None, tolerance=1e-6, judge=None):
    """The variable `name` must hold `expect`; or `judge(value)` says in a sentence what is wrong with it, or None.

    Several variables, "TEXTS, LABELS", come to the judge as a list. They come as JSON, a
    dictionary as {"pairs": [...]}.
    """
    return Call(name, None, expect, tolerance, judge)


@lru_cache
def load(assignment) -> dict[str, Callable]:
    """The checks of an assignment, out of its checks.py: id of the notebook's cell -> what yields the calls.

    Raises ValueError where there is no such assignment, or where its file registers no check: a broken configuration
    stops the grading.
    """
    path = ASSIGNMENTS / assignment / "checks.py"
    if not path.is_file():
        raise ValueError(f"assignment must be one of {', '.join(names())}, got {assignment!r}")
    spec = importlib.util.spec_from_file_location(f"coursework.assignments.{assignment.replace('-', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    by_id = {function.check_id: function for function in vars(module).values() if hasattr(function, "check_id")}
    if not by_id:
        raise ValueError(f"{path} holds no check: each is a function under @check(...)")
    return by_id


def names():
    """The assignments, in order.

    >>> "2-attention" in names()
    True
    """
    return sorted(path.parent.name for path in ASSIGNMENTS.glob("*/notebook.md"))


def wrong(call, record):
    """Why the record that the sandbox gave for a call is not right, in a sentence for the student; None where it is.

    The sentence tells what came, never what was put in or expected: it may stand on a feedback page. Of an exception
    only the type is told, because its message can hold the inputs.
    """
    if record is None:
        return f"{call.name} gave no value: the code ended before"
    if record.get("error") is not None:
        kind = re.match(r"[A-Za-z_]{1,60}", str(record["error"]))
        if kind and kind[0] == "NotImplementedError":
            return f"{call.name} is not written yet"
        if kind and kind[0] == "NotPlain":  # the worker's own word
            return f"{call.name} gave something that is no number, text, list, dictionary or array"
        return f"{call.name} stopped with {kind[0] if kind else 'an error'}"
    got = record.get("value")
    try:
        if call.judge is not None:
            reason = call.judge(got)
            return reason if reason is None else str(reason)[:MOST_WORDS]
        return _difference(_plain(call.expected), got, call.tolerance, call.name)
    except Exception:  # what a student's code made up may break any comparison; it is then not right
        return f"{call.name} gave something that cannot be compared"


def _plain(value):
    """An expected value in the form in which the worker sends values."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if isinstance(value, (np.ndarray, np.generic)):
        return {"shape": list(value.shape), "values": value.tolist()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[_plain(key), _plain(item)] for key, item in value.items()]}
    return value


def _difference(expected, got, tolerance, name):
    if isinstance(expected, dict) and "shape" in expected:
        return _array_difference(expected, got, tolerance, name)
    if isinstance(got, dict) and got.get("shape") == []:
        got = got["values"]  # a NumPy scalar is as good as a number
    if isinstance(expected, bool) or expected is None or isinstance(expected, str):
        return None if type(got) is type(expected) and got == expected else f"{name} gave a wrong value"
    if isinstance(expected, numbers.Real):
        right = isinstance(got, numbers.Real) and math.isclose(got, expected, rel_tol=tolerance, abs_tol=tolerance)
        return None if right else f"{name} gave a wrong number"
    if isinstance(expected, dict):
        return _pairs_difference(expected["pairs"], got, tolerance, name)
    if isinstance(got, dict) and "shape" in got:
        got = got["values"]
    if not isinstance(got, list):
        return f"{name} must give a list"
    if len(got) != len(expected):
        return f"{name} gave {len(got)} items where another number was right"
    found = (_difference(one, other, tolerance, name) for one, other in zip(expected, got, strict=True))
    return next((reason for reason in found if reason), None)


def _array_difference(expected, got, tolerance, name):
    if isinstance(got, dict) and "shape" in got:
        got = got["values"]
    values, right = np.array(got), np.array(expected["values"], dtype=float)
    if values.dtype.kind not in "biuf":  # text that looks like numbers is text
        return f"{name} must give numbers"
    values = values.astype(float)
    if values.shape != right.shape:
        return f"{name} gave the shape {values.shape} where another was right"
    if not np.isfinite(values[np.isfinite(right)]).all():
        return f"{name} gave numbers that are not finite"
    close = np.isclose(values, right, rtol=tolerance, atol=tolerance)  # nan is close to nothing
    return None if close.all() else f"{name} gave {np.count_nonzero(~close)} wrong numbers of {close.size}"


def _pairs_difference(expected, got, tolerance, name):
    if not isinstance(got, dict) or "pairs" not in got:
        return f"{name} must give a dictionary"
    right = {repr(key): value for key, value in expected}
    given = {repr(key): value for key, value in got["pairs"]}
    if right.keys() != given.keys() or len(given) != len(got["pairs"]):
        return f"{name} gave a dictionary with other keys than the right ones"
    found = (_difference(right[key], given[key], tolerance, name) for key in right)
    return next((reason for reason in found if reason), None)
