"""What helps to read: notes on terms and citations, search without a server, the list of figures."""

import re

import pytest

SHOWN = ".term-note:not([hidden])"


@pytest.fixture
def chapter(browser, site):
    """The attention chapter, in a tab with a mouse and a touch screen."""
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, offline=True)
    tab = context.new_page()
    tab.goto((site / "book" / "attention.html").as_uri(), wait_until="load")
    yield tab
    context.close()


def test_a_term_shows_its_definition_to_the_keyboard_and_escape_closes_it(chapter):
    link = chapter.locator("a.term").first
    link.focus()
    note = chapter.locator(SHOWN)
    assert note.count() == 1 and note.get_attribute("id") == link.get_attribute("aria-describedby")
    assert "See" in note.inner_text() and link.get_attribute("title") is None
    assert chapter.evaluate("document.documentElement.scrollWidth") <= 390
    chapter.keyboard.press("Escape")
    assert chapter.locator(SHOWN).count() == 0


def test_a_note_stays_while_the_pointer_is_on_it(chapter):
    chapter.locator("a.term").first.hover()
    chapter.locator(SHOWN).hover()
    assert chapter.locator(SHOWN).count() == 1
    chapter.mouse.move(5, 700)
    assert chapter.locator(SHOWN).count() == 0


def test_a_citation_shows_its_reference(chapter):
    chapter.locator(".bibtex-citation a").first.focus()
    assert re.search(r"\b(19|20)\d\d\b", chapter.locator(SHOWN).inner_text())


def test_the_first_touch_shows_the_note_and_the_second_follows_the_link(chapter):
    chapter.locator("a.term").first.tap()
    assert chapter.locator(SHOWN).count() == 1 and "attention.html" in chapter.url
    chapter.locator("a.term").first.tap()
    chapter.wait_for_url("**/glossary.html#term-*")


def test_a_formula_says_one_letter_at_a_time_in_its_drawing_and_below_it(browser, site):
    tab = browser.new_page(viewport={"width": 1280, "height": 800})
    tab.goto((site / "book" / "attention.html").as_uri(), wait_until="load")
    box = tab.locator("#equation-eq-attention + .speaks.ready")
    box.wait_for()
    assert box.locator(".says:visible").count() == 0
    box.get_by_role("button", name="K", exact=True).focus()
    assert box.locator(".says:visible").inner_text() == "queries, keys and values, one in each row K"
    tab.locator("#equation-eq-attention .sym-0.sym").first.hover()
    assert box.locator("button[aria-pressed=true]").count() == 1
    assert tab.locator("#equation-eq-attention .sym-on").count() >= 1
    tab.close()


def test_the_search_finds_pages_without_a_server(browser, site):
    tab, complaints = browser.new_page(), []
    tab.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    tab.goto((site / "search.html").as_uri() + "?q=softmax")
    tab.wait_for_selector("#search-results li a[href*='attention.html']")
    first = tab.locator("#search-results li a").first.get_attribute("href")
    assert "api.html" not in first, "a chapter explains what the library's page lists"
    tab.wait_for_selector("#search-results li .context")
    bold = "items => items.map(item => item.querySelector('.context b')?.textContent)"
    found = tab.locator("#search-results li").evaluate_all(bold)
    assert len(found) > 5 and {word.lower() for word in found if word} == {"softmax"} and found[0]
    tab.close()
    assert complaints == []


def test_the_list_of_figures_has_every_numbered_figure(site):
    listed = (site / "book" / "figures.html").read_text(encoding="utf-8")
    for page in (site / "book").glob("*.html"):
        numbers = re.findall(r'<span class="caption-number">(Fig\. [\d.]+) </span>', page.read_text(encoding="utf-8"))
        assert [number for number in numbers if f">{number}</a>" not in listed] == [], page.name


@pytest.mark.parametrize("root", ["/", "/somewhere/deep/"])
def test_the_page_for_wrong_addresses_leads_home_from_any_depth(browser, site, root):
    tab = browser.new_page()
    lost = (site / "404.html").read_text(encoding="utf-8")
    tab.route("**/*", lambda route: route.fulfill(body=lost, content_type="text/html", status=404))
    tab.goto(f"http://localhost{root}book/old/name.html")
    assert tab.locator("a").first.evaluate("link => link.href") == f"http://localhost{root}book/index.html"
    tab.close()


def test_a_box_takes_its_own_place_in_the_text(browser, site):
    tab = browser.new_page(viewport={"width": 1280, "height": 800})
    tab.goto((site / "book" / "positions.html").as_uri(), wait_until="load")
    places = tab.locator(".finding, .guess").evaluate_all("boxes => boxes.map(box => getComputedStyle(box).position)")
    tab.close()
    assert places and "absolute" not in places
