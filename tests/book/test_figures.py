"""Figures and views on the pages: all of each on a phone, in readable letters, and no chapter without a view."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
SMALLEST = 9  # pixels of a letter
SCROLLING = """() => [...document.querySelectorAll('figure')]
  .filter(figure => [figure, ...figure.querySelectorAll('*')].some(e => e.scrollWidth > e.clientWidth + 1 &&
    ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && !e.matches('table, .tl-scroll, input, textarea')))
  .map(figure => figure.id)"""
DRAWINGS = """async () => {
  const pictures = [...document.querySelectorAll('figure .drawing img')].filter(image => image.offsetParent);
  for (const image of pictures) { image.loading = 'eager'; await image.decode(); }
  return pictures.map(image => [image.closest('figure').id, image.currentSrc, image.clientWidth]);
}"""


def numbered_chapters():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [entry["file"] for part in toc["parts"] if part.get("numbered") for entry in part["chapters"]]


def letters(path):
    """The sizes of a drawing's letters, in shares of its width. Matplotlib draws a letter of 100 and scales it."""
    svg = path.read_text(encoding="utf-8")
    width = float(re.search(r'width="([\d.]+)pt"', svg)[1])
    sizes = re.findall(r'<g[^>]*transform="translate[^"]*scale\(([\d.]+) -', svg)
    return {float(size) * 100 / width for size in sizes}


def test_a_phone_shows_all_of_a_figure_in_letters_that_can_be_read(browser, page):
    images = ROOT / "_build" / "html" / "_images"
    tab = browser.new_page(viewport={"width": 390, "height": 800}, offline=True)
    tab.goto(page.as_uri(), wait_until="load")
    if page.parent.name == "slides":  # they try each view in several widths first
        tab.wait_for_function("'ready' in document.documentElement.dataset")
    tab.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    problems = [f"{figure} scrolls sideways" for figure in tab.evaluate(SCROLLING)]
    for theme in ("light", "dark"):
        tab.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        for figure, source, shown in tab.evaluate(DRAWINGS):
            name = source.rsplit("/", 1)[-1]
            assert name.endswith("-dark.svg") == (theme == "dark"), f"{figure} shows {name}"
            small = min(letters(images / name), default=1)
            if small * shown < SMALLEST:
                problems.append(f"{figure}: a letter is {small * shown:.1f} pixels high in {name}")
    tab.close()
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name", numbered_chapters())
def test_a_chapter_has_a_view_and_each_is_a_figure_that_says_what_to_try(site, name):
    soup = pytest.importorskip("bs4").BeautifulSoup((site / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    views = soup.select("article .tl-view")
    assert views
    for view in views:
        figure = view.find_parent("figure")
        assert figure is not None and figure.get("id"), view["aria-label"]
        assert figure.select_one(".caption-number") and "Try this:" in figure.select_one("figcaption .legend").text
