"""What runs inside the sandbox: the student's cells, then the calls that the checks ask for.

It needs the standard library and NumPy only. It reads /job/job.pickle, and writes one JSON value per line to a file
descriptor. Nothing that it says is trusted: messages.py takes only what has this form.

    {"start": "cell 3"}                                        what begins: a cell, or the calls of a part
    {"cell": 3, "error": null, "missing": [{"line": 1, "module": "torch"}]}
    {"call": "softmax-hidden.0", "value": ..., "error": null}  what a call gave back
    {"done": true}                                             the end was reached

An error is {"type": "NameError", "cell": 3, "line": 7, "name": "erf"}: the line of the student's own code that it
comes from, and the name that was not there. Its message stays here, because it can hold what the check put in.
"""

import __future__

import ast
import builtins
import codeop
import contextlib
import json
import os
import pickle
import re
import signal
import sys
import time
import traceback

PLACES = {}  # the name that a cell's code is compiled under -> the cell
COMPILE = codeop.Compile()  # remembers a `from __future__ import ...`, as a notebook does
COMPILE.flags |= __future__.annotations.compiler_flag  # `x: torch.Tensor` needs no torch
MOST = 1 << 23  # characters or items: no right value has as many, and to write them down takes time from the rest
IPYTHON = re.compile(r"(?P<indent>\s*)(?:(?P<given>\w[\w., ]*=)\s*[%!].*|%time\s+(?P<code>\S.*)|[%!?].*|.*\?\s*)")
PLAIN = (type(None), bool, int, float, str, list, tuple, dict, set, frozenset)


class TookTooLong(BaseException):
    """Raised in a cell or call that runs longer than its time; no `except Exception` catches it."""


class Refused(TypeError):
    """A value that is not sent: "NotPlain", a set ("NoOrder"), a generator ("StillToCome"), "TooLarge" to be right."""


# The exceptions that are reported by their name; a TypeError of a key that is a list as "Unhashable". Others, also
# the student's own, are reported by the name of their base class.
KNOWN = {name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)}
KNOWN |= {"TookTooLong", "NotPlain", "NoOrder", "StillToCome", "TooLarge", "Unhashable", "LinAlgError"}


def set_timers(of_the_processor, by_the_clock):
    signal.setitimer(signal.ITIMER_PROF, of_the_processor)
    signal.setitimer(signal.ITIMER_REAL, by_the_clock)


def interrupt(*_):
    set_timers(0, 0)  # one of them is enough
    raise TookTooLong


def plain(value, depth=0):
    """A value as JSON can carry it. Arrays become {"shape", "values"}, dictionaries lists of pairs."""
    if depth > 20:
        raise Refused("NotPlain")
    if not isinstance(value, PLAIN) or type(value).__module__ == "numpy" and not isinstance(value, str):
        return numbers_in(value)
    if isinstance(value, (str, list, tuple, dict)) and len(value) > MOST:
        raise Refused("TooLarge")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[plain(key, depth + 1), plain(item, depth + 1)] for key, item in value.items()]}
    raise Refused("NoOrder")


def numbers_in(value):
    """Anything that NumPy makes an array of numbers of, as the check in the notebook takes it: masked arrays, too."""
    if hasattr(type(value), "__next__"):
        raise Refused("StillToCome")
    numpy = sys.modules.get("numpy")
    try:
        array = numpy.asarray(value)
        if array.dtype.kind not in "biuf":
            raise Refused("NotPlain")
    except (ValueError, TypeError, AttributeError):  # no array can be made of it, or there is no NumPy
        raise Refused("NotPlain") from None
    if array.size > MOST:
        raise Refused("TooLarge")
    array = array.astype(float) if array.dtype.kind == "f" else array  # JSON knows no long double
    return {"shape": list(array.shape), "values": array.tolist()}


def cause(error):
    """An exception as the other side may know it, whatever the methods of its own class do."""
    kind, cell, line, name = "Exception", None, None, None
    try:
        if isinstance(error, SyntaxError) and error.filename in PLACES:
            cell, line = PLACES[error.filename], error.lineno
        for frame, number in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename in PLACES:  # the innermost one stays
                cell, line = PLACES[frame.f_code.co_filename], number
        if isinstance(error, (NameError, ImportError)) and isinstance(error.name, str):
            name = error.name
        kind = next((base.__name__ for base in type(error).__mro__ if base.__name__ in KNOWN), kind)
        if type(error) is TypeError and str(error).startswith("unhashable type"):
            kind = "Unhashable"
        elif type(error) is Refused:
            kind = str(error)
    except BaseException:  # a student's class may raise anything at any of these
        pass
    return {"type": kind, "cell": cell, "line": line, "name": name}


def timed(action, end, used=0):
    """(value, None), or (None, why not), where an action may be interrupted. used: seconds of the function's before."""
    left = max(0.1, end - time.monotonic()) + used
    set_timers(max(0.02, left / 5 - used), max(0.02, left / 4 - used))  # a busy machine harms nobody
    try:
        return action(), None
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: a student's cell must not end the rest
        return None, cause(error)
    finally:
        set_timers(0, 0)


def parsed(source, name):
    """The statements of a cell. Lines for IPython alone (%magic, !command, help?) are `pass`, or give None."""
    lines = source.split("\n")  # as Python counts lines: splitlines knows other ends, which may be part of a text
    while True:
        try:
            return ast.parse("\n".join(lines), name).body
        except SyntaxError as error:  # only now: such a line may also be part of a text or continue a formula
            place = (error.lineno or 0) - 1
            found = IPYTHON.fullmatch(lines[place]) if 0 <= place < len(lines) else None
            if not found:
                raise
            lines[place] = found["indent"] + (f"{found['given']} None" if found["given"] else found["code"] or "pass")


def run_cell(source, name, names, missing, rest):
    """Run a cell as IPython would, statement by statement. rest: is filled with the statements that have not run."""
    rest += parsed(source, name)
    while rest:
        run_statement(rest.pop(0), name, names, missing)


def run_rest(name, names, missing, rest):
    """Run the functions and imports below the line where a cell stopped: they may not have caused the stop."""
    for statement in rest:
        if isinstance(statement, (ast.FunctionDef, ast.Import, ast.ImportFrom)):
            with contextlib.suppress(Exception):  # the first stop is reported; this came after it
                run_statement(statement, name, names, missing)


def run_statement(statement, name, names, missing):
    """Run a statement. An import that finds nothing is passed over: code that needs it fails with the missing name."""
    if isinstance(statement, ast.Import) and len(statement.names) > 1:  # one that is missing takes no other with it
        for alias in statement.names:
            run_statement(ast.copy_location(ast.Import([alias]), statement), name, names, missing)
        return
    try:
        exec(COMPILE(ast.Module([statement], []), name, "exec"), names)
    except ImportError as error:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            raise
        module = getattr(statement, "module", None) or error.name
        missing.append({"line": statement.lineno, "module": module})
    except NameError as error:  # a function is right, or wrong, without `@numba.njit` above it, or `kind=torch.float64`
        if not isinstance(statement, ast.FunctionDef) or not without(error.name, statement):
            raise
        run_statement(statement, name, names, missing)


def without(missing, function):
    """Whether there are decorators, else default values with that name, in the line of a `def`; these are taken off."""
    if function.decorator_list:
        function.decorator_list = []
        return True
    arguments, found = function.args, False
    for defaults in (arguments.defaults, arguments.kw_defaults):
        for i, value in enumerate(defaults):
            if value and any(isinstance(node, ast.Name) and node.id == missing for node in ast.walk(value)):
                defaults[i], found = ast.copy_location(ast.Constant(None), value), True
    return found


def main(channel):
    """Run the job. `channel` is where results go; the student's cells do not see this name."""
    with open("/job/job.pickle", "rb") as file:
        job = pickle.load(file)
    sys.path.insert(0, "/site")  # NumPy
    signal.signal(signal.SIGALRM, interrupt)
    signal.signal(signal.SIGPROF, interrupt)
    end = time.monotonic() + job["seconds"]

    def say(line="", **record):
        channel.write((line or json.dumps(record)) + "\n")
        channel.flush()

    names, kept, stood = {"__name__": "__main__", "display": lambda *_, **__: None}, {}, {}  # a notebook has display
    PLACES.update({f"<cell {i}>": i for i in range(len(job["cells"]))})
    for i, source in enumerate(job["cells"]):
        if i not in job["leave_out"]:
            say(start=f"cell {i}")
            missing, rest, place = [], [], f"<cell {i}>"
            _, error = timed(lambda: run_cell(source, place, names, missing, rest), end)
            timed(lambda: run_rest(place, names, missing, rest), end)
            say(cell=i, error=error, missing=missing[:20])
            mine = {name: names[name] for name in job["keep"].get(i, []) if name in names}
            kept.update(mine)
            stood.update(dict.fromkeys(mine, dict(names)))
    at_the_end, function, slow, used = dict(names), None, {}, {}
    for call in job["calls"]:
        say(start=call["part"])
        if call["name"] != function:  # it finds its helpers as they were after its cell, and those below it too
            function = call["name"]
            there = stood.get(function, {})
            redefined = {name: there[name] for name in kept if takes(there.get(name)) not in (None, takes(kept[name]))}
            names.clear()
            names.update({**at_the_end, **there, **kept, **redefined})
        line, error = "", slow.get(function)  # a function that hung once is not called again
        if error is None:
            began = time.monotonic()
            line, error = timed(lambda: record(call, value_of(names, call)), end, used.get(function, 0))
            used[function] = used.get(function, 0) + time.monotonic() - began
        if error and error["type"] == "TookTooLong":
            slow[function] = error
        say(line, call=call["id"], value=None, error=error)
    say(done=True)


def takes(value):
    """The names of a function's arguments, or None: one with others is a helper of that name, not an old copy."""
    return value.__code__.co_varnames[: value.__code__.co_argcount] if type(value) is type(takes) else None


def record(call, value):
    """The line that says what a call gave back, if it is not longer than that of a right value can be."""
    line = json.dumps({"call": call["id"], "value": plain(value), "error": None})
    if len(line) > call["most"]:
        raise Refused("TooLarge")
    return line


def value_of(names, call):
    """The value of a call; or of a variable, or of several ("A, B"), where the call has no arguments."""
    parts = call["name"].split(", ")
    missing = [part for part in parts if part not in names]
    if missing:
        raise NameError(f"{missing[0]} is not defined", name=missing[0])
    if call["arguments"] is None:
        return [names[part] for part in parts] if len(parts) > 1 else names[parts[0]]
    arguments = pickle.loads(call["arguments"])  # from the pickle again, because an earlier call may have changed them
    return names[parts[0]](*(set(sorted(one)) if isinstance(one, set) else one for one in arguments))  # always in order


if __name__ == "__main__":
    results = os.fdopen(int(sys.argv[1]), "w", encoding="utf-8")
    try:
        main(results)
    finally:
        os._exit(0)  # no __del__, no atexit of the student's runs after this
