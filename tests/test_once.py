"""A chapter's test does not repeat the chapter's computations."""

import ast
from pathlib import Path

import pytest

pytest.importorskip("myst_nb")
runs = pytest.importorskip("website.build.runs")

TESTS = [path for path in sorted((Path(__file__).parent / "chapters").glob("test_*.py")) if path.stem != "test_values"]


def functions_of(code: str) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("test", TESTS, ids=lambda path: path.name)
def test_tests_repeat_no_function_of_their_chapter(test):
    name = test.stem.removeprefix("test_").replace("_", "-")
    notebook = runs.read_chapter(runs.ROOT / "book" / f"{name}.md")
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert not functions_of(test.read_text(encoding="utf-8")) & functions_of("\n".join(cells))
