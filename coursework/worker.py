"""What runs inside the sandbox: the student's cells, then the calls that the checks ask for.

Stands alone (standard library, and NumPy for arrays), because nothing else of this project is in there. It reads a job
from /job/job.json and /job/arrays.npz, and writes one JSON value a line to the file descriptor that it was started
with. Nothing that it says is trusted: the other side only compares values.

    {"cell": 3, "error": "NameError: ..."}         a cell ran (error: null) or failed
    {"call": "softmax-hidden.0", "value": ...}     what a call gave back; or "error"
    {"done": true}                                 the end was reached
"""

import ast
import io
import json
import os
import signal
import sys


class TookTooLong(BaseException):
    """Raised in a cell or call that runs longer than its time; no `except Exception` catches it."""


class NotPlain(TypeError):
    """A value that JSON cannot carry."""


def interrupt(*_):
    raise TookTooLong("was stopped because it took too long")


def plain(value, depth=0):
    """A value as JSON can carry it. Arrays become {"shape", "values"}, dictionaries lists of pairs."""
    if depth > 20:
        raise NotPlain("the value is nested more than 20 deep")
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        if value.dtype.kind == "O":
            return plain(value.tolist(), depth + 1)
        if value.dtype.kind not in "biufU":
            raise NotPlain(f"an array of {value.dtype}")
        return {"shape": [int(n) for n in value.shape], "values": value.tolist()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[plain(key, depth + 1), plain(item, depth + 1)] for key, item in value.items()]}
    raise NotPlain(type(value).__name__)


def decoded(value, arrays):
    """The arguments of a call: {"array": name} stands for an array, and {"tuple"}, {"set"}, {"pairs"} for these."""
    if isinstance(value, list):
        return [decoded(item, arrays) for item in value]
    if isinstance(value, dict) and "array" in value:
        return arrays[value["array"]]
    if isinstance(value, dict) and "tuple" in value:
        return tuple(decoded(item, arrays) for item in value["tuple"])
    if isinstance(value, dict) and "set" in value:
        return set(value["set"])
    if isinstance(value, dict):
        return {decoded_key(key): decoded(item, arrays) for key, item in value["pairs"]}
    return value


def decoded_key(key):
    return tuple(map(decoded_key, key)) if isinstance(key, list) else key


def reason(error):
    """An exception in one line, whatever its own __str__ does."""
    try:
        return f"{type(error).__name__}: {error}"[:500]
    except BaseException:
        return "an exception that cannot be printed"


def timed(action, seconds):
    """(value, None), or (None, why not). A polite interruption: what comes after still gets its chance."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return action(), None
    except BaseException as error:  # SystemExit and KeyboardInterrupt too: a student's cell must not end the rest
        return None, reason(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def without_magics(source):
    """A cell without the lines that only IPython understands: %magics, !commands, and a trailing ?."""
    lines = ("" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines())
    return "\n".join(lines)


def main(channel):
    """Run the job. `channel` is where results go; it is no name that the student's cells see."""
    with open("/job/job.json", encoding="utf-8") as file:
        job = json.load(file)
    sys.path[:0] = job["path"]
    arrays = {}
    if job["arrays"]:
        import numpy

        with numpy.load("/job/arrays.npz", allow_pickle=False) as file:
            arrays = dict(file)
    signal.signal(signal.SIGALRM, interrupt)

    def say(**record):
        channel.write(json.dumps(record) + "\n")
        channel.flush()

    names, slow = {"__name__": "__main__"}, {}
    for i, source in enumerate(job["cells"]):
        if i in job["leave_out"]:
            continue
        say(start=f"cell {i}")
        _, error = timed(lambda: run_cell(source, f"<cell {i + 1}>", names), job["seconds"])
        say(cell=i, error=error)
    for call in job["calls"]:
        say(start=call["part"])
        arguments = decoded(call["arguments"], arrays)
        value, error = "null", slow.get(call["name"])  # a function that hung once is not called again
        if error is None:
            value, error = timed(lambda: json.dumps(plain(value_of(names, call["name"], arguments))), job["seconds"])
            if error is not None and error.startswith("TookTooLong"):
                slow[call["name"]] = error
        channel.write(f'{{"call": "{call["id"]}", "value": {value or "null"}, "error": {json.dumps(error)}}}\n')
        channel.flush()
    say(done=True)


def run_cell(source, name, names):
    """Run a cell as IPython would, but for its magics."""
    exec(compile(ast.parse(without_magics(source)), name, "exec"), names)


def value_of(names, name, arguments):
    """The value of a call; or of a variable, or of several ("A, B"), where the call has no arguments list."""
    missing = [part for part in name.split(", ") if part not in names]
    if missing:
        raise NameError(f"{missing[0]} is not defined")
    if arguments is not None:
        return names[name](*arguments)
    values = [names[part] for part in name.split(", ")]
    return values if len(values) > 1 else values[0]


if __name__ == "__main__":
    results = os.fdopen(int(sys.argv[1]), "w", encoding="utf-8")
    sys.stdin = io.StringIO()
    try:
        main(results)
    finally:
        results.flush()
        os._exit(0)  # no __del__, no atexit of the student's runs after this
