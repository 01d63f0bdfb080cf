"""Search on the page: what it shows is what the database answers."""

import numpy as np
import pytest

from tutorial_book.experiments.uses import Index
from tutorial_book.page import search_view

HOSTILE = "<img src=x onerror=alert(1)> </script><script>alert(2)</script>"
TEXTS = [f"text {i} {'bear' if i % 7 == 0 else 'cat'}" for i in range(40)] + [HOSTILE]
X = np.random.default_rng(0).normal(size=(41, 8)).astype(np.float32)
QUESTIONS = ["What growls?", "Who purrs?", HOSTILE]
SHOWN = """root => [...root.querySelectorAll('.tl-hits li')].map(li =>
  [li.lastElementChild.textContent, li.querySelector('.tl-cosine').textContent])"""


@pytest.fixture(scope="module")
def index():
    return Index(TEXTS, X, ["encyclopedia"] * 40 + ["posts"])


@pytest.fixture(scope="module")
def view(index):
    answers = [[index.search(X[1], 3)[1][0]], [], [HOSTILE]]
    return search_view(index, QUESTIONS, X[[1, 2, 40]], answers)


def expected(index, vector, k=5, without=None):
    hits = [hit for hit in index.search(vector, k + 1) if hit[0] != without][:k]
    return [[text, f"{cosine:.2f}"] for text, cosine in hits]


def test_every_question_shows_the_databases_answer(open_view, index, view):
    root = open_view(view).locator(".tl-view")
    for number, vector in enumerate(X[[1, 2, 40]]):
        root.locator("select").select_option(str(number))
        assert root.evaluate(SHOWN) == expected(index, vector)
        assert root.locator(".tl-asked").inner_text() == QUESTIONS[number]


def test_a_text_that_is_found_by_a_word_becomes_the_query(open_view, index, view):
    root = open_view(view).locator(".tl-view")
    root.locator("input").fill("BEAR")
    assert root.locator(".tl-matches li").all_inner_texts() == [text for text in TEXTS if "bear" in text]
    root.get_by_role("button", name="text 14 bear").press("Enter")
    assert root.evaluate(SHOWN) == expected(index, X[14], without="text 14 bear")
    assert not root.locator(".tl-matches").is_visible() and root.locator("input").input_value() == ""
    root.locator(".tl-hits button").first.click()
    nearest = expected(index, X[14], without="text 14 bear")[0][0]
    assert root.locator(".tl-asked b").inner_text() == nearest
    root.locator("input").fill("giraffe")
    assert "No text holds these letters" in root.locator(".tl-matches").inner_text()
    assert not root.locator(".tl-hits").is_visible() and not root.locator(".tl-asked").is_visible()
    root.locator("input").fill("cat")
    assert root.locator(".tl-matches li").last.inner_text() == "and 22 more"


def test_only_right_answers_carry_the_mark(open_view, view):
    root = open_view(view).locator(".tl-view")
    assert [("answers it" in li) for li in root.locator(".tl-hits li").all_inner_texts()] == [False, True] + [False] * 3
    root.locator("select").select_option("1")
    assert root.locator(".tl-right").count() == 0


def test_without_javascript_the_first_question_and_its_answer_stand_there(open_view, view):
    static, alive = (open_view(view, javascript=js).locator(".tl-view") for js in (False, True))
    assert static.evaluate(SHOWN) == alive.evaluate(SHOWN)
    for part in (".tl-asked", ".tl-say"):
        assert static.locator(part).inner_text() == alive.locator(part).inner_text()
    assert not static.locator("select").count()


def test_hostile_texts_are_shown_not_run(open_view, view):
    root = open_view(view, view).locator(".tl-view").last
    root.locator("select").select_option("2")
    assert root.locator(".tl-hits button").first.inner_text() == HOSTILE
    root.locator("input").fill("onerror")
    assert root.locator(".tl-matches button").inner_text() == HOSTILE
    assert root.locator("img").count() == 0


def test_it_is_accessible_and_fits_a_phone(assert_accessible, view):
    assert_accessible(view)


def test_equal_vectors_do_not_hide_a_text():
    view = search_view(Index(["a", "b", "c"], np.ones((3, 2))), ["q"], np.ones((1, 2)), k=5)
    assert [[i for i, _ in hits] for hits in view.data["found"]] == [[0, 1, 2], [1, 2], [0, 2], [0, 1]]


def test_bad_input_is_refused_by_name(index):
    with pytest.raises(TypeError, match="index must be an Index, got list"):
        search_view([], ["q"], X[:1])
    with pytest.raises(TypeError, match="questions must be a list of str"):
        search_view(index, "q", X[:1])
    with pytest.raises(ValueError, match="vectors must be as many as questions, 1, got 2"):
        search_view(index, ["q"], X[:2])
    with pytest.raises(ValueError, match="answers must be as many as questions, 1, got 0"):
        search_view(index, ["q"], X[:1], [])
    with pytest.raises(ValueError, match="answers must be texts of the index, got 'x'"):
        search_view(index, ["q"], X[:1], [["x"]])
    with pytest.raises(ValueError, match="k must be a number of texts"):
        search_view(index, ["q"], X[:1], k=0)
    with pytest.raises(ValueError, match="at most 3,000 texts, got 3,001"):
        search_view(Index(["a"] * 3001, np.ones((3001, 2))), ["q"], np.ones((1, 2)))
