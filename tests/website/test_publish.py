"""A fork's published files contain its own address, with no line edited. (Real git, bare repositories as origins.)"""

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from website import publish
from website.origin import Origin, on_github, public_address

ROOT = publish.ROOT
PUSH = ROOT / ".github" / "push-notebooks"


def git(folder, *arguments):
    names = ["-c", "user.name=Us", "-c", "user.email=us@example.org"]
    run = subprocess.run(["git", *names, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def commit(folder, name, text=""):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", name)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path):
    bare = tmp_path / "us" / "fork.git"
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", bare)
    return bare


@pytest.fixture
def clone(tmp_path, origin):
    """A clone of a repository with a library of one file."""
    git(tmp_path, "clone", "--quiet", origin, "clone")
    git(tmp_path / "clone", "checkout", "--quiet", "-b", "main")
    commit(tmp_path / "clone", "tutorial_lib/__init__.py")
    git(tmp_path / "clone", "push", "--quiet", "origin", "main")
    return tmp_path / "clone"


@pytest.mark.parametrize(
    "remote, address",
    [
        ("https://github.com/us/fork", "https://github.com/us/fork"),
        ("https://me:secret@github.com/us/fork.git", "https://github.com/us/fork"),
        ("git@github.com:us/fork.git", "https://github.com/us/fork"),
        ("ssh://git@github.com:22/us/fork.git", "https://github.com/us/fork"),
        ("https://git.example.org:8443/us/fork.git", "https://git.example.org:8443/us/fork"),
        ("file:///srv/us/fork.git", "file:///srv/us/fork.git"),
        ("../us/fork.git", "file:///srv/us/fork.git"),
    ],
)
def test_remote_becomes_an_address_for_everybody(remote, address):
    assert public_address(remote, Path("/srv/clone")) == address


def test_origin_is_what_git_says(clone, origin, tmp_path):
    """Its commit is the last one that changed the library, from which pip installs it."""
    changed = git(clone, "rev-parse", "HEAD")
    commit(clone, "prose.md")
    assert Origin.of(clone) == Origin(origin.as_uri(), changed) and on_github(clone) is None
    address, last = Origin.of(clone).library.removeprefix("git+").split("@")
    git(tmp_path, "clone", "--quiet", address, "taken")
    git(tmp_path / "taken", "checkout", "--quiet", last)
    assert (tmp_path / "taken" / "tutorial_lib" / "__init__.py").exists()
    git(clone, "remote", "set-url", "origin", "git@github.com:us/fork.git")
    assert on_github(clone).library == f"git+https://github.com/us/fork@{changed}"


def test_folder_without_its_own_origin_has_none(clone, tmp_path, capsys):
    assert Origin.of(tmp_path) is None
    assert Origin.of(clone / "tutorial_lib") is None  # the book unpacked inside another project
    git(clone, "remote", "remove", "origin")
    assert Origin.of(clone) is None
    assert publish.main(clone) == 1 and "git remote add origin" in capsys.readouterr().err


FORK, LOCAL = Origin("https://github.com/us/fork", "c0ffee0c0ffee"), Origin("file:///srv/fork.git", "c0ffee0")
FRONT_MATTER = "---\nfile_format: mystnb\nkernelspec: {name: python3, display_name: Python 3}\n---\n"


@pytest.fixture
def book(tmp_path):
    """A book of two chapters, with the real settings, and a built site of one page."""
    folder = tmp_path / "book-to-publish"
    for name in ("_config.yml", "environment.yml", "LICENSE", "LICENSE-TEXT", "book/references.bib"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "coursework" / "notebooks", folder / "coursework" / "notebooks")
    footer = re.search(r"extra_footer: \|\n +(.*)", (folder / "_config.yml").read_text(encoding="utf-8"))[1]
    toc = "root: book/index\nparts:\n- chapters: [{file: book/heads}, {file: book/attention}]\n"
    page = f'<meta property="og:image" content="../_static/cards/heads.png" />{footer}'
    files = {"_toc.yml": toc, "book/index.md": "# Preface\n", f"_build/{publish.NAME}.pdf": "%PDF"}
    files |= {"book/attention.md": f"{FRONT_MATTER}# Attention\n", "_build/html/book/heads.html": page}
    files["book/heads.md"] = f"{FRONT_MATTER}# Heads\n\nAfter [attention by hand](attention.md) and {{doc}}`index`.\n"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    "origin, attention, index",
    [
        (
            FORK,
            "[attention by hand](https://colab.research.google.com/github/us/fork/blob/notebooks/attention.ipynb)",
            "[Preface](https://github.com/us/fork/blob/HEAD/book/index.md)",
        ),
        (LOCAL, "[attention by hand](attention.ipynb)", "Preface"),
    ],
    ids=["GitHub", "elsewhere"],
)
def test_published_notebook_leads_to_its_own_repository(book, origin, attention, index):
    folder = publish.publish_notebooks(book, origin)
    for path in folder.glob("*.ipynb"):
        code = "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
        assert code.count(f'library = "{origin.library}"') == 1, path.name
        assert set(re.findall(r"/([\w.-]+/[\w.-]+)/blob", code)) <= {"us/fork"}, path.name
    assert f"After {attention} and {index}." in (folder / "heads.ipynb").read_text(encoding="utf-8")
    files = {"README.md", "LICENSE", "LICENSE-TEXT", "environment.yml", "heads.ipynb", "1-tokenization.ipynb"}
    assert files <= {path.name for path in folder.iterdir()}
    assert f"- {origin.library}\n" in (folder / "environment.yml").read_text(encoding="utf-8")  # for Binder


def test_list_of_notebooks_opens_them_in_three_places(book):
    readme = (publish.publish_notebooks(book, FORK) / "README.md").read_text(encoding="utf-8")
    colab = "[open](https://colab.research.google.com/github/us/fork/blob/notebooks/heads.ipynb)"
    binder = "[open](https://mybinder.org/v2/gh/us/fork/notebooks?urlpath=lab%2Ftree%2Fheads.ipynb)"
    assert f"| [heads.ipynb](heads.ipynb) | {colab} | {binder} |\n" in readme
    query = "repo=https%3A%2F%2Fgithub.com%2Fus%2Ffork&branch=notebooks&urlpath=lab%2Ftree%2Ffork%2Fheads.ipynb"
    assert f"https://HUB/hub/user-redirect/git-pull?{query}\n" in readme


@pytest.mark.parametrize("origin, card", [(FORK, "https://us.github.io/fork/"), (LOCAL, "../")])
def test_published_site_offers_the_pdf_and_itself(book, origin, card):
    site = publish.publish_site(book, origin)
    page = (site / "book" / "heads.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(\.\./[^"]+)"', page)
    assert links == [f"../{publish.NAME}.pdf", f"../{publish.NAME}.zip"]
    assert all((site / "book" / link).is_file() for link in links)
    assert f'content="{card}_static/cards/heads.png"' in page
    with zipfile.ZipFile(site / f"{publish.NAME}.zip") as archive:
        assert {f"{publish.NAME}/book/heads.html", f"{publish.NAME}/{publish.NAME}.pdf"} <= set(archive.namelist())


def push(clone, files: dict[str, str]) -> str:
    folder = clone.parent / "files"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return subprocess.run([PUSH, folder], cwd=clone, capture_output=True, text=True, check=True).stdout


def test_branch_of_notebooks_grows_by_one_commit(clone, origin):
    """The history continues: a commit that somebody else pushed meanwhile stays. Nothing else in the clone changes."""
    before, revisions = git(clone, "status", "--porcelain", "--branch"), []
    for files in ({"a.ipynb": "1", "b.ipynb": "1"}, {"a.ipynb": "2"}):
        push(clone, files)
        names = git(origin, "ls-tree", "-r", "--name-only", "notebooks").split("\n")
        assert {name: git(origin, "show", f"notebooks:{name}") for name in names} == files
        revisions.append(git(origin, "rev-parse", "notebooks"))
    assert git(origin, "rev-parse", "notebooks^") == revisions[0]
    assert "Nothing changed" in push(clone, {"a.ipynb": "2"}) and git(origin, "rev-parse", "notebooks") == revisions[1]
    made_from = git(clone, "log", "-1", "--format=%h: %s")
    assert git(origin, "log", "-1", "--format=%an: %s", "notebooks") == f"Us: The notebooks of {made_from}"
    assert git(clone, "status", "--porcelain", "--branch") == before
    git(clone.parent, "clone", "--quiet", "--branch", "notebooks", origin, "other")
    commit(clone.parent / "other", "theirs.ipynb")
    git(clone.parent / "other", "push", "--quiet")
    push(clone, {"a.ipynb": "3"})
    assert git(origin, "log", "--format=%s", "notebooks").split("\n")[1] == "theirs.ipynb"
