"""How a student's function is checked: case after case, with a hint that says how the answer is wrong.

An `Exercise` knows the right function and the usual wrong ones. Where an answer is wrong, it is compared with what each
usual mistake gives: the hint is for the mistake that was made, not for the one that was expected.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Case:
    """One call: what it tries, in words, and the arguments."""

    label: str
    arguments: tuple


@dataclass(frozen=True)
class Exercise:
    """A function that students write.

    name: the function's. reference: the right one. cases: calls, from easy to hard. mistakes: hint -> a function that
    makes this mistake. parts: the names of what the function gives back, where that is more than one thing.
    """

    name: str
    reference: Callable
    cases: tuple[Case, ...]
    mistakes: dict[str, Callable]
    parts: tuple[str, ...] = ()
    tolerance: float = 1e-6

    def check(self, student) -> bool:
        """Try the student's function; print what passes and the first thing that does not. True where all passes."""
        if not callable(student):
            print(f"✗ {self.name} must be a function, got {type(student).__name__}")
            return False
        for case in self.cases:
            problem = self.problem(student, case)
            if problem:
                print(f"✗ {case.label}: {problem}")
                return False
            print(f"✓ {case.label}")
        print(f"All {len(self.cases)} checks of {self.name} pass.")
        return True

    def problem(self, student, case):
        """What is wrong with the student's answer to a case, in a sentence with a hint; None where it is right."""
        arguments = copy.deepcopy(case.arguments)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an overflow shows in the values; that is what the hint is about
                got = student(*arguments)
        except NotImplementedError:
            return "there is no code of yours yet"
        except Exception as error:
            return f"your function stopped with {type(error).__name__}: {error}"
        if not same(arguments, case.arguments, 0):
            return "your function changes its inputs: work on a copy, so that the caller's arrays stay as they were"
        expected = self.reference(*copy.deepcopy(case.arguments))
        if self.parts:
            return self._problem_of_parts(got, expected, case)
        reason = difference(got, expected, self.tolerance)
        return reason and self._with_hint(reason, got, case)

    def _problem_of_parts(self, got, expected, case):
        if not isinstance(got, tuple) or len(got) != len(self.parts):
            return f"give back {len(self.parts)} things, ({', '.join(self.parts)}), got {_shown(got)}"
        for part, one, other in zip(self.parts, got, expected, strict=True):
            reason = difference(one, other, self.tolerance)
            if reason:
                return self._with_hint(f"{part}: {reason}", got, case)
        return None

    def _with_hint(self, reason, got, case):
        for hint, mistake in self.mistakes.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    made = same(got, mistake(*copy.deepcopy(case.arguments)), self.tolerance)
            except Exception:
                continue  # this mistake is not possible with these arguments
            if made:
                return f"{reason}. Hint: {hint}"
        return reason


def difference(got, expected, tolerance):
    """How a value differs from the expected one, in words; None where it does not.

    >>> difference([1.0, 2.0], np.array([1.0, 3.0]), 1e-6)
    'the value at [1] is 2, and 3 is right'
    """
    if got is None:
        return "your function gives back nothing: does it end with return?"
    if isinstance(expected, (str, bool, list, dict)) or not _numeric(expected):
        return None if same(got, expected, tolerance) else f"got {_shown(got)}, and {_shown(expected)} is right"
    try:
        if not _numeric(got):
            raise TypeError("text that looks like numbers is text")
        values, right = np.asarray(got, dtype=float), np.asarray(expected, dtype=float)
    except (TypeError, ValueError):
        return f"give back numbers of shape {np.shape(expected)}, got {_shown(got)}"
    if values.shape != right.shape:
        return f"the shape is {values.shape}, and {right.shape} is right"
    close = np.isclose(values, right, rtol=tolerance, atol=tolerance)
    if close.all():
        return None
    where = tuple(int(i) for i in np.argwhere(~close)[0])
    place = f"the value at {list(where)}" if where else "the value"
    return f"{place} is {values[where]:.6g}, and {right[where]:.6g} is right"


def same(one, other, tolerance):
    """Whether two values agree: the same text and structure, numbers within tolerance. nan agrees with nan."""
    if isinstance(one, (str, bool)) or isinstance(other, (str, bool)) or one is None or other is None:
        return type(one) is type(other) and one == other
    if isinstance(other, dict):
        return (
            isinstance(one, dict)
            and one.keys() == other.keys()
            and all(same(one[k], other[k], tolerance) for k in other)
        )
    if isinstance(other, (list, tuple)) and not _numeric(other):
        if not isinstance(one, (list, tuple)) or len(one) != len(other):
            return False
        return all(same(a, b, tolerance) for a, b in zip(one, other, strict=True))
    try:
        a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    except (TypeError, ValueError):
        return one == other
    return a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def _numeric(value):
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:
        return False  # lists of unequal lengths


def _shown(value):
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."
