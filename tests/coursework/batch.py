"""Many notebooks graded in one batch: a sandbox for each, and inputs that are drawn once for all."""

import nbformat

from coursework import grading
from tests.coursework.conftest import QUICK, with_code


def graded(folder, assignment, notebooks, limits=QUICK):
    """Name -> marks, of notebooks by any names."""
    students = {f"s{number:03}": name for number, name in enumerate(notebooks)}
    for student, name in students.items():
        path = folder / assignment / student / "x.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebooks[name], path)
    settings = grading.Settings(seed=1, limits=limits)
    marks = grading.grade_all(folder / assignment, folder / "results", assignment, settings=settings)
    return {students[one.student]: one for one in marks}


def with_cells(notebook, code):
    """A copy of a notebook where each of these cells holds other code."""
    for name, source in code.items():
        notebook = with_code(notebook, name, source)
    return notebook
