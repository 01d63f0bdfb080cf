"""A page of the site and its notebook: the buttons that lead there, the same numbers, the same cells."""

import ast
import json
import re
from pathlib import Path

import nbformat
import pytest

for package in ("jupytext", "pybtex"):
    pytest.importorskip(package)
convert = pytest.importorskip("website.notebooks.convert")
on_github = pytest.importorskip("website.origin").on_github
values = pytest.importorskip("website.build.values")
ROOT = Path(convert.__file__).resolve().parents[2]
CHAPTERS = [path.stem for path in convert.chapters(ROOT)]
NUMBERS = {
    "(": r'id="equation-{label}".*?class="eqno">(\([\d.]+\))',
    "F": r'id="{label}".*?class="caption-number">(Fig\. [\d.]+?) ?<',
    "T": r'id="{label}".*?class="caption-number">(Table [\d.]+?) ?<',
}


@pytest.fixture(scope="module")
def book():
    return convert.Book(ROOT)


def test_only_chapters_offer_a_notebook_and_the_library(page):
    text = page.read_text(encoding="utf-8")
    is_chapter = page.parent.name == "book" and page.stem in CHAPTERS
    expected = [f"../notebooks/{page.stem}.ipynb", "../notebooks/tutorial_lib-1.0.0-py3-none-any.whl"]
    assert re.findall(r'href="(\.\./notebooks/[^"]*)" target', text) == (expected if is_chapter else [])
    origin = on_github(ROOT)
    colab = [origin.colab(f"{page.stem}.ipynb")] if origin and is_chapter else []
    assert re.findall(r'<a href="(https://colab[^"]*)" target', text) == colab


def test_page_and_notebook_have_the_same_numbers(page, book):
    """Formulas, figures and tables have the same numbers in both."""
    text = page.read_text(encoding="utf-8")
    for label, number in book.labels.items():
        if page.parent.name == "book" and book.homes[label] == page.stem and re.search(r"\d\)?$", number):
            found = re.search(NUMBERS[number[0]].format(label=re.escape(label)), text, re.S)
            assert found and found[1] == number, label


def test_links_of_a_notebook_lead_to_files(site):
    for path in (site / "notebooks").glob("*.ipynb"):
        text = "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
        links = re.findall(r"\]\(([\w./-]+\.(?:ipynb|html))\)", text)
        assert [link for link in links if not (path.parent / link).exists()] == [], path.name


@pytest.fixture(scope="module", params=CHAPTERS)
def chapter(request, book):
    return request.param, nbformat.from_dict(json.loads(convert.notebook(book, request.param)))


def sources(notebook, kind):
    return ["".join(cell["source"]) for cell in notebook.cells if cell.cell_type == kind]


def test_notebook_has_the_cells_of_its_chapter(chapter):
    """Plain Python below the cell that installs, without outputs."""
    name, notebook = chapter
    nbformat.validate(notebook)
    assert [cell for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []
    install, *cells = sources(notebook, "code")
    assert "%pip install" in install
    cells = [cell.removeprefix("#@title Compare with your guess\n").strip() for cell in cells]
    text = (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
    assert cells == [cell["code"].strip() for cell in values.CELL.finditer(text)]
    for cell in cells:
        ast.parse(cell)


def test_notebook_has_no_markup_of_the_site(chapter, book):
    prose = re.sub(r"(`{3,}).*?\1|`[^`\n]+`", "", "\n\n".join(sources(chapter[1], "markdown")), flags=re.S)
    assert re.findall(rf"\\(?:{'|'.join(book.macros)})(?![A-Za-z])", prose) == []
    words = re.sub(r"\$\$.+?\$\$|(?<!\\)\$[^$]+\$", "", prose, flags=re.S)
    assert re.findall(r":::|\{[a-z:]+\}|^\+\+\+|^\([\w-]+\)=|^%|\{\{|^:\w+:|\[\]\(", words, re.M) == []
    places = {f"#{place}" for place in re.findall(r'<a id="([^"]+)"></a>', words)}
    places |= {f"{path.stem}.{'ipynb' if path.stem in CHAPTERS else 'md'}" for path in (ROOT / "book").glob("*.md")}
    targets = re.findall(r"\]\(([^)]*)\)", words)
    assert [to for to in targets if not re.fullmatch(r"https?://[^\s<>]+", to) and to not in places] == []
