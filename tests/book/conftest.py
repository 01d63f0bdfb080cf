"""The built site, for the tests of its pages."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "_build" / "html"


def built_pages() -> list[Path]:
    """Every page that a reader can open (the theme's own empty forwarding page is none)."""
    pages = sorted(SITE.rglob("*.html"))
    return [page for page in pages if "_static" not in page.parts and 'http-equiv="Refresh"' not in page.read_text()]


def pytest_generate_tests(metafunc):
    if "page" in metafunc.fixturenames:
        pages = built_pages()
        nothing = pytest.param(None, marks=pytest.mark.skip(reason="the site is not built: run `make book` first"))
        names = [str(page.relative_to(SITE)) for page in pages]
        metafunc.parametrize("page", pages or [nothing], ids=names or ["no site"])
