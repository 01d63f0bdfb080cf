"""Compare the values that came out of the sandbox with the right ones. No student's code runs here.

A sentence about a value says what came, never what was put in or expected, because it goes on a feedback page.
"""

import copy
import json
import math
import numbers
import re
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field

import numpy as np

from coursework import checks, references, worker

NEAR = 1e-3  # what is off by less may be right but for its precision
MOST_NUMBERS = 9_999  # of an array whose shape is told: longer nested lists could spell the inputs by it
MOST_WORDS = 300  # characters of a reason: a judge may quote what a student made up
CLOSE = ", all of them close: is it float32 or rounded? Compute in float64, NumPy's default"
ANOTHER_RULE = "this follows the rule of another course's notebook, such as last year's; read the rule in your own"


@dataclass
class Verdict:
    """What a check finds. call, record: the first call that is wrong, and what came of it, if anything did."""

    cases: dict[str, bool] = field(default_factory=dict)  # what its calls try -> whether all of these are right
    call: checks.Call | None = None
    record: dict | None = None
    reason: str | None = None  # what is wrong with its value, for the student
    hint: str = ""  # that of the usual mistake that gives the same values


def compare(work):
    for check, calls in work.exam.by_check.items():
        verdict = work.verdicts[check] = Verdict()
        tried = [(call, work.records.get(f"{check}.{i}")) for i, call in enumerate(calls)]
        for call, record in tried:
            came = record is not None and record["error"] is None
            reason = wrong(call, record["value"]) if came else None
            right = came and reason is None
            verdict.cases[call.case] = verdict.cases.get(call.case, True) and right
            if not right and verdict.call is None:
                verdict.call, verdict.record, verdict.reason = call, record, reason
    for check, verdict in work.verdicts.items():
        if verdict.reason:
            earlier = _earlier(work, verdict.call.name)
            verdict.hint = "" if earlier else _hint(work, check)
            if earlier or verdict.hint:  # these say more than how far off the values are
                verdict.reason = verdict.reason.removesuffix(CLOSE)
            verdict.reason += f"\n{earlier}, which it uses, is not right yet: start there." if earlier else ""
    return work


def _earlier(work, name):
    """Return a wrong function that the function of this name calls, from which an apparent mistake may come; or ""."""
    wrong = dict.fromkeys(one.call.name for one in work.verdicts.values() if one.call and one.call.name != name)
    body = rf"^def {re.escape(name)}\b.*\n((?:(?:[ \t].*)?\n)*)"
    code = "".join(found for cell in work.submission.cells for found in re.findall(body, f"{cell}\n", re.M))
    code = re.sub("#.*", "", code)
    return next((other for other in wrong if re.search(rf"\b{re.escape(other)}\(", code)), "")


def _hint(work, check):
    """Return the hint of the usual mistake that gives what the student's function gave in this check, or "".

    It must be right where the function is right in other checks. One that gives the same everywhere comes first.
    """
    name = work.verdicts[check].call.name
    mistakes = [*references.mistakes(work.submission.assignment).get(name, {}).items()]
    mistakes += [(ANOTHER_RULE, one) for one in references.by_other_rules(work.submission.assignment, name)]
    here, elsewhere = [], []
    for one, calls in work.exam.by_check.items() if mistakes else ():
        tried = [(call, work.records.get(f"{one}.{i}")) for i, call in enumerate(calls) if call.name == name]
        (here if one == check else elsewhere).extend(tried)
    came = [(call, record) for call, record in elsewhere if record is not None and record["error"] is None]
    here += [(call, record) for call, record in came if wrong(call, record["value"]) is None]
    here = [(call, _came(record)) for call, record in here]
    elsewhere = [(call, _came(record)) for call, record in elsewhere]
    fitting = [(hint, one) for hint, one in mistakes if all(_gives(one, *asked) for asked in here)]
    everywhere = (hint for hint, one in fitting if all(_gives(one, *asked) for asked in elsewhere))
    return next(everywhere, fitting[0][0] if fitting else "")


def _came(record):
    """The value of a record as `_difference` takes it, made once for all mistakes; None if there is none."""
    try:
        return None if record["error"] else _lists(record["value"])
    except Exception:  # there may be no record, and what a student's code made up may break any comparison
        return None


def _gives(mistake, call, came):
    """Whether a mistake gives the same as a student's function, as it came out of the sandbox, but for rounding."""
    made = None if came is None else given_by(mistake, call)
    try:
        return made is not None and not _difference(made, came, call.tolerance)
    except Exception:  # what a student's code made up may break any comparison
        return False


def given_by(function, call):
    """Return the value of our own function, as if it came out of the sandbox; None if it stops."""
    try:
        with np.errstate(all="ignore"):
            return json.loads(json.dumps(worker.plain(function(*copy.deepcopy(call.arguments)))))
    except Exception:  # as it would stop there
        return None


def wrong(call, value):
    """Say in a sentence for the student why a value is wrong; None if it is right."""
    try:
        if call.judge is not None:
            reason = call.judge(*value)
            return reason if reason is None else str(reason)[:MOST_WORDS]
        odd = _of_another_kind(call.expected, value)
        odd = odd or _difference(worker.plain(call.expected), _lists(value), call.tolerance)
        return odd and f"{call.name} {odd}"
    except (BrokenExecutor, OSError):
        raise  # if our own process ended, that says nothing about the student
    except Exception:  # what a student's code made up may break any comparison; it is then not right
        return f"{call.name} returned something that cannot be compared"


def _of_another_kind(expected, got):
    """Say what came if another kind of value was asked for; None if the kind may be right."""
    if got is None and expected is not None:
        return "returned nothing: does it end with return?"
    if isinstance(got, str) and not isinstance(expected, str):
        return "returned text, but a different kind of value is needed"
    symbols = not isinstance(expected, tuple) or all(isinstance(part, str) for part in expected)
    if symbols or isinstance(got, list) and len(got) == len(expected):
        return None
    came = "a different number of values" if isinstance(got, list) else "one value"
    return f"returned {came}, but {len(expected)} are needed"


def _difference(expected, got, tolerance):
    """Say what is wrong with a plain value, made of lists; None if it is right."""
    if isinstance(expected, dict) and "shape" in expected:
        return _array_difference(expected, got, tolerance)
    if isinstance(expected, bool) or expected is None or isinstance(expected, str):
        return None if type(got) is type(expected) and got == expected else "returned a wrong value"
    if isinstance(expected, numbers.Real):
        near = tolerance * (1 + abs(expected))  # as np.isclose has it, and the check in the notebook
        right = isinstance(got, numbers.Real) and abs(got - expected) <= near
        return None if right else "returned a wrong number"
    if isinstance(expected, dict):
        if not isinstance(got, dict) or "pairs" not in got:
            return "must return a dictionary"
        right, given = ({repr(key): value for key, value in one["pairs"]} for one in (expected, got))
        given = {key: _lists(value) for key, value in given.items()}
        if right.keys() != given.keys() or len(given) != len(got["pairs"]):
            return "returned a dictionary with the wrong keys"
        pairs = [(right[key], given[key]) for key in right]
        if any(isinstance(one, bool) != isinstance(other, bool) for one, other in pairs):
            return "must return a dictionary of numbers"
    else:
        if not isinstance(got, list):
            return "must return a list"
        if len(got) != len(expected):
            return "returned the wrong number of items"  # which number could spell the inputs
        pairs = zip(expected, got)
    odd = next(filter(None, (_difference(*pair, tolerance) for pair in pairs)), None)
    return odd and odd.replace("must return", "returned an item of a wrong kind: it must be")


def _array_difference(expected, got, tolerance):
    right = np.array(expected["values"], dtype=float)
    shape, first = [], got  # of nested lists, going by the first item of each
    while isinstance(first, list):
        shape.append(len(first))
        first = first[0] if first else None
    if tuple(shape) != right.shape:
        odd = len(shape) > 5 or max(shape, default=0) > 999 or math.prod(map(max, shape, [1] * 5)) > MOST_NUMBERS
        return f"returned the wrong shape{'' if odd else f', {tuple(shape)}'}"
    try:
        values = np.array(_numbers(got, shape)).reshape(shape)
    except TypeError:
        return "must return an array of numbers"
    if not np.isfinite(values[np.isfinite(right)]).all():
        return "returned numbers that are not finite"
    close = np.isclose(values, right, rtol=tolerance, atol=tolerance, equal_nan=True)  # a usual mistake may give nan
    if close.all():
        return None
    count = np.count_nonzero(~close)
    said = f"returned {count} wrong number{'' if count == 1 else 's'} out of {close.size}"
    near = np.isclose(values, right, rtol=NEAR, atol=NEAR).all()
    return f"{said}{CLOSE}" if near else said


def _lists(value):
    """An array as nested lists, or a number; a list of arrays is as good as one array of them."""
    if isinstance(value, dict) and "shape" in value:
        return value["values"]
    return [_lists(item) for item in value] if isinstance(value, list) else value


def _numbers(value, shape):
    """Return the numbers of nested lists that have exactly this shape; raise TypeError for anything else."""
    # NumPy would pad texts to the longest and make objects of uneven lists: gigabytes out of a few kilobytes.
    if not shape and isinstance(value, numbers.Real):  # text that looks like numbers is text
        return [float(value)]
    if not shape or not isinstance(value, list) or len(value) != shape[0]:
        raise TypeError
    return [number for item in value for number in _numbers(item, shape[1:])]
