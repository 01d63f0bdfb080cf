"""Why a student's function gave no value: the kind of error, and the line of the student's own code it came from.

The sandbox reports the type of an exception, and the student's cell and line that it came from, but never its message,
which can contain hidden inputs. In a text, a line of code is on its own line, after four spaces.
"""

import re
import sys
from dataclasses import dataclass, field

PYTHON = ".".join(map(str, sys.version_info[:2]))
ALONE = "Grading has only Python and NumPy."
BORROWED = "Code of the book does not count as an answer: write it yourself."
NO_FILES = "Grading has no files: remove the code that reads or writes a file."
GAVE = {  # the worker's own words for values
    "NotPlain": "something that is not a number, text, list, dictionary or array",
    "NoOrder": "a set, which has no order: the order matters here, so build a list from the start",
    "StillToCome": "a generator, which has not computed its values yet: turn it into a list",
    "TooLarge": "far more than was asked for",
}
ADVICE = dict.fromkeys(("ModuleNotFoundError", "ImportError"), ALONE)
ADVICE |= dict.fromkeys(("FileNotFoundError", "PermissionError", "OSError"), NO_FILES)
ADVICE |= {"EOFError": "Nobody can type anything in grading: remove input()."}
ADVICE |= {"NotImplementedError": "Your code is not written yet. If you have written it, remove that line."}
ADVICE |= {"Unhashable": "A list cannot be a key or in a set: use a tuple, also where the value comes from."}
ENDS = {"timeout": "it took too long", "memory": "it used too much memory", "crashed": "Python itself stopped"}
ENDS |= {"too much output": "it produced too much output"}
MOST_CODE = 200  # characters of a line that is shown


@dataclass
class Code:
    """A student's cells, and what happened when they ran.

    sources: the cells. ran: cell -> {"error", "missing"}, as `sandbox.Outcome` tells it. ended: label of a cell or a
    check -> how it ended a run. keep: cell -> the names whose value after that cell is graded.
    """

    sources: list[str]
    ran: dict[int, dict]
    ended: dict[str, str]
    keep: dict[int, list[str]] = field(default_factory=dict)

    def text(self, cell, number):
        lines = [] if cell is None or number is None else self.sources[cell].split("\n")[number - 1 : number]
        return lines[0].strip()[:MOST_CODE] if lines else ""

    def line(self, cell, number):
        """Return the place of an exception, as a part of a sentence; empty if it is not known."""
        if cell is None or number is None:
            return ""
        first = re.search(r"^def (\w+)", self.sources[cell], re.M)
        there = f" with {first[1]}" if first else ""
        return f", in line {number} of the cell{there}:\n    {self.text(cell, number)}\n"

    def defining(self, name):
        """Return the cell whose value of a name is graded, else the last one that binds it, or None."""
        kept = [i for i, names in self.keep.items() if name in names]
        assigned = rf"[\w, ]{{0,200}}\b{name}\b[\w, ]{{0,200}}=(?!=)|{name}: "
        binds = re.compile(rf"^(?:(?:def|class) {name}\b|{assigned}|(?:import|from) .*\b{name}\b)", re.M)
        return ([i for i, source in enumerate(self.sources) if binds.search(source)] + kept or [None])[-1]

    def lacking(self, name):
        """Return (cell, line) of an import of this name that found nothing, or None."""
        failed = ((i, item["line"]) for i, ran in self.ran.items() for item in ran["missing"])
        return next((place for place in failed if re.search(rf"\b{name}\b", self.text(*place))), None)

    def stopped(self, error):
        """Return how and where code stopped, and what to do about it if grading lacks what it asks for."""
        where = self.line(error["cell"], error["line"])
        if error["type"] == "TookTooLong":
            return f"was stopped because it took too long{where}"
        kind = "TypeError" if error["type"] == "Unhashable" else error["type"]
        python = f" (grading has Python {PYTHON})" if kind.endswith("SyntaxError") else ""
        lacks = kind == "NameError" and error["name"] and self.lacking(error["name"])
        return f"stopped with {kind}{python}{where}{ALONE if lacks else ADVICE.get(error['type'], '')}"


def stopped(name, error, code):
    """Why `name` gave no value, where the sandbox told an error, for the student."""
    kind = error["type"]
    if kind in GAVE:
        return f"{name} returned {GAVE[kind]}"
    if kind == "NameError" and error["name"]:
        return _absent(name, error, code)
    if kind == "TypeError" and error["cell"] is None:
        return f"{name} cannot be called as in the question: it is not a function, or it takes different arguments"
    return f"{name} {code.stopped(error)}"


def without_a_value(verdict, check, code):
    """Why the first wrong call of a check gave no value: it stopped, or the code ended the run, here or before."""
    name = verdict.call.name
    if verdict.record is not None:
        return stopped(name, verdict.record["error"], code)
    if check in code.ended:
        return f"{name} ended the run: {ENDS[code.ended[check]]}"
    before = next(iter(code.ended.values()), "crashed")
    return f"{name} was not called, because your code ended the run before: {ENDS[before]}"


def _absent(name, error, code):
    """Say why a name that a function needs is not defined: a name that the shown line has, or it could spell inputs."""
    missing, where = error["name"], code.line(error["cell"], error["line"])
    if not re.search(rf"\b{missing}\b", f"{name} {code.text(error['cell'], error['line'])}"):
        return f"{name} stopped with NameError{where}"
    subject = name if missing == name else f"{name} uses {missing}, which"
    cell, lacking = code.defining(missing), code.lacking(missing)
    if lacking:
        advice = BORROWED if "tutorial_" in code.text(*lacking) else ALONE
        return f"{subject} is not available in grading: its import failed{code.line(*lacking)}{advice}"
    if cell is None:
        return f"{subject} is not defined in any of your cells{where}"
    before = code.ran.get(cell, {}).get("error")
    if before:
        return f"{subject} is not defined: its cell {code.stopped(before)}"
    if f"cell {cell}" in code.ended:
        return f"{subject} is not defined: its cell ended the run ({ENDS[code.ended[f'cell {cell}']]})"
    return f"{subject} is not defined when it is called{where}"
