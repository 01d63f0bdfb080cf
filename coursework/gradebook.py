"""Marks into a gradebook that nbgrader's formgrader opens, and out of it as CSV.

The results folder is an nbgrader course: gradebook.db, and under autograded/ (and submitted/) one clean notebook for
each student, made of the assignment's own cells with the student's answers filled in, as `shown` makes them safe.
Nothing else of what a student sent is in it. The teacher marks the written questions in formgrader; those marks are
kept when the automatic ones are written again.
"""

from __future__ import annotations

import copy
import os
import sys
import warnings
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from coursework import pages, rendering, sources
from coursework.results import write
from coursework.rosters import Student
from coursework.submissions import A_FEW_WORDS

READ_ONLY = (
    "**Read this, and run nothing of it.** The code in these cells is a student's. It ran in the sandbox, and what the "
    "checks said stands below it. A cell that you run here runs with all that you may do on this machine."
)
NO_ANSWER = "Nothing was written here."

CONFIG = """\
# Made by `python -m coursework grade`: start `jupyter lab` in this folder and open Nbgrader > Formgrader.
import os

c = get_config()
c.CourseDirectory.root = os.path.dirname(os.path.abspath(__file__))
c.CourseDirectory.course_id = "transformers"
"""


@contextmanager
def opened(results):
    """The gradebook of a results folder. SQLAlchemy's warnings about nbgrader's ways are not the teacher's.

    Raises OSError where it cannot be read or written, as on a full disk.
    """
    from nbgrader.api import Gradebook  # only here: it takes 40 MB, and the models have gone by now
    from sqlalchemy.exc import DBAPIError

    path = Path(results) / "gradebook.db"
    with warnings.catch_warnings(), _tools_on_the_path():
        warnings.simplefilter("ignore")
        try:
            with Gradebook(f"sqlite:///{path}") as gradebook:
                gradebook.db().expire_on_commit = False  # else the assignment is read again for every student
                yield gradebook
        except DBAPIError as error:
            raise OSError(f"{path}: {error.orig}") from None


@contextmanager
def _tools_on_the_path():
    """nbgrader starts `alembic` by its name, and nobody has to activate .venv."""
    before = os.environ.get("PATH", os.defpath)
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def record(results, all_marks, roster):
    """Write the marks into RESULTS/gradebook.db, and the notebooks that formgrader shows."""
    results = Path(results)
    write(results / "nbgrader_config.py", CONFIG)
    with opened(results) as gradebook:
        for student in roster.values():
            names = {"last_name": student.last_name, "first_name": student.first_name, "email": student.email}
            names = {name: text.replace("<", "‹") for name, text in names.items()}  # formgrader takes them for HTML
            gradebook.update_or_create_student(student.id, **names)
        for assignment in sorted({marks.assignment for marks in all_marks}):
            _record_assignment(gradebook, assignment, results)
        for marks in all_marks:
            if marks.points:
                _record_student(gradebook, marks, results)


def _record_assignment(gradebook, assignment, results):
    notebook = sources.student_notebook(assignment)
    path = results / "source" / assignment / f"{assignment}.ipynb"
    write(path, nbformat.writes(notebook))
    gradebook.update_or_create_assignment(assignment)
    gradebook.update_or_create_notebook(assignment, assignment)
    for cell in notebook.cells:
        data = cell.metadata.get("nbgrader")
        if not data:
            continue
        where, kind = (data.grade_id, assignment, assignment), {"cell_type": cell.cell_type}
        gradebook.update_or_create_source_cell(*where, source=cell.source, locked=data.locked, **kind)
        if data.grade:
            gradebook.update_or_create_grade_cell(*where, max_score=data.points, **kind)
        if data.solution:
            gradebook.update_or_create_solution_cell(*where)


def _record_student(gradebook, marks, results):
    from nbgrader.api import Comment, Grade

    assignment = marks.assignment
    gradebook.update_or_create_student(marks.student)
    submission = gradebook.update_or_create_submission(assignment, marks.student)
    path = results / "autograded" / marks.student / assignment / f"{assignment}.ipynb"
    clean = nbformat.writes(clean_notebook(marks))
    changed = not path.is_file() or path.read_text(encoding="utf-8") != clean
    for notebook in submission.notebooks:
        there = {one.cell_id for one in (*notebook.grades, *notebook.comments)}
        for cells, kind in ((notebook.notebook.grade_cells, Grade), (notebook.notebook.solution_cells, Comment)):
            for cell in cells:
                if cell.id not in there:  # the assignment has a cell more than when this student was graded before
                    gradebook.db.add(kind(cell=cell, notebook=notebook))
        gradebook.db.flush()
        for grade in notebook.grades:
            if grade.name not in sources.points(assignment):  # of a cell that the assignment had before
                grade.auto_score, grade.needs_manual_grade = 0, False
            elif grade.name in marks.points:
                grade.auto_score, grade.needs_manual_grade = marks.points[grade.name], False
            elif blank(marks, grade.name):
                grade.auto_score, grade.needs_manual_grade = 0, changed and grade.manual_score is not None
            else:
                grade.auto_score = None
                grade.needs_manual_grade = grade.needs_manual_grade or grade.manual_score is None or changed
        for comment in notebook.comments:
            if comment.name in sources.points(assignment, marks=("written",)):
                comment.auto_comment = NO_ANSWER if blank(marks, comment.name) else None
    gradebook.db.commit()
    write(path, clean)
    write(results / "submitted" / marks.student / assignment / f"{assignment}.ipynb", clean)  # formgrader counts these


def blank(marks, name):
    """Whether the student left the cell as it was given, or took it out, and wrote no text of any length elsewhere."""
    if any(cell_type == "markdown" and len(text) > A_FEW_WORDS for cell_type, text in marks.extra):
        return False
    given = _given(marks.assignment)
    return marks.answers.get(name, given[name]).strip() in ("", given[name].strip())


_released = lru_cache(sources.student_notebook)


@lru_cache
def _given(assignment):
    """Cell id -> its source as students get it."""
    cells = _released(assignment).cells
    return {sources.grade_id(cell): cell.source for cell in cells if sources.grade_id(cell)}


def clean_notebook(marks):
    """The assignment's notebook with this student's answers, and what the checks said as its outputs."""
    notebook = copy.deepcopy(_released(marks.assignment))
    # The colors of plain Python: those for IPython take hours on some texts, and other languages with `%%perl`.
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "python3"}
    added = [(f"added-{number}", cell_type, text) for number, (cell_type, text) in enumerate(marks.extra)]
    names = {sources.grade_id(cell): cell for cell in notebook.cells}
    own = [(name, names[name].cell_type, text) for name, text in marks.answers.items()]
    safe = rendering.cells(own + added, marks.pictures)
    for name, cell in names.items():
        if name in marks.answers:
            cell.source = safe[name]
        if name in marks.points:
            said = f"{marks.points[name]:g} of {cell.metadata.nbgrader.points} points. {marks.reasons.get(name, '')}"
            cell.outputs = [new_output("stream", name="stdout", text=said)]
    for name, rubric in sources.rubrics(marks.assignment).items():
        place = next(number for number, cell in enumerate(notebook.cells) if sources.grade_id(cell) == name)
        marked = new_markdown_cell(f"**How it is marked.** {rubric.strip()}", id=f"rubric-{name}")
        notebook.cells.insert(place + 1, marked)
    notebook.cells.insert(0, new_markdown_cell(READ_ONLY, id="read-only"))
    if added:
        notebook.cells.append(new_markdown_cell("## Cells that the student added", id="added"))
    for name, cell_type, _ in added:
        new = new_code_cell if cell_type == "code" else new_markdown_cell
        notebook.cells.append(new(safe[name], id=name))
    return notebook


def scores(results, all_marks):
    """(student, assignment) -> cell -> (points, of how many, the teacher's comment), for all marks.

    Points are None where the teacher has yet to give them; no cells are there where a submission has no marks.
    """
    with opened(results) as gradebook:
        found = {(one.student, one.assignment): _scores(gradebook, one) if one.points else {} for one in all_marks}
    return found


def _scores(gradebook, marks):
    from nbgrader.api import MissingEntry

    try:
        notebook = gradebook.find_submission_notebook(marks.assignment, marks.assignment, marks.student)
    except MissingEntry:
        return {}
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {comment.name: comment.comment or "" for comment in notebook.comments}
    found, waiting = {}, []
    for name in _given(marks.assignment):
        waiting += [comments[name]] if comments.get(name) else []
        if name in grades:  # a comment on code is told with the first check of it
            grade = grades[name]
            points = None if grade.needs_manual_grade and grade.manual_score is None else grade.score
            found[name], waiting = (points, grade.max_score, "\n".join(waiting)), []
    return found


def status(marks, given):
    """Where a submission stands, in a few words."""
    if not marks.submitted:
        return "no submission"
    if not given:
        return "needs a human"
    return "written questions to mark" if any(points is None for points, *_ in given.values()) else "graded"


def export(results, all_marks, roster, all_scores, late=None):
    """Write RESULTS/grades.csv, a line for each student and assignment, and RESULTS/canvas.csv, as Canvas imports it.

    RESULTS/grades-ASSIGNMENT.csv has the lines of one, as Moodle imports them. Where a mark is not known yet, the cell
    is empty: never a 0 that nobody gave. The points of the checks alone, which are there before anybody has read the
    words, have a column of their own. late: (student, assignment) -> `term.Late`.
    """
    late = late or {}
    results, by_assignment = Path(results), {}
    for marks in all_marks:
        student, given = roster.get(marks.student, Student(marks.student)), all_scores[marks.student, marks.assignment]
        state, most = status(marks, given), sum(sources.points(marks.assignment).values())
        who = [marks.assignment, marks.student, student.last_name, student.first_name, student.email]
        days = late[marks.student, marks.assignment].days if (marks.student, marks.assignment) in late else ""
        automatic = _number(sum(marks.points.values())) if marks.points else ""
        score = _score(marks, given, late)
        by_assignment.setdefault(marks.assignment, []).append([*who, score, most, state, automatic, days])
    headings = ["assignment", "student_id", "last_name", "first_name", "email", "score", "max_score", "status"]
    headings += ["automatic", "days_late"]
    for assignment, lines in by_assignment.items():
        write(results / f"grades-{assignment}.csv", pages.csv_text([headings, *lines]))
    everything = [line for lines in by_assignment.values() for line in lines]
    write(results / "grades.csv", pages.csv_text([headings, *everything]))
    write(results / "canvas.csv", pages.csv_text(_canvas(all_marks, roster, all_scores, late)))


def _canvas(all_marks, roster, all_scores, late):
    assignments = sorted({marks.assignment for marks in all_marks})
    columns = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    most = [sum(sources.points(assignment).values()) for assignment in assignments]
    lines = [[*columns, *map(sources.title, assignments)], ["    Points Possible", "", "", "", "", *most]]
    students = sorted({marks.student for marks in all_marks} | set(roster))
    by_key = {(marks.student, marks.assignment): marks for marks in all_marks}
    for id in students:
        student = roster.get(id, Student(id))
        row = dict(student.row)
        name = row.get("Student") or ", ".join(filter(None, (student.last_name, student.first_name))) or id
        known = row.get("ID", ""), row.get("SIS User ID", ""), row.get("SIS Login ID") or id, row.get("Section", "")
        keys = [(id, assignment) for assignment in assignments]
        scores = [_score(by_key[key], all_scores.get(key, {}), late) if key in by_key else "" for key in keys]
        lines.append([name, *known, *scores])
    return lines


def _score(marks, given, late):
    """What counts, once all is marked; empty before."""
    if status(marks, given) != "graded":
        return ""
    points = sum(points for points, *_ in given.values())
    days = late.get((marks.student, marks.assignment))
    return _number(days.points(points) if days else points)


def _number(value):
    """2.0 as 2, 2.5 as 2.5."""
    return int(value) if float(value).is_integer() else value
