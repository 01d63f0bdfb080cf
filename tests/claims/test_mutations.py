"""A recomputed claim notices when the library is wrong: what its computation calls is made to answer otherwise.

For each claim, the calls that it makes into the library are recorded with what they return. Then it is computed again
while one function of the library returns something else, wrong in one of several ways, until the claim's value changes.
That no function can change it means that the claim reads something off instead of computing it: it is of another kind.
"""

import contextlib
import copy
import dataclasses
import functools
import inspect
import itertools
import sys
import types
from collections import defaultdict

import numpy as np
import pytest
import torch
from torch import nn

from tutorial_book.claims import check, claims, tools
from tutorial_book.claims.claim import RECOMPUTED, can_be_checked, recompute
from tutorial_book.exercises.exercise import TookTooLong, _at_most

KEPT = (tools.bert, tools.tokenizer)  # loading a model takes long, and what comes out is the same each time
TWINS = {  # what takes seconds, and rests on the same pictures or vectors as another claim, which stands for it
    *("L-2.3.1-separate", "L-2.3.1-unlinked", "L-2.3.1-distances", "L-4.4.2-separated"),
}
# Five seconds and more, each.
SLOW = {"L-2.3.1-components", "L-2.3.1-nonlinear", "L-4.5.1-pooling", "R-10.2-subject-verb", "R-10.3-roles"}
OURS = ("tutorial_lib.", "tutorial_book.")
MOST_SECONDS = 10  # for one wrong answer: it may keep a loop from ending
ALL = [claim for claim in claims() if claim.kind == RECOMPUTED and claim.id not in TWINS and can_be_checked(claim)]
QUICK = [claim for claim in ALL if claim.id not in SLOW][::4]  # all together take two minutes


def caches():
    """What the modules of claims keep from one call to the next."""
    for name in [name for name in sys.modules if name.startswith("tutorial_book.claims.")]:
        for value in vars(sys.modules[name]).values():
            if hasattr(value, "cache_clear") and value.__module__ == name and name != "tutorial_book.claims.claim":
                yield value


def forget(loading):
    """Clear what is kept; loading: models and tokenizers as well."""
    for cached in caches():
        if loading or cached not in KEPT:
            cached.cache_clear()


def computed_anew(claim, loading):
    """The claim's value with nothing kept from before."""
    forget(loading)
    return recompute(claim)


def module_of_ours(frame):
    """The module of the library or of the book that a frame runs in, "" for others."""
    name = frame.f_globals.get("__name__", "")
    return name if name.startswith(OURS) else ""


def record(claim, loading=False, deep=False):
    """The claim's value, and what the library's functions return on the way: {code: [value, ...]}.

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
        while caller and not module_of_ours(caller):  # torch may stand between
            caller = caller.f_back
        if deep or caller and module_of_ours(caller).startswith("tutorial_book.claims"):
            open_calls[frame] = len(returned[frame.f_code])
            returned[frame.f_code].append(None)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        value = computed_anew(claim, loading)
    finally:
        sys.setprofile(before)
    return value, returned


@functools.cache
def functions(n_modules):
    """The library's functions and methods, by their code. n_modules: how many are loaded, for the cache."""
    found = {}

    def add(thing):
        thing = inspect.unwrap(getattr(thing, "__func__", getattr(thing, "fget", thing)))
        if isinstance(thing, types.FunctionType):
            found[thing.__code__] = thing

    for module in [module for name, module in sys.modules.items() if name.startswith(OURS)]:
        for thing in vars(module).values():
            add(thing)
            if isinstance(thing, type):
                for method in vars(thing).values():
                    add(method)
    return found


def _answer(*args, **kwargs):
    return _mutant(args, kwargs)  # noqa: F821 (a global of the mutated function's module, set by `mutated`)


@contextlib.contextmanager
def mutated(function, how, values=None):
    """While this lasts, a function of the library answers wrong: with these values, spoiled, or with its own."""
    kept = function.__code__, function.__defaults__, function.__kwdefaults__
    original = types.FunctionType(*kept[:1], function.__globals__, function.__name__, kept[1], function.__closure__)
    original.__kwdefaults__ = kept[2]
    answers, later = iter(values or ()), itertools.chain([False], itertools.repeat(True))

    def mutant(args, kwargs):
        right = how == "first" and next(later)  # only the first answer is to be wrong
        if function.__name__ == "__init__":
            original(*args, **kwargs)
            if not right:
                spoil(args[0], "shorter")  # sizes are what a model without weights has to say
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


HOW = ("reversed", "zero", "huge", "shorter", "first")  # "first": only the first answer, or the first part of one


def wrong(value, how):
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, np.number)):
        return {"zero": 0, "huge": value * 2 + 2 if isinstance(value, int) else 1e6}.get(how, -value - 1)
    if isinstance(value, str):
        return "" if how == "zero" else value[::-1] + "x"
    if isinstance(value, np.ndarray):
        return wrong_array(torch.from_numpy(value.copy()), how).numpy()
    if isinstance(value, torch.Tensor):
        return wrong_array(value, how)
    if isinstance(value, tuple) and how == "first":
        return (wrong(value[0], "huge"), *value[1:])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(wrong(item, how) for item in value))
    if isinstance(value, (list, tuple)):
        items = [wrong(item, how) for item in value]
        return type(value)(items[:-1] if how == "shorter" else items[::-1] if how == "reversed" else items)
    if isinstance(value, dict):
        items = list(value.items())
        return {key: wrong(item, how) for key, item in items[: len(items) // 2 if how == "shorter" else None]}
    if value is None:
        return 1
    return spoil(copy.copy(value), how)


def wrong_array(value, how):
    if how == "shorter":
        return value[(slice(-1),) * value.ndim] if value.ndim else value + 1
    if value.dtype == torch.bool:
        return ~value
    if how == "zero":
        return value * 0
    turned = value.flip(tuple(range(value.ndim)))
    return turned.abs() * 10 + 7 if how == "huge" else -turned - 1  # abs: not linear, so that shapes change, too


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
    """The first function of the library whose wrong answer changes the claim's value, and how; None where none does."""
    value, returned = record(claim, loading, deep)
    assert repr(value) == repr(check(claim).computed), "computed twice, it is not the same"
    for code, values in reversed(returned.items()):
        function = functions(len(sys.modules)).get(code)
        for how in HOW if function else ():
            if function.__name__ == "__init__" and how not in ("shorter", "first"):
                continue
            try:
                with mutated(function, how, None if deep else values), _at_most(MOST_SECONDS):
                    other = computed_anew(claim, loading)
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
def test_a_wrong_library_changes_what_is_recomputed(claim):
    found = noticed(claim) or noticed(claim, loading=True) or noticed(claim, deep=True)
    assert found, "no function of the library changes the value: give the claim another kind, or compute it"
