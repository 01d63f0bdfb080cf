"""The workflows ask for no more than they need, and every step's shell can also be run here."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.stem)
def workflow(request):
    return yaml.safe_load(request.param.read_text(encoding="utf-8"))


def test_every_action_is_pinned_to_one_commit():
    pins = {}
    for path in WORKFLOWS:
        for line in re.findall(r"^.*uses:.*$", path.read_text(encoding="utf-8"), re.M):
            action, commit = re.fullmatch(r" *(?:- )?uses: ([\w/-]+)@([0-9a-f]{40} # v[\d.]+)", line).groups()
            assert pins.setdefault(action, commit) == commit
    assert "actions/checkout" in pins


def test_job_that_runs_packages_may_not_write(workflow):
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        shell = " ".join(step.get("run", "") for step in job["steps"])
        if "write" in job["permissions"].values():
            assert not re.search(r"pip|make|python|\.ci/run", shell), f"{name} may write, and runs what others wrote"
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):  # the token stays with the job that pushes
                assert step["with"]["persist-credentials"] is ("push-" in shell), name


def test_step_calls_a_program_that_is_there(workflow):
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    for shell in [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]:
        assert "${{" not in shell, f"what GitHub puts into a shell's text can be code: {shell}"
        for command in re.split(r" && | \| ", shell):
            program, *arguments = shlex.split(command) or ["sudo"]
            if program == "make":
                assert set(arguments) <= set(targets)
            elif program.startswith("."):
                assert program.startswith(".venv/") or os.access(ROOT / program, os.X_OK), program
            else:
                assert program in ("sudo", "mkdir", "mv", "tee"), program


def test_release_is_checked_and_gathered(tmp_path):
    for name in (".github/release", "pyproject.toml", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    version = re.search(r'^version = "(.*)"', (tmp_path / "pyproject.toml").read_text(encoding="utf-8"), re.M)[1]

    def release(*arguments):
        return subprocess.run([tmp_path / ".github" / "release", *arguments], capture_output=True, text=True)

    assert release("check", f"v{version}").returncode == 0
    assert f"must be v{version}" in release("check", "v0.0.1").stderr
    site = "publish/transformers-from-scratch"
    for file in ("dist/a.whl", f"{site}/a.pdf", f"{site}/a.zip", "publish/notebooks/a.ipynb"):
        (tmp_path / "_build" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "_build" / file).write_text(file)
    assert release("gather").returncode == 0
    sums = (tmp_path / "_build" / "release" / "SHA256SUMS").read_text()
    assert [line.split()[1] for line in sums.splitlines()] == ["a.pdf", "a.whl", "a.zip", "notebooks.zip"]
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n")
    assert f"under '## {version}'" in release("check", f"v{version}").stderr


# A replacement of GitHub's program: it records its requests, and keeps the report.
GH = """#!/usr/bin/env bash
echo "$1 $2 ${3-}" >> "$HERE/asked"
[ "$2" = list ] && { printf '%s' "$OPEN"; exit; }
while [ $# -gt 0 ]; do if [ "$1" = --body-file ]; then cp "$2" "$HERE/body"; fi; shift; done
"""


@pytest.mark.parametrize(
    "result, number, asked",
    [
        ("failure", "", ["issue create --title"]),
        ("failure", "7", ["issue edit 7"]),
        ("success", "7", ["issue close 7"]),
        ("success", "", []),
    ],
)
def test_report_is_open_while_the_newest_versions_fail(tmp_path, result, number, asked):
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "versions").write_text("numpy==2.4.6\ntorch==99.0\n")
    (tmp_path / "log").write_text("\x1b[31mFAILED\x1b[0m tests/test_x.py\n```\n")
    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "OPEN": number, "HERE": str(tmp_path)}
    command = [ROOT / ".github" / "report", result, tmp_path, "https://example.org/run/1"]
    subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
    assert [line.strip() for line in (tmp_path / "asked").read_text().splitlines()][1:] == asked
    if result == "failure":
        body = (tmp_path / "body").read_text()
        assert "https://example.org/run/1" in body and "\n    torch==99.0\n" in body and "numpy" not in body
        assert "\n    FAILED tests/test_x.py\n    ```\n" in body


def test_all_pythons_that_the_library_allows_are_tried():
    text = (ROOT / ".github" / "workflows" / "book.yml").read_text(encoding="utf-8")
    assert set(re.findall(r'"(3\.\d+)"', text)) == {"3.10", "3.11", "3.12", "3.13", "3.14"}
    assert 'requires-python = ">=3.10"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
