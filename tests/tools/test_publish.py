"""What a fork publishes carries its own address, with no line edited. (Real git, and bare repositories as origins.)"""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
import yaml

for package in ("jupytext", "myst_nb", "pybtex"):
    pytest.importorskip(package)
publish = pytest.importorskip("publish")
from origin import Origin, on_github, public_address  # noqa: E402

ROOT = publish.ROOT
PUSH, REPORT = ROOT / ".github" / "push-notebooks", ROOT / ".github" / "report"


def git(folder, *arguments):
    names = ["-c", "user.name=Us", "-c", "user.email=us@example.org"]
    run = subprocess.run(["git", *names, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.fixture
def clone(tmp_path):
    """A clone of a small repository with the library's files, and its origin: a bare repository beside it."""
    origin, work = tmp_path / "us" / "fork.git", tmp_path / "clone"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", origin)
    git(tmp_path, "clone", "--quiet", origin, work)
    git(work, "checkout", "--quiet", "-b", "main")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, work)
    (work / "tutorial_lib").mkdir()
    (work / "tutorial_lib" / "__init__.py").touch()
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--message", "first")
    git(work, "push", "--quiet", "origin", "main")
    return work


@pytest.mark.parametrize(
    "remote, address",
    [
        ("https://github.com/us/fork", "https://github.com/us/fork"),
        ("https://github.com/us/fork.git", "https://github.com/us/fork"),
        ("https://me:secret@github.com/us/fork.git", "https://github.com/us/fork"),
        ("git@github.com:us/fork.git", "https://github.com/us/fork"),
        ("ssh://git@github.com:22/us/fork.git", "https://github.com/us/fork"),
        ("https://git.example.org:8443/us/fork.git", "https://git.example.org:8443/us/fork"),
        ("file:///srv/us/fork.git", "file:///srv/us/fork.git"),
        ("/srv/us/fork.git", "file:///srv/us/fork.git"),
        ("../us/fork.git", "file:///srv/us/fork.git"),
    ],
)
def test_a_remote_becomes_an_address_for_everybody(remote, address):
    assert public_address(remote, Path("/srv/clone")) == address


def test_the_origin_is_what_git_says_and_the_commit_is_the_last_that_changed_the_library(clone):
    (clone / "prose.md").touch()
    changed = git(clone, "rev-parse", "HEAD")
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "prose")
    origin = Origin.of(clone)
    assert origin == Origin((clone.parent / "us" / "fork.git").as_uri(), changed)
    assert on_github(clone) is None
    git(clone, "remote", "set-url", "origin", "git@github.com:us/fork.git")
    assert on_github(clone).library == f"git+https://github.com/us/fork@{changed}"


def test_no_origin_and_no_repository_of_its_own_is_none(clone, tmp_path):
    assert Origin.of(tmp_path) is None
    assert Origin.of(clone / "tutorial_lib") is None  # the book unpacked inside another project
    git(clone, "remote", "remove", "origin")
    assert Origin.of(clone) is None


FORK = Origin("https://github.com/us/fork", "c0ffee0c0ffee")


@pytest.fixture
def book(tmp_path):
    """The book's sources and a built site of one page, where something can be published."""
    folder = tmp_path / "book-to-publish"
    for name in ("book", "coursework/notebooks"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("_config.yml", "_toc.yml", "environment.yml", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / name, folder)
    footer = yaml.safe_load((folder / "_config.yml").read_text(encoding="utf-8"))["html"]["extra_footer"]
    page = f'<meta property="og:image" content="../_static/card.png" />{footer}'
    (folder / "_build" / "html" / "book").mkdir(parents=True)
    (folder / "_build" / "html" / "book" / "heads.html").write_text(page)
    shutil.copytree(ROOT / "_build" / "filled", folder / "_build" / "filled")
    (folder / "_build" / f"{publish.NAME}.pdf").write_bytes(b"%PDF")
    return folder


def test_every_published_notebook_carries_the_forks_address_and_no_other(book):
    folder = publish.publish_notebooks(book, FORK)
    for path in folder.glob("*.ipynb"):
        text = path.read_text(encoding="utf-8")
        assert text.count('library = \\"git+https://github.com/us/fork@c0ffee0c0ffee\\"') == 1, path.name
        repositories = re.findall(r"(?:colab\.research\.google\.com/github|//github\.com)/([\w.-]+/[\w.-]+)/blob", text)
        assert set(repositories) <= {"us/fork"}, path.name
    heads = (folder / "heads.ipynb").read_text(encoding="utf-8")
    assert "(https://colab.research.google.com/github/us/fork/blob/notebooks/attention.ipynb)" in heads
    names = {path.name for path in folder.iterdir()}
    assert {"README.md", "LICENSE", "LICENSE-TEXT", "heads.ipynb", "1-tokenization.ipynb"} <= names
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "https://mybinder.org/v2/gh/us/fork/notebooks?urlpath=lab%2Ftree%2Fheads.ipynb" in readme
    query = "repo=https%3A%2F%2Fgithub.com%2Fus%2Ffork&branch=notebooks&urlpath=lab%2Ftree%2Ffork%2Fheads.ipynb"
    assert f"https://HUB/hub/user-redirect/git-pull?{query}\n" in readme
    assert not any("OWNER" in path.read_text(encoding="utf-8") for path in folder.iterdir())


@pytest.mark.long
def test_away_from_github_notebooks_have_the_address_and_lead_to_the_files_beside_them(book):
    folder = publish.publish_notebooks(book, Origin("file:///srv/fork.git", "c0ffee0"))
    heads = (folder / "heads.ipynb").read_text(encoding="utf-8")
    assert 'library = \\"git+file:///srv/fork.git@c0ffee0\\"' in heads and "](attention.ipynb)" in heads
    links = re.findall(r"\]\(([\w-]+\.(?:ipynb|md))\)", "".join(p.read_text() for p in folder.glob("*.ipynb")))
    assert [link for link in links if not (folder / link).exists()] == []
    assert "Colab" not in (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("origin, card", [(FORK, "https://us.github.io/fork/"), (Origin("file:///srv/f", "c"), "../")])
def test_the_published_site_offers_the_pdf_and_itself(book, origin, card):
    site = publish.publish_site(book, origin)
    page = (site / "book" / "heads.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(\.\./[^"]+)"', page)
    assert links == [f"../{publish.NAME}.pdf", f"../{publish.NAME}.zip"]
    assert all((site / "book" / link).is_file() for link in links)
    assert f'content="{card}_static/card.png"' in page
    with zipfile.ZipFile(site / f"{publish.NAME}.zip") as archive:
        assert {f"{publish.NAME}/book/heads.html", f"{publish.NAME}/{publish.NAME}.pdf"} <= set(archive.namelist())


def test_without_an_origin_it_says_what_to_do(tmp_path, capsys):
    assert publish.main(tmp_path) == 1
    assert "git remote add origin" in capsys.readouterr().err


def push(clone, files: dict[str, str]) -> str:
    folder = clone.parent / "files"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    run = subprocess.run([PUSH, folder], cwd=clone, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def pushed(clone) -> dict[str, str]:
    origin = clone.parent / "us" / "fork.git"
    names = git(origin, "ls-tree", "-r", "--name-only", "notebooks").split("\n")
    return {name: git(origin, "show", f"notebooks:{name}") for name in names}


def test_the_branch_gets_the_files_grows_by_one_commit_and_stays_where_nothing_changed(clone):
    origin, before = clone.parent / "us" / "fork.git", git(clone, "status", "--porcelain", "--branch")
    push(clone, {"a.ipynb": "1", "b.ipynb": "1"})
    assert pushed(clone) == {"a.ipynb": "1", "b.ipynb": "1"}
    first = git(origin, "rev-parse", "notebooks")
    push(clone, {"a.ipynb": "2"})
    assert pushed(clone) == {"a.ipynb": "2"}
    assert git(origin, "rev-parse", "notebooks^") == first
    assert "Nothing changed" in push(clone, {"a.ipynb": "2"})
    assert git(origin, "rev-list", "--count", "notebooks") == "2"
    made_from = git(clone, "log", "-1", "--format=%h: %s")
    assert git(origin, "log", "-1", "--format=%an: %s", "notebooks") == f"Us: The notebooks of {made_from}"
    assert git(clone, "status", "--porcelain", "--branch") == before  # neither the clone's files nor its branch


def test_what_somebody_else_pushed_meanwhile_is_kept_below(clone):
    push(clone, {"a.ipynb": "1"})
    other = clone.parent / "other"
    git(clone.parent, "clone", "--quiet", "--branch", "notebooks", clone.parent / "us" / "fork.git", other)
    (other / "theirs.ipynb").write_text("1")
    git(other, "add", "--all")
    git(other, "commit", "--quiet", "--message", "theirs")
    git(other, "push", "--quiet")
    push(clone, {"a.ipynb": "2"})
    assert "theirs" in git(clone.parent / "us" / "fork.git", "log", "--format=%s", "notebooks").split("\n")


def test_pip_installs_the_library_from_the_address_in_a_notebook(clone, tmp_path):
    """Without building: what pip would clone is there, at that commit, with what it builds from."""
    address, commit = Origin.of(clone).library.removeprefix("git+").split("@")
    git(tmp_path, "clone", "--quiet", address, "taken")
    git(tmp_path / "taken", "checkout", "--quiet", commit)
    assert (tmp_path / "taken" / "tutorial_lib" / "__init__.py").exists()


@pytest.fixture
def report(tmp_path):
    """Runs .github/report with a gh that writes down what it is asked; returns the lines, and the report's text."""
    program = tmp_path / "bin" / "gh"
    program.parent.mkdir()
    log = tmp_path / "asked"
    program.write_text(
        f"""#!/usr/bin/env bash
echo "$1 $2 ${{3-}}" >> {log}
[ "$2" = list ] && {{ printf '%s' "$OPEN"; exit; }}
while [ $# -gt 0 ]; do if [ "$1" = --body-file ]; then cp "$2" {tmp_path}/body; fi; shift; done
"""
    )
    program.chmod(0o755)
    left = tmp_path / "left"
    left.mkdir()
    (left / "versions").write_text("numpy==2.4.6\ntorch==99.0\n")
    (left / "log").write_text("\x1b[31mFAILED\x1b[0m tests/test_x.py\n```\n")

    def run(result: str, open: str) -> list[str]:
        environment = os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}", "OPEN": open}
        command = [REPORT, result, left, "https://example.org/run/1"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
        return [line.strip() for line in log.read_text().splitlines()][1:]

    run.body = lambda: (tmp_path / "body").read_text()
    return run


@pytest.mark.parametrize(
    "result, open, asked",
    [
        ("failure", "", ["issue create --title"]),
        ("failure", "7", ["issue edit 7"]),
        ("success", "7", ["issue close 7"]),
        ("success", "", []),
    ],
)
def test_there_is_one_report_and_only_while_the_newest_versions_fail(report, result, open, asked):
    assert report(result, open) == asked


def test_the_report_says_which_versions_are_new_and_how_it_failed(report):
    report("failure", "")
    body = report.body()
    assert "https://example.org/run/1" in body
    assert "\n    torch==99.0\n" in body and "numpy" not in body
    assert "\n    FAILED tests/test_x.py\n    ```\n" in body
