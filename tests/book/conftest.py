"""The built site, for the tests of its pages."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"

# One page of each kind, which each run of the tests opens in a browser. The others are marked `long`: they are opened
# at each push, and for one chapter by `make check`.
OF_EACH_KIND = {
    "search", "book/index", "book/start", "book/attention", "book/senses", "book/survived", "book/live", "book/check",
    "book/again", "book/assignments", "book/glossary", "book/teach/attention",
    "slides/attention", "sheets/attention",
}  # fmt: skip


def for_a_browser(pages: list[Path]) -> list:
    """Parametrize a test with pages that it opens in a browser. Pages similar to another one are long."""
    kinds = [str(page.relative_to(SITE).with_suffix("")) in OF_EACH_KIND for page in pages]
    return [page if kind else pytest.param(page, marks=pytest.mark.long) for page, kind in zip(pages, kinds)]


# The book's own scripts and style sheets that make a page ask and answer.
OWN = re.compile(r"_static/(chapter\.css|code\.js|guess\.js|again\.js|check/)")


@cache
def bare(page: Path) -> str:
    """A page without theme, formulas, views, pictures and code: it opens in a third of the time."""
    heavy = re.compile(r"<(script|style|picture|svg|pre)\b.*?</\1>|<link\b[^>]*>", re.S)
    return heavy.sub(lambda tag: tag[0] if OWN.search(tag[0]) else "", page.read_text(encoding="utf-8"))


def bare_pages(context) -> None:
    """Make all pages of the book bare in this context of a browser from now on."""

    def fulfill(route):
        page = Path(unquote(urlsplit(route.request.url).path))
        route.fulfill(body=bare(page), content_type="text/html; charset=utf-8")

    context.route("**/book/*.html*", fulfill)


def built_pages(of_sphinx: bool = False) -> list[Path]:
    """Return every page that a reader can open (not the theme's empty forwarding page); or only Sphinx's own."""
    pages = sorted(SITE.rglob("*.html"))
    pages = [page for page in pages if not of_sphinx or page.parent.name not in ("slides", "sheets")]
    return [page for page in pages if "_static" not in page.parts and 'http-equiv="Refresh"' not in page.read_text()]


def pytest_generate_tests(metafunc):
    if "page" in metafunc.fixturenames:
        in_browser = "opened" in metafunc.fixturenames
        pages = built_pages(of_sphinx=in_browser)  # test_slides.py opens the others
        nothing = pytest.param(None, marks=pytest.mark.skip(reason="the site is not built: run `make book` first"))
        names = [str(page.relative_to(SITE)) for page in pages]
        pages = for_a_browser(pages) if in_browser else pages
        metafunc.parametrize("page", pages or [nothing], ids=names or ["no site"])


@pytest.fixture(scope="session")
def site():
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: run `make book` first")
    return SITE
