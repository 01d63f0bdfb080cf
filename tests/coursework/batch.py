"""Many notebooks graded in one batch: a sandbox for each, and inputs that are drawn once for all."""

import functools

import nbformat

from coursework import checks, grading
from tests.coursework.conftest import QUICK, prepared, with_code


def graded(folder, assignment, notebooks, limits=QUICK):
    """Name -> marks, of notebooks by any names."""
    students = {f"s{number:03}": name for number, name in enumerate(notebooks)}
    for student, name in students.items():
        path = folder / assignment / student / "x.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebooks[name], path)
    how = {"seed": 1, "limits": limits, "prepared_by": functools.partial(prepared, checks.load)}
    marks = grading.grade_all(folder / assignment, folder / "results", assignment, **how)
    return {students[one.student]: one for one in marks}


def with_cells(notebook, code):
    """A copy of a notebook where each of these cells holds other code."""
    for name, source in code.items():
        notebook = with_code(notebook, name, source)
    return notebook
