"""From an assignment's source to notebooks: the students' (no solution, no hidden check) and the solved one.

The source is a MyST notebook, `assignments/NAME/notebook.md`. The metadata of a cell says what it is for:

    given: true                                  code that every student gets and nobody changes
    solution: softmax                            the student writes between ### BEGIN SOLUTION and ### END SOLUTION
    check: softmax-public      points: 2         the student's own check; marked when graded
    check: softmax-hidden      points: 3         a cell with one comment; only checks.py has its calls
    check: ...                 by_case: true     gives its points case by case, as checks.py names them
    written: why-scale         points: 4         a Markdown cell: model answer and rubric between the same two lines

Everything else is text. The cells of the notebooks have nbgrader's metadata, by which grading knows them again.
"""

import argparse
import hashlib
import re
from functools import lru_cache
from pathlib import Path

import jupytext
import nbformat
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tutorial_book.exercises.outcomes import drawn

ASSIGNMENTS = Path(__file__).with_name("assignments")
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
REGION = re.compile(rf"^([ \t]*){BEGIN}\n.*?^[ \t]*{END}\n?", re.M | re.S)
FIELDS = {"given": ["locked"], "solution": ["solution"], "check": ["grade", "locked"], "written": ["grade", "solution"]}
HIDDEN = "# Hidden checks: your teacher runs them on fresh inputs. Nothing to do here."
WRITE_CODE = '{indent}raise NotImplementedError("write your code here")\n'
LEAST = re.search('requires-python = ">=(.+?)"', (ASSIGNMENTS.parents[1] / "pyproject.toml").read_text("utf-8"))[1]
GRADED_BY = f"**Python.** Grading uses Python {LEAST} or newer: code that needs a later version may fail there."
WRITE_TEXT = "*Write your answer here.*\n"


def names():
    return sorted(path.parent.name for path in ASSIGNMENTS.glob("*/notebook.md"))


def split(assignment):
    """Return an assignment as it is published, and a course's variant of it or "".

    >>> split("3-bert-layer"), split("3-bert-layer-2027")
    (('3-bert-layer', ''), ('3-bert-layer', '2027'))
    """
    match = re.fullmatch(rf"({'|'.join(names())})(?:-([a-z0-9]{{1,20}}))?", assignment)
    return match.groups("") if match else (assignment, "")


def known(assignment):
    """Return the name of an assignment, or of a variant of one, that a user gave."""
    if split(assignment)[0] not in names():
        raise argparse.ArgumentTypeError(f"must be one such as 2-attention or 2-attention-2027, got {assignment!r}")
    return assignment


def varied(variant):
    """Return the assignments that a variant has with its own rules: "2-attention-2027"."""
    if split(f"{names()[0]}-{variant}")[1] != variant:
        raise ValueError(f"a variant's name must have only lowercase letters and digits, such as 2027, got {variant!r}")
    return [f"{name}-{variant}" for name in names() if rules(name)]


def _text(name):
    return (ASSIGNMENTS / name / "notebook.md").read_text(encoding="utf-8")


@lru_cache
def rules(name):
    """Return functions that share a rule -> its options, each {constant: value}; the first one is published."""
    given = yaml.safe_load(_text(name).split("---\n")[1]).get("rules", {})
    options = {functions: [dict(zip(one, values)) for values in zip(*one.values())] for functions, one in given.items()}
    return {tuple(functions.split(", ")): one for functions, one in options.items()}


def constants(assignment):
    name, variant = split(assignment)
    chosen = [one[drawn(variant, place, len(one))] for place, one in enumerate(rules(name).values())]
    return {constant: value for one in chosen for constant, value in one.items()}


def filled(text, names):
    """Return a text where each expression between « and » is computed with these names."""
    return re.sub(r"«(.+?)»", lambda match: str(eval(match[1], {"re": re, **names})), text)


@lru_cache
def source(assignment):
    """Return the source of an assignment as a notebook, its metadata checked."""
    name, variant = split(assignment)
    extra = {"VARIANT": variant and f', "{variant}"', "TITLED": variant and f", {variant}"}
    notebook = jupytext.reads(filled(_text(name), constants(assignment) | extra), fmt="md:myst")
    seen = set()
    for cell in notebook.cells:
        mark = kind(cell)
        if mark in (None, "given"):
            continue
        id = cell.metadata[mark]
        if not re.fullmatch(r"[a-z][a-z0-9-]*", str(id)) or id in seen:
            raise ValueError(f"{name}: {mark} must be a new name of letters, digits and hyphens, got {id!r}")
        seen.add(id)
        if mark in ("solution", "written") and not REGION.search(cell.source + "\n"):
            raise ValueError(f"{name}: {mark} {id} has no {BEGIN} ... {END}")
        if mark in ("check", "written") and not (type(cell.metadata.get("points")) is int and cell.metadata.points > 0):
            raise ValueError(f"{name}: {mark} {id} needs points, a whole number above 0")
    return notebook


def solutions(name, constants):
    """Return the code of an assignment's solutions, with these constants of its rules."""
    notebook = jupytext.reads(filled(_text(name), {"VARIANT": "", "TITLED": "", **constants}), fmt="md:myst")
    return "\n\n".join(_solved(cell.source + "\n") for cell in notebook.cells if kind(cell) in ("given", "solution"))


def _solved(text):
    return re.sub(rf"^[ \t]*({BEGIN}|{END})\n?", "", text, flags=re.M).rstrip()


def kind(cell):
    """Return the role of a source's cell: one of FIELDS, or None for text."""
    return next((mark for mark in FIELDS if mark in cell.metadata), None)


def points(assignment, marks=("check", "written")):
    """Cell id -> points, in the order of the notebook."""
    cells = source(assignment).cells
    return {cell.metadata[kind(cell)]: cell.metadata.points for cell in cells if kind(cell) in marks}


def by_case(assignment):
    return {cell.metadata.check for cell in source(assignment).cells if cell.metadata.get("by_case") is True}


def title(assignment):
    """The assignment's title: the first heading of its source, with the name of the variant."""
    heading = re.search(r"^# (.+)$", source(assignment).cells[0].source, re.M).group(1)
    variant = split(assignment)[1]
    named = f", {variant}" if variant else ""  # also without rules: two columns of a gradebook need two names
    return heading.removesuffix(named) + named


def student_notebook(assignment, install=None, solved=False):
    """The notebook that students get. install: the source of a first cell that installs the library in Colab.

    solved: as a student with full marks would hand it in. Ids depend on the assignment and the place, so that the same
    source gives the same file.
    """
    cells = [_cell(cell, solved) for cell in source(assignment).cells]
    cells[0].source += f"\n\n{GRADED_BY}"
    if install is not None:
        cells.insert(1, _for_nbgrader(new_code_cell(install), "given", "install"))
    for number, cell in enumerate(cells):
        cell.id = hashlib.sha256(f"{assignment} {number}".encode()).hexdigest()[:12]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = new_notebook(cells=cells, metadata={**kernel, "coursework": {"assignment": assignment}})
    nbformat.validate(notebook)
    return notebook


def _cell(original, solved):
    def blank(region):
        # Outside a function an exception would stop "run all"; there the value that is given says what to write.
        return WRITE_TEXT if mark == "written" else region[1] and WRITE_CODE.format(indent=region[1])

    mark, text = kind(original), original.source + "\n"
    text = _solved(text) if solved else REGION.sub(blank, text).rstrip()
    text = HIDDEN if mark == "check" and not text else text
    cell = new_code_cell(text) if original.cell_type == "code" else new_markdown_cell(text)
    name = f"given-{hashlib.sha256(text.encode()).hexdigest()[:8]}" if mark == "given" else original.metadata.get(mark)
    return _for_nbgrader(cell, mark, name, original.metadata.get("points")) if mark else cell


def _for_nbgrader(cell, mark, grade_id, points=None):
    data = {"schema_version": 3, "grade_id": grade_id, "cell_type": cell.cell_type}
    data |= {field: field in FIELDS[mark] for field in ("grade", "solution", "locked", "task")}
    cell.metadata["nbgrader"] = data if points is None else {**data, "points": points}
    return cell


def grade_id(cell):
    """The name that nbgrader knows a cell by, whatever a student's program made of it; None for mere text."""
    for key in ("metadata", "nbgrader", "grade_id"):
        cell = cell.get(key) if isinstance(cell, dict) else None
    return cell if isinstance(cell, str) else None
