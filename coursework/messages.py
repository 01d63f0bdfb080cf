"""What the worker said, taken as data: a student's code can write anything to where results come from.

Only messages in the worker's form are read: the job's labels, calls and cells; exceptions with known names; values no
longer than a right answer can be, measured before they are parsed. The rest is passed over.
"""

import json
import re
from itertools import accumulate

from coursework.worker import KNOWN

MOST_CELL = 8_000  # bytes of a message about a cell
MOST_DEPTH = 100  # brackets in brackets; the worker gives 20
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
MOST_MISSING = 20  # imports of a cell that are reported
NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
DONE = b'{"done": true}'


def understood(said, job):
    """(calls, cells, last, done) out of the bytes that came: what `sandbox.Outcome` says of them."""
    labels = [*(f"cell {i}" for i in range(len(job["cells"]))), *(call["part"] for call in job["calls"])]
    starts = {_line(start=label): label for label in labels}
    asked = {_line(call=call["id"])[:-1] + b', "value": ': call for call in job["calls"]}
    ran = {_line(cell=i)[:-1] + b', "error": ': i for i in range(len(job["cells"]))}
    calls, cells, last, done = {}, {}, "", False
    for match in re.finditer(rb'^\{"\w.*', said, re.M):  # one at a time: a list of them could be 30 times as large
        line = match[0]
        head = line[: line.find(b": ", line.find(b": ") + 2) + 2]  # up to the value of a call or the error of a cell
        last = starts.get(line, last)
        done = done or line == DONE
        if head in asked:  # only the first message about it is read
            call = asked.pop(head)
            record = _parsed(line) if len(line) <= call["most"] else {"error": {"type": "TooLarge"}}
            if record is not None:
                error = _error(record.get("error"), job["cells"])
                calls[call["id"]] = {"value": None if error else record.get("value"), "error": error}
        elif head in ran and len(line) <= MOST_CELL:
            number = ran.pop(head)
            if (record := _parsed(line)) is not None:
                missing = _missing(record.get("missing"), job["cells"][number])
                cells[number] = {"error": _error(record["error"], job["cells"]), "missing": missing}
    return calls, cells, last, done


def _line(**record):
    return json.dumps(record).encode()


def _parsed(line):
    """The JSON object in a line, or None: too deep, no JSON. A whole number beyond all floats is infinite."""
    depths = accumulate(1 if one in b"[{" else -1 for one in line.translate(None, NO_BRACKETS))
    if max(depths, default=0) > MOST_DEPTH:
        return None
    try:
        return json.loads(line, parse_int=lambda digits: int(digits) if len(digits) < 300 else float(digits))
    except (ValueError, RecursionError):
        return None


def _error(error, cells):
    if error is None:
        return None
    error = error if isinstance(error, dict) else {}
    kind, cell = error.get("type"), error.get("cell")
    cell = cell if type(cell) is int and 0 <= cell < len(cells) else None
    line = None if cell is None else _line_of(error.get("line"), cells[cell])
    kind = kind if isinstance(kind, str) and kind in KNOWN else "Exception"
    return {"type": kind, "cell": cell, "line": line, "name": _name(error.get("name"))}


def _missing(found, source):
    found = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    named = [{"line": _line_of(one.get("line"), source), "module": _name(one.get("module"))} for one in found]
    return [one for one in named if None not in one.values()][:MOST_MISSING]


def _line_of(number, source):
    return number if type(number) is int and 1 <= number <= source.count("\n") + 2 else None


def _name(name):
    return name if isinstance(name, str) and len(name) <= 60 and NAME.fullmatch(name) else None
