"""The house: no room imports from a higher floor, none in a circle, a subject has one name, and the door is light."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import tutorial_lib
from tutorial_lib import plots, views

PACKAGE = Path(tutorial_lib.__file__).parent
ROOMS = {
    "arguments": 1, "weights": 1, "catalog": 1, "texts": 1, "toy": 1,
    "tokenization": 2, "positions": 2, "attention": 2, "trace": 2, "decoding": 2,
    "pretraining": 2,
    "bert": 3, "checkpoints": 3,
    "parity": 4,
    "vectors": 5,
    "geometry": 6,
    "search": 7, "probing": 7, "quantization": 7,
    "show": 8, "plots": 8, "views": 8,
    "claims": 9, "coursework": 9,
    "__main__": 10,
}  # fmt: skip
FILES = sorted(file for file in PACKAGE.rglob("*.py") if file != PACKAGE / "__init__.py")
TESTS = Path(__file__).parent
CHAPTERS = {page.stem.replace("-", "_") for page in (TESTS.parent / "book").glob("*.md")}
SHARED_PLOTS = {"base"}
STILL_A_CIRCLE = {("tutorial_lib.checkpoints", "tutorial_lib.bert")}  # who imports whom, and must not


def room(file):
    """The name of the room that a file stands in: a module, or a folder with its modules."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(file):
    """The full names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            if node.module == "tutorial_lib":
                yield from (f"tutorial_lib.{alias.name}" for alias in node.names)
            else:
                yield node.module


def module(file):
    """The full name of the module that a file holds."""
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module(file) for file in FILES}


def imported(file):
    """The modules of the library that a file imports, anywhere in it: `from tutorial_lib.texts import fetch` too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from MODULES & {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from MODULES & names
            if names - MODULES:
                yield from MODULES & {node.module}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_a_room_imports_only_from_its_own_floor_and_below(file):
    assert room(file) in ROOMS, f"say in tests/test_rooms.py on which floor {room(file)} stands"
    for name in imports(file):
        if not name.startswith("tutorial_lib.") or name == "tutorial_lib.__version__":
            continue
        other = name.split(".")[1]
        assert ROOMS[other] <= ROOMS[room(file)], f"{room(file)} must not import {other}"


def test_only_parity_and_its_command_import_transformers():
    for file in FILES:
        libraries = {name.split(".")[0] for name in imports(file)}
        assert "transformers" not in libraries or room(file) in ("parity", "__main__")


@pytest.mark.parametrize("module", ["", ".weights", ".texts", ".show"])
def test_importing_it_loads_nothing_heavy(module):
    heavy = ("torch", "numpy", "transformers", "matplotlib", "huggingface_hub", "IPython")
    code = f"import sys, tutorial_lib{module}; print(sorted(set({heavy}) & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


def test_no_module_imports_itself_by_way_of_others():
    graph = {module(file): set(imported(file)) for file in FILES}
    for one, other in STILL_A_CIRCLE:
        assert other in graph[one], f"{one} no longer imports {other}: take it from STILL_A_CIRCLE"
        graph[one].remove(other)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def names(folder, prefix=""):
    """What the modules of a folder are named after."""
    return {file.stem.removeprefix(prefix) for file in folder.glob(f"{prefix}*.py")} - {"__init__", "conftest"}


def test_a_figure_is_named_after_the_chapter_that_it_stands_in():
    assert names(PACKAGE / "plots") - SHARED_PLOTS <= CHAPTERS


def test_tests_are_named_after_what_they_test():
    assert names(TESTS / "chapters", "test_") <= CHAPTERS
    assert names(TESTS / "plots", "test_") == names(PACKAGE / "plots")


def test_a_chapter_loads_only_the_figures_views_and_texts_that_it_names():
    code = """if True:
        import sys
        from tutorial_lib import plots, views
        from tutorial_lib.texts import load_texts
        plots.uses, plots.heatmap, views.slide, load_texts("words")
        print(*(name for name in sys.modules if name.startswith("tutorial_lib.")))"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert set(run.stdout.split()) == {
        f"tutorial_lib.{name}"
        for name in ("plots", "plots.base", "plots.uses", "views", "views.base", "views.slides",
                     "texts", "texts.fetch", "texts.written")
    }  # fmt: skip


@pytest.mark.parametrize("package", [plots, views])
def test_what_loads_late_is_listed_and_nothing_else_is_there(package):
    assert set(package.__all__) <= set(dir(package)) and all(hasattr(package, name) for name in package.__all__)
    assert "meaning" in dir(plots) and plots.meaning.difference_arrows
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'opinion'"):
        package.opinion
