"""Between a page of the site and its notebook: the button that leads there, and the numbers that both give."""

import re

import pytest

for package in ("jupytext", "pybtex"):
    pytest.importorskip(package)
make_notebooks = pytest.importorskip("make_notebooks")
ROOT = make_notebooks.ROOT
NUMBERS = {
    "(": r'id="equation-{label}".*?class="eqno">(\([\d.]+\))',
    "F": r'id="{label}".*?class="caption-number">(Fig\. [\d.]+?) ?<',
    "T": r'id="{label}".*?class="caption-number">(Table [\d.]+?) ?<',
}


def test_the_colab_button_opens_the_notebook(page):
    notebook = ROOT / "book" / f"{page.stem}.ipynb"
    links = re.findall(r'href="(https://colab[^"]*)"', page.read_text(encoding="utf-8"))
    buttons = [link for link in links if "/coursework/" not in link]  # the assignments are listed, not the page's own
    if page.parent.name != "book" or not notebook.exists():
        assert buttons == []
    else:
        assert buttons == [make_notebooks.Book(ROOT).address(page.stem)]


def test_formulas_figures_and_tables_have_the_same_numbers_in_the_notebook(page):
    book, text = make_notebooks.Book(ROOT), page.read_text(encoding="utf-8")
    here = {label: shown for label, shown in book.labels.items() if page.parent.name == "book"}
    numbered = {label: n for label, n in here.items() if book.homes[label] == page.stem and re.search(r"\d\)?$", n)}
    pages = {}
    for label, number in numbered.items():
        found = re.search(NUMBERS[number[0]].format(label=re.escape(label)), text, re.S)
        pages[label] = found and found[1]
    assert pages == numbered
