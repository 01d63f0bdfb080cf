"""The workflows ask for no more than they need, and every step's shell is something that can be run here too."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

tomllib = pytest.importorskip("tomllib", reason="Python 3.10 cannot read TOML by itself")

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def workflow(request):
    return yaml.safe_load(request.param.read_text(encoding="utf-8"))


def steps(workflow):
    return [(name, step) for name, job in workflow["jobs"].items() for step in job["steps"]]


def test_every_action_is_pinned_to_a_commit_and_the_same_everywhere():
    pins = {}
    for path in WORKFLOWS:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if "uses:" in line]
        for line in lines:
            action, commit, version = re.fullmatch(r"(?:- )?uses: ([\w/-]+)@([0-9a-f]{40}) # (v[\d.]+)", line).groups()
            assert pins.setdefault(action, (commit, version)) == (commit, version)
    assert "actions/checkout" in pins


def test_only_the_job_that_needs_a_right_has_it_and_runs_no_package(workflow):
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        if "write" not in job["permissions"].values():
            continue
        shell = " ".join(step.get("run", "") for step in job["steps"])
        assert not re.search(r"pip|make|python|\.ci/run", shell), f"{name} may write, and runs what others wrote"


def test_the_token_stays_with_the_job_that_pushes(workflow):
    for name, step in steps(workflow):
        if step.get("uses", "").startswith("actions/checkout@"):
            pushes = any("push-" in other.get("run", "") for other in workflow["jobs"][name]["steps"])
            assert step["with"]["persist-credentials"] is pushes, name


def test_a_step_calls_a_program_that_is_there(workflow):
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    for _, step in steps(workflow):
        shell = step.get("run", "")
        assert "${{" not in shell, f"what GitHub puts into a shell's text can be code: {shell}"
        for command in re.split(r" && | \| ", shell):
            program, *arguments = shlex.split(command) or ["sudo"]
            if program == "make":
                assert set(arguments) <= set(targets)
            elif program.startswith("."):
                assert program.startswith(".venv/") or os.access(ROOT / program, os.X_OK), program
            else:
                assert program in ("sudo", "mkdir", "mv", "tee"), program


def test_a_release_is_checked_gathered_and_tells_its_changes(tmp_path):
    here = tmp_path / "copy"
    (here / ".github").mkdir(parents=True)
    for name in (".github/release", "pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, here / name)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

    def release(*arguments):
        return subprocess.run([here / ".github" / "release", *arguments], capture_output=True, text=True)

    assert release("check", f"v{version}").returncode == 0
    assert f"must be v{version}" in release("check", "v0.0.1").stderr
    for file in ("dist/a.whl", "publish/transformers-from-scratch/a.pdf", "publish/transformers-from-scratch/a.zip"):
        (here / "_build" / file).parent.mkdir(parents=True, exist_ok=True)
        (here / "_build" / file).write_text(file)
    (here / "_build" / "publish" / "notebooks").mkdir()
    assert release("gather").returncode == 0
    sums = (here / "_build" / "release" / "SHA256SUMS").read_text()
    assert [line.split()[1] for line in sums.splitlines()] == ["a.pdf", "a.whl", "a.zip", "notebooks.zip"]
    (here / "CHANGELOG.md").write_text("# Changes\n")
    assert f"under '## {version}'" in release("check", f"v{version}").stderr


def test_all_pythons_that_the_library_allows_are_tried():
    text = (ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8")
    tried = set(re.findall(r'"(3\.\d+)"', text))
    assert tried == {"3.10", "3.11", "3.12", "3.13", "3.14"}
    assert 'requires-python = ">=3.10"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
