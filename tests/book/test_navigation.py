"""Finding a page of the built site: what the search puts first."""

import pytest

# What a reader asks, and the page that answers it. Written before any result was seen.
QUERIES = {
    "how does attention work": "attention",
    "positional encoding": "positions",
    "what is a token": "tokenization",
    "layer norm": "bert",
    "why divide by sqrt d": "attention",
    "causal mask": "heads",
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
    "install offline": "index",
}


@pytest.fixture(scope="module")
def found(browser, site):
    """The pages that each query finds, best first, in a browser that has neither server nor network."""
    with browser.new_context(offline=True) as context:
        tab = context.new_page()

        def pages(query):
            tab.goto(f"{(site / 'search.html').as_uri()}?q={query.replace(' ', '+')}")
            tab.wait_for_selector("#search-results[data-done]")
            hrefs = "links => links.map(link => link.getAttribute('href').replace(/^book\\/|\\.html.*$/g, ''))"
            return tab.locator("#search-results li > a:first-child").evaluate_all(hrefs)

        yield {query: pages(query) for query in QUERIES}


@pytest.mark.parametrize("query, page", QUERIES.items())
def test_search_lists_the_right_page_near_the_top(found, query, page):
    assert page in found[query][:5]


def test_search_lists_the_right_page_first(found):
    places = {query: (found[query] + [page]).index(page) + 1 for query, page in QUERIES.items()}
    assert sum(place == 1 for place in places.values()) >= 16, places
    assert sum(place <= 3 for place in places.values()) >= 19, places
