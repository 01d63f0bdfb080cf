"""The project's own files agree with each other."""

import re
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

from tutorial_book import page, plots
from tutorial_lib import views

ROOT = Path(__file__).resolve().parents[1]
CONDA_NAMES = {"pytorch": "torch", "python-build": "build"}
ONLY_IN_CONDA = {"python", "pip"}


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
    assert f"python{pyproject()['requires-python']}" in conda


def test_every_package_is_pinned_inside_its_range():
    versions = pinned()
    outside = [str(r) for name, r in declared().items() if name not in versions or versions[name] not in r.specifier]
    assert outside == []


def test_code_imports_only_declared_packages():
    """A package that is installed only because another one needs it may disappear with that package's next version."""
    pytest.importorskip("deptry")
    command = [sys.executable, "-m", "deptry", "tutorial_lib", "tutorial_book", "--no-ansi"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_pins_are_plain_versions():
    assert [f"{name}=={version}" for name, version in pinned().items() if version.local] == []
    assert pinned()["torch"] == Version("2.13.0")


def test_no_file_has_a_placeholder_address():
    """Git knows it (website/origin.py): a fork has none to fill in."""
    place = "OWNER/" + "REPOSITORY"
    assert [str(path.relative_to(ROOT)) for path in tracked_files() if place.encode() in path.read_bytes()] == []


def test_tracked_files_are_small_and_without_outputs():
    """Except the book's own models: tests/training/test_recipes.py checks their total size."""
    for path in tracked_files():
        most = 2_500_000 if path.parent.parent.name == "models" else 1_000_000
        assert path.stat().st_size < most, f"{path} is larger than {most / 1e6:g} MB"
        if path.suffix == ".ipynb":
            assert '"output_type"' not in path.read_text(encoding="utf-8"), f"{path} carries outputs"


def test_table_of_contents_lists_existing_pages():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages = [toc["root"], *(entry["file"] for part in toc["parts"] for entry in part["chapters"])]
    assert [page for page in pages if not (ROOT / f"{page}.md").exists()] == []


def test_citations_and_bibliography_agree():
    entries = re.findall(r"^@\w+\{([^,]+),", (ROOT / "book" / "references.bib").read_text(encoding="utf-8"), re.M)
    assert len(entries) == len(set(entries))
    cited = set()
    for file in (ROOT / "book").glob("*.md"):
        for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", file.read_text(encoding="utf-8")):
            cited |= set(re.split(r",\s*", keys))
            assert cited <= set(entries), f"{file.name}: {keys}"
    assert set(entries) - cited == set()


def test_every_figure_and_view_of_a_page_exists():
    rooms = {"page": page, "plots": plots, "views": views}
    text = "".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "book").glob("*.md")))
    for room, name in sorted(set(re.findall(r"\b(plots|views|page)\.([\w.]+)\(", text))):
        assert callable(attrgetter(name)(rooms[room])), f"{room}.{name}"


def test_make_help_lists_the_commands():
    targets = re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert {"book", "test", "colab", "bench", "clean"} <= set(targets)
