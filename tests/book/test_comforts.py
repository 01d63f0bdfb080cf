"""Helps for reading: notes on terms and citations, pages without JavaScript."""

import re

import pytest

NOTE = ".term-note:not([hidden])"


@pytest.fixture
def opened_page(browser, site):
    """Open a page of the site in a new tab."""
    contexts = []

    def open_page(path, width=1280, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": 800}, **options))
        tab = contexts[-1].new_page()
        tab.goto((site / path).as_uri(), wait_until="load")
        return tab

    yield open_page
    for context in contexts:
        context.close()


def test_notes_open_by_keyboard_and_touch(opened_page):
    tab = opened_page("book/evolution.html", width=390, has_touch=True, offline=True)
    note = tab.locator(NOTE)
    link = tab.locator("a.term").first
    link.focus()
    assert note.count() == 1 and note.get_attribute("id") == link.get_attribute("aria-describedby")
    assert "See" in note.inner_text() and link.get_attribute("title") is None
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.keyboard.press("Escape")
    assert note.count() == 0
    tab.locator(".bibtex-citation a").first.focus()
    assert re.search(r"\b(19|20)\d\d\b", note.inner_text())
    tab.keyboard.press("Escape")
    link.tap()
    assert note.count() == 1 and "evolution.html" in tab.url
    link.tap()
    tab.wait_for_url("**/glossary.html#term-*")


def test_pointer_opens_notes_and_explains_letters(opened_page):
    tab = opened_page("book/attention.html")
    tab.locator("a.term").first.hover()
    tab.locator(NOTE).hover()  # the pointer leaves the link, and the note stays
    assert tab.locator(NOTE).count() == 1
    tab.mouse.move(5, 700)
    assert tab.locator(NOTE).count() == 0
    box = tab.locator("#equation-eq-attention + .speaks.ready")
    box.wait_for()
    assert box.locator(".says:visible").count() == 0
    hint = "line => getComputedStyle(line, '::after').content"
    assert box.locator(".sym-says").evaluate(hint) == '"Press a letter to see its meaning."'
    box.get_by_role("button", name="K", exact=True).focus()
    assert box.locator(".says:visible").inner_text() == "the keys, one row for each token"
    assert box.locator(".sym-says").evaluate(hint) == "none"
    tab.locator("#equation-eq-attention .sym-0.sym").first.hover()
    assert box.locator("button[aria-pressed=true]").count() == 1
    assert tab.locator("#equation-eq-attention .sym-on").count() >= 1


def test_list_of_figures_has_every_numbered_figure(site):
    listed = (site / "book" / "figures.html").read_text(encoding="utf-8")
    for page in (site / "book").glob("*.html"):
        numbers = re.findall(r'<span class="caption-number">(Fig\. [\d.]+) </span>', page.read_text(encoding="utf-8"))
        assert [number for number in numbers if f">{number}</a>" not in listed] == [], page.name


@pytest.mark.parametrize("root", ["/", "/somewhere/deep/"])
def test_missing_page_leads_home_from_any_depth(browser, site, root):
    tab = browser.new_page()
    lost = (site / "404.html").read_text(encoding="utf-8")
    tab.route("**/*", lambda route: route.fulfill(body=lost, content_type="text/html", status=404))
    tab.goto(f"http://localhost{root}book/old/name.html")
    assert tab.locator("a").first.evaluate("link => link.href") == f"http://localhost{root}book/index.html"
    tab.close()


def test_pages_make_sense_without_javascript(opened_page, site):
    tab = opened_page("book/again.html", java_script_enabled=False, offline=True)
    assert "needs JavaScript" in tab.locator(".again").inner_text()
    tab.goto((site / "book" / "check.html").as_uri())
    assert "needs JavaScript" in tab.locator(".check").inner_text()
    assert tab.locator(".check a").get_attribute("href").endswith("#before-you-hand-in")
    tab.goto((site / "book" / "attention.html").as_uri())
    guess = tab.locator("#guess-higher-score")
    assert guess.locator("li").count() == 2 and guess.locator("button").count() == 0
    guess.locator("summary").click()
    assert guess.locator(".guess-truth").is_visible() and tab.locator("#fig-similarity").is_visible()
    assert tab.locator(".guess-tally a").count() == tab.locator(".guess").count()
