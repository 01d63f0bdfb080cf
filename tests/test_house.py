"""The project's own files agree with each other."""

import ast
import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from operator import attrgetter
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tutorial_book import page, plots
from tutorial_lib import views

ROOT = Path(__file__).resolve().parents[1]
CONDA_NAMES = {"pytorch": "torch", "python-build": "build"}
ONLY_IN_CONDA = {"python", "pip"}
OF_AN_EXTRA = dict.fromkeys(["dask", "distributed", "pyarrow"], "cluster") | {"ripser": "topology"}  # a message says so
OF_AN_EXTRA |= dict.fromkeys(["apsw", "dnaio", "sqlite_vec", "umap"], "chapters")
IN_A_NOTEBOOK = {"IPython", "ipywidgets", "matplotlib_inline"}  # imported only where a notebook runs, which brings them


@pytest.mark.parametrize("number", [1, 2, 3])
def test_side_by_side_the_tests_of_a_file_stay_in_one_process(number, tmp_path_factory):
    """Or else what they share is made in each: conftest.py tells xdist so, and xdist may have stopped listening."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("the tests run in one process: try pytest -n 2")
    ran_in = tmp_path_factory.getbasetemp().parent / "workers.txt"  # one folder for all workers of a run
    with ran_in.open("a") as file:
        print(os.environ["PYTEST_XDIST_WORKER"], file=file)
    assert len(set(ran_in.read_text().split())) == 1


def pyproject():
    tomllib = pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML by itself")
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def declared() -> dict[str, Requirement]:
    """Every package that pyproject.toml names, in the core and in the extras."""
    project = pyproject()
    lines = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
    return {requirement.name: requirement for requirement in map(Requirement, lines)}


def pinned() -> dict[str, Version]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {name: Version(version) for name, version in pins}


def tracked_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_environment_yml_names_what_pyproject_names():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    conda = [line for line in environment if isinstance(line, str)]
    (by_pip,) = [line["pip"] for line in environment if isinstance(line, dict)]
    lines = conda + [line for line in by_pip if not line.startswith("--")]
    required = [r for r in map(Requirement, lines) if r.name not in ONLY_IN_CONDA]
    named = {CONDA_NAMES.get(r.name, r.name): r.specifier for r in required}
    assert named == {name: requirement.specifier for name, requirement in declared().items()}


def test_environment_yml_asks_for_the_python_that_pyproject_asks_for():
    assert f"python{pyproject()['requires-python']}" in (ROOT / "environment.yml").read_text(encoding="utf-8")


def test_every_declared_package_is_pinned_inside_its_range():
    versions = pinned()
    outside = [str(r) for name, r in declared().items() if name not in versions or versions[name] not in r.specifier]
    assert outside == []


def imported(path: Path) -> set[str]:
    """The packages that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    return {name.split(".")[0] for name in names}


def test_what_the_library_imports_is_declared():
    """What comes only because another package needs it may stay away with that package's next version."""
    files = {name: path for path in ROOT.glob("tutorial_*/**/*.py") for name in imported(path)}
    declared = {canonicalize_name(Requirement(line).name) for line in pyproject()["dependencies"]}
    brought_by = packages_distributions()
    ours = {"tutorial_lib", "tutorial_book"}
    others = files.keys() - sys.stdlib_module_names - IN_A_NOTEBOOK - ours - OF_AN_EXTRA.keys()
    undeclared = {name for name in others if not declared & {canonicalize_name(p) for p in brought_by[name]}}
    assert {name: str(files[name].relative_to(ROOT)) for name in undeclared} == {}
    extras = pyproject()["optional-dependencies"]
    assert OF_AN_EXTRA.keys() <= files.keys()
    named = {extra: {canonicalize_name(Requirement(line).name) for line in lines} for extra, lines in extras.items()}
    assert all(named[extra] & {canonicalize_name(p) for p in brought_by[name]} for name, extra in OF_AN_EXTRA.items())


def test_a_pin_is_one_plain_version():
    assert [f"{name}=={version}" for name, version in pinned().items() if version.local] == []
    assert pinned()["torch"] == Version("2.13.0")


def test_nothing_holds_the_place_of_the_repository_address():
    """Git knows it (tools/origin.py): a fork has none to fill in."""
    place = "OWNER/" + "REPOSITORY"
    assert [str(path.relative_to(ROOT)) for path in tracked_files() if place.encode() in path.read_bytes()] == []


def test_no_tracked_file_is_large_or_carries_outputs():
    """The book's own models excepted: tests/training/test_recipes.py says how large they are together."""
    for path in tracked_files():
        most = 2_500_000 if path.parent.parent.name == "models" else 1_000_000
        assert path.stat().st_size < most, f"{path} is larger than {most / 1e6:g} MB"
        if path.suffix == ".ipynb":
            assert '"output_type"' not in path.read_text(encoding="utf-8"), f"{path} carries outputs"


def test_every_page_of_the_table_of_contents_is_there():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages = [toc["root"], *(entry["file"] for part in toc["parts"] for entry in part["chapters"])]
    assert [page for page in pages if not (ROOT / f"{page}.md").exists()] == []


def test_every_citation_has_its_entry_and_every_entry_is_cited():
    entries = re.findall(r"^@\w+\{([^,]+),", (ROOT / "book" / "references.bib").read_text(encoding="utf-8"), re.M)
    assert len(entries) == len(set(entries))
    cited = set()
    for file in (ROOT / "book").glob("*.md"):
        for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", file.read_text(encoding="utf-8")):
            cited |= set(re.split(r",\s*", keys))
            assert cited <= set(entries), f"{file.name}: {keys}"
    assert set(entries) - cited == set()


@pytest.mark.parametrize("file", sorted((ROOT / "book").glob("*.md")), ids=lambda file: file.stem)
def test_every_figure_and_view_that_a_page_names_exists(file):
    named = re.findall(r"\b(plots|views|page)\.([\w.]+)\(", file.read_text(encoding="utf-8"))
    rooms = {"page": page, "plots": plots, "views": views}
    for room, name in set(named):
        assert callable(attrgetter(name)(rooms[room])), f"{room}.{name}"


def test_the_library_imports_without_the_heavy_packages():
    code = "import sys, tutorial_lib; print([m for m in ('torch', 'transformers', 'matplotlib') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.strip() == "[]"


def test_make_help_lists_the_commands():
    targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert {"book", "test", "colab", "bench", "clean"} <= set(targets)
