"""A recomputed claim notices an error in the library: the functions that it calls are made to answer wrongly.

For each claim, the calls that it makes into the library are recorded with their results. Then it is computed again
while one function of the library returns something else, wrong in one of several ways, until the claim's value changes.
If no function can change it, the claim reads something instead of computing it: it is of another kind.
"""

import contextlib
import copy
import dataclasses
import gc
import itertools
import sys
import types
from collections import defaultdict

import numpy as np
import pytest
import torch
from torch import nn

from tutorial_book.claims import check, claims, tools
from tutorial_book.claims.claim import RECOMPUTED
from tutorial_book.claims.verdicts import can_be_checked, recompute
from tutorial_book.exercises.exercise import TookTooLong, _at_most

KEPT = (tools.bert, tools.tokenizer)  # loading a model takes long, and the result is the same each time
TWINS = {  # claims that take seconds and use the same pictures or vectors as another claim, which represents them
    *("L-2.3.1-separate", "L-2.3.1-distances", "L-4.4.2-separated"),
}
# Five seconds and more, each.
SLOW = {
    "A-2.2-average", "L-2.3.1-components", "L-2.3.1-nonlinear", "L-4.5.1-pooling",
    "R-10.2-subject-verb", "R-10.3-roles",
}  # fmt: skip
MOST_SECONDS = 10  # for one wrong answer: it may keep a loop from ending
ALL = [claim for claim in claims() if claim.kind == RECOMPUTED and claim.id not in TWINS and can_be_checked(claim)]
QUICK = [claim for claim in ALL if claim.id not in SLOW][::4]  # all together take two minutes
HOW = ("reversed", "zero", "huge", "shorter", "first")  # "first": only the first answer, or the first part of one


def forget(loading):
    """Clear the caches of the claims' modules; loading: also those of models and tokenizers."""
    for module in [name for name in sys.modules if name.startswith("tutorial_book.claims.")]:
        for kept in vars(sys.modules[module]).values():
            if hasattr(kept, "cache_clear") and kept.__module__ == module != "tutorial_book.claims.verdicts":
                if loading or kept not in KEPT:
                    kept.cache_clear()


def module_of_ours(frame):
    """The module of the library or of the book that a frame runs in, "" for others and for none."""
    name = frame.f_globals.get("__name__", "") if frame else ""
    return name if name.startswith(("tutorial_lib.", "tutorial_book.")) else ""


def record(claim, loading=False, deep=False):
    """Return the claim's value, and the results of the library's functions during it: {code: [value, ...]}.

    deep: of all functions that run, at any depth; otherwise of those that the claim itself calls.
    """
    returned, open_calls = defaultdict(list), {}

    def watch(frame, event, value):
        if event == "return" and frame in open_calls:
            returned[frame.f_code][open_calls.pop(frame)] = value
        module = module_of_ours(frame)
        if event != "call" or not module or module.startswith("tutorial_book.claims"):
            return
        caller = frame.f_back
        while caller and not module_of_ours(caller):  # torch may be in between
            caller = caller.f_back
        if deep or module_of_ours(caller).startswith("tutorial_book.claims"):
            open_calls[frame] = len(returned[frame.f_code])
            returned[frame.f_code].append(None)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        forget(loading)
        value = recompute(claim)
    finally:
        sys.setprofile(before)
    return value, returned


def function_of(code):
    """Return the function or method of a module with this code; None for one that is created at each call."""
    owners = [thing for thing in gc.get_referrers(code) if isinstance(thing, types.FunctionType)]
    return next((function for function in owners if "<" not in function.__qualname__), None)


def _answer(*args, **kwargs):
    return _mutant(args, kwargs)  # noqa: F821 (a global of the mutated function's module, set by `mutated`)


@contextlib.contextmanager
def mutated(function, how, values=None):
    """Make a function of the library answer wrong inside this block: with these values, spoiled, or with its own."""
    kept = function.__code__, function.__defaults__, function.__kwdefaults__
    original = types.FunctionType(*kept[:1], function.__globals__, function.__name__, kept[1], function.__closure__)
    original.__kwdefaults__ = kept[2]
    answers, later = iter(values or ()), itertools.chain([False], itertools.repeat(True))

    def mutant(args, kwargs):
        right = how == "first" and next(later)  # only the first answer is to be wrong
        if function.__name__ == "__init__":
            original(*args, **kwargs)
            if not right:
                spoil(args[0], "shorter")  # sizes are the statement of a model without weights
            return None
        answer = next(answers, None) if values else original(*args, **kwargs)
        return answer if right else wrong(answer, how)

    function.__globals__["_mutant"] = mutant
    function.__code__ = _answer.__code__.replace(co_freevars=kept[0].co_freevars)
    function.__defaults__ = function.__kwdefaults__ = None
    try:
        yield
    finally:
        function.__code__, function.__defaults__, function.__kwdefaults__ = kept
        del function.__globals__["_mutant"]


def wrong(value, how):
    """Another value of the same kind."""
    if isinstance(value, (bool, type(None))):
        return 1 if value is None else not value
    if isinstance(value, (int, float, np.number)):
        return {"zero": 0, "huge": value * 2 + 2 if isinstance(value, int) else 1e6}.get(how, -value - 1)
    if isinstance(value, str):
        return "" if how == "zero" else value[::-1] + "x"
    if isinstance(value, np.ndarray):
        return wrong(torch.from_numpy(value.copy()), how).numpy()
    if isinstance(value, torch.Tensor):
        return wrong_tensor(value, how)
    if isinstance(value, dict):
        items = list(value.items())
        return {key: wrong(item, how) for key, item in items[: len(items) // 2 if how == "shorter" else None]}
    if isinstance(value, tuple) and how == "first":
        return (wrong(value[0], "huge"), *value[1:])
    if isinstance(value, (list, tuple)):
        items = [wrong(item, how) for item in value]
        if hasattr(value, "_fields"):
            return type(value)(*items)
        return type(value)(items[:-1] if how == "shorter" else items[::-1] if how == "reversed" else items)
    return spoil(copy.copy(value), how)


def wrong_tensor(value, how):
    if how == "shorter":
        return value[(slice(-1),) * value.ndim] if value.ndim else value + 1
    if value.dtype == torch.bool:
        return ~value
    turned = value.flip(tuple(range(value.ndim)))
    return {
        "zero": value * 0,
        "huge": turned.abs() * 10 + 7,  # abs: not linear, so that shapes change, too
    }.get(how, -turned - 1)


def spoil(thing, how):
    """Change an object's attributes, in place, and return it."""
    if isinstance(thing, nn.Module):
        spoil_model(thing, how)
    elif dataclasses.is_dataclass(thing):
        for name, value in vars(thing).items():
            if isinstance(value, int) and not isinstance(value, bool):
                object.__setattr__(thing, name, 1 if how == "zero" else 2 * value)  # so that sizes fit each other
            elif isinstance(value, (float, list, tuple, np.ndarray)):
                object.__setattr__(thing, name, wrong(value, how))
    else:
        for name, value in list(getattr(thing, "__dict__", {}).items()):
            setattr(thing, name, wrong(value, how))
    return thing


def spoil_model(model, how):
    """Change a model's parameters, and with "shorter" their shapes, its lists of layers and its numbers."""
    for part in list(model.modules()):
        for name, parameter in part._parameters.items():
            if parameter is not None:
                data = parameter.data
                data = data.repeat(*[2] * data.ndim) if how == "shorter" else wrong(data, how)
                part._parameters[name] = nn.Parameter(data)
        if how == "shorter" and isinstance(part, nn.ModuleList):
            del part[-1]
        for name, value in list(vars(part).items()) if how == "shorter" else ():
            if isinstance(value, int) and not isinstance(value, bool):
                setattr(part, name, 2 * value)


def noticed(claim, loading=False, deep=False):
    """The first function of the library whose wrong answer changes the claim's value, and how; None if none does."""
    value, returned = record(claim, loading, deep)
    assert repr(value) == repr(check(claim).computed), "computed twice, it is not the same"
    for code, values in reversed(returned.items()):
        function = function_of(code)
        for how in HOW if function else ():
            if function.__name__ == "__init__" and how not in ("shorter", "first"):
                continue
            forget(loading)
            try:
                with mutated(function, how, None if deep else values), _at_most(MOST_SECONDS):
                    other = recompute(claim)
            except (Exception, TookTooLong):  # a mutant that breaks the computation, or never ends, shows nothing
                continue
            finally:
                forget(loading)
            if repr(value) != repr(other):
                return f"{function.__module__}.{function.__qualname__}", how
    return None


@pytest.mark.parametrize(
    "claim", [pytest.param(claim, id=claim.id, marks=[pytest.mark.long] * (claim not in QUICK)) for claim in ALL]
)
def test_wrong_library_changes_what_is_recomputed(claim):
    found = noticed(claim) or noticed(claim, loading=True) or noticed(claim, deep=True)
    assert found, "no function of the library changes the value: give the claim another kind, or compute it"
