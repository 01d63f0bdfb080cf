"""Search on the page: what it shows is what the database answers."""

import numpy as np
import pytest

from tests.views.examples import HOSTILE
from tutorial_book.experiments.uses import Index
from tutorial_book.page import search_view

TEXTS = [f"text {i} {'bear' if i % 7 == 0 else 'cat'}" for i in range(40)] + [HOSTILE[0]]
X = np.random.default_rng(0).normal(size=(41, 8)).astype(np.float32)
QUESTIONS = ["What growls?", "Who purrs?", HOSTILE[0]]
SHOWN = """root => [...root.querySelectorAll('.tl-hits li')].map(li =>
  [li.lastElementChild.textContent, li.querySelector('.tl-cosine').textContent])"""


@pytest.fixture(scope="module")
def index():
    return Index(TEXTS, X, ["encyclopedia"] * 40 + ["posts"])


@pytest.fixture
def root(open_view, index):
    answers = [[index.search(X[1], 3)[1][0]], [], [HOSTILE[0]]]
    return open_view(search_view(index, QUESTIONS, X[[1, 2, 40]], answers)).locator(".tl-view")


def expected(index, vector, without=None):
    hits = [hit for hit in index.search(vector, 6) if hit[0] != without][:5]
    return [[text, f"{cosine:.2f}"] for text, cosine in hits]


def test_questions_show_the_databases_answers(root, index):
    """Only right answers have the mark."""
    for number, vector in enumerate(X[[1, 2, 40]]):
        root.locator("select").select_option(str(number))
        assert root.evaluate(SHOWN) == expected(index, vector)
        assert root.locator(".tl-asked").inner_text() == QUESTIONS[number]
        right = ["answers it" in li for li in root.locator(".tl-hits li").all_inner_texts()]
        assert right == [[False, True, *[False] * 3], [False] * 5, [True, *[False] * 4]][number]


def test_found_text_becomes_the_query(root, index):
    box, asked, matches = root.locator("input"), root.locator(".tl-asked"), root.locator(".tl-matches")
    box.fill("BEAR")
    assert matches.locator("li").all_inner_texts() == [text for text in TEXTS if "bear" in text]
    root.get_by_role("button", name="text 14 bear").press("Enter")
    nearest = expected(index, X[14], without="text 14 bear")
    assert root.evaluate(SHOWN) == nearest
    assert not matches.is_visible() and box.input_value() == ""
    root.locator(".tl-hits button").first.click()
    assert asked.locator("b").inner_text() == nearest[0][0]
    box.fill("giraffe")
    assert "No text contains these letters" in matches.inner_text()
    assert not root.locator(".tl-hits").is_visible() and not asked.is_visible()
    box.fill("cat")
    assert matches.locator("li").last.inner_text() == "and 22 more"
    box.fill("onerror")
    assert matches.locator("button").inner_text() == HOSTILE[0] and root.locator("img").count() == 0


def test_equal_vectors_hide_no_text():
    view = search_view(Index(["a", "b", "c"], np.ones((3, 2))), ["q"], np.ones((1, 2)), k=5)
    assert [[i for i, _ in hits] for hits in view.data["found"]] == [[0, 1, 2], [1, 2], [0, 2], [0, 1]]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"index": []}, "index must be an Index, got list"),
        ({"index": Index(["a"] * 3001, np.ones((3001, 2)))}, "at most 3,000 texts, got 3,001"),
        ({"questions": "q"}, "questions must be a list of str"),
        ({"vectors": X[:2]}, "vectors must have one entry per question, 1, got 2"),
        ({"answers": []}, "answers must have one entry per question, 1, got 0"),
        ({"answers": [["x"]]}, "answers must be texts of the index, got 'x'"),
        ({"k": 0}, "k must be a number of texts"),
    ],
)
def test_bad_arguments_are_named(index, change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        search_view(**{"index": index, "questions": ["q"], "vectors": X[:1]} | change)
