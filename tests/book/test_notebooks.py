"""A page of the site and its notebook: the button that leads there, the numbers that both give, the same cells."""

import ast
import json
import re

import nbformat
import pytest

for package in ("jupytext", "pybtex"):
    pytest.importorskip(package)
make_notebooks = pytest.importorskip("make_notebooks")
build_book = pytest.importorskip("build_book")
on_github = pytest.importorskip("origin").on_github
ROOT = build_book.ROOT
CHAPTERS = [path.stem for path in make_notebooks.chapters(ROOT)]
NUMBERS = {
    "(": r'id="equation-{label}".*?class="eqno">(\([\d.]+\))',
    "F": r'id="{label}".*?class="caption-number">(Fig\. [\d.]+?) ?<',
    "T": r'id="{label}".*?class="caption-number">(Table [\d.]+?) ?<',
}


@pytest.fixture(scope="module")
def book():
    return make_notebooks.Book(ROOT)


def is_chapter(page) -> bool:
    return page.parent.name == "book" and page.stem in CHAPTERS


def test_the_colab_button_opens_the_published_notebook_where_the_repository_is_on_github(page):
    links = re.findall(r'<a href="(https://colab[^"]*)" target', page.read_text(encoding="utf-8"))
    origin = on_github(ROOT)
    assert links == ([origin.colab(f"{page.stem}.ipynb")] if origin and is_chapter(page) else [])


def test_a_chapter_offers_its_notebook_and_the_library(page):
    offered = re.findall(r'href="(\.\./notebooks/[^"]*)" target', page.read_text(encoding="utf-8"))
    expected = [f"../notebooks/{page.stem}.ipynb", "../notebooks/tutorial_lib-1.0.0-py3-none-any.whl"]
    assert offered == (expected if is_chapter(page) else [])


def test_a_notebook_of_the_site_leads_to_files_that_are_there(site):
    for path in (site / "notebooks").glob("*.ipynb"):
        text = "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
        links = re.findall(r"\]\(([\w./-]+\.(?:ipynb|html))\)", text)
        assert [link for link in links if not (path.parent / link).exists()] == [], path.name


def test_formulas_figures_and_tables_have_the_same_numbers_in_the_notebook(page, book):
    text = page.read_text(encoding="utf-8")
    here = {label: shown for label, shown in book.labels.items() if page.parent.name == "book"}
    numbered = {label: n for label, n in here.items() if book.homes[label] == page.stem and re.search(r"\d\)?$", n)}
    pages = {}
    for label, number in numbered.items():
        found = re.search(NUMBERS[number[0]].format(label=re.escape(label)), text, re.S)
        pages[label] = found and found[1]
    assert pages == numbered


@pytest.fixture(scope="module", params=CHAPTERS)
def chapter(request, book):
    return request.param, json.loads(make_notebooks.notebook(book, request.param))


def sources(notebook, kind):
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def test_notebook_is_valid_and_has_no_outputs(chapter):
    notebook = nbformat.from_dict(chapter[1])
    nbformat.validate(notebook)
    assert [cell for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []


def test_notebook_has_the_cells_of_its_chapter(chapter):
    """Read apart from the converter: by a pattern, from the chapter's text. All but the first are plain Python."""
    text = (ROOT / "book" / f"{chapter[0]}.md").read_text(encoding="utf-8")
    written = re.findall(r"^```\{code-cell\}[^\n]*\n(?:---\n.*?\n---\n|(?::[^\n]*\n)*)(.*?)^```$", text, re.M | re.S)
    install, *cells = sources(chapter[1], "code")
    assert "%pip install" in install
    cells = [cell.removeprefix("#@title Compare with your guess\n").strip() for cell in cells]
    assert cells == [cell.strip() for cell in written]
    for cell in cells:
        ast.parse(cell)


def test_notebook_has_no_markup_of_the_site(chapter, book):
    prose = re.sub(r"(`{3,}).*?\1|`[^`\n]+`", "", "\n\n".join(sources(chapter[1], "markdown")), flags=re.S)
    assert re.findall(rf"\\(?:{'|'.join(book.macros)})(?![A-Za-z])", prose) == []
    words = re.sub(r"\$\$.+?\$\$|(?<!\\)\$[^$]+\$", "", prose, flags=re.S)
    assert re.findall(r":::|\{[a-z:]+\}|^\+\+\+|^\([\w-]+\)=|^%|\{\{|^:\w+:|\[\]\(", words, re.M) == []
    targets = re.findall(r"\]\(([^)]*)\)", words)
    places = {f"#{place}" for place in re.findall(r'<a id="([^"]+)"></a>', words)}
    files = {f"{path.stem}.{'ipynb' if path.stem in CHAPTERS else 'md'}" for path in (ROOT / "book").glob("*.md")}
    assert [to for to in targets if not re.fullmatch(r"https?://[^\s<>]+", to) and to not in files | places] == []
