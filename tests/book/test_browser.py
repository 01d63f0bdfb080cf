"""Every page in a browser without a network, from its files alone.

Only this finds undrawn formulas, parts that a phone cuts off and unreadable colors. A page takes seconds, so each run
opens one of each kind. Only the length of the chapters is measured in each.
"""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from tests.accessible import RULES, THEMES, WIDTHS, audit, turn
from tests.book.conftest import ROOT
from tests.phone import too_wide_or_too_small

MOST_BYTES = 2_500_000  # of a page with formulas, before its own text and figures
MOST_SCREENS = 15  # of 1280 by 800 pixels, for a chapter of the book, all guesses made, the lab's sections closed
MOST_OPENED = 35  # the same with every fold open
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
NUMBERED = [part for part in TOC["parts"] if part.get("numbered")]
CORE = [Path(one["file"]).name for part in NUMBERED if "Lab" not in part["caption"] for one in part["chapters"]]

READY = "async () => { await window.MathJax?.startup?.promise; await document.fonts.ready; }"
UNRENDERED = """() => [...document.querySelectorAll('.math')]
  .filter(e => !e.querySelector('mjx-container') || e.querySelector('mjx-merror, [data-mjx-error]'))
  .map(e => e.textContent.trim().slice(0, 80))"""
TOO_WIDE = """async () => {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  const page = document.documentElement.scrollWidth;
  return page <= innerWidth ? [] :
    [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 5).map(e => e.outerHTML.slice(0, 120)).concat(['the page is ' + page]);
}"""
CUT_OFF = """() => [...document.querySelectorAll('div.math')]
  .filter(e => [e, ...e.querySelectorAll('mjx-container')].some(x => x.scrollWidth > x.clientWidth + 1))
  .map(e => (e.id || 'without a label') + ', after: ' + e.previousElementSibling?.textContent.slice(-60))"""
# The height of a page with all guesses made, and with every fold open; the share of the height of figures, views and
# tables, and of code that is not folded.
HEIGHTS = """() => {
  const root = document.documentElement, article = document.querySelector('article');
  const sum = all => [...article.querySelectorAll(all)]
    .filter(e => e.checkVisibility() && !e.parentElement.closest(all))
    .reduce((total, e) => total + e.getBoundingClientRect().height, 0);
  const was = root.dataset.guesses;
  root.dataset.guesses = 'off';
  const page = article.getBoundingClientRect().height;
  const parts = ['figure, .tl-view, table.result', '.cell_input, .cell_output > .highlight-python'].map(sum);
  const folds = article.querySelectorAll('details:not([open])');
  folds.forEach(fold => { fold.open = true; });
  const opened = article.getBoundingClientRect().height;
  folds.forEach(fold => { fold.open = false; });
  root.dataset.guesses = was;
  return [page, opened, ...parts];
}"""
OPEN = "() => document.querySelectorAll('.lab, .exercise, .names').forEach(fold => { fold.open = true; })"
# A page has thousands of tokens of code in a dozen looks, and of parts of formulas in one, and axe examines each. NOTE
# records how each token looks in a theme; ONE_OF_EACH leaves one of each look, of the others their text, of a formula
# one letter, and of the entries of a reference, which Sphinx makes all alike, fifty.
TOKENS = ":is(pre, code, .sig) span:not(:has(*))"
NOTE = """tokens => {
  for (const token of document.querySelectorAll(tokens)) {
    const {color, fontSize, fontWeight} = getComputedStyle(token), look = [color, fontSize, fontWeight];
    for (let e = token; e && !look.at(-1).startsWith('rgb('); e = e.parentElement)
      look.push(getComputedStyle(e).backgroundColor);
    token.look = (token.look ?? '') + look;
  }
}"""
ONE_OF_EACH = """tokens => {
  const seen = new Set();
  for (const token of document.querySelectorAll(tokens))
    if (seen.has(token.look)) token.replaceWith(...token.childNodes);
    else seen.add(token.look);
  for (const math of document.querySelectorAll('mjx-math')) {
    Object.assign(math.style, {display: 'inline-block', width: math.getBoundingClientRect().width + 'px'});
    math.replaceChildren('x');
  }
  [...document.querySelectorAll('dl.py')].slice(50).forEach(entry => entry.remove());
}"""


@pytest.fixture
def opened(browser, page):
    """The page in a tab without a network, which notes requests and complaints on the console."""
    context = browser.new_context(color_scheme="light", viewport={"width": 1280, "height": 900}, offline=True)
    tab = context.new_page()
    tab.requests = set()
    tab.complaints = []
    tab.on("request", lambda r: tab.requests.add(r.url))
    # A picture for phones that is still being read when the screen is made wide again is given up: that is no failure.
    given_up = "net::ERR_ABORTED"
    tab.on("requestfailed", lambda r: r.failure != given_up and tab.complaints.append(f"{r.failure}: {r.url}"))
    tab.on("console", lambda m: m.type in ("error", "warning") and tab.complaints.append(m.text))
    tab.on("pageerror", lambda e: tab.complaints.append(str(e)))
    tab.goto(page.as_uri(), wait_until="load")
    tab.evaluate(READY)
    yield tab
    context.close()


def too_long(page, opened):
    """Return complaints about the length of a chapter: its height in pixels, folded, and with every fold open."""
    if page > 800 * MOST_SCREENS:
        yield f"{page / 800:.1f} screens long, at most {MOST_SCREENS} allowed"
    if opened > 800 * MOST_OPENED:
        yield f"{opened / 800:.1f} screens long with every fold open, at most {MOST_OPENED} allowed"


def more_code_than_pictures(tab):
    """Return chapters that show more code than pictures: pages that count guesses."""
    if tab.locator(".guess-tally").count():
        _, _, pictures, code = tab.evaluate(HEIGHTS)
        if code > pictures:
            yield f"code takes {code:.0f} pixels of its height, figures, views and tables {pictures:.0f}"


def from_elsewhere_or_too_heavy(requests):
    yield from (f"asked for {url}" for url in requests if not url.startswith(("file:", "data:", "blob:")))
    paths = (Path(unquote(urlsplit(url).path)) for url in requests)
    weight = sum(path.stat().st_size for path in paths if "_static" in path.parts and path.is_file())
    if weight > MOST_BYTES:
        yield f"weighs {weight} bytes, at most {MOST_BYTES} allowed"


def test_chapters_of_the_book_are_short(browser, site):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    tab = context.new_page()
    found = {}
    for name in CORE:
        tab.goto((site / "book" / f"{name}.html").as_uri(), wait_until="load")
        tab.evaluate(READY)
        found[name] = [*too_long(*tab.evaluate(HEIGHTS)[:2])]
    context.close()
    assert not any(found.values()), found


def test_page_works_offline_for_everyone(opened, page):
    problems = [*more_code_than_pictures(opened)]
    opened.evaluate(OPEN)
    problems += [f"formula not rendered: {formula}" for formula in opened.evaluate(UNRENDERED)]
    problems += [f"formula wider than the text: {formula}" for formula in opened.evaluate(CUT_OFF)]
    for width in WIDTHS[::-1]:
        opened.set_viewport_size({"width": width, "height": 900})
        problems += [f"{width} pixels, too wide: {found}" for found in opened.evaluate(TOO_WIDE)]
    opened.add_style_tag(content="* { transition: none !important; }")  # or colors are measured during one
    for theme in THEMES:
        turn(opened, theme)
        opened.evaluate(NOTE, TOKENS)
        problems += too_wide_or_too_small(opened, theme)
    opened.evaluate(ONE_OF_EACH, TOKENS)
    # The list of chapters is scrolled to its own chapter: a link that is half scrolled out is not a small one.
    opened.evaluate("document.querySelectorAll('.bd-sidebar-primary').forEach(sidebar => sidebar.scrollTo(0, 0))")
    problems += audit(opened, rules=[*RULES, "best-practice"])
    problems += [*from_elsewhere_or_too_heavy(opened.requests), *opened.complaints]
    assert not problems, "\n".join(problems)
