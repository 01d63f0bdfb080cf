"""The build runs a chapter when, and only when, something that it depends on changed."""

import asyncio
import os
import re
import subprocess
from types import SimpleNamespace

import pytest

from website import book as whole
from website.build import kernels
from website.build import runs as build
from website.build.namespace import Names
from website.project import ROOT

FRONT_MATTER = "---\nfile_format: mystnb\nkernelspec: {name: python3, display_name: Python 3}\n---\n"
KERNEL_WARNS = pytest.mark.filterwarnings("ignore")


def cell(code: str) -> str:
    return f"```{{code-cell}} python3\n{code}\n```\n"


def figure(caption: str) -> str:
    return cell(f'---\nmystnb:\n  figure:\n    name: fig-a\n    caption: "{caption}"\n---\nx = 3')


def write(root, text, name="one"):
    (root / "book" / f"{name}.md").write_text(f"{FRONT_MATTER}# One\n\n{text}")


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A book of one chapter with a library of one line, and kernels that have imported nothing."""
    monkeypatch.setattr(kernels, "IMPORTED", [])
    (tmp_path / "_toc.yml").write_text("root: book/index\nparts: [{chapters: [{file: book/one}]}]\n")
    for folder in ("book/teach", "tutorial_lib"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "tutorial_lib" / "__init__.py").write_text("x = 1\n")
    (tmp_path / "book" / "index.md").write_text("# A book\n")
    write(tmp_path, cell("print(6 * 7)"))
    return tmp_path


@pytest.fixture
def runs(monkeypatch):
    """The chapters that ran, and whether they drew for slides, without a kernel: running stands in for itself."""
    names = []

    async def run_chapter(path, notebook, environment, root):
        names.append(path.stem + " with slides" * ("TUTORIAL_BOOK_SLIDES" in environment))
        return build.Ran(1.0, [root / "tutorial_lib" / "__init__.py", root / "tutorial_lib" / "coming.txt"])

    monkeypatch.setattr(build, "run_chapter", run_chapter)
    return names


def run(root):
    """The failures of a build's chapters."""
    return asyncio.run(build.run_chapters(root, build.chapters(root)))[1]


def current(root) -> dict:
    return asyncio.run(build.current_runs(root, build.chapters(root)))["one"]


def test_pages_without_code_are_no_chapters(book):
    assert [path.stem for path in build.chapters(book)] == ["one"]


def library(name):
    return lambda book, monkeypatch: (book / "tutorial_lib" / name).write_text("x = 2\n")


def other(variable, *values):
    """Set a variable to the first of two values that differs from its own: tests also run under other arithmetics."""
    return lambda book, monkeypatch: monkeypatch.setenv(
        variable, next(value for value in values if value != os.environ.get(variable))
    )


def without_names(book, monkeypatch):
    for path in (book / "_build" / "runs" / "one").glob("*.names"):
        path.unlink()


CHANGES = {
    "nothing": (lambda book, monkeypatch: None, []),
    "prose": (lambda book, monkeypatch: write(book, f"More.\n\n{cell('print(6 * 7)')}"), []),
    "code": (lambda book, monkeypatch: write(book, cell("print(7 * 6)")), ["one"]),
    "a file that was read": (library("__init__.py"), ["one"]),
    "a file that was looked for": (library("coming.txt"), ["one"]),
    "another file": (library("other.py"), []),
    "arithmetic of torch": (other("ATEN_CPU_CAPABILITY", "default", "avx2"), ["one"]),
    "arithmetic of numba": (other("NUMBA_CPU_NAME", "generic", "haswell"), ["one"]),
    "packages": (lambda book, monkeypatch: monkeypatch.setattr(build, "version", lambda name: "0.0"), ["one"]),
    "a run without names": (without_names, ["one"]),
    "a plan": (lambda book, monkeypatch: (book / "book/teach/one.md").write_text("# A plan\n"), ["one with slides"]),
}


@pytest.mark.parametrize("change, again", CHANGES.values(), ids=CHANGES)
def test_chapter_runs_again_when_what_it_needs_changed(book, runs, monkeypatch, change, again):
    run(book)
    change(book, monkeypatch)
    for _ in range(2):
        run(book)
    assert runs == ["one", *again]


def test_caption_changes_the_page_without_a_run(book, runs):
    made = []
    for caption in ("One.", "Another."):
        write(book, figure(caption))
        made.append(asyncio.run(build.run_chapters(book, build.chapters(book)))[0]["book/one"])
    assert runs == ["one"] and made[0] != made[1]


def test_key_of_a_run_has_the_makefiles_variables():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"\b([A-Z_]+)=", re.search(r"^AVX2 = .*?^\$", makefile, re.M | re.S)[0])
    assert len(named) == 10 and set(named) <= set(build.ARITHMETIC)


def test_mistakes_are_reported_before_a_chapter_runs(book, runs, capsys):
    write(book, f"{cell('x = 3')}\n{{v}}`y`\n\n{{v}}`1 +`\n")
    assert whole.build(book) == 1
    said = capsys.readouterr().err
    assert "book/one.md:11: {v}`y`: no cell of one has y" in said and "book/one.md:13: {v}`1 +`: " in said
    assert runs == []


def test_last_runs_are_kept_and_found_again(book, runs, monkeypatch):
    monkeypatch.setattr(build, "MOST_RUNS", 2)
    file = book / "tutorial_lib" / "__init__.py"
    for number in (1, 2, 1, 2, 3, 2, 1):  # when 3 has run, 1 is forgotten
        file.write_text(f"x = {number}\n")
        run(book)
    assert runs == ["one"] * 4
    kept = [file.suffix for file in (book / "_build" / "runs" / "one").iterdir()]
    assert sorted(kept) == [".json"] * 2 + [".names"] * 2


def test_file_that_changes_during_a_run_makes_another(book, monkeypatch, capsys):
    names, file = [], book / "tutorial_lib" / "__init__.py"

    async def run_chapter(path, notebook, environment, root):
        names.append(path.stem)
        if len(names) == 1:
            await asyncio.sleep(0.02)  # a file's time lags behind the clock by up to a tick
            file.write_text("x = 2\n")
        return build.Ran(1.0, [file])

    monkeypatch.setattr(build, "run_chapter", run_chapter)
    for _ in range(3):
        run(book)
    assert names == ["one", "one"] and "changed while it ran" in capsys.readouterr().out


@KERNEL_WARNS
def test_kernel_says_which_files_it_read(book, capsys):
    """One plot, one core file of a library, one text: each runs the chapters that loaded it, and no other."""
    for name, text in {"plot.py": "x = 1\n", "core.py": "x = 1\n", "words.txt": "a b c\n"}.items():
        (book / "tutorial_lib" / name).write_text(text)
    words = "open('../tutorial_lib/words.txt').read()"
    for name, last in (("one", "import tutorial_lib.plot"), ("two", words)):
        write(book, cell(f"import sys; sys.path.insert(0, '..')\nimport tutorial_lib.core\n{last}"), name)
    (book / "_toc.yml").write_text("root: book/index\nparts: [{chapters: [{file: book/one}, {file: book/two}]}]\n")
    after = {}
    for name in ("", "plot.py", "words.txt", "core.py", "."):
        if "." in name[1:]:
            (book / "tutorial_lib" / name).write_text((book / "tutorial_lib" / name).read_text() + "\n")
        assert run(book) == []
        after[name] = sorted(re.findall(r"(\w+): running", capsys.readouterr().out))
    both = ["one", "two"]
    assert after == {"": both, "plot.py": ["one"], "words.txt": ["two"], "core.py": both, ".": []}


@KERNEL_WARNS
def test_sphinx_finds_outputs_by_captions_with_their_values(book, capsys):
    write(book, cell("print(6 * 7)") + figure("It is {v}`x:word`."))
    assert run(book) == [] and "one: " in capsys.readouterr().out
    text = (book / "_build" / "filled" / "book" / "one.md").read_text()
    notebook = build.read_chapter(book / "book" / "one.md", text)
    _, notebook = build.outputs(book).merge_match_into_notebook(notebook)
    *_, code, last = notebook.cells
    assert code.outputs[0].text == "42\n"
    assert last.metadata["mystnb"]["figure"]["caption"] == "It is three."


@KERNEL_WARNS
def test_names_of_a_run_are_those_of_today(book):
    """They change with a cell and with the library, leave no trace in the notebook, and no file of the site is read."""
    code = "import sys\nsys.path.insert(0, '..')\nfrom tutorial_lib import x\ny = {0} * x\ndef more(z): return y + z"
    for factor, x in ((2, 1), (3, 1), (3, 10), (2, 1)):
        write(book, cell(code.format(factor)))
        (book / "tutorial_lib" / "__init__.py").write_text(f"x = {x}\n")
        run_of_today = current(book)
        names = Names("one", run_of_today["names"].read_bytes())
        assert (names.y, names.more(5)) == (factor * x, factor * x + 5)
    assert "pack" not in run_of_today["notebook"] and list(run_of_today["files"]) == ["tutorial_lib/__init__.py"]


@KERNEL_WARNS
def test_failing_cell_is_reported_and_not_kept(book):
    write(book, cell("1 / 0"))
    for _ in range(2):
        (failure,) = run(book)
        assert "one.md" in failure and "1 / 0" in failure and "ZeroDivisionError" in failure


def test_pages_are_made_only_where_something_changed(book, monkeypatch):
    """Replace Sphinx: it writes the front page and complains if told to."""
    calls, ended = [], SimpleNamespace(returncode=0)
    front = book / "_build" / "html" / "index.html"
    front.parent.mkdir(parents=True)

    def sphinx(command, **options):
        calls.append((command, options["env"]["OUTDATED_PAGES"].split()))
        front.write_text("a book")
        return ended

    def makes(made="a key"):
        calls.clear()
        assert whole.build_pages(book, {"book/one": made}) == ended.returncode
        return bool(calls)

    monkeypatch.setattr(whole, "subprocess", SimpleNamespace(run=sphinx, STDOUT=subprocess.STDOUT))  # git stays
    assert makes() and not makes()
    assert makes("another key") and calls[0][1] == ["book/one", "book/figures"] and "--all" not in calls[0][0]
    assert not makes("another key")
    for name in ("book/index.md", "_toc.yml", "pyproject.toml", "tutorial_lib/__init__.py", "book/new.md"):
        (book / name).write_text("changed")
        assert makes() and ("--all" in calls[0][0]) == (name == "_toc.yml"), name
        assert not makes(), name
    for arguments in (["init", "-q"], ["remote", "add", "origin", "https://github.com/us/book"]):
        subprocess.run(["git", "-C", book, *arguments], check=True)
    assert makes() and not makes()  # links to Colab lead there
    front.unlink()
    assert makes() and not makes()
    ended.returncode = 1  # what failed is made again
    (book / "book" / "index.md").write_text("wrong")
    assert makes() and makes()
