"""Every doctest call of every public function, with one argument at a time replaced by something that it cannot be.

`bad_calls(module)` runs them and yields what happened. Used by `test_bad_calls.py`.
"""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import math
import pkgutil
import signal
import warnings
from dataclasses import dataclass

import tutorial_lib
from tutorial_lib.weights import ModelNotAvailable

BAD = {
    "None": "None",
    "NaN": "float('nan')",
    "empty list": "[]",
    "negative": "-1",
    "wrong type": "object()",
    "text": "'no such'",
}
MORE = {
    "empty text": "''",
    "huge": "10**9",
    "half": "1.5",
    "ragged": "[[1], [1, 2]]",
    "surrogate": r"'\ud800'",
    "dict": "{'a': 1}",
}
SECONDS = 15  # of the processor: a call that takes longer is none that was refused at the edge
HUGE_SECONDS = 2  # a huge size is a size: it may take its time and memory, and is not waited for


@dataclass
class Found:
    """One bad call: where it stands, which argument got what, and what came of it ("result", "named", ...)."""

    function: str
    argument: str
    value: str
    outcome: str
    message: str = ""


class TooLong(BaseException):
    """Not an Exception, so that nothing on the way catches it."""


def modules():
    """The names of all modules of the library that can be imported and are no command."""
    found = pkgutil.walk_packages(tutorial_lib.__path__, "tutorial_lib.")
    return [name for _, name, _ in found if not name.endswith("__main__")]


def examples(module):
    """(name, the doctest's statements) of each public function and class of a module, and of public methods."""
    for example in doctest.DocTestFinder().find(module, module.__name__):
        name = example.name.removeprefix(module.__name__).lstrip(".")
        if name and not any(part.startswith("_") for part in name.split(".")) and example.examples:
            yield name, [one.source for one in example.examples]


def bad_calls(module_name, values=BAD):
    """Run the doctests of a module with bad arguments, each of `values`; yield a `Found` for each."""
    module = importlib.import_module(module_name)
    for name, statements in examples(module):
        target = module
        for part in name.split("."):
            target = getattr(target, part)
        if not callable(target):
            continue
        for number, statement in enumerate(statements):
            tree = ast.parse(statement)
            all_calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
            for place in [call for call in all_calls if named(call) == name.rpartition(".")[2]]:
                yield from replaced(module, name, target, statements[:number], tree, place, values)


def named(call):
    """The last part of the name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)


def replaced(module, name, target, before, tree, call, values):
    """The call with each of its arguments replaced by each of the values."""
    try:
        parameters = [p for p in inspect.signature(target).parameters.values() if p.name not in ("self", "cls")]
    except (TypeError, ValueError):
        return
    names = [parameters[min(i, len(parameters) - 1)].name for i in range(len(call.args))] if parameters else []
    arguments = [(call.args, i, argument) for i, argument in enumerate(names)]
    arguments += [(keyword, None, keyword.arg) for keyword in call.keywords]
    for holder, i, argument in arguments:
        kept = holder.value if i is None else holder[i]
        if isinstance(kept, (ast.Starred, ast.Lambda)) or argument is None:
            continue
        for kind, text in values.items():
            new = ast.parse(text, mode="eval").body
            if i is None:
                holder.value = new
            else:
                holder[i] = new
            try:
                what = outcome(module, before, tree, argument, HUGE_SECONDS if kind == "huge" else SECONDS)
            except TooLong:  # it rang on the way out
                what = "too long", ""
            if kind == "huge" and (what[0] == "too long" or "memory" in what[1].lower()):
                what = "result", what[1]
            yield Found(f"{module.__name__}.{name}", argument, kind, *what)
        if i is None:
            holder.value = kept
        else:
            holder[i] = kept


def outcome(module, before, tree, argument, seconds):
    """What comes of the statement: "result", "named", "unnamed", "other kind" or "too long", and the message."""
    space = dict(vars(module))
    quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())

    def stop(_, frame):
        # Where Python calls back on its own, nothing comes of what is raised: it rings again a tenth of a second later.
        if frame is None or frame.f_code.co_name not in ("_remove", "gc_callback", "gc_cumulative_time"):
            raise TooLong

    with quiet[0], quiet[1], warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in before:
            exec(compile(source, "<example>", "exec"), space)
        old = signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
        try:
            exec(compile(ast.fix_missing_locations(tree), "<bad call>", "exec"), space)
        except (ValueError, TypeError) as error:
            says = str(error)
            kind = "named" if argument in says and type(error).__module__ in ("builtins", "tutorial_lib") else "unnamed"
            return kind, f"{type(error).__name__}: {says[:150]}"
        except TooLong:
            return "too long", ""
        except Exception as error:
            kind = "named" if isinstance(error, FileNotFoundError | ModelNotAvailable) else "other kind"
            return kind, f"{type(error).__name__}: {str(error)[:150]}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, old)
    return "result", ""


def shares(found):
    """Of the errors among some `Found`: the share that names no argument or is of another kind than intended."""
    errors = [one for one in found if one.outcome != "result"]
    return sum(one.outcome != "named" for one in errors) / len(errors) if errors else math.nan
