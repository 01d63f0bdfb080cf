"""From a source to notebooks: students get neither solutions nor hidden checks, and a source that is wrong is told."""

import json
import re
import sys
import zipfile
from types import SimpleNamespace

import nbformat
import pytest

from coursework import checks, sources
from coursework.__main__ import NOTEBOOKS, ROOT, assignments

NAMES = checks.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_student_gets_no_solution_and_no_hidden_check(name):
    text = nbformat.writes(sources.student_notebook(name))
    plain = "\n".join(cell.source for cell in sources.student_notebook(name).cells)
    assert sources.BEGIN not in text and "Rubric" not in text
    for cell in sources.source(name).cells:
        if sources.kind(cell) in ("solution", "written"):
            region = sources.REGION.search(cell.source + "\n").group(0)
            least = 10 if cell.metadata.get("solution", "").startswith(("own-", "me")) else 20  # an answer of one value
            lines = [line.strip() for line in region.splitlines()[1:-1] if len(line.strip()) > least]
            assert lines and not [line for line in lines if line in plain]
    hidden = (checks.ASSIGNMENTS / name / "checks.py").read_text()
    own = [line.strip() for line in hidden.splitlines() if "yield" in line and len(line.strip()) > 30]
    assert own and not [line for line in own if line in plain]


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_is_valid_for_nbgrader_and_names_its_assignment(name):
    from nbgrader.nbgraderformat import SCHEMA_VERSION, MetadataValidator

    notebook = sources.student_notebook(name)
    nbformat.validate(notebook)
    assert notebook.metadata.coursework.assignment == name
    marked = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    assert len({cell.metadata.nbgrader.grade_id for cell in marked}) == len(marked)
    for cell in marked:
        assert cell.metadata.nbgrader.schema_version == SCHEMA_VERSION
        MetadataValidator().validate_cell(cell)


@pytest.mark.parametrize("name", NAMES)
def test_an_assignment_has_what_a_teacher_expects(name):
    first = sources.source(name).cells[0].source
    for words in ("After this assignment you can", "**Before you start:**", "**Time:**", "**How it works.**"):
        assert words in first
    points = sources.points(name)
    assert sum(points.values()) == 40 and f"**Points:** {sum(points.values())}" in first
    assert sources.points(name, marks=("written",))
    for question, stated in _stated_points(name).items():
        assert stated == question[1], question
    assert any("challenge" in cell.source.lower() for cell in sources.source(name).cells)
    assert all("Rubric" in cell.source for cell in sources.source(name).cells if sources.kind(cell) == "written")


def _stated_points(name):
    """(heading, points of its cells) -> the points that the heading says."""
    found, heading, stated, real = {}, None, 0, 0
    for cell in sources.source(name).cells:
        match = (
            re.search(r"^## (Question.*?)\((\d+) points\)", cell.source, re.M) if sources.kind(cell) is None else None
        )
        if match:
            if heading:
                found[heading, real] = stated
            heading, stated, real = match[1], int(match[2]), 0
        if sources.kind(cell) in ("check", "written"):
            real += cell.metadata.points
    return {**found, (heading, real): stated}


def test_the_notebooks_are_in_step_with_their_sources(capsys):
    assert assignments(NOTEBOOKS, check=True) == 0, capsys.readouterr().out


def test_the_zip_holds_the_notebook_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("coursework.__main__.ROOT", tmp_path)
    monkeypatch.setattr("coursework.references.FOLDER", tmp_path)
    (tmp_path / "tools").mkdir()
    monkeypatch.setitem(sys.modules, "make_notebooks", SimpleNamespace(INSTALL="pass"))
    assert assignments(tmp_path / "notebooks") == 0
    for name in NAMES:
        with zipfile.ZipFile(tmp_path / "_build" / "assignments" / f"{name}.zip") as archive:
            assert archive.namelist() == [f"{name}.ipynb"]
            assert archive.read(f"{name}.ipynb").decode() == (tmp_path / "notebooks" / f"{name}.ipynb").read_text()


def test_the_same_source_gives_the_same_notebook():
    first, second = (nbformat.writes(sources.student_notebook(NAMES[0])) for _ in range(2))
    assert first == second and all(not cell.get("outputs") for cell in json.loads(first)["cells"])


CELL = "# Title\n\n```{{code-cell}} ipython3\n---\n{metadata}\n---\n{code}\n```\n"
SOLUTION = "### BEGIN SOLUTION\nx = 1\n### END SOLUTION"


@pytest.mark.parametrize(
    "metadata, code, problem",
    [
        ("solution: x", "x = 1", "has no ### BEGIN SOLUTION"),
        ("solution: X y", SOLUTION, "letters, digits and hyphens"),
        ("check: x", "check(x)", "needs points"),
        ("check: x\npoints: 0", "check(x)", "needs points"),
        ("check: x\npoints: 1.5", "check(x)", "needs points"),
    ],
)
def test_a_source_that_is_wrong_is_told(metadata, code, problem, tmp_path, monkeypatch):
    folder = tmp_path / "wrong"
    folder.mkdir()
    (folder / "notebook.md").write_text(CELL.format(metadata=metadata, code=code))
    monkeypatch.setattr(sources, "ASSIGNMENTS", tmp_path)
    with pytest.raises(ValueError, match=problem):
        sources.source.__wrapped__("wrong")


def test_an_unknown_assignment_is_told():
    with pytest.raises(ValueError, match="assignment must be one of 1-tokenization"):
        sources.source("6-essay")
    with pytest.raises(ValueError, match="assignment must be one of"):
        checks.load("6-essay")


def test_the_books_table_lists_every_assignment():
    import sphinx_coursework

    origin = sphinx_coursework.Origin("https://github.com/O/R", "1")
    text, elsewhere = "\n".join(sphinx_coursework.table(origin)), "\n".join(sphinx_coursework.table(None))
    for name in NAMES:
        assert f"colab.research.google.com/github/O/R/blob/notebooks/{name}.ipynb" in text
        assert f"{name}.ipynb" in elsewhere and "colab" not in elsewhere
        assert sources.title(name).removeprefix("Assignment ") in text
    assert (ROOT / "book" / "assignments.md").read_text().count("```{assignments}") == 1


def test_coursework_and_exercises_stay_small_enough_to_read():
    code = list((ROOT / "coursework").glob("*.py"))
    exercises = [*(ROOT / "tutorial_book/exercises").glob("*.py"), *(ROOT / "coursework/references").glob("*.py")]
    for files, most in ((code, 4_800), (exercises, 2_500)):
        assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= most
