"""The build runs a chapter when, and only when, something that it depends on changed."""

import asyncio

import pytest

build_book = pytest.importorskip("build_book")
for package in ("jupyter_cache", "myst_nb", "nbclient"):
    pytest.importorskip(package)

FRONT_MATTER = "---\nfile_format: mystnb\nkernelspec: {name: python3, display_name: Python 3}\n---\n"


def cell(code: str) -> str:
    return f"```{{code-cell}} python3\n{code}\n```\n"


@pytest.fixture
def book(tmp_path):
    """A book of one chapter with a library of one line."""
    (tmp_path / "_toc.yml").write_text("root: book/index\nparts: [{chapters: [{file: book/one}]}]\n")
    (tmp_path / "tutorial_lib").mkdir()
    (tmp_path / "tutorial_lib" / "__init__.py").write_text("x = 1\n")
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "index.md").write_text("# A book\n")
    (tmp_path / "book" / "one.md").write_text(f"{FRONT_MATTER}# One\n\n{cell('print(6 * 7)')}")
    return tmp_path


@pytest.fixture
def runs(monkeypatch):
    """Names of the chapters that were run, without a kernel: running stands in for itself."""
    names = []

    async def run_chapter(path, notebook, environment):
        names.append(path.stem)
        return 1.0

    monkeypatch.setattr(build_book, "run_chapter", run_chapter)
    return names


def run(root):
    return asyncio.run(build_book.run_chapters(root, build_book.chapters(root)))


def test_pages_without_code_are_no_chapters(book):
    assert [path.stem for path in build_book.chapters(book)] == ["one"]


def test_an_unchanged_chapter_runs_once(book, runs):
    run(book)
    run(book)
    assert runs == ["one"]


def test_changed_prose_does_not_run_a_chapter_again(book, runs):
    run(book)
    chapter = book / "book" / "one.md"
    chapter.write_text(chapter.read_text().replace("# One", "# The first"))
    run(book)
    assert runs == ["one"]


def test_changed_code_runs_a_chapter_again(book, runs):
    run(book)
    chapter = book / "book" / "one.md"
    chapter.write_text(chapter.read_text().replace("6 * 7", "7 * 6"))
    run(book)
    assert runs == ["one", "one"]


@pytest.mark.parametrize("name", ["__init__.py", "data.txt"])
def test_a_changed_library_runs_every_chapter_again(book, runs, name):
    run(book)
    (book / "tutorial_lib" / name).write_text("x = 2\n")
    run(book)
    assert runs == ["one", "one"]


def test_another_version_of_a_package_runs_every_chapter_again(book, runs, monkeypatch):
    run(book)
    monkeypatch.setattr(build_book, "version", lambda name: "0.0")
    run(book)
    assert runs == ["one", "one"]


@pytest.mark.filterwarnings("ignore")  # the kernel's own
def test_a_real_run_leaves_outputs_where_sphinx_finds_them(book, capsys):
    assert run(book) == []
    from jupyter_cache import get_cache

    cache = get_cache(book / "_build" / ".jupyter_cache")
    _, notebook = cache.merge_match_into_notebook(build_book.read_chapter(book / "book" / "one.md"))
    assert notebook.cells[-1].outputs[0].text == "42\n"
    assert "one: " in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")
def test_a_failing_cell_is_told_with_its_traceback_and_not_cached(book):
    (book / "book" / "one.md").write_text(f"{FRONT_MATTER}# One\n\n{cell('1 / 0')}")
    for _ in range(2):
        (failure,) = run(book)
        assert "one.md" in failure and "1 / 0" in failure and "ZeroDivisionError" in failure
