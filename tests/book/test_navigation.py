"""Finding a page of the built site: in the list on its left, on the map of the machine, and by searching."""

import json
import re

import pytest

# Readers' queries, and the page that answers each. Written before any result was seen.
QUERIES = {
    "how does attention work": "attention",
    "positional encoding": "positions",
    "what is a token": "tokenization",
    "layer norm": "bert",
    "why divide by sqrt d": "attention",
    "causal mask": "decoders",
    "word piece": "tokenization",
    "anisotropy": "shape",
    "intrinsic dimension": "shape",
    "gelu": "bert",
    "attention sinks": "sinks",
    "train a model": "learning",
    "grade assignments": "teaching",
    "bert vs gpt": "decoders",
    "cosine similarity": "attention",
    "king queen analogy": "embeddings",
    "rotary": "since",
    "KV cache": "decoders",
    "bank": "which",
    "install offline": "reading",
}


@pytest.fixture(scope="module")
def find(browser, site):
    """Search in a browser that has neither server nor network. Returns the tab, with all results, best first."""
    with browser.new_context(offline=True) as context:
        tab = context.new_page()

        def find(query):
            tab.goto(f"{(site / 'search.html').as_uri()}?q={query.replace(' ', '+')}")
            tab.wait_for_selector("#search-results [role=status]")
            return tab

        yield find


def pages(tab):
    hrefs = tab.locator("#search-results li > a:first-child").evaluate_all("all => all.map(link => link.href)")
    return [href.rpartition("/")[2].removesuffix(".html") for href in hrefs]


@pytest.fixture(scope="module")
def places(find):
    """Return the rank of each query's page among the results, counted from 1."""
    return {query: (pages(find(query)) + [page]).index(page) + 1 for query, page in QUERIES.items()}


@pytest.mark.parametrize("query", QUERIES)
def test_search_lists_the_right_page_near_the_top(places, query):
    assert places[query] <= 5


def test_search_lists_the_right_page_first(places):
    assert sum(place == 1 for place in places.values()) >= 16, places
    assert sum(place <= 3 for place in places.values()) >= 19, places


def test_search_puts_pages_with_all_words_first(find):
    assert pages(find("quokka tokenization"))[:2] == ["limits", "tokenization"]


@pytest.mark.parametrize("query, like", [("the heads of a layer", "head layers"), ("softmx", "softmax")])
def test_search_forgives_endings_small_words_and_slips(find, query, like):
    assert pages(find(query)) == pages(find(like)) != []


def test_search_marks_words_and_puts_chapters_first(find):
    tab = find("softmax")
    bold = tab.locator("#search-results .context b").all_inner_texts()
    assert len(bold) > 5 and {word.lower() for word in bold} <= {"softmax", "softmaxes"}
    assert pages(tab)[0] == "attention" and "api" in pages(tab)[1:]


def test_search_says_that_it_finds_nothing(find):
    assert find("zzzzqq").locator("#search-results").inner_text() == "No page has these words."


def test_searched_texts_have_no_keys_of_the_bibliography(site):
    script = (site / "_static" / "texts.js").read_text(encoding="utf-8")
    texts = json.loads(script.rpartition("BOOK_TEXTS = ")[2])
    assert len(texts) > 50 and "Sennrich" in str(texts["book/tokenization"])
    assert re.findall(r"\b[a-z]+(?:19|20)\d\d[a-z]+\b", str(texts)) == []


# --- the list and the map --------------------------------------------------------------------------------------------

IN_SIGHT = """element => {
    const box = element.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    return element.contains(document.elementFromPoint(x, y));
}"""


@pytest.mark.parametrize("width, height", [(1280, 800), (1280, 540), (390, 844)])
@pytest.mark.parametrize("name", ["start", "attention", "shape-of-learning", "teach/shape", "bibliography"])
def test_list_shows_where_the_reader_is(browser, site, name, width, height):
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        tab = context.new_page()
        tab.goto((site / "book" / f"{name}.html").as_uri(), wait_until="load")
        if width < 992:
            tab.locator(".primary-toggle").first.click()
            tab.wait_for_timeout(500)  # the list slides in
        column = tab.locator(".bd-sidebar-primary:visible").first
        for shown in (".chapters a[href='#']", ".navbar-brand", *[".search-button-field"][: width >= 992]):
            assert column.locator(shown).first.evaluate(IN_SIGHT), f"{shown} is out of sight"


def test_map_shows_only_where_it_marks_something(site):
    texts = {page: page.read_text(encoding="utf-8") for page in (site / "book").rglob("*.html")}
    drawn = {page: re.findall('<div class="map">.*?</div>', text, re.S) for page, text in texts.items()}
    assert {drawing.count('aria-current="true"') for [drawing] in filter(None, drawn.values())} == {1}
    assert drawn[site / "book" / "teach" / "attention.html"] and not drawn[site / "book" / "glossary.html"]
