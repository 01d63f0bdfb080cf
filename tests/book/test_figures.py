"""Figures and views on the pages: all of each on a phone, in readable letters, and no chapter without a view."""

import pytest
import yaml

from tests.book.conftest import ROOT, bare, built_pages, for_a_browser
from tests.phone import DRAWINGS, too_wide_or_too_small

PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
CHAPTERS = [entry["file"] for part in PARTS if part.get("numbered") for entry in part["chapters"]]
# Slides and sheets. test_browser.py looks at the figures of the other pages.
OF_A_TEACHER = [page for page in built_pages() if page.parent.name in ("slides", "sheets")]


@pytest.mark.parametrize("path", for_a_browser(OF_A_TEACHER), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_phone_shows_whole_figures_in_readable_letters(browser, path):
    tab = browser.new_page(viewport={"width": 390, "height": 800}, offline=True)
    tab.goto(path.as_uri(), wait_until="load")
    problems = []
    if path.parent.name == "slides":  # they try each view in several widths first
        tab.wait_for_function("'ready' in document.documentElement.dataset")
        # On such a narrow screen reveal.js sets all slides below each other; on others it hides distant ones.
        shown = len(tab.evaluate(DRAWINGS))
        drawn = tab.locator("figure .in-light.drawing").count()
        problems += [] if shown == drawn else [f"only {shown} of {drawn} figures are shown"]
    for theme in ("light", "dark"):
        tab.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        problems += too_wide_or_too_small(tab, theme, smallest=8.5)  # all of a slide is on the screen, even the caption
    tab.close()
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_has_views_that_suggest_what_to_try(site, name):
    soup = pytest.importorskip("bs4").BeautifulSoup(bare(site / f"{name}.html"), "html.parser")
    views = soup.select("article .tl-view")
    assert views
    for view in views:
        figure = view.find_parent("figure")
        assert figure is not None and figure.get("id"), view["aria-label"]
        assert figure.select_one(".caption-number") and "Try this:" in figure.select_one("figcaption .legend").text
