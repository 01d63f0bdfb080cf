"""The two packages: modules import only from modules before them, load only what they need, and are all on the map."""

import graphlib
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tutorial_book import page, plots
from tutorial_lib import geometry, views
from website import package_map

ROOT = Path(__file__).resolve().parents[1]
LIBRARY, BOOK = (ROOT / package for package in package_map.PACKAGES)
ORDER = [f"{package}.{name}" for package in package_map.PACKAGES for names in package_map.rooms(ROOT, package).values()
         for name in names]  # fmt: skip
CHAPTERS = {path.stem.replace("-", "_") for path in (ROOT / "book").glob("*.md")}
FILES = sorted(file for package in (LIBRARY, BOOK) for file in package.rglob("*.py"))


def printed_by(code: str, **options) -> list[str]:
    """Return the words that code prints in a separate process."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, **options)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


@cache
def graph():
    return pytest.importorskip("grimp").build_graph(*package_map.PACKAGES)


@pytest.mark.parametrize("package", [LIBRARY, BOOK], ids=lambda package: package.name)
def test_map_lists_every_module(package):
    inside = {path.stem for path in package.iterdir() if path.suffix in ("", ".py")} - {"__init__", "__pycache__"}
    listed = [name.split(".")[1] for name in ORDER if name.startswith(f"{package.name}.")]
    assert sorted(listed) == sorted(inside)
    assert all(package_map.first_line(package_map.entrance(ROOT, package.name, name)) for name in listed)


def test_readme_has_todays_map():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme == package_map.with_map(readme), "run python -m website map"
    with pytest.raises(ValueError, match="README.md must contain the lines"):
        package_map.with_map("# A book")


def test_modules_import_only_from_modules_before_them():
    wrong = graph().find_illegal_dependencies_for_layers(layers=ORDER[::-1])
    assert [f"{each.importer} must not import {each.imported}" for each in wrong] == []


def test_no_two_modules_import_each_other():
    imports = {name: graph().find_modules_directly_imported_by(name) for name in graph().modules}
    graphlib.TopologicalSorter({name: others - {name} for name, others in imports.items()}).prepare()


def test_library_works_without_the_book(tmp_path):
    """As after `pip install` if the book's package were not there."""
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
    n, where = printed_by(code, cwd=tmp_path)
    assert int(n) > 80 and str(tmp_path) in where


def test_only_comparisons_and_exports_import_transformers():
    pattern = re.compile(r"^ *(?:import|from) transformers\b", re.M)
    users = [file.relative_to(ROOT).as_posix() for file in FILES if pattern.search(file.read_text(encoding="utf-8"))]
    assert users == ["tutorial_lib/parity.py", "tutorial_lib/weights/names.py"]


@pytest.mark.parametrize("name", ["tutorial_lib", "tutorial_lib.weights", "tutorial_lib.texts", "tutorial_book.page"])
def test_importing_it_loads_nothing_heavy(name):
    heavy = ("torch", "numpy", "transformers", "matplotlib", "huggingface_hub", "IPython")
    assert printed_by(f"import sys, {name}; print(*(set({heavy}) & set(sys.modules)))") == []


def test_embedding_needs_neither_scipy_nor_torchs_compiler():
    code = """if True:
        import sys
        from tutorial_lib import bert, gpt, vectors
        vectors.embed(["A bear."], bert.Bert.from_pretrained("book-bert")), gpt.GPT.from_pretrained("book-gpt")
        print(*({"torch._dynamo", "scipy"} & set(sys.modules)))"""
    assert printed_by(code) == []


@pytest.mark.parametrize(
    "name, shared",
    [
        ("plots", {"base", "cells", "charts", "parts"}),
        ("experiments", {"golden"}),
        ("claims", {"claim", "inventory", "quotes", "table", "tools", "verdicts"}),
    ],
)
def test_modules_of_one_chapter_have_its_name(name, shared):
    modules = {path.stem for path in (BOOK / name).iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert modules - {"__init__"} - shared <= CHAPTERS


@pytest.mark.parametrize(
    "code, modules",
    [
        ("from tutorial_lib.geometry import cosine_matrix", "geometry.arrays geometry.similarity geometry.streaming"),
        ("from tutorial_lib.geometry import crossings", "geometry.arrays geometry.links"),
        ("from tutorial_lib.geometry import intrinsic_dimension", "geometry.arrays geometry.neighbors geometry.two_nn"),
        ("from tutorial_book import plots; plots.speed, plots.heatmap", "plots.base plots.parts plots.speed"),
        ("from tutorial_book import page; page.slide", "page.layouts page.slider"),
        ("from tutorial_lib.texts import load_texts; load_texts('words')", "texts.fetch texts.written"),
    ],
)
def test_chapters_load_only_the_modules_they_use(code, modules):
    package = modules.split(".")[0]
    pattern = rf"re.fullmatch(r'tutorial_\w+\.({package}\.\w+)', name)"
    loaded = printed_by(f"{code}\nimport re, sys\nprint(*(m[1] for name in sys.modules if (m := {pattern})))")
    assert sorted(loaded) == modules.split()


@pytest.mark.parametrize("package", [geometry, page, plots, views])
def test_names_that_load_late_are_all_listed(package):
    assert set(package.__all__) <= set(dir(package)) and all(hasattr(package, name) for name in package.__all__)
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no attribute 'opinion'"):
        package.opinion


def test_readme_example_gives_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    space = {}
    exec(code, space)
    assert np.linalg.norm(space["one"]) == pytest.approx(1, abs=1e-6) and -1 < space["one"] @ space["other"] < 1
    assert space["weights"].shape == (2, 12, 7, 7) and space["even"].shape == (2, 7, 384)
