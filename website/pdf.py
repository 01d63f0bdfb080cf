"""Print the built site into one file: _build/transformers-from-scratch.pdf.

    python -m website pdf        (after `make book`; `make pdf` does both)

The pages become the chapters of one long page, with links inside it; Chromium, which is needed, prints it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from pathlib import Path

from bs4 import BeautifulSoup

from tutorial_lib.atomic import beside
from website.directives.again import in_plain_text
from website.project import ROOT, pages, say

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
CHROME_ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
NO_BROWSER = f"""The PDF needs a browser, and none of {', '.join(BROWSERS)} is installed.
On Debian or Ubuntu: sudo apt-get install chromium; on a Mac: install Google Chrome. Then type `make pdf` again."""

LEFT_OUT = {"book/again", "book/api"}  # to answer on a screen, and to look up
NOT_IN_ONE_PAGE = "script[src*='/guess.js'], script[src*='/again.js']"  # they would make boxes to fill in
NOT_FOR_PAPER = (
    ".headerlink, .noprint, details.hide > summary, .proof > summary, .lab-opens, .guess-opens, button, script, "
    ".in-dark, picture > source"
)
NAMING = ["href", "for", "aria-labelledby", "aria-describedby", "aria-controls"]

FINISHED = """async () => {
  if (window.MathJax && MathJax.startup) await MathJax.startup.promise;
  await document.fonts.ready;
  await Promise.all([...document.images].map(image => image.decode().catch(() => {})));
}"""
PAGE_NUMBER = '<p style="font: 8px sans-serif; margin: auto"><span class="pageNumber"></span></p>'


def find_browser() -> str | None:
    """Return the path of a Chromium on this machine."""
    found = [path for name in BROWSERS if (path := shutil.which(name))]
    return (found + [CHROME_ON_MACOS] * os.path.exists(CHROME_ON_MACOS) + [None])[0]


def new_address(address: str, page: str, printed: list[str]) -> str | None:
    """Return the target of a page's link inside the one page; None if the target is not printed."""
    if re.match(r"[a-z]+:", address):
        return address
    path, _, anchor = address.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)).removesuffix(".html") if path else page
    return f"#{target}/{anchor}" if target in printed else None


def chapter(soup: BeautifulSoup, page: str, printed: list[str]):
    """Return the article of one page: every name in it begins with the page's own, and folded boxes are open."""
    article = soup.select_one("article.bd-article")
    article["id"] = ""
    for element in article.select(NOT_FOR_PAPER):
        element.decompose()
    for box in article.select("details"):
        box["open"] = ""
    for heading in article.select("h1, h2, h3, h4"):  # the outline shows plain text
        for formula in heading.select(".math"):
            formula.replace_with(in_plain_text(re.sub(r"\\[()]", "", formula.text)))
        heading.string = heading.get_text().strip()
    for element in article.select("[id]:not(svg *)"):
        element["id"] = f"{page}/{element['id']}"
    for name in NAMING[1:]:
        for element in article.select(f"[{name}]:not(svg *)"):
            element[name] = " ".join(f"{page}/{target}" for target in element[name].split())
    for link in article.select("a[href]:not(svg *)"):
        link["href"] = new_address(link["href"], page, printed)
        if link["href"] is None:
            link.unwrap()
    for image in article.select("img[src^='../']"):
        image["src"] = image["src"].replace("../", "html/", 1)
        image["loading"] = "eager"
    return article


def one_page(root: Path) -> str:
    """Return the whole book as the text of one HTML file in _build/."""
    site, printed = root / "_build" / "html", [page for page in pages(root) if page not in LEFT_OUT]
    soups = {page: BeautifulSoup((site / f"{page}.html").read_bytes(), "html.parser") for page in printed}
    head = next(soup for soup in soups.values() if soup.select_one("script[src*=mathjax]")).head
    for script in head.select(NOT_IN_ONE_PAGE):
        script.decompose()
    for element in head.select("[href^='../'], [src^='../']"):
        name = "href" if element.has_attr("href") else "src"
        element[name] = element[name].replace("../", "html/", 1)
    head.title.string = soups[printed[0]].h1.get_text().removesuffix("#")
    chapters = "".join(str(chapter(soup, page, printed)) for page, soup in soups.items())
    style = "<style>article + article { break-before: page }</style>"
    return f'<!DOCTYPE html><html lang="en" data-theme="light">{head}<body>{style}{chapters}</body></html>'


def mend_outline(pdf: bytes) -> bytes:
    """Remove the second copy of each title: Chromium writes a heading at the top of a page twice. The length stays, so
    all offsets in the file remain valid.

    >>> mend_outline(b"/Title (MasksMasks) /Title <FEFF221A221A> /Title (Two)")
    b'/Title (Masks)      /Title <FEFF221A>     /Title (Two)'
    """

    def once(match: re.Match) -> bytes:
        opening, title, closing = match.groups()
        half = title[: len(title) // 2]
        return opening + half + closing + b" " * len(half) if title == half * 2 else match[0]

    return re.sub(rb"(/Title (?:\(|<FEFF))((?:\\.|[^\\()<>])+)([)>])", once, pdf, flags=re.S)


def print_page(page: Path, target: Path, browser: str) -> None:
    """Print one HTML file, with an outline of its headings, once its formulas and pictures are there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        tab = chromium.new_page(color_scheme="light", offline=True)
        tab.goto(page.as_uri(), wait_until="load", timeout=120_000)
        tab.evaluate(FINISHED)
        sides = {"top": "16mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
        number = {"header_template": "<span></span>", "footer_template": PAGE_NUMBER, "display_header_footer": True}
        look = {"format": "A4", "margin": sides, "scale": 0.75, "print_background": True}
        pdf = tab.pdf(outline=True, tagged=True, **look, **number)
        chromium.close()
    with beside(target) as part:
        part.write_bytes(mend_outline(pdf))


def main(root: Path = ROOT) -> int:
    """Print the book. Returns the exit code."""
    start, browser = time.perf_counter(), find_browser()
    if browser is None:
        say(NO_BROWSER, file=sys.stderr)
        return 1
    page, target = root / "_build" / "one-page.html", root / "_build" / "transformers-from-scratch.pdf"
    page.write_text(one_page(root), encoding="utf-8")
    print_page(page, target, browser)
    page.unlink()
    megabytes, seconds = target.stat().st_size / 1e6, time.perf_counter() - start
    say(f"The book on paper: {target.relative_to(root)} ({megabytes:.1f} MB, {seconds:.1f} s)")
    return 0

