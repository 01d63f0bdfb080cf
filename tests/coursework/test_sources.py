"""From a source to notebooks: students get neither solutions nor hidden checks, and a wrong source raises an error."""

import re

import nbformat
import pytest
from nbgrader import nbgraderformat

from coursework import references, sources
from coursework.__main__ import NOTEBOOKS, ROOT

NAMES = sources.names()
each_assignment = pytest.mark.parametrize("name", NAMES)


@each_assignment
def test_student_notebook_has_no_solutions_or_hidden_checks(name):
    text = nbformat.writes(sources.student_notebook(name))
    plain = "\n".join(cell.source for cell in sources.student_notebook(name).cells)
    assert sources.BEGIN not in text and "Rubric" not in text
    for cell in sources.source(name).cells:
        if sources.kind(cell) in ("solution", "written"):
            region = sources.REGION.search(cell.source + "\n").group(0)
            least = 10 if cell.metadata.get("solution", "").startswith("me") else 20  # an answer of one value
            lines = [line.strip() for line in region.splitlines()[1:-1] if len(line.strip()) > least]
            assert lines and not [line for line in lines if line in plain]
    hidden = (sources.ASSIGNMENTS / name / "checks.py").read_text()
    own = [line.strip() for line in hidden.splitlines() if "yield" in line and len(line.strip()) > 30]
    assert own and not [line for line in own if line in plain]


@each_assignment
def test_a_notebook_is_valid_for_nbgrader(name):
    notebook = sources.student_notebook(name)
    nbformat.validate(notebook)
    assert notebook.metadata.coursework.assignment == name
    assert not [cell for cell in notebook.cells if cell.get("outputs")]
    assert nbformat.writes(notebook) == nbformat.writes(sources.student_notebook(name))
    marked = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    assert len({cell.metadata.nbgrader.grade_id for cell in marked}) == len(marked)
    for cell in marked:
        assert cell.metadata.nbgrader.schema_version == nbgraderformat.SCHEMA_VERSION
        nbgraderformat.MetadataValidator().validate_cell(cell)


@each_assignment
def test_headings_say_the_points_and_which_python_grades(name):
    stated, real = [], []
    for cell in sources.source(name).cells:
        heading = re.search(r"^## Question.*?\((\d+) points\)", cell.source, re.M)
        if heading and sources.kind(cell) is None:
            stated.append(int(heading[1]))
            real.append(0)
        if sources.kind(cell) in ("check", "written"):
            real[-1] += cell.metadata.points
        assert sources.kind(cell) != "written" or "Rubric" in cell.source
    assert real == stated and sum(real) == sum(sources.points(name).values()) == 40
    least = re.search('^requires-python = ">=([0-9.]+)"$', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    assert f"Grading uses Python {least} or newer" in sources.student_notebook(name).cells[0].source
    assert "**Points:** 40" in sources.source(name).cells[0].source
    assert sources.points(name, marks=("written",))


@each_assignment
def test_notebooks_are_in_step_with_sources(name):
    from website.notebooks.convert import INSTALL

    made = nbformat.writes(sources.student_notebook(name, INSTALL)) + "\n"
    assert (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8") == made, "run: make assignments"


def test_outcomes_are_in_step_with_sources_or_named_and_fixed(tmp_path, monkeypatch):
    assert references.out_of_step() == [], "run: make assignments"
    monkeypatch.setattr(references, "FOLDER", tmp_path)
    monkeypatch.setattr(references, "HOMES", {"project": "5-project"})
    assert references.out_of_step() == ["project.json"]
    assert references.out_of_step(fix=True) == [] == references.out_of_step()
    made = tmp_path / "project.json"
    made.write_text(made.read_text(encoding="utf-8").replace("1", "2"), encoding="utf-8")
    assert references.out_of_step() == ["project.json"]


CELL = "# Title\n\n```{{code-cell}} ipython3\n---\n{metadata}\n---\n{code}\n```\n"
SOLUTION = "### BEGIN SOLUTION\nx = 1\n### END SOLUTION"


@pytest.mark.parametrize("metadata, code, problem", [
    ("solution: x", "x = 1", "has no ### BEGIN SOLUTION"),
    ("solution: X y", SOLUTION, "letters, digits and hyphens"), ("check: x", "check(x)", "needs points"),
    ("check: x\npoints: 0", "check(x)", "needs points"), ("check: x\npoints: 1.5", "check(x)", "needs points"),
    ("check: x\npoints: 1", "check(x)\n```\n\n```{code-cell}\n---\ncheck: x\npoints: 1\n---\n", "a new name of"),
])  # fmt: skip
def test_a_source_that_is_wrong_is_told(metadata, code, problem, tmp_path, monkeypatch):
    folder = tmp_path / "wrong"
    folder.mkdir()
    (folder / "notebook.md").write_text(CELL.format(metadata=metadata, code=code))
    monkeypatch.setattr(sources, "ASSIGNMENTS", tmp_path)
    with pytest.raises(ValueError, match=problem):
        sources.source.__wrapped__("wrong")


def test_the_books_table_lists_every_assignment():
    from website.directives import coursework

    origin = coursework.Origin("https://github.com/O/R", "1")
    text, elsewhere = "\n".join(coursework.assignments(origin)), "\n".join(coursework.assignments(None))
    for name in NAMES:
        assert f"colab.research.google.com/github/O/R/blob/notebooks/{name}.ipynb" in text
        assert f"{name}.ipynb" in elsewhere and "colab" not in elsewhere
        assert sources.title(name).removeprefix("Assignment ") in text
    assert (ROOT / "book" / "assignments.md").read_text().count("```{assignments}") == 1
