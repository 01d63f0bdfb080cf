"""The build runs a chapter when, and only when, something that it depends on changed."""

import asyncio
import re
import subprocess
from types import SimpleNamespace

import pytest

build_book = pytest.importorskip("build_book")
for package in ("jupyter_cache", "myst_nb", "nbclient"):
    pytest.importorskip(package)
kernel_copies = pytest.importorskip("kernel_copies")
Names = pytest.importorskip("names").Names

FRONT_MATTER = "---\nfile_format: mystnb\nkernelspec: {name: python3, display_name: Python 3}\n---\n"


def cell(code: str) -> str:
    return f"```{{code-cell}} python3\n{code}\n```\n"


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A book of one chapter with a library of one line, and kernels that have imported nothing."""
    monkeypatch.setattr(kernel_copies, "IMPORTED", [])
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

    async def run_chapter(path, notebook, environment, root):
        names.append(path.stem)
        return build_book.Ran(1.0, [root / "tutorial_lib" / "__init__.py", root / "tutorial_lib" / "coming.txt"])

    monkeypatch.setattr(build_book, "run_chapter", run_chapter)
    return names


def run(root):
    _, failures = asyncio.run(build_book.run_chapters(root, build_book.chapters(root)))
    return failures


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


def figure(caption: str, code: str = "x = 3") -> str:
    return cell(f'---\nmystnb:\n  figure:\n    name: fig-a\n    caption: "{caption}"\n---\n{code}')


def test_caption_changes_without_a_run_and_its_page_is_made_again(book, runs):
    made = []
    for caption in ("One.", "Another."):
        (book / "book" / "one.md").write_text(f"{FRONT_MATTER}# One\n\n{figure(caption)}")
        made.append(asyncio.run(build_book.run_chapters(book, build_book.chapters(book)))[0]["book/one"])
    assert runs == ["one"] and made[0] != made[1]


def test_another_arithmetic_is_another_run(book, runs, monkeypatch):
    run(book)
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    run(book)
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    run(book)
    run(book)
    assert runs == ["one"] * 3


def test_variables_of_the_makefile_are_part_of_a_runs_key():
    makefile = (build_book.ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"\b([A-Z_]+)=", re.search(r"^AVX2 = .*?^\$", makefile, re.M | re.S)[0])
    assert len(named) == 10 and set(named) <= set(build_book.ARITHMETIC)


def test_mistakes_of_all_pages_are_told_before_a_chapter_runs(book, runs, capsys):
    (book / "book" / "one.md").write_text(f"{FRONT_MATTER}# One\n\n{cell('x = 3')}\n{{v}}`y`\n\n{{v}}`1 +`\n")
    assert build_book.build(book) == 1
    said = capsys.readouterr().err
    assert "book/one.md:11: {v}`y`: no cell of one has y" in said and "book/one.md:13: {v}`1 +`: " in said
    assert runs == []


def test_changed_code_runs_a_chapter_again(book, runs):
    run(book)
    chapter = book / "book" / "one.md"
    chapter.write_text(chapter.read_text().replace("6 * 7", "7 * 6"))
    run(book)
    assert runs == ["one", "one"]


@pytest.mark.parametrize("name", ["__init__.py", "coming.txt"])
def test_a_change_in_a_file_that_was_read_runs_a_chapter_again(book, runs, name):
    run(book)
    (book / "tutorial_lib" / name).write_text("x = 2\n")
    run(book)
    assert runs == ["one", "one"]


def test_a_change_in_a_file_that_was_not_read_runs_nothing(book, runs):
    run(book)
    (book / "tutorial_lib" / "other.py").write_text("x = 2\n")
    run(book)
    assert runs == ["one"]


def test_going_back_to_what_ran_before_runs_nothing(book, runs):
    file = book / "tutorial_lib" / "__init__.py"
    for text in ("x = 1\n", "x = 2\n", "x = 1\n", "x = 2\n"):
        file.write_text(text)
        run(book)
    assert runs == ["one", "one"]


def test_only_the_last_runs_are_kept(book, runs):
    for number in range(build_book.MOST_RUNS + 3):
        (book / "tutorial_lib" / "__init__.py").write_text(f"x = {number}\n")
        run(book)
    kept = [file.suffix for file in (book / "_build" / "runs" / "one").iterdir()]
    assert sorted(kept) == [".json"] * build_book.MOST_RUNS + [".names"] * build_book.MOST_RUNS


def test_a_run_whose_names_are_gone_is_made_again(book, runs):
    run(book)
    (names,) = (book / "_build" / "runs" / "one").glob("*.names")
    names.unlink()
    run(book)
    run(book)
    assert runs == ["one", "one"]


def test_a_file_that_changes_while_a_chapter_runs_makes_it_run_again(book, monkeypatch, capsys):
    names, file = [], book / "tutorial_lib" / "__init__.py"

    async def run_chapter(path, notebook, environment, root):
        names.append(path.stem)
        if len(names) == 1:
            await asyncio.sleep(0.02)  # a file's time lags behind the clock by up to a tick
            file.write_text("x = 2\n")
        return build_book.Ran(1.0, [file])

    monkeypatch.setattr(build_book, "run_chapter", run_chapter)
    for _ in range(3):
        run(book)
    assert names == ["one", "one"]
    assert "changed while it ran" in capsys.readouterr().out


def test_another_version_of_a_package_runs_every_chapter_again(book, runs, monkeypatch):
    run(book)
    monkeypatch.setattr(build_book, "version", lambda name: "0.0")
    run(book)
    assert runs == ["one", "one"]


def test_a_chapter_draws_for_slides_once_it_has_a_page_for_its_teacher(book, monkeypatch):
    given = []

    async def run_chapter(path, notebook, environment, root):
        given.append("TUTORIAL_BOOK_SLIDES" in environment)
        return build_book.Ran()

    monkeypatch.setattr(build_book, "run_chapter", run_chapter)
    run(book)
    (book / "book" / "teach").mkdir()
    (book / "book" / "teach" / "one.md").write_text("# A plan\n")
    run(book)
    run(book)
    assert given == [False, True]


@pytest.mark.filterwarnings("ignore")  # the kernel's own
def test_a_real_run_says_which_files_it_read(book, monkeypatch):
    """One plot, one claim, one core file of a library: each runs the chapters that loaded it, and no other."""
    library = book / "tutorial_lib"
    for name in ("plot", "claim", "core"):
        (library / f"{name}.py").write_text("from pathlib import Path\nx = 1\n")
    (library / "words.txt").write_text("a b c\n")
    pages = {
        "one": "import sys; sys.path.insert(0, '..')\nimport tutorial_lib.core, tutorial_lib.plot",
        "two": "import sys; sys.path.insert(0, '..')\nimport tutorial_lib.core, tutorial_lib.claim",
        "three": "open('../tutorial_lib/words.txt').read()",
    }
    toc = ", ".join(f"{{file: book/{name}}}" for name in pages)
    (book / "_toc.yml").write_text(f"root: book/index\nparts: [{{chapters: [{toc}]}}]\n")
    for name, code in pages.items():
        (book / "book" / f"{name}.md").write_text(f"{FRONT_MATTER}# {name}\n\n{cell(code)}")
    really, names = build_book.run_chapter, []

    async def counted(path, *rest):
        names.append(path.stem)
        return await really(path, *rest)

    monkeypatch.setattr(build_book, "run_chapter", counted)

    def ran_after(name):
        if name:
            (library / name).write_text((library / name).read_text() + "\n")
        names.clear()
        assert run(book) == []
        return sorted(names)

    assert ran_after(None) == ["one", "three", "two"]
    assert ran_after(None) == []
    assert ran_after("plot.py") == ["one"]
    assert ran_after("claim.py") == ["two"]
    assert ran_after("words.txt") == ["three"]
    assert ran_after("core.py") == ["one", "two"]


@pytest.mark.filterwarnings("ignore")
def test_a_real_run_leaves_outputs_where_sphinx_finds_them(book, capsys):
    assert run(book) == []
    from jupyter_cache import get_cache

    cache = get_cache(book / "_build" / ".jupyter_cache")
    _, notebook = cache.merge_match_into_notebook(build_book.read_chapter(book / "book" / "one.md"))
    assert notebook.cells[-1].outputs[0].text == "42\n"
    assert "one: " in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")
def test_sphinx_finds_a_run_by_captions_with_its_values(book):
    (book / "book" / "one.md").write_text(f"{FRONT_MATTER}# One\n\n{figure('It is {v}`x:word`.')}")
    assert run(book) == []
    (current,) = build_book.chapters(book)
    text = (book / "_build" / "filled" / "book" / "one.md").read_text()
    notebook = build_book.read_chapter(current, text)
    _, notebook = build_book.outputs(book).merge_match_into_notebook(notebook)
    assert notebook.cells[-1].metadata["mystnb"]["figure"]["caption"] == "It is three."


def names_of(book) -> Names:
    (current,) = asyncio.run(build_book.current_runs(book, build_book.chapters(book)))
    return Names("one", current["names"].read_bytes())


@pytest.mark.filterwarnings("ignore")
def test_the_names_of_a_run_are_those_of_the_chapter_and_the_library_as_they_are(book):
    """They change with a cell and with the library, leave no trace in the notebook, and no file of tools is read."""
    code = "import sys\nsys.path.insert(0, '..')\nfrom tutorial_lib import x\ny = {0} * x\ndef more(z): return y + z"
    chapter, library = book / "book" / "one.md", book / "tutorial_lib" / "__init__.py"
    chapter.write_text(f"{FRONT_MATTER}# One\n\n{cell(code.format(2))}")
    assert (names_of(book).y, names_of(book).more(5)) == (2, 7)
    chapter.write_text(f"{FRONT_MATTER}# One\n\n{cell(code.format(3))}")
    assert names_of(book).y == 3
    library.write_text("x = 10\n")
    assert (names_of(book).y, names_of(book).more(5)) == (30, 35)
    library.write_text("x = 1\n")
    assert names_of(book).y == 3
    (current,) = asyncio.run(build_book.current_runs(book, build_book.chapters(book)))
    assert "pack" not in current["notebook"] and list(current["files"]) == ["tutorial_lib/__init__.py"]


@pytest.mark.filterwarnings("ignore")
def test_a_failing_cell_is_told_with_its_traceback_and_not_cached(book):
    (book / "book" / "one.md").write_text(f"{FRONT_MATTER}# One\n\n{cell('1 / 0')}")
    for _ in range(2):
        (failure,) = run(book)
        assert "one.md" in failure and "1 / 0" in failure and "ZeroDivisionError" in failure


def test_pages_are_made_only_where_something_changed(book, monkeypatch):
    """Sphinx stands in for itself: it writes the front page and complains where it is told to."""
    calls, code = [], 0

    class Ended:
        returncode = property(lambda self: code)

    def sphinx(command, **_):
        calls.append(command)
        (book / "_build" / "html").mkdir(exist_ok=True)
        (book / "_build" / "html" / "index.html").write_text("a book")
        return Ended()

    def makes(made="a key"):
        calls.clear()
        assert build_book.build_pages(book, {"book/one": made}) == code
        return bool(calls)

    (book / "_build").mkdir()
    monkeypatch.setattr(build_book, "subprocess", SimpleNamespace(run=sphinx, STDOUT=subprocess.STDOUT))  # git stays
    assert makes() and not makes()
    assert makes("another key") and not makes("another key")
    for name in ("book/index.md", "_toc.yml", "pyproject.toml", "tutorial_lib/__init__.py", "book/new.md"):
        (book / name).write_text("changed")
        assert makes(), name
        assert not makes(), name
    address = ["init", "-q"], ["remote", "add", "origin", "https://github.com/us/book"]
    for arguments in address:
        subprocess.run(["git", "-C", book, *arguments], check=True)
    assert makes() and not makes()  # links to Colab lead there
    (book / "_build" / "html" / "index.html").unlink()
    assert makes() and not makes()
    code = 1  # what failed is made again
    (book / "book" / "index.md").write_text("wrong")
    assert makes() and makes()
