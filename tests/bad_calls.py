"""Bad calls: each call of a public function in its own doctest, with one argument replaced or given as a bad value.

    generate(gpt, [1, 2], 3)    ->    generate(None, [1, 2], 3), generate(gpt, None, 3), generate(gpt, [1, 2], None),
                                      generate(float('nan'), [1, 2], 3), ...

A good answer to a call is a result, or a ValueError or a TypeError that names the argument. To try another value, add
it to `USUAL`; a new function is found by its doctest. `test_bad_calls.py` sets the share of exceptions.
"""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import signal
import warnings
from dataclasses import dataclass

import tutorial_lib
from tutorial_lib.weights import ModelNotAvailable

USUAL = {
    "None": "None",
    "NaN": "float('nan')",
    "empty list": "[]",
    "negative": "-1",
    "wrong type": "object()",
    "text": "'no such'",
}
RARE = {
    "empty text": "''",
    "huge": "10**9",
    "half": "1.5",
    "ragged": "[[1], [1, 2]]",
    "surrogate": r"'\ud800'",
    "dict": "{'a': 1}",
}
SECONDS = 15  # of the processor: a longer call was not rejected
HUGE_SECONDS = 2  # a huge size is valid: it may take its time and memory, and the test does not wait


@dataclass
class BadCall:
    """A call as you would type it, its doctest and argument, and the outcome.

    outcome: "result", "named" (an error that names the argument), "unnamed" (one that does not), "other kind" (an
    error that is neither a ValueError nor a TypeError) or "too long".
    """

    function: str
    call: str
    argument: str
    outcome: str
    message: str

    @property
    def is_answered_well(self):
        return self.outcome in ("result", "named")


class TooLong(BaseException):
    """Not an Exception, so that no handler catches it."""


def modules():
    """The names of all modules of the library that can be imported and are not commands."""
    found = pkgutil.walk_packages(tutorial_lib.__path__, "tutorial_lib.")
    return [name for _, name, _ in found if not name.endswith("__main__")]


def bad_calls(module_name, values=USUAL, skip=lambda function: False):
    """Run the doctests of a module with bad arguments; yield a `BadCall` for each. skip: decides it for a function."""
    module = importlib.import_module(module_name)
    for function, doctest_lines in doctests(module):
        if skip(function):
            continue
        target = module
        parts = function.removeprefix(f"{module_name}.").split(".")
        for part in parts:
            target = getattr(target, part)
        if not callable(target):
            continue
        space = dict(vars(module))  # the names that the doctest's lines have defined so far
        for line in doctest_lines:
            for argument, kind, call in spoiled(line, parts[-1], target, values):
                yield BadCall(function, call, argument, *outcome(call, dict(space), argument, kind == "huge"))
            with quiet(), contextlib.suppress(Exception):  # some doctests show an error
                exec(compile(line, "<example>", "exec"), space)


def doctests(module):
    """(name, the doctest's lines) of each public function and class of a module, and of public methods."""
    for example in doctest.DocTestFinder().find(module, module.__name__):
        parts = example.name.removeprefix(module.__name__).split(".")[1:]
        if parts and not any(part.startswith("_") for part in parts) and example.examples:
            yield example.name, [one.source for one in example.examples]


def spoiled(line, name, target, values):
    """(argument, kind of value, the line) for each argument of each call of `name` in the line, and each bad value.

    >>> from tutorial_lib.attention import window_mask
    >>> list(spoiled("window_mask(3, 1).int()", "window_mask", window_mask, {"negative": "-1"}))
    [('n', 'negative', 'window_mask(-1, 1).int()'), ('m', 'negative', 'window_mask(3, -1).int()')]
    """
    known = inspect.signature(target).parameters
    parameters = [p for p in known if p not in ("self", "cls")]
    calls = [node for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Call)]
    for call in calls:
        if name != (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)):
            continue
        arguments = [(parameters[min(i, len(parameters) - 1)], value) for i, value in enumerate(call.args)]
        arguments += [(keyword.arg, keyword.value) for keyword in call.keywords]
        for argument, value in arguments:
            if argument is None or isinstance(value, ast.Starred | ast.Lambda):
                continue
            start = position(line, value.lineno, value.col_offset)
            end = position(line, value.end_lineno, value.end_col_offset)
            for kind, text in values.items():
                yield argument, kind, line[:start] + text + line[end:]
        if any(argument is None or isinstance(value, ast.Starred) for argument, value in arguments):
            continue
        end = position(line, call.end_lineno, call.end_col_offset) - 1  # before the closing bracket
        begun = line[:end].rstrip(", ") + ", " * bool(arguments)
        for argument in sorted(set(parameters) - {argument for argument, _ in arguments}):
            if known[argument].kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
                for kind, text in values.items():
                    yield argument, kind, f"{begun}{argument}={text}{line[end:]}"


def position(text, line_number, column):
    """Where a node of the syntax tree begins or ends in the text; its column counts bytes."""
    lines = text.splitlines(keepends=True)
    return len("".join(lines[: line_number - 1])) + len(lines[line_number - 1].encode()[:column].decode())


def outcome(call, space, argument, is_huge):
    """Return a call's outcome as in `BadCall`, and the error's message."""
    try:
        with quiet(), at_most(HUGE_SECONDS if is_huge else SECONDS):
            exec(compile(call, "<bad call>", "exec"), space)
        return "result", ""
    except TooLong:
        return ("result" if is_huge else "too long"), ""
    except Exception as error:
        message = f"{type(error).__name__}: {str(error)[:150]}"
        if is_huge and "memory" in message.lower():
            return "result", message
        if isinstance(error, FileNotFoundError | ModelNotAvailable):
            return "named", message
        if not isinstance(error, ValueError | TypeError):
            return "other kind", message
        named = argument in str(error) and type(error).__module__ in ("builtins", "tutorial_lib")
        return ("named" if named else "unnamed"), message


@contextlib.contextmanager
def quiet():
    """Discard printed output and warnings."""
    silent = io.StringIO()
    with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def at_most(seconds):
    """Raise TooLong in the block after this many processor seconds."""

    def stop(_, frame):
        # If Python calls back from C code, the exception is lost: the alarm rings again a tenth of a second later.
        if frame is None or frame.f_code.co_name not in ("_remove", "gc_callback", "gc_cumulative_time"):
            raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
