"""How marks are given: calls with fresh inputs, and values that are compared here, outside the sandbox.

An assignment's `checks.py` holds functions under `@check("softmax-hidden")`. Each takes a random generator and yields
`call`s: a function of the student's, its arguments, and the value that is right. All arguments are drawn from that
generator, so that no table of answers holds them. A check gives all of its points where every call is right, else none;
or, where the notebook says `by_case: true`, its points case by case.
"""

from __future__ import annotations

import importlib.util
import math
import multiprocessing
import numbers
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from coursework import references

ASSIGNMENTS = Path(__file__).with_name("assignments")
NEAR = 1e-3  # what is off by less may be right but for its precision
STARTED = "spawn"  # how `process` starts one
ONE_START = threading.Lock()  # workers that ask for the first time at once would start a process each, of 230 MB
MOST_WORDS = 300  # characters of a reason: a judge may quote what a student made up
MOST_JUDGED = 700_000  # bytes of what a judge reads: 120 texts of 400 characters, each character escaped in JSON


@dataclass(frozen=True)
class Call:
    """One call of a student's function, or the look at a variable where arguments is None."""

    name: str
    arguments: tuple | None
    expected: Any
    tolerance: float
    judge: Callable[[Any], str | None] | None = None  # instead of `expected`: says what is wrong, or None
    case: str = ""  # what it tries, in words that the student may read

    @property
    def most(self):
        """Bytes that what it gives back may have: several times what is right, and enough for an honest mistake.

        The sandbox is told it, so it is a power of two: it says little of how long the right answer is.
        """
        return MOST_JUDGED if self.judge else 1 << (20_000 + 60 * _size(_plain(self.expected))).bit_length()


def check(id):
    """Say that the decorated function yields the calls of the notebook's cell `id`."""

    def register(function):
        function.check_id = id
        return function

    return register


def call(name, *arguments, expect, tolerance=1e-6, case=""):
    """`name(*arguments)` must give `expect`, numbers within tolerance (of the value, or of 1 where that is smaller).

    case: what the call tries, such as "with a mask". The feedback page names it where points are given case by case.
    """
    return Call(name, arguments, expect, tolerance, case=case)


def variable(name, expect=None, tolerance=1e-6, judge=None):
    """The variable `name` must hold `expect`; or `judge(value)` says in a sentence what is wrong with it, or None.

    Several variables, "TEXTS, LABELS", come to the judge as a list. They come as JSON, a
    dictionary as {"pairs": [...]}. A judge is a function of checks.py by its name, not a lambda.
    """
    return Call(name, None, expect, tolerance, judge)


@lru_cache
def load(assignment) -> dict[str, Callable]:
    """The checks of an assignment, out of its checks.py: id of the notebook's cell -> what yields the calls.

    Raises ValueError where there is no such assignment, or where its file registers no check: a broken configuration
    stops the grading.
    """
    path = ASSIGNMENTS / references.split(assignment)[0] / "checks.py"
    if not path.is_file():
        raise ValueError(f"assignment must be one of {', '.join(names())}, got {assignment!r}")
    spec = importlib.util.spec_from_file_location(f"coursework.assignments.{assignment.replace('-', '_')}", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # pickle finds the judges there
    spec.loader.exec_module(module)
    module.right = references.of(assignment)  # a variant's
    by_id = {function.check_id: function for function in vars(module).values() if hasattr(function, "check_id")}
    if not by_id:
        raise ValueError(f"{path} holds no check: each is a function under @check(...)")
    return by_id


def process():
    """A process for what needs a model: its memory is not the grader's, and goes when it ends.

    A new one has least memory. Where many are asked for, "forkserver" copies one that has imported what takes seconds.
    """
    context = multiprocessing.get_context(STARTED)
    if STARTED == "forkserver":
        context.set_forkserver_preload(["coursework.grading", "tutorial_lib.bert"])
    return ProcessPoolExecutor(1, context, initializer=_begin)


_judges = lru_cache(process)


def judged(function, *given):
    """What a function that needs a model says of a student's work, in a process that stays until `end_judges`."""
    with ONE_START:
        judges = _judges()
    return judges.submit(function, *given).result()


def end_judges():
    """End that process, if there is one: what comes after grading needs no model's memory."""
    if _judges.cache_info().currsize:
        _judges().shutdown()
        _judges.cache_clear()


def _begin():
    os.environ["TQDM_DISABLE"] = "1"  # the grader has its own bar
    threading.Thread(target=_end_with_the_grader, daemon=True).start()

    import torch

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader is told, and ends this
    torch.set_num_threads(1)  # sandboxes keep the processors busy: threads that wait for each other are slower than one


def _end_with_the_grader():
    """Where the grader is killed nothing tells this process, and it would wait for work for ever."""
    multiprocessing.parent_process().join()
    os._exit(1)


def names():
    """The assignments, in order.

    >>> "2-attention" in names()
    True
    """
    return sorted(path.parent.name for path in ASSIGNMENTS.glob("*/notebook.md"))


def wrong(call, value):
    """Why a value is not what the call should give, in a sentence for the student; None where it is right.

    The sentence tells what came, never what was put in or expected: it stands on a feedback page.
    """
    try:
        if call.judge is not None:
            reason = call.judge(value)
            return reason if reason is None else str(reason)[:MOST_WORDS]
        odd = _of_another_kind(call.expected, value)
        if odd:
            return f"{call.name} gave {odd}"
        return _difference(_plain(call.expected), value, call.tolerance, call.name)
    except (BrokenExecutor, OSError):
        raise  # a process of ours that ended says nothing about the student
    except Exception:  # what a student's code made up may break any comparison; it is then not right
        return f"{call.name} gave something that cannot be compared"


def alike(call, made, value):
    """Whether two values of a call, in the form in which the worker sends them, are the same but for rounding."""
    try:
        return _difference(made, value, call.tolerance, call.name) is None
    except Exception:  # what a student's code made up may break any comparison
        return False


def _of_another_kind(expected, got):
    """What came where something of another kind was asked for; None where the kind may be right."""
    if got is None and expected is not None:
        return "back nothing: does it end with return?"
    if isinstance(got, str) and not isinstance(expected, str):
        return "a text: another kind of value is asked for"
    parts = isinstance(expected, tuple) and not all(isinstance(part, str) for part in expected)  # a tuple of symbols
    if parts and not (isinstance(got, list) and len(got) == len(expected)):
        return f"{'another number of things' if isinstance(got, list) else 'one thing'}: {len(expected)} are asked for"
    return None


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
        return f"{name} gave {_counted(len(got), 'item')}, and another number of them is right"
    found = (_difference(one, other, tolerance, name) for one, other in zip(expected, got, strict=True))
    return next((reason for reason in found if reason), None)


def _array_difference(expected, got, tolerance, name):
    got = _lists(got)
    right = np.array(expected["values"], dtype=float)
    shape = _shape(got)
    if shape != right.shape:
        odd = len(shape) > 5 or max(shape, default=0) > 999  # it could spell the inputs
        return f"{name} gave {'an odd shape' if odd else f'the shape {shape}'} where another was right"
    try:
        values = np.array(_numbers(got, shape)).reshape(shape)
    except TypeError:
        return f"{name} must give an array of numbers"
    if not np.isfinite(values[np.isfinite(right)]).all():
        return f"{name} gave numbers that are not finite"
    close = np.isclose(values, right, rtol=tolerance, atol=tolerance)  # nan is close to nothing
    if close.all():
        return None
    said = f"{name} gave {_counted(np.count_nonzero(~close), 'wrong number')} of {close.size}"
    near = np.isclose(values, right, rtol=NEAR, atol=NEAR).all()
    return f"{said}, all of them close: is it float32, or rounded? Compute in float64, as NumPy does" if near else said


def _counted(number, what):
    return f"{number} {what}{'' if number == 1 else 's'}"


def _lists(value):
    """An array as nested lists; a list of arrays is as good as one array of them."""
    if isinstance(value, dict) and "shape" in value:
        return value["values"]
    return [_lists(item) for item in value] if isinstance(value, list) else value


def _shape(value):
    """The shape of nested lists, going by the first item of each."""
    shape = []
    while isinstance(value, list):
        shape.append(len(value))
        value = value[0] if value else None
    return tuple(shape)


def _numbers(value, shape):
    """The numbers of nested lists that have exactly this shape, in order; TypeError where anything else is in there.

    NumPy would pad texts to the longest and make objects of uneven lists: gigabytes out of a few kilobytes.
    """
    if not shape:
        if not isinstance(value, numbers.Real):  # text that looks like numbers is text
            raise TypeError
        try:
            return [float(value)]
        except OverflowError:  # a whole number beyond all floats
            return [math.inf]
    if not isinstance(value, list) or len(value) != shape[0]:
        raise TypeError
    return [number for item in value for number in _numbers(item, shape[1:])]


def _size(value):
    """How many numbers and characters a plain value holds."""
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    if isinstance(value, list):
        return sum(map(_size, value))
    return len(value) if isinstance(value, str) else 1


def _pairs_difference(expected, got, tolerance, name):
    if not isinstance(got, dict) or "pairs" not in got:
        return f"{name} must give a dictionary"
    right = {repr(key): value for key, value in expected}
    given = {repr(key): value for key, value in got["pairs"]}
    if right.keys() != given.keys() or len(given) != len(got["pairs"]):
        return f"{name} gave a dictionary with other keys than the right ones"
    found = (_difference(right[key], given[key], tolerance, name) for key in right)
    return next((reason for reason in found if reason), None)
