"""The house: no room imports from one that comes after it, no two import each other, each file is good to read."""

import ast
import graphlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import house
import numpy as np
import pytest

from tutorial_book import page, plots
from tutorial_lib import geometry, views

ROOT = Path(__file__).resolve().parents[1]
LIBRARY, BOOK = (ROOT / package for package in house.PACKAGES)
ORDER = [f"{package}.{name}" for package in house.PACKAGES for names in house.rooms(ROOT, package).values()
         for name in names]  # fmt: skip
MOST_LINES = {LIBRARY: 15_250, BOOK: 20_230}  # each file is itself reading matter
MOST_ROOMS = {LIBRARY: 20, BOOK: 6}
MOST_FLOORS = 9
TESTS = Path(__file__).parent
CHAPTERS = {page.stem.replace("-", "_") for page in (TESTS.parent / "book").glob("*.md")}
SHARED_PLOTS = {"base", "cells", "parts"}
FILES = sorted(file for package in (LIBRARY, BOOK) for file in package.rglob("*.py"))


def module(file):
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room(name):
    """The room that a module stands in, "tutorial_lib.bert", or the package, for what its own `__init__` has."""
    return ".".join(name.split(".")[:2])


def is_module(name):
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def imports(file):
    """The full names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [name for name in names if is_module(name)]
            yield from modules if len(modules) == len(names) else [node.module, *modules]


def of_ours(file):
    """The modules of the two packages that a file imports."""
    return [name for name in imports(file) if name.split(".")[0] in house.PACKAGES]


@pytest.mark.parametrize("package", [LIBRARY, BOOK], ids=lambda package: package.name)
def test_the_map_has_all_rooms_and_no_others(package):
    inside = {path.stem for path in package.iterdir() if path.suffix in ("", ".py")} - {"__init__", "__pycache__"}
    listed = [name.split(".")[1] for name in ORDER if name.startswith(f"{package.name}.")]
    assert sorted(listed) == sorted(inside) and len(listed) <= MOST_ROOMS[package]
    assert all(house.first_line(house.entrance(ROOT, package.name, name)) for name in listed)


def test_the_readme_has_the_map_of_today():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme == house.with_map(readme), "run python tools/house.py"
    with pytest.raises(ValueError, match="README.md must hold the lines"):
        house.with_map("# A book")


@pytest.mark.parametrize("file", FILES, ids=module)
def test_a_room_imports_only_from_rooms_before_it(file):
    own = room(module(file))
    if own in house.PACKAGES:
        return  # the front doors: what they hand out stands in rooms
    for name in of_ours(file):
        if room(name) not in house.PACKAGES:
            assert ORDER.index(room(name)) <= ORDER.index(own), f"{own} must not import {name}"


def test_no_two_modules_import_each_other():
    modules = {module(file): file for file in FILES}
    graph = {name: {other for other in of_ours(file) if other in modules} - {name} for name, file in modules.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError with the circle


@pytest.mark.parametrize("package", [LIBRARY, BOOK], ids=lambda package: package.name)
def test_the_house_is_not_high(package):
    """A room stands one floor above the highest room that it imports from."""
    below = {name: set() for name in ORDER if name.startswith(package.name)}
    for file in FILES:
        if room(module(file)) in below:
            below[room(module(file))] |= {room(name) for name in of_ours(file)} & set(below)
    floor = {}
    for name in below:  # in the order of the map, which goes up
        floor[name] = 1 + max((floor[other] for other in below[name] - {name}), default=0)
    assert max(floor.values()) <= MOST_FLOORS


@pytest.mark.parametrize("package", [LIBRARY, BOOK], ids=lambda package: package.name)
def test_the_packages_stay_small(package):
    assert sum(file.read_text(encoding="utf-8").count("\n") for file in package.rglob("*.py")) <= MOST_LINES[package]


def test_the_library_works_without_the_book(tmp_path):
    """As `pip install` would leave it, were the book's package not there."""
    shutil.copytree(LIBRARY, tmp_path / "tutorial_lib", ignore=shutil.ignore_patterns("__pycache__"))
    code = """if True:
        import pkgutil, sys
        from importlib import import_module
        sys.modules["tutorial_book"] = None  # an import of it is an error
        import tutorial_lib
        modules = [module.name for module in pkgutil.walk_packages(tutorial_lib.__path__, "tutorial_lib.")]
        for name in modules:
            import_module(name)
        tutorial_lib.load("book-gpt")
        print(len(modules), tutorial_lib.__file__)"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    n, where = run.stdout.split()
    assert int(n) > 80 and str(tmp_path) in where


def is_check(node):
    """A check is a statement that raises (with the `if` or the loop around it), a call of `_check...`, or a function
    of such a name, or of the name `_as_...`, which is nothing else."""
    name = getattr(getattr(getattr(node, "value", None), "func", None), "id", "")
    if isinstance(node, ast.FunctionDef):
        return node.name.startswith(("_check", "_as_"))
    around = isinstance(node, (ast.If, ast.For, ast.Try))
    return (around and any(isinstance(part, ast.Raise) for part in ast.walk(node))) or name.startswith("_check")


@pytest.mark.parametrize("name", ["attention", "bert"])
def test_what_show_prints_is_mathematics_and_at_most_a_quarter_checks(name):
    source = (LIBRARY / f"{name}.py").read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.splitlines()
    code = {number for number, line in enumerate(lines, 1) if line.strip() and not line.strip().startswith("#")}
    checks = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            code -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        if is_check(node):
            checks |= set(range(node.lineno, node.end_lineno + 1))
    assert len(checks & code) <= len(code) / 4


@pytest.mark.parametrize("file", FILES, ids=module)
def test_docstrings_are_prose_without_headed_lists(file):
    """Arguments stand as "name: what it is", errors as "Raises ValueError where ...", in sentences."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            headed = re.findall(r"(?m)^ *(?:Args|Parameters|Returns|Raises):", ast.get_docstring(node) or "")
            assert not headed, f"{getattr(node, 'name', 'the module')} has {headed}"


@pytest.mark.parametrize("file", [file for file in FILES if LIBRARY in file.parents], ids=module)
def test_names_say_what_they_hold(file):
    """Nor does a line assign in the middle of something else. No rule of ruff holds either."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        assert not isinstance(node, ast.NamedExpr), f"line {node.lineno} assigns on the way"
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            assert node.id != "found", f"line {node.lineno}: found says not what it holds"


def test_only_what_compares_with_transformers_or_writes_for_it_imports_it():
    for file in FILES:
        libraries = {name.split(".")[0] for name in imports(file)}
        assert "transformers" not in libraries or module(file) in (
            "tutorial_lib.parity", "tutorial_lib.weights.names", "tutorial_lib.__main__")  # fmt: skip


@pytest.mark.parametrize("name", ["tutorial_lib", "tutorial_lib.weights", "tutorial_lib.texts", "tutorial_book.page"])
def test_importing_it_loads_nothing_heavy(name):
    heavy = ("torch", "numpy", "transformers", "matplotlib", "huggingface_hub", "IPython")
    code = f"import sys, {name}; print(sorted(set({heavy}) & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr


def test_a_model_is_there_without_the_compiler_of_torch():
    code = """if True:
        import sys
        from tutorial_lib import bert, gpt
        bert.Bert.from_pretrained("book-bert"), gpt.GPT.from_pretrained("book-gpt")
        print("torch._dynamo" in sys.modules)"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.split() == ["False"]


def names(folder, prefix=""):
    """What the modules of a folder are named after."""
    return {file.stem.removeprefix(prefix) for file in folder.glob(f"{prefix}*.py")} - {"__init__", "conftest"}


@pytest.mark.parametrize("name", ["plots", "experiments", "claims"])
def test_what_is_of_one_chapter_has_its_name(name):
    tools = {"claim", "inventory", "quotes", "table", "tools"}
    shared = {"plots": SHARED_PLOTS, "experiments": {"golden"}, "claims": tools}
    folders = {path.name for path in (BOOK / name).iterdir() if (path / "__init__.py").is_file()}
    assert (names(BOOK / name) | folders) - shared[name] <= CHAPTERS


def test_tests_are_named_after_what_they_test():
    assert names(TESTS / "chapters", "test_") <= CHAPTERS | {"values"}  # of all chapters
    assert names(TESTS / "plots", "test_") == names(BOOK / "plots")
    for folder in (LIBRARY, BOOK / "page"):
        for tests in (path for path in TESTS.iterdir() if path.is_dir() and path.name in names_of_rooms(folder)):
            modules = names(folder / tests.name)
            assert names(tests, "test_") & modules, f"no test of {tests} is named after a module"


def names_of_rooms(folder):
    return {path.name for path in folder.iterdir() if path.is_dir()}


def test_a_chapter_loads_only_the_figures_views_and_texts_that_it_names():
    code = """if True:
        import sys
        from tutorial_book import page, plots
        from tutorial_lib.texts import load_texts
        plots.uses, plots.heatmap, page.slide, load_texts("words")
        print(*(name for name in sys.modules if name.startswith("tutorial_")))"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    lib = "arguments texts texts.fetch texts.written"
    lib += " views views.base views.notebook weights weights.catalog weights.files"
    book = "page page.layouts page.slides plots plots.base plots.uses"
    assert set(run.stdout.split()) == {
        "tutorial_lib",
        "tutorial_book",
        "tutorial_lib.weights.find",
        *(f"tutorial_lib.{name}" for name in lib.split()),
        *(f"tutorial_book.{name}" for name in book.split()),
    }


@pytest.mark.parametrize(
    "name, modules",
    [
        ("cosine_matrix", "arrays similarity streaming"),
        ("crossings", "arrays links"),
        ("intrinsic_dimension", "arrays neighbors two_nn"),
        ("swap_test", "arrays contrasts gender_bias similarity statistics streaming"),
    ],
)
def test_a_chapter_loads_only_the_geometry_that_it_measures_with(name, modules):
    code = f"import sys; from tutorial_lib.geometry import {name}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = {module for module in run.stdout.split() if module.startswith("tutorial_lib.geometry.")}
    assert loaded == {f"tutorial_lib.geometry.{module}" for module in modules.split()}


@pytest.mark.parametrize("package", [geometry, page, plots, views])
def test_what_loads_late_is_listed_and_nothing_else_is_there(package):
    assert set(package.__all__) <= set(dir(package)) and all(hasattr(package, name) for name in package.__all__)
    assert "meaning" in dir(plots) and plots.meaning.difference_arrows
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'opinion'"):
        package.opinion


def test_the_readmes_example_runs_and_gives_what_it_says():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    space = {}
    exec(code, space)
    assert np.linalg.norm(space["one"]) == pytest.approx(1, abs=1e-6) and -1 < space["one"] @ space["other"] < 1
    assert space["weights"].shape == (2, 12, 7, 7) and space["even"].shape == (2, 7, 384)
