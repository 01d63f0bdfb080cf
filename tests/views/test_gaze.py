"""A sentence that looks at itself: what stands there without JavaScript, and what a word does that is pointed at."""

import numpy as np
import pytest

from tutorial_lib.views import gaze_view

TOKENS = ["[CLS]", "a", "ser", "##end", "<b>"]
A = np.random.default_rng(0).dirichlet(np.full(5, 0.3), 5)
LOOK = "“{}” looks most at “{}”: {} of its weight."


def told(i):
    j = int(A[i].argmax())
    shown = [token.replace("##", "-") for token in TOKENS]
    return LOOK.format(shown[i], shown[j], f"{A[i, j]:.2f}".removeprefix("0"))


def test_it_begins_with_the_token_that_looks_furthest_away():
    others = A - np.diag(np.diag(A))
    assert gaze_view(A, TOKENS).say == told(others.max(1).argmax())


def test_the_page_says_what_python_said_and_changes_nothing_at_first(open_view):
    view = gaze_view(A, TOKENS, query=3)
    plain = open_view(view, javascript=False).locator(".tl-view")
    alive = open_view(view).locator(".tl-view")
    for selector in (".tl-gaze ol", ".tl-say"):
        assert alive.locator(selector).inner_text() == plain.locator(selector).inner_text()
    looks = """words => words.map(word => [word.textContent, word.ariaPressed, word.classList.contains('tl-piece'),
      word.style.getPropertyValue('--weight').trim(), word.nextSibling.textContent, word.nextSibling.className])"""
    one, other = (page.locator(".tl-gaze button").evaluate_all(looks) for page in (alive, plain))
    assert one == other and len(one) == 5
    assert plain.locator(".tl-say").inner_text() == told(3)


def test_each_word_looks_when_it_is_pointed_at_pressed_or_focused(open_view):
    tab = open_view(gaze_view(A, TOKENS, query=0))
    words = tab.locator(".tl-gaze button")
    words.nth(1).hover()
    assert tab.locator(".tl-say").inner_text() == told(1)
    words.nth(2).click()
    assert tab.locator(".tl-say").inner_text() == told(2)
    tab.keyboard.press("ArrowRight")
    assert tab.locator(".tl-say").inner_text() == told(3)
    assert words.evaluate_all("words => words.map(word => word.ariaPressed)") == ["false"] * 3 + ["true", "false"]
    strong = [j for j in range(5) if A[3, j] >= 0.02 and j != 3]
    assert tab.locator(".tl-gaze path").count() == len(strong)


def test_a_text_that_is_too_long_scrolls_by_itself(open_view):
    n = 60
    tab = open_view(gaze_view(np.full((n, n), 1 / n), ["elephants"] * n), width=800)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 800
    assert tab.locator(".tl-picture").evaluate("box => box.scrollWidth > box.clientWidth")


@pytest.mark.parametrize("change", [{"query": 5}, {"layer": 1}, {"head": -1}])
def test_what_is_not_there_is_refused(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        gaze_view(A, TOKENS, **change)


def test_it_is_accessible_and_fits_a_phone(assert_accessible):
    assert_accessible(gaze_view(A, TOKENS))
