"""Why a student's function gave no value, or a wrong one: the cause in the student's own code, not where it showed.

The sandbox tells the type of an exception, and the cell and line of the student's where it came from; never its
message, which can hold hidden inputs. The line itself is the student's, so the student may read it. In a text for the
feedback page, a line of code stands by itself, behind four spaces.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

PYTHON = ".".join(map(str, sys.version_info[:2]))
ALONE = "Grading has Python and NumPy alone."
BORROWED = "Code of the book does not count as an answer: write it yourself."
NO_FILES = "Grading has no files: take out what reads or writes one."
ODD = {
    "NotPlain": "something that is no number, text, list, dictionary or array",
    "NoOrder": "a set, which has no order: the order matters here, so build a list from the start",
    "StillToCome": "a generator, whose values are still to come: make a list of it",
}
ADVICE = dict.fromkeys(("ModuleNotFoundError", "ImportError"), ALONE)
ADVICE |= dict.fromkeys(("FileNotFoundError", "PermissionError", "OSError"), NO_FILES)
ADVICE |= {"EOFError": "Grading gives no input: take input() out."}
ADVICE |= {"Unhashable": "A list cannot be a key or stand in a set: make a tuple of it, where it comes from too."}
MOST_CODE = 200  # characters of a line that is shown
MOST_NAME, MOST_NAMES = 40, 50  # characters of names that are compared, and how many: each with each takes time
MOST_PARSED = 20_000  # characters of a cell that is looked into: a tree takes a hundred times its text


@dataclass(frozen=True)
class Cell:
    """What is seen in a cell: the names that it binds, its functions, its imports, and an error of its syntax."""

    names: set[str]
    functions: dict[str, Function]
    imports: dict[int, set[str]]
    problem: str = ""


@dataclass
class Function:
    """A function or class of a cell: its lines, and whether more than its `raise` is in it.

    takes: the names of its arguments by place. asked: how many of these must be given. any_number: it has a `*rest`.
    """

    lines: range
    begun: bool
    takes: tuple[str, ...] = ()
    asked: int = 0
    any_number: bool = True


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

    @cached_property
    def cells(self):
        return [_look(source) for source in self.sources]

    @cached_property
    def functions(self):
        found = {name: about for cell in self.cells for name, about in cell.functions.items()}
        kept = ((name, self.cells[i].functions.get(name)) for i, names in self.keep.items() for name in names)
        return found | {name: about for name, about in kept if about}

    @cached_property
    def comparable(self):
        return list(islice((name for name in self.functions if len(name) <= MOST_NAME), MOST_NAMES))

    def line(self, cell, number):
        """Where an exception came from, as a part of a sentence; empty where that is not known."""
        lines = [] if cell is None or number is None else self.sources[cell].split("\n")[number - 1 : number]
        there = "".join(f" with {name}" for name in list(self.cells[cell].functions)[:1]) if lines else ""
        return f", in line {number} of the cell{there}:\n    {lines[0].strip()[:MOST_CODE]}\n" if lines else ""

    def defining(self, name):
        """The cell whose value of a name is graded, else the last one that binds it; None where none does."""
        kept = [i for i, names in self.keep.items() if name in names]
        binding = [i for i, cell in enumerate(self.cells) if name in cell.names]
        return (binding + kept or [None])[-1]

    def lacking(self, name):
        """(cell, line) of an import of this name that found nothing; None where there is none."""
        failed = ((i, item["line"]) for i, ran in self.ran.items() for item in ran["missing"])
        return next(((i, line) for i, line in failed if name in self.cells[i].imports.get(line, ())), None)

    def advice(self, error):
        """What to do about an exception that only grading raises, for it lacks what the code asks for; else empty."""
        if error["type"] == "NameError" and self.lacking(error["name"]):
            return ALONE
        return ADVICE.get(error["type"], "")

    def function_at(self, cell, number):
        """The function of a cell that a line belongs to; None outside of any."""
        functions = {} if cell is None else self.cells[cell].functions
        return next((name for name, function in functions.items() if number in function.lines), None)


def stops(code):
    """Which cells stopped above a function, in sentences for the student: that costs nothing, but may not be meant."""
    told = []
    for cell, ran in sorted(code.ran.items()):
        error = ran["error"]
        if error is None or error["line"] is None:
            continue
        if any(function.lines.start > error["line"] for function in code.cells[cell].functions.values()):
            advice = f"{code.advice(error)} The functions below that line count all the same.".strip()
            told.append(f"A cell {_stopped(error)}{code.line(error['cell'], error['line'])}{advice}")
    return told


def stopped(name, error, code, given=None):
    """Why `name` gave no value, where the sandbox told an error, for the student. given: how many arguments it got."""
    kind, where = error["type"], code.line(error["cell"], error["line"])
    if kind == "NotImplementedError":
        owner = code.function_at(error["cell"], error["line"]) or name
        if owner in code.functions and code.functions[owner].begun:
            return f"{name} stops at the line that says it is not written yet{where}Take that line out."
        return f"{name}{'' if owner == name else f' needs {owner}, which'} is not written yet"
    if kind in ODD:  # this and the next two are the worker's own words
        return f"{name} gave {ODD[kind]}"
    if kind == "TooLarge":
        return f"{name} gave far more than was asked for"
    if kind == "NameError" and error["name"]:
        return _absent(name, error["name"], where, code)
    function = code.functions.get(name)
    if kind == "TypeError" and error["cell"] is None and function and given is not None:
        extra = function.takes[given : function.asked]
        if extra or given > len(function.takes) and not function.any_number:
            where = code.line(code.defining(name), function.lines.start)
            more = f"It also asks for {' and '.join(extra)}" if extra else "It takes fewer arguments"
            return f"{name} cannot be called as in the question{where}{more}. Give it the question's, in their order."
    if kind == "TypeError" and error["cell"] is None and code.defining(name) is not None:
        return f"{name} is no function when it is called: its name stands for something else when its cell has run"
    return f"{name} {_stopped(error)}{where}{code.advice(error)}"


def cut_off(name, code):
    """A sentence on the line that is no Python and ended the cell of `name`: below it stood the rest. Else empty."""
    error = code.ran.get(code.defining(name), {}).get("error")
    if error is None or not (error["type"] or "").endswith("SyntaxError"):
        return ""
    return f"\nIts cell stopped with {error['type']}{code.line(error['cell'], error['line'])}"


def is_slip(error):
    """Whether an error is one of names or signatures alone: the work itself may be right in all that uses `name`."""
    kind = error and error["type"]
    return kind == "NameError" and error["name"] is not None or kind == "TypeError" and error["cell"] is None


def not_reached(name, check, code):
    """Why `name` gave no value to a check, where no error was told: the code ended the run, here or before."""
    if check in code.ended:
        return f"{name} ended the run: {_how(code.ended[check])}"
    before = next(iter(code.ended.values()), "crashed")
    return f"{name} was not called, because your code ended the run before: {_how(before)}"


def _stopped(error):
    """That code stopped, and with what."""
    if error["type"] == "TookTooLong":  # this and the next are the worker's own words
        return "was stopped because it took too long"
    kind = "TypeError" if error["type"] == "Unhashable" else error["type"]
    return f"stopped with {kind}{f' (grading has Python {PYTHON})' if kind.endswith('SyntaxError') else ''}"


def _absent(name, missing, where, code):
    """Why a name that a function needs is not there."""
    cell = code.defining(missing)
    lacking = code.lacking(missing)
    if cell is None and missing != name and not any(re.search(rf"\b{missing}\b", source) for source in code.sources):
        return f"{name} stopped with NameError{where}"  # no name of the student's: it could spell a hidden input
    subject = name if missing == name else f"{name} uses {missing}, which"
    if lacking:
        found = "tutorial_" in code.sources[lacking[0]].split("\n")[lacking[1] - 1]
        return f"{subject} is not there: its import found nothing{code.line(*lacking)}{BORROWED if found else ALONE}"
    if cell is None and any(re.search(rf"^[ \t]*%.*\b{missing}\b", source, re.M) for source in code.sources):
        return f"{subject} is not there: a line that begins with % does not run in grading{where}"
    if cell is None:
        like = difflib.get_close_matches(missing, code.comparable, 1, 0.8) if len(missing) <= MOST_NAME else []
        like = like or [other for other in code.comparable if f"_{missing}" in other or f"{missing}_" in other]
        return f"{subject} is defined in no cell of yours{f', but {like[0]} is' if like else ''}{where}"
    ran = code.ran.get(cell, {"error": None, "missing": []})
    if ran["error"] is not None:
        error, problem = ran["error"], code.cells[cell].problem
        where = code.line(error["cell"], error["line"])
        why = f"{_stopped(error)}{f' ({problem})' if problem else ''}"
        return f"{subject} is not there: its cell {why}{where}{code.advice(error)}"
    if f"cell {cell}" in code.ended:
        return f"{subject} is not there: its cell ended the run ({_how(code.ended[f'cell {cell}'])})"
    return f"{subject} is not there when it is called{where}"


def _how(ended):
    """How a run ended, in words."""
    words = {"timeout": "it took too long", "memory": "it took too much memory", "crashed": "Python itself ended"}
    return words.get(ended, f"it gave {ended}")


def statements(source):
    """The statements of a cell, without what only a notebook understands."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        source = re.sub(r"^([ \t]*)%time[ \t]+(?=\S)", r"\1", source, flags=re.M)
        source = re.sub(r"^([ \t]*\w[\w., ]*=)[ \t]*[%!].*", r"\1 None", source, flags=re.M)
        return ast.parse(re.sub(r"^([ \t]*)[%!].*", r"\1pass", source, flags=re.M)).body


def _look(source):
    """What is seen in a cell's source. Where it is no Python, names are guessed by what its lines look like."""
    try:
        if len(source) > MOST_PARSED:
            raise ValueError("longer than any honest cell")
        body = statements(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        found = re.findall(r"^(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*=", source, re.M)
        problem = str(error.msg)[:MOST_CODE] if isinstance(error, SyntaxError) else ""
        return Cell({name for pair in found for name in pair if name}, {}, {}, problem)
    cell = Cell(set(), {}, {})
    for statement in body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            bound = {(alias.asname or alias.name).partition(".")[0] for alias in statement.names}
            cell.imports.setdefault(statement.lineno, set()).update(bound)
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            bound = {statement.name}
            code = [line for line in statement.body if not isinstance(line, ast.Expr)]  # no docstring
            lines, given = range(statement.lineno, statement.end_lineno + 1), getattr(statement, "args", None)
            cell.functions[statement.name] = about = Function(lines, len(code) > 1)
            if given:
                about.takes = tuple(argument.arg for argument in [*given.posonlyargs, *given.args])
                about.asked = len(about.takes) - len(given.defaults)
                about.any_number = given.vararg is not None
        else:
            names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        cell.names.update(bound)
    return cell
