"""Between a page of the site and its notebook: the button that leads there, and the numbers that both give."""

import json
import re

import pytest

for package in ("jupytext", "pybtex"):
    pytest.importorskip(package)
make_notebooks = pytest.importorskip("make_notebooks")
build_book = pytest.importorskip("build_book")
on_github = pytest.importorskip("origin").on_github
ROOT = build_book.ROOT
NUMBERS = {
    "(": r'id="equation-{label}".*?class="eqno">(\([\d.]+\))',
    "F": r'id="{label}".*?class="caption-number">(Fig\. [\d.]+?) ?<',
    "T": r'id="{label}".*?class="caption-number">(Table [\d.]+?) ?<',
}


@pytest.fixture(scope="module")
def book():
    return make_notebooks.Book(ROOT)


def is_chapter(page) -> bool:
    return page.parent.name == "book" and page.stem in {path.stem for path in make_notebooks.chapters(ROOT)}


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
