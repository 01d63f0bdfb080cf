"""Slips that can happen in any exercise: swapped axes, a lost sign, a default list that outlives the call.

An exercise's own mistakes come first, because they name the cause more closely. A rule here either compares: the right
answer, changed like this, equals the student's in every case. Or it states what the student's function does.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import traceback
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

Compared = Callable[[object, object], tuple]  # (got, right) -> two values that are the same if this is the slip

ERRORS = {
    r"maximum recursion depth": "the function calls itself without end: return without a call if nothing is left, and"
    " pass on less each time",
    r"only integer scalar arrays|indices must be integers or slices, not (ndarray|list|tuple|numpy)": "a list takes one"
    " whole number as its index; np.array(...) takes several, or one for each axis",
    r"indices must be integers .*float|float\d*' object cannot be interpreted|only integers, slices": "an index and a"
    " size must be whole numbers: // gives one, / gives 2.0",
    r"unhashable type": "a list or an array cannot be a key or an item of a set; use a tuple",
    r"NoneType": "a value here is None: an argument that was not given or is in another one's place, or the result of"
    " append, sort or a function without return",
    r"object is not callable": "round brackets call a function, and this is not one: use square brackets to get an item"
    " and * to multiply, and give no other value to a name such as max or list",
    r"truth value of an array": "an array is neither true nor false: compare item by item, with np.where or a mask",
    r"changed (size )?during iteration": "a loop must not change what it goes through; fill a new one",
    r"does not support item assignment": "a tuple or a string cannot be changed: build a list, and convert it at the"
    " end",
    r"not associated with a value|referenced before assignment": "a function that assigns to a name cannot read it"
    " before: give it a value first, above the loop, or use another name",
    r"values to unpack|cannot unpack": "there must be as many names to the left of = as values to the right",
    r"Cannot cast ufunc '\w+' output from dtype\('float64'\) to dtype\('int": "the array contains whole numbers, so"
    " fractions do not fit: make it float first",
    r"axis -?\d+ is out of bounds": "the array has fewer axes than this needs: print its shape; axis=-1 is always the"
    " last",
    r"index out of range|is out of bounds for axis": "the index goes too far: the last of n items has the index n - 1",
    r"only (0-dimensional|length-1|size-1) arrays": "a function for one number got an array: use NumPy's, or"
    " np.vectorize",
    r"could not broadcast input": "the part to the left of = must have the same shape as the values that go into it",
    r"boolean index did not match": "a mask must have the shape of what it selects from; np.where(mask, a, b) fits it",
    r"axes don't match": "transpose must name every axis; swapaxes(-1, -2) works for any number of axes",
    r"Cannot interpret .* as a data type": "a shape is one argument, in its own brackets: np.zeros((n, m))",
    r"unsupported operand type.*'list'": "a list is not an array, so - * / do not work on its items: use np.array",
    r"inhomogeneous": "parts of different sizes do not make an array: print their shapes",
    r"(list|tuple)' object has no attribute '(shape|T|ndim|mean|sum|max|min|reshape|swapaxes|astype)'": "a list is not"
    " an array: convert it with np.array first",
    r"ndarray' object has no attribute '(append|extend|insert)'": "an array does not grow: collect the items in a list",
    r"can only concatenate (list|tuple)": "+ joins a list with a list and a tuple with a tuple; put a single value in"
    " brackets first",
    r"can only concatenate str|must be str, not": "+ joins only text with text; str(...) turns a number into text",
    r"required positional argument": "a call in your function leaves out an argument that this function needs",
    r"could not be broadcast": "two shapes clash here: NumPy compares sizes from the last axis, and keepdims=True keeps"
    " an axis",
    r"matmul:|not aligned": "in A @ B the last size of A must be the second last of B: print both shapes",
    r"cannot reshape": "the sizes of the new shape, multiplied, must give as many numbers as the array has",
    r"[Ii]ntegers to negative integer powers": "NumPy cannot raise whole numbers to a negative power: write the base"
    " with a decimal point, 2.0 ** -3",
    r"'(set|frozenset)' object is not subscriptable": "a set has no index: ask whether an item is in it, with `in`",
    r"(function|method|type)' object is not subscriptable": "square brackets take an item; round ones call a function",
    r"(int|float|float64|int64|bool)' (object is not (iterable|subscriptable)|has no len)": "a single number has no"
    " items: print what you go through; it may have lost an axis",
    r"division by zero": "the denominator is 0 here; it may be the size of something empty",
    r"empty (sequence|iterable)|zero-size array": "nothing has no largest value: handle the empty case first",
    r"math domain error": "math.sqrt and math.log take only positive numbers",
}

INVALID = {
    "divide": "0 / 0 or inf / inf",
    "multiply": "0 * inf",
    "subtract": "inf - inf",
    "add": "inf - inf",
    "reduce": "inf - inf",
    "matmul": "0 * inf or inf - inf",
    "sqrt": "the root of a negative number",
    "log": "the logarithm of a negative number",
}

VALUES = {
    "every sign is flipped": lambda r: -r,
    "the signs are lost: a negative value must stay negative": np.abs,
    "negative values are cut off; leave them as they are": lambda r: np.maximum(r, 0),
    "this is 1 minus the right answer": lambda r: 1 - r,
    "this is 1 divided by the right answer": lambda r: 1 / r,
    "this is the square of the right answer": np.square,
    "this is the square root of the right answer": np.sqrt,
    "this is the logarithm of the right answer": np.log,
    "this is the exponential of the right answer": np.exp,
}

FACTORS = {
    "{0}": lambda n: n,
    "1 / {0}": lambda n: 1 / n,
    "({0} - 1)": lambda n: n - 1,
    "1 / ({0} - 1)": lambda n: 1 / (n - 1),
    "{0} / ({0} - 1)": lambda n: n / (n - 1),
    "({0} - 1) / {0}": lambda n: (n - 1) / n,
    "{0} / ({0} + 1)": lambda n: n / (n + 1),
    "({0} + 1) / {0}": lambda n: (n + 1) / n,
    "the root of {0}": np.sqrt,
    "1 / the root of {0}": lambda n: 1 / np.sqrt(n),
    "the square of {0}": np.square,
    "1 / the square of {0}": lambda n: 1 / n**2,
}

PROPERTIES = {
    "each row must add up to 1": lambda r: r.min() >= 0 and np.allclose(r.sum(-1), 1),
    "the diagonal must be 1": lambda r: r.ndim == 2 and np.allclose(np.diag(r), 1),
    "the matrix must be the same as its transpose": lambda r: r.ndim == 2 and np.allclose(r, r.T),
    "the matrix must not change lengths: M @ M.T must be the identity": lambda r: np.allclose(r @ r.T, np.eye(len(r))),
}

ITEMS = {
    "the order is reversed": lambda r: r[::-1],
    "the last item is missing": lambda r: r[:-1],
    "the first item is missing": lambda r: r[1:],
    "repeated items are left out": lambda r: list(dict.fromkeys(r)),
    "the items are sorted; keep their order": sorted,
    "the items are text here; leave them as they are": lambda r: [str(item) for item in r],
    "the items are joined into one string; return a list": lambda r: "".join(r),
    "the items are joined by spaces; return a list": lambda r: " ".join(r),
    "this is only the first item; return all": lambda r: r[0],
    "this is only the last item; return all": lambda r: r[-1],
    "this is the number of items; return the items": len,
    "rows and columns are swapped": lambda r: [list(column) for column in zip(*r)],
    "the rows are joined into one list; keep them separate": lambda r: sum(r, []),
}


def of_all(pairs: list[tuple], sizes: list[dict[str, int]], agree: Callable[[object, object], bool]) -> str:
    """Return the hint of the slip that turns the right answer into the student's in all cases; "" if there is none.

    pairs: (got, right) of each case. sizes: the sizes of its arguments, such as {"len(X)": 3}. agree: whether two
    values are the same.
    """
    wrong = [pair for pair in pairs if not agree(*pair)]
    if not wrong:
        return ""
    got, right = wrong[0]
    if len(pairs) > 2 and all(agree(one, got) for one, _ in pairs) and not all(agree(one, right) for _, one in pairs):
        return "your function gives this answer in all cases: find the line where it stops depending on the arguments"
    if isinstance(right, (np.ndarray, float)):
        for hint, factors in _of_sizes(sizes):
            if all(agree(got, factor * right) for factor, (got, right) in zip(factors, pairs)):
                return hint
    hint = next((hint for hint, compared in _slips(pairs, got, right) if _fit(compared, pairs, agree)), "")
    return hint or next(
        (f"{told}, which is not the case here" for told, has in PROPERTIES.items() if _lost(has, wrong, pairs)), ""
    )


def _lost(has, wrong, pairs):
    """Return whether all right answers have a property, and no wrong one."""
    try:
        return all(has(_numbers(right)) for _, right in pairs) and not any(has(_numbers(got)) for got, _ in wrong)
    except Exception:  # the answers are not numbers, or have another shape
        return False


def _of_sizes(sizes):
    """Yield (hint, the factor in each case) for factors that follow from a size; it must differ between the cases."""
    for size in sizes[0]:
        numbers = [one.get(size, 0) for one in sizes]
        if len({*numbers}) > 1 and min(numbers) > 1:
            for what, factor in FACTORS.items():
                yield f"every value is the right one times {what.format(size)}", [factor(n) for n in numbers]


def _fit(compared, pairs, agree):
    for got, right in pairs:
        try:
            with np.errstate(all="ignore"):
                one, other = compared(got, right)
        except Exception:  # nothing to change here, such as the axes of a single number: then the answer must be right
            one, other = got, right
        if not agree(one, other):
            return False
    return True


def _slips(pairs, got, right) -> Iterator[tuple[str, Compared]]:
    """Yield (hint, compared) of each slip; constants, such as a factor, come from this wrong answer."""
    if isinstance(got, tuple) and len(got) == 1:
        yield "a comma after the value makes it a tuple; leave the comma out", lambda g, r: (g[0], r)
    if isinstance(right, (list, tuple)):
        for hint, compared in _of_lists(list(got) if isinstance(got, tuple) else got, list(right)):
            yield hint, lambda g, r, compared=compared: compared(list(g) if isinstance(g, tuple) else g, list(r))
    elif isinstance(right, dict) and isinstance(got, dict):
        yield from _of_counts(got, right)
    elif isinstance(right, (np.ndarray, float, int)):
        try:
            rules = [*_of_places(_numbers(got), _numbers(right))]
            distinct = {value for _, one in pairs for value in _numbers(one).ravel().round(6).tolist()}
            if len(distinct - {0.0, 1.0}) > 2:  # 0 and 1 are whole numbers, and their own squares
                rules += _of_values(_numbers(got), _numbers(right))
        except (TypeError, ValueError):  # the answer is not numbers
            return
        for hint, compared in rules:
            yield hint, lambda g, r, compared=compared: compared(_numbers(g), _numbers(r))


def _numbers(value):
    return np.asarray(value, dtype=float)


def _of_lists(got, right):
    if isinstance(got, np.ndarray):
        yield "this is an array; .tolist() makes the list", lambda g, r: (g.tolist(), r)
    if isinstance(got, set):
        yield "this is a set, which has no order; return a list", lambda g, r: (sorted(g), sorted(r))
    if all(isinstance(item, str) for item in right):
        yield "only capital and small letters are mixed up", lambda g, r: ([*map(str.lower, g)], [*map(str.lower, r)])
        yield "the letters are right, but split in the wrong places", lambda g, r: ("".join(g), "".join(r))
        yield "an item contains a space that must not be there", lambda g, r: ([one.replace(" ", "") for one in g], r)
        yield "the letters of an item are in another order", lambda g, r: ([*map(sorted, g)], [*map(sorted, r)])
    yield "the list is inside another one", lambda g, r: (g, [r])
    for hint, change in ITEMS.items():
        yield hint, lambda g, r, change=change: (g, change(r))
    yield "there is one item too many at the end", lambda g, r: (g[:-1], r)
    yield "there is one item too many at the beginning", lambda g, r: (g[1:], r)
    if isinstance(got, list):
        yield "these are the right items in another order", lambda g, r: (sorted(g), sorted(r))
        yield "the beginning is right and the rest is missing: a loop or the function ends too early", _begins
        yield (
            "an item is itself a list: remove its brackets, or use + instead of append",
            lambda g, r: (_flat(g), _flat(r)),
        )
    exchanged = dict(pair for pair in zip(right, got) if pair[0] != pair[1]) if _plain(right) and _plain(got) else {}
    if len(exchanged) in (1, 2) and len(got) == len(right):
        hint = " and ".join(f"{one!r} is in place of {other!r}" for other, one in exchanged.items())
        yield hint, lambda g, r: (g, [exchanged.get(item, item) for item in r])
    if isinstance(got, list) and len(right) > 2:
        if got and all(isinstance(item, (int, str)) and item == got[0] for item in got):
            yield f"all items are {got[0]!r}, and the right ones differ", lambda g, r: (g, [g[0]] * len(r))
        yield "only the last item is wrong", lambda g, r: ([*g[:-1], r[-1]], r)
        yield "only the first item is wrong", lambda g, r: ([r[0], *g[1:]], r)
    if all(isinstance(row, list) for row in right):
        yield "each row has one item too many at the end", lambda g, r: ([row[:-1] for row in g], r)
        for hint, change in ITEMS.items():
            yield f"in each row, {hint}", lambda g, r, change=change: (g, [change(row) for row in r])


def _begins(got, right):
    return got, right[: len(got)]


def _flat(rows):
    return [item for row in rows for item in (_flat(row) if isinstance(row, list) else [row])]


def _plain(items):
    return isinstance(items, list) and all(isinstance(item, (int, str)) for item in items)


def _of_counts(got, right):
    lacking, more = [key for key in right if key not in got], [key for key in got if key not in right]
    if lacking:
        yield f"keys are missing, such as {lacking[0]!r}", lambda g, r: (g, {key: r[key] for key in r if key in g})
    if more:
        yield f"there are extra keys, such as {more[0]!r}", lambda g, r: ({key: g[key] for key in r}, r)
    yield "the counts are divided by their sum; return them as they are", lambda g, r: (g, _shares(r))
    yield "the values are lists; add up their items", lambda g, r: ({key: sum(n) for key, n in g.items()}, r)
    yield "the two parts of each key are swapped", lambda g, r: (g, {key[::-1]: n for key, n in r.items()})


def _shares(counts):
    return {key: n / sum(counts.values()) for key, n in counts.items()}


def _of_places(got, right):
    axes = range(-right.ndim, 0)
    if right.ndim and right.shape[-1] % 2 == 0:
        yield "each pair of neighboring columns is swapped", lambda g, r: (_in_twos(g), _in_twos(r)[..., ::-1])
    for i, j in combinations(axes, 2):
        yield f"axes {i} and {j} are swapped", lambda g, r, i=i, j=j: (g, np.swapaxes(r, i, j))
    if got.shape != right.shape:
        yield "the numbers are right, and in the right order, but the shape is not", lambda g, r: (g.ravel(), r.ravel())
        for axis in axes:
            for end, name in ((0, "first"), (-1, "last")):
                hint = f"axis {axis} is lost: only its {name} values are left"
                yield hint, lambda g, r, axis=axis, end=end: (g, np.take(r, end, axis=axis))
            for name, reduced in (("added up", np.sum), ("averaged", np.mean)):
                hint = f"axis {axis} is lost: the right values are {name} along it"
                yield hint, lambda g, r, axis=axis, reduced=reduced: (g, reduced(r, axis=axis))
            yield f"the first values of axis {axis} are missing", lambda g, r, axis=axis: (g, _cut(r, axis, 1, None))
            yield f"axis {axis} has extra values at its start", lambda g, r, axis=axis: (_cut(g, axis, 1, None), r)
        yield "the answer is right at first, but it is too long", lambda g, r: (g[tuple(map(slice, r.shape))], r)
        yield "the answer is too short; what is there is right", lambda g, r: (g, r[tuple(map(slice, g.shape))])
    for axis in axes:
        yield f"axis {axis} is in reverse order", lambda g, r, axis=axis: (g, np.flip(r, axis))
        if right.shape[axis] > 2:
            for name, kept in (("last", (0, -1)), ("first", (1, None))):
                hint = f"only the {name} values of axis {axis} are wrong"
                yield hint, lambda g, r, axis=axis, kept=kept: (_cut(g, axis, *kept), _cut(r, axis, *kept))
            late = f"axis {axis} begins one too late: the first value is missing, and there is one too many at the end"
            yield late, lambda g, r, axis=axis: (_cut(g, axis, 0, -1), _cut(r, axis, 1, None))
            early = f"axis {axis} begins one too early: there is one value too many at first, and the last is missing"
            yield early, lambda g, r, axis=axis: (_cut(g, axis, 1, None), _cut(r, axis, 0, -1))
    for digits in range(1, 5):
        yield "the values are rounded; keep all digits", lambda g, r, n=digits: (g, np.round(r, n))


def _in_twos(array):
    return array.reshape(*array.shape[:-1], -1, 2)


def _of_values(got, right):
    hint = "all values are whole numbers: //, int and an array of whole numbers cut off all decimals"
    yield hint, lambda g, r: (g, np.round(np.clip(g, np.floor(r - 1e-6), np.ceil(r + 1e-6))))
    yield "these are the right values in another order", lambda g, r: (np.sort(g, None), np.sort(r, None))
    for hint, change in VALUES.items():
        yield hint, lambda g, r, change=change: (g, change(r))
    if right.ndim:
        hint = "all wrong values are 0, and the others are right: find what should fill them"
        yield hint, lambda g, r: (g, r * (g != 0))
    for digits in range(5):
        yield "these are rounded percentages; return the share", lambda g, r, n=digits: (g, np.round(100 * r, n))
    if got.shape == right.shape and right.size:
        largest = np.unravel_index(np.abs(right).argmax(), right.shape)
        with np.errstate(all="ignore"):
            factor, more = got[largest] / right[largest], got[largest] - right[largest]
        yield f"every value is {factor:.4g} times the right one", lambda g, r: (g, factor * r)
        yield f"every value is the right one {'+' if more > 0 else '-'} {abs(more):.4g}", lambda g, r: (g, r + more)
        if right.ndim and right.shape[-1] > 1:
            hint = "in each row, all values are the right ones times the same number: check what a row is divided by"
            yield hint, lambda g, r: (g, (g * r).sum(-1, keepdims=True) / (r * r).sum(-1, keepdims=True) * r)
            hint = "in each row, all values are too large or too small by one amount: check what you add or subtract"
            yield hint, lambda g, r: (g - g.mean(-1, keepdims=True), r - r.mean(-1, keepdims=True))


def _cut(array, axis, first, last):
    return np.moveaxis(np.moveaxis(array, axis, 0)[first:last], 0, axis)


def of_error(error) -> str:
    """Return the hint for an exception, by its message; "" if there is none."""
    return next((hint for said, hint in ERRORS.items() if re.search(said, str(error))), "")


def of_endless(error, own) -> str:
    """Return the hint for a loop that did not end: its condition, with the values at that time. own: the notebook."""
    frames = [(frame, number) for frame, number in traceback.walk_tb(error.__traceback__) if frame.f_globals is own]
    for frame, number in reversed(frames):
        try:
            tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
        except SyntaxError:  # a cell may have lines for the notebook alone, such as %time
            continue
        loops = [node for node in ast.walk(tree) if isinstance(node, ast.While)]
        around = [loop for loop in loops if loop.lineno <= number <= loop.end_lineno]
        if around:
            test = around[-1].test
            names = dict.fromkeys(node.id for node in ast.walk(test) if isinstance(node, ast.Name))
            values = {name: frame.f_locals[name] for name in names if name in frame.f_locals}
            shown = [
                f"{name} = {one!r:.40}" for name, one in values.items() if isinstance(one, (int, str, list, tuple))
            ]
            return ", ".join([f"`while {ast.unparse(test)}` did not end", *shown])
    return ""


def of_one_row(got, right) -> str:
    """Return the hint if rows that must differ are one and the same list."""
    if not isinstance(got, list) or not isinstance(right, list) or len(got) != len(right):
        return ""
    for (one, right_one), (other, right_other) in combinations(zip(got, right), 2):
        if one is other and isinstance(one, list) and right_one != right_other:
            return "several rows are the same list, so they all change together: make a new list for each row"
    return ""


def of_return(student) -> str:
    """Return the hint if a loop of the function always ends in its first turn, because of a return at its end."""
    code = getattr(inspect.unwrap(student), "__code__", None)
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (AttributeError, SyntaxError):
        return ""
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == code.co_name]
    for node in ast.walk(functions[-1]) if functions else []:
        if isinstance(node, (ast.For, ast.While)) and not any(isinstance(one, ast.Continue) for one in ast.walk(node)):
            for one in node.body:
                if isinstance(one, ast.Return):
                    return f"the return in line {one.lineno} of the cell is inside a loop, which ends in its first pass"
    return ""


def of_invalid(error) -> str:
    """Return which values made nan in NumPy, by the message of a FloatingPointError."""
    operation = str(error).split()[-1]
    return f"nan comes from {INVALID.get(operation, operation)}"
