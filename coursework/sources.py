"""From an assignment's source to notebooks: the students' (no solution, no hidden check) and the solved one.

The source is a MyST notebook, `assignments/NAME/notebook.md`. What a cell is for stands in its metadata:

    given: true                                  code that every student gets and nobody changes
    solution: softmax                            the student writes between ### BEGIN SOLUTION and ### END SOLUTION
    check: softmax-public      points: 2         the student's own check; marked when graded
    check: softmax-hidden      points: 3         a cell with one comment; what it does stands in checks.py alone
    check: ...                 by_case: true     gives its points case by case, as checks.py names them
    written: why-scale         points: 4         a Markdown cell: model answer and rubric between the same two lines

Everything else is text. The cells of the notebooks have nbgrader's metadata, by which grading knows them again.
"""

import hashlib
import re
from functools import lru_cache

import jupytext
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from coursework import references
from coursework.checks import ASSIGNMENTS
from coursework.checks import names as names

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
REGION = re.compile(rf"^([ \t]*){BEGIN}\n.*?^[ \t]*{END}\n?", re.M | re.S)
FIELDS = {"given": ["locked"], "solution": ["solution"], "check": ["grade", "locked"], "written": ["grade", "solution"]}
HIDDEN = "# Hidden checks: your teacher runs them on fresh inputs. Nothing to do here."
WRITE_CODE = '{indent}raise NotImplementedError("write your code here")\n'
LEAST = re.search('requires-python = ">=(.+?)"', (ASSIGNMENTS.parents[1] / "pyproject.toml").read_text("utf-8"))[1]
GRADED_BY = f"**Python.** Grading has Python {LEAST} or newer: what only a later version understands may stop there."
WRITE_TEXT = "*Write your answer here.*\n"


@lru_cache
def source(assignment):
    """The source of an assignment as a notebook, its metadata checked."""
    path = ASSIGNMENTS / references.split(assignment)[0] / "notebook.md"
    notebook = jupytext.reads(references.filled(path.read_text(encoding="utf-8"), assignment), fmt="md:myst")
    seen = set()
    for cell in notebook.cells:
        mark = kind(cell)
        if mark in (None, "given"):
            continue
        name = cell.metadata[mark]
        if not re.fullmatch(r"[a-z][a-z0-9-]*", str(name)) or name in seen:
            raise ValueError(f"{path}: {mark} must be a new name of letters, digits and hyphens, got {name!r}")
        seen.add(name)
        if mark in ("solution", "written") and not REGION.search(cell.source + "\n"):
            raise ValueError(f"{path}: {mark} {name} has no {BEGIN} ... {END}")
        if mark in ("check", "written") and not (type(cell.metadata.get("points")) is int and cell.metadata.points > 0):
            raise ValueError(f"{path}: {mark} {name} needs points, a whole number above 0")
    return notebook


def kind(cell):
    """What a source's cell is for: one of FIELDS, or None for text."""
    return next((mark for mark in FIELDS if mark in cell.metadata), None)


def points(assignment, marks=("check", "written")):
    """Cell id -> points, in the order of the notebook."""
    cells = source(assignment).cells
    return {cell.metadata[kind(cell)]: cell.metadata.points for cell in cells if kind(cell) in marks}


def by_case(assignment):
    """The checks that give their points case by case."""
    return {cell.metadata.check for cell in source(assignment).cells if cell.metadata.get("by_case") is True}


def rubrics(assignment):
    """Written cell -> how it is marked, in Markdown."""
    cells = [cell for cell in source(assignment).cells if kind(cell) == "written"]
    return {cell.metadata.written: re.split(rf"\*\*Rubric\.\*\*|{END}", cell.source + END)[1] for cell in cells}


def title(assignment):
    """The assignment's title: the first heading of its source."""
    return re.search(r"^# (.+)$", source(assignment).cells[0].source, re.M).group(1)


def student_notebook(assignment, install=None, solved=False):
    """The notebook that students get. install: the source of a first cell that installs the library in Colab.

    Ids are made of what stands before, so that the same source gives the same file.
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


def solved_notebook(assignment):
    """The notebook as a student with full marks would hand it in: the solutions filled in."""
    return student_notebook(assignment, solved=True)


def _cell(original, solved):
    mark, text = kind(original), original.source
    if solved and mark in ("solution", "written"):
        text = re.sub(rf"^[ \t]*({BEGIN}|{END})\n?", "", text + "\n", flags=re.M).rstrip()
    elif mark == "solution":
        # Outside a function an exception would stop "run all"; there the value that is given says what to write.
        text = REGION.sub(lambda region: region[1] and WRITE_CODE.format(indent=region[1]), text + "\n").rstrip()
    elif mark == "written":
        text = REGION.sub(WRITE_TEXT, text + "\n").rstrip()
    elif mark == "check":
        text = text if text.strip() else HIDDEN
    cell = new_code_cell(text) if original.cell_type == "code" else new_markdown_cell(text)
    name = f"given-{hashlib.sha256(text.encode()).hexdigest()[:8]}" if mark == "given" else original.metadata.get(mark)
    return _for_nbgrader(cell, mark, name, original.metadata.get("points")) if mark else cell


def _for_nbgrader(cell, mark, grade_id, points=None):
    data = {"schema_version": 3, "grade_id": grade_id, "cell_type": cell.cell_type}
    data |= {field: field in FIELDS[mark] for field in ("grade", "solution", "locked", "task")}
    cell.metadata["nbgrader"] = data if points is None else {**data, "points": points}
    return cell


def grade_id(cell):
    """The name that nbgrader knows a cell by; None for mere text."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")
