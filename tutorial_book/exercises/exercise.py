"""How a student's function is checked: case after case, with a hint that says how the answer is wrong.

An `Exercise` has the right answer for each case, and the answer of each usual mistake. A wrong answer is compared with
these: the hint fits the mistake that was made, not the one that was expected.

The right functions are not here; the files in `expected/` contain their answers.
"""

from __future__ import annotations

import _thread
import copy
import difflib
import dis
import inspect
import io
import linecache
import math
import re
import signal
import sys
import threading
import traceback
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType

import numpy as np

from tutorial_book.exercises import slips
from tutorial_book.exercises.outcomes import Outcomes, drawn, stored

SECONDS = 10  # for one call: an endless loop must not hang the notebook
MOST_SHOWN = 80  # characters of a value in a sentence
MOST_VALUES = 40  # in arguments that are written out; longer ones are fetched from the exercise
BOOK = ("coursework", "tutorial_book", "tutorial_lib")  # packages that have answers
EXERCISES: dict[str, dict[str, Exercise]] = defaultdict(dict)  # assignment -> name -> exercise


class TookTooLong(BaseException):
    """Raised in a call that runs longer than its time; no `except Exception` catches it."""


@dataclass(frozen=True)
class Case:
    """One call: a description, and the arguments. code: the arguments as code, if that is shorter."""

    label: str
    arguments: tuple
    code: str = ""


class Exercise:
    """A function that students write.

    name: the module with its cases, and its own, "attention.softmax". cases: calls, from easy to hard. parts: the names
    of the function's results, if there are several. kind: the one type that it may return, if another question needs
    it. outcomes: the right answer and that of each usual mistake, a value or an exception; None: the stored ones, for a
    course's variant. If several mistakes fit, the first counts.

    In its module it has the function's name in capitals: a failed check's message fetches long arguments from there.
    For students, its `check` is `tutorial_book.exercises.check_softmax`.

    >>> from tutorial_book.exercises import check_softmax
    >>> check_softmax(lambda x: np.exp(x) / np.exp(x).sum())
    ✓ two equal scores
    ✓ three scores
    ✗ each row of a matrix: the value at [0, 0] is ..., ... Hint: the softmax runs over the whole array; use...
    False
    """

    def __init__(
        self,
        name: str,
        cases: tuple[Case, ...],
        parts: tuple[str, ...] = (),
        tolerance: float = 1e-6,
        kind: type | None = None,
        outcomes: Outcomes | None = None,
    ):
        self.home, _, self.name = name.rpartition(".")
        self.cases = cases
        self.parts = parts
        self.tolerance = tolerance
        self.kind = kind
        self._outcomes = outcomes
        self.variant = ""
        EXERCISES[self.home][self.name] = self

    @property
    def outcomes(self) -> Outcomes:
        """Return the right answer of each case, and the answers of each usual mistake."""
        if self._outcomes:
            return self._outcomes
        place, rules = stored(self.home)[self.name]
        return rules[drawn(self.variant, place, len(rules))]

    def of(self, variant: str) -> Exercise:
        """Return the same exercise in a variant of a course, which may have another rule for the question."""
        other = copy.copy(self)
        other.variant = variant
        return other

    def check(self, student, variant: str = "") -> bool:
        """Try the student's function; print the cases that pass and the first one that fails. True if all pass.

        variant: the name of a course's variant, whose rules apply.
        """
        if not callable(student):
            print(f"✗ {self.name} must be a function, got {type(student).__name__}")
            return False
        passed = self.of(variant)._passes(student)
        lacking = other_packages(student)
        packages = ", ".join(name for name in lacking if name not in BOOK)
        if packages:
            print(f"⚠ {self.name} uses {packages}: grading has only Python and NumPy, so it would stop there")
        if set(lacking) & set(BOOK):
            print(f"⚠ {self.name} is code from the book, or uses it: it will not count, so write it yourself")
        return passed

    def _passes(self, student):
        for case in self.cases:
            problem = self.problem(student, case)
            if problem:
                earlier = self._earlier(student, case)
                if earlier:  # an apparent mistake here may come from that other function
                    problem = re.sub(r"\. Hint: .*", "", problem)
                print(f"✗ {case.label}: {problem}{earlier}")
                return False
            print(f"✓ {case.label}")
        print(f"All {len(self.cases)} checks of {self.name} pass.")
        return True

    def problem(self, student, case):
        """Return the error in the student's answer to a case: a sentence with a hint, and the call to try it again.

        None if the answer is right.
        """
        arguments, number = copy.deepcopy(case.arguments), self._number(case)
        got, error = _tried(student, arguments)
        again = f"\n  To see it again:\n{self._call(case)}"
        if error is not None:
            lines = _own_lines(error, student, self.name)
            if isinstance(error, NotImplementedError) and len(lines) < 2:
                return "you have not written any code yet, or `raise NotImplementedError` is still above it"
            # If no line of the student's was reached, the call itself failed: that is not a mistake in the function.
            hint = self._hint(student, case, (got, kind_of(error)))
            hint = hint or _hint_of(error, case.arguments, EXERCISES[self.home]) or _hint_of_stop(error, student)
            hint = hint if lines else ""
            reason = _stopped(error) if lines else f"your function cannot be called as in the question: {error}"
            return "\n".join([reason + hint, *lines]) + again
        if not same(arguments, case.arguments, 0):
            sentence = "your function changes its inputs: work on a copy, so that the caller's values stay as they were"
            return sentence + again
        expected, _ = self.outcomes.right[number]
        if self.kind and not isinstance(got, self.kind) and same(got, expected, self.tolerance):
            return f"return a {self.kind.__name__}, got {_shown(got)}: another question needs it" + again
        if self.parts and (not isinstance(got, (tuple, list)) or len(got) != len(self.parts)):
            return f"return {len(self.parts)} things, ({', '.join(self.parts)}), got {_shown(got)}" + again
        pairs = zip(got, expected, strict=True) if self.parts else [(got, expected)]
        for i, (one, other) in enumerate(pairs):
            reason = difference(one, other, self.tolerance)
            if reason:
                part = f"{self.parts[i]}: " if self.parts else ""
                sides = _side_by_side(one, other)  # further calls may change the very value that this one returned
                with redirect_stdout(io.StringIO()):  # what the student prints is shown once
                    hint = self._hint_of_answer(student, case, got, i)
                return part + reason + hint + again + sides
        return None

    def _hint(self, student, case, answer, n_parts=None):
        """Return the hint, ". Hint: ...", of the mistake with the same answer as the student's; "" if there is none.

        The mistake must be right in the earlier cases, as the student's function was, and give the same answer here (in
        its parts up to the first wrong one). An answer that proves little, because several mistakes give it or it is
        a fraction such as a p-value or contains nan, is not enough: the mistake must agree in all later cases, too.
        """
        number, right = self._number(case), self.outcomes.right

        def fits(made):
            return all(map(self._agree, made[:number], right)) and self._agree(answer, made[number], n_parts)

        fitting = {hint: made for hint, made in self.outcomes.made.items() if fits(made)}
        one_number = _numeric(answer[0]) and np.ndim(answer[0]) == 0
        little = not _finite(answer[0]) or (one_number and _fraction(answer[0]))
        if not fitting or (len(fitting) == 1 and not little):
            return "".join(f". Hint: {hint}" for hint in fitting)
        answers = [outcome(student, c) for c in self.cases[number + 1 :]]
        for hint, made in fitting.items():
            if all(map(self._agree, answers, made[number + 1 :])):
                return f". Hint: {hint}"
        return ""

    def _hint_of_answer(self, student, case, got, i):
        """Return the hint that explains a wrong answer, after further calls; i: its first wrong part."""
        right, _ = self.outcomes.right[self._number(case)]
        one, other = (got[i], right[i]) if self.parts else (got, right)
        if one is None or isinstance(one, Iterator):  # the sentence before says it
            return self._hint(student, case, (got, None), i + 1)
        return (
            _said(slips.of_one_row(one, other))
            or _hint_of_state(student, case, got)
            or self._hint(student, case, (got, None), i + 1)
            or _said(slips.of_return(student))
            or _hint_of_precision(one, other)
            or (self._hint_of_all(student, i) if _finite(one) else _hint_of_nan(student, case, self.name))
        )

    def _hint_of_all(self, student, i):
        """Return the hint of a general slip, by the answers of all cases in which the function does not stop."""
        answers, pairs, sizes, back = [], [], [], True
        for case, (right, _) in zip(self.cases, self.outcomes.right, strict=True):
            got, stopped = outcome(student, case)
            if stopped == [TookTooLong.__name__, "", []]:
                return ""  # the next call would wait as long again
            if stopped:
                continue
            if self.parts and not (isinstance(got, (tuple, list)) and len(got) == len(self.parts)):
                return ""
            answers.append(got)
            pairs.append((got[i], right[i]) if self.parts else (got, right))
            sizes.append(_sizes(student, case.arguments))
            back = back and same(pairs[-1][0], case.arguments[0], 0)
        if self.parts and i and all(same(got[0], got[1], 0) for got in answers):
            return _said("the first two things that you return are the same")
        if back:
            return _said("the first argument comes back unchanged: nothing changes it, or an `if` is never true")
        return _said(slips.of_all(pairs, sizes, lambda one, other: same(one, other, self.tolerance)))

    def _earlier(self, student, case):
        """Return where to start instead: a line about a wrong function of another question that this one calls."""
        names, _ = _used(student)
        with redirect_stdout(io.StringIO()):  # the other function's output is not needed
            for name, other in EXERCISES[self.home].items():
                if name == self.name or not callable(names.get(name)):
                    continue
                other = other.of(self.variant)
                if any(other.problem(names[name], case) for case in other.cases):
                    return f"\n  {name}, which it uses, is not right yet: start there."
        return ""

    def _number(self, case):
        return next(i for i, other in enumerate(self.cases) if other is case)

    def _agree(self, one, other, n_parts=None):
        """Return whether two answers are the same: values within tolerance, or exceptions of one kind."""
        (value, error), (other_value, other_error) = one, other
        if error is not None or other_error is not None:
            return error == other_error
        if self.parts and n_parts is not None:
            value, other_value = value[:n_parts], other_value[:n_parts]
        return same(value, other_value, self.tolerance)

    def _call(self, case):
        """Return the call of a case as code to paste into a cell."""
        if case.code or sum(map(_size, case.arguments)) <= MOST_VALUES:
            return f"    {self.name}({case.code or ', '.join(map(code_of, case.arguments))})"
        constant = self.name.upper()
        call = f"{self.name}(*{constant}.cases[{self._number(case)}].arguments)"
        return f"    from {__package__}.{self.home} import {constant}\n    {call}"


def code_of(value):
    """Return code that makes this value.

    >>> print(code_of((np.array([[1.0, np.nan]]), {"a"}, 2)))
    (np.array([[1.0, np.nan]]), {'a'}, 2)
    >>> print(code_of(np.ones(2, dtype=np.float32)))
    np.array([1.0, 1.0], dtype=np.float32)
    """
    if isinstance(value, np.ndarray):
        plain = value.dtype in (np.dtype(float), np.dtype(int), np.dtype(bool))
        if value.size == 0:
            return f"np.zeros({value.shape}, dtype=np.{value.dtype})"
        return f"np.array({code_of(value.tolist())}{'' if plain else f', dtype=np.{value.dtype}'})"
    if isinstance(value, np.generic):
        return code_of(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return f"np.{value}" if value >= 0 or value != value else "-np.inf"
    if isinstance(value, list):
        return f"[{', '.join(map(code_of, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(code_of, value))}{',' * (len(value) == 1)})"
    if isinstance(value, (set, frozenset)) and value:
        return f"{{{', '.join(map(code_of, sorted(value)))}}}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{code_of(key)}: {code_of(item)}' for key, item in value.items())}}}"
    return repr(value)


def other_packages(function):
    """Return the packages that a function and its helpers need beyond Python and NumPy, sorted.

    It looks at the names and imports in the code. Functions of the same notebook are searched, too. A function of the
    book needs the book, whatever it uses.

    >>> def f(x):
    ...     import torch
    ...     return torch.softmax(x)
    >>> other_packages(f)
    ['torch']
    """
    names, imports = _used(function)
    function = inspect.unwrap(function)
    own = getattr(function, "__module__", None)
    packages = {module.partition(".")[0] for module in imports | ({*map(_package_of, names.values())} - {own})}
    code, home = getattr(function, "__code__", None), sys.modules.get(own)
    if code is None or code.co_filename == getattr(home, "__file__", None):  # the module's own, not an example of it
        packages |= {str(own).partition(".")[0]} & set(BOOK)
    return sorted(packages - sys.stdlib_module_names - {"numpy", ""})


def _used(function):
    """Return ({name: value} of the globals, {module} of the imports) that a function and its helpers use."""
    names, imports, seen, waiting = {}, set(), [], [function]
    while waiting:
        value = waiting.pop()
        value = inspect.unwrap(value) if callable(value) else value
        if any(value is other for other in seen):
            continue
        seen.append(value)
        if isinstance(value, type):
            waiting += [item for item in vars(value).values() if isinstance(item, FunctionType)]
        if not isinstance(value, FunctionType):
            continue
        codes = [value.__code__]
        while codes:
            code = codes.pop()
            codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
            for step in dis.get_instructions(code):
                if step.opname == "IMPORT_NAME":
                    imports.add(step.argval)
                elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in value.__globals__:
                    used = names[step.argval] = value.__globals__[step.argval]
                    if _package_of(used) == value.__globals__.get("__name__"):
                        waiting.append(used if isinstance(used, (FunctionType, type)) else type(used))
    return names, imports


def _package_of(value):
    """Return the name of the module that a value comes from."""
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, np.ufunc):  # SciPy's erf is one of these, and does not say where it comes from
        homes = (name for name, module in list(sys.modules.items()) if vars(module).get(value.__name__) is value)
        return next((name for name in homes if name != "__main__"), "numpy")
    module = getattr(inspect.unwrap(value) if callable(value) else value, "__module__", None)
    return str(module or type(value).__module__)


def difference(got, expected, tolerance):
    """Describe how a value differs from the expected one; None if it does not.

    >>> difference([1.0, 2.0], np.array([1.0, 3.0]), 1e-6)
    'the value at [1] is 2, expected 3'
    """
    if got is None:
        return "your function returns nothing: does it end with return?"
    if isinstance(got, Iterator):
        kind = type(got).__name__
        return f"your function returns a {kind}, which has not computed its values yet: turn it into a list"
    if isinstance(got, str) and not isinstance(expected, str):
        kind = "numbers" if _numeric(expected) else f"a {type(expected).__name__}"
        return f"your function returns a string, {_shown(got)}, expected {kind}"
    if isinstance(expected, (str, bool, list, dict)) or not _numeric(expected):
        return None if same(got, expected, tolerance) else f"got {_shown(got)}, expected {_shown(expected)}"
    try:
        if not _numeric(got):
            raise TypeError("text that looks like numbers is text")
        values, right = (np.asarray(part).astype(float) + 0 for part in (got, expected))  # + 0 makes 0 of -0
    except (TypeError, ValueError):
        return f"return numbers of shape {np.shape(expected)}, got {_shown(got)}"
    if values.shape != right.shape:
        return f"the shape is {values.shape}, expected {right.shape}"
    close = np.isclose(values, right, rtol=tolerance, atol=tolerance)
    if close.all():
        return None
    where = tuple(int(i) for i in np.argwhere(~close)[0])
    place = f"the value at {list(where)}" if where else "the value"
    return f"{place} is {values[where]:.6g}, expected {right[where]:.6g}"


def same(one, other, tolerance):
    """Return whether two values agree: the same text and structure, numbers within tolerance. nan agrees with nan."""
    if isinstance(one, str) and isinstance(other, str):  # NumPy's texts are texts
        return one == other
    if isinstance(one, (str, bool)) or isinstance(other, (str, bool)) or one is None or other is None:
        return type(one) is type(other) and one == other
    if isinstance(other, dict):
        return (
            isinstance(one, dict)
            and one.keys() == other.keys()
            and all(same(one[k], other[k], tolerance) for k in other)
        )
    if isinstance(other, (list, tuple)) and not (_numeric(one) and _numeric(other)):
        if not isinstance(one, (list, tuple)) or len(one) != len(other):
            return False
        return all(same(a, b, tolerance) for a, b in zip(one, other, strict=True))
    if not _numeric(one) or not _numeric(other):  # text that looks like numbers is text
        arrays = isinstance(one, np.ndarray) or isinstance(other, np.ndarray)
        return not arrays and _numeric(one) == _numeric(other) and one == other
    a, b = np.asarray(one).astype(float), np.asarray(other).astype(float)
    return a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def _tried(function, arguments):
    """Return (a call's result, None), or (None, the exception) if it stops or takes too long."""
    try:
        with warnings.catch_warnings(), _at_most(SECONDS):
            warnings.simplefilter("ignore")  # an overflow shows in the values; that is what the hint is about
            return function(*arguments), None
    except (Exception, SystemExit, TookTooLong) as error:
        return None, error


def outcome(function, case):
    """Return (a function's result in a case, None), or (None, the kind of the exception with which it stops)."""
    value, error = _tried(function, copy.deepcopy(case.arguments))
    return value, kind_of(error)


@contextmanager
def _at_most(seconds):
    """Raise TookTooLong in this block after that time. Windows has no alarm: there a thread interrupts."""
    if threading.current_thread() is not threading.main_thread():
        yield  # nothing can interrupt another thread
    elif hasattr(signal, "setitimer"):
        handler = signal.signal(signal.SIGALRM, _too_long)
        timer = signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, handler)
    else:
        late = threading.Event()
        timer = threading.Timer(seconds, lambda: (late.set(), _thread.interrupt_main()))
        timer.daemon = True
        timer.start()
        try:
            yield
        except KeyboardInterrupt as error:
            if late.is_set():
                raise TookTooLong().with_traceback(error.__traceback__) from None
            raise  # this interruption came from the user
        finally:
            timer.cancel()


def _too_long(*_):
    raise TookTooLong


def kind_of(error):
    """Return what exceptions of the same mistake have in common: the type, the message, and the sizes in it.

    None if there is no exception.
    """
    if error is None:
        return None
    shapes = r"[\d(), ]|newaxis"  # in any order: a * b and b * a are one mistake
    if isinstance(error, LookupError):  # those say a key, or a list's type
        return [type(error).__name__, "", []]
    said = str(error)
    if "reshape" in said or "requested" in said:  # -1 is a size
        sizes = []
    elif "broadcast" in said:  # the two that clash first: broadcasting begins at the last axes
        one, other, *_ = (re.findall(r"\d+", shape)[::-1] for shape in re.findall(r"\(([\d, ]+)\)", said) + ["", ""])
        sizes = [size for pair in zip(one, other) for size in pair if pair[0] != pair[1]][:2]
    else:
        sizes = re.findall(r"\d+", said)
    return [type(error).__name__, re.sub(shapes, "", said), sizes if "matmul" in said else sorted(sizes)]


def _stopped(error):
    if isinstance(error, TookTooLong):
        return f"your function was still running after {SECONDS} seconds"
    return f"your function stopped with {type(error).__name__}: {' '.join(str(error).split())[:300]}"


def _hint_of(error, arguments, questions):
    """Return the hint if a similar name exists: of NumPy or math, a question, a variable, a key, a part of a tuple."""
    name, of = getattr(error, "name", None), getattr(error, "obj", None)
    parts = isinstance(of, tuple) and any(isinstance(part, np.ndarray) for part in of)  # of another function's answer
    if isinstance(error, AttributeError) and parts:
        return f". Hint: this is a tuple of {len(of)} things: unpack it first, as in a, b = f(x)"
    if isinstance(error, AttributeError) and of is np and name == "math":
        return ". Hint: Python's own math has it: import math"
    if isinstance(error, NameError):
        home = next((home for home, module in (("np", np), ("math", math)) if name and hasattr(module, name)), None)
        if home:
            return f". Hint: did you mean {home}.{name}?"
        if name in ("re", "string", "itertools", "collections", "functools"):  # no common words, as others are
            return f". Hint: if you mean Python's module {name}, import it first: import {name}"
        if name in questions:
            return f". Hint: {name} is another question's function: write it and run its cell first"
    if isinstance(error, (NameError, AttributeError)) and name:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        names = dir(of) if isinstance(error, AttributeError) else [*frame.f_locals, *frame.f_globals]
        own = [] if isinstance(error, AttributeError) else frame.f_locals  # among all: a notebook has names like Out
        like = _like(name, own, 0.8) or difflib.get_close_matches(name, names, 1, 0.8)
        return f". Hint: did you mean {like[0]}?" if like else ""
    if isinstance(error, KeyError) and isinstance(key := error.args[0] if error.args else None, str):
        keys = [own for argument in arguments if isinstance(argument, dict) for own in argument if isinstance(own, str)]
        letters = key.replace("0", "O")  # difflib finds all letters equally far from a zero
        like = [letters] if letters in keys else _like(key, keys)
        return f". Hint: there is no {key!r}; did you mean {like[0]!r}?" if like and key not in keys else ""
    return ""


def _like(name, names, cutoff=0.6):
    """Return the most similar name in a list, or an empty one; whether letters are capital does not count."""
    written = {one.lower(): one for one in names}
    return [written[one] for one in difflib.get_close_matches(name.lower(), written, 1, cutoff)]


def _sizes(student, arguments):
    """Return the sizes of arguments by the names that the student's function gives them: {"len(X)": 3}."""
    try:
        names = inspect.signature(student).parameters
    except (TypeError, ValueError):
        return {}
    sizes = {}
    for name, value in zip(names, arguments):
        if isinstance(value, list) or getattr(value, "shape", ()):
            sizes[f"len({name})"] = len(value)
            sizes |= {f"{name}.shape[-1]": value.shape[-1]} if isinstance(value, np.ndarray) else {}
    return sizes


def _said(hint):
    return f". Hint: {hint}" if hint else ""


def _hint_of_stop(error, student):
    """Return the general hint for an exception, or for a call that took too long."""
    if not isinstance(error, TookTooLong):
        return _said(slips.of_error(error))
    own = getattr(inspect.unwrap(student), "__globals__", None)
    return _said(slips.of_endless(error, own) or "does every loop end?")


def _hint_of_state(student, case, got):
    """Return the hint if the function gives another answer when it is called again with the same values."""
    try:
        first = copy.deepcopy(got)
    except Exception:
        return ""
    if not same(first, got, 0):  # no value that can be compared
        return ""
    again, stopped = outcome(student, case)
    if stopped or same(first, again, 1e-6):
        return ""
    kept = any(isinstance(one, (list, dict, set)) for one in getattr(student, "__defaults__", None) or ())
    why = "a default such as [] or {} is made only once, and keeps what you add to it; make it inside the function"
    other = "it keeps something between calls, or draws at random"
    return f". Hint: called again with the same values, your function gives another answer: {why if kept else other}"


def _hint_of_nan(student, case, name):
    """Return the hint with the line of the student's in which NumPy makes nan."""
    with np.errstate(invalid="raise"):
        _, error = _tried(student, copy.deepcopy(case.arguments))
    lines = _own_lines(error, student, name) if isinstance(error, FloatingPointError) else []
    return f". Hint: {slips.of_invalid(error)}\n{lines[0]}" if lines else ""


def _hint_of_precision(got, right):
    """Return the hint if an answer is right except for the few digits of its type."""
    kind = getattr(got, "dtype", None)
    whole = kind is not None and kind.kind in "iu" and isinstance(right, np.ndarray)
    if whole and same(got, np.trunc(right), 0):
        return ". Hint: your array contains whole numbers, which cut off fractions: make it with dtype=float"
    near = {np.dtype("float32"): 1e-3, np.dtype("float16"): 3e-2}.get(kind)
    if near is None or got.shape != np.shape(right) or not np.allclose(got, right, rtol=near, atol=near):
        return ""
    return f". Hint: this is close, but {kind} has too few digits: compute in float64, as NumPy does"


def _own_lines(error, student, name):
    """Return the line of the student's function before an exception, or of the student's helper that raised it.

    All cells of a notebook share their globals. A comprehension belongs to the function around it.
    """
    own = getattr(inspect.unwrap(student), "__globals__", None)
    lines = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_globals is own:
            code = frame.f_code
            around = [part for part in getattr(code, "co_qualname", code.co_name).split(".") if "<" not in part]
            name = around[-1] if around else name  # before Python 3.11: the function that called it
            lines.append((name, number, linecache.getline(code.co_filename, number).strip()))
    if not lines:
        return []
    (first, number, text), last = [line for line in lines if line[0] == lines[0][0]][-1], lines[-1]
    shown = [f"  Line {number} of the cell with {first}: {text}"]
    return shown if last[0] == first else [*shown, "    in {}, line {}: {}".format(*last)]


def _numeric(value):
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except (ValueError, TypeError):
        return False  # lists of unequal lengths, or of odd objects


def _fraction(number):
    """Return whether a number is a fraction of small whole numbers, as counts, shares and p-values are."""
    return any(math.isclose(n * number, round(n * number), rel_tol=0, abs_tol=1e-9) for n in range(1, 100))


def _finite(value):
    """Return whether no number in a value is nan or infinite; an answer of several parts is checked part by part."""
    if isinstance(value, (list, tuple)) and not _numeric(value):
        return all(map(_finite, value))
    return not _numeric(value) or bool(np.isfinite(np.asarray(value)).all())


def _size(value):
    """Count the values in arguments."""
    if isinstance(value, dict):
        return sum(map(_size, value)) + sum(map(_size, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return sum(map(_size, value))
    return np.size(value)


def _side_by_side(got, expected):
    """Return the actual and the right value, in two lines; nothing if the sentence before already shows them."""
    whole = isinstance(expected, list) or not _numeric(expected)  # `difference` shows both, cut where they are long
    if max(len(repr(got)), len(repr(expected))) <= MOST_SHOWN if whole else np.size(expected) < 2:
        return ""
    return f"\n  got       {_brief(got)}\n  expected  {_brief(expected)}"


def _brief(value):
    if _numeric(value):
        array = np.asarray(value)
        array = array + 0 if array.dtype.kind == "f" else array  # + 0 makes 0 of -0
        text = np.array2string(array, precision=4, threshold=12, edgeitems=2, suppress_small=True)
    else:
        text = repr(value)
    return _cut(" ".join(text.split()), 5 * MOST_SHOWN)


def _shown(value):
    return _cut(" ".join(repr(value).split()), MOST_SHOWN)


def _cut(text, most):
    return text if len(text) <= most else f"{text[: most - 3]}..."
